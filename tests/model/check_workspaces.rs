//! The changes that a step may make to workspaces and their files.

use crate::calls::{Done, Made, applied};
use crate::check::{Check, Had, had};
use crate::check_live_forks::made_by;
use crate::check_pauses::is_about;
use crate::files::Tree;
use crate::model::{Files, Model, Seen};
use crate::script::Call;
use crate::world::SESSIONS;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::SnapshotState;
use snapshotter::domain::workspace::{Workspace, WorkspaceState};
use std::collections::BTreeSet;

impl Model {
    pub fn check_workspaces(&self, session: usize, made: &[Made], after: &Seen) -> Check {
        let before = &self.sessions[session].seen;
        let alarm = made.iter().any(|one| one.call == Call::Alarm);
        let forks: Vec<&Made> = made
            .iter()
            .filter(|one| matches!(one.call, Call::Fork { .. } | Call::LiveFork { .. }))
            .collect();
        let closes = made.iter().any(|one| one.call == Call::Close && had(one) != Had::No);
        let actives = self.actives(session, made, after);
        for (id, (was, had_files)) in &before.workspaces {
            let destroys = made.iter().filter(|one| {
                matches!(one.call, Call::Destroy { .. }) && one.workspace.as_ref() == Some(id)
            });
            let destroys: Vec<Had> = destroys.map(had).collect();
            let now = after.workspaces.get(id);
            let retired = alarm
                && was.paused_at_ms.is_none()
                && was.last_used_at_ms + 7 * 24 * 3_600_000 <= self.now_ms();
            let ended = closes || retired || destroys.iter().any(|had| *had != Had::No);
            let follows = match (was.state, now.map(|(row, _)| row.state)) {
                (was, Some(is)) if was == is => true,
                (WorkspaceState::Ready, None | Some(WorkspaceState::Destroying)) => ended,
                (WorkspaceState::Destroying, None) => ended || alarm,
                (WorkspaceState::Creating, None) => alarm,
                _ => false,
            };
            let is = now.map(|(row, _)| row.state);
            if let Some((row, _)) = now {
                self.check_head(session, was, row, made, after)?;
            }
            ensure!(follows, "workspace {id} went from {:?} to {is:?}", was.state);
            ensure!(
                !destroys.contains(&Had::Yes) || now.is_none(),
                "{id} was destroyed and is {is:?}"
            );
            let Some((row, files)) = now else { continue };
            self.check_pause(session, was, had_files, row, made, &actives)?;
            if row.state != WorkspaceState::Ready || files == had_files {
                continue;
            }
            let mut made = made.to_vec();
            made.retain(|one| actives.contains(id) || is_about(one, id, &actives));
            let left = &self.sessions[session].left;
            let woken = self.woken(session, &[was, row]);
            let made = [made, left.clone()].concat();
            let allowed = self.possible_files(session, id, had_files, &woken, &made);
            let follows = match files {
                Files::Held(bytes) => allowed.contains(bytes),
                Files::Asleep => {
                    self.killed.contains(id)
                        || row.paused_at_ms.is_some()
                        || self.was_saved(session, row, &allowed, &made, after)
                        || self.is_between_containers(session, &made, after, row, &allowed)
                }
                Files::Unused => false,
            };
            ensure!(
                follows,
                "the files of {id} went from {had_files:?} to {files:?}, not {allowed:?}"
            );
        }
        for (id, (row, files)) in &after.workspaces {
            if before.workspaces.contains_key(id) {
                continue;
            }
            let origin = id.as_str() == SESSIONS[session];
            let opened = made.iter().any(|one| {
                matches!(one.call, Call::Open { .. })
                    && (before.session.as_ref().unwrap().closed_at_ms.is_some() || closes)
            });
            let none = BTreeSet::from([Vec::new()]);
            let begun = self.possible_files(session, id, &Files::Unused, &none, made);
            let is_begun = match files {
                Files::Unused => true,
                // By the other call.
                Files::Held(bytes) => made.len() > 1 && begun.contains(bytes),
                Files::Asleep => false,
            };
            if origin && opened && is_begun {
                continue;
            }
            let by = forks.iter().find(|one| made_by(one).contains(id));
            // Its host may have stopped right before the answer.
            let cut_off = || forks.iter().find(|one| one.answer.is_none());
            let by = by.or_else(|| cut_off().filter(|_| row.state == WorkspaceState::Ready));
            let Some(by) = by else {
                let begun = row.state == WorkspaceState::Creating && !forks.is_empty();
                ensure!(begun, "workspace {id} appeared, {:?}", row.state);
                continue;
            };
            let source = self.source_of(session, by, row.from_backup_id.as_ref());
            let lost = *files == Files::Asleep && self.world.runtime.struck();
            let exact = matches!(files, Files::Held(bytes) if source.contains(bytes));
            ensure!(exact || lost, "{id} has {files:?} and was made from {source:?}");
        }
        if let [Made { call: Call::Close, answer: Some(Ok(_)), .. }] = made {
            let row = before.session.as_ref().unwrap();
            let destroys = row.config.destroy_on_close == Some(true) && row.closed_at_ms.is_none();
            let mut left = after.workspaces.values().map(|(row, _)| row.state);
            ensure!(
                !destroys || left.all(|state| state != WorkspaceState::Ready),
                "it was to be destroyed on close"
            );
        }
        for one in &forks {
            self.check_fork_source(session, one, made, after)?;
            for id in made_by(one) {
                let gone = made.len() > 1 && closes;
                ensure!(
                    gone || after.workspaces.contains_key(&id),
                    "{id} was made and is not there"
                );
            }
        }
        Ok(())
    }

