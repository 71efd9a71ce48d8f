//! The container's connections. We ask workerd about each: `CONNECT`, with the
//! name that the connection itself says. 200: workerd answers what we decrypt.
//! 202: workerd passes the bytes on, or ends the connection.

use crate::head::Head;
use crate::rules::MARK;
use crate::{Result, Sidecar, spawn};
use socket2::SockRef;
use std::fmt::Write;
use std::io::Cursor;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, copy_bidirectional, join,
};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::Acceptor;

/// How long a client has to speak first. If it stays silent, it waits for its server.
const FIRST: Duration = Duration::from_secs(1);
/// How long a client may take to finish its first message.
const REST: Duration = Duration::from_secs(10);
const FIRST_MAX_BYTES: usize = 64 * 1024;
/// workerd's name, in the hosts file.
const GATEWAY: &str = "host.docker.internal";

pub async fn serve(sidecar: &Rc<Sidecar>, listener: TcpListener) {
    let gateway = match gateway() {
        Ok(gateway) => gateway,
        Err(error) => return eprintln!("{error}"),
    };
    loop {
        if let Ok((client, _)) = listener.accept().await {
            spawn(pass(sidecar.clone(), gateway, client));
        }
    }
}

fn gateway() -> Result<IpAddr> {
    let hosts = std::fs::read_to_string("/etc/hosts")?;
    let line =
        hosts.lines().find(|line| line.split_whitespace().skip(1).any(|name| name == GATEWAY));
    let address = line.and_then(|line| line.split_whitespace().next());
    Ok(address.ok_or("the hosts file has no gateway")?.parse()?)
}

/// What a client says first.
#[derive(Default)]
struct Said {
    bytes: Vec<u8>,
    /// The server's name in a TLS hello.
    sni: Option<String>,
    /// The `Host` of a plain request.
    host: Option<String>,
}

async fn pass(sidecar: Rc<Sidecar>, gateway: IpAddr, mut client: TcpStream) -> Result<()> {
    client.set_nodelay(true)?;
    let original = SockRef::from(&client).original_dst_v4()?;
    let to = original.as_socket().ok_or("a connection without an address")?;
    if to == client.local_addr()? {
        return Err("a connection to the sidecar itself".into());
    }
    let said = first_said(&mut client, to.port()).await?;
    let port = sidecar.settings.egress_port.get();
    let (mut server, status) = ask(SocketAddr::new(gateway, port), to, &said).await?;
    let (reader, writer) = client.into_split();
    let mut client = join(Cursor::new(said.bytes).chain(reader), writer);
    match said.sni {
        Some(name) if status == 200 => {
            let acceptor = TlsAcceptor::from(sidecar.authority.server(&name)?);
            copy(&mut acceptor.accept(client).await?, &mut server).await;
        }
        _ => copy(&mut client, &mut server).await,
    }
    Ok(())
}

/// Copies both ways. Either side may hang up at any time.
async fn copy(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    server: &mut (impl AsyncRead + AsyncWrite + Unpin),
) {
    _ = copy_bidirectional(client, server).await;
}

/// Reads what the client says first, as far as it names its server.
async fn first_said(client: &mut TcpStream, port: u16) -> Result<Said> {
    let mut said = Said::default();
    match timeout(FIRST, client.read_buf(&mut said.bytes)).await {
        // It waits for its server to speak first.
        Err(_) => return Ok(said),
        Ok(read) => read?,
    };
    if said.bytes.first() == Some(&0x16) {
        let mut acceptor = Acceptor::default();
        let mut fed = 0;
        loop {
            let mut more = said.bytes.get(fed..).unwrap_or_default();
            while !more.is_empty() {
                fed += acceptor.read_tls(&mut more)?;
            }
            match acceptor.accept() {
                Ok(Some(accepted)) => {
                    said.sni = accepted.client_hello().server_name().map(str::to_owned);
                    return Ok(said);
                }
                Ok(None) => read_more(client, &mut said.bytes).await?,
                // It is no TLS after all, or none that we speak.
                Err(_) => return Ok(said),
            }
        }
    }
    if port == 80 {
        while !said.bytes.windows(4).any(|end| end == b"\r\n\r\n") {
            if !said.bytes.first().is_some_and(u8::is_ascii_uppercase) {
                return Ok(said);
            }
            read_more(client, &mut said.bytes).await?;
        }
        let head = Head::parse(&String::from_utf8_lossy(&said.bytes));
        said.host = head.header("host").map(str::to_owned);
    }
    Ok(said)
}

async fn read_more(client: &mut TcpStream, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.len() > FIRST_MAX_BYTES {
        return Err("what a client says first is too long".into());
    }
    if timeout(REST, client.read_buf(bytes)).await?? == 0 {
        return Err("a client hung up".into());
    }
    Ok(())
}

/// Asks workerd about a connection. Returns the tunnel, and whether it is for what we decrypt.
async fn ask(
    workerd: SocketAddr,
    to: SocketAddr,
    said: &Said,
) -> Result<(BufReader<TcpStream>, u16)> {
    let socket = TcpSocket::new_v4()?;
    SockRef::from(&socket).set_mark(MARK)?;
    let mut server = BufReader::new(socket.connect(workerd).await?);
    let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n");
    for (name, value) in [("X-Tls-Sni", &said.sni), ("X-Hostname", &said.host)] {
        if let Some(value) = value {
            write!(request, "{name}: {value}\r\n")?;
        }
    }
    request += "\r\n";
    server.write_all(request.as_bytes()).await?;
    let head = Head::read(&mut server).await?.ok_or("workerd hung up")?;
    let status = head.line.split(' ').nth(1).unwrap_or_default();
    match status.parse()? {
        status @ (200 | 202) => Ok((server, status)),
        _ => Err(format!("workerd answers {}", head.line).into()),
    }
}
