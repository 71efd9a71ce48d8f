//! Code contexts: interpreters that keep variables. They end with the container; `create` wakes it.

use crate::domain::exec::code::ended_with_container;
#[cfg(schemas)]
use crate::domain::limits::{CODE_CONTEXT_MEMORY_MAX_MIB, CODE_CONTEXT_MEMORY_MIN_MIB};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{
    CodeCapability, CodeContextId, Error, ErrorCode, Language, Next, Result, WorkspaceRef,
};
use crate::ports::sandbox::{
    CodeContext, CodeContextList, CodeContextOptions, CreateCodeContextOptions, ExecResult,
    LeftInContext, RunInCodeContextOptions,
};
use crate::session::exec::run::log_refused;
use crate::session::exec::run::{follow, kept_as};
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::recorder::Runs;
use crate::session::parts::{
    Active, Containers, Context, LoadedSession, Placed, RateLimits, Recorder, Workspaces,
};
use crate::session::{Abort, Session};
use serde::{Deserialize, Serialize};

parts!(CodeContexts {
    context: Context,
    containers: Containers,
    workspaces: Workspaces,
    rate_limits: RateLimits,
    recorder: Recorder,
});

impl CodeContexts<'_> {
    /// A stopped container has no contexts, so it need not start.
    async fn running(
        &self,
        open: &LoadedSession,
        workspace: Option<&WorkspaceRef>,
    ) -> Result<Option<Active>> {
        declared(open)?;
        self.workspaces.running(open, workspace).await
    }
}

fn declared(open: &LoadedSession) -> Result<&CodeCapability> {
    let Some(code) = &open.config.modules.code else { return Err(module_missing("code")) };
    if code.stateful {
        return Ok(code);
    }
    Err(Error::new(ErrorCode::Unsupported, "this session has no code contexts")
        .with_hint(Next::RunCodeOnce))
}

fn on(active: &Active) -> CodeContextOptions {
    CodeContextOptions { instance_id: Some(active.instance.clone()) }
}

/// A code context to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCodeContextRequest {
    /// Language of its code.
    pub language: Language,
    /// Memory limit in MiB. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = CODE_CONTEXT_MEMORY_MIN_MIB, max = CODE_CONTEXT_MEMORY_MAX_MIB)))]
    pub memory_mib: Option<u32>,
    /// The workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Starts an interpreter in a workspace, whose root is its working directory.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `QUOTA_EXCEEDED`; `INVALID_ARGUMENT`; `WORKSPACE_LOST`.
    pub async fn create_code_context(
        &self,
        request: CreateCodeContextRequest,
    ) -> Result<Placed<CodeContext>> {
        let code_contexts = CodeContexts::from(self);
        let open = code_contexts.context.require_open()?.writable()?;
        declared(&open)?.permit(request.language)?;
        let active = code_contexts.workspaces.chosen(&open, request.workspace.as_ref()).await?;
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

/// Whose code contexts to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ListCodeContextsRequest {
    /// The workspace's id. Default: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists a workspace's code contexts. Starts no container: without one, there are none.
    ///
    /// # Errors
    /// `UNSUPPORTED` without code contexts; `WORKSPACE_NOT_OWNED`.
    pub async fn list_code_contexts(
        &self,
        request: ListCodeContextsRequest,
    ) -> Result<Placed<CodeContextList>> {
        let code_contexts = CodeContexts::from(self);
        let open = code_contexts.context.require_open()?;
        let named = request.workspace.as_ref();
        match code_contexts.running(&open, named).await? {
            Some(active) => {
                let listed = active.sandbox.list_code_contexts(on(&active)).await?;
                Ok(active.answers(listed))
            }
            None => {
                let workspace = code_contexts.context.named_or_active(&open, named)?;
                Ok(Placed { answer: CodeContextList::default(), workspace })
            }
        }
    }
}

