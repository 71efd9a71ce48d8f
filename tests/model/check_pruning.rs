//! Which snapshots may be deleted without a call that names them.

use crate::check::Check;
use crate::model::{Files, Model, Seen};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use snapshotter::domain::workspace::{Workspace, WorkspaceState};
use std::collections::BTreeSet;

impl Model {
    /// Whether retention may delete it: it is over, no workspace wakes from it or is
    /// being made from it, and it is not pinned. Nobody asked for an automatic one,
    /// whose place later ones take.
    pub fn may_be_pruned(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        let is_auto =
            row.cause.trigger == SnapshotTrigger::Auto && !self.is_last(row, before, after);
        let is_spare = is_auto && row.retired_at_ms.is_none();
        let is_over = is_spare || self.is_outlived(row, before, after);
        is_over && !row.pinned && !self.is_rebuilt_lately(row) && self.is_free(row, before, after)
    }

    /// Whether its time is up, and it is not the last one.
    fn is_outlived(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        let ends_ms = row.created_at_ms + i64::try_from(row.ttl_secs).unwrap() * 1_000;
        ends_ms <= self.now_ms() && !self.is_last(row, before, after)
    }

    /// Whether it is the newest, or the newest that was asked for.
    fn is_last(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        // Snapshots recovered before the look count too.
        let rows = before.snapshots.values().chain(after.snapshots.values());
        let ready = rows.filter(|row| row.state == SnapshotState::Ready);
        let age = |row: &Snapshot| (row.created_at_ms, row.seq);
        let newest = ready.clone().map(age).max();
        // A name shows that somebody asked for an automatic one, or for one of a turn.
        let is_asked = |row: &&Snapshot| match row.cause.trigger {
            SnapshotTrigger::Manual | SnapshotTrigger::Import => true,
            SnapshotTrigger::Auto | SnapshotTrigger::Turn => row.annotations.name.is_some(),
            SnapshotTrigger::Safety => false,
        };
        let newest_asked = ready.filter(is_asked).map(age).max();
        [newest, newest_asked].contains(&Some(age(row)))
    }

    /// Whether a prune by a rule may delete it: it is old enough and not one of
    /// the latest so many, and no workspace needs it.
    pub fn may_be_ruled_out(
        &self,
        row: &Snapshot,
        older_than_ms: i64,
        keep_last: usize,
        before: &Seen,
        after: &Seen,
    ) -> bool {
        let rows = before.snapshots.iter().chain(&after.snapshots);
        let ready = rows
            .filter(|(_, other)| other.state == SnapshotState::Ready)
            .filter(|(_, other)| other.cause.trigger == row.cause.trigger);
        let later: BTreeSet<&BackupId> = ready
            .filter(|(_, other)| (other.created_at_ms, other.seq) > (row.created_at_ms, row.seq))
            .map(|(id, _)| id)
            .collect();
        row.created_at_ms + older_than_ms <= self.now_ms()
            && later.len() >= keep_last
            && !row.pinned
            && self.is_free(row, before, after)
    }

    /// Checks that requested retention leaves no snapshot that is over and not needed.
    pub fn check_retained(&self, session: usize) -> Check {
        let seen = self.look(session);
        let ready = seen.snapshots.values().filter(|row| row.state == SnapshotState::Ready);
        for row in ready.filter(|row| self.is_outlived(row, &seen, &seen)) {
            let is_head = |(workspace, _): &(Workspace, Files)| {
                workspace.head_backup_id.as_ref() == Some(&row.id)
            };
            let is_needed = row.pinned
                || self.is_rebuilt_lately(row)
                || seen.workspaces.values().any(is_head)
                || !self.is_free(row, &seen, &seen)
                || self.is_lent(session, &row.id, true)
                || self.is_lent(session, &row.id, false);
            ensure!(is_needed, "{} was to be pruned", row.id);
        }
        Ok(())
    }

    /// Whether no workspace wakes from it or is being made from it.
    fn is_free(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        let id = Some(&row.id);
        before.workspaces.iter().all(|(workspace, (was, _))| {
            let Some((is, _)) = after.workspaces.get(workspace) else { return true };
            let wakes = was.head_backup_id.as_ref() == id && is.head_backup_id.is_none();
            let creating = is.state == WorkspaceState::Creating;
            !(wakes || creating && is.from_backup_id.as_ref() == id)
        }) && !self.is_in_rewind(after, &row.id)
    }
}
