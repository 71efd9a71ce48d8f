//! Delete a snapshot.

use crate::domain::{
    BackupId, Error, ErrorCode, Outcome, Result, Snapshot, SnapshotSelector, SnapshotState,
};
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::{Context, Deleter, Flattener, LoadedSession};
use crate::session::{Abort, Session};
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
    /// Also delete a pinned or published snapshot, and one that a workspace would
    /// wake from: a workspace that sleeps or has no autosave, or one of another session.
    pub force: bool,
    /// Remove every byte of the snapshot from the bucket. If layers need its archive, they become
    /// full first.
    pub purge: bool,
}

parts!(Delete { context: Context, deleter: Deleter, flattener: Flattener });

impl Session {
    /// Deletes a snapshot. Deleting a snapshot of this session that is gone succeeds. Workspaces
    /// made from it are not touched. If a workspace needs the snapshot to wake, the delete is
    /// refused, unless it is forced, or unless the workspace runs and is saved again automatically,
    /// which happens at once. Starts no container of a workspace.
    ///
    /// Layers on it keep its archive in the bucket, unless it is purged: then they become
    /// full, in a clean sandbox.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. After a crash that
    /// follows the row, recovery finishes the delete.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is being taken, while this or another session
    /// reads it, and, unless forced, while it is pinned, published or needed by a workspace; for a
    /// purge, while lost layers need it, or if another snapshot began to need it meanwhile. The
    /// errors of a flatten.
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
                if options.purge {
                    self.free(&loaded, &snapshot, options.force).await?;
                }
                // The locks keep these workspaces from falling asleep before the row is
                // `deleting`.
                let _awake = self.deleter.share_those_on(&snapshot.id, options.force).await?;
                self.deleter.delete_own(&snapshot.id, options.force).await?;
                if options.purge {
                    self.deleter.release_now().await?;
                    self.check_purged(&snapshot.id)?;
                }
            }
            Target::Foreign(_) if options.purge => {
                return Err(Error::invalid("purge", "must be of a snapshot of this session")
                    .with_hint("have its own session delete it"));
            }
            Target::Foreign(id) => {
                self.deleter.delete_foreign(&loaded, selector, &id, options.force).await?;
            }
        }
        Ok(Deleted { deleted: true })
    }

    /// Makes the snapshots that need the archive of a snapshot full.
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

    /// Fails unless every byte of a purged snapshot is gone: a layer on it, or a snapshot
    /// that shares its machine, may have begun after the others were made full.
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
