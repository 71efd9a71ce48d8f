//! Stand-in for `cloudflare/proxy-everything`. Without this sidecar, workerd
//! starts no container.
//!
//! workerd reaches it on port 39001 and sends three kinds of requests. It
//! accepts `PUT` of a configuration and ignores it: it intercepts nothing. It
//! answers `GET /ca` with a text in the shape of a certificate. `CONNECT` with
//! `X-Dst-Addr: ip:port` opens a tunnel, through which a Worker reaches a port
//! of its container.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

/// Never parsed here: we intercept no traffic, so nobody has to trust it.
const CA: &str = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";

fn main() -> io::Result<()> {
    // We need not handle SIGTERM: the image sets SIGKILL as its stop signal.
    let listener = TcpListener::bind("0.0.0.0:39001")?;
    for client in listener.incoming().flatten() {
        thread::spawn(move || {
            if let Err(error) = serve(client) {
                eprintln!("{error}");
            }
        });
    }
    Ok(())
}

/// Answers the requests of a connection until it closes or becomes a tunnel.
fn serve(client: TcpStream) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client.try_clone()?);
    while let Some(request) = Request::read(&mut reader)? {
        match request.method.as_str() {
            "CONNECT" => return tunnel(&request, reader, client),
            "GET" if request.target == "/ca" => reply(&client, "200 OK", CA)?,
            "GET" | "PUT" | "POST" => reply(&client, "200 OK", "")?,
            _ => reply(&client, "405 Method Not Allowed", "")?,
        }
    }
    Ok(())
}

fn reply(mut client: &TcpStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// Connects the client with the address it names. Ends when both directions
/// have ended.
fn tunnel(
    request: &Request,
    mut from_client: BufReader<TcpStream>,
    client: TcpStream,
) -> io::Result<()> {
    let address = request.destination.as_deref().unwrap_or_default();
    let server = match TcpStream::connect(address) {
        Ok(server) => server,
        Err(error) => return reply(&client, "400 Bad Request", &format!("{address}: {error}")),
    };
    server.set_nodelay(true)?;
    (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    let (mut from_server, mut to_client) = (server.try_clone()?, client);
    let back = thread::spawn(move || {
        // Either side may hang up at any time: that ends the tunnel normally.
        _ = io::copy(&mut from_server, &mut to_client);
        _ = to_client.shutdown(Shutdown::Write);
    });
    _ = io::copy(&mut from_client, &mut &server);
    _ = server.shutdown(Shutdown::Write);
    _ = back.join();
    Ok(())
}

/// The needed parts of a request's head. We read and drop its body.
struct Request {
    method: String,
    target: String,
    destination: Option<String>,
}

impl Request {
    /// `None` when the connection closed between requests.
    fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_default().to_owned();
        let mut request = Self { method: word(), target: word(), destination: None };
        let mut body_bytes = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "x-dst-addr" => request.destination = Some(value.trim().to_owned()),
                "content-length" => body_bytes = value.trim().parse().unwrap_or(0),
                _ => {}
            }
        }
        io::copy(&mut reader.by_ref().take(body_bytes), &mut io::sink())?;
        Ok(Some(request))
    }
}
