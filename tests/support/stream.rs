//! [`ByteStream`]s in memory: of chunks, and of what a test sends.

use async_trait::async_trait;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use snapshotter::domain::error::{Error, Result};
use snapshotter::ports::stream::{ByteStream, Bytes};
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Chunks in order, and whether the stream was cancelled.
pub struct MemoryBytes {
    chunks: VecDeque<Result<Vec<u8>>>,
    pub cancelled: Rc<Cell<bool>>,
    /// Whether nothing follows the last chunk, not even the end.
    pub hangs: bool,
    held: Option<Box<dyn Any>>,
}

impl MemoryBytes {
    pub fn of(chunks: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::ending(chunks, None)
    }

    /// Holds something until the stream ends or is cancelled.
    pub fn holding(mut self, held: Box<dyn Any>) -> Self {
        self.held = Some(held);
        self
    }

    /// A stream that ends with an error, if there is one.
    pub fn ending(chunks: impl IntoIterator<Item = Vec<u8>>, broken: Option<Error>) -> Self {
        let chunks = chunks.into_iter().map(Ok).chain(broken.map(Err)).collect();
        Self { chunks, cancelled: Rc::default(), hangs: false, held: None }
    }
}

#[async_trait(?Send)]
impl ByteStream for MemoryBytes {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.hangs && self.chunks.is_empty() {
            return std::future::pending().await;
        }
        let next = self.chunks.pop_front().transpose();
        if !matches!(next, Ok(Some(_))) {
            self.held = None;
        }
        next
    }

    async fn cancel(&mut self) {
        self.chunks.clear();
        self.held = None;
        self.cancelled.set(true);
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

/// What a test sends while the stream is read. It ends when the sender is dropped.
pub struct LiveBytes(UnboundedReceiver<Vec<u8>>);

impl LiveBytes {
    pub fn pair() -> (UnboundedSender<Vec<u8>>, Bytes) {
        let (sender, receiver) = unbounded();
        (sender, Box::new(Self(receiver)))
    }
}

#[async_trait(?Send)]
impl ByteStream for LiveBytes {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.next().await)
    }

    async fn cancel(&mut self) {
        self.0.close();
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
