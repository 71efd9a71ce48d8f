//! Create a code context.

#[cfg(schemas)]
use crate::domain::limits::{CODE_CONTEXT_MEMORY_MAX_MB, CODE_CONTEXT_MEMORY_MIN_MIB};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Language, Result, WorkspaceRef};
use crate::ports::sandbox::{CodeContext, CreateCodeContextOptions};
use crate::session::Session;
use crate::session::code_contexts::{CodeContexts, declared};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// A code context to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCodeContextRequest {
    /// Language of its code.
    pub language: Language,
    /// Memory limit in MiB. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = CODE_CONTEXT_MEMORY_MIN_MIB, max = CODE_CONTEXT_MEMORY_MAX_MB)))]
    pub memory_mib: Option<u32>,
    /// Where: a workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Starts an interpreter in a workspace, whose root is its working directory.
    ///
    /// # Errors
    /// `UNSUPPORTED` without code contexts or the interpreter; `QUOTA_EXCEEDED`;
    /// `INVALID_ARGUMENT`; `WORKSPACE_LOST`.
    pub async fn create_code_context(
        &self,
        request: CreateCodeContextRequest,
    ) -> Result<Placed<CodeContext>> {
        CodeContexts::from(self).create(request).await
    }
}

impl CodeContexts<'_> {
    async fn create(&self, request: CreateCodeContextRequest) -> Result<Placed<CodeContext>> {
        let open = self.context.require_open()?.writable()?;
        declared(&open)?.permit(request.language)?;
        let active = self.workspaces.chosen(&open, request.workspace.as_ref()).await?;
        let options = CreateCodeContextOptions {
            language: request.language,
            cwd: open.config.workspace_dir,
            memory_mib: request.memory_mib,
            instance_id: Some(active.instance.clone()),
        };
        let created = active.sandbox.create_code_context(options).await?;
        Ok(active.answers(created))
    }
}
