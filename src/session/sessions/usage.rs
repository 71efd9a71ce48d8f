//! Report the session's storage usage.

use crate::domain::time::rfc3339;
use crate::domain::{Result, SessionUsage};
use crate::session::Session;
use crate::session::parts::Context;

parts!(UsageOf { context: Context });

impl Session {
    /// Reports what the session stores, from its catalogue. Does not ask R2.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn usage(&self) -> Result<SessionUsage> {
        UsageOf::from(self).usage()
    }
}

impl UsageOf<'_> {
    pub fn usage(&self) -> Result<SessionUsage> {
        self.context.load()?;
        let workspaces = self.context.catalogue.live_workspaces()?;
        let last_used_ms = workspaces.iter().map(|workspace| workspace.last_used_at_ms).max();
        let sums = self.context.catalogue.stored()?;
        Ok(SessionUsage {
            session: self.context.session.clone(),
            snapshots: sums.all,
            automatic: sums.automatic,
            pinned: sums.pinned,
            held: self.context.catalogue.held()?,
            unfinished_count: self.context.catalogue.unrecovered_snapshots()?.len() as u64,
            workspace_count: workspaces.len() as u64,
            last_used_at: last_used_ms.map(rfc3339),
        })
    }
}
