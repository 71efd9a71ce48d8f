//! Delete a snapshot.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::{data_key, meta_key};
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::ports::bucket::Bucket;
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

/// How to delete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Also reach snapshots of other sessions.
    pub allow_cross_session: bool,
    /// Also what is pinned or published, and what a workspace would wake from: one
    /// that sleeps or is not saved by itself, or one of another session.
    pub force: bool,
}

parts!(Delete { context: Context, deleter: Deleter });

impl Delete<'_> {
    /// Deletes a snapshot; deleting one of this session's that is gone
    /// succeeds. Workspaces made from it are not touched: what one needs for its
    /// wake is refused unless forced, or unless it runs and is saved by itself
    /// again, which is done at once. Starts no container.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. A
    /// crash after the row leaves it to [`Host::recover`].
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is taken or read, by other
    /// sessions too, and, unless forced, while it is pinned, published or needed
    /// by a workspace.
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        let loaded = self.context.load()?.writable()?;
        loaded.require_snapshots()?;
        match self.context.locate(&loaded, selector, options.allow_cross_session)? {
            Target::Own(snapshot) => {
                // Until the row says that it goes: none of them falls asleep meanwhile.
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

pub(crate) fn being_read(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("snapshot {id} is being read"))
        .with_hint("delete it once the restore, or the save that compares with it, has ended")
}

/// `meta.json` first: without its commit record an archive is invisible, so a
/// crash between the two never leaves a backup that looks whole.
pub(crate) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    bucket.delete(&data_key(id)).await
}
