//! Say what a promotion would change. Starts no container, and saves nothing.

use crate::domain::merge::text::Labels;
use crate::domain::{Error, ErrorCode, Result, WorkspaceRef};
use crate::session::Session;
use crate::session::parts::{Context, LoadedSession, PlannedChanges};
use crate::session::trees::Trees;
use crate::session::trees::merge::Sides;
use crate::session::trees::promoted::Promoted;
use crate::session::trees::tree::{NamedTree, Tree};
use crate::session::workspaces::promote::{
    PromoteMode, PromoteRequest, left_behind, other_branches,
};
use crate::session::workspaces::rewind::RewindPlan;

pub(crate) struct PromotePlan<'a> {
    context: &'a Context,
    trees: Trees<'a>,
    rewind: RewindPlan<'a>,
}

impl<'a> From<&'a Session> for PromotePlan<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            context: &session.context,
            trees: Trees::from(session),
            rewind: RewindPlan::from(session),
        }
    }
}

impl PromotePlan<'_> {
    pub(crate) async fn plan(&self, request: &PromoteRequest) -> Result<Promoted> {
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        self.context.rewindable(&open.row.active_sandbox_id, None)?;
        let mut promoted = match request.mode {
            PromoteMode::Replace => self.replace(&open, request).await?,
            PromoteMode::Merge => self.merge(&open, request).await?,
        };
        promoted.dry_run = true;
        if request.discard_others {
            promoted.discarded = other_branches(self.context, &open)?;
        }
        Ok(promoted)
    }

    async fn replace(&self, open: &LoadedSession, request: &PromoteRequest) -> Result<Promoted> {
        let id = &open.row.active_sandbox_id;
        let crossing = request.allow_cross_session;
        let diff = self.rewind.differences_to(request.from.clone(), crossing).await?;
        let users = self.rewind.users(open, id).await?;
        Ok(Promoted {
            changed: true,
            counts: diff.counts,
            ended_processes: users.processes,
            changes: Some(PlannedChanges::from(diff.clone())),
            ..Promoted::unchanged(WorkspaceRef::new(id.clone()), diff.to.snapshot_id)
        })
    }

    async fn merge(&self, open: &LoadedSession, request: &PromoteRequest) -> Result<Promoted> {
        let id = &open.row.active_sandbox_id;
        let ours = NamedTree::Workspace(id.clone());
        let theirs = self.context.side(open, &request.from)?;
        let label = match &theirs {
            NamedTree::Workspace(theirs) if theirs == id => {
                return Err(Error::invalid("from", "is the active workspace itself")
                    .with_hint("name another workspace, or a snapshot"));
            }
            NamedTree::Workspace(theirs) => theirs.to_string(),
            NamedTree::Snapshot(_) => "snapshot".to_owned(),
        };
        let crossing = request.allow_cross_session;
        let room = self.trees.archives.room().await?;
        let open_side =
            async |named| self.trees.open(&room, open, "promote", named, crossing).await;
        // Like all callers, locks two workspaces in the order of their ids.
        let (ours, other) = if theirs.sandbox_id() < Some(id) {
            let other = open_side(&theirs).await?;
            (open_side(&ours).await?, other)
        } else {
            let ours = open_side(&ours).await?;
            (ours, open_side(&theirs).await?)
        };
        if matches!(other, Tree::Empty { .. }) {
            return Err(Error::new(ErrorCode::Conflict, "the workspace has no files yet")
                .with_hint("name another workspace, or a snapshot"));
        }
        let base = match &request.base {
            Some(named) => open_side(&NamedTree::Snapshot(named.clone())).await?,
            None => {
                let line = match (&theirs, other.archive()) {
                    (NamedTree::Workspace(id), _) => self.trees.ancestors_of_workspace(open, id)?,
                    (_, open) => {
                        self.trees.ancestors_of_snapshot(open.map(|open| open.id.clone()))?
                    }
                };
                let lines = [self.trees.ancestors_of_workspace(open, id)?, line];
                self.trees.open_common_ancestor(&room, open, &lines).await?
            }
        };
        self.trees.relate(&room, open, &ours, &base).await?;
        self.trees.relate(&room, open, &other, &base).await?;
        let labels = Labels { ours: id.as_str(), theirs: &label };
        let include_ignored = request.include_ignored;
        let sides = Sides { base: &base, ours: &ours, theirs: &other, labels, include_ignored };
        let (plan, conflicts) = sides.look(request.on_conflict).await?;
        if request.discard_others && plan.not_compared > 0 {
            return Err(left_behind(plan.not_compared));
        }
        let from = other.archive().map(|open| open.id.clone());
        let mut promoted = Promoted {
            base_snapshot_id: base.archive().map(|open| open.id.clone()),
            changed: conflicts.is_empty() && !plan.is_empty(),
            conflicts,
            changes: Some(PlannedChanges::of(&plan)),
            ..Promoted::unchanged(WorkspaceRef::new(id.clone()), from)
        };
        promoted.describe(&plan);
        Ok(promoted)
    }
}
