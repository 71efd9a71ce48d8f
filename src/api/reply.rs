//! Answers of operations.

use crate::domain::Result;
use crate::ports::Bytes;
use crate::ports::crossing::Crossing;
use crate::session::Download;
use serde_json::Value;

/// An operation's answer.
pub enum Reply {
    /// JSON.
    Value(Value),
    /// Bytes, as they are produced.
    Stream(Bytes),
    /// A file, or a part of it.
    File(Download),
}

impl Reply {
    /// Returns the answer for a caller that accepts only JSON.
    ///
    /// # Errors
    /// `UNSUPPORTED` for a stream of bytes, which is then cancelled.
    pub async fn value(self) -> Result<Value> {
        Crossing::from(self).value().await
    }
}

impl From<Crossing> for Reply {
    fn from(crossing: Crossing) -> Self {
        match crossing {
            Crossing::Value(value) => Self::Value(value),
            Crossing::Stream(stream) => Self::Stream(stream),
        }
    }
}

impl From<Reply> for Crossing {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Value(value) => Self::Value(value),
            Reply::Stream(stream) | Reply::File(Download { content: stream, .. }) => {
                Self::Stream(stream)
            }
        }
    }
}
