//! List code contexts.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::CodeContextList;
use crate::session::Session;
use crate::session::code_contexts::{CodeContexts, on};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// Whose code contexts to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListCodeContextsRequest {
    /// Where: a workspace's id. Default: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists the code contexts of a workspace. Starts no container: without one, there are no
    /// contexts.
    ///
    /// # Errors
    /// `UNSUPPORTED` without code contexts; `WORKSPACE_NOT_OWNED`.
    pub async fn list_code_contexts(
        &self,
        request: ListCodeContextsRequest,
    ) -> Result<Placed<CodeContextList>> {
        CodeContexts::from(self).list(request).await
    }
}

impl CodeContexts<'_> {
    async fn list(&self, request: ListCodeContextsRequest) -> Result<Placed<CodeContextList>> {
        let open = self.context.require_open()?;
        let named = request.workspace.as_ref();
        match self.running(&open, named).await? {
            Some(active) => {
                let listed = active.sandbox.list_code_contexts(on(&active)).await?;
                Ok(active.answers(listed))
            }
            None => {
                let workspace = self.context.named_or_active(&open, named)?;
                Ok(Placed { answer: CodeContextList::default(), workspace })
            }
        }
    }
}
