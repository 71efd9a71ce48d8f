//! Delete a snapshot across sessions: its owner decides and deletes.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::snapshot::deletion::{OwnDelete, OwnDeleted};
use crate::domain::{BackupId, Result, SnapshotSelector, SnapshotState};
use crate::ports::{Level, LogLine};
use crate::session::parts::snapshots::deleter::being_read;
use crate::session::parts::{Deleter, LoadedSession};
use crate::support::backup_objects::delete_objects;
use serde_json::json;

impl Deleter {
    /// Deletes a snapshot that this session's catalogue does not have. This
    /// session checks its own workspaces and reads; the owner checks the rest
    /// and deletes it. If no catalogue has it, this session deletes its objects.
    ///
    /// Leaves a backup without `meta.json` alone: its session recovers it, or an
    /// operator's prune removes it.
    ///
    /// # Errors
    /// As a delete by its own session; the owner's errors; `UNAVAILABLE`, `INTERRUPTED`.
    pub(crate) async fn delete_foreign(
        &self,
        known: &LoadedSession,
        selector: &SnapshotSelector,
        id: &BackupId,
        force: bool,
    ) -> Result<()> {
        let Some(meta) = self.context.cross_to(known, "delete", selector, id).await? else {
            // A backup of the SDK: one object that no catalogue has and no workspace needs.
            if self
                .context
                .find_sdk_backup(&known.config.backup_binding, selector, id)
                .await?
                .is_some()
            {
                let bucket = self.context.ports.buckets.open(&known.config.backup_binding)?;
                bucket.delete(&self.context.sdk_key(id)).await?;
            }
            return Ok(());
        };
        let _awake = self.share_those_on(id, force).await?;
        // If we crash after the delete, the alarm rechecks running workspaces.
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        if self.in_flight.is_being_read(id)? {
            return Err(being_read(id));
        }
        let binding = &known.config.backup_binding;
        // If this session's own object has lost the row, no session keeps the snapshot.
        let owner = meta.snapshotter.map(|ours| ours.session_id);
        let deleted = match owner.filter(|owner| *owner != self.context.session) {
            Some(owner) => {
                let request = OwnDelete {
                    backup_id: id.clone(),
                    binding: binding.clone(),
                    asker: self.context.session.clone(),
                    force,
                };
                self.context.ports.sessions.delete(&owner, request).await?.known
            }
            None => false,
        };
        if !deleted {
            delete_objects(self.context.ports.buckets.open(binding)?.as_ref(), id).await?;
        }
        self.forget_head(id).await
    }

    /// Deletes a snapshot of this session for another session, which may cross. What refuses this
    /// session's own delete refuses this one, too, except the asker's own leases to wake from the
    /// snapshot, which the asker has checked. A closed or read-only session is no reason to refuse:
    /// crossing is the operator's decision.
    ///
    /// # Errors
    /// `CONFLICT` as for a delete by its own session; `SNAPSHOT_NOT_OWNED` for a snapshot that is
    /// kept by another binding.
    pub async fn delete_for(&self, request: &OwnDelete) -> Result<OwnDeleted> {
        let OwnDelete { backup_id: id, binding, asker, force } = request;
        let Some(row) = self.context.catalogue.snapshot(id)? else {
            return Ok(OwnDeleted { known: false });
        };
        if row.binding != *binding {
            return Err(not_owned_snapshot());
        }
        if matches!(row.state, SnapshotState::Deleted | SnapshotState::Failed) {
            // By the row, R2 has no objects of this snapshot; someone else put them there.
            return Ok(OwnDeleted { known: false });
        }
        let _awake = self.share_those_on(id, *force).await?;
        self.delete_row(id, *force, Some(asker)).await?;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "snapshot.deleted_across",
            json!({ "session": self.context.session, "backupId": id, "asker": asker, "force": force }),
        ));
        Ok(OwnDeleted { known: true })
    }
}
