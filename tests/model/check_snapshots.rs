//! What a step may do to snapshots, and what their archives may hold.

use crate::check::{Check, Had, had};
use crate::model::{Files, Model, Reached, Seen};
use crate::play::{Done, Made, name_of};
use crate::script::Call;
use snapshotter::domain::backup::data_key;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::{Snapshot, SnapshotState};
use snapshotter::domain::workspace::WorkspaceState;
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    pub fn check_snapshots(&mut self, session: usize, made: &[Made], after: &Seen) -> Check {
        let before = self.sessions[session].seen.clone();
        for id in before.snapshots.keys() {
            ensure!(after.snapshots.contains_key(id), "the row of {id} is gone");
        }
        let asked: Vec<&Made> =
            made.iter().filter(|one| matches!(one.call, Call::Snapshot { .. })).collect();
        let alarm = made.iter().any(|one| one.call == Call::Alarm);
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
            // By a name that a snapshot of this step has taken meanwhile.
            let by_name = made.len() > 1
                && made
                    .iter()
                    .any(|one| matches!(one.call, Call::Delete { .. }) && had(one) != Had::No);
            let pruned = alarm && self.may_be_pruned(row, &before, after);
            let ruled = made.iter().any(|one| match one.call {
                Call::Prune { minutes, keep_last } if had(one) != Had::No => {
                    let kept = if made.len() > 1 { 0 } else { usize::from(keep_last) };
                    self.may_be_ruled_out(row, i64::from(minutes) * 60_000, kept, &before, after)
                }
                _ => false,
            });
            let deleted = pruned || ruled || by_name || deletes.iter().any(|had| *had != Had::No);
            let follows = match (was, row.state) {
                (None, SnapshotState::Failed) => !asked.is_empty(),
                (None, SnapshotState::Pending) => asked.iter().any(|one| had(one) == Had::Perhaps),
                (None, SnapshotState::Ready) => {
                    answered.contains_key(id) || asked.iter().any(|one| had(one) == Had::Perhaps)
                }
                (None, _) => !asked.is_empty() && deleted,
                (Some(was), is) if was == is => true,
                (Some(SnapshotState::Pending), SnapshotState::Ready | SnapshotState::Failed) => {
                    alarm
                }
                (Some(SnapshotState::Deleting), SnapshotState::Deleted) => alarm || deleted,
                (
                    Some(SnapshotState::Ready | SnapshotState::Failed),
                    SnapshotState::Deleting | SnapshotState::Deleted,
                ) => deleted,
                // It was completed after its time.
                (
                    Some(SnapshotState::Pending),
                    SnapshotState::Deleting | SnapshotState::Deleted,
                ) => pruned || ruled && alarm,
                // What a sweep finds gone.
                (Some(SnapshotState::Ready), SnapshotState::Failed) => {
                    self.sessions[session].crossed.contains(id)
                }
                _ => false,
            };
            ensure!(follows, "snapshot {id} went from {was:?} to {:?}", row.state);
            if deletes.contains(&Had::Yes) {
                ensure!(
                    row.state == SnapshotState::Deleted,
                    "{id} was deleted and is {:?}",
                    row.state
                );
            }
            if was.is_none() && row.state != SnapshotState::Failed {
                new += 1;
            }
            let was = before.snapshots.get(id);
            self.check_description(was, row, &asked, &answered, &before, after)?;
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

    /// A name is given to one that asked to replace its holder, or that found none.
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
                    row.name == Some(name_of(name)) && row.state == SnapshotState::Pending
                });
                ensure!(names.insert(name) && !held, "the name {name} was given twice");
            }
        }
        Ok(())
    }

    /// Whether retention may delete it: its time is up, it is not the newest, and
    /// no workspace wakes from it or is being made from it.
    fn may_be_pruned(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        // What is settled before the look counts too.
        let rows = before.snapshots.values().chain(after.snapshots.values());
        let ready = rows.filter(|row| row.state == SnapshotState::Ready);
        let newest = ready.map(|row| (row.created_at_ms, row.seq)).max();
        let ends_ms = row.created_at_ms + i64::try_from(row.ttl_secs).unwrap() * 1_000;
        ends_ms <= self.now_ms()
            && newest != Some((row.created_at_ms, row.seq))
            && self.is_free(row, before, after)
    }

    /// Whether a prune by a rule may delete it: it is old enough and not one of
    /// the latest so many, and no workspace needs it.
    fn may_be_ruled_out(
        &self,
        row: &Snapshot,
        older_than_ms: i64,
        keep_last: usize,
        before: &Seen,
        after: &Seen,
    ) -> bool {
        let rows = before.snapshots.iter().chain(&after.snapshots);
        let ready = rows.filter(|(_, row)| row.state == SnapshotState::Ready);
        let later: BTreeSet<&BackupId> = ready
            .filter(|(_, other)| (other.created_at_ms, other.seq) > (row.created_at_ms, row.seq))
            .map(|(id, _)| id)
            .collect();
        row.created_at_ms + older_than_ms <= self.now_ms()
            && later.len() >= keep_last
            && self.is_free(row, before, after)
    }

    /// Whether no workspace wakes from it or is being made from it.
    fn is_free(&self, row: &Snapshot, before: &Seen, after: &Seen) -> bool {
        let id = Some(&row.id);
        before.workspaces.iter().all(|(workspace, (was, _))| {
            let Some((is, _)) = after.workspaces.get(workspace) else { return true };
            let wakes = was.head_backup_id.as_ref() == id && is.head_backup_id.is_none();
            let creating = is.state == WorkspaceState::Creating;
            !(wakes || creating && is.from_backup_id.as_ref() == id)
        })
    }

    /// What a row says besides its state.
    fn check_description(
        &self,
        was: Option<&Snapshot>,
        row: &Snapshot,
        asked: &[&Made],
        answered: &BTreeMap<BackupId, &Made>,
        before: &Seen,
        after: &Seen,
    ) -> Check {
        let id = &row.id;
        // Asked for again while nothing had changed, it is given what a new one would have.
        let adopted = asked.iter().any(|one| had(one) != Had::No);
        if let Some(was) = was {
            ensure!(was.origin_sandbox_id == row.origin_sandbox_id, "{id} has another origin");
            ensure!(was.parent_id == row.parent_id, "{id} has another parent");
            if was.state == SnapshotState::Ready {
                let facts = |row: &Snapshot| (row.size_bytes, row.created_at_ms);
                ensure!(facts(was) == facts(row), "{id} is described anew");
                let lives = was.ttl_secs == row.ttl_secs || adopted && was.ttl_secs < row.ttl_secs;
                ensure!(lives, "{id} lives {} s, not {}", row.ttl_secs, was.ttl_secs);
            }
            let moved = || {
                after.snapshots.values().any(|other| {
                    other.name == was.name
                        && other.state == SnapshotState::Ready
                        && before.snapshots.get(&other.id).is_none_or(|before| {
                            before.state != SnapshotState::Ready
                                || adopted && before.name != other.name
                        })
                })
            };
            ensure!(
                was.name == row.name
                    || (row.name.is_none() && moved())
                    || (was.name.is_none() && adopted),
                "{id} lost its name {:?}",
                was.name
            );
        }
        if let Some(one) = answered.get(id) {
            let Call::Snapshot { name, short, .. } = one.call else { unreachable!() };
            let kept = was.filter(|_| name.is_none()).and_then(|was| was.name.clone());
            ensure!(
                row.name == name.map(name_of).or(kept) || asked.len() > 1,
                "{id} has the name {:?}",
                row.name
            );
            let ttl_secs = if short { 600 } else { 259_200 };
            ensure!(
                row.ttl_secs == ttl_secs
                    || (was.is_some() || asked.len() > 1) && row.ttl_secs > ttl_secs,
                "{id} has another ttl"
            );
            ensure!(row.created_at_ms <= self.now_ms(), "{id} is from the future");
        }
        Ok(())
    }

    /// One that there was is answered only if it holds what the workspace has.
    fn check_equal(
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
            let woken = self.woken(&[workspace]);
            had.extend(woken.clone());
            had.extend(files.bytes());
            had.extend(self.possible_files(files, &woken, &made));
        }
        let held = &self.sessions[session].contents[&row.id];
        ensure!(
            held.iter().any(|bytes| had.contains(bytes)) || made.len() > 1,
            "{} holds {held:?}, and the workspace had {had:?}",
            row.id
        );
        Ok(())
    }

    /// What an archive may hold: any state its workspace's files had since it was asked for.
    fn note_content(
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
        for seen in [before, after] {
            let Some((row, files)) = seen.workspaces.get(origin) else { continue };
            let woken = self.woken(&[row]);
            match files {
                Files::Asleep => held.extend(woken.clone()),
                _ => held.extend(files.bytes()),
            }
            held.extend(self.possible_files(files, &woken, &made));
        }
        let contents = self.sessions[session].contents.entry(row.id.clone()).or_default();
        contents.extend(held);
        if row.state == SnapshotState::Ready {
            let bytes = self.world.bucket.objects.borrow().get(&data_key(&row.id)).cloned();
            let bytes = bytes.ok_or(format!("{} is ready without an archive", row.id))?;
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
}
