//! Errors as S3 shows them.

use crate::domain::s3::xml::Element;

/// A result with an error for an S3 client.
pub type Result<T> = std::result::Result<T, S3Error>;

/// S3's error codes that clients act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The address is outside the session's mounts, or the mount is read-only.
    AccessDenied,
    /// A digest does not match the bytes.
    BadDigest,
    /// The bucket already exists and belongs to the session.
    BucketAlreadyOwnedByYou,
    /// The body is larger than a put or part may be.
    EntityTooLarge,
    /// A part is too small and is not the last.
    EntityTooSmall,
    /// The body ended too early, or is too long.
    IncompleteBody,
    /// A bug in this gateway.
    InternalError,
    /// A parameter or header is invalid.
    InvalidArgument,
    /// A digest is malformed.
    InvalidDigest,
    /// A part was not uploaded, or has another ETag.
    InvalidPart,
    /// The parts are not in ascending order.
    InvalidPartOrder,
    /// The range begins after the object's end.
    InvalidRange,
    /// The request contradicts itself.
    InvalidRequest,
    /// The key has more than 1,024 bytes.
    KeyTooLongError,
    /// The body is not XML of the expected form.
    MalformedXml,
    /// The metadata exceeds R2's limit.
    MetadataTooLarge,
    /// The method has no meaning for this address.
    MethodNotAllowed,
    /// The body has no declared length.
    MissingContentLength,
    /// The session has no such bucket.
    NoSuchBucket,
    /// No object has this key.
    NoSuchKey,
    /// The upload is unknown, completed or aborted.
    NoSuchUpload,
    /// R2's binding or this gateway can't do this.
    NotImplemented,
    /// The caller already has this version. Not really an error.
    NotModified,
    /// A condition of the request does not hold.
    PreconditionFailed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// R2 did not answer.
    ServiceUnavailable,
    /// R2 allows one write per second for a key.
    SlowDown,
}

impl Code {
    /// The HTTP status and the name.
    #[must_use]
    pub const fn parts(self) -> (u16, &'static str) {
        match self {
            Self::AccessDenied => (403, "AccessDenied"),
            Self::BadDigest => (400, "BadDigest"),
            Self::BucketAlreadyOwnedByYou => (409, "BucketAlreadyOwnedByYou"),
            Self::EntityTooLarge => (400, "EntityTooLarge"),
            Self::EntityTooSmall => (400, "EntityTooSmall"),
            Self::IncompleteBody => (400, "IncompleteBody"),
            Self::InternalError => (500, "InternalError"),
            Self::InvalidArgument => (400, "InvalidArgument"),
            Self::InvalidDigest => (400, "InvalidDigest"),
            Self::InvalidPart => (400, "InvalidPart"),
            Self::InvalidPartOrder => (400, "InvalidPartOrder"),
            Self::InvalidRange => (416, "InvalidRange"),
            Self::InvalidRequest => (400, "InvalidRequest"),
            Self::KeyTooLongError => (400, "KeyTooLongError"),
            Self::MalformedXml => (400, "MalformedXML"),
            Self::MetadataTooLarge => (400, "MetadataTooLarge"),
            Self::MethodNotAllowed => (405, "MethodNotAllowed"),
            Self::MissingContentLength => (411, "MissingContentLength"),
            Self::NoSuchBucket => (404, "NoSuchBucket"),
            Self::NoSuchKey => (404, "NoSuchKey"),
            Self::NoSuchUpload => (404, "NoSuchUpload"),
            Self::NotImplemented => (501, "NotImplemented"),
            Self::NotModified => (304, "NotModified"),
            Self::PreconditionFailed => (412, "PreconditionFailed"),
            Self::RequestTimeout => (400, "RequestTimeout"),
            Self::ServiceUnavailable => (503, "ServiceUnavailable"),
            Self::SlowDown => (503, "SlowDown"),
        }
    }
}

/// An error for an S3 client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Error {
    /// The code.
    pub code: Code,
    /// The message for the client.
    pub message: String,
    /// For the log only.
    pub cause: Option<String>,
}

pub(crate) const NO_SUCH_KEY: &str = "no object has this key";
pub(crate) const AFTER_END: &str = "the range begins after the object's end";

impl S3Error {
    /// An error with a message for the client.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: None }
    }

    /// Adds a cause, for the log only.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The error for something that R2's binding can't do.
    #[must_use]
    pub fn not_implemented(what: &str) -> Self {
        Self::new(Code::NotImplemented, format!("{what} is not available here"))
    }

    /// The error for a key without an object.
    #[must_use]
    pub fn no_such_key() -> Self {
        Self::new(Code::NoSuchKey, NO_SUCH_KEY)
    }

    /// The error for a range that begins after the object's end.
    #[must_use]
    pub fn after_end() -> Self {
        Self::new(Code::InvalidRange, AFTER_END)
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.code.parts().0
    }

    /// The body of the answer.
    #[must_use]
    pub fn to_xml(&self) -> String {
        let (_, name) = self.code.parts();
        Element::new("Error").text("Code", name).text("Message", &self.message).document()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_xml_that_clients_read() {
        let error = S3Error::new(Code::NoSuchKey, "no <object> & co");
        assert_eq!(error.status(), 404);
        assert_eq!(
            error.to_xml(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code><Message>no &lt;object&gt; &amp; co</Message></Error>"
        );
    }
}
