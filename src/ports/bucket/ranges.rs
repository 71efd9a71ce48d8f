//! Bytes that are read in ranges: of an archive in R2, or of a file in a test.

use crate::domain::Result;
use async_trait::async_trait;

/// Bytes of known size.
#[async_trait(?Send)]
pub trait Ranges {
    /// Number of bytes.
    fn size_bytes(&self) -> u64;

    /// Reads exactly `len_bytes` from `offset`, within the size. `INTEGRITY` if there are fewer.
    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>>;
}
