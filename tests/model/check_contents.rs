//! The contents that archives may hold, and that workspaces may wake with.

use crate::calls::{Done, Made};
use crate::check::Check;
use crate::model::{Files, Model, Reached, Seen};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState};
use snapshotter::domain::workspace::Workspace;
use std::collections::BTreeSet;

impl Model {
    /// A snapshot call returns an earlier snapshot only if it holds the workspace's
    /// files.
    pub fn check_equal(
        &self,
        session: usize,
        made: &[Made],
        one: &Made,
        row: &Snapshot,
        before: &Seen,
        after: &Seen,
    ) -> Check {
        let Some(Ok(Done::Snapshot(view))) = &one.answer else { unreachable!() };
        ensure!(view.unchanged, "{} was there, and is answered as if it was not", row.id);
        let made = [made, &self.sessions[session].left].concat();
        let active = before.session.as_ref().map(|row| row.active_sandbox_id.clone());
        let mut had = BTreeSet::new();
        for seen in [before, after] {
            let found = active.as_ref().and_then(|active| seen.workspaces.get(active));
            let Some((workspace, files)) = found else { continue };
            let woken = self.woken(session, &[workspace]);
            had.extend(woken.clone());
            had.extend(files.bytes());
            had.extend(self.passed_files(session, &workspace.sandbox_id, files, &woken, &made));
        }
        let held = &self.sessions[session].contents[&row.id];
        ensure!(
            held.iter().any(|bytes| had.contains(bytes)) || made.len() > 1,
            "{} holds {held:?}, and the workspace had {had:?}",
            row.id
        );
        Ok(())
    }

    /// Notes what an archive may hold: any state of its workspace's files since the
    /// call.
    pub fn note_content(
        &mut self,
        session: usize,
        made: &[Made],
        row: &Snapshot,
        before: &Seen,
        after: &Seen,
    ) -> Check {
        let origin = &row.origin_sandbox_id;
        let was_ready =
            before.snapshots.get(&row.id).is_some_and(|row| row.state == SnapshotState::Ready);
        if was_ready {
            return Ok(());
        }
        let made = [made, &self.sessions[session].left].concat();
        let mut held = BTreeSet::new();
        let taken = row.rebuilt_at_ms.is_none();
        for seen in [before, after].into_iter().filter(|_| taken) {
            let Some((row, files)) = seen.workspaces.get(origin) else { continue };
            let woken = self.woken(session, &[row]);
            match files {
                Files::Asleep => held.extend(woken.clone()),
                _ => held.extend(files.bytes()),
            }
            held.extend(self.passed_files(session, origin, files, &woken, &made));
        }
        let stored = self.stored(&row.id);
        let contents = self.sessions[session].contents.entry(row.id.clone()).or_default();
        contents.extend(held);
        if row.state == SnapshotState::Ready {
            let bytes = stored.ok_or(format!("{} is ready without all its archives", row.id))?;
            ensure!(
                contents.contains(&bytes),
                "{} holds {:?}, which its workspace never had: {contents:?}",
                row.id,
                String::from_utf8_lossy(&bytes)
            );
            *contents = BTreeSet::from([bytes]);
        }
        Ok(())
    }

    /// What a workspace may wake with; nothing if it has no head.
    pub fn woken(&self, session: usize, rows: &[&Workspace]) -> BTreeSet<Vec<u8>> {
        let mut woken = BTreeSet::new();
        for row in rows {
            match &row.head_backup_id {
                None => drop(woken.insert(Vec::new())),
                Some(head) => woken.extend(self.contents_of(session, head)),
            }
            // A save that a crash left is completed first.
            let rows = self.sessions.iter().flat_map(|known| known.seen.snapshots.values());
            let left = rows.filter(|save| {
                save.state == SnapshotState::Pending && save.origin_sandbox_id == row.sandbox_id
            });
            woken.extend(left.filter_map(|save| self.restored(session, &save.id)));
        }
        woken
    }

    /// What any session's snapshot may hold, as this session restores it; nothing if it does
    /// not exist.
    pub fn contents_of(&self, session: usize, id: &BackupId) -> BTreeSet<Vec<u8>> {
        if *id == self.old {
            let archive = self.old_objects.iter().find(|(key, _)| *key == data_key(id));
            return archive.map(|(_, bytes)| bytes.clone()).into_iter().collect();
        }
        let noted = self.sessions.iter().find_map(|known| known.contents.get(id).cloned());
        // A snapshot of this step.
        let contents = noted.unwrap_or_else(|| self.stored(id).into_iter().collect());
        contents.into_iter().map(|content| self.seen_by(session, content)).collect()
    }

    /// What a call's source snapshot holds: the snapshot that the call names, or, if
    /// names moved meanwhile, the one that had the name.
    pub fn source_of(
        &self,
        session: usize,
        by: &Made,
        from: Option<&BackupId>,
    ) -> BTreeSet<Vec<u8>> {
        let named = matches!(by.selector, Some(SnapshotSelector::Name(_)));
        if let Some(Ok(Done::LiveForks(forks))) = &by.answer {
            return self.contents_of(session, &forks.from_snapshot_id);
        }
        match (self.reach(session, by), from) {
            (Ok(Reached::Own(id) | Reached::Foreign(id, _)), None) => {
                self.contents_of(session, &id)
            }
            (Ok(Reached::Own(id) | Reached::Foreign(id, _)), Some(_)) if !named => {
                self.contents_of(session, &id)
            }
            (_, Some(id)) => self.contents_of(session, id),
            (Err(_), None) => BTreeSet::new(),
        }
    }
}
