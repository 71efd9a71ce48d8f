//! Take a snapshot of the active workspace.

use crate::domain::{
    BackupId, Cause, Result, SnapshotKind, SnapshotTrigger, Subject, Turn, TurnCursor, Workspace,
};
use crate::session::parts::snapshots::saver::{Saved, Saving};
use crate::session::parts::snapshots::store::adopt::SnapshotRequest;
use crate::session::parts::{Context, Saver, SnapshotStore, Workspaces};
use crate::session::{Abort, Session, SnapshotView};

parts!(Take { context: Context, store: SnapshotStore, saver: Saver, workspaces: Workspaces });

impl Session {
    /// Takes a snapshot of the active workspace. Returns only once R2 holds both objects. If
    /// nothing has changed since its head, the head gets the requested fields, and is the answer.
    ///
    /// # Errors
    /// `CONFLICT` for a taken name; `PRECONDITION_FAILED`; `RATE_LIMITED`, `QUOTA_EXCEEDED` by the
    /// retention policy; `WORKSPACE_LOST`; `BACKUP_FAILED`.
    pub async fn snapshot(&self, request: SnapshotRequest, abort: &Abort) -> Result<SnapshotView> {
        Take::from(self).snapshot(request, None, abort).await
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TurnEnd {
    pub cursor: Option<TurnCursor>,
    pub label: Option<String>,
}

impl Take<'_> {
    /// As [`Session::snapshot`], also for a turn that ended.
    pub async fn snapshot(
        &self,
        request: SnapshotRequest,
        end: Option<TurnEnd>,
        abort: &Abort,
    ) -> Result<SnapshotView> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        self.store.check_request(&request)?;
        let check_room = |workspace: &Workspace| {
            // Turns have no minimum interval.
            if end.is_none() {
                self.store.check_interval(&open)?;
            }
            self.store.check_room(&open, workspace)
        };
        if let Some(workspace) = self.context.catalogue.workspace(&open.row.active_sandbox_id)? {
            check_room(&workspace)?;
        }
        abort.step("making the workspace ready")?;
        let active = self.workspaces.active(&open).await?;
        abort.step("archiving the files into the bucket")?;
        let (ttl, renews) = self.context.retention_policy(&open)?.lifetime(request.ttl);
        let dir = &open.config.snapshot_dir;
        let head = self.saver.comparable_head(&active, dir)?;
        let incremental = request.incremental.unwrap_or(open.config.incremental);
        let base = head.clone().filter(|_| incremental);
        // A request for a full snapshot never returns a layer.
        let equal = head.filter(|head| {
            (incremental || head.kind() == SnapshotKind::Full)
                && request.annotations.fit(&head.annotations)
        });
        let turn = end.as_ref().map(|end| self.number(end)).transpose()?;
        let trigger = match turn {
            Some(_) => SnapshotTrigger::Turn,
            None => SnapshotTrigger::Manual,
        };
        let cause = Cause { turn, ..trigger.into() };
        let saving = Saving {
            annotations: request.annotations.clone(),
            ttl,
            renews,
            cause: cause.clone(),
            unless_equal: equal,
            base,
            abort: abort.clone(),
            ..Saving::default()
        };
        let began_ms = self.context.now_ms();
        // The row reserves the name and starts the policy's minimum interval.
        let last_check = |id: &BackupId| {
            self.store.check_request(&request)?;
            check_room(&active.workspace)?;
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
                // No await from the save to the row of the turn, nor from there to the edit.
                if let Some(turn) = &cause.turn {
                    let (id, now_ms) = (&active.workspace.sandbox_id, self.context.now_ms());
                    self.store.record_turn(turn, &held, id, now_ms)?;
                }
                (self.store.adopt(&request, (ttl, renews), &held, cause.clone()).await?, true)
            }
        };
        let mut view = SnapshotView::of(&snapshot, self.context.now_ms());
        view.snapshot.cause.turn = cause.turn.or(view.snapshot.cause.turn);
        Ok(SnapshotView { unchanged, woken: self.context.take_unreported_wake()?, ..view })
    }

    fn number(&self, end: &TurnEnd) -> Result<Turn> {
        let number = self.context.catalogue.next_turn()?;
        Ok(Turn { number, cursor: end.cursor.clone(), label: end.label.clone() })
    }
}
