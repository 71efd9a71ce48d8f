//! Say what a rewind would change. Starts no container.

use crate::domain::{AbsolutePath, Error, Result, SandboxId, SnapshotSelector, TreeSelector};
use crate::ports::sandbox::{DirUsers, ProcessOptions};
use crate::session::parts::{Containers, Context, LoadedSession, PlannedChanges, Rewound};
use crate::session::trees::Trees;
use crate::session::trees::diff::{DiffOutput, DiffRequest, TreeDiff};
use crate::session::{RewindRequest, Session};

/// A rewind that is only planned.
pub(crate) struct RewindPlan<'a> {
    context: &'a Context,
    containers: &'a Containers,
    trees: Trees<'a>,
}

impl<'a> From<&'a Session> for RewindPlan<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            context: &session.context,
            containers: &session.containers,
            trees: Trees::from(session),
        }
    }
}

impl RewindPlan<'_> {
    pub(crate) async fn plan(&self, request: &RewindRequest) -> Result<Rewound> {
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let id = open.row.active_sandbox_id.clone();
        self.context.rewindable(&id, request.expected_head.as_ref())?;
        if matches!(request.r#ref, SnapshotSelector::Name(_)) {
            // A comparison would take the id of a workspace, too.
            self.context.locate(&open, &request.r#ref, request.allow_cross_session)?;
        }
        let to = TreeSelector::Snapshot(request.r#ref.clone());
        let diff = self.differences_to(to, request.allow_cross_session).await?;
        let users = self.users(&open, &id).await?;
        let from_snapshot_id = diff.to.snapshot_id.clone();
        let from_snapshot_id = from_snapshot_id
            .ok_or_else(|| Error::internal("a snapshot was compared without an id"))?;
        let turn = match self.context.catalogue.snapshot(&from_snapshot_id)? {
            Some(snapshot) => self.context.turn_of(&request.r#ref, &snapshot)?,
            None => None,
        };
        Ok(Rewound {
            r#ref: self.context.usable(&id)?.to_ref(),
            from_snapshot_id,
            turn,
            undone: None,
            safety_ref: None,
            dry_run: true,
            changes: Some(PlannedChanges::from(diff)),
            ended_processes: users.processes,
            machine_lost: false,
            ended_background: users.background,
            restarted: Vec::new(),
            hint: None,
            woken: None,
        })
    }

    /// What changes in the active workspace if it gets the files of `to`.
    pub(crate) async fn differences_to(
        &self,
        to: TreeSelector,
        allow_cross_session: bool,
    ) -> Result<TreeDiff> {
        let request = DiffRequest {
            from: Some(TreeSelector::Now),
            to: Some(to),
            allow_cross_session,
            output: DiffOutput::List,
            ..DiffRequest::default()
        };
        self.trees.diff(request).await
    }

    /// The processes that use the workspace's directory, if its container runs.
    pub(crate) async fn users(&self, open: &LoadedSession, id: &SandboxId) -> Result<DirUsers> {
        let Some(active) = self.containers.has_files(id).await? else {
            return Ok(DirUsers::default());
        };
        let dir = AbsolutePath::parse("dir", open.config.saved_dirs.main.as_str())?;
        let options =
            ProcessOptions { instance_id: Some(active.instance), ..ProcessOptions::default() };
        active.sandbox.list_users(dir, options).await
    }
}
