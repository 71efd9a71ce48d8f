//! Delete snapshots, for any reason.

use crate::domain::limits::{REBUILT_KEPT_MS, RECOVER_AFTER_MS};
use crate::domain::time::rfc3339;
use crate::domain::{
    BackupId, DeleteReason, Error, ErrorCode, Event, Result, SandboxId, SessionId, Snapshot,
    SnapshotState, WorkspaceKind,
};
use crate::session::parts::snapshots::store::record::record_of;
use crate::session::parts::{
    Context, InFlight, Leases, Schedule, SharedGuard, SnapshotStore, WorkspaceLocks,
};
use crate::support::backup_objects::{delete_objects, hide_objects};
use std::rc::Rc;

/// Which released archives to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Releases {
    /// Those on which all layers have been found.
    Found,
    /// All: the layers go, too.
    All,
}

pub(crate) fn being_read(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("snapshot {id} is being read"))
        .with_hint("delete it once the restore, or the save that compares with it, has ended")
}

/// Deletes snapshots that no workspace, lease or restore needs.
pub struct Deleter {
    pub(crate) context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    pub(crate) in_flight: Rc<InFlight>,
    leases: Rc<Leases>,
    store: Rc<SnapshotStore>,
}

impl Deleter {
    pub(crate) fn new(
        context: Rc<Context>,
        locks: Rc<WorkspaceLocks>,
        in_flight: Rc<InFlight>,
        leases: Rc<Leases>,
        store: Rc<SnapshotStore>,
    ) -> Self {
        Self { context, locks, in_flight, leases, store }
    }

    pub(crate) async fn prune(
        &self,
        id: &BackupId,
        reason: DeleteReason,
        size_bytes: u64,
    ) -> Result<()> {
        let binding = self.context.require_snapshot(id)?.binding;
        self.context.catalogue.set_snapshot_state(
            id,
            SnapshotState::Deleting,
            self.context.now_ms(),
        )?;
        let event = Event::SnapshotPruned { backup_id: id.clone(), reason, size_bytes };
        self.context.catalogue.add_event(self.context.now_ms(), &event)?;
        let _working = self.in_flight.work_on(id.as_str());
        self.finish_delete(id, &binding).await
    }

    /// Unless `forced`, takes shared locks on the workspaces that would wake from the snapshot.
    /// `CONFLICT` if one has no running container or no autosave.
    pub(crate) async fn share_those_on(
        &self,
        id: &BackupId,
        forced: bool,
    ) -> Result<Vec<SharedGuard>> {
        let mut shared = Vec::new();
        if forced {
            return Ok(shared);
        }
        let config = self.context.load()?.config;
        let (autosaves, saved_dirs) = (Schedule::of(&config).is_some(), config.saved_dirs);
        for workspace in self.context.catalogue.live_workspaces()? {
            if self.context.catalogue.heads_of(&workspace.sandbox_id)?.find(id).is_none() {
                continue;
            }
            shared.push(self.locks.shared(&workspace.sandbox_id).await?);
            let Some(workspace) = self.context.catalogue.workspace(&workspace.sandbox_id)? else {
                continue;
            };
            let sandbox = self.context.ports.sandboxes.get(&workspace.sandbox_id)?;
            let disk = sandbox.disk().await?;
            let runs = disk.is_some() && disk == workspace.instance_id;
            // A paused workspace may still have its container, but is about to lose it.
            let stays = runs && workspace.paused_at_ms.is_none();
            let spares_it = stays && (autosaves || workspace.kind == WorkspaceKind::Shared);
            let heads = self.context.catalogue.heads_of(&workspace.sandbox_id)?;
            let Some(head) = heads.find(id) else { continue };
            // No automatic snapshot saves a directory outside `saved_dirs` again.
            if !spares_it || !saved_dirs.hold(&head.dir) {
                return Err(needed(id, &workspace.sandbox_id, autosaves));
            }
        }
        Ok(shared)
    }

    pub(crate) async fn delete_own(&self, id: &BackupId, forced: bool) -> Result<()> {
        self.delete_row(id, forced, None).await
    }

    /// As [`Self::delete_own`], but leases of the session `asker` to wake from it don't count.
    pub(crate) async fn delete_row(
        &self,
        id: &BackupId,
        forced: bool,
        asker: Option<&SessionId>,
    ) -> Result<()> {
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from this check to the row: a restore that starts now finds
        // `deleting`; we find one that started before.
        let snapshot = self.context.require_snapshot(id)?;
        match snapshot.state {
            state if state.is_deleted() => return Ok(()),
            SnapshotState::Pending => {
                return Err(Error::new(
                    ErrorCode::Conflict,
                    format!("snapshot {id} is still being taken"),
                )
                .with_hint("delete it once the call that takes it has ended"));
            }
            _ => {}
        }
        if self.in_flight.is_being_read(id)? {
            return Err(being_read(id));
        }
        if snapshot.state == SnapshotState::Ready {
            self.check_unkept(&snapshot, forced, asker)?;
        }
        self.context.catalogue.set_snapshot_state(
            id,
            SnapshotState::Deleting,
            self.context.now_ms(),
        )?;
        let _working = self.in_flight.work_on(id.as_str());
        self.forget_head(id).await?;
        self.finish_delete(id, &snapshot.binding).await
    }

