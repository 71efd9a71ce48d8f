//! The reasons why an undisturbed call is refused.

use crate::calls::{Made, applied, name_of, path_of, text_of};
use crate::files::Tree;
use crate::model::{Files, MAX_RUNNING, MAX_WORKSPACES, Model, Reached};
use crate::reach::owner;
use crate::script::{Call, Edit};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::limits::{REBUILT_KEPT_MS, TTL_MAX_SECS};
use snapshotter::domain::snapshot::{SnapshotState, SnapshotTrigger};
use snapshotter::domain::workspace::{Workspace, WorkspaceState};

impl Model {
    /// How many containers run, or may run, without the one of `starting`.
    pub fn running(&self, session: usize, starting: Option<&SandboxId>) -> usize {
        let seen = &self.sessions[session].seen;
        let counts = |(id, (row, files)): &(&SandboxId, &(Workspace, Files))| match row.state {
            WorkspaceState::Ready => *files != Files::Unused && seen.running.contains(*id),
            _ => true,
        };
        let rows = seen.workspaces.iter();
        rows.filter(counts).filter(|(id, _)| starting != Some(*id)).count()
    }

    /// The files that tools act on, and why they can't.
    pub fn active(&self, session: usize, refusals: &mut Vec<ErrorCode>) -> Tree {
        let seen = &self.sessions[session].seen;
        let active = &seen.session.as_ref().unwrap().active_sandbox_id;
        match seen.workspaces.get(active) {
            Some((row, _)) if row.paused_at_ms.is_none() => self.usable(session, active, refusals),
            // The caller of such a session has to decide what to do.
            _ => {
                refusals.push(ErrorCode::Conflict);
                Tree::default()
            }
        }
    }

    /// The files that a workspace has, or wakes with, and why it cannot wake.
    pub fn usable(&self, session: usize, id: &SandboxId, refusals: &mut Vec<ErrorCode>) -> Tree {
        let seen = &self.sessions[session].seen;
        match seen.workspaces.get(id) {
            Some((row, files)) if row.state == WorkspaceState::Ready => {
                let rewind = seen.rewinds.iter().find(|rewind| rewind.sandbox_id == *id);
                // A paused workspace's container is released first.
                if let (Files::Held(bytes), None) = (files, row.paused_at_ms) {
                    // The rewind is done again first, and given up if its snapshot is gone.
                    let redone =
                        rewind.and_then(|rewind| self.restored(session, &rewind.backup_id));
                    return Tree::from_bytes(redone.as_ref().unwrap_or(bytes));
                }
                if self.running(session, Some(id)) >= MAX_RUNNING {
                    refusals.push(ErrorCode::QuotaExceeded);
                }
                let head = row.head_backup_id.as_ref().filter(|_| *files != Files::Unused);
                // A save that a crash left is completed first.
                let left = seen.snapshots.values().filter(|save| {
                    save.state == SnapshotState::Pending
                        && save.origin_sandbox_id == *id
                        && save.is_way_back()
                        && save.seq > row.head_seq
                        && self.stored(&save.id).is_some()
                });
                let left = left.max_by_key(|save| save.seq).map(|save| &save.id);
                // A rewind that destroyed the container is done again, or undone.
                let rewind = rewind.filter(|_| self.world.machines[session]);
                let redone = rewind.map(|rewind| self.redone(rewind));
                if let Some(head) = redone.or(left).or(head) {
                    match self.restored(session, head) {
                        Some(bytes) => return Tree::from_bytes(&bytes),
                        None => refusals.push(ErrorCode::RestoreFailed),
                    }
                }
            }
            _ => refusals.push(ErrorCode::Conflict),
        }
        Tree::default()
    }

