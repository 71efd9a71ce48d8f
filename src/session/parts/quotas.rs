//! Limits on the workspaces and running containers of a session.

use crate::domain::{
    Error, ErrorCode, Next, Result, SandboxId, Workspace, WorkspaceState, WorkspaceStatus,
};
use crate::session::parts::{Context, InFlight, LoadedSession};
use futures::future::join_all;
use serde_json::json;
use std::rc::Rc;

/// Workspaces whose container did not run when checked, with their rows at that time.
pub(crate) struct Idle(Vec<Workspace>);

impl Idle {
    pub(crate) fn has(&self, row: &Workspace) -> bool {
        self.0
            .iter()
            .any(|idle| idle.sandbox_id == row.sandbox_id && idle.instance_id == row.instance_id)
    }
}

/// The limits on workspaces and on running containers.
pub struct Quotas {
    context: Rc<Context>,
    in_flight: Rc<InFlight>,
}

impl Quotas {
    pub(crate) fn new(context: Rc<Context>, in_flight: Rc<InFlight>) -> Self {
        Self { context, in_flight }
    }

    /// Synchronous, so that the check still holds when the caller inserts the row.
    pub(crate) fn check_workspace_quota(&self, open: &LoadedSession) -> Result<()> {
        let max = open.config.max_workspaces;
        if self.context.catalogue.live_workspaces()?.len() >= max as usize {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("the session has {max} workspaces, the maximum"),
            )
            .with_hint(Next::DestroyOne)
            .with_details(json!({ "limit": "maxWorkspaces" })));
        }
        Ok(())
    }

    pub(crate) async fn find_idle(&self, open: &LoadedSession) -> Result<Idle> {
        let now_ms = self.context.now_ms();
        let workspaces = self.context.catalogue.live_workspaces()?;
        let asked = workspaces.iter().map(|asked| self.counts_as_running(open, asked, now_ms));
        let running = join_all(asked).await;
        let idle = workspaces.into_iter().zip(running).filter(|(_, running)| !running);
        Ok(Idle(idle.map(|(row, _)| row).collect()))
    }

    /// Refuses another container past `maxRunning`, and any if the session or workspace is gone.
    /// Synchronous, so that the check still holds when the caller makes the start count, by a
    /// `creating` row or a mark of [`InFlight`].
    pub(crate) fn check_running_quota(
        &self,
        open: &LoadedSession,
        idle: &Idle,
        starting: Option<&SandboxId>,
    ) -> Result<()> {
        self.context.require_open()?;
        if let Some(id) = starting {
            self.context.usable(id)?;
        }
        // One clean sandbox runs beside the limit: otherwise a session at its limit could not
        // export or purge anything.
        let clean = self.context.catalogue.clean_sandboxes()?.len().saturating_sub(1);
        let running = self.running_workspaces(idle, starting)? + clean;
        let max = open.config.max_running;
        if running >= max as usize {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("{running} containers of this session are running, the maximum"),
            )
            .with_hint(match starting {
                Some(_) => Next::PauseOne,
                None => Next::PauseOneOrRewind,
            })
            .with_details(json!({ "limit": "maxRunning" })));
        }
        Ok(())
    }

    /// Synchronous, as [`Self::check_running_quota`].
    pub(crate) fn check_clean_quota(&self, open: &LoadedSession, idle: &Idle) -> Result<()> {
        self.context.require_open()?;
        let others = self.context.catalogue.clean_sandboxes()?.len();
        let max = open.config.max_running;
        // With the new one, all clean sandboxes but one count.
        if others == 0 || self.running_workspaces(idle, None)? + others <= max as usize {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::QuotaExceeded,
            "another import, export, flatten or purge of this session is running in a separate container",
        )
        .with_hint("call again once it has ended, or pause a workspace that is not needed now")
        .with_details(json!({ "limit": "maxRunning" })))
    }

    fn running_workspaces(&self, idle: &Idle, starting: Option<&SandboxId>) -> Result<usize> {
        let rows = self.context.catalogue.live_workspaces()?.into_iter();
        let running = rows
            .filter(|row| starting != Some(&row.sandbox_id))
            .filter(|row| !idle.has(row) || self.in_flight.is_worked_on(row.sandbox_id.as_str()));
        Ok(running.count())
    }

    pub(crate) async fn status_of(
        &self,
        known: &LoadedSession,
        row: &Workspace,
    ) -> WorkspaceStatus {
        if row.paused_at_ms.is_some() {
            return WorkspaceStatus::Paused;
        }
        match self.counts_as_running(known, row, self.context.now_ms()).await {
            true => WorkspaceStatus::Running,
            false => WorkspaceStatus::Stopped,
        }
    }

    /// A workspace whose sandbox does not respond counts until its idle time is over.
    async fn counts_as_running(
        &self,
        open: &LoadedSession,
        workspace: &Workspace,
        now_ms: i64,
    ) -> bool {
        match workspace.state {
            WorkspaceState::Creating | WorkspaceState::Destroying => return true,
            WorkspaceState::Destroyed => return false,
            WorkspaceState::Ready if workspace.instance_id.is_none() => return false,
            WorkspaceState::Ready => {}
        }
        let asked = match self.context.ports.sandboxes.get(&workspace.sandbox_id) {
            Ok(sandbox) => sandbox.is_running().await,
            Err(error) => Err(error),
        };
        asked.unwrap_or_else(|_unknown| {
            let idle_ms = now_ms.saturating_sub(workspace.last_used_at_ms);
            u64::try_from(idle_ms).unwrap_or(0) < open.config.sleep_after.as_ms()
        })
    }

    pub(crate) async fn with_status(
        &self,
        loaded: &LoadedSession,
    ) -> Result<Vec<(Workspace, WorkspaceStatus)>> {
        let rows = self.context.catalogue.live_workspaces()?;
        let statuses = join_all(rows.iter().map(|row| self.status_of(loaded, row))).await;
        Ok(rows.into_iter().zip(statuses).collect())
    }
}
