//! Compares the archives of a snapshot with a full one of the same files.

use crate::domain::limits::{FLATTEN_COMPARED_MAX_BYTES, FLATTEN_COMPARED_MAX_PATHS};
use crate::domain::snapshot::backup::data_key;
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::snapshot::gone;
use crate::domain::{Error, Result};
use crate::ports::trees::Trees;
use crate::ports::{Buckets, Clock};
use crate::session::parts::ArchiveMemory;
use crate::session::parts::snapshots::archives::{source, sources_of};
use crate::squashfs::{LayeredTree, first_difference};
use async_trait::async_trait;
use std::rc::Rc;

/// Reads archives in R2.
pub struct StoredTrees {
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The clock.
    pub clock: Rc<dyn Clock>,
    /// Memory for reading archives.
    pub archives: ArchiveMemory,
}

#[async_trait(?Send)]
impl Trees for StoredTrees {
    async fn first_difference(
        &self,
        binding: &str,
        archives: &Chain,
        full: &Part,
    ) -> Result<Option<String>> {
        let top = archives.parts().last().ok_or_else(|| Error::internal("no archives"))?;
        let _room = self.archives.hold(self.clock.as_ref()).await?;
        let bucket = self.buckets.open(binding)?;
        let cache = self.archives.cache();
        let layered = LayeredTree::open(sources_of(&bucket, binding, &top.id, archives), &cache);
        let layered = layered.await?;
        let key = data_key(&full.id);
        let found = bucket.head(&key).await?;
        let found = found.filter(|found| found.size_bytes == full.size_bytes);
        let found = found.ok_or_else(|| gone(&full.id, "has no full archive"))?;
        // Memory may have blocks of an earlier attempt under the same key.
        let ids = (&full.id, &full.id);
        let full = source(&bucket, binding, ids, key, full.size_bytes, &found.etag);
        let full = LayeredTree::open(vec![full], &cache).await?;
        let (bytes, paths) = (FLATTEN_COMPARED_MAX_BYTES, FLATTEN_COMPARED_MAX_PATHS);
        let path = first_difference(&layered, &full, bytes, paths).await?;
        Ok(path.map(|path| String::from_utf8_lossy(&path).into_owned()))
    }
}
