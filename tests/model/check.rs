//! Checks that the rows after a step follow from the rows before, the step's calls
//! and their answers.

use crate::calls::{Done, Made, path_of};
use crate::model::{MAX_RUNNING, MAX_WORKSPACES, Model, Reached, Seen};
use crate::script::Call;
use crate::support::container::hex;
use crate::world::SESSIONS;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use snapshotter::session::catalogue::SessionRow;
use std::collections::BTreeSet;

pub type Check = Result<(), String>;

/// Whether a call had its effect, by what it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Had {
    Yes,
    No,
    Perhaps,
}

pub fn had(made: &Made) -> Had {
    match &made.answer {
        Some(Ok(_)) => Had::Yes,
        Some(Err(error)) => match error.outcome {
            Outcome::None => Had::No,
            Outcome::Committed => Had::Yes,
            Outcome::Unknown => Had::Perhaps,
        },
        None => Had::Perhaps,
    }
}

impl Model {
    /// Checks a session after a step, and remembers its present state.
    pub fn check(&mut self, session: usize, made: &[Made]) -> Check {
        self.check_answers(session, made)?;
        self.killed.extend(self.world.died.take());
        for (id, disk) in self.world.sleep() {
            self.check_stopped_by_idling(&id, disk)?;
            self.killed.insert(id);
        }
        let after = self.look(session);
        self.check_session_row(session, made, &after)?;
        self.check_rewinds(session, made, &after)?;
        self.check_snapshots(session, made, &after)?;
        self.check_turns(session, made, &after)?;
        self.check_workspaces(session, made, &after)?;
        self.check_heads(session, made, &after)?;
        if self.world.autosave {
            self.check_saved(session, &after)?;
        }
        for id in after.workspaces.keys() {
            if !self.sessions[session].ever.contains(id) {
                self.sessions[session].ever.push(id.clone());
            }
        }
        let changed = self.sessions[session].seen.changes != after.changes;
        self.sessions[session].seen = after;
        self.note_crossings(session, made)?;
        if changed {
            self.check_reads(session)?;
        }
        for other in (0..SESSIONS.len()).filter(|other| *other != session) {
            // The step made no call on it. Only work left by an earlier crash, or the
            // death of a container, can have changed it.
            let after = self.look(other);
            self.check_session_row(other, &[], &after)?;
            self.check_rewinds(other, &[], &after)?;
            self.check_snapshots(other, &[], &after)?;
            self.check_workspaces(other, &[], &after)?;
            self.check_heads(other, &[], &after)?;
            if self.world.autosave {
                self.check_saved(other, &after)?;
            }
            let changed = self.sessions[other].seen.changes != after.changes;
            self.sessions[other].seen = after;
            if changed {
                self.check_reads(other)?;
            }
        }
        self.killed.clear();
        let unanswered = made.iter().filter(|one| one.answer.is_none()).cloned();
        self.sessions[session].left.extend(unanswered);
        if self.world.runtime.is_idle() {
            self.sessions.iter_mut().for_each(|session| session.left.clear());
        }
        for session in 0..SESSIONS.len() {
            self.check_invariants(session)?;
        }
        self.check_objects()
    }

