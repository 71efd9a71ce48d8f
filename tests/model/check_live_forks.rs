//! The files and the number of live forks.

use crate::calls::{Done, Made};
use crate::check::Check;
use crate::model::{Files, MAX_RUNNING, MAX_WORKSPACES, Model, Seen};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::SandboxId;
use snapshotter::session::{LiveFork, LiveForks};
use std::collections::BTreeSet;

/// The workspaces that a call reports as made.
pub fn made_by(one: &Made) -> Vec<SandboxId> {
    match &one.answer {
        Some(Ok(Done::MadeWorkspace(id))) => vec![id.clone()],
        Some(Ok(Done::LiveForks(forks))) => made_of(forks),
        _ => Vec::new(),
    }
}

fn made_of(forks: &LiveForks) -> Vec<SandboxId> {
    let made = forks.workspaces.iter().filter_map(|result| match result {
        LiveFork::Made { r#ref } => Some(r#ref.sandbox_id().clone()),
        LiveFork::Failed { .. } => None,
    });
    made.collect()
}

impl Model {
    /// Checks that the workspace had the forks' files between call and answer.
    pub fn check_fork_source(
        &self,
        session: usize,
        one: &Made,
        made: &[Made],
        after: &Seen,
    ) -> Check {
        let Some(Ok(Done::LiveForks(forks))) = &one.answer else { return Ok(()) };
        for result in &forks.workspaces {
            // Their snapshot was kept for them.
            let gone = matches!(result, LiveFork::Failed { error } if error.code == ErrorCode::SnapshotGone);
            ensure!(!gone || self.loses || self.world.runtime.struck(), "a fork became {result:?}");
        }
        let before = &self.sessions[session].seen;
        let with_left = [made, &self.sessions[session].left].concat();
        let mut passed = BTreeSet::new();
        for id in self.actives(session, made, after) {
            // One that an open beside it has made begins without files.
            let new = after.workspaces.get(&id).map(|(row, _)| (row, &Files::Unused));
            let known = before.workspaces.get(&id).map(|(row, files)| (row, files));
            let Some((row, files)) = known.or(new) else { continue };
            let now = after.workspaces.get(&id).map_or(row, |(row, _)| row);
            let woken = self.woken(session, &[row, now]);
            passed.extend(self.passed_files(session, &id, files, &woken, &with_left));
        }
        let from = &forks.from_snapshot_id;
        let held = self.contents_of(session, from);
        ensure!(
            held.iter().any(|bytes| passed.contains(bytes)),
            "forks were made from {from}, which holds {held:?}, and the workspace had {passed:?}"
        );
        Ok(())
    }

    /// Checks that an undisturbed live fork makes as many workspaces as there is
    /// room for, each with the active workspace's files, and leaves that one as it is.
    pub fn check_live_fork(&self, session: usize, count: u32, forks: &LiveForks) -> Check {
        let before = &self.sessions[session].seen;
        let active = &before.session.as_ref().unwrap().active_sandbox_id;
        let room = (MAX_WORKSPACES - before.workspaces.len())
            .min(MAX_RUNNING.saturating_sub(self.running(session, Some(active)) + 1));
        let ids = made_of(forks);
        ensure!(forks.workspaces.len() == count as usize, "not {count} results: {forks:?}");
        ensure!(ids.len() == room.min(count as usize), "there is room for {room}: {forks:?}");
        for result in &forks.workspaces {
            let refused = matches!(result, LiveFork::Failed { error } if error.code != ErrorCode::QuotaExceeded);
            ensure!(!refused, "instead of a fork there is {result:?}");
        }
        let files = Files::Held(self.active(session, &mut Vec::new()).to_bytes());
        let now = self.look(session);
        for id in ids.iter().chain([active]) {
            let found = now.workspaces.get(id).map(|(_, files)| files);
            ensure!(found == Some(&files), "{id} has {found:?}, and was forked from {files:?}");
        }
        let new = now.workspaces.keys().filter(|id| !before.workspaces.contains_key(*id));
        let new: Vec<&SandboxId> = new.filter(|id| !ids.contains(id)).collect();
        ensure!(new.is_empty(), "a live fork left {new:?}");
        Ok(())
    }
}
