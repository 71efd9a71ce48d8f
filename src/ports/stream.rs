//! Byte streams between a caller and a container.

use crate::domain::Result;
use async_trait::async_trait;
use std::any::Any;

/// A stream to read to its end or cancel. Its maker says what dropping it leaves behind.
#[async_trait(?Send)]
pub trait ByteStream {
    /// Waits for the next bytes, never an empty chunk. None at the end. Nothing follows an error.
    /// Dropping the future before it is ready loses no bytes.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;

    /// Ends the producer of the bytes.
    async fn cancel(&mut self);

    /// The platform's own stream, which can be passed on, or this one if our code makes its bytes.
    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes>;
}

/// A stream from any source.
pub type Bytes = Box<dyn ByteStream>;
