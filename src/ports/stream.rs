//! Bytes on their way between a caller and a container.

use crate::domain::error::Result;
use async_trait::async_trait;
use std::any::Any;

/// Bytes that are read as fast as their reader wants them, and no faster.
///
/// Reading and cancelling are the only ways to end one in order. What a stream
/// that is merely dropped leaves behind is said where it is made.
#[async_trait(?Send)]
pub trait ByteStream {
    /// The next bytes, never none; nothing at the end. After an error nothing follows.
    ///
    /// A future that is dropped before it is ready has taken nothing.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;

    /// The reader wants no more: what produces the bytes is ended.
    async fn cancel(&mut self);

    /// What the platform has it as, which can be passed on whole; itself where
    /// it is made here.
    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes>;
}

/// Bytes from anywhere.
pub type Bytes = Box<dyn ByteStream>;