    /// What keeps a snapshot from being deleted in a session.
    fn kept(&self, session: usize, id: &BackupId, force: bool, refusals: &mut Vec<ErrorCode>) {
        let seen = &self.sessions[session].seen;
        let is_read = self.is_read(session, id);
        let is_needed = seen.workspaces.values().any(|(row, files)| {
            let sleeps = !matches!(files, Files::Held(_)) || row.paused_at_ms.is_some();
            row.head_backup_id.as_ref() == Some(id) && (sleeps || !self.world.autosave)
        });
        let is_lent =
            self.is_lent(session, id, true) || (!force && self.is_lent(session, id, false));
        let kept = match seen.snapshots.get(id).map(|row| row.state) {
            _ if is_needed && !force => true,
            Some(state) if state.is_deleted() => false,
            Some(SnapshotState::Pending) => true,
            _ if is_read => true,
            Some(SnapshotState::Ready) if is_lent => true,
            Some(SnapshotState::Ready) => {
                let row = &seen.snapshots[id];
                !force && (row.pinned || (row.published && !self.is_expired(row)))
            }
            _ => false,
        };
        if kept {
            refusals.push(ErrorCode::Conflict);
        }
    }

    /// Why a snapshot can't be restored.
    fn check_source(&self, session: usize, made: &Made, refusals: &mut Vec<ErrorCode>) {
        let seen = &self.sessions[session].seen;
        match self.reach(session, made) {
            Err(code) => refusals.push(code),
            Ok(Reached::Foreign(_, None)) => refusals.push(ErrorCode::SnapshotGone),
            Ok(Reached::Foreign(id, Some(meta))) => {
                let crosses = !matches!(made.call, Call::Fork { cross: false, .. });
                let owner = owner(&meta).map(|owner| &self.sessions[owner].seen.snapshots);
                // Its owner has lost the row.
                if !crosses && owner.is_some_and(|rows| !rows.contains_key(&id)) {
                    refusals.push(ErrorCode::SnapshotNotOwned);
                }
                if self.is_over(meta.created_at_ms().unwrap(), meta.ttl) {
                    refusals.push(ErrorCode::SnapshotExpired);
                }
            }
            Ok(Reached::Own(id)) => match seen.snapshots[&id].state {
                SnapshotState::Ready => {
                    if self.is_expired(&seen.snapshots[&id]) {
                        refusals.push(ErrorCode::SnapshotExpired);
                    }
                }
                SnapshotState::Pending => refusals.push(ErrorCode::Conflict),
                _ => refusals.push(ErrorCode::SnapshotGone),
            },
        }
    }

    /// Why a snapshot can't become full.
    fn check_flatten(&self, session: usize, made: &Made, refusals: &mut Vec<ErrorCode>) {
        let seen = &self.sessions[session].seen;
        let id = match self.own(session, made) {
            Ok(id) => id,
            Err(code) => return refusals.push(code),
        };
        self.check_source(session, made, refusals);
        let row = &seen.snapshots[&id];
        if row.state != SnapshotState::Ready || row.chain.is_empty() || !refusals.is_empty() {
            return;
        }
        let above = seen.snapshots.values().filter(|above| above.chain.needs(&id));
        for row in above.chain([row]) {
            let is_changing = matches!(row.state, SnapshotState::Pending | SnapshotState::Deleting);
            if is_changing || self.is_read(session, &row.id) || self.is_lent(session, &row.id, true)
            {
                refusals.push(ErrorCode::Conflict);
            }
        }
    }

    /// Whether a workspace is being made from it, or an unfinished rewind needs it.
    fn is_read(&self, session: usize, id: &BackupId) -> bool {
        let seen = &self.sessions[session].seen;
        let makes = |row: &Workspace| {
            row.state == WorkspaceState::Creating && row.from_backup_id.as_ref() == Some(id)
        };
        seen.workspaces.values().any(|(row, _)| makes(row)) || self.is_in_rewind(seen, id)
    }