/// Code to run in a code context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunInCodeContextRequest {
    /// Which context.
    pub context: CodeContextId,
    /// At most 1 MiB.
    pub code: String,
    /// Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub timeout_ms: Option<u64>,
    /// As for workspace_run_code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::EXEC_OUTPUT_MIN_BYTES, max = crate::domain::limits::EXEC_OUTPUT_MAX_BYTES)))]
    pub max_output_bytes: Option<u64>,
    /// The workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// Result of code in a code context. Code that fails is a result, not an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct RanInContext {
    /// How it went: exit code 0, 1 if the code failed, 130 if it was interrupted, 124 at its
    /// time limit. If the context ended, that of its interpreter.
    #[serde(flatten)]
    pub exec: ExecResult,
    /// What it left.
    #[serde(flatten)]
    pub left: LeftInContext,
}

const ABORTED: &str = "the caller aborted: the code was interrupted, and what it had done stays; the context \
     runs on, unless the code did not react";

impl Session {
    /// Runs code in a code context, whose variables it uses and keeps. A caller may follow the
    /// output, and may give up: the code is then interrupted. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` if the context has ended; `CONFLICT` if it runs another call; `UNSUPPORTED`;
    /// `TOO_LARGE`; `ABORTED`; `WORKSPACE_LOST`.
    pub async fn run_in_code_context(
        &self,
        request: RunInCodeContextRequest,
        abort: &Abort,
    ) -> Result<Placed<RanInContext>> {
        let code_contexts = CodeContexts::from(self);
        let open = code_contexts.context.require_open()?.writable()?;
        // Code can start programs, so the time limit of commands holds for it, too.
        let shell = open.config.modules.shell.clone().unwrap_or_default();
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        let Some(active) = code_contexts.running(&open, request.workspace.as_ref()).await? else {
            return Err(ended_with_container(&request.context));
        };
        abort.check()?;
        let kept = kept_as(code_contexts.context)?;
        let options = RunInCodeContextOptions {
            timeout: Some(timeout),
            max_output_bytes: request.max_output_bytes,
            keep_as: Some(kept.clone()),
            instance_id: Some(active.instance.clone()),
        };
        let RunInCodeContextRequest { context, code, .. } = request;
        let sandbox = &active.workspace.sandbox_id;
        let runs = Runs::InContext(&code, &context);
        let recording = code_contexts.recorder.begin(&open.config, sandbox, runs);
        let events = active.sandbox.run_in_code_context(context, code, options).await?;
        let (exec, left) = follow(events, abort, ABORTED, &kept, recording).await?;
        code_contexts.containers.mounts.note_output(sandbox, &exec);
        log_refused(
            code_contexts.context,
            code_contexts.rate_limits,
            sandbox,
            &exec.refused_hosts,
        )?;
        Ok(active.answers(RanInContext { exec, left }))
    }
}

/// The code context to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteCodeContextRequest {
    /// Which context.
    pub context: CodeContextId,
    /// The workspace's id. Default: the active one.
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
    /// Ends a code context and what its code started. Repeating it succeeds. Starts no container.
    ///
    /// # Errors
    /// `UNSUPPORTED` without code contexts; `WORKSPACE_NOT_OWNED`.
    pub async fn delete_code_context(
        &self,
        request: DeleteCodeContextRequest,
    ) -> Result<Placed<DeletedCodeContext>> {
        let code_contexts = CodeContexts::from(self);
        let open = code_contexts.context.require_open()?.writable()?;
        let named = request.workspace.as_ref();
        let answer = DeletedCodeContext { deleted: true };
        match code_contexts.running(&open, named).await? {
            Some(active) => {
                active.sandbox.delete_code_context(request.context, on(&active)).await?;
                Ok(active.answers(answer))
            }
            None => {
                let workspace = code_contexts.context.named_or_active(&open, named)?;
                Ok(Placed { answer, workspace })
            }
        }
    }
}
