//! Writes objects.

use crate::domain::limits::BUCKET_PUT_MAX_BYTES;
use crate::domain::s3::attributes::{Attributes, quoted};
use crate::domain::s3::body::Payload;
use crate::domain::s3::checksum::{Algorithm, HEADERS};
use crate::domain::s3::conditions::Conditions;
use crate::domain::s3::error::Result;
use crate::domain::s3::operation::Address;
use crate::domain::s3::request::RequestHead;
use crate::gateway::answer::Answer;
use crate::gateway::body::Incoming;
use crate::gateway::service::Gateway;
use crate::ports::Bytes;
use crate::ports::bucket::objects::Put;

impl Gateway {
    pub(super) async fn put(
        &self,
        at: &Address,
        head: &RequestHead,
        body: &mut Option<Bytes>,
    ) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        let attributes = Attributes::of(head)?;
        let condition = Conditions::of(head, "").for_write()?;
        let payload = Payload::of(head, store.checks_digests(), BUCKET_PUT_MAX_BYTES)?;
        let (body, refused) = Incoming::of(&payload, body).await?.split();
        let put = Put {
            length_bytes: payload.length_bytes,
            attributes: &attributes,
            expected: payload.by_store.as_ref(),
            condition: &condition,
        };
        let stored = store.put(&at.key, body, &put).await;
        let stored = stored.map_err(|error| Incoming::explain(&refused, error))?;
        Ok(Answer::empty(200).with(written(head, &stored.etag)))
    }
}

/// Headers of the answer to a write: its `ETag`, and the digests that were checked.
pub(super) fn written(head: &RequestHead, etag: &str) -> Vec<(String, String)> {
    let digests = HEADERS.into_iter().filter_map(|(name, algorithm)| {
        let value = head.header(name).filter(|_| algorithm != Algorithm::Md5)?;
        Some((name.to_owned(), value.to_owned()))
    });
    std::iter::once(("etag".to_owned(), quoted(etag))).chain(digests).collect()
}