    /// Why a snapshot's metadata cannot be changed.
    fn check_edit(&self, session: usize, made: &Made, edit: &Edit, refusals: &mut Vec<ErrorCode>) {
        let id = match self.own(session, made) {
            Ok(id) => id,
            Err(code) => return refusals.push(code),
        };
        let row = &self.sessions[session].seen.snapshots[&id];
        match row.state {
            SnapshotState::Ready => {}
            SnapshotState::Pending => return refusals.push(ErrorCode::Conflict),
            _ => return refusals.push(ErrorCode::SnapshotGone),
        }
        let (name, replace) = match edit {
            Edit::Name { name, replace } => (name.map(name_of), *replace),
            _ => (row.annotations.name.clone(), false),
        };
        let changes = match edit {
            Edit::Name { .. } => name != row.annotations.name,
            Edit::Pin(pinned) => row.pinned != *pinned,
            Edit::Publish(published) => {
                row.published != *published
                    || *published && row.cause.trigger == SnapshotTrigger::Auto
            }
            Edit::Label(text) => {
                serde_json::to_value(&row.annotations.labels).unwrap()["label"] != text_of(*text)
            }
            Edit::Expire(Some(0)) => return refusals.push(ErrorCode::InvalidArgument),
            Edit::Expire(None) => row.ttl_secs != TTL_MAX_SECS,
            Edit::Expire(Some(_)) => true,
        };
        let holders = name.map(|name| self.holders(session, &name)).unwrap_or_default();
        let taken = |held: &BackupId| {
            !replace || self.sessions[session].seen.snapshots[held].state == SnapshotState::Pending
        };
        if changes && !holders.contains(&id) && holders.iter().any(taken) {
            refusals.push(ErrorCode::Conflict);
        }
    }

