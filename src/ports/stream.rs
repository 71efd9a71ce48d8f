//! Byte streams between a caller and a container.

use crate::domain::Result;
use async_trait::async_trait;
use std::any::Any;

/// A stream of bytes that its reader pulls.
///
/// To end a stream in order, read it to its end or cancel it. The function that
/// makes a stream documents what dropping the stream leaves behind.
#[async_trait(?Send)]
pub trait ByteStream {
    /// Waits for the next bytes, never an empty chunk. None: the stream has
    /// ended. Nothing follows an error.
    ///
    /// Dropping the future before it is ready loses no bytes.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;

    /// Ends the producer of the bytes, because the reader wants no more.
    async fn cancel(&mut self);

    /// Returns the platform's own stream, which can be passed on whole, or the
    /// stream itself if our code produces its bytes.
    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes>;
}

/// A stream from any source.
pub type Bytes = Box<dyn ByteStream>;