    pub(crate) fn check_unkept(
        &self,
        snapshot: &Snapshot,
        forced: bool,
        asker: Option<&SessionId>,
    ) -> Result<()> {
        self.leases.check_unlent(&snapshot.id, forced, asker)?;
        // No session can claim an expired snapshot.
        let claimable = snapshot.published && snapshot.restorable(self.context.now_ms()).is_ok();
        if !forced && (snapshot.pinned || claimable) {
            return Err(kept(snapshot));
        }
        Ok(())
    }

    /// Makes no workspace wake from this snapshot any more. The alarm saves running ones at once.
    pub(crate) async fn forget_head(&self, id: &BackupId) -> Result<()> {
        if !self.context.catalogue.heads()?.contains(id) {
            return Ok(());
        }
        self.context.catalogue.forget_head(id)?;
        self.context.ports.alarm.schedule_by(self.context.now_ms()).await
    }

    /// Deletes the objects of a `deleting` snapshot and leaves its tombstone. If another snapshot
    /// needs its archive, only hides it.
    pub(crate) async fn finish_delete(&self, id: &BackupId, binding: &str) -> Result<()> {
        let bucket = self.context.ports.buckets.open(binding)?;
        let row = self.context.require_snapshot(id)?;
        // Nothing begins to need a snapshot that is being deleted. Shortly after a
        // rebuild, layers on it may not have been found yet.
        let hides = self.context.catalogue.is_needed(id)? || self.released_from_ms(&row).is_some();
        if hides {
            hide_objects(bucket.as_ref(), &record_of(&row, &self.context.session)).await?;
        } else {
            delete_objects(bucket.as_ref(), id).await?;
        }
        // No await from here to the event: only one of two concurrent deletes writes it.
        if self.context.require_snapshot(id)?.state != SnapshotState::Deleting {
            return Ok(());
        }
        let ends = match (hides, self.context.catalogue.is_needed(id)?) {
            (false, _) => SnapshotState::Deleted,
            (true, true) => SnapshotState::Held,
            (true, false) => SnapshotState::Released,
        };
        self.context.catalogue.set_snapshot_state(id, ends, self.context.now_ms())?;
        self.context.catalogue.forget_retry(id.as_str())?;
        let event = Event::SnapshotDeleted { backup_id: id.clone() };
        self.context.catalogue.add_event(self.context.now_ms(), &event)?;
        self.store.release_held().await
    }

    pub(crate) async fn finish_release(&self, row: &Snapshot) -> Result<()> {
        // A rebuild may have found a layer on it.
        let ends = if self.context.catalogue.is_needed(&row.id)? {
            SnapshotState::Held
        } else {
            let bucket = self.context.ports.buckets.open(&row.binding)?;
            delete_objects(bucket.as_ref(), &row.id).await?;
            SnapshotState::Deleted
        };
        self.context.catalogue.set_snapshot_state(&row.id, ends, self.context.now_ms())
    }

    /// Fails if a snapshot's archive has to stay although no known layer needs it.
    pub(crate) fn check_purgeable(&self, row: &Snapshot) -> Result<()> {
        let from_ms = self.released_from_ms(row);
        match from_ms.filter(|_| row.state != SnapshotState::Deleted) {
            None => Ok(()),
            Some(from_ms) => Err(Error::new(
                ErrorCode::Conflict,
                format!(
                    "snapshot {} was put back by a rebuild, which may still find layers on it",
                    row.id
                ),
            )
            .with_hint(format!(
                "delete it without purge: its archive is then deleted at {}; or purge it after that time",
                rfc3339(from_ms)
            ))),
        }
    }

    /// Deletes released archives, but with [`Releases::Found`] none that a rebuild may still need.
    pub(crate) async fn release_now(&self, which: Releases) -> Result<()> {
        loop {
            let mut rows = self.context.catalogue.released_snapshots()?;
            rows.retain(|row| which == Releases::All || self.released_from_ms(row).is_none());
            if rows.is_empty() {
                return Ok(());
            }
            for row in rows {
                self.finish_release(&row).await?;
            }
        }
    }

    /// Until then, a rebuild may still find layers on a released snapshot.
    pub(crate) fn released_from_ms(&self, row: &Snapshot) -> Option<i64> {
        let from_ms = row.rebuilt_at_ms? + REBUILT_KEPT_MS;
        (from_ms > self.context.now_ms()).then_some(from_ms)
    }
}

fn kept(snapshot: &Snapshot) -> Error {
    let (is, takes_it_back) = if snapshot.pinned {
        ("pinned", "pinned: false")
    } else {
        ("published: other sessions may start from it", "published: false")
    };
    Error::new(ErrorCode::Conflict, format!("snapshot {} is {is}", snapshot.id)).with_hint(format!(
        "update it with {takes_it_back} first, or delete it with force: true, even if a workspace would wake from it"
    ))
}

fn needed(id: &BackupId, workspace: &SandboxId, autosaves: bool) -> Error {
    Error::new(
        ErrorCode::Conflict,
        format!("workspace {workspace} would wake from snapshot {id} alone"),
    )
    // A snapshot of unchanged files would reuse this one.
    .with_hint(if autosaves {
        "call again while that workspace runs (use or resume it), so that it can be saved again, or destroy it; force: true deletes the snapshot anyway, and the workspace then begins empty"
    } else {
        "take a snapshot of that workspace once its files have changed, or destroy it; force: true deletes the snapshot anyway, and the workspace begins empty after its container stops"
    })
}
