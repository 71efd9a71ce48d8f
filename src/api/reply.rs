//! What streams into an operation, and what it answers with.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::ports::stream::Bytes;
use serde_json::Value;

/// What an operation answers with.
pub enum Reply {
    /// JSON.
    Value(Value),
    /// Bytes, while they come into being.
    Stream(Bytes),
}

impl Reply {
    /// For a caller that can take JSON only.
    ///
    /// # Errors
    /// `UNSUPPORTED` for a stream, which is let go.
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
