//! How many workspaces and running containers a session may have.

use super::{Host, Opened};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::workspace::{Workspace, WorkspaceState};
use futures::future::join_all;

impl Host {
    /// Refuses another workspace past `maxWorkspaces`. Synchronous, so that it
    /// holds together with the row inserted after it.
    pub(super) fn check_workspace_quota(&self, opened: &Opened) -> Result<()> {
        let max = opened.config.max_workspaces;
        if self.catalogue.live_workspaces()?.len() >= max as usize {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("the session has {max} workspaces, as many as it may"),
            )
            .with_hint("destroy a workspace that is no longer needed"));
        }
        Ok(())
    }

    /// Refuses to start another container past `maxRunning`.
    ///
    /// `starting` is the workspace about to start; its own row does not count.
    pub(super) async fn check_running_quota(
        &self,
        opened: &Opened,
        starting: Option<&Workspace>,
    ) -> Result<()> {
        let now_ms = self.now_ms();
        let others: Vec<Workspace> = self
            .catalogue
            .live_workspaces()?
            .into_iter()
            .filter(|workspace| {
                starting.is_none_or(|starting| starting.sandbox_id != workspace.sandbox_id)
            })
            .collect();
        let running = join_all(
            others.iter().map(|workspace| self.counts_as_running(opened, workspace, now_ms)),
        )
        .await
        .into_iter()
        .filter(|running| *running)
        .count();
        let max = opened.config.max_running;
        if running >= max as usize {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("{running} containers of this session are running, as many as may at once"),
            )
            .with_hint(
                "destroy a workspace that is no longer needed, or wait until an idle one sleeps",
            ));
        }
        Ok(())
    }

    /// A sandbox that cannot be asked counts as running until its idle time is over.
    async fn counts_as_running(&self, opened: &Opened, workspace: &Workspace, now_ms: i64) -> bool {
        match workspace.state {
            WorkspaceState::Creating | WorkspaceState::Destroying => return true,
            WorkspaceState::Destroyed => return false,
            WorkspaceState::Ready if workspace.instance_id.is_none() => return false,
            WorkspaceState::Ready => {}
        }
        let asked = match self.ports.sandboxes.get(&workspace.sandbox_id) {
            Ok(sandbox) => sandbox.is_running().await,
            Err(error) => Err(error),
        };
        asked.unwrap_or_else(|_unknown| {
            let idle_ms = now_ms.saturating_sub(workspace.last_used_at_ms);
            u64::try_from(idle_ms).unwrap_or(0) < opened.config.sleep_after.as_ms()
        })
    }
}
