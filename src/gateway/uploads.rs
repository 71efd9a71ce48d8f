//! Uploads in parts.

use crate::domain::limits::BUCKET_PUT_MAX_BYTES;
use crate::domain::s3::attributes::{Attributes, quoted};
use crate::domain::s3::body::Payload;
use crate::domain::s3::conditions::check_unconditional;
use crate::domain::s3::documents::completed_parts;
use crate::domain::s3::error::Result;
use crate::domain::s3::operation::{Address, PartOf};
use crate::domain::s3::request::RequestHead;
use crate::domain::s3::xml::Element;
use crate::gateway::answer::Answer;
use crate::gateway::body::{Incoming, document};
use crate::gateway::service::Gateway;
use crate::gateway::write::written;
use crate::ports::Bytes;

impl Gateway {
    pub(super) async fn create_upload(&self, at: &Address, head: &RequestHead) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        let upload_id = store.create_upload(&at.key, &Attributes::of(head)?).await?;
        let result = Element::new("InitiateMultipartUploadResult")
            .text("Bucket", &at.bucket)
            .text("Key", &at.key)
            .text("UploadId", &upload_id);
        Ok(Answer::xml(result.document()))
    }

    pub(super) async fn upload_part(
        &self,
        at: &Address,
        part: &PartOf,
        head: &RequestHead,
        body: &mut Option<Bytes>,
    ) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        // R2 checks no digest of a part.
        let payload = Payload::of(head, false, BUCKET_PUT_MAX_BYTES)?;
        let (body, refused) = Incoming::of(&payload, body).await?.split();
        let etag = store.upload_part(&at.key, part, body, payload.length_bytes).await;
        let etag = etag.map_err(|error| Incoming::explain(&refused, error))?;
        Ok(Answer::empty(200).with(written(head, &etag)))
    }

    pub(super) async fn complete_upload(
        &self,
        at: &Address,
        upload_id: &str,
        head: &RequestHead,
        body: &mut Option<Bytes>,
    ) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        check_unconditional(head)?;
        let parts = completed_parts(&document(self.clock.as_ref(), head, body).await?)?;
        let etag = store.complete_upload(&at.key, upload_id, &parts).await?;
        let result = Element::new("CompleteMultipartUploadResult")
            .text("Bucket", &at.bucket)
            .text("Key", &at.key)
            .text("ETag", &quoted(&etag));
        Ok(Answer::xml(result.document()))
    }

    pub(super) async fn abort_upload(
        &self,
        at: &Address,
        upload_id: &str,
        head: &RequestHead,
    ) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        check_unconditional(head)?;
        store.abort_upload(&at.key, upload_id).await?;
        Ok(Answer::empty(204))
    }
}
