//! The changes that a step may make to snapshots and their archives.

use crate::calls::{Done, Made, name_of};
use crate::check::{Check, Had, had};
use crate::model::{Files, Model, Reached, Seen};
use crate::script::Call;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use snapshotter::domain::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    pub fn check_snapshots(&mut self, session: usize, made: &[Made], after: &Seen) -> Check {
        let before = self.sessions[session].seen.clone();
        for id in before.snapshots.keys() {
            ensure!(after.snapshots.contains_key(id), "the row of {id} is gone");
        }
        let asked: Vec<&Made> =
            made.iter().filter(|one| matches!(one.call, Call::Snapshot { .. })).collect();
        // Each rewind takes a safety snapshot. One that fails gives it up again, if it can.
        let rewinds: Vec<Had> = made
            .iter()
            .filter(|one| matches!(one.call, Call::Rewind { .. }))
            .map(|one| if self.world.runtime.struck() { Had::Perhaps } else { had(one) })
            .collect();
        let is_safety = |row: &Snapshot| row.cause.trigger == SnapshotTrigger::Safety;
        let is_auto = |row: &Snapshot| row.cause.trigger == SnapshotTrigger::Auto;
        let alarm = made.iter().any(|one| one.call == Call::Alarm);
        // A pause or a live fork first saves the workspace, and a close all that run.
        let disturbed = made.len() > 1 || self.world.runtime.struck();
        let saves = made.iter().any(|one| {
            matches!(one.call, Call::Pause { .. } | Call::LiveFork { .. } | Call::Close)
                && (had(one) != Had::No || disturbed)
        });
        let answered: BTreeMap<BackupId, &Made> = asked
            .iter()
            .filter_map(|one| match &one.answer {
                Some(Ok(Done::Snapshot(view))) => Some((view.snapshot.id.clone(), *one)),
                _ => None,
            })
            .collect();
        let mut new = 0;
        for (id, row) in &after.snapshots {
            let was = before.snapshots.get(id).map(|row| row.state);
            let deletes: Vec<Had> = made
                .iter()
                .filter(|one| matches!(one.call, Call::Delete { .. }))
                .filter(|one| matches!(self.reach(session, one), Ok(Reached::Own(named)) if named == *id))
                .map(had)
                .collect();
            // A delete may name it by a name that a snapshot of this step has taken.
            let by_name = made.len() > 1
                && made
                    .iter()
                    .any(|one| matches!(one.call, Call::Delete { .. }) && had(one) != Had::No);
            let retains = made.iter().any(|one| one.call == Call::Retain && had(one) != Had::No);
            let pruned = (alarm || retains) && self.may_be_pruned(row, &before, after);
            let ruled = made.iter().any(|one| match one.call {
                Call::Prune { minutes, keep_last } if had(one) != Had::No => {
                    let kept = if made.len() > 1 { 0 } else { usize::from(keep_last) };
                    self.may_be_ruled_out(row, i64::from(minutes) * 60_000, kept, &before, after)
                }
                _ => false,
            });
            let crossed = self.sessions[session].crossed.contains(id);
            let deleted =
                pruned || ruled || by_name || crossed || deletes.iter().any(|had| *had != Had::No);
            let purges = made.iter().any(|one| {
                matches!(one.call, Call::Delete { purge: true, .. }) && had(one) != Had::No
            });
            let rebuilt =
                was.is_none_or(|was| was == SnapshotState::Failed) && row.rebuilt_at_ms.is_some();
            if rebuilt {
                self.check_put_back(session, row, made, after)?;
            }
            let follows = match (was, row.state) {
                (_, SnapshotState::Ready | SnapshotState::Released) if rebuilt => true,
                (None, _) if rebuilt => deleted,
                (None, SnapshotState::Ready) if is_auto(row) => alarm || saves,
                (None, _) if is_auto(row) => (alarm || saves) && disturbed,
                (None, SnapshotState::Failed) if is_safety(row) => !rewinds.is_empty(),
                (None, SnapshotState::Ready | SnapshotState::Pending) if is_safety(row) => {
                    rewinds.iter().any(|had| *had != Had::No)
                }
                (None, _) if is_safety(row) => {
                    deleted || rewinds.iter().any(|had| *had != Had::Yes)
                }
                (None, SnapshotState::Failed) => !asked.is_empty(),
                (None, SnapshotState::Pending) => asked.iter().any(|one| had(one) == Had::Perhaps),
                (None, SnapshotState::Ready) => {
                    answered.contains_key(id) || asked.iter().any(|one| had(one) == Had::Perhaps)
                }
                (None, _) => !asked.is_empty() && deleted,
                (Some(was), is) if was == is => true,
                (Some(SnapshotState::Pending), SnapshotState::Ready | SnapshotState::Failed) => {
                    alarm || self.may_have_woken(&row.origin_sandbox_id, &before, after)
                }
                (
                    Some(SnapshotState::Deleting),
                    SnapshotState::Held | SnapshotState::Released | SnapshotState::Deleted,
                ) => alarm || deleted,
                // The last layer above it has ended, or was found after a rebuild.
                (Some(SnapshotState::Held), SnapshotState::Released) => true,
                (
                    Some(SnapshotState::Held | SnapshotState::Released),
                    SnapshotState::Held | SnapshotState::Deleted,
                ) => alarm || purges,
                (
                    Some(SnapshotState::Ready | SnapshotState::Failed),
                    SnapshotState::Deleting
                    | SnapshotState::Held
                    | SnapshotState::Released
                    | SnapshotState::Deleted,
                ) => deleted,
                // It was completed after its time was up.
                (
                    Some(SnapshotState::Pending),
                    SnapshotState::Deleting
                    | SnapshotState::Held
                    | SnapshotState::Released
                    | SnapshotState::Deleted,
                ) => pruned || ruled && alarm,
                _ => false,
            };
            ensure!(follows, "snapshot {id} went from {was:?} to {:?}", row.state);
            if deletes.contains(&Had::Yes) {
                ensure!(row.state.is_deleted(), "{id} was deleted and is {:?}", row.state);
            }
            let by_itself = is_safety(row) || is_auto(row);
            let by_itself = by_itself || rebuilt;
            if was.is_none() && row.state != SnapshotState::Failed && !by_itself {
                new += 1;
            }
            let was = before.snapshots.get(id);
            self.check_description(session, was, row, made, &answered, after)?;
            if let Some(one) = answered.get(id)
                && was.is_some()
            {
                self.check_equal(session, made, one, row, &before, after)?;
            }
            self.note_content(session, made, row, &before, after)?;
        }
        self.check_names_given(&asked, &before)?;
        for id in answered.keys() {
            ensure!(after.snapshots.contains_key(id), "snapshot {id} was taken and has no row");
        }
        ensure!(
            new <= asked.iter().filter(|one| had(one) != Had::No).count(),
            "more snapshots than were asked for"
        );
        Ok(())
    }

    /// Whether a workspace was woken, or that was tried: it recovers first what it may wake from.
    fn may_have_woken(&self, id: &SandboxId, before: &Seen, after: &Seen) -> bool {
        let (was, is) = (before.workspaces.get(id), after.workspaces.get(id));
        let disk = |seen: Option<&(Workspace, Files)>| seen.map(|(row, _)| row.instance_id.clone());
        disk(was) != disk(is)
            || self.killed.contains(id)
            || [was, is].into_iter().flatten().any(|(_, files)| *files == Files::Asleep)
    }

    /// Checks that a name goes only to a snapshot that asked to replace its holder, or
    /// that found no holder.
    fn check_names_given(&self, asked: &[&Made], before: &Seen) -> Check {
        let mut names = BTreeSet::new();
        for one in asked {
            let Call::Snapshot { name: Some(name), replace: false, .. } = one.call else {
                continue;
            };
            let alone = asked
                .iter()
                .all(|other| !matches!(other.call, Call::Snapshot { replace: true, .. }));
            if had(one) == Had::Yes && alone {
                let held = before.snapshots.values().any(|row| {
                    row.annotations.name == Some(name_of(name))
                        && row.state == SnapshotState::Pending
                });
                ensure!(names.insert(name) && !held, "the name {name} was given twice");
            }
        }
        Ok(())
    }
}
