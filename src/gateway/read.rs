//! Reads objects.

use crate::domain::s3::attributes::StoredObject;
use crate::domain::s3::conditions::Conditions;
use crate::domain::s3::error::{Result, S3Error};
use crate::domain::s3::operation::Address;
use crate::domain::s3::range::ByteRange;
use crate::domain::s3::request::RequestHead;
use crate::gateway::answer::{Answer, AnswerBody};
use crate::gateway::service::Gateway;
use crate::ports::bucket::objects::FoundObject;
use std::collections::BTreeMap;

impl Gateway {
    pub(super) async fn get(
        &self,
        at: &Address,
        head: &RequestHead,
        overrides: &BTreeMap<String, String>,
    ) -> Result<Answer> {
        let range = head.header("range").and_then(ByteRange::parse);
        let mut found = self.found(at, range, &Conditions::of(head, "")).await?;
        let FoundObject { object, offset_bytes, length_bytes, .. } = &mut found;
        let (offset, length) = (*offset_bytes, *length_bytes);
        let mut answer = Answer::empty(200).with(object.headers(overrides));
        if range.is_some() {
            answer = answer.partial(offset, length, object.size_bytes);
        }
        answer.body = AnswerBody::Stream(found.body, length);
        Ok(answer)
    }

    pub(super) async fn head(&self, at: &Address, head: &RequestHead) -> Result<Answer> {
        let store = self.readable(&at.bucket, Some(&at.key))?;
        let object = store.head(&at.key).await?.ok_or_else(S3Error::no_such_key)?;
        Conditions::of(head, "").check(&object.etag, object.uploaded_at_ms)?;
        let mut answer = Answer::empty(200).with(object.headers(&BTreeMap::new()));
        let mut length = object.size_bytes;
        if let Some(range) = head.header("range").and_then(ByteRange::parse) {
            let (offset, part) = range.within(length).ok_or_else(S3Error::after_end)?;
            answer = answer.partial(offset, part, length);
            length = part;
        }
        answer.body = AnswerBody::Omitted(length);
        Ok(answer)
    }

    /// An object, if it may be read and its conditions hold.
    pub(super) async fn found(
        &self,
        at: &Address,
        range: Option<ByteRange>,
        conditions: &Conditions,
    ) -> Result<FoundObject> {
        let store = self.readable(&at.bucket, Some(&at.key))?;
        let mut found = store.get(&at.key, range).await?.ok_or_else(S3Error::no_such_key)?;
        let StoredObject { etag, uploaded_at_ms, .. } = &found.object;
        // The checked object must be the one that we read.
        if let Err(error) = conditions.check(etag, *uploaded_at_ms) {
            found.body.cancel().await;
            return Err(error);
        }
        Ok(found)
    }
}
