//! Tell what the session keeps.

use crate::domain::error::Result;
use crate::domain::session::usage::SessionUsage;
use crate::domain::snapshot::backup::rfc3339;
use crate::session::Host;

impl Host {
    /// Tells what the session keeps, by its catalogue. Asks R2 nothing.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn usage(&self) -> Result<SessionUsage> {
        self.load()?;
        let workspaces = self.catalogue.live_workspaces()?;
        let last_used_ms = workspaces.iter().map(|workspace| workspace.last_used_at_ms).max();
        let sums = self.catalogue.stored()?;
        Ok(SessionUsage {
            session: self.session.clone(),
            snapshots: sums.all,
            automatic: sums.automatic,
            pinned: sums.pinned,
            unfinished_count: self.catalogue.unrecovered_snapshots()?.len() as u64,
            workspace_count: workspaces.len() as u64,
            last_used_at: last_used_ms.map(rfc3339),
        })
    }
}
