//! Delete a snapshot.

use crate::domain::error::Result;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::session::Session;
use crate::session::context::Context;
use crate::session::snapshots::deleter::Deleter;
use crate::session::snapshots::locate::Target;
use serde::{Deserialize, Serialize};

/// The answer to a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Deleted {
    /// Always true: deleting what is gone succeeds.
    pub deleted: bool,
}

/// Options of a delete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Also reach snapshots of other sessions.
    pub allow_cross_session: bool,
    /// Also delete a pinned or published snapshot, and one that a workspace would
    /// wake from: a workspace that sleeps or has no autosave, or one of another session.
    pub force: bool,
}

parts!(Delete { context: Context, deleter: Deleter });

impl Session {
    /// Deletes a snapshot; deleting one of this session's that is gone
    /// succeeds. Workspaces made from it are not touched: what one needs for its
    /// wake is refused unless forced, or unless it runs and is saved by itself
    /// again, which is done at once. Starts no container.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. A
    /// crash after the row leaves it to recovery.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is being taken, while this or
    /// another session reads it, and, unless forced, while it is pinned,
    /// published or needed by a workspace.
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        Delete::from(self).delete(selector, options).await
    }
}

impl Delete<'_> {
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        let loaded = self.context.load()?.writable()?;
        loaded.require_snapshots()?;
        match self.context.locate(&loaded, selector, options.allow_cross_session)? {
            Target::Own(snapshot) => {
                // The locks keep these workspaces from falling asleep before the row is
                // `deleting`.
                let _awake = self.deleter.share_those_on(&snapshot.id, options.force).await?;
                self.deleter.delete_own(&snapshot.id, options.force).await?;
            }
            Target::Foreign(id) => {
                self.deleter.delete_foreign(&loaded, selector, &id, options.force).await?;
            }
        }
        Ok(Deleted { deleted: true })
    }
}