    /// Why an undisturbed call is refused; empty if it succeeds.
    pub fn refusals(&self, session: usize, made: &Made) -> Vec<ErrorCode> {
        let seen = &self.sessions[session].seen;
        let mut refusals = Vec::new();
        let Some(row) = &seen.session else { unreachable!("both are opened at the start") };
        let works_closed = matches!(
            made.call,
            Call::Open { .. }
                | Call::Close
                | Call::Alarm
                | Call::Get { .. }
                | Call::List { .. }
                | Call::Look
                | Call::Rebuild
                | Call::Prune { .. }
                | Call::DestroyContainer { .. }
                | Call::Update { .. }
                | Call::Retain
                | Call::Delete { .. }
        );
        if row.closed_at_ms.is_some() && !works_closed {
            return vec![ErrorCode::Conflict];
        }
        match &made.call {
            Call::Open { .. } => {
                let active = seen.workspaces.get(&row.active_sandbox_id);
                if active.is_some_and(|(row, _)| row.state == WorkspaceState::Destroying) {
                    refusals.push(ErrorCode::Conflict);
                }
            }
            // A prune reports each snapshot that it may not delete, and is not refused.
            Call::Close
            | Call::Alarm
            | Call::Retain
            | Call::Prune { .. }
            | Call::Look
            | Call::Rebuild => {}
            Call::Pause { .. } | Call::Resume { .. } => {
                let id = made.workspace.as_ref().unwrap_or(&row.active_sandbox_id);
                let state = seen.workspaces.get(id).map(|(row, _)| row.state);
                if !self.sessions[session].ever.contains(id) {
                    refusals.push(ErrorCode::WorkspaceNotOwned);
                } else if state != Some(WorkspaceState::Ready) {
                    refusals.push(ErrorCode::Conflict);
                } else if matches!(made.call, Call::Resume { .. }) {
                    self.usable(session, id, &mut refusals);
                }
            }
            Call::LiveFork { .. } => {
                // The active workspace runs beside the new one.
                let others = self.running(session, Some(&row.active_sandbox_id));
                if seen.workspaces.len() >= MAX_WORKSPACES || others + 1 >= MAX_RUNNING {
                    refusals.push(ErrorCode::QuotaExceeded);
                }
                self.active(session, &mut refusals);
            }
            Call::DestroyContainer { .. } => {
                let id = made.workspace.as_ref().unwrap();
                if !self.sessions[session].ever.contains(id) {
                    refusals.push(ErrorCode::WorkspaceNotOwned);
                } else if !seen.workspaces.contains_key(id) {
                    refusals.push(ErrorCode::Conflict);
                }
            }
            Call::List { cross } => {
                if *cross && session != 1 {
                    refusals.push(ErrorCode::CrossSessionDisabled);
                }
            }
            Call::Get { .. } => match self.reach(session, made) {
                Err(code) => refusals.push(code),
                Ok(Reached::Foreign(_, None)) => refusals.push(ErrorCode::SnapshotGone),
                Ok(_) => {}
            },
            Call::Delete { force, purge, .. } => match self.reach(session, made) {
                // Another session's is not looked at.
                Err(code) => refusals.extend([code, ErrorCode::InvalidArgument]),
                Ok(reached) => {
                    let (force, purge) = (*force, *purge);
                    match reached {
                        Reached::Foreign(..) if purge => refusals.push(ErrorCode::InvalidArgument),
                        Reached::Own(id) => {
                            self.kept(session, &id, force, &mut refusals);
                            if purge && self.shares_machine(session, &id) {
                                refusals.push(ErrorCode::Conflict);
                            }
                            let row = &seen.snapshots[&id];
                            let lately = row
                                .rebuilt_at_ms
                                .is_some_and(|at_ms| at_ms + REBUILT_KEPT_MS > self.now_ms());
                            if purge && lately && row.state != SnapshotState::Deleted {
                                refusals.push(ErrorCode::Conflict);
                            }
                        }
                        Reached::Foreign(_, None) => {}
                        // In the session that has it, and in the one that took it.
                        Reached::Foreign(id, Some(_)) => (0..self.sessions.len())
                            .for_each(|session| self.kept(session, &id, force, &mut refusals)),
                    }
                }
            },
            Call::Fork { .. } => {
                self.check_source(session, made, &mut refusals);
                if seen.workspaces.len() >= MAX_WORKSPACES
                    || self.running(session, None) >= MAX_RUNNING
                {
                    refusals.push(ErrorCode::QuotaExceeded);
                }
            }
            Call::Rewind { from_head, .. } => {
                self.check_source(session, made, &mut refusals);
                if from_head.is_some() && made.head != self.head(session) {
                    refusals.push(ErrorCode::PreconditionFailed);
                }
                self.active(session, &mut refusals);
            }
            Call::Flatten { .. } => self.check_flatten(session, made, &mut refusals),
            Call::Update { edit, .. } => self.check_edit(session, made, edit, &mut refusals),
            Call::Switch { .. } | Call::Destroy { .. } => {
                let id = made.workspace.as_ref().unwrap();
                let state = seen.workspaces.get(id).map(|(row, _)| row.state);
                let is_switch = matches!(made.call, Call::Switch { .. });
                if !self.sessions[session].ever.contains(id) {
                    refusals.push(ErrorCode::WorkspaceNotOwned);
                } else if is_switch {
                    if state != Some(WorkspaceState::Ready) {
                        refusals.push(ErrorCode::Conflict);
                    }
                } else if id == &row.active_sandbox_id || state == Some(WorkspaceState::Creating) {
                    refusals.push(ErrorCode::Conflict);
                }
            }
            Call::Snapshot { name, replace, .. } => {
                if let Some(name) = name {
                    let holders = self.holders(session, &name_of(*name));
                    let state = |id: &BackupId| seen.snapshots[id].state;
                    if !holders.is_empty()
                        && (!replace
                            || holders.iter().any(|id| state(id) == SnapshotState::Pending))
                    {
                        refusals.push(ErrorCode::Conflict);
                    }
                }
                self.active(session, &mut refusals);
            }
            Call::StartFresh => {
                let id = &row.active_sandbox_id;
                match seen.workspaces.get(id) {
                    Some((row, files))
                        if row.state == WorkspaceState::Ready
                            && (row.paused_at_ms.is_some() || !matches!(files, Files::Held(_))) =>
                    {
                        let counted = seen.running.contains(id);
                        if !counted && self.running(session, Some(id)) >= MAX_RUNNING {
                            refusals.push(ErrorCode::QuotaExceeded);
                        }
                    }
                    _ => refusals.push(ErrorCode::Conflict),
                }
            }
            Call::Write { .. } | Call::Run { .. } | Call::Install { .. } => {
                self.active(session, &mut refusals);
            }
            Call::Edit { path, old, new } => {
                let tree = self.active(session, &mut refusals);
                if old == new {
                    refusals.push(ErrorCode::InvalidArgument);
                }
                if !tree.0.contains_key(&path_of(*path)) {
                    refusals.push(ErrorCode::NotFound);
                } else if applied(&made.call, &tree, false).is_none() {
                    refusals.push(ErrorCode::Conflict);
                }
            }
            Call::Remove { path } | Call::Read { path } => {
                let tree = self.active(session, &mut refusals);
                if !tree.0.contains_key(&path_of(*path)) {
                    refusals.push(ErrorCode::NotFound);
                }
            }
        }
        refusals
    }
}
