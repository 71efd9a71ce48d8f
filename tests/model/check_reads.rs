//! What is read is not taken away, in this session and in others.

use crate::calls::Made;
use crate::check::Check;
use crate::model::Model;
use crate::script::Call;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotState;

/// More than a step has.
const EVENTS: u32 = 30;

fn crosses(made: &[Made]) -> bool {
    made.iter().any(|one| matches!(one.call, Call::Delete { cross: true, .. }))
}

impl Model {
    /// A fork that has begun finds its snapshot: a delete that meets it is
    /// refused, and none begins once a delete has. Only a crossing, which asks
    /// no owner, takes one away.
    pub fn check_reads(&mut self, session: usize, made: &[Made]) -> Check {
        let catalogue = self.world.catalogue(session);
        let events = catalogue.list_events(None, EVENTS).unwrap();
        let newest = events.first().map_or(0, |event| event.seq);
        let heard = std::mem::replace(&mut self.sessions[session].heard, newest);
        let crossing = crosses(made) || crosses(&self.sessions[1].left);
        for event in events.iter().filter(|event| event.seq > heard) {
            if event.kind != "workspace.failed" || event.payload["code"] != "SNAPSHOT_GONE" {
                continue;
            }
            let id = SandboxId::parse(event.payload["sandboxId"].as_str().unwrap()).unwrap();
            let source = catalogue.workspace(&id).unwrap().unwrap().from_backup_id.unwrap();
            ensure!(
                crossing || self.is_crossed(&source),
                "{id} was begun from {source}, which was deleted under it"
            );
        }
        Ok(())
    }

    fn is_crossed(&self, id: &BackupId) -> bool {
        *id == self.old || self.sessions.iter().any(|session| session.crossed.contains(id))
    }

    /// Whether another session has been lent a snapshot: to read it, or because
    /// a workspace of its would wake from it.
    pub fn is_lent(&self, session: usize, id: &BackupId, reads: bool) -> bool {
        let loans = self.world.catalogue(session).loans_of(id, self.now_ms()).unwrap();
        loans.iter().any(|loan| loan.reads == reads)
    }

    /// At rest a session has lent exactly what workspaces of others would wake from.
    pub fn check_loans(&self) -> Check {
        for (owner, known) in self.sessions.iter().enumerate() {
            let is_there = |id: &BackupId| {
                let ready = known.seen.snapshots.get(id).map(|row| row.state);
                ready == Some(SnapshotState::Ready) && !self.is_crossed(id)
            };
            let loans = self.world.catalogue(owner).loans(self.now_ms()).unwrap();
            ensure!(loans.iter().all(|loan| !loan.reads), "something still reads at rest");
            let mut lent: Vec<BackupId> = loans.into_iter().map(|loan| loan.backup_id).collect();
            let others = self.sessions.iter().enumerate().filter(|(other, _)| *other != owner);
            let mut needed: Vec<BackupId> = Vec::new();
            for (_, other) in others {
                for (id, (row, _)) in &other.seen.workspaces {
                    // A rewind by crossing borrows nothing.
                    let head = row.head_backup_id.clone();
                    let is_lent =
                        |head: &BackupId| !other.unlent.contains(&(id.clone(), head.clone()));
                    needed.extend(head.filter(is_lent));
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
