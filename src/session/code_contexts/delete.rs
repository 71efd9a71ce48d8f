//! End a code context.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{CodeContextId, Result, WorkspaceRef};
use crate::session::Session;
use crate::session::code_contexts::{CodeContexts, on};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// The code context to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteCodeContextRequest {
    /// Which context.
    pub context: CodeContextId,
    /// Where: a workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The code context is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct DeletedCodeContext {
    /// Always true.
    pub deleted: bool,
}

impl Session {
    /// Ends a code context and what its code has started, and forgets it. Succeeds if the context
    /// is gone already. Starts no container.
    ///
    /// # Errors
    /// `UNSUPPORTED` without code contexts; `WORKSPACE_NOT_OWNED`.
    pub async fn delete_code_context(
        &self,
        request: DeleteCodeContextRequest,
    ) -> Result<Placed<DeletedCodeContext>> {
        CodeContexts::from(self).delete(request).await
    }
}

impl CodeContexts<'_> {
    async fn delete(
        &self,
        request: DeleteCodeContextRequest,
    ) -> Result<Placed<DeletedCodeContext>> {
        let open = self.context.require_open()?.writable()?;
        let named = request.workspace.as_ref();
        let answer = DeletedCodeContext { deleted: true };
        match self.running(&open, named).await? {
            Some(active) => {
                active.sandbox.delete_code_context(request.context, on(&active)).await?;
                Ok(active.answers(answer))
            }
            None => {
                let workspace = self.context.named_or_active(&open, named)?;
                Ok(Placed { answer, workspace })
            }
        }
    }
}
