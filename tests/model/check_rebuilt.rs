//! A rebuild brings back all of the session's snapshots as they were, and no others.

use crate::calls::Made;
use crate::check::{Check, Had, had};
use crate::model::{Model, Seen};
use crate::script::Call;
use crate::world::SESSIONS;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::rebuild::Rebuilt;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use std::collections::BTreeSet;

const WEEK_MS: i64 = 7 * 24 * 3_600_000;

impl Model {
    /// Whether a session has lost the row of a backup.
    pub fn is_lost(&self, id: &BackupId) -> bool {
        self.sessions.iter().any(|known| known.lost.contains_key(id))
    }

    /// Whether it was rebuilt this week: then no automatic task deletes it.
    pub fn is_rebuilt_lately(&self, row: &Snapshot) -> bool {
        row.rebuilt_at_ms.is_some_and(|at_ms| self.now_ms() < at_ms + WEEK_MS)
    }

    /// Checks that lost snapshots stay in the bucket until the session has them back.
    pub fn check_lost(&self, session: usize) -> Check {
        let known = &self.sessions[session];
        for row in known.lost.values() {
            let id = &row.id;
            let is_there = row.state != SnapshotState::Ready
                || known.seen.snapshots.contains_key(id)
                || self.is_crossed(id)
                || self.stored(id).is_some();
            ensure!(is_there, "{id} was lost and is gone");
        }
        Ok(())
    }

    /// Checks that a rebuilt row equals the lost one.
    pub fn check_put_back(
        &self,
        session: usize,
        row: &Snapshot,
        made: &[Made],
        after: &Seen,
    ) -> Check {
        let id = &row.id;
        let rebuilds = made.iter().any(|one| one.call == Call::Rebuild && had(one) != Had::No);
        ensure!(rebuilds || self.world.runtime.struck(), "{id} was put back by nobody");
        let lost = self.sessions[session].lost.get(id);
        let lost = lost.ok_or(format!("{id} was put back, and was never lost"))?;
        let gone = lost.state == SnapshotState::Failed
            || lost.state.is_deleted() && row.state != SnapshotState::Released;
        ensure!(!gone, "{id} was put back, and was {:?}", lost.state);
        // An edit not yet in `meta.json` is lost, and another call may edit the row now.
        if lost.state != SnapshotState::Ready || lost.unsynced_edits != 0 || made.len() > 1 {
            return Ok(());
        }
        let facts = |row: &Snapshot| {
            (
                (row.origin_sandbox_id.clone(), row.parent_id.clone(), row.dir.clone()),
                (row.created_at_ms, row.annotations.description.clone()),
                (row.annotations.labels.clone(), row.pinned, row.published),
            )
        };
        ensure!(facts(row) == facts(lost), "{row:?} was put back for {lost:?}");
        let archive = |row: &Snapshot| (row.kind(), row.size_bytes, row.sha256.clone());
        ensure!(row.machine == lost.machine, "{id} was put back with another machine");
        // It was becoming full, and its row was not told any more.
        let is_full = !lost.chain.is_empty() && row.chain.is_empty();
        ensure!(is_full || archive(row) == archive(lost), "{id} was put back as another archive");
        // It may be all there is of a workspace: it is shown, and not pruned first.
        ensure!(
            row.cause.trigger == SnapshotTrigger::Manual,
            "{id} was put back {:?}",
            row.cause.trigger
        );
        ensure!(row.ttl_secs >= lost.ttl_secs, "{id} was put back for {} s", row.ttl_secs);
        let until_ms = row.created_at_ms + i64::try_from(row.ttl_secs).unwrap() * 1_000;
        ensure!(until_ms >= row.rebuilt_at_ms.unwrap() + WEEK_MS, "{id} was put back for less");
        let has_name = |other: &Snapshot| {
            other.id != *id
                && other.annotations.name == lost.annotations.name
                && other.created_at_ms >= row.created_at_ms
        };
        ensure!(
            row.annotations.name == lost.annotations.name
                || row.annotations.name.is_none() && after.snapshots.values().any(has_name),
            "{id} was put back as {:?}, not {:?}",
            row.annotations.name,
            lost.annotations.name
        );
        Ok(())
    }

    /// Checks that an undisturbed rebuild put back all of the session's backups that
    /// the catalogue lacked, and reports what else it saw.
    pub fn check_rebuilt(&self, session: usize, rebuilt: &Rebuilt) -> Check {
        let rows = &self.sessions[session].seen.snapshots;
        let keys = self.world.bucket.keys();
        let ids: BTreeSet<BackupId> = keys
            .iter()
            .map(|key| BackupId::parse(key.split('/').nth(1).unwrap()).unwrap())
            .collect();
        let is_known =
            |id: &BackupId| rows.get(id).is_some_and(|row| row.state != SnapshotState::Failed);
        let (mut restored, mut foreign, mut incomplete) = (BTreeSet::new(), 0, 0);
        let mut held = 0;
        for id in ids.iter().filter(|id| !is_known(id)) {
            let meta = self.meta(id);
            let is_held = meta.is_none();
            let meta = meta.or_else(|| self.held(id));
            let is_there = meta.as_ref().is_some_and(|meta| self.archive(meta).is_some());
            let owner = meta.map(|meta| meta.snapshotter.map(|ours| ours.session_id));
            match owner {
                Some(Some(owner)) if owner.as_str() == SESSIONS[session] => {
                    match (is_there, is_held) {
                        (true, false) => drop(restored.insert(id.clone())),
                        (true, true) => held += 1,
                        (false, _) => incomplete += 1,
                    }
                }
                Some(_) => foreign += 1,
                None => incomplete += 1,
            }
        }
        let known = ids.iter().filter(|id| is_known(id)).count();
        let told = rebuilt.restored.iter().cloned().collect::<BTreeSet<BackupId>>();
        ensure!(told == restored, "put back were {told:?}, not {restored:?}");
        let counts = (rebuilt.examined, rebuilt.known, rebuilt.foreign, rebuilt.incomplete);
        let expected = (ids.len(), known + held, foreign, incomplete);
        ensure!(counts == expected, "it saw {counts:?}, not {expected:?}");
        let problems = (&rebuilt.problems, &rebuilt.next_cursor);
        ensure!(problems.0.is_empty() && problems.1.is_none(), "it left {problems:?}");
        let now = self.look(session).snapshots;
        for (id, row) in &now {
            let is_new = rows.get(id) != Some(row);
            let renamed =
                rows.get(id).is_some_and(|was| was.annotations.name != row.annotations.name);
            // What layers may still need is put back, and stays hidden.
            let expected = renamed || told.contains(id) || row.state == SnapshotState::Released;
            ensure!(!is_new || expected, "{id} was changed: {row:?}");
        }
        let is_there = |id: &BackupId| now.get(id).map(|row| row.state);
        let missing = told.iter().find(|id| is_there(id) != Some(SnapshotState::Ready));
        ensure!(missing.is_none(), "{missing:?} was put back and is not there");
        Ok(())
    }
}
