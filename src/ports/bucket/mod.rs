//! R2, for small objects and keys. Archives pass through the transfers of
//! [`crate::ports::container::Container`], never through here.

pub mod objects;
pub mod ranges;
pub mod service;

use crate::domain::Result;
use crate::ports::Bytes;
use async_trait::async_trait;
use std::rc::Rc;

/// Metadata of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Size in bytes.
    pub size_bytes: u64,
    /// ETag, for conditional writes.
    pub etag: String,
    /// When the object was put, or its multipart upload completed, in milliseconds since the epoch.
    pub uploaded_at_ms: i64,
    /// SHA-256 in lowercase hexadecimal, if R2 checked it at the put. Objects of multipart uploads
    /// have none.
    pub sha256: Option<String>,
    /// The entry `name` of the object's custom metadata.
    pub name: Option<String>,
}

/// A small object, read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallObject {
    /// Content of the object.
    pub bytes: Vec<u8>,
    /// ETag, for conditional writes.
    pub etag: String,
}

/// One page of the folders directly under a prefix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FolderPage {
    /// Keys of the folders, each with its trailing `/`, in key order.
    pub folders: Vec<String>,
    /// Cursor of the next page, if there is one.
    pub cursor: Option<String>,
}

/// One page of the objects directly under a prefix, in key order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectPage {
    /// Keys and metadata.
    pub objects: Vec<(String, ObjectInfo)>,
    /// Cursor of the next page, if there is one.
    pub cursor: Option<String>,
}

/// One R2 bucket. If R2 does not respond, every method fails with
/// `UNAVAILABLE`.
#[async_trait(?Send)]
pub trait Bucket {
    /// Reads the metadata of an object, if it exists.
    async fn head(&self, key: &str) -> Result<Option<ObjectInfo>>;

    /// Reads a small object whole.
    ///
    /// # Errors
    /// `TOO_LARGE` if the object is larger than `max_bytes`; nothing is read then.
    async fn get_small(&self, key: &str, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        Ok(self.get_small_tagged(key, max_bytes).await?.map(|object| object.bytes))
    }

    /// Reads a small object whole, with its etag.
    ///
    /// # Errors
    /// `TOO_LARGE` if the object is larger than `max_bytes`; nothing is read then.
    async fn get_small_tagged(&self, key: &str, max_bytes: u64) -> Result<Option<SmallObject>>;

    /// Reads `len_bytes` of an object from `offset` on, if the object exists; fewer bytes at its
    /// end. `offset` must lie within the object.
    async fn read_range(&self, key: &str, offset: u64, len_bytes: u64) -> Result<Option<Vec<u8>>>;

    /// Streams an object, if it exists. Its bytes do not enter WebAssembly memory if they are
    /// only passed on.
    async fn read_stream(&self, key: &str) -> Result<Option<Bytes>>;

    /// Creates a small object.
    ///
    /// # Errors
    /// `CONFLICT` if the key exists; the object stays unchanged.
    async fn create_small(&self, key: &str, bytes: Vec<u8>) -> Result<()>;

    /// Replaces a small object if it still has this etag.
    ///
    /// # Errors
    /// `CONFLICT` if its etag differs or it is gone; the bucket stays unchanged.
    async fn replace_small(&self, key: &str, etag: &str, bytes: Vec<u8>) -> Result<()>;

    /// Deletes an object. Deleting a missing object succeeds.
    async fn delete(&self, key: &str) -> Result<()>;

    /// Lists the folders directly under `prefix`, in key order, at most `limit` (≤ 1,000).
    async fn list_folders(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<FolderPage>;

    /// Lists the objects directly under `prefix`, in key order, at most `limit` (≤ 1,000). A
    /// page may be empty without being the last.
    async fn list_objects(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<ObjectPage>;

    /// Aborts a multipart upload. An upload that is gone counts as aborted.
    async fn abort_multipart(&self, key: &str, upload_id: &str) -> Result<()>;
}

/// The Worker's buckets by binding name.
pub trait Buckets {
    /// Opens a bucket.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` with the binding's name if the Worker lacks it.
    fn open(&self, binding: &str) -> Result<Rc<dyn Bucket>>;
}
