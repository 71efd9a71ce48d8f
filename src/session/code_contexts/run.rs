//! Run code in a code context.

use crate::domain::exec::code::ended_with_container;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{CodeContextId, Result, WorkspaceRef};
use crate::ports::sandbox::{ExecResult, LeftInContext, RunInCodeContextOptions};
use crate::session::code_contexts::CodeContexts;
use crate::session::exec::refused::log_refused;
use crate::session::exec::run::{follow, kept_as};
use crate::session::parts::Placed;
use crate::session::parts::recorder::Runs;
use crate::session::{Abort, Session};
use serde::{Deserialize, Serialize};

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
    /// Where: a workspace's id. Default: the active one.
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
    /// output while the code runs, and may give up: the code is then interrupted. Starts no
    /// container.
    ///
    /// # Errors
    /// `NOT_FOUND` if the context has ended; `CONFLICT` if it runs another call; `UNSUPPORTED`
    /// without code contexts; `TOO_LARGE`; `ABORTED`; `WORKSPACE_LOST`.
    pub async fn run_in_code_context(
        &self,
        request: RunInCodeContextRequest,
        abort: &Abort,
    ) -> Result<Placed<RanInContext>> {
        CodeContexts::from(self).run(request, abort).await
    }
}

impl CodeContexts<'_> {
    async fn run(
        &self,
        request: RunInCodeContextRequest,
        abort: &Abort,
    ) -> Result<Placed<RanInContext>> {
        let open = self.context.require_open()?.writable()?;
        // Code can start programs, so the time limit of commands holds for it, too.
        let shell = open.config.modules.shell.clone().unwrap_or_default();
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        let Some(active) = self.running(&open, request.workspace.as_ref()).await? else {
            return Err(ended_with_container(&request.context));
        };
        abort.check()?;
        let kept = kept_as(self.context)?;
        let options = RunInCodeContextOptions {
            timeout: Some(timeout),
            max_output_bytes: request.max_output_bytes,
            keep_as: Some(kept.clone()),
            instance_id: Some(active.instance.clone()),
        };
        let RunInCodeContextRequest { context, code, .. } = request;
        let sandbox = &active.workspace.sandbox_id;
        let runs = Runs::InContext(&code, &context);
        let recording = self.recorder.begin(&open.config, sandbox, runs);
        let events = active.sandbox.run_in_code_context(context, code, options).await?;
        let (exec, left) = follow(events, abort, ABORTED, &kept, recording).await?;
        log_refused(self.context, self.rate_limits, sandbox, &exec.refused_hosts)?;
        Ok(active.answers(RanInContext { exec, left }))
    }
}
