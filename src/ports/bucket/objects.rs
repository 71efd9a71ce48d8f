//! Buckets that clients in containers use.

use crate::domain::s3::attributes::{Attributes, StoredObject};
use crate::domain::s3::body::Expected;
use crate::domain::s3::conditions::WriteCondition;
use crate::domain::s3::documents::PartDone;
use crate::domain::s3::error::Result;
use crate::domain::s3::listing::ListPage;
use crate::domain::s3::operation::PartOf;
use crate::domain::s3::range::ByteRange;
use crate::ports::Bytes;
use async_trait::async_trait;
use std::rc::Rc;

/// An object, and the requested part of it.
pub struct FoundObject {
    /// Metadata of the object.
    pub object: StoredObject,
    /// Where the part begins.
    pub offset_bytes: u64,
    /// Length of the part.
    pub length_bytes: u64,
    /// Bytes of the part.
    pub body: Bytes,
}

/// A write of an object.
pub struct Put<'a> {
    /// Length of the body. Another length fails.
    pub length_bytes: u64,
    /// Attributes that are stored with the object.
    pub attributes: &'a Attributes,
    /// MD5, SHA-1 or SHA-256 that the store checks.
    pub expected: Option<&'a Expected>,
    /// Condition for the write.
    pub condition: &'a WriteCondition,
}

/// An object that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// ETag without quotes.
    pub etag: String,
    /// Time of the write, in milliseconds since the epoch.
    pub uploaded_at_ms: i64,
}

/// Selects a part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreList {
    /// Prefix of the listed keys.
    pub prefix: String,
    /// Keys that are equal up to this delimiter after the prefix are listed as one.
    pub delimiter: Option<String>,
    /// Maximum number of keys, 1 to 1,000.
    pub limit: u32,
    /// Cursor from the previous page.
    pub cursor: Option<String>,
    /// List only keys after this one.
    pub start_after: Option<String>,
}

/// One bucket. All methods fail with `ServiceUnavailable` if the store does not answer.
#[async_trait(?Send)]
pub trait ObjectStore {
    /// Whether `put` takes a digest to check.
    fn checks_digests(&self) -> bool;

    /// An object's metadata, if it exists.
    async fn head(&self, key: &str) -> Result<Option<StoredObject>>;

    /// Reads an object or a part of it. `InvalidRange` if the part begins after the end.
    async fn get(&self, key: &str, range: Option<ByteRange>) -> Result<Option<FoundObject>>;

    /// Writes an object. Failures leave the old one, unless the store did not answer. Fails with
    /// `PreconditionFailed` or `BadDigest`.
    async fn put(&self, key: &str, body: Bytes, put: &Put<'_>) -> Result<Written>;

    /// Deletes objects, at most 1,000. Missing ones count as deleted.
    async fn delete(&self, keys: &[String]) -> Result<()>;

    /// Lists keys in order.
    async fn list(&self, list: &StoreList) -> Result<ListPage>;

    /// Begins an upload in parts and returns its id.
    async fn create_upload(&self, key: &str, attributes: &Attributes) -> Result<String>;

    /// Writes a part and returns its `ETag` without quotes. Fails with `NoSuchUpload`.
    async fn upload_part(
        &self,
        key: &str,
        part: &PartOf,
        body: Bytes,
        length_bytes: u64,
    ) -> Result<String>;

    /// Makes the object and returns its `ETag` without quotes. Fails with `NoSuchUpload`,
    /// `InvalidPart` or `EntityTooSmall`.
    async fn complete_upload(
        &self,
        key: &str,
        upload_id: &str,
        parts: &[PartDone],
    ) -> Result<String>;

    /// Drops the parts, if the upload exists.
    async fn abort_upload(&self, key: &str, upload_id: &str) -> Result<()>;
}

/// The Worker's buckets, by binding.
pub trait ObjectStores {
    /// Opens a bucket. `NoSuchBucket` if the operator does not list it, or the Worker lacks it.
    fn open(&self, binding: &str) -> Result<Rc<dyn ObjectStore>>;
}
