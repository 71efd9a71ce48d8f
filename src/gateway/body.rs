//! Request bodies that are checked while they pass.

use crate::domain::Error;
use crate::domain::limits::{
    BUCKET_DOCUMENT_MAX_BYTES, BUCKET_DOCUMENT_WAIT_MS, BUCKET_DRAINED_MAX_BYTES,
};
use crate::domain::s3::body::{Payload, Reader};
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::request::RequestHead;
use crate::ports::{ByteStream, Bytes, Clock};
use async_trait::async_trait;
use futures::future::{Either, select};
use std::any::Any;
use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;

pub(super) struct Incoming {
    pub(super) body: Bytes,
    /// Why the body broke off, if we broke it off.
    refused: Rc<RefCell<Option<S3Error>>>,
}

impl Incoming {
    /// The body passes unread if nothing in it has to be checked.
    pub(super) async fn of(payload: &Payload, body: &mut Option<Bytes>) -> Result<Self> {
        let refused = Rc::<RefCell<Option<S3Error>>>::default();
        if payload.length_bytes == 0 {
            // A store may accept an empty body before it has seen its end, so we read it first.
            read_whole(payload, body).await?;
            return Ok(Self { body: Box::new(Empty), refused });
        }
        let body = body.take().ok_or_else(|| {
            S3Error::new(Code::IncompleteBody, "the body is shorter than declared")
        })?;
        if !payload.is_read() {
            return Ok(Self { body, refused });
        }
        let reader = payload.reader();
        let checked = Checked { body, reader: Some(reader), refused: refused.clone() };
        Ok(Self { body: Box::new(checked), refused })
    }

    /// The reason why a store's write failed: our own reason if we broke off the body.
    pub(super) fn explain(refused: &RefCell<Option<S3Error>>, error: S3Error) -> S3Error {
        refused.borrow_mut().take().unwrap_or(error)
    }

    /// The body, and the reason for [`Self::explain`].
    pub(super) fn split(self) -> (Bytes, Rc<RefCell<Option<S3Error>>>) {
        (self.body, self.refused)
    }
}

/// Reads the rest of a refused request, so that it is not taken for the connection's next request.
/// Gives up on a long body, which breaks the connection.
pub(super) async fn drain(body: &mut Bytes) {
    let mut left = BUCKET_DRAINED_MAX_BYTES;
    while let Ok(Some(bytes)) = body.next().await {
        left = left.saturating_sub(bytes.len());
        if left == 0 {
            return body.cancel().await;
        }
    }
}

/// The length, framing and digests of a document in a request's body.
pub(super) fn document_of(head: &RequestHead) -> Result<Payload> {
    Payload::of(head, false, BUCKET_DOCUMENT_MAX_BYTES)
}

pub(super) async fn document(
    clock: &dyn Clock,
    head: &RequestHead,
    body: &mut Option<Bytes>,
) -> Result<Vec<u8>> {
    let payload = document_of(head)?;
    let in_time = clock.sleep_ms(BUCKET_DOCUMENT_WAIT_MS);
    if let Either::Left((read, _)) = select(pin!(read_whole(&payload, body)), in_time).await {
        return read;
    }
    if let Some(mut stalled) = body.take() {
        stalled.cancel().await;
    }
    Err(S3Error::new(Code::RequestTimeout, "the body did not arrive in time"))
}

async fn read_whole(payload: &Payload, body: &mut Option<Bytes>) -> Result<Vec<u8>> {
    let (mut reader, mut whole) = (payload.reader(), Vec::new());
    if let Some(body) = body {
        while let Some(bytes) = body.next().await.map_err(broken_off)? {
            whole.extend(reader.take(bytes)?);
        }
    }
    whole.extend(reader.finish()?);
    Ok(whole)
}

fn broken_off(error: Error) -> S3Error {
    S3Error::new(Code::IncompleteBody, "the body broke off").with_cause(error.to_string())
}

pub(super) struct Empty;

#[async_trait(?Send)]
impl ByteStream for Empty {
    async fn next(&mut self) -> crate::domain::error::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    async fn cancel(&mut self) {}

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

/// A body that is checked while it passes.
struct Checked {
    body: Bytes,
    /// None once the whole body has passed.
    reader: Option<Reader>,
    refused: Rc<RefCell<Option<S3Error>>>,
}

impl Checked {
    fn refuse<T>(&mut self, error: S3Error) -> crate::domain::error::Result<T> {
        self.reader = None;
        let message = error.message.clone();
        *self.refused.borrow_mut() = Some(error);
        Err(Error::invalid("body", message))
    }
}

#[async_trait(?Send)]
impl ByteStream for Checked {
    async fn next(&mut self) -> crate::domain::error::Result<Option<Vec<u8>>> {
        loop {
            let Some(reader) = &mut self.reader else { return Ok(None) };
            let taken = match self.body.next().await {
                Ok(Some(bytes)) => reader.take(bytes),
                Ok(None) => {
                    let rest = reader.finish();
                    self.reader = None;
                    return match rest {
                        Ok(rest) => Ok((!rest.is_empty()).then_some(rest)),
                        Err(error) => self.refuse(error),
                    };
                }
                Err(error) => Err(broken_off(error)),
            };
            match taken {
                Ok(content) if content.is_empty() => {}
                Ok(content) => return Ok(Some(content)),
                Err(error) => return self.refuse(error),
            }
        }
    }

    async fn cancel(&mut self) {
        self.reader = None;
        drain(&mut self.body).await;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
