//! workerd's requests.
//!
//! `PUT /egress` says what to intercept. `GET /ca` is the certificate that the
//! container has to trust. `CONNECT` with `X-Dst-Addr: ip:port` opens a tunnel,
//! through which a Worker reaches a port of its container.

use crate::head::Head;
use crate::{Result, Sidecar, rules, spawn};
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

const BODY_MAX_BYTES: usize = 1024 * 1024;

pub async fn serve(sidecar: &Rc<Sidecar>, listener: TcpListener) {
    loop {
        if let Ok((client, _)) = listener.accept().await {
            spawn(answer(sidecar.clone(), client));
        }
    }
}

/// Answers the requests of a connection until it closes or becomes a tunnel.
async fn answer(sidecar: Rc<Sidecar>, client: TcpStream) -> Result<()> {
    client.set_nodelay(true)?;
    // Requests of the container itself, which has our network, come from our own address.
    let peer = client.peer_addr()?.ip();
    let is_own = peer.is_loopback() || peer == client.local_addr()?.ip();
    let mut client = BufReader::new(client);
    while let Some(head) = Head::read(&mut client).await? {
        let mut words = head.line.split(' ');
        let request = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let length = head.header("content-length").unwrap_or("0").parse::<usize>()?;
        if length > BODY_MAX_BYTES {
            return Err("a request's body is too long".into());
        }
        let mut body = vec![0; length];
        client.read_exact(&mut body).await?;
        match request {
            ("CONNECT", _) => return tunnel(&head, client).await,
            ("GET", "/ca") => reply(&mut client, "200 OK", sidecar.authority.pem()).await?,
            ("PUT", "/egress") if is_own => reply(&mut client, "403 Forbidden", "").await?,
            ("PUT", "/egress") => {
                sidecar.settings.update(serde_json::from_slice(&body)?);
                let (intercepts, internet) =
                    (sidecar.settings.intercepts(), sidecar.settings.internet.get());
                // Only once the rules hold may the container start.
                match rules::set(intercepts, internet).await {
                    Ok(()) => reply(&mut client, "200 OK", "").await?,
                    Err(error) => {
                        reply(&mut client, "500 Internal Server Error", &error.to_string()).await?;
                    }
                }
            }
            _ => reply(&mut client, "404 Not Found", "").await?,
        }
    }
    Ok(())
}

async fn reply(client: &mut BufReader<TcpStream>, status: &str, body: &str) -> Result<()> {
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
    Ok(client.write_all(answer.as_bytes()).await?)
}

/// Connects the client with the address that it names. Our rules hold for this connection: through it
/// the container reaches nothing that it could not reach by itself.
async fn tunnel(head: &Head, mut client: BufReader<TcpStream>) -> Result<()> {
    let address = head.header("x-dst-addr").unwrap_or_default();
    let mut server = match TcpStream::connect(address).await {
        Ok(server) => server,
        Err(error) => {
            return reply(&mut client, "400 Bad Request", &format!("{address}: {error}")).await;
        }
    };
    server.set_nodelay(true)?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    // Either side may hang up at any time: that ends the tunnel normally.
    _ = copy_bidirectional(&mut client, &mut server).await;
    Ok(())
}
