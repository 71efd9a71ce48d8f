//! The effects that a rewind may have, and the files that it must keep.

use crate::calls::{Done, Made};
use crate::check::{Check, Had, had};
use crate::files::Tree;
use crate::model::{Files, Model, Reached, Seen};
use crate::script::Call;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotState;
use snapshotter::domain::workspace::Workspace;
use snapshotter::session::catalogue::{Rewind, RewindState};
use std::collections::BTreeSet;

/// Whether a call that was left can't change files any more.
fn changes_nothing(one: &Made) -> bool {
    matches!(one.call, Call::Snapshot { .. } | Call::List { .. } | Call::Get { .. })
}

impl Model {
    /// Collects the rewinds since the step before. Checks that each new one saved the
    /// files that it was about to replace.
    pub fn check_rewinds(&mut self, session: usize, made: &[Made], after: &Seen) -> Check {
        let catalogue = self.world.catalogue(session);
        let known = &self.sessions[session];
        let running = known.seen.rewinds.iter().map(|rewind| rewind.seq);
        let looks = |one: &Made| matches!(one.call, Call::Rewind { .. });
        let begins = made.iter().chain(&known.left).any(looks);
        let new = (known.last_rewind + 1..)
            .take_while(|seq| begins && catalogue.rewind(*seq).unwrap().is_some());
        let seqs: Vec<i64> = running.chain(new).collect();
        let mut rewinds: Vec<Rewind> =
            seqs.into_iter().filter_map(|seq| catalogue.rewind(seq).unwrap()).collect();
        for rewind in rewinds.iter().filter(|rewind| rewind.seq > known.last_rewind) {
            self.check_safety(session, rewind, made, after)?;
        }
        let last = rewinds.iter().map(|rewind| rewind.seq).max();
        rewinds.retain(|rewind| rewind.state != RewindState::Undone);
        let known = &mut self.sessions[session];
        known.last_rewind = known.last_rewind.max(last.unwrap_or(0));
        known.rewinds = rewinds;
        Ok(())
    }

    /// Checks that the safety snapshot holds the workspace's files from right before.
    fn check_safety(&self, session: usize, rewind: &Rewind, made: &[Made], after: &Seen) -> Check {
        let before = &self.sessions[session].seen;
        let Rewind { seq, sandbox_id: id, safety_id, .. } = rewind;
        let Some((row, files)) = before.workspaces.get(id) else {
            return Err(format!("rewind {seq} is of {id}, which there was not"));
        };
        let Some(safety) = after.snapshots.get(safety_id) else {
            return Err(format!("{rewind:?} has no safety snapshot"));
        };
        // Only unchanged files need no safety snapshot any more.
        let alone = made.len() == 1 && made.iter().all(|one| one.answer.is_some());
        let kept = rewind.state != RewindState::Undone && alone;
        ensure!(
            !kept || safety.state == SnapshotState::Ready,
            "the safety snapshot of rewind {seq} is {:?}",
            safety.state
        );
        let Some(bytes) = self.stored(safety_id) else { return Ok(()) };
        let woken = self.woken(session, &[row]);
        let left = &self.sessions[session].left;
        let rewinds = made.iter().filter(|one| matches!(one.call, Call::Rewind { .. })).count();
        let others: Vec<Made> = made
            .iter()
            .filter(|one| rewinds > 1 || !matches!(one.call, Call::Rewind { .. }))
            .chain(left)
            .cloned()
            .collect();
        let held = self.passed_files(session, id, files, &woken, &others);
        ensure!(
            held.contains(&bytes),
            "the safety snapshot of rewind {seq} holds {:?}, and the workspace had {held:?}",
            Tree::from_bytes(&bytes)
        );
        Ok(())
    }

    /// Checks the answer of a rewind.
    pub fn check_rewound(&self, session: usize, one: &Made, had: &Tree) -> Check {
        let Some(Ok(Done::Rewound(rewound))) = &one.answer else { return Ok(()) };
        let seen = self.look(session);
        let id = rewound.r#ref.sandbox_id();
        let Some((row, files)) = seen.workspaces.get(id) else {
            return Err(format!("{id} was rewound and is not there"));
        };
        let to = &rewound.from_snapshot_id;
        let reached = self.reach(session, one);
        ensure!(
            matches!(&reached, Ok(Reached::Own(id) | Reached::Foreign(id, _)) if id == to),
            "{id} was rewound to {to}, not to what was named"
        );
        let target = self.contents_of(session, to);
        ensure!(
            matches!(files, Files::Held(bytes) if target.contains(bytes)),
            "{id} was rewound to {to}, which has {target:?}, and has {files:?}"
        );
        ensure!(
            row.head_backup_id.as_ref() == Some(to),
            "{id} has the head {:?}",
            row.head_backup_id
        );
        ensure!(row.from_backup_id.as_ref() == Some(to), "{id} is from {:?}", row.from_backup_id);
        let safety = &rewound.safety_ref.as_ref().unwrap().payload.backup.id;
        let saved = self.stored(safety);
        ensure!(
            saved == Some(had.to_bytes()),
            "before it was rewound {id} had {had:?}, and saved was {saved:?}"
        );
        Ok(())
    }

