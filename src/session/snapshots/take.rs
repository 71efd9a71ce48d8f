//! Take a snapshot of the active workspace.

use crate::domain::call::subject::Subject;
use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::domain::snapshot::SnapshotTrigger;
use crate::domain::snapshot::backup::SnapshotKind;
use crate::session::context::Context;
use crate::session::snapshots::saver::{Saved, Saver, Saving};
use crate::session::snapshots::store::SnapshotStore;
use crate::session::snapshots::store::adopt::SnapshotRequest;
use crate::session::workspaces::ready::Workspaces;
use crate::session::{Abort, Session, SnapshotView};

parts!(Take { context: Context, store: SnapshotStore, saver: Saver, workspaces: Workspaces });

impl Session {
    /// Takes a snapshot of the active workspace. Returns only once R2 holds
    /// both objects. If nothing has changed since its head, nothing is uploaded:
    /// the head gets the name and whatever else is asked for, and is the answer.
    ///
    /// # Errors
    /// `CONFLICT` for a taken name; `PRECONDITION_FAILED`; `RATE_LIMITED`,
    /// `QUOTA_EXCEEDED` by the retention policy; `WORKSPACE_LOST`; `BACKUP_FAILED`.
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        Take::from(self).snapshot(request, abort).await
    }
}

impl Take<'_> {
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        self.store.check_request(&request)?;
        if let Some(workspace) = self.context.catalogue.workspace(&open.row.active_sandbox_id)? {
            self.store.check_room(&open, &workspace)?;
        }
        abort.step("making the workspace ready")?;
        let active = self.workspaces.active(&open).await?;
        abort.step("archiving the files into the bucket")?;
        let ttl = request.ttl.unwrap_or(self.context.retention_policy(&open)?.ttl);
        let dir = &open.config.snapshot_dir;
        let head = self.saver.comparable_head(&active, dir)?;
        let incremental = request.incremental.unwrap_or(open.config.incremental);
        let base = head.clone().filter(|_| incremental);
        // Who wants a full snapshot is not given a layer of the same files.
        let equal = head.filter(|head| {
            (incremental || head.kind() == SnapshotKind::Full)
                && request.annotations.fit(&head.annotations)
        });
        let saving = Saving {
            annotations: request.annotations.clone(),
            ttl,
            trigger: SnapshotTrigger::Manual,
            unless_equal: equal,
            base,
            ..Saving::default()
        };
        let began_ms = self.context.now_ms();
        // The row reserves the name and starts the policy's minimum interval.
        let last_check = |id: &BackupId| {
            self.store.check_request(&request)?;
            self.store.check_room(&open, &active.workspace)?;
            abort.makes(&Subject::Snapshot(id.clone()))
        };
        let saved =
            self.saver.save(&open.config.backup_binding, &active, dir, saving, last_check).await?;
        if open.config.saved_dirs.are_in(dir) {
            self.context.catalogue.set_saved_at(&active.workspace.sandbox_id, began_ms)?;
        }
        let (snapshot, unchanged) = match saved {
            Saved::Taken(snapshot) => (snapshot, false),
            Saved::Unchanged(held) => {
                abort.makes(&Subject::Snapshot(held.id.clone()))?;
                (self.store.adopt(&request, ttl, &held, SnapshotTrigger::Manual).await?, true)
            }
        };
        let view = SnapshotView::of(&snapshot, self.context.now_ms());
        Ok(SnapshotView { unchanged, woken: self.context.take_unreported_wake()?, ..view })
    }
}
