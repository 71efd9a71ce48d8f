//! Compares archives in a bucket, without a container.

use crate::domain::Result;
use crate::domain::snapshot::chain::{Chain, Part};
use async_trait::async_trait;

/// Reads the trees of archives.
#[async_trait(?Send)]
pub trait Trees {
    /// The first path at which the tree of `archives`, the last on top, differs from that of
    /// `full`. None if they are equal. Fails with `SNAPSHOT_GONE`, `INTEGRITY`, `UNSUPPORTED`,
    /// `TOO_LARGE`, `UNAVAILABLE`, or `RATE_LIMITED` while other calls read too much.
    async fn first_difference(
        &self,
        binding: &str,
        archives: &Chain,
        full: &Part,
    ) -> Result<Option<String>>;
}
