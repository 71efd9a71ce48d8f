//! A paused workspace stays down, and comes back with every file it had.

use crate::calls::Made;
use crate::check::{Check, Had, had};
use crate::files::Tree;
use crate::model::{Files, Model};
use crate::script::Call;
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::workspace::{Workspace, WorkspaceStatus};
use snapshotter::session::{Paused, Resumed};
use std::collections::BTreeSet;

/// Whether a call pauses or resumes this workspace: it names it, or it names none
/// and this one may have been active.
pub fn is_about(one: &Made, id: &SandboxId, actives: &BTreeSet<SandboxId>) -> bool {
    matches!(one.call, Call::Pause { .. } | Call::Resume { .. })
        && one.workspace.as_ref().map_or(actives.contains(id), |named| named == id)
}

impl Model {
    /// Checks that a workspace is paused or resumed only by a call, and paused only
    /// with a head that has its files.
    pub fn check_pause(
        &self,
        session: usize,
        was: &Workspace,
        had_files: &Files,
        row: &Workspace,
        made: &[Made],
        actives: &BTreeSet<SandboxId>,
    ) -> Check {
        let id = &row.sandbox_id;
        let asked = |pauses: bool| {
            made.iter().any(|one| {
                let is_such = match one.call {
                    Call::Pause { .. } => pauses && is_about(one, id, actives),
                    Call::Resume { .. } => !pauses && is_about(one, id, actives),
                    Call::StartFresh => !pauses && actives.contains(id),
                    _ => false,
                };
                is_such && had(one) != Had::No
            })
        };
        match (was.paused_at_ms, row.paused_at_ms) {
            (None, Some(_)) => {
                ensure!(asked(true), "{id} was paused, and nobody asked for it");
                let made = [made, &self.sessions[session].left].concat();
                // No workspace wakes from a snapshot that a forced delete removed.
                let now = if row.head_backup_id.is_none() { row } else { was };
                let woken = self.woken(session, &[was, now]);
                let passed = self.passed_files(session, id, had_files, &woken, &made);
                let head = self.woken(session, &[row]);
                ensure!(
                    head.iter().any(|bytes| passed.contains(bytes)),
                    "{id} was paused with {head:?}, and had {passed:?}"
                );
            }
            (Some(_), None) => ensure!(asked(false), "{id} was resumed, and nobody asked for it"),
            _ => {}
        }
        if let [one] = made
            && had(one) == Had::Yes
            && is_about(one, id, actives)
        {
            let pauses = matches!(one.call, Call::Pause { .. });
            ensure!(pauses == row.paused_at_ms.is_some(), "{id} is not what {:?} says", one.answer);
        }
        Ok(())
    }

    /// Checks that a paused workspace has no container, unless it is about to be
    /// released, and no files that its head lacks.
    pub fn check_put_aside(&self, session: usize) -> Check {
        let known = &self.sessions[session];
        for (id, (row, files)) in &known.seen.workspaces {
            if row.paused_at_ms.is_none() {
                continue;
            }
            let runs = known.seen.running.contains(id);
            let unreleased = known.seen.unreleased.contains(id);
            ensure!(!runs || unreleased, "{id} is paused, and its container runs");
            if let Files::Held(bytes) = files
                && row.head_backup_id.is_some()
                && known.left.is_empty()
            {
                ensure!(
                    self.woken(session, &[row]).contains(bytes),
                    "{id} is paused with files unsaved"
                );
            }
        }
        Ok(())
    }

    /// Checks the answer of an undisturbed pause.
    pub fn check_paused(&self, session: usize, paused: &Paused) -> Check {
        let id = paused.workspace.r#ref.sandbox_id();
        ensure!(paused.workspace.status == WorkspaceStatus::Paused, "{:?}", paused.workspace);
        let runs = self.world.running().contains(id);
        ensure!(!runs, "{id} was paused, and its container runs");
        let (row, files) = &self.sessions[session].seen.workspaces[id];
        let now = self.look(session);
        let (now, _) = &now.workspaces[id];
        let expected = match (files, row.paused_at_ms) {
            (Files::Held(_), None) => self.usable(session, id, &mut Vec::new()).to_bytes(),
            // It has not changed.
            _ => {
                ensure!(now.head_backup_id == row.head_backup_id, "{id} has another head");
                return Ok(());
            }
        };
        let head = match &now.head_backup_id {
            Some(head) => self.restored(session, head),
            None => None,
        };
        ensure!(head == Some(expected), "{id} was paused with {head:?}, and had {files:?}");
        Ok(())
    }

    /// Checks the answer of an undisturbed resume.
    pub fn check_resumed(&self, session: usize, resumed: &Resumed) -> Check {
        let id = resumed.workspace.r#ref.sandbox_id();
        ensure!(resumed.workspace.status == WorkspaceStatus::Running, "{:?}", resumed.workspace);
        let expected = self.usable(session, id, &mut Vec::new());
        let now = self.look(session);
        let files = &now.workspaces[id].1;
        ensure!(
            matches!(files, Files::Held(bytes) if Tree::from_bytes(bytes) == expected),
            "{id} was resumed with {files:?}, and had {expected:?}"
        );
        Ok(())
    }
}
