//! Run commands in a workspace.

use crate::domain::egress::RefusedHost;
use crate::domain::limits::EXEC_TIMEOUT_MAX_MS;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::config::check_env_vars;
use crate::domain::text::utf8::hex;
use crate::domain::{
    Error, ErrorCode, Event, Next, Outcome, ProcessName, Result, SandboxId, WorkspaceRef,
};
use crate::ports::Bytes;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::exec_event::{ExecEventKind, ExecEventReader};
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult, FileOptions, LeftInContext};
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::recorder::{Recording, Runs};
use crate::session::parts::{
    Active, Containers, Context, LoadedSession, Placed, RateLimits, Recorder, Workspaces,
};
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
    /// Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes
    /// the background process leftRunning.process; timeoutMs still applies. Default: 45000 for a
    /// tool; other callers wait until it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub wait_ms: Option<u64>,
    /// Text for its standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    /// A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::EXEC_OUTPUT_MIN_BYTES, max = crate::domain::limits::EXEC_OUTPUT_MAX_BYTES)))]
    pub max_output_bytes: Option<u64>,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

struct Permitted {
    active: Active,
    command: CommandLine,
    options: ExecOptions,
    recording: Recording,
}

parts!(Exec {
    context: Context,
    containers: Containers,
    workspaces: Workspaces,
    rate_limits: RateLimits,
    recorder: Recorder,
});

impl Session {
    /// Runs a command in a workspace. A nonzero exit is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `FORBIDDEN` by the allowlist; `WORKSPACE_LOST`.
    pub async fn run(&self, request: RunRequest) -> Result<Placed<ExecResult>> {
        Exec::from(self).run(request).await
    }

    /// As [`Self::run`], for a caller who may follow the output and give up: then the command ends.
    ///
    /// # Errors
    /// As [`Self::run`], and `ABORTED`.
    pub async fn run_followed(
        &self,
        request: RunRequest,
        abort: &Abort,
    ) -> Result<Placed<ExecResult>> {
        let exec = Exec::from(self);
        let permitted = exec.permitted(request).await?;
        abort.check()?;
        if !abort.is_followed() {
            return exec.run_permitted(permitted).await;
        }
        let Permitted { active, command, options, recording } = permitted;
        let kept = kept_as(exec.context)?;
        let options = ExecOptions { followed: true, keep_as: Some(kept.clone()), ..options };
        let events = active.sandbox.exec_stream(command, options).await?;
        let followed = follow(events, abort, COMMAND_ABORTED, &kept, recording).await;
        let result = followed.map(|(result, _no_code)| result);
        let result = exec.look_for_root(&active, result).await?;
        exec.answer(&active, result)
    }

    /// As [`Self::run`], but streams Server-Sent Events, each an
    /// [`ExecEvent`](crate::ports::sandbox::exec_event::ExecEvent).
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_streamed(&self, request: RunRequest) -> Result<Bytes> {
        let exec = Exec::from(self);
        let Permitted { active, command, options, recording } = exec.permitted(request).await?;
        Ok(recording.of_events(active.sandbox.exec_stream(command, options).await?))
    }
}

impl Exec<'_> {
    pub async fn run(&self, request: RunRequest) -> Result<Placed<ExecResult>> {
        self.run_permitted(self.permitted(request).await?).await
    }

    async fn run_permitted(&self, permitted: Permitted) -> Result<Placed<ExecResult>> {
        let Permitted { active, command, options, recording } = permitted;
        let result = active.sandbox.exec(command, options).await;
        recording.end(result.as_ref());
        let result = self.look_for_root(&active, result).await?;
        self.answer(&active, result)
    }

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

    async fn permitted(&self, request: RunRequest) -> Result<Permitted> {
        let (open, timeout) = self.check(&request)?;
        let root = &open.config.workspace_dir;
        let cwd = match &request.cwd {
            Some(cwd) => root.resolve("cwd", cwd)?,
            None => root.clone(),
        };
        let active = self.workspaces.chosen(&open, request.workspace.as_ref()).await?;
        let runs = Runs::Command(&request.command, &request.env);
        let sandbox = &active.workspace.sandbox_id;
        let recording = self.recorder.begin(&open.config, sandbox, runs);
        let options = ExecOptions {
            cwd: Some(cwd),
            env: request.env,
            timeout: Some(timeout),
            wait_ms: request.wait_ms.filter(|wait_ms| *wait_ms < timeout),
            stdin: request.stdin,
            max_output_bytes: request.max_output_bytes,
            instance_id: Some(active.instance.clone()),
            followed: false,
            keep_as: None,
        };
        Ok(Permitted { active, command: request.command, options, recording })
    }
}

impl Exec<'_> {
    /// Also returns the command's time limit in milliseconds.
    pub(crate) fn check(&self, request: &RunRequest) -> Result<(LoadedSession, u64)> {
        let open = self.context.require_open()?.writable()?;
        let Some(shell) = &open.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars("env", &request.env)?;
        shell.permit(&request.command, &request.env)?;
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        if request.wait_ms.is_some_and(|ms| !(1..=EXEC_TIMEOUT_MAX_MS).contains(&ms)) {
            return Err(Error::invalid("waitMs", format!("must be 1 to {EXEC_TIMEOUT_MAX_MS}")));
        }
        Ok((open, timeout))
    }
}

/// If the call failed because the workspace's directory is gone, makes it again, and says so.
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

pub(crate) fn kept_as(context: &Context) -> Result<ProcessName> {
    let tag: [u8; 4] = random_bytes(context.ports.random.as_ref())?;
    ProcessName::parse(&format!("aborted-{}", hex(&tag)))
}

/// Reads and records a command's events to the end, or until the caller gives up: then the error is
/// `ABORTED`, and the log of the process `kept` has the output.
pub(crate) async fn follow(
    events: Bytes,
    abort: &Abort,
    aborted: &str,
    kept: &ProcessName,
    recording: Recording,
) -> Result<(ExecResult, LeftInContext)> {
    let followed = follow_to_end(events, abort, aborted, kept, &recording).await;
    match &followed {
        Ok((result, _)) => recording.end(Ok(result)),
        Err(error) => recording.fail(error, Some(kept)),
    }
    followed
}

async fn follow_to_end(
    mut events: Bytes,
    abort: &Abort,
    aborted: &str,
    kept: &ProcessName,
    recording: &Recording,
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
                ExecEventKind::Stdout { data } => {
                    recording.heard(&data, "");
                    abort.report(Progress::Stdout(&data));
                }
                ExecEventKind::Stderr { data } => {
                    recording.heard("", &data);
                    abort.report(Progress::Stderr(&data));
                }
                ExecEventKind::Left { code } => left = code,
                // Nothing follows either of these.
                ExecEventKind::Complete { result, .. } => return Ok((result, left)),
                ExecEventKind::Error { error } => return Err(error.into()),
            }
        }
    }
}

/// Adds events about refused hosts, up to a rate.
pub(crate) fn log_refused(
    context: &Context,
    rates: &RateLimits,
    sandbox_id: &SandboxId,
    refused: &[RefusedHost],
) -> Result<()> {
    for RefusedHost { host, count } in refused {
        if !rates.admits_refusal() {
            return Ok(());
        }
        let (sandbox_id, host) = (sandbox_id.clone(), host.clone());
        let event = Event::EgressRefused { sandbox_id, host, count: *count };
        context.catalogue.add_event(context.now_ms(), &event)?;
    }
    Ok(())
}
