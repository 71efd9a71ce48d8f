//! Run code in a workspace.

use crate::domain::limits::COMMANDS_PAGE_MAX;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{CommandRecord, ErrorCode, Language, Result, RowPage, WorkspaceRef};
use crate::ports::sandbox::code::{RunCodeOptions, RunCodeResult};
use crate::session::Session;
use crate::session::exec::run::{log_refused, missing_root};
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::recorder::Runs;
use crate::session::parts::{Containers, Context, Placed, RateLimits, Recorder, Workspaces};
use serde::{Deserialize, Serialize};

/// Code to run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunCodeRequest {
    /// Language of the code.
    pub language: Language,
    /// The program, at most 1 MiB.
    pub code: String,
    /// Milliseconds after which it is killed; it then has exitCode 124 and timedOut
    /// true. Default 120000.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub timeout_ms: Option<u64>,
    /// Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    /// A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::EXEC_OUTPUT_MIN_BYTES, max = crate::domain::limits::EXEC_OUTPUT_MAX_BYTES)))]
    pub max_output_bytes: Option<u64>,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

parts!(RunCode {
    context: Context,
    containers: Containers,
    workspaces: Workspaces,
    rate_limits: RateLimits,
    recorder: Recorder,
});

impl Session {
    /// Runs code at a workspace's root, where only files stay. Code that fails is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the code module or the interpreter; `TOO_LARGE`; `WORKSPACE_LOST`.
    pub async fn run_code(&self, request: RunCodeRequest) -> Result<Placed<RunCodeResult>> {
        let parts = RunCode::from(self);
        let open = parts.context.require_open()?.writable()?;
        let Some(code) = &open.config.modules.code else { return Err(module_missing("code")) };
        code.permit(request.language)?;
        // Code can start programs, so the time limit of commands holds for it, too.
        let shell = open.config.modules.shell.clone().unwrap_or_default();
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        let active = parts.workspaces.chosen(&open, request.workspace.as_ref()).await?;
        let sandbox = &active.workspace.sandbox_id;
        let runs = Runs::Code(&request.code, request.language);
        let recording = parts.recorder.begin(&open.config, sandbox, runs);
        let options = RunCodeOptions {
            language: request.language,
            cwd: Some(open.config.workspace_dir),
            timeout: Some(timeout),
            max_output_bytes: request.max_output_bytes,
            instance_id: Some(active.instance.clone()),
        };
        let result = active.sandbox.run_code(request.code, options).await;
        recording.end(result.as_ref().map(|result| &result.exec));
        let result = match result {
            Err(error) if error.code == ErrorCode::NotFound => {
                return Err(missing_root(parts.context, &active, error).await);
            }
            result => result?,
        };
        parts.containers.mounts.note_output(sandbox, &result.exec);
        log_refused(parts.context, parts.rate_limits, sandbox, &result.exec.refused_hosts)?;
        Ok(active.answers(result))
    }
}

/// A page of commands: on the first one those that run, then those that have ended, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommandPage {
    /// The commands.
    pub commands: Vec<CommandRecord>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

parts!(Commands { context: Context, recorder: Recorder });

impl Session {
    /// Lists commands and code that ran in the session's workspaces, each with the end of its
    /// output: running ones first, then the last 200 that ended, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_commands(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<CommandPage> {
        let parts = Commands::from(self);
        parts.context.load()?;
        let page = RowPage::parse(limit, COMMANDS_PAGE_MAX, cursor)?;
        let mut commands =
            parts.context.catalogue.list_commands(page.before_seq, page.rows_to_read())?;
        let next_cursor = page.cut(&mut commands, |record| record.command.seq.unwrap_or(0))?;
        if page.before_seq.is_none() {
            commands.splice(..0, parts.recorder.running());
        }
        Ok(CommandPage { commands, next_cursor })
    }
}
