//! Choose which workspace tools act on.

use crate::domain::snapshot::flat_ids;
use crate::domain::workspace::ContainerState;
use crate::domain::{Event, Result, WorkspaceRef, WorkspaceSummary};
use crate::session::Session;
use crate::session::parts::{Context, Quotas, Watchers};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

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
        Switch::from(self).switch(named).await
    }

    /// As [`Self::switch`], but only while `expected` is the active workspace.
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
        Switch::from(self).list_with_containers().await
    }
}

impl Switch<'_> {
    pub async fn switch(&self, named: &WorkspaceRef) -> Result<WorkspaceRef> {
        self.switch_from(None, named).await
    }

    pub async fn switch_from(
        &self,
        expected: Option<&WorkspaceRef>,
        named: &WorkspaceRef,
    ) -> Result<WorkspaceRef> {
        // The active workspace may be due for retirement that long after the switch.
        let retire_after_ms = self.context.retention_policy(&self.context.load()?)?.retire_after_ms;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + retire_after_ms).await?;
        // No await from here on: these checks still hold at the write.
        let open = self.context.require_open()?.writable()?;
        open.expect_active(expected)?;
        let to = named.sandbox_id();
        let workspace = self.context.choose(named)?;
        let from = open.row.active_sandbox_id;
        if &from != to {
            // No await between these: all are stored, or none.
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

    pub async fn list_with_containers(&self) -> Result<WorkspaceList> {
        let mut list = self.list_workspaces().await?;
        join_all(list.workspaces.iter_mut().map(async |workspace| {
            let running = match self.context.ports.sandboxes.get(workspace.r#ref.sandbox_id()) {
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
