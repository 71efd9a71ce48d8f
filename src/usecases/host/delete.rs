//! Delete a snapshot.

use super::Host;
use super::access::Target;
use crate::domain::backup::{data_key, meta_key};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::BackupId;
use crate::domain::limits::SETTLE_AFTER_MS;
use crate::domain::refs::SnapshotSelector;
use crate::domain::snapshot::SnapshotState;
use crate::ports::bucket::Bucket;
use serde::{Deserialize, Serialize};

/// The answer to a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Deleted {
    /// Always true: deleting what is gone succeeds.
    pub deleted: bool,
}

impl Host {
    /// Deletes a snapshot; deleting one of this session's that is gone
    /// succeeds. Workspaces made from it are not touched. Starts no container.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. A
    /// crash after the row leaves it to [`Host::settle`].
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is taken or a fork reads it.
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Deleted> {
        let known = self.known()?.writable()?;
        match self.locate(&known, selector, allow_cross_session)? {
            Target::Own(snapshot) => self.delete_own(&snapshot.id).await?,
            Target::Foreign(id) => {
                self.cross_to(&known, "delete", selector, &id).await?;
                let bucket = self.ports.buckets.open(&known.config.backup_binding)?;
                delete_objects(bucket.as_ref(), &id).await?;
            }
        }
        Ok(Deleted { deleted: true })
    }

    async fn delete_own(&self, id: &BackupId) -> Result<()> {
        self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
        // No await from this look to the row: a fork that starts now finds
        // `deleting`, one that started before is found here.
        let snapshot = self.require_snapshot(id)?;
        match snapshot.state {
            SnapshotState::Deleted => return Ok(()),
            SnapshotState::Pending => {
                return Err(Error::new(
                    ErrorCode::Conflict,
                    format!("snapshot {id} is still being taken"),
                )
                .with_hint("delete it once the call that takes it has ended"));
            }
            SnapshotState::Ready | SnapshotState::Deleting | SnapshotState::Failed => {}
        }
        if self.catalogue.is_being_read(id)? {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("snapshot {id} is being restored"),
            )
            .with_hint("delete it once the restore has ended"));
        }
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleting)?;
        let _working = self.work_on(id.as_str());
        self.finish_delete(id, &snapshot.binding).await
    }

    /// Deletes the objects of a `deleting` snapshot and leaves its tombstone.
    pub(super) async fn finish_delete(&self, id: &BackupId, binding: &str) -> Result<()> {
        let bucket = self.ports.buckets.open(binding)?;
        delete_objects(bucket.as_ref(), id).await?;
        // No await from here on: of two deletes at once, one writes the event.
        if self.require_snapshot(id)?.state == SnapshotState::Deleted {
            return Ok(());
        }
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleted)?;
        let event = Event::SnapshotDeleted { backup_id: id.clone() };
        self.catalogue.add_event(self.now_ms(), &event)
    }
}

/// `meta.json` first: without its commit record an archive is invisible, so a
/// crash between the two never leaves a backup that looks whole.
pub(super) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    bucket.delete(&data_key(id)).await
}
