//! Arguments and answers of calls between objects.

use crate::domain::{Error, ErrorCode, Result};
use crate::ports::Bytes;
use serde_json::Value;

/// An argument or an answer.
pub enum Crossing {
    /// JSON.
    Value(Value),
    /// Bytes, as they are produced.
    Stream(Bytes),
}

impl Crossing {
    /// The answer for a caller that takes only JSON.
    ///
    /// # Errors
    /// `UNSUPPORTED` for a stream, which is cancelled.
    pub async fn value(self) -> Result<Value> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Stream(mut stream) => {
                stream.cancel().await;
                Err(Error::new(ErrorCode::Unsupported, "a stream cannot be answered here"))
            }
        }
    }
}
