//! Long-lived streams, which end with their caller's token.

use crate::api::operation::{EVENT_STREAM, Route};
use crate::domain::exec::terminal::{Frame, ServerMessage};
use crate::domain::{Caller, Result};
use crate::ports::{ByteStream, Bytes};
use crate::session::Session;
use async_trait::async_trait;
use std::any::Any;
use std::rc::Rc;

/// Ends a stream of a terminal or of events within seconds after its caller's token was revoked or
/// has expired. Both kinds of streams send something every two seconds.
pub fn while_authenticated(
    route: Option<&Route>,
    host: Rc<Session>,
    caller: Caller,
    stream: Bytes,
) -> Bytes {
    let is_socket = route.is_some_and(|route| route.socket);
    let lasts = is_socket || route.is_some_and(|route| route.streams == Some(EVENT_STREAM));
    if !lasts || !matches!(caller, Caller::Token { .. }) {
        return stream;
    }
    Box::new(Revocable { stream: Some(stream), host, caller, is_socket })
}

struct Revocable {
    /// None after the stream's end.
    stream: Option<Bytes>,
    host: Rc<Session>,
    caller: Caller,
    is_socket: bool,
}

#[async_trait(?Send)]
impl ByteStream for Revocable {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(stream) = &mut self.stream else { return Ok(None) };
        let next = stream.next().await;
        let Err(refused) = self.host.authenticate(&self.caller) else { return next };
        self.cancel().await;
        if !self.is_socket {
            // An event stream ends with a last event: without it, the stream has broken off.
            return Err(refused);
        }
        Frame::message(&ServerMessage::Error(refused.to_wire().error))
            .map(|frame| Some(frame.to_bytes()))
    }

    async fn cancel(&mut self) {
        if let Some(mut stream) = self.stream.take() {
            stream.cancel().await;
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
