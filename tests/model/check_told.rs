//! A session's descriptions of itself agree with its rows and containers.

use crate::check::Check;
use crate::model::{Files, Model};
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::lineage::Place;
use snapshotter::domain::session::usage::{SessionUsage, Stored};
use snapshotter::domain::snapshot::{Snapshot, SnapshotState, SnapshotTrigger};
use snapshotter::domain::workspace::{Workspace, WorkspaceState, WorkspaceStatus};
use snapshotter::session::{Lineage, WorkspaceList};
use std::collections::BTreeSet;

impl Model {
    pub fn check_told(
        &self,
        session: usize,
        list: &WorkspaceList,
        lineage: &Lineage,
        usage: &SessionUsage,
    ) -> Check {
        let seen = &self.sessions[session].seen;
        let active = &seen.session.as_ref().unwrap().active_sandbox_id;
        ensure!(list.active.sandbox_id() == active, "{:?} is said to be active", list.active);
        let told: BTreeSet<&SandboxId> =
            list.workspaces.iter().map(|told| told.r#ref.sandbox_id()).collect();
        ensure!(told == seen.workspaces.keys().collect(), "listed are {told:?}");
        for told in &list.workspaces {
            let id = told.r#ref.sandbox_id();
            let (row, files) = &seen.workspaces[id];
            let status = self.status(session, row, files);
            ensure!(told.status == status, "{id} is said to be {:?}, not {status:?}", told.status);
            ensure!(told.active == (id == active), "{id} is said to be active: {}", told.active);
            ensure!(told.head_snapshot_id == row.head_backup_id, "{id} has another head");
        }
        self.check_lineage(session, lineage, active)?;
        self.check_usage(session, usage)
    }

    fn status(&self, session: usize, row: &Workspace, files: &Files) -> WorkspaceStatus {
        let runs = self.sessions[session].seen.running.contains(&row.sandbox_id);
        match (row.state, row.paused_at_ms) {
            (_, Some(_)) => WorkspaceStatus::Paused,
            (WorkspaceState::Ready, None) if *files == Files::Unused || !runs => {
                WorkspaceStatus::Stopped
            }
            _ => WorkspaceStatus::Running,
        }
    }

    /// Checks that the tree has everything, each node once and after its parent.
    fn check_lineage(&self, session: usize, lineage: &Lineage, active: &SandboxId) -> Check {
        let seen = &self.sessions[session].seen;
        let mut ids: BTreeSet<&str> = BTreeSet::new();
        let mut current = Vec::new();
        for node in &lineage.nodes {
            let parent = node.parent.as_deref();
            ensure!(parent.is_none_or(|id| ids.contains(id)), "{node:?} is before its parent");
            ensure!(ids.insert(&node.id), "{} is there twice", node.id);
            match &node.place {
                Place::Workspace { current: true, .. } => current.push(node.id.as_str()),
                Place::Workspace { .. } => {}
                Place::Snapshot { .. } => {
                    let row = seen.snapshots.values().find(|row| row.id.as_str() == node.id);
                    let row = row.ok_or(format!("{} is nobody's", node.id))?;
                    let origin = row.origin_sandbox_id.as_str();
                    ensure!(parent.is_none_or(|id| id == origin), "{node:?} is from {origin}");
                }
            }
        }
        let lives = seen.workspaces.contains_key(active);
        ensure!(
            current == [active.as_str()] || current.is_empty() && !lives,
            "{current:?} are current, and {active} is"
        );
        let is_shown = |row: &&Snapshot| {
            row.state == SnapshotState::Ready && row.cause.trigger == SnapshotTrigger::Manual
        };
        let shown = seen.snapshots.values().filter(is_shown).map(|row| row.id.as_str());
        for id in shown.chain(seen.workspaces.keys().map(SandboxId::as_str)) {
            ensure!(ids.contains(id), "the lineage lacks {id}");
        }
        let marked = lineage.text.lines().filter(|line| line.contains("you are here")).count();
        ensure!(marked == current.len(), "{} places are marked in the text", marked);
        Ok(())
    }

    /// Checks that counts and bytes are those of the rows.
    fn check_usage(&self, session: usize, usage: &SessionUsage) -> Check {
        let seen = &self.sessions[session].seen;
        let sum = |counts: &dyn Fn(&Snapshot) -> bool| {
            let ready = seen.snapshots.values().filter(|row| row.state == SnapshotState::Ready);
            ready.filter(|row| counts(row)).fold(Stored::default(), |sum, row| {
                sum.plus(Stored { count: 1, size_bytes: row.stored_bytes() })
            })
        };
        let is_auto = |row: &Snapshot| row.cause.trigger == SnapshotTrigger::Auto;
        let expected = (
            sum(&|_| true),
            sum(&is_auto),
            sum(&|row: &Snapshot| row.pinned),
            seen.workspaces.len(),
        );
        let told = (usage.snapshots, usage.automatic, usage.pinned, usage.workspace_count as usize);
        ensure!(told == expected, "usage is {told:?}, not {expected:?}");
        let unfinished =
            |row: &&Snapshot| matches!(row.state, SnapshotState::Pending | SnapshotState::Deleting);
        let unfinished = seen.snapshots.values().filter(unfinished).count() as u64;
        ensure!(usage.unfinished_count == unfinished, "{} are unfinished", usage.unfinished_count);
        Ok(())
    }
}
