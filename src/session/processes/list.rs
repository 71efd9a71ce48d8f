//! List background processes.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::ProcessList;
use crate::session::Session;
use crate::session::parts::Placed;
use crate::session::processes::{Processes, on};
use serde::{Deserialize, Serialize};

/// Whose processes to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListProcessesRequest {
    /// A workspace's id. Default: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists the background processes of a workspace. Starts no container: without one, there are
    /// no processes.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `WORKSPACE_NOT_OWNED`.
    pub async fn list_processes(
        &self,
        request: ListProcessesRequest,
    ) -> Result<Placed<ProcessList>> {
        Processes::from(self).list(request).await
    }
}

impl Processes<'_> {
    async fn list(&self, request: ListProcessesRequest) -> Result<Placed<ProcessList>> {
        let open = self.context.require_open()?;
        let named = request.workspace.as_ref();
        match self.running(&open, named).await? {
            Some(active) => {
                let listed = active.sandbox.list_processes(on(&active)).await?;
                Ok(active.answers(listed))
            }
            None => {
                let workspace = self.context.named_or_active(&open, named)?;
                Ok(Placed { answer: ProcessList::default(), workspace })
            }
        }
    }
}
