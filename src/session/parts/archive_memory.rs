//! Memory for reading archives, shared by the sessions of an isolate.

use crate::domain::Result;
use crate::domain::limits::{
    ARCHIVE_CACHE_BYTES, ARCHIVE_CALL_BYTES, ARCHIVE_CALLS_BYTES, BUDGET_WAIT_MS,
};
use crate::ports::Clock;
use crate::squashfs::Cache;
use crate::support::budget::{Budget, Held};
use std::rc::Rc;

/// A cache of blocks, and room for the calls that read them.
#[derive(Clone)]
pub struct ArchiveMemory {
    cache: Rc<Cache>,
    calls: Budget,
}

impl Default for ArchiveMemory {
    fn default() -> Self {
        Self {
            cache: Rc::new(Cache::new(ARCHIVE_CACHE_BYTES)),
            calls: Budget::new(ARCHIVE_CALLS_BYTES),
        }
    }
}

impl ArchiveMemory {
    pub(crate) fn cache(&self) -> Rc<Cache> {
        self.cache.clone()
    }

    pub(crate) async fn hold(&self, clock: &dyn Clock) -> Result<Held> {
        self.calls.hold_within(ARCHIVE_CALL_BYTES, clock, BUDGET_WAIT_MS).await
    }
}
