//! Answers to clients.

use crate::domain::s3::error::{Code, S3Error};
use crate::domain::s3::request::RequestHead;
use crate::ports::Bytes;

/// An answer to a client.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Lowercase names, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: AnswerBody,
}

/// The body of an answer.
pub enum AnswerBody {
    /// No body.
    Empty,
    /// No body, because the client sent `HEAD`. It would have this length.
    Omitted(u64),
    /// A document.
    Xml(String),
    /// An object of this length.
    Stream(Bytes, u64),
}

impl Answer {
    pub(crate) const fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: AnswerBody::Empty }
    }

    pub(crate) fn xml(text: String) -> Self {
        Self { body: AnswerBody::Xml(text), ..Self::empty(200) }
    }

    pub(crate) fn with(mut self, headers: impl IntoIterator<Item = (String, String)>) -> Self {
        self.headers.extend(headers);
        self
    }

    /// Answers with a part of an object, which has at least one byte.
    pub(crate) fn partial(self, offset: u64, length: u64, size_bytes: u64) -> Self {
        let last = offset + length.saturating_sub(1);
        let part = format!("bytes {offset}-{last}/{size_bytes}");
        Self { status: 206, ..self }.with([("content-range".to_owned(), part)])
    }

    /// The answer for an error.
    #[must_use]
    pub fn error(head: &RequestHead, error: &S3Error) -> Self {
        let body = if head.method == "HEAD" || error.code == Code::NotModified {
            AnswerBody::Empty
        } else {
            AnswerBody::Xml(error.to_xml())
        };
        Self { body, ..Self::empty(error.status()) }
    }
}
