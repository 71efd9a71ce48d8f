//! Streams of bytes as JavaScript has them, and ours as JavaScript reads them.
//!
//! A stream of the runtime that is only passed on never enters WebAssembly. One
//! that is made here is pulled by `entry/stream.ts`, chunk by chunk, as fast as
//! its reader reads.

#[cfg(feature = "worker-exports")]
use crate::api::operation::Reply;
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::platform::container::js::{JsReader, JsStream, get, words};
use crate::platform::convert::error_to_js;
#[cfg(feature = "worker-exports")]
use crate::platform::convert::to_js;
use crate::ports::stream::{ByteStream, Bytes};
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, poll_fn, select};
use js_sys::Uint8Array;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A `ReadableStream` of the runtime.
pub struct JsBytes {
    stream: JsStream,
    /// Once it is read here.
    chunks: Option<Chunks>,
}

impl JsBytes {
    /// Takes a stream over.
    pub const fn new(stream: JsStream) -> Self {
        Self { stream, chunks: None }
    }
}

#[async_trait(?Send)]
impl ByteStream for JsBytes {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let chunks = match self.chunks.take() {
            Some(chunks) => chunks,
            None => Chunks::of(&self.stream).map_err(broken_off)?,
        };
        let chunks = self.chunks.insert(chunks);
        loop {
            match poll_fn(|context| chunks.poll(context)).await.map_err(broken_off)? {
                Some(bytes) if bytes.is_empty() => {}
                other => return Ok(other),
            }
        }
    }

    async fn cancel(&mut self) {
        let cancelled = match &self.chunks {
            Some(chunks) => chunks.reader.cancel(),
            None => self.stream.cancel(),
        };
        if let Ok(promise) = cancelled {
            // It fails where the stream has broken off already.
            let _ = JsFuture::from(promise).await;
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Ok(Box::new(self.stream))
    }
}

fn broken_off(thrown: JsValue) -> Error {
    Error::new(ErrorCode::Unavailable, "the stream broke off")
        .with_outcome(Outcome::Unknown)
        .with_cause(words(&thrown))
}

/// Reads a stream so that a poll that is given up loses nothing.
pub struct Chunks {
    reader: JsReader,
    reading: Option<LocalBoxFuture<'static, std::result::Result<JsValue, JsValue>>>,
    ended: bool,
}

impl Chunks {
    /// Locks the stream to this.
    pub fn of(stream: &JsStream) -> std::result::Result<Self, JsValue> {
        Ok(Self { reader: stream.reader()?, reading: None, ended: false })
    }

    /// Whether the end has been read.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// The next chunk; none at the end, however often.
    pub fn poll(
        &mut self,
        context: &mut std::task::Context<'_>,
    ) -> Poll<std::result::Result<Option<Vec<u8>>, JsValue>> {
        if self.ended {
            return Poll::Ready(Ok(None));
        }
        let mut reading = match self.reading.take() {
            Some(reading) => reading,
            None => JsFuture::from(self.reader.read()?).boxed_local(),
        };
        match reading.poll_unpin(context) {
            Poll::Pending => {
                self.reading = Some(reading);
                Poll::Pending
            }
            Poll::Ready(item) => {
                let item = item?;
                if get(&item, "done").is_truthy() {
                    self.ended = true;
                    return Poll::Ready(Ok(None));
                }
                let chunk: Uint8Array = get(&item, "value").unchecked_into();
                Poll::Ready(Ok(Some(chunk.to_vec())))
            }
        }
    }
}

/// A stream of the runtime as it is; the host has no others.
pub fn readable(bytes: Bytes) -> Result<web_sys::ReadableStream> {
    let native = bytes.into_native().map_err(|_made| not_ours())?;
    let stream = native.downcast::<JsStream>().map_err(|_| not_ours())?;
    Ok(JsValue::from(*stream).unchecked_into())
}

fn not_ours() -> Error {
    Error::internal("a stream is not one of the runtime")
}

/// An answer for JavaScript. A stream that is made here is a [`ByteSource`].
#[cfg(feature = "worker-exports")]
pub fn reply_to_js(reply: Reply) -> Result<JsValue> {
    let bytes = match reply {
        // A call that answers nothing.
        Reply::Value(value) if value.is_null() => return Ok(JsValue::UNDEFINED),
        Reply::Value(value) => return to_js(&value),
        Reply::Stream(bytes) => bytes,
    };
    match bytes.into_native() {
        Ok(native) => {
            native.downcast::<JsStream>().map(|stream| (*stream).into()).map_err(|_| not_ours())
        }
        Err(made) => Ok(ByteSource {
            bytes: RefCell::new(Some(made)),
            cancelled: Cell::new(false),
            reader: RefCell::new(None),
        }
        .into()),
    }
}

/// What `entry/stream.ts` makes a `ReadableStream` of.
#[wasm_bindgen]
pub struct ByteSource {
    /// Not there while it is read, nor after the end.
    bytes: RefCell<Option<Bytes>>,
    cancelled: Cell<bool>,
    /// Who reads, to be told of the cancellation.
    reader: RefCell<Option<Waker>>,
}

#[wasm_bindgen]
impl ByteSource {
    /// The next bytes; undefined at the end. One call at a time.
    pub async fn next(&self) -> std::result::Result<JsValue, JsValue> {
        let Some(mut bytes) = self.bytes.take() else { return Ok(JsValue::UNDEFINED) };
        let next = match select(bytes.next(), pin!(self.cancellation())).await {
            Either::Left((next, _)) => Some(next),
            Either::Right(((), _)) => None,
        };
        match next {
            Some(Ok(Some(chunk))) if !self.cancelled.get() => {
                self.bytes.replace(Some(bytes));
                Ok(Uint8Array::from(chunk.as_slice()).into())
            }
            Some(Ok(None)) => Ok(JsValue::UNDEFINED),
            Some(Err(error)) => Err(error_to_js(&error)),
            Some(Ok(Some(_))) | None => {
                bytes.cancel().await;
                Ok(JsValue::UNDEFINED)
            }
        }
    }

    /// The reader wants no more.
    pub async fn cancel(&self) {
        self.cancelled.set(true);
        if let Some(reader) = self.reader.take() {
            // A read is under way, and cancels.
            reader.wake();
        }
        let bytes = self.bytes.take();
        if let Some(mut bytes) = bytes {
            bytes.cancel().await;
        }
    }
}

impl ByteSource {
    async fn cancellation(&self) {
        poll_fn(|context| {
            if self.cancelled.get() {
                return Poll::Ready(());
            }
            self.reader.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}

/// Whatever a caller passed for a stream; none where it is none. Who needs one says so.
pub fn stream_from_js(value: JsValue) -> Option<Bytes> {
    let is_stream = get(&value, "getReader").is_function();
    is_stream.then(|| Box::new(JsBytes::new(value.unchecked_into())) as Bytes)
}
