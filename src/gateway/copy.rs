//! Copies objects. R2's binding can't copy, so the bytes pass through the Worker, from stream to
//! stream.

use crate::domain::limits::BUCKET_PUT_MAX_BYTES;
use crate::domain::s3::attributes::{Attributes, quoted};
use crate::domain::s3::conditions::{Conditions, precondition_failed};
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::operation::{Address, PartOf};
use crate::domain::s3::range::ByteRange;
use crate::domain::s3::request::RequestHead;
use crate::domain::s3::xml::Element;
use crate::domain::time::rfc3339;
use crate::gateway::answer::Answer;
use crate::gateway::service::Gateway;
use crate::ports::bucket::objects::{FoundObject, Put};

impl Gateway {
    pub(super) async fn copy(
        &self,
        to: &Address,
        from: &Address,
        head: &RequestHead,
    ) -> Result<Answer> {
        let store = self.writable(&to.bucket, &to.key)?;
        let own = Attributes::of(head)?;
        let condition = Conditions::of(head, "").for_write()?;
        let replaces = match head.header("x-amz-metadata-directive") {
            None | Some("COPY") => false,
            Some("REPLACE") => true,
            Some(_) => {
                let message = "x-amz-metadata-directive must be COPY or REPLACE";
                return Err(S3Error::new(Code::InvalidArgument, message));
            }
        };
        if from == to && !replaces {
            let message = "a copy to itself must replace the metadata";
            return Err(S3Error::new(Code::InvalidRequest, message));
        }
        let found = self.source(from, None, head).await?;
        let attributes = if replaces { &own } else { &found.object.attributes };
        let put = Put {
            length_bytes: found.length_bytes,
            attributes,
            expected: None,
            condition: &condition,
        };
        let stored = store.put(&to.key, found.body, &put).await?;
        let result = Element::new("CopyObjectResult")
            .text("LastModified", &rfc3339(stored.uploaded_at_ms))
            .text("ETag", &quoted(&stored.etag));
        Ok(Answer::xml(result.document()))
    }

    pub(super) async fn copy_part(
        &self,
        to: &Address,
        part: &PartOf,
        from: &Address,
        head: &RequestHead,
    ) -> Result<Answer> {
        let store = self.writable(&to.bucket, &to.key)?;
        let range = match head.header("x-amz-copy-source-range") {
            None => None,
            Some(text) => Some(ByteRange::parse(text).ok_or_else(|| {
                S3Error::new(Code::InvalidArgument, "x-amz-copy-source-range is not a range")
            })?),
        };
        let found = self.source(from, range, head).await?;
        let length_bytes = found.length_bytes;
        let etag = store.upload_part(&to.key, part, found.body, length_bytes).await?;
        let result = Element::new("CopyPartResult")
            .text("LastModified", &rfc3339(self.clock.now_ms()))
            .text("ETag", &quoted(&etag));
        Ok(Answer::xml(result.document()))
    }

    /// The source object, if it is not too large.
    async fn source(
        &self,
        from: &Address,
        range: Option<ByteRange>,
        head: &RequestHead,
    ) -> Result<FoundObject> {
        let conditions = Conditions::of(head, "x-amz-copy-source-");
        let found = self.found(from, range, &conditions).await;
        let mut found = found.map_err(|error| match error.code {
            // An answer to a write can't have this status.
            Code::NotModified => precondition_failed(),
            _ => error,
        })?;
        if found.length_bytes > BUCKET_PUT_MAX_BYTES {
            found.body.cancel().await;
            let message = format!("a copy has at most {BUCKET_PUT_MAX_BYTES} bytes: copy in parts");
            return Err(S3Error::new(Code::EntityTooLarge, message));
        }
        Ok(found)
    }
}