    /// Checks that a head is the last archive that the files equalled. It moves to a
    /// completed snapshot, and goes when its snapshot is deleted or given up.
    fn check_head(
        &self,
        session: usize,
        was: &Workspace,
        row: &Workspace,
        made: &[Made],
        after: &Seen,
    ) -> Check {
        let (id, head) = (&row.sandbox_id, &row.head_backup_id);
        let fresh = made.iter().any(|one| one.call == Call::StartFresh && had(one) != Had::No);
        let state = |id: &BackupId| after.snapshots.get(id).map(|row| row.state);
        let follows = match (&was.head_backup_id, head) {
            (before, now) if before == now => true,
            (_, Some(now)) if self.is_rewound_to(session, id, now) => true,
            (_, Some(now)) => {
                after.snapshots.get(now).is_some_and(|taken| taken.origin_sandbox_id == *id)
                    && state(now) == Some(SnapshotState::Ready)
            }
            (Some(before), None) => fresh || state(before) != Some(SnapshotState::Ready),
            (None, None) => true,
        };
        ensure!(follows, "the head of {id} went from {:?} to {head:?}", was.head_backup_id);
        let [Made { answer: Some(Ok(Done::Snapshot(view))), call: Call::Snapshot { .. }, .. }] =
            made
        else {
            return Ok(());
        };
        // An earlier snapshot may be of another workspace, which this one came from.
        let active = after.session.as_ref().map(|row| &row.active_sandbox_id);
        let origin = view.r#ref.payload.origin_sandbox_id.as_ref();
        let taken = if view.unchanged { active } else { origin } == Some(id);
        ensure!(
            !taken || head.as_ref() == Some(&view.snapshot.id),
            "{id} was saved and has {head:?}"
        );
        Ok(())
    }

    /// The workspaces that the calls may have acted on.
    pub fn actives(&self, session: usize, made: &[Made], after: &Seen) -> BTreeSet<SandboxId> {
        let rows = [&self.sessions[session].seen.session, &after.session];
        let mut actives: BTreeSet<SandboxId> =
            rows.into_iter().flatten().map(|row| row.active_sandbox_id.clone()).collect();
        let switches = made.iter().filter(|one| matches!(one.call, Call::Switch { .. }));
        actives.extend(switches.filter_map(|one| one.workspace.clone()));
        actives
    }

    /// Every state that the files may be in after these calls.
    pub fn possible_files(
        &self,
        session: usize,
        id: &SandboxId,
        before: &Files,
        woken: &BTreeSet<Vec<u8>>,
        made: &[Made],
    ) -> BTreeSet<Vec<u8>> {
        self.follow(session, id, before, woken, made).last().cloned().unwrap_or_default()
    }

    /// Every state that they may have been in from before these calls until after.
    pub fn passed_files(
        &self,
        session: usize,
        id: &SandboxId,
        before: &Files,
        woken: &BTreeSet<Vec<u8>>,
        made: &[Made],
    ) -> BTreeSet<Vec<u8>> {
        self.follow(session, id, before, woken, made).into_iter().flatten().collect()
    }

    /// The states before the first call, after each, and after all in any order.
    fn follow(
        &self,
        session: usize,
        id: &SandboxId,
        before: &Files,
        woken: &BTreeSet<Vec<u8>>,
        made: &[Made],
    ) -> Vec<BTreeSet<Vec<u8>>> {
        let fresh = made.iter().any(|one| one.call == Call::StartFresh && had(one) != Had::No);
        let mut possible: BTreeSet<Tree> =
            before.bytes().iter().map(|bytes| Tree::from_bytes(bytes)).collect();
        let is_end = |one: &&Made| matches!(one.call, Call::DestroyContainer { .. });
        let ended = made.iter().filter(is_end).any(|one| had(one) != Had::No);
        // It may fall asleep between two calls.
        if *before == Files::Asleep || self.world.runtime.struck() || ended {
            possible.extend(woken.iter().map(|bytes| Tree::from_bytes(bytes)));
        }
        if fresh {
            possible.insert(Tree::default());
        }
        // A rewind that a crash left is done again before anything else.
        let left: BTreeSet<Vec<u8>> = self.left_targets(session, id);
        possible.extend(left.iter().map(|bytes| Tree::from_bytes(bytes)));
        let one_order: Vec<&Made> = made.iter().collect();
        let other_order: Vec<&Made> = made.iter().rev().collect();
        // A container that dies after one call is woken by the other.
        let dies = made.len() > 1 && self.world.runtime.struck();
        let others_act = dies
            || made.iter().any(|one| {
                matches!(
                    one.call,
                    Call::Switch { .. }
                        | Call::DestroyContainer { .. }
                        | Call::StartFresh
                        | Call::Close
                        | Call::Open { .. }
                )
            });
        let mut steps = vec![possible.clone()];
        let mut all = BTreeSet::new();
        for order in [one_order, other_order] {
            let mut reached = possible.clone();
            for one in order {
                let next: BTreeSet<Tree> = if matches!(one.call, Call::Rewind { .. }) {
                    self.targets(session, one).iter().map(|bytes| Tree::from_bytes(bytes)).collect()
                } else {
                    reached
                        .iter()
                        .filter_map(|tree| applied(&one.call, tree, self.world.machines[session]))
                        .collect()
                };
                match had(one) {
                    Had::No => {}
                    Had::Yes if !others_act => reached = next,
                    _ => reached.extend(next),
                }
                steps.push(reached.clone());
            }
            all.extend(reached);
        }
        steps.push(all);
        steps.iter().map(|trees| trees.iter().map(Tree::to_bytes).collect()).collect()
    }
}
