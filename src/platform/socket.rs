//! WebSockets over the two streams of an operation. Each message is a frame.

use crate::api::http::SUBPROTOCOL;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::exec::terminal::{Frame, FrameReader, ServerMessage, too_large};
use crate::domain::limits::{TERMINAL_INPUT_MAX_BYTES, TERMINAL_MESSAGE_MAX_BYTES};
use crate::platform::container::stream::{JsBytes, readable};
use crate::platform::convert::from_worker;
use crate::platform::stubs::post_stream;
use crate::ports::stream::{ByteStream, Bytes};
use async_trait::async_trait;
use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{Either, select};
use js_sys::Reflect;
use serde::Serialize;
use std::any::Any;
use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use worker::{Headers, Response, ResponseBody, Stub, WebSocket, WebSocketPair, WebsocketEvent};

/// Close codes (RFC 6455, section 7.4.1).
const NORMAL: u16 = 1000;
const TOO_BIG: u16 = 1009;
const FAILED: u16 = 1011;

/// Runs the operation of a message, and connects its streams with a WebSocket.
///
/// # Errors
/// `INVALID_ARGUMENT` if the request does not ask for a WebSocket.
pub async fn open(headers: &Headers, host: &Stub, message: &impl Serialize) -> Result<Response> {
    let header = |name: &str| headers.get(name).ok().flatten();
    if !header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket")) {
        return Err(Error::invalid("Upgrade", "must be websocket: this route is a WebSocket")
            .with_hint("connect with a WebSocket client, e.g. `new WebSocket(url)`"));
    }
    let (sender, receiver) = mpsc::unbounded();
    let waiting = Rc::new(Cell::new(0));
    let typed = readable(Box::new(Typed { receiver, waiting: waiting.clone() }))?;
    let answer = post_stream(host, message, &typed).await?;
    if answer.status_code() != 200 {
        return Ok(answer);
    }
    let ResponseBody::Stream(printed) = answer.body() else {
        return Err(Error::internal("a terminal answered without a stream"));
    };
    let printed = JsBytes::new(JsValue::from(printed.clone()).unchecked_into());
    let WebSocketPair { client, server } =
        WebSocketPair::new().map_err(|error| from_worker(&error))?;
    spawn_local(connect(server, Typing { sender, waiting }, printed));
    let response = Response::from_websocket(client).map_err(|error| from_worker(&error))?;
    let offered = header("sec-websocket-protocol").unwrap_or_default();
    if offered.split(',').any(|one| one.trim() == SUBPROTOCOL) {
        let chosen = Headers::new();
        chosen.set("sec-websocket-protocol", SUBPROTOCOL).map_err(|error| from_worker(&error))?;
        return Ok(response.with_headers(chosen));
    }
    Ok(response)
}

/// The viewer's input, as a stream of frames. It ends once [`Typing`] is dropped.
struct Typed {
    receiver: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Rc<Cell<usize>>,
}

#[async_trait(?Send)]
impl ByteStream for Typed {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let frame = self.receiver.next().await;
        let taken = frame.as_ref().map_or(0, Vec::len);
        self.waiting.set(self.waiting.get().saturating_sub(taken));
        Ok(frame)
    }

    async fn cancel(&mut self) {
        self.receiver.close();
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

struct Typing {
    sender: mpsc::UnboundedSender<Vec<u8>>,
    /// How many typed bytes have not been read yet.
    waiting: Rc<Cell<usize>>,
}

impl Typing {
    fn send(&self, frame: &Frame) -> Result<()> {
        let frame = frame.to_bytes();
        let waiting = self.waiting.get() + frame.len();
        if frame.len() > TERMINAL_MESSAGE_MAX_BYTES || waiting > TERMINAL_INPUT_MAX_BYTES {
            return Err(too_large());
        }
        self.waiting.set(waiting);
        // The reader is gone if the terminal is. That ends the other direction, too.
        let _ = self.sender.unbounded_send(frame);
        Ok(())
    }
}

struct Close {
    code: u16,
    reason: String,
}

impl Close {
    /// A reason may have at most 123 bytes, and a code always fits.
    fn because(error: &Error) -> Self {
        let code = if error.code == ErrorCode::TooLarge { TOO_BIG } else { FAILED };
        Self { code, reason: error.code.to_string() }
    }

    fn normal() -> Self {
        Self { code: NORMAL, reason: String::new() }
    }
}

/// Moves messages in both directions until one of them ends.
async fn connect(socket: WebSocket, typing: Typing, mut printed: JsBytes) {
    let close = match select(pin!(take(&socket, &typing)), pin!(send(&socket, &mut printed))).await
    {
        Either::Left((close, _)) | Either::Right((close, _)) => close,
    };
    // The terminal then notices that its viewer is gone.
    drop(typing);
    printed.cancel().await;
    // This fails if the viewer has closed the connection.
    let _ = socket.close(Some(close.code), Some(close.reason));
}

async fn take(socket: &WebSocket, typing: &Typing) -> Close {
    let taken = async {
        let mut events = socket.events()?;
        // The default of newer compatibility dates would need another await to read a message.
        let binary_type = JsValue::from_str("binaryType");
        Reflect::set(socket.as_ref(), &binary_type, &JsValue::from_str("arraybuffer"))?;
        socket.accept()?;
        while let Some(event) = events.next().await {
            let WebsocketEvent::Message(message) = event? else { break };
            let frame = match message.text() {
                Some(text) => Frame::Text(text),
                None => Frame::Bytes(message.bytes().unwrap_or_default()),
            };
            if let Err(error) = typing.send(&frame) {
                return Ok(Close::because(&error));
            }
        }
        Ok(Close::normal())
    };
    let taken: worker::Result<Close> = taken.await;
    taken.unwrap_or_else(|error| Close::because(&from_worker(&error)))
}

async fn send(socket: &WebSocket, printed: &mut JsBytes) -> Close {
    let mut reader = FrameReader::default();
    let sent = async {
        loop {
            let Some(piece) = printed.next().await? else { return Err(lost()) };
            for frame in reader.read(&piece)? {
                let sent = match &frame {
                    // An empty frame only shows that the terminal is still there.
                    Frame::Bytes(bytes) if bytes.is_empty() => Ok(()),
                    Frame::Bytes(bytes) => socket.send_with_bytes(bytes),
                    Frame::Text(text) => socket.send_with_str(text),
                };
                sent.map_err(|error| from_worker(&error))?;
                let Frame::Text(text) = frame else { continue };
                match serde_json::from_str(&text) {
                    Ok(ServerMessage::Exited { .. }) => return Ok(Close::normal()),
                    Ok(ServerMessage::Error(error)) => {
                        return Ok(Close { code: FAILED, reason: error.code.to_string() });
                    }
                    _ => {}
                }
            }
        }
    };
    match sent.await {
        Ok(close) => close,
        Err(error) => {
            if let Ok(Frame::Text(text)) =
                Frame::message(&ServerMessage::Error(error.to_wire().error))
            {
                // This fails if the viewer is gone.
                let _ = socket.send_with_str(text);
            }
            Close::because(&error)
        }
    }
}

fn lost() -> Error {
    Error::new(ErrorCode::Unavailable, "the connection to the terminal was lost")
        .with_hint("connect again; within a minute the same shell may still run")
}
