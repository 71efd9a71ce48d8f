//! The owners of objects, and what holds once nothing runs.

use crate::check::Check;
use crate::model::Model;
use crate::world::SESSIONS;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::{SnapshotKind, data_key, layer_key};
use snapshotter::domain::snapshot::{Snapshot, SnapshotState};
use snapshotter::domain::workspace::WorkspaceState;

impl Model {
    /// Checks that every object belongs to a row, or is not ours and unchanged.
    pub fn check_objects(&self) -> Check {
        for (key, bytes) in &self.old_objects {
            ensure!(self.object(key).as_ref() == Some(bytes), "{key} of 0.12 was touched");
        }
        let objects = self.world.bucket.objects.borrow();
        for key in objects.keys() {
            let id = key.split('/').nth(1).and_then(|id| BackupId::parse(id).ok());
            let id = id.ok_or(format!("{key} is not a backup's"))?;
            let row = self.sessions.iter().find_map(|session| session.seen.snapshots.get(&id));
            let known = row.is_some_and(|row| {
                !matches!(row.state, SnapshotState::Failed | SnapshotState::Deleted)
            });
            let lost = row.is_none() && self.is_lost(&id);
            ensure!(known || lost || id == self.old, "{key} has no row: {row:?}");
        }
        Ok(())
    }

    /// Checks what holds once nothing runs and no alarm is due.
    pub fn check_rest(&mut self) -> Check {
        for (known, name) in self.sessions.iter().zip(SESSIONS) {
            ensure!(known.seen.rewinds.is_empty(), "{:?} have not ended", known.seen.rewinds);
            for row in known.seen.snapshots.values() {
                let rests = !matches!(row.state, SnapshotState::Pending | SnapshotState::Deleting);
                ensure!(rests, "{} is still {:?}", row.id, row.state);
            }
            for (row, _) in known.seen.workspaces.values() {
                ensure!(
                    row.state == WorkspaceState::Ready,
                    "{} is still {:?}",
                    row.sandbox_id,
                    row.state
                );
            }
            ensure!(
                known.seen.unreleased.is_empty(),
                "{:?} are paused and not released",
                known.seen.unreleased
            );
            let listed = self.world.directory.listed();
            ensure!(listed.contains(&name.to_owned()), "{listed:?} lacks one");
            let active = &known.seen.session.as_ref().unwrap().active_sandbox_id;
            let open = known.seen.session.as_ref().unwrap().closed_at_ms.is_none();
            ensure!(
                !open || known.seen.workspaces.contains_key(active),
                "{active} is active and gone"
            );
        }
        self.check_leases()?;
        self.check_needed()?;
        self.check_synced()?;
        for session in 0..SESSIONS.len() {
            let running = self.world.catalogue(session).running_operations().unwrap();
            ensure!(running.is_empty(), "{running:?} have not ended");
            let flattening = self.world.catalogue(session).flattening().unwrap();
            ensure!(flattening.is_empty(), "{flattening:?} have not ended");
        }
        self.check_asleep()?;
        for id in self.world.running() {
            let known = self.sessions.iter().any(|known| known.seen.workspaces.contains_key(&id));
            ensure!(known, "{id} runs and is nobody's");
        }
        for key in self.world.bucket.objects.borrow().keys() {
            let id = BackupId::parse(key.split('/').nth(1).unwrap()).unwrap();
            let ready = self.sessions.iter().any(|known| {
                known.seen.snapshots.get(&id).is_some_and(|row| row.state == SnapshotState::Ready)
            });
            let known = self.sessions.iter().any(|known| known.seen.snapshots.contains_key(&id));
            let lost = !known && self.is_lost(&id);
            // Shortly after a rebuild, a layer on it may not have been found yet.
            let kept = self.sessions.iter().any(|known| {
                known.seen.snapshots.get(&id).is_some_and(|row| match row.state {
                    SnapshotState::Held => true,
                    SnapshotState::Released => row.rebuilt_at_ms.is_some(),
                    _ => false,
                })
            });
            ensure!(ready || kept || lost || id == self.old, "{key} is left over");
            let is_layer = |row: &Snapshot| row.kind() == SnapshotKind::Layer;
            let mut rows = self.sessions.iter().filter_map(|known| known.seen.snapshots.get(&id));
            // Of a layer that was becoming full when its row was lost, nobody knows.
            let row =
                rows.find(|row| row.state == SnapshotState::Ready && row.rebuilt_at_ms.is_none());
            let spare = row.map(|row| if is_layer(row) { data_key(&id) } else { layer_key(&id) });
            ensure!(spare.as_ref() != Some(key), "{key} is spare");
        }
        Ok(())
    }
}
