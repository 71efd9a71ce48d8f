//! Choose which workspace tools act on.

use crate::domain::limits::UNDO_MAX_TURNS;
use crate::domain::snapshot::flat_ids;
use crate::domain::workspace::ContainerState;
use crate::domain::{
    BackupId, Error, ErrorCode, Event, Next, Result, SandboxId, SnapshotSelector, WorkspaceRef,
    WorkspaceSummary,
};
use crate::session::parts::results::Undone;
use crate::session::parts::{Context, LoadedSession, Quotas, Rewound, Watchers};
use crate::session::trees::Trees;
use crate::session::{Abort, RewindRequest, Session};
use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The session's workspaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct WorkspaceList {
    /// Oldest first.
    pub workspaces: Vec<WorkspaceSummary>,
    /// The one that tools act on.
    #[serde(flatten, with = "flat_ids::active_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::ActiveWithId"))]
    pub active: WorkspaceRef,
}

parts!(Switch { context: Context, quotas: Quotas, watchers: Watchers });

impl Session {
    /// Makes tools act on another workspace of this session, durably.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a workspace that is not ready.
    pub async fn switch(&self, named: &WorkspaceRef) -> Result<WorkspaceRef> {
        let switch = Switch::from(self);
        switch.switch_from(None, named).await
    }

    /// As [`Self::switch`], but only while `expected` is the active workspace. Succeeds if `named`
    /// is already active: the call may be a retry.
    ///
    /// # Errors
    /// As [`Self::switch`]; `PRECONDITION_FAILED`.
    pub async fn switch_from(
        &self,
        expected: Option<&WorkspaceRef>,
        named: &WorkspaceRef,
    ) -> Result<WorkspaceRef> {
        Switch::from(self).switch_from(expected, named).await
    }

    /// Lists the session's workspaces. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub async fn list_workspaces(&self) -> Result<WorkspaceList> {
        Switch::from(self).list_workspaces().await
    }

    /// As [`Self::list_workspaces`], and asks the sandboxes whether their containers run now.
    ///
    /// # Errors
    /// As [`Self::list_workspaces`].
    pub async fn list_with_containers(&self) -> Result<WorkspaceList> {
        let switch = Switch::from(self);
        let mut list = switch.list_workspaces().await?;
        join_all(list.workspaces.iter_mut().map(async |workspace| {
            let running = match switch.context.ports.sandboxes.get(workspace.r#ref.sandbox_id()) {
                Ok(sandbox) => sandbox.is_running().await,
                Err(error) => Err(error),
            };
            // A sandbox that does not respond does not hide the others.
            workspace.container = Some(match running {
                Ok(true) => ContainerState::Running,
                Ok(false) => ContainerState::Stopped,
                Err(_not_told) => ContainerState::Unknown,
            });
        }))
        .await;
        Ok(list)
    }
}

impl Switch<'_> {
    pub async fn switch_from(
        &self,
        expected: Option<&WorkspaceRef>,
        named: &WorkspaceRef,
    ) -> Result<WorkspaceRef> {
        // After that time, the former workspace may be due for retirement.
        let retire_after_ms = self.context.retention_policy(&self.context.load()?)?.retire_after_ms;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + retire_after_ms).await?;
        // No await from here on: the checks still hold at the writes, which are stored together.
        let open = self.context.require_open()?.writable()?;
        let to = named.sandbox_id();
        if &open.row.active_sandbox_id != to {
            open.expect_active(expected)?;
        }
        let workspace = self.context.choose(named)?;
        let from = open.row.active_sandbox_id;
        if &from != to {
            self.context.catalogue.set_active(to)?;
            // The former workspace was in use until now: its unused time starts here.
            self.context.catalogue.touch_workspace(&from, self.context.now_ms())?;
            let event = Event::WorkspaceSwitched { from: from.clone(), to: to.clone() };
            self.context.catalogue.add_event(self.context.now_ms(), &event)?;
            self.watchers.leave(&from);
        }
        Ok(workspace.to_ref())
    }

    pub async fn list_workspaces(&self) -> Result<WorkspaceList> {
        let loaded = self.context.load()?;
        let rows = self.quotas.with_status(&loaded).await?;
        let active = loaded.row.active_sandbox_id;
        let workspaces = rows
            .iter()
            .map(|(row, status)| row.summary(row.sandbox_id == active, *status))
            .collect();
        Ok(WorkspaceList { workspaces, active: WorkspaceRef::new(active) })
    }
}

/// A request to undo turns.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoRequest {
    /// How many turns to undo.
    pub turns: u32,
    /// Only while this is the workspace's head.
    pub expected_head: Option<BackupId>,
    /// Only while this workspace is the active one.
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing; return what would change.
    pub dry_run: bool,
}

struct Undo<'a> {
    context: &'a Context,
    trees: Trees<'a>,
}

impl Session {
    /// Puts the active workspace back by turns: a rewind to the files before the last turns. Files
    /// that have changed since the last turn count as a turn; turns that changed no file do not.
    /// Only changes that a comparison lists count.
    ///
    /// # Errors
    /// `NOT_FOUND` if fewer turns can be undone; those of a rewind.
    pub async fn undo(&self, request: &UndoRequest, abort: &Abort) -> Result<Rewound> {
        if !(1..=UNDO_MAX_TURNS).contains(&request.turns) {
            return Err(Error::invalid("turns", format!("must be 1 to {UNDO_MAX_TURNS}")));
        }
        let undo = Undo { context: &self.context, trees: Trees::from(self) };
        let (to, undone) = undo.target(request).await?;
        let rewind = RewindRequest {
            r#ref: SnapshotSelector::Id(to),
            expected_head: request.expected_head.clone(),
            allow_cross_session: false,
            expected_active: request.expected_active.clone(),
            dry_run: request.dry_run,
        };
        let rewound = self.rewind(&rewind, abort).await?;
        Ok(Rewound { undone: Some(undone), ..rewound })
    }
}

impl Undo<'_> {
    async fn target(&self, request: &UndoRequest) -> Result<(BackupId, Undone)> {
        let open = self.context.require_open()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let id = &open.row.active_sandbox_id;
        let mut undone = Undone::default();
        let Some(mut to) = self.context.catalogue.last_turn_of(id)? else {
            return Err(nothing_before(&undone, request.turns));
        };
        if self.has_changed(&open, id, &to).await? {
            undone.unsaved = true;
        }
        while undone.count() < request.turns {
            let Some(turn) = self.context.catalogue.turn_ending_with(&to)? else {
                return Err(nothing_before(&undone, request.turns));
            };
            let Some(before) = turn.before_id else {
                return Err(nothing_before(&undone, request.turns));
            };
            undone.turns.push(turn.turn.number);
            to = before;
        }
        Ok((to, undone))
    }

    async fn has_changed(
        &self,
        open: &LoadedSession,
        id: &SandboxId,
        base: &BackupId,
    ) -> Result<bool> {
        match self.trees.has_changed_since(open, id, base).await {
            // The undo can't go back to this turn, but it can go back to earlier ones.
            Err(error) if error.code == ErrorCode::SnapshotGone => Ok(false),
            Err(error) if error.code == ErrorCode::TooLarge => Ok(true),
            found => found,
        }
    }
}

fn nothing_before(undone: &Undone, asked: u32) -> Error {
    let most = undone.count();
    let message = match most {
        0 => "there is no turn to undo".to_owned(),
        _ => format!("only {most} of {asked} turns can be undone: nothing was saved before them"),
    };
    Error::new(ErrorCode::NotFound, message)
        .with_hint(Next::ListNames)
        .with_details(json!({ "turns": most }))
}