    fn check_answers(&self, session: usize, made: &[Made]) -> Check {
        for one in made {
            if let Some(Err(error)) = &one.answer {
                ensure!(error.code != ErrorCode::Internal, "a bug: {error:?}");
            }
        }
        let [one] = made else { return Ok(()) };
        let Some(answer) = &one.answer else { return Ok(()) };
        // What an earlier crash left running changes disks, but no rows.
        let on_rows = matches!(
            one.call,
            Call::Get { .. } | Call::List { .. } | Call::Switch { .. } | Call::Destroy { .. }
        ) || matches!(one.call, Call::Delete { force: true, .. });
        let has_lent = |session| !self.world.leases(session).is_empty();
        let lends = matches!(one.call, Call::Delete { .. }) && (0..SESSIONS.len()).any(has_lent);
        let on_rows = on_rows && !lends;
        if self.world.runtime.struck() || !(on_rows || self.world.runtime.was_undisturbed()) {
            return Ok(());
        }
        if matches!(one.call, Call::Delete { purge: true, .. })
            && self.stands_in_the_way(session, one)
        {
            return Ok(());
        }
        let refusals = self.refusals(session, one);
        match answer {
            Ok(_) => ensure!(refusals.is_empty(), "succeeded instead of {refusals:?}"),
            Err(error) => {
                ensure!(refusals.contains(&error.code), "{error:?} instead of {refusals:?}");
                ensure!(error.outcome == Outcome::None, "a refusal changes nothing: {error:?}");
            }
        }
        let Ok(done) = answer else { return Ok(()) };
        let seen = &self.sessions[session].seen;
        match (&one.call, done) {
            (Call::Read { path }, Done::Text(text)) => {
                let tree = self.active(session, &mut Vec::new());
                let held = &tree.0[&path_of(*path)];
                ensure!(text == held, "read {text} where {held} is");
            }
            (Call::Install { .. }, Done::Text(status)) => {
                ensure!(status == "0", "exit status {status}");
            }
            (Call::Run { text, .. }, Done::Text(status)) => {
                ensure!(status == if *text < 4 { "0" } else { "3" }, "exit status {status}");
            }
            (Call::Rewind { .. }, Done::Rewound(_)) => {
                let tree = self.active(session, &mut Vec::new());
                self.check_rewound(session, one, &tree)?;
            }
            (_, Done::Paused(paused)) => self.check_paused(session, paused)?,
            (_, Done::Resumed(resumed)) => self.check_resumed(session, resumed)?,
            (Call::LiveFork { count }, Done::LiveForks(forks)) => {
                self.check_live_fork(session, *count, forks)?;
            }
            (_, Done::Rebuilt(rebuilt)) => self.check_rebuilt(session, rebuilt)?,
            (_, Done::Looked(looked)) => {
                let (workspaces, lineage, usage) = looked.as_ref();
                self.check_told(session, workspaces, lineage, usage)?;
            }
            (Call::List { cross: false }, Done::Page(page)) => {
                let mut rows: Vec<&Snapshot> = seen.snapshots.values().collect();
                rows.retain(|row| row.state == SnapshotState::Ready && !self.is_expired(row));
                rows.retain(|row| {
                    row.cause.trigger == SnapshotTrigger::Manual
                        || row.annotations.name.is_some()
                        || row.retired_at_ms.is_some()
                });
                rows.sort_by_key(|row| -row.seq);
                let expected: Vec<&BackupId> = rows.iter().map(|row| &row.id).collect();
                let listed: Vec<&BackupId> =
                    page.snapshots.iter().map(|row| &row.snapshot.id).collect();
                ensure!(listed == expected, "listed {listed:?}, not {expected:?}");
            }
            (Call::Retain, _) => self.check_retained(session)?,
            (Call::Get { .. }, Done::Snapshot(view)) => {
                if let Ok(Reached::Own(id)) = self.reach(session, one) {
                    let row = &seen.snapshots[&id];
                    ensure!(view.snapshot == row.summary(self.now_ms()), "got {view:?} of {row:?}");
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a purge first has to make layers full, which may fail in many ways.
    fn stands_in_the_way(&self, session: usize, one: &Made) -> bool {
        let rows = &self.sessions[session].seen.snapshots;
        let above = |id: &BackupId| rows.values().any(|row| row.chain.needs(id));
        matches!(self.reach(session, one), Ok(Reached::Own(id))
            if above(&id) && !self.shares_machine(session, &id))
    }

    fn check_session_row(&self, session: usize, made: &[Made], after: &Seen) -> Check {
        let before = self.sessions[session].seen.session.as_ref().unwrap();
        let after = after.session.as_ref().ok_or("the session is gone")?;
        ensure!(before.session_id == after.session_id, "another session");
        let is = |row: &SessionRow| (row.closed_at_ms.is_some(), row.active_sandbox_id.clone());
        let mut allowed = BTreeSet::from([is(before)]);
        let origin = SandboxId::parse(SESSIONS[session]).unwrap();
        // Go through the calls twice, because two calls may take effect in either order.
        for one in made.iter().chain(made).filter(|one| had(one) != Had::No) {
            let follow = |(closed, active): (bool, SandboxId)| match &one.call {
                Call::Open { .. } => vec![(false, active)],
                Call::Close if closed => vec![(closed, active)],
                // It may have been opened to destroy on close just before.
                Call::Close => vec![(true, active), (true, origin.clone())],
                Call::Switch { .. } => vec![(closed, one.workspace.clone().unwrap())],
                _ => vec![(closed, active)],
            };
            allowed.extend(allowed.clone().into_iter().flat_map(follow));
        }
        ensure!(allowed.contains(&is(after)), "active or closed: {:?}, not {allowed:?}", is(after));
        let [one] = made else { return Ok(()) };
        if had(one) == Had::Yes {
            match &one.call {
                Call::Open { .. } => ensure!(after.closed_at_ms.is_none(), "it is not open"),
                Call::Close => ensure!(after.closed_at_ms.is_some(), "it is not closed"),
                Call::Switch { .. } => {
                    let to = one.workspace.as_ref();
                    ensure!(to == Some(&after.active_sandbox_id), "it did not switch");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Remembers the snapshots that a crossing deletes: the owner may finish it later.
    fn note_crossings(&mut self, session: usize, made: &[Made]) -> Check {
        for one in made {
            if !matches!(one.call, Call::Delete { cross: true, purge: false, .. }) || session != 1 {
                continue;
            }
            let Ok(Reached::Foreign(id, _)) = self.reach(session, one) else { continue };
            let gone = self.stored(&id).is_none();
            ensure!(
                had(one) != Had::No || !gone || self.is_deleted(&id),
                "{id} was deleted all the same"
            );
            ensure!(had(one) != Had::Yes || gone, "{id} was deleted and is there");
            if gone && id == self.old {
                self.old_objects
                    .retain(|(key, _)| self.world.bucket.objects.borrow().contains_key(key));
            } else if had(one) != Had::No {
                self.sessions[0].crossed.insert(id.clone());
                // It may be the session's own snapshot, and lost.
                self.sessions[1].crossed.insert(id);
            }
        }
        Ok(())
    }

    /// Checks what holds at any time.
    fn check_invariants(&self, session: usize) -> Check {
        let known = &self.sessions[session];
        let seen = &known.seen;
        ensure!(seen.workspaces.len() <= MAX_WORKSPACES, "more workspaces than may be");
        ensure!(
            seen.running.len() <= MAX_RUNNING,
            "more containers run than may: {:?}",
            seen.running
        );
        self.check_put_aside(session)?;
        self.check_lost(session)?;
        self.check_no_machine(session)?;
        for rewind in &seen.rewinds {
            for id in [&rewind.backup_id, &rewind.safety_id] {
                let state = seen.snapshots.get(id).map(|row| row.state);
                ensure!(
                    state.is_none_or(|state| state == SnapshotState::Ready)
                        || known.crossed.contains(id),
                    "rewind {} needs {id}, which is {state:?}",
                    rewind.seq
                );
            }
        }
        let flattening = self.world.catalogue(session).flattening().unwrap();
        let mut names = BTreeSet::new();
        for row in seen.snapshots.values() {
            if row.state != SnapshotState::Ready {
                continue;
            }
            if let Some(name) = &row.annotations.name {
                ensure!(
                    self.is_expired(row) || names.insert(name),
                    "two snapshots are named {name}"
                );
            }
            let id = &row.id;
            let meta = self.meta(id).ok_or(format!("ready {id} has no meta.json"))?;
            let bytes = self.archive(&meta).ok_or(format!("ready {id} has no archive"))?;
            let files = self.stored(id).ok_or(format!("ready {id} lacks what is below it"))?;
            ensure!(known.contents[id].contains(&files), "the files of {id} have changed");
            // The record of a layer that becomes full, and of those above it, comes first.
            if flattening.iter().any(|of| of.snapshot_id == *id || row.chain.needs(&of.snapshot_id))
            {
                continue;
            }
            ensure!(row.chain == meta.chain(), "{id} has another chain");
            self.check_machine(session, row, &meta)?;
            let size = Some(bytes.len() as u64);
            ensure!(row.size_bytes == size && Some(meta.size_bytes) == size, "{id}: wrong size");
            let ours = meta.snapshotter.ok_or(format!("{id} is not ours"))?;
            ensure!(
                ours.sha256 == hex(&bytes) && row.sha256 == Some(ours.sha256),
                "{id}: wrong hash"
            );
            ensure!(ours.origin_sandbox_id == row.origin_sandbox_id, "{id}: wrong origin");
            let origin = &row.origin_sandbox_id;
            let is_ours = known.ever.contains(origin) || known.lost_workspaces.contains(origin);
            ensure!(is_ours, "{id}: not of this session");
        }
        Ok(())
    }
}
