//! With autosave, idle workspaces lose nothing.

use crate::calls::{Made, SAVED_EVERY_MS};
use crate::check::Check;
use crate::files::Tree;
use crate::model::{Files, Model, Seen};
use crate::script::Call;
use crate::world::{SESSIONS, SeenDisk};
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::workspace::{Workspace, WorkspaceState};
use std::collections::BTreeSet;

/// The longest time from a failed save to the next.
const RETRIED_WITHIN_MS: i64 = 660_000;

impl Model {
    /// Whether a workspace that was stopped by its session wakes with what it had.
    pub fn was_saved(
        &self,
        session: usize,
        row: &Workspace,
        had: &BTreeSet<Vec<u8>>,
        made: &[Made],
        after: &Seen,
    ) -> bool {
        let known = &self.sessions[session];
        // The rest of a stop that a crash left may come at any time.
        let is_left = known.left.iter().any(|one| matches!(one.call, Call::Alarm | Call::Close));
        // A close saves without autosave, too. An open may have come right after it.
        let closes = made.iter().any(|one| one.call == Call::Close);
        let is_closed =
            |seen: &Seen| seen.session.as_ref().is_some_and(|row| row.closed_at_ms.is_some());
        (self.world.autosave || closes || is_closed(&known.seen) || is_closed(after))
            && (is_left || self.woken(session, &[row]).iter().any(|bytes| had.contains(bytes)))
    }

    /// The platform stops no container with files that its session could have saved.
    pub fn check_stopped_by_idling(&self, id: &SandboxId, disk: Option<SeenDisk>) -> Check {
        let owner = (0..SESSIONS.len()).find(|number| self.sessions[*number].ever.contains(id));
        let (Some(owner), Some(disk)) = (owner, disk) else { return Ok(()) };
        let content = disk.content(self.world.machines[owner]);
        let (Some(instance), Some(bytes)) = (disk.instance, content) else { return Ok(()) };
        let row = self.world.catalogue(owner).workspace(id).unwrap();
        let Some(row) = row.filter(|row| row.state == WorkspaceState::Ready) else { return Ok(()) };
        let is_its = row.instance_id.as_ref().is_some_and(|its| its.as_str() == instance);
        if !self.world.autosave || !is_its || self.is_late(owner) {
            return Ok(());
        }
        let tree = Tree::from_bytes(&bytes);
        ensure!(
            self.woken(owner, &[&row]).contains(&bytes),
            "{id} was stopped with {tree:?} unsaved"
        );
        Ok(())
    }

    /// Whether the session's alarm is due, and has not come.
    fn is_late(&self, session: usize) -> bool {
        self.world.alarm(session).get().is_some_and(|at_ms| at_ms <= self.now_ms())
    }

    /// Checks that changes are saved as often as configured, or that the alarm is due
    /// to save them.
    pub fn check_saved(&mut self, session: usize, after: &Seen) -> Check {
        let mut since = std::mem::take(&mut self.sessions[session].unsaved_since_ms);
        since.retain(|id, _| after.workspaces.contains_key(id));
        for (id, (row, files)) in &after.workspaces {
            let saved = match files {
                Files::Held(bytes) if row.state == WorkspaceState::Ready => {
                    self.woken(session, &[row]).contains(bytes)
                }
                _ => true,
            };
            if saved {
                since.remove(id);
                continue;
            }
            let since_ms = *since.entry(id.clone()).or_insert(self.now_ms());
            let unsaved_ms = self.now_ms() - since_ms;
            ensure!(
                unsaved_ms <= SAVED_EVERY_MS + RETRIED_WITHIN_MS || self.is_late(session),
                "{id} is unsaved for {} s",
                unsaved_ms / 1_000
            );
        }
        self.sessions[session].unsaved_since_ms = since;
        Ok(())
    }

    /// Checks that at rest every workspace sleeps, and so is saved.
    pub fn check_asleep(&self) -> Check {
        let seen = self.sessions.iter().flat_map(|known| &known.seen.workspaces);
        for (id, (_, files)) in seen.filter(|_| self.world.autosave) {
            ensure!(!matches!(files, Files::Held(_)), "{id} still runs at rest");
        }
        Ok(())
    }
}
