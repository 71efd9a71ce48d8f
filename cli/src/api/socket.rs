//! Opens a WebSocket.

use super::{Call, Client};
use crate::error::{ApiError, Error};
use std::io::ErrorKind;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::error::Error as SocketError;
use tungstenite::handshake::HandshakeError;
use tungstenite::http::{HeaderValue, Uri, header};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, client_tls};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Covers the wake of a sleeping workspace, which ends before the server answers.
const OPEN_TIMEOUT: Duration = Duration::from_secs(300);

/// A WebSocket connection that does not block: it sends and receives what it can.
pub struct Socket {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    /// The same connection, to poll until it is ready.
    pub stream: TcpStream,
}

impl Client {
    /// Opens the WebSocket of a call.
    pub fn socket(&self, call: &Call) -> Result<Socket, Error> {
        let url = format!("{}{}", self.url(), call.target).replacen("http", "ws", 1);
        let unusable = |error: SocketError| Error::Usage(format!("{}: {error}", self.url()));
        let mut request = url.as_str().into_client_request().map_err(unusable)?;
        if let Some(token) = self.token() {
            let bearer = HeaderValue::from_str(&format!("Bearer {}", token.secret()));
            let bearer = bearer.map_err(|error| Error::local("the token", error))?;
            request.headers_mut().insert(header::AUTHORIZATION, bearer);
        }
        let unreachable = |error: &dyn std::fmt::Display| {
            Error::Network(format!("{} can't be reached: {error}", self.url()))
        };
        let stream = connected(request.uri()).map_err(|error| unreachable(&error))?;
        let waiting = stream.try_clone().map_err(|error| unreachable(&error))?;
        match client_tls(request, stream) {
            Ok((socket, _)) => {
                waiting.set_read_timeout(None).map_err(|error| unreachable(&error))?;
                waiting.set_nonblocking(true).map_err(|error| unreachable(&error))?;
                Ok(Socket { socket, stream: waiting })
            }
            Err(HandshakeError::Failure(SocketError::Http(answer))) => {
                let body = answer.body().as_deref().unwrap_or_default();
                Err(match ApiError::read(&String::from_utf8_lossy(body)) {
                    Some(error) => Error::Api(Box::new(error)),
                    None => Error::Answer(format!("the answer is {}", answer.status())),
                })
            }
            Err(error) => Err(unreachable(&error)),
        }
    }
}

fn connected(uri: &Uri) -> std::io::Result<TcpStream> {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("wss") { 443 } else { 80 });
    let mut last = ErrorKind::NotFound.into();
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                // Each key is a small message that should not wait for the next one.
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(OPEN_TIMEOUT))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl Socket {
    /// The next message. None: nothing has arrived.
    pub fn receive(&mut self) -> Result<Option<Message>, Error> {
        match self.socket.read() {
            Ok(message) => Ok(Some(message)),
            Err(SocketError::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(broken_off(&error)),
        }
    }

    /// Sends a message, or keeps it until [`Self::flush`] can send it.
    pub fn send(&mut self, message: Message) -> Result<(), Error> {
        blocked(self.socket.send(message))
    }

    /// Sends messages that could not be sent before.
    pub fn flush(&mut self) -> Result<(), Error> {
        blocked(self.socket.flush())
    }
}

fn blocked(sent: Result<(), SocketError>) -> Result<(), Error> {
    match sent {
        Err(SocketError::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        sent => sent.map_err(|error| broken_off(&error)),
    }
}

fn broken_off(error: &SocketError) -> Error {
    Error::Network(format!("the connection broke off: {error}"))
}