    /// The files that a rewind may have put in place.
    pub fn targets(&self, session: usize, one: &Made) -> BTreeSet<Vec<u8>> {
        if let Some(Ok(Done::Rewound(rewound))) = &one.answer {
            return self.contents_of(session, &rewound.from_snapshot_id);
        }
        let begun = self.sessions[session].rewinds.iter();
        let mut targets: BTreeSet<Vec<u8>> =
            begun.flat_map(|rewind| self.contents_of(session, &rewind.backup_id)).collect();
        if had(one) == Had::Perhaps {
            targets.extend(self.source_of(session, one, None));
        }
        targets
    }

    /// The files that rewinds left before the step may have put into a workspace.
    pub fn left_targets(&self, session: usize, id: &SandboxId) -> BTreeSet<Vec<u8>> {
        let known = &self.sessions[session];
        let was_running = |rewind: &&Rewind| {
            rewind.sandbox_id == *id && known.seen.rewinds.iter().any(|was| was.seq == rewind.seq)
        };
        let left = known.rewinds.iter().filter(was_running).map(|rewind| &rewind.backup_id);
        // One that was to change the machine, and can't, puts back what the workspace had.
        let back = known.seen.rewinds.iter().filter(|_| self.world.machines[session]);
        let back = back.filter(|rewind| rewind.sandbox_id == *id).map(|rewind| &rewind.safety_id);
        left.chain(back).flat_map(|id| self.contents_of(session, id)).collect()
    }

    pub fn is_rewound_to(&self, session: usize, id: &SandboxId, head: &BackupId) -> bool {
        let rewinds = &self.sessions[session].rewinds;
        rewinds.iter().any(|rewind| {
            rewind.sandbox_id == *id
                && rewind.backup_id == *head
                && rewind.state == RewindState::Done
        })
    }

    /// Whether a rewind that has not ended needs it.
    pub fn is_in_rewind(&self, seen: &Seen, id: &BackupId) -> bool {
        seen.rewinds.iter().any(|rewind| rewind.backup_id == *id || rewind.safety_id == *id)
    }

    /// Checks that a head holds a state that the files had since they were last known
    /// to equal a head: no wake brings back files that were replaced before.
    pub fn check_heads(&mut self, session: usize, made: &[Made], after: &Seen) -> Check {
        let known = &self.sessions[session];
        let mut unsaved = known.unsaved.clone();
        unsaved.retain(|id, _| after.workspaces.contains_key(id));
        let with_left = [made, &known.left].concat();
        for (id, (row, files)) in &after.workspaces {
            let was = known.seen.workspaces.get(id);
            let is_same = |(was, had): &(Workspace, Files)| {
                was.head_backup_id == row.head_backup_id && had == files
            };
            // Without calls, an unchanged workspace had no other state in between.
            if with_left.is_empty() && was.is_some_and(is_same) {
                continue;
            }
            let since = unsaved.entry(id.clone()).or_default();
            let head = row.head_backup_id.as_ref();
            since.extend(files.bytes());
            since.extend(was.and_then(|(_, had)| had.bytes()));
            match was {
                None => since.extend(self.woken(session, &[row])),
                Some((was, had)) => {
                    let woken = self.woken(session, &[was]);
                    since.extend(self.passed_files(session, id, had, &woken, &with_left));
                    if was.head_backup_id.as_ref() == head {
                        continue;
                    }
                }
            }
            let Some(head) = head else { continue };
            let held = self.contents_of(session, head);
            ensure!(
                held.iter().any(|bytes| since.contains(bytes)),
                "the head of {id} holds {held:?}, and it had {since:?} since"
            );
        }
        // The answer of a save or a rewind fixes the files at that time.
        if let [Made { call, answer: Some(Ok(done)), .. }] = made
            && self.sessions[session].left.iter().all(changes_nothing)
        {
            let active = after.session.as_ref().map(|row| row.active_sandbox_id.clone()).unwrap();
            let equals = match (call, done) {
                (Call::Snapshot { .. }, Done::Snapshot(view)) => {
                    Some((active, self.contents_of(session, &view.snapshot.id)))
                }
                (Call::Rewind { .. }, Done::Rewound(rewound)) => {
                    Some((active, self.contents_of(session, &rewound.from_snapshot_id)))
                }
                (Call::LiveFork { .. }, Done::LiveForks(forks)) => {
                    Some((active, self.contents_of(session, &forks.from_snapshot_id)))
                }
                (_, Done::Paused(paused)) => {
                    let id = paused.workspace.r#ref.sandbox_id().clone();
                    let had = self.sessions[session].seen.workspaces.get(&id);
                    let saved = had.is_some_and(|(row, files)| {
                        row.paused_at_ms.is_none() && matches!(files, Files::Held(_))
                    });
                    let row = after.workspaces.get(&id).filter(|_| saved);
                    row.map(|(row, _)| (id, self.woken(session, &[row])))
                }
                _ => None,
            };
            unsaved.extend(equals);
        }
        self.sessions[session].unsaved = unsaved;
        Ok(())
    }
}
