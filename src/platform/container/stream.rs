//! The runtime's byte streams in Rust, and Rust's own streams for JavaScript. A stream of the
//! runtime that we only pass on never enters WebAssembly. `entry/stream.ts` pulls our own streams
//! chunk by chunk, as fast as their reader reads.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::platform::container::js::{
    FixedLengthStream, IdentityTransformStream, JsReader, JsStream, JsWriter, get, number, words,
};
use crate::platform::convert::error_to_js;
#[cfg(feature = "worker-exports")]
use crate::platform::convert::to_js;
#[cfg(feature = "worker-exports")]
use crate::ports::crossing::Crossing;
use crate::ports::stream::{ByteStream, Bytes};
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, poll_fn, select};
use js_sys::{Object, Uint8Array};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// A `ReadableStream` of the runtime.
pub struct JsBytes {
    stream: JsStream,
    /// Set once Rust code reads the stream.
    chunks: Option<Chunks>,
}

impl JsBytes {
    /// Takes ownership of a stream.
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
            // This fails if the stream has already broken off.
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

/// Reads a stream. Dropping a pending poll loses no bytes.
pub struct Chunks {
    reader: JsReader,
    reading: Option<LocalBoxFuture<'static, std::result::Result<JsValue, JsValue>>>,
    ended: bool,
}

impl Chunks {
    /// Creates a reader, which locks the stream.
    pub fn of(stream: &JsStream) -> std::result::Result<Self, JsValue> {
        Ok(Self { reader: stream.reader()?, reading: None, ended: false })
    }

    /// Whether the end has been read.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// The next chunk. At the end, `None` on every call.
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

/// A stream of the runtime: the one inside `bytes`, or a new one that `bytes` fills while it is
/// read.
pub fn readable(bytes: Bytes) -> Result<web_sys::ReadableStream> {
    let stream = match bytes.into_native() {
        Ok(native) => *native.downcast::<JsStream>().map_err(|_| not_ours())?,
        Err(made) => fed(made, &IdentityTransformStream::new()).map_err(broken_off)?,
    };
    Ok(JsValue::from(stream).unchecked_into())
}

/// Like [`readable`], for a stream with a known length.
pub fn readable_of_length(bytes: Bytes, length_bytes: u64) -> Result<web_sys::ReadableStream> {
    let pipe = FixedLengthStream::new(number(length_bytes));
    let stream = match bytes.into_native() {
        Ok(native) => {
            let native = native.downcast::<JsStream>().map_err(|_| not_ours())?;
            let piped = native.pipe_to(&pipe.writable(), &Object::new()).map_err(broken_off)?;
            // If one end breaks off, the other breaks off, too, and the reader sees that.
            spawn_local(async move {
                let _ = JsFuture::from(piped).await;
            });
            pipe.readable()
        }
        Err(made) => fed(made, &pipe).map_err(broken_off)?,
    };
    Ok(JsValue::from(stream).unchecked_into())
}

fn fed(mut made: Bytes, pipe: &IdentityTransformStream) -> std::result::Result<JsStream, JsValue> {
    let writer = pipe.writable().writer()?;
    spawn_local(async move {
        // If the reader wants no more, a write fails.
        if let Err(refused) = feed(&mut made, &writer).await {
            made.cancel().await;
            if let Ok(aborted) = writer.abort(&refused) {
                let _ = JsFuture::from(aborted).await;
            }
        }
    });
    Ok(pipe.readable())
}

async fn feed(made: &mut Bytes, writer: &JsWriter) -> std::result::Result<(), JsValue> {
    while let Some(chunk) = made.next().await.map_err(|error| error_to_js(&error))? {
        JsFuture::from(writer.write(&Uint8Array::from(chunk.as_slice()))?).await?;
    }
    JsFuture::from(writer.close()?).await?;
    Ok(())
}

fn not_ours() -> Error {
    Error::internal("a stream is not the runtime's")
}

/// A reply for JavaScript. A stream made in Rust becomes a [`ByteSource`].
#[cfg(feature = "worker-exports")]
pub fn reply_to_js(reply: Crossing) -> Result<JsValue> {
    let bytes = match reply {
        Crossing::Value(value) if value.is_null() => return Ok(JsValue::UNDEFINED),
        Crossing::Value(value) => return to_js(&value),
        Crossing::Stream(bytes) => bytes,
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

/// A stream made in Rust. `entry/stream.ts` turns it into a `ReadableStream`.
#[wasm_bindgen]
pub struct ByteSource {
    /// Empty during a read and after the end.
    bytes: RefCell<Option<Bytes>>,
    cancelled: Cell<bool>,
    /// Wakes the pending read on cancellation.
    reader: RefCell<Option<Waker>>,
}

#[wasm_bindgen]
impl ByteSource {
    /// The next bytes. Undefined at the end. Must not be called again before it has returned.
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

    /// Cancels the stream, because its reader wants no more.
    pub async fn cancel(&self) {
        self.cancelled.set(true);
        if let Some(reader) = self.reader.take() {
            // A pending read wakes up and cancels the stream.
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

/// The stream that a caller passed. `None` if the value is no stream: a caller that needs one
/// reports the error.
pub fn stream_from_js(value: JsValue) -> Option<Bytes> {
    let is_stream = get(&value, "getReader").is_function();
    is_stream.then(|| Box::new(JsBytes::new(value.unchecked_into())) as Bytes)
}
