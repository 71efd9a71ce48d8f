//! Compares archives in a bucket, without a container.

use crate::domain::Result;
use crate::domain::snapshot::chain::{Chain, Part};
use async_trait::async_trait;

/// Reads the trees of archives.
#[async_trait(?Send)]
pub trait Trees {
    /// The first path at which the tree of `archives`, the last of them on top, differs from the
    /// tree of the full archive `full`. None: they are the same.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE`, `INTEGRITY`, `UNSUPPORTED`; `TOO_LARGE`; `RATE_LIMITED` while other
    /// calls read too much; `UNAVAILABLE`.
    async fn first_difference(
        &self,
        binding: &str,
        archives: &Chain,
        full: &Part,
    ) -> Result<Option<String>>;
}
