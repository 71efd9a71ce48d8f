//! The machine of each snapshot: shared while it is unchanged, and kept as long as one needs it.

use crate::calls::Made;
use crate::check::{Check, Had, had};
use crate::model::{Model, Seen};
use crate::script::Call;
use crate::support::container::hex;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::machine_key;
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState};
use snapshotter::domain::workspace::Workspace;
use snapshotter::session::catalogue::Rewind;
use std::collections::BTreeSet;

/// Whether a row's objects are in the bucket.
fn has_objects(row: &Snapshot) -> bool {
    !matches!(row.state, SnapshotState::Failed | SnapshotState::Deleted)
}

/// Whether a snapshot needs an archive of another one.
fn needs(row: &Snapshot, id: &BackupId) -> bool {
    row.id != *id
        && (row.chain.needs(id) || row.machine.as_ref().is_some_and(|machine| machine.id == *id))
}

impl Model {
    /// Checks that a ready snapshot has a machine if its session persists that, and that the
    /// archive is there as it was made.
    pub fn check_machine(&self, session: usize, row: &Snapshot, meta: &BackupMeta) -> Check {
        let id = &row.id;
        ensure!(row.machine.as_ref() == meta.machine(), "{id} has another machine");
        let persists = self.world.machines[session];
        ensure!(row.machine.is_some() == persists, "{id} has the machine {:?}", row.machine);
        let Some(machine) = &row.machine else { return Ok(()) };
        let known = &self.sessions[session];
        let holder = &machine.id;
        let is_ours = known.seen.snapshots.contains_key(holder) || known.lost.contains_key(holder);
        ensure!(is_ours, "{id} shares the machine of {holder}, which is not of this session");
        let archive = self.object(&machine_key(holder));
        let archive = archive.ok_or(format!("ready {id} lacks the machine of {holder}"))?;
        let (size_bytes, sha256) = (archive.len() as u64, hex(&archive));
        let is_it = machine.size_bytes == size_bytes && machine.sha256 == sha256;
        ensure!(is_it, "{id} names another machine than {holder} has");
        Ok(())
    }

    /// Checks that no container has a machine of a session that does not persist one.
    pub fn check_no_machine(&self, session: usize) -> Check {
        let running = &self.sessions[session].seen.running;
        for id in running.iter().filter(|_| !self.world.machines[session]) {
            let has = self.world.disk(id).is_some_and(|disk| disk.has_restored);
            ensure!(!has, "{id} has another session's machine");
        }
        Ok(())
    }

    /// Whether others of the session share the machine of a snapshot.
    pub fn shares_machine(&self, session: usize, id: &BackupId) -> bool {
        self.sessions[session].seen.snapshots.values().any(|row| {
            let holder = row.machine.as_ref().map(|machine| &machine.id);
            row.id != *id && holder == Some(id) && has_objects(row)
        })
    }

    /// What a rewind that has lost its container gives: it is done again if it is about the
    /// machine, or else the workspace has what it had.
    pub fn redone<'a>(&self, rewind: &'a Rewind) -> &'a BackupId {
        let machine =
            |id: &BackupId| self.meta(id).map(|meta| meta.machine().map(|it| it.sha256.clone()));
        let (to, safety) = (machine(&rewind.backup_id), machine(&rewind.safety_id));
        let is_there = self.stored(&rewind.backup_id).is_some();
        if is_there && to != safety { &rewind.backup_id } else { &rewind.safety_id }
    }

    /// Whether a rewind has destroyed the container to replace the machine, and the workspace
    /// wakes with what it had, or the rewind is still to be done.
    pub fn is_between_containers(
        &self,
        session: usize,
        made: &[Made],
        after: &Seen,
        row: &Workspace,
        allowed: &BTreeSet<Vec<u8>>,
    ) -> bool {
        let left = &self.sessions[session].seen.rewinds;
        let is_its = |rewind: &Rewind| rewind.sandbox_id == row.sandbox_id;
        let begins = |one: &Made| matches!(one.call, Call::Rewind { .. }) && had(one) != Had::No;
        let rewinds = left.iter().any(is_its) || made.iter().any(begins);
        let wakes_with = self.woken(session, &[row]);
        self.world.machines[session]
            && rewinds
            && (after.rewinds.iter().any(is_its)
                || wakes_with.iter().any(|content| allowed.contains(content)))
    }

    /// Checks that at rest a deleted snapshot's archives are there only while others need them.
    pub fn check_needed(&self) -> Check {
        for known in &self.sessions {
            let rows = || known.seen.snapshots.values();
            for held in rows().filter(|row| row.state == SnapshotState::Held) {
                let id = &held.id;
                let is_needed = rows().any(|row| has_objects(row) && needs(row, id));
                ensure!(is_needed, "{id} is held, and nothing needs it");
            }
        }
        for key in self.world.bucket.keys().iter().filter(|key| key.ends_with("/machine.sqsh")) {
            let id = BackupId::parse(key.split('/').nth(1).unwrap()).unwrap();
            let rows = self.sessions.iter().flat_map(|known| {
                let lost = known.lost.values();
                let lost = lost.filter(|row| !known.seen.snapshots.contains_key(&row.id));
                known.seen.snapshots.values().chain(lost)
            });
            let mut needing = rows.filter(|row| has_objects(row));
            let is_needed = needing.any(|row| {
                // Of a lost one that was being taken, nobody knows how far it came.
                let left = row.state == SnapshotState::Pending && row.id == id;
                left || row.machine.as_ref().is_some_and(|machine| machine.id == id)
            });
            ensure!(is_needed, "{key} is there, and no snapshot has that machine");
        }
        Ok(())
    }
}
