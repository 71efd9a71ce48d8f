//! Memory for reading archives, shared by the sessions of an isolate.

use crate::domain::Result;
use crate::domain::limits::{
    ARCHIVE_CACHE_BYTES, ARCHIVE_CALL_BYTES, ARCHIVE_CALLS_BYTES, BUDGET_WAIT_MS,
};
use crate::ports::Clock;
use crate::squashfs::Cache;
use crate::support::budget::{Budget, Held};
use crate::tar_zst::TarMemory;
use std::rc::Rc;

/// A cache of blocks, room for the calls that read them, and the kept parts of tar archives.
#[derive(Clone)]
pub struct ArchiveMemory {
    cache: Rc<Cache>,
    calls: Budget,
    tars: TarMemory,
}

impl Default for ArchiveMemory {
    fn default() -> Self {
        Self {
            cache: Rc::new(Cache::new(ARCHIVE_CACHE_BYTES)),
            calls: Budget::new(ARCHIVE_CALLS_BYTES),
            tars: TarMemory::default(),
        }
    }
}

impl ArchiveMemory {
    pub(crate) fn cache(&self) -> Rc<Cache> {
        self.cache.clone()
    }

    pub(crate) const fn tars(&self) -> &TarMemory {
        &self.tars
    }

    /// Waits until there is room for one call.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) async fn hold(&self, clock: &dyn Clock) -> Result<Held> {
        self.calls.hold_within(ARCHIVE_CALL_BYTES, clock, BUDGET_WAIT_MS).await
    }
}
