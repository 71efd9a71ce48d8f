//! End a background process.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{ProcessName, Result, WorkspaceRef};
use crate::ports::sandbox::ProcessView;
use crate::session::Session;
use crate::session::parts::Placed;
use crate::session::processes::{Processes, not_running, on};
use serde::{Deserialize, Serialize};

/// Which process to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StopRequest {
    /// Which process.
    pub name: ProcessName,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Ends a background process, and returns once it has ended. Ending a process that has ended
    /// succeeds. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED` without the shell module.
    pub async fn stop_process(&self, request: StopRequest) -> Result<Placed<ProcessView>> {
        Processes::from(self).stop(request).await
    }
}

impl Processes<'_> {
    async fn stop(&self, request: StopRequest) -> Result<Placed<ProcessView>> {
        let open = self.context.require_open()?.writable()?;
        let named = self.context.named_or_active(&open, request.workspace.as_ref())?;
        self.context.catalogue.drop_restart(&named, &request.name)?;
        let Some(active) = self.running(&open, request.workspace.as_ref()).await? else {
            return Err(not_running(&request.name));
        };
        let stopped = active.sandbox.stop_process(request.name, on(&active)).await?;
        Ok(active.answers(stopped))
    }
}
