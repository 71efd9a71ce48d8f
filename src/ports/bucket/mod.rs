//! R2, for small objects and keys. Archives pass through [`crate::ports::container::Container`].

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
    /// When the object was put or completed, in milliseconds since the epoch.
    pub uploaded_at_ms: i64,
    /// Lowercase hexadecimal SHA-256, if R2 checked it at the put. Multipart uploads have none.
    pub sha256: Option<String>,
    /// The custom metadata's entry `name`.
    pub name: Option<String>,
}

/// A small object.
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
    /// Keys with their trailing `/`, in order.
    pub folders: Vec<String>,
    /// Cursor of the next page, if any.
    pub cursor: Option<String>,
}

/// One page of the objects directly under a prefix, in key order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectPage {
    /// Keys and metadata.
    pub objects: Vec<(String, ObjectInfo)>,
    /// Cursor of the next page, if any.
    pub cursor: Option<String>,
}

/// One R2 bucket. All methods fail with `UNAVAILABLE` if R2 does not respond.
#[async_trait(?Send)]
pub trait Bucket {
    /// An object's metadata, if it exists.
    async fn head(&self, key: &str) -> Result<Option<ObjectInfo>>;

    /// Reads an object whole. `TOO_LARGE` above `max_bytes`, without reading.
    async fn get_small(&self, key: &str, max_bytes: u64) -> Result<Option<Vec<u8>>> {
        Ok(self.get_small_tagged(key, max_bytes).await?.map(|object| object.bytes))
    }

    /// Like [`Self::get_small`], with the etag.
    async fn get_small_tagged(&self, key: &str, max_bytes: u64) -> Result<Option<SmallObject>>;

    /// Reads `len_bytes` from `offset`, which is in the object; fewer at its end.
    async fn read_range(&self, key: &str, offset: u64, len_bytes: u64) -> Result<Option<Vec<u8>>>;

    /// Streams an object. If only passed on, its bytes do not enter WebAssembly memory.
    async fn read_stream(&self, key: &str) -> Result<Option<Bytes>>;

    /// Creates a small object. `CONFLICT` if the key exists: the object stays unchanged.
    async fn create_small(&self, key: &str, bytes: Vec<u8>) -> Result<()>;

    /// Replaces a small object. `CONFLICT`, without a change, unless it still has this etag.
    async fn replace_small(&self, key: &str, etag: &str, bytes: Vec<u8>) -> Result<()>;

    /// Deletes an object, if it exists.
    async fn delete(&self, key: &str) -> Result<()>;

    /// Lists the folders directly under `prefix`, in key order, at most `limit` (≤ 1,000).
    async fn list_folders(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<FolderPage>;

    /// Lists the objects directly under `prefix`, in key order, at most `limit` (≤ 1,000). An empty
    /// page need not be the last.
    async fn list_objects(
        &self,
        prefix: &str,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<ObjectPage>;

    /// Aborts a multipart upload, if it exists.
    async fn abort_multipart(&self, key: &str, upload_id: &str) -> Result<()>;
}

/// The Worker's buckets, by binding.
pub trait Buckets {
    /// Opens a bucket. `NOT_CONFIGURED`, naming the binding, if the Worker lacks it.
    fn open(&self, binding: &str) -> Result<Rc<dyn Bucket>>;
}
