//! Run commands in a workspace.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::ids::ProcessName;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::config::check_env_vars;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::text::hex::hex;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::exec_event::{ExecEventKind, ExecEventReader};
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult, FileOptions, LeftInContext};
use crate::ports::stream::Bytes;
use crate::session::active::{Active, Placed};
use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::exec::refused::log_refused;
use crate::session::loaded_session::{LoadedSession, module_missing};
use crate::session::rate_limits::RateLimits;
use crate::session::workspaces::ready::Workspaces;
use crate::session::{Abort, Progress, Session};
use futures::future::{Either, select};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::pin::pin;

/// A command for a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRequest {
    /// Shell command, or program and arguments.
    pub command: CommandLine,
    /// Directory under the workspace to run in. Default: its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables for this command.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Milliseconds after which the command is killed; it then has exitCode 124 and
    /// timedOut true. Default 120000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub timeout_ms: Option<u64>,
    /// Text for its standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    /// Default 16384 over MCP, where 131072 is the most; elsewhere the first 1048576.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::EXEC_OUTPUT_MIN_BYTES, max = crate::domain::limits::EXEC_OUTPUT_MAX_BYTES)))]
    pub max_output_bytes: Option<u64>,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// A command that the session may run, with its workspace and options.
struct Permitted {
    active: Active,
    command: CommandLine,
    options: ExecOptions,
}

parts!(Exec {
    context: Context,
    containers: Containers,
    workspaces: Workspaces,
    rate_limits: RateLimits,
});

impl Session {
    /// Runs a command in a workspace. A nonzero exit is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `FORBIDDEN` for a command that the
    /// session's allowlist refuses; `WORKSPACE_LOST`.
    pub async fn run(&self, request: RunRequest) -> Result<Placed<ExecResult>> {
        Exec::from(self).run(request).await
    }

    /// The same, for a caller who may hear what it prints while it runs, and
    /// may give up: then it is ended, with all that it started.
    ///
    /// # Errors
    /// As [`Self::run`], and `ABORTED`.
    pub async fn run_followed(
        &self,
        request: RunRequest,
        abort: &Abort,
    ) -> Result<Placed<ExecResult>> {
        Exec::from(self).run_followed(request, abort).await
    }

    /// The same, told while it runs: Server-Sent Events, each an
    /// [`ExecEvent`](crate::ports::sandbox::exec_event::ExecEvent).
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_streamed(&self, request: RunRequest) -> Result<Bytes> {
        Exec::from(self).run_streamed(request).await
    }
}

impl Exec<'_> {
    pub async fn run(&self, request: RunRequest) -> Result<Placed<ExecResult>> {
        let Permitted { active, command, options } = self.permitted(request).await?;
        let result = active.sandbox.exec(command, options).await;
        let result = self.look_for_root(&active, result).await?;
        self.answer(&active, result)
    }

    /// If a command could not begin because the workspace's directory is gone, has it made
    /// again, and says so.
    async fn look_for_root<T>(&self, active: &Active, result: Result<T>) -> Result<T> {
        match result {
            Err(error) if error.code == ErrorCode::NotFound => {
                Err(missing_root(self.context, active, error).await)
            }
            other => other,
        }
    }

    fn answer(&self, active: &Active, result: ExecResult) -> Result<Placed<ExecResult>> {
        let sandbox = &active.workspace.sandbox_id;
        self.containers.mounts.note_output(sandbox, &result);
        log_refused(self.context, self.rate_limits, sandbox, &result.refused_hosts)?;
        Ok(active.answers(result))
    }

    pub async fn run_followed(
        &self,
        request: RunRequest,
        abort: &Abort,
    ) -> Result<Placed<ExecResult>> {
        let Permitted { active, command, options } = self.permitted(request).await?;
        abort.check()?;
        if !abort.is_followed() {
            let result = active.sandbox.exec(command, options).await;
            let result = self.look_for_root(&active, result).await?;
            return self.answer(&active, result);
        }
        let kept = kept_as(self.context)?;
        let options = ExecOptions { followed: true, keep_as: Some(kept.clone()), ..options };
        let events = active.sandbox.exec_stream(command, options).await?;
        let followed = follow(events, abort, COMMAND_ABORTED, &kept).await;
        let (result, _no_code) = self.look_for_root(&active, followed).await?;
        self.answer(&active, result)
    }

    pub async fn run_streamed(&self, request: RunRequest) -> Result<Bytes> {
        let Permitted { active, command, options } = self.permitted(request).await?;
        active.sandbox.exec_stream(command, options).await
    }

    /// Makes all checks of a command, for each way to run it.
    async fn permitted(&self, request: RunRequest) -> Result<Permitted> {
        let (open, timeout) = self.check(&request)?;
        let root = &open.config.workspace_dir;
        let cwd = match &request.cwd {
            Some(cwd) => root.resolve("cwd", cwd)?,
            None => root.clone(),
        };
        let active = self.workspaces.chosen(&open, request.workspace.as_ref()).await?;
        let options = ExecOptions {
            cwd: Some(cwd),
            env: request.env,
            timeout: Some(timeout),
            stdin: request.stdin,
            max_output_bytes: request.max_output_bytes,
            instance_id: Some(active.instance.clone()),
            followed: false,
            keep_as: None,
        };
        Ok(Permitted { active, command: request.command, options })
    }
}

