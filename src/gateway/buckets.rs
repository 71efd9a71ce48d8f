//! The buckets themselves, and lists of their objects.

use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::listing::{ListPage, ListRequest};
use crate::domain::s3::xml::Element;
use crate::gateway::answer::Answer;
use crate::gateway::service::Gateway;
use crate::ports::bucket::objects::StoreList;

impl Gateway {
    pub(super) fn list_buckets(&self) -> Answer {
        let buckets = self.scope.buckets().into_iter().map(|name| {
            // R2's binding does not say when a bucket was made, but clients need a time.
            Element::new("Bucket").text("Name", name).text("CreationDate", "2022-01-01T00:00:00Z")
        });
        let owner = Element::new("Owner").text("ID", "session").text("DisplayName", "session");
        let all = Element::new("ListAllMyBucketsResult").child(owner);
        Answer::xml(all.child(Element::new("Buckets").children(buckets)).document())
    }

    /// Answers clients that make sure of a bucket before they write to it.
    pub(super) fn create_bucket(&self, bucket: &str) -> Result<Answer> {
        let (code, message) = match self.scope.check_bucket(bucket) {
            Ok(()) => (Code::BucketAlreadyOwnedByYou, "the bucket already exists"),
            Err(_) => (Code::AccessDenied, "buckets can't be created here"),
        };
        Err(S3Error::new(code, message))
    }

    pub(super) fn location(&self, bucket: &str) -> Result<Answer> {
        self.readable(bucket, None)?;
        Ok(Answer::xml(Element::new("LocationConstraint").document()))
    }

    pub(super) fn versioning(&self, bucket: &str) -> Result<Answer> {
        self.readable(bucket, None)?;
        Ok(Answer::xml(Element::new("VersioningConfiguration").document()))
    }

    pub(super) async fn list(&self, bucket: &str, list: &ListRequest) -> Result<Answer> {
        let store = self.readable(bucket, Some(&list.prefix))?;
        if list.max_keys == 0 {
            return Ok(Answer::xml(list.answer(bucket, &ListPage::default())));
        }
        let asked = StoreList {
            prefix: list.prefix.clone(),
            delimiter: list.delimiter.clone(),
            limit: list.max_keys,
            cursor: list.token.clone(),
            start_after: list.start_after(),
        };
        let mut page = store.list(&asked).await?;
        // The client sends the cursor: whatever it contains, show only keys with the prefix.
        page.objects.retain(|object| object.key.starts_with(&list.prefix));
        page.prefixes.retain(|prefix| prefix.starts_with(&list.prefix));
        Ok(Answer::xml(list.answer(bucket, &page)))
    }
}
