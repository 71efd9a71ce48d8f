//! What may be deleted that nobody asked to delete by its name.

use crate::model::{Model, Seen};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use snapshotter::domain::workspace::WorkspaceState;
use std::collections::BTreeSet;

impl Model {
    /// Whether retention may delete it: its time is up, it is not the newest, nor
    /// the newest that was asked for, and no workspace wakes from it or is being made from it.
    pub fn may_be_pruned(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        // What is settled before the look counts too.
        let rows = before.snapshots.values().chain(after.snapshots.values());
        let ready = rows.filter(|row| row.state == SnapshotState::Ready);
        let age = |row: &Snapshot| (row.created_at_ms, row.seq);
        let newest = ready.clone().map(age).max();
        let is_asked = |row: &&Snapshot| row.trigger == SnapshotTrigger::Manual;
        let newest_asked = ready.filter(is_asked).map(age).max();
        let ends_ms = row.created_at_ms + i64::try_from(row.ttl_secs).unwrap() * 1_000;
        let is_last = [newest, newest_asked].contains(&Some(age(row)));
        // Nobody asked for an automatic one: later ones take its place.
        let is_over = ends_ms <= self.now_ms() || row.trigger == SnapshotTrigger::Auto;
        is_over && !is_last && self.is_free(row, before, after)
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
        let is_auto = |row: &Snapshot| row.trigger == SnapshotTrigger::Auto;
        let ready = rows
            .filter(|(_, other)| other.state == SnapshotState::Ready)
            .filter(|(_, other)| is_auto(other) == is_auto(row));
        let later: BTreeSet<&BackupId> = ready
            .filter(|(_, other)| (other.created_at_ms, other.seq) > (row.created_at_ms, row.seq))
            .map(|(id, _)| id)
            .collect();
        row.created_at_ms + older_than_ms <= self.now_ms()
            && later.len() >= keep_last
            && self.is_free(row, before, after)
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