impl Exec<'_> {
    /// Whether the session may run a command. Returns its time limit in milliseconds.
    pub(crate) fn check(&self, request: &RunRequest) -> Result<(LoadedSession, u64)> {
        let open = self.context.require_open()?.writable()?;
        let Some(shell) = &open.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars("env", &request.env)?;
        shell.permit(&request.command, &request.env)?;
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        Ok((open, timeout))
    }
}

/// The error of a call whose directory does not exist: if that of the workspace is gone, it is
/// made again, and the error says so.
pub(crate) async fn missing_root(context: &Context, active: &Active, error: Error) -> Error {
    let Ok(loaded) = context.load() else { return error };
    let root = loaded.config.workspace_dir.clone();
    let options = FileOptions {
        within: Some(root.clone()),
        instance_id: Some(active.instance.clone()),
        ..FileOptions::default()
    };
    match active.sandbox.exists(root, options).await {
        Err(gone) if gone.code == ErrorCode::Conflict => gone,
        _ => error,
    }
}

const COMMAND_ABORTED: &str =
    "the caller aborted: the command was ended, and what it had done stays";

/// A new name for what a command printed whose caller gives up.
pub(crate) fn kept_as(context: &Context) -> Result<ProcessName> {
    let tag: [u8; 4] = random_bytes(context.ports.random.as_ref())?;
    ProcessName::parse(&format!("aborted-{}", hex(&tag)))
}

/// Reads a command's events to the end, or until the caller gives up, which is answered with
/// `aborted`; what was printed is then in the log of the process `kept`. Also returns what code
/// left in its context.
pub(crate) async fn follow(
    mut events: Bytes,
    abort: &Abort,
    aborted: &str,
    kept: &ProcessName,
) -> Result<(ExecResult, LeftInContext)> {
    let mut reader = ExecEventReader::default();
    let mut left = LeftInContext::default();
    loop {
        let read = match select(events.next(), pin!(abort.given_up())).await {
            Either::Left((read, _)) => Some(read?),
            Either::Right(((), _)) => None,
        };
        let Some(read) = read else {
            events.cancel().await;
            return Err(Error::new(ErrorCode::Aborted, aborted)
                .with_outcome(Outcome::Unknown)
                .with_hint(Next::ReadKeptOutput { process: kept.to_string() }));
        };
        let Some(bytes) = read else {
            return Err(Error::new(ErrorCode::Unavailable, "the command's end was not reported")
                .with_outcome(Outcome::Unknown));
        };
        for event in reader.read(&bytes)? {
            match event.kind {
                ExecEventKind::Start { .. } => {}
                ExecEventKind::Stdout { data } => abort.report(Progress::Stdout(&data)),
                ExecEventKind::Stderr { data } => abort.report(Progress::Stderr(&data)),
                ExecEventKind::Left { code } => left = code,
                // Nothing follows either of these.
                ExecEventKind::Complete { result, .. } => return Ok((result, left)),
                ExecEventKind::Error { error } => return Err(error.into()),
            }
        }
    }
}
