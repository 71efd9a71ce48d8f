//! Delete a snapshot.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::session::Session;
use crate::session::context::Context;
use crate::session::loaded_session::LoadedSession;
use crate::session::snapshots::deleter::Deleter;
use crate::session::snapshots::flattener::Flattener;
use crate::session::snapshots::locate::Target;
use crate::session::workspaces::ready::Workspaces;
use serde::{Deserialize, Serialize};
use serde_json::json;

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
    /// Leave no byte of it in the bucket: if layers need its archive, first make them full.
    pub purge: bool,
}

parts!(Delete { context: Context, deleter: Deleter, flattener: Flattener, workspaces: Workspaces });

impl Session {
    /// Deletes a snapshot; deleting one of this session's that is gone
    /// succeeds. Workspaces made from it are not touched: what one needs for its
    /// wake is refused unless forced, or unless it runs and is saved by itself
    /// again, which is done at once. Starts no container.
    ///
    /// Layers on it keep its archive in the bucket, unless it is purged: then they become
    /// full, for which the active workspace must run.
    ///
    /// Order: alarm, `deleting` row, `meta.json`, archive, `deleted` row. A
    /// crash after the row leaves it to recovery.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `CONFLICT` while it is being taken, while this or
    /// another session reads it, and, unless forced, while it is pinned,
    /// published or needed by a workspace; for a purge, while layers need it and the active
    /// workspace does not run. Those of a flatten.
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

    /// Makes full what needs the archive of a snapshot.
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
        if standing.is_empty() {
            return Ok(());
        }
        let Some(active) = self.workspaces.running(loaded, None).await? else {
            return Err(stood_on(&snapshot.id, &standing));
        };
        for layer in standing {
            self.flattener.flatten(&active, &layer.id).await?;
        }
        Ok(())
    }
}

fn machine_shared(id: &BackupId, sharing: &[Snapshot]) -> Error {
    let sharing: Vec<&BackupId> = sharing.iter().map(|other| &other.id).collect();
    let message = format!("{} other snapshots share the machine of snapshot {id}", sharing.len());
    Error::new(ErrorCode::Conflict, message)
        .with_hint("purge those snapshots first")
        .with_details(json!({ "sharing": sharing }))
}

fn stood_on(id: &BackupId, standing: &[Snapshot]) -> Error {
    let layers: Vec<&BackupId> = standing.iter().map(|layer| &layer.id).collect();
    let message = format!(
        "snapshot {id} has the files of {} layers on it, and no container runs to archive them whole",
        layers.len()
    );
    Error::new(ErrorCode::Conflict, message)
        .with_hint(
            "run a command in the active workspace and call again, or delete those snapshots first",
        )
        .with_details(json!({ "layers": layers }))
}
