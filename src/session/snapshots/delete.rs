//! Delete a snapshot.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, SandboxId, SessionId};
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::{data_key, meta_key};
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::domain::workspace::WorkspaceKind;
use crate::ports::bucket::Bucket;
use crate::session::Host;
use crate::session::autosave::schedule::Schedule;
use crate::session::locks::SharedGuard;
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

impl Host {
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
        let loaded = self.load()?.writable()?;
        loaded.require_snapshots()?;
        match self.locate(&loaded, selector, options.allow_cross_session)? {
            Target::Own(snapshot) => {
                // Until the row says that it goes: none of them falls asleep meanwhile.
                let _awake = self.share_those_on(&snapshot.id, options.force).await?;
                self.delete_own(&snapshot.id, options.force).await?;
            }
            Target::Foreign(id) => {
                self.delete_foreign(&loaded, selector, &id, options.force).await?;
            }
        }
        Ok(Deleted { deleted: true })
    }

    /// Locks, shared, each workspace of this session that would wake from this
    /// snapshot. None if the delete is forced.
    ///
    /// # Errors
    /// `CONFLICT` where one has no running container, or is not saved by itself.
    pub(crate) async fn share_those_on(
        &self,
        id: &BackupId,
        forced: bool,
    ) -> Result<Vec<SharedGuard>> {
        let mut shared = Vec::new();
        if forced {
            return Ok(shared);
        }
        let config = self.load()?.config;
        let (autosaves, saved_dirs) = (Schedule::of(&config).is_some(), config.saved_dirs);
        for workspace in self.catalogue.live_workspaces()? {
            if self.catalogue.layers(&workspace.sandbox_id)?.find(id).is_none() {
                continue;
            }
            shared.push(self.locks.shared(&workspace.sandbox_id).await);
            let Some(workspace) = self.catalogue.workspace(&workspace.sandbox_id)? else {
                continue;
            };
            let sandbox = self.ports.sandboxes.get(&workspace.sandbox_id)?;
            let disk = sandbox.disk().await?;
            let runs = disk.is_some() && disk == workspace.instance_id;
            // What is paused is about to lose a container that it still has.
            let stays = runs && workspace.paused_at_ms.is_none();
            let spares_it = stays && (autosaves || workspace.kind == WorkspaceKind::Shared);
            let layers = self.catalogue.layers(&workspace.sandbox_id)?;
            let Some(layer) = layers.find(id) else { continue };
            // What no automatic snapshot would hold is not saved anew.
            if !spares_it || !saved_dirs.hold(&layer.dir) {
                return Err(needed(id, &workspace.sandbox_id, autosaves));
            }
        }
        Ok(shared)
    }

    pub(crate) async fn delete_own(&self, id: &BackupId, forced: bool) -> Result<()> {
        self.delete_row(id, forced, None).await
    }

    /// The same for another session, `asker`: its own leases to wake from it don't count.
    pub(crate) async fn delete_row(
        &self,
        id: &BackupId,
        forced: bool,
        asker: Option<&SessionId>,
    ) -> Result<()> {
        self.ports.alarm.schedule_by(self.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from this look to the row: a restore that starts now finds
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
        if self.is_being_read(id)? {
            return Err(being_read(id));
        }
        if snapshot.state == SnapshotState::Ready {
            self.check_unlent(id, forced, asker)?;
            // Once expired it can't be claimed any more.
            let claimable = snapshot.published && snapshot.restorable(self.now_ms()).is_ok();
            if !forced && (snapshot.pinned || claimable) {
                return Err(kept(&snapshot));
            }
        }
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleting, self.now_ms())?;
        let _working = self.work_on(id.as_str());
        self.forget_head(id).await?;
        self.finish_delete(id, &snapshot.binding).await
    }

    /// No workspace wakes from this snapshot any more; what runs is saved at once.
    pub(crate) async fn forget_head(&self, id: &BackupId) -> Result<()> {
        if !self.catalogue.heads()?.contains(id) {
            return Ok(());
        }
        self.catalogue.forget_head(id)?;
        self.ports.alarm.schedule_by(self.now_ms()).await
    }

    /// Deletes the objects of a `deleting` snapshot and leaves its tombstone.
    pub(crate) async fn finish_delete(&self, id: &BackupId, binding: &str) -> Result<()> {
        let bucket = self.ports.buckets.open(binding)?;
        delete_objects(bucket.as_ref(), id).await?;
        // No await from here on: of two deletes at once, one writes the event.
        if self.require_snapshot(id)?.state == SnapshotState::Deleted {
            return Ok(());
        }
        self.catalogue.set_snapshot_state(id, SnapshotState::Deleted, self.now_ms())?;
        self.catalogue.forget_retry(id.as_str())?;
        let event = Event::SnapshotDeleted { backup_id: id.clone() };
        self.catalogue.add_event(self.now_ms(), &event)
    }
}

pub(crate) fn being_read(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("snapshot {id} is being read"))
        .with_hint("delete it once the restore, or the save that compares with it, has ended")
}

fn kept(snapshot: &Snapshot) -> Error {
    let (is, takes_it_back) = if snapshot.pinned {
        ("pinned", "pinned: false")
    } else {
        ("published: other sessions may start from it", "published: false")
    };
    Error::new(ErrorCode::Conflict, format!("snapshot {} is {is}", snapshot.id)).with_hint(format!(
        "update it with {takes_it_back} first, or delete it with force: true, which also deletes what a workspace would wake from"
    ))
}

fn needed(id: &BackupId, workspace: &SandboxId, autosaves: bool) -> Error {
    Error::new(
        ErrorCode::Conflict,
        format!("snapshot {id} is all that workspace {workspace} would wake from"),
    )
    // A snapshot of unchanged files would be this very one.
    .with_hint(if autosaves {
        "use that workspace (or resume it) and call again while it runs: it is saved anew then; or destroy it; force: true deletes the snapshot all the same, and the workspace then begins anew"
    } else {
        "snapshot that workspace once its files have changed, or destroy it; force: true deletes the snapshot all the same, and the workspace then begins anew when its container stops"
    })
}

/// `meta.json` first: without its commit record an archive is invisible, so a
/// crash between the two never leaves a backup that looks whole.
pub(crate) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    bucket.delete(&data_key(id)).await
}
