//! No session deletes a snapshot that is being read.

use crate::check::Check;
use crate::model::Model;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotState;

/// More events than a step has.
const EVENTS: u32 = 30;

impl Model {
    /// Checks that a new workspace finds its snapshot. A delete that meets it is
    /// refused, and no workspace begins after a delete has. Only a crossing, which
    /// does not inform the owner, may lose its snapshot.
    pub fn check_reads(&mut self, session: usize) -> Check {
        let catalogue = self.world.catalogue(session);
        let events = catalogue.list_events(None, None, EVENTS).unwrap();
        let newest = events.first().map_or(0, |event| event.seq);
        let heard = std::mem::replace(&mut self.sessions[session].heard, newest);
        for event in events.iter().filter(|event| event.seq > heard) {
            if event.kind != "workspace.failed" || event.payload["code"] != "SNAPSHOT_GONE" {
                continue;
            }
            let id = SandboxId::parse(event.payload["sandboxId"].as_str().unwrap()).unwrap();
            let source = catalogue.workspace(&id).unwrap().unwrap().from_backup_id.unwrap();
            ensure!(
                // The record of leases is lost.
                self.loses || source == self.old || session == 1 && self.is_crossed(&source),
                "{id} was begun from {source}, which was deleted under it"
            );
        }
        Ok(())
    }

    pub fn is_crossed(&self, id: &BackupId) -> bool {
        self.sessions.iter().any(|session| session.crossed.contains(id))
    }

    /// Whether its session's row says that it is gone.
    pub fn is_deleted(&self, id: &BackupId) -> bool {
        let mut rows = self.sessions.iter().filter_map(|session| session.seen.snapshots.get(id));
        rows.any(|row| row.state != SnapshotState::Ready)
    }

    /// Whether another session has a lease on a snapshot: to read it, or because
    /// one of its workspaces would wake from it.
    pub fn is_lent(&self, session: usize, id: &BackupId, reads: bool) -> bool {
        self.world.leases(session).contains(&(id.clone(), reads))
    }

    /// Checks that at rest, a session lends exactly the snapshots that workspaces of
    /// others would wake from.
    pub fn check_leases(&self) -> Check {
        for (owner, known) in self.sessions.iter().enumerate().filter(|_| !self.loses) {
            let is_there = |id: &BackupId| {
                let ready = known.seen.snapshots.get(id).map(|row| row.state);
                ready == Some(SnapshotState::Ready)
            };
            let leases = self.world.leases(owner);
            ensure!(leases.iter().all(|(_, reads)| !reads), "something still reads at rest");
            let mut lent: Vec<BackupId> = leases.into_iter().map(|(id, _)| id).collect();
            let others = self.sessions.iter().enumerate().filter(|(other, _)| *other != owner);
            let mut needed: Vec<BackupId> = Vec::new();
            for (_, other) in others {
                for (row, _) in other.seen.workspaces.values() {
                    needed.extend(row.head_backup_id.clone());
                }
            }
            lent.retain(is_there);
            needed.retain(is_there);
            lent.sort();
            needed.sort();
            ensure!(lent == needed, "lent are {lent:?}, and needed {needed:?}");
        }
        Ok(())
    }
}
