//! Delete a snapshot.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use crate::domain::{
    BackupId, Error, ErrorCode, Outcome, Result, Snapshot, SnapshotSelector, SnapshotState,
};
use crate::ports::{Level, LogLine};
use crate::session::parts::snapshots::deleter::{Releases, being_read};
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::{Context, Deleter, Flattener, LoadedSession};
use crate::session::{Abort, Session};
use crate::support::backup_objects::delete_objects;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The answer to a delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Deleted {
    /// Always true, even if the snapshot was gone.
    pub deleted: bool,
}

/// Options of a delete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// Also reach snapshots of other sessions.
    pub allow_cross_session: bool,
    /// Also delete a snapshot that is pinned or published, or that a workspace would wake from.
    pub force: bool,
    /// Remove every byte of the snapshot from the bucket. Layers that need its archive become full.
    pub purge: bool,
}

parts!(Delete { context: Context, deleter: Deleter, flattener: Flattener });

impl Session {
    /// Deletes a snapshot. Succeeds if a snapshot of this session is gone. Workspaces made from it
    /// are not touched. If a workspace would wake from it, the delete is refused, unless it is
    /// forced, or the workspace runs and is saved again automatically, which happens at once.
    /// Layers on it keep its archive in the bucket; a purge makes them full, in a clean sandbox.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. After a crash that
    /// follows the row, recovery finishes the delete.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is taken or read, or, unless forced, kept or
    /// needed by a workspace; for a purge, while other snapshots need it; the errors of a flatten.
    pub async fn delete(
        &self,
        selector: &SnapshotSelector,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        let parts = Delete::from(self);
        let loaded = parts.context.load()?.writable()?;
        loaded.require_snapshots()?;
        match parts.context.locate(&loaded, selector, options.allow_cross_session)? {
            Target::Own(snapshot) => {
                if options.purge {
                    parts.free(&loaded, &snapshot, options.force).await?;
                }
                // The locks keep these workspaces awake until the row is `deleting`.
                let _awake = parts.deleter.share_those_on(&snapshot.id, options.force).await?;
                parts.deleter.delete_own(&snapshot.id, options.force).await?;
                if options.purge {
                    parts.deleter.release_now(Releases::Found).await?;
                    parts.check_purged(&snapshot.id)?;
                }
            }
            Target::Foreign(_) if options.purge => {
                return Err(Error::invalid("purge", "must be of a snapshot of this session")
                    .with_hint("have its own session delete it"));
            }
            Target::Foreign(id) => {
                parts.deleter.delete_foreign(&loaded, selector, &id, options.force).await?;
            }
        }
        Ok(Deleted { deleted: true })
    }
}

impl Delete<'_> {
    async fn free(&self, loaded: &LoadedSession, snapshot: &Snapshot, forced: bool) -> Result<()> {
        self.deleter.check_purgeable(snapshot)?;
        if snapshot.state == SnapshotState::Ready {
            self.deleter.check_unkept(snapshot, forced, None)?;
        }
        let sharing = self.context.catalogue.sharing_machine(&snapshot.id)?;
        if !sharing.is_empty() {
            return Err(machine_shared(&snapshot.id, &sharing));
        }
        let standing = self.flattener.standing_on(&snapshot.id)?;
        let lost: Vec<&BackupId> = standing
            .iter()
            .filter(|layer| layer.state == SnapshotState::Lost)
            .map(|layer| &layer.id)
            .collect();
        if !lost.is_empty() {
            return Err(lost_above(&snapshot.id, &lost));
        }
        for layer in &standing {
            self.flattener.flatten(loaded, &layer.id, &Abort::default()).await?;
        }
        Ok(())
    }

    /// A layer on it, or a snapshot that shares its machine, may have begun meanwhile.
    fn check_purged(&self, id: &BackupId) -> Result<()> {
        let row = self.context.require_snapshot(id)?;
        if row.state == SnapshotState::Deleted {
            return Ok(());
        }
        let message = format!(
            "snapshot {id} is deleted for everybody, but its archive stays: a snapshot that was begun meanwhile needs it"
        );
        Err(Error::new(ErrorCode::Conflict, message)
            .with_outcome(Outcome::Committed)
            .with_hint("purge it again, once that snapshot is taken"))
    }
}

fn machine_shared(id: &BackupId, sharing: &[Snapshot]) -> Error {
    let sharing: Vec<&BackupId> = sharing.iter().map(|other| &other.id).collect();
    let message = format!("{} other snapshots share the machine of snapshot {id}", sharing.len());
    Error::new(ErrorCode::Conflict, message)
        .with_hint("purge those snapshots first")
        .with_details(json!({ "sharing": sharing }))
}

fn lost_above(id: &BackupId, lost: &[&BackupId]) -> Error {
    let message = format!(
        "{} layers on snapshot {id} have lost an archive, and may still come back",
        lost.len()
    );
    Error::new(ErrorCode::Conflict, message)
        .with_hint("put their archives back into the bucket, or delete those snapshots first")
        .with_details(json!({ "layers": lost }))
}

impl Deleter {
    /// Deletes a snapshot that this session's catalogue lacks. This session checks its own
    /// workspaces and reads; the owner checks the rest and deletes it. If no catalogue has it, this
    /// session deletes its objects, unless `meta.json` is missing: its own session recovers it.
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

    /// Deletes a snapshot of this session for another one, which may cross. Refuses as this
    /// session's own delete would, except that the asker has checked its own leases to wake from
    /// the snapshot. A closed or read-only session does not refuse: the operator allows crossing.
    ///
    /// # Errors
    /// `CONFLICT` as for this session's own delete; `SNAPSHOT_NOT_OWNED` for another binding.
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
