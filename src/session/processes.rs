//! Background processes of a workspace. They end with its container; services restart in the next.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::config::{Service, check_env_vars};
use crate::domain::{Error, ErrorCode, ProcessName, Result, SessionConfig, WorkspaceRef};
use crate::ports::sandbox::{
    CommandLine, ProcessList, ProcessLog, ProcessOptions, ProcessView, StartProcessOptions,
};
use crate::session::Session;
use crate::session::catalogue::Restart;
use crate::session::exec::run::missing_root;
use crate::session::parts::earliest_alarm::signed;
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::recorder::Runs;
use crate::session::parts::{
    Active, Context, LoadedSession, Placed, Recorder, Schedule, Workspaces,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

parts!(Processes { context: Context, workspaces: Workspaces, recorder: Recorder });

impl Processes<'_> {
    /// A stopped container has no processes, so it need not start.
    async fn running(
        &self,
        open: &LoadedSession,
        workspace: Option<&WorkspaceRef>,
    ) -> Result<Option<Active>> {
        if open.config.modules.shell.is_none() {
            return Err(module_missing("shell"));
        }
        self.workspaces.running(open, workspace).await
    }
}

fn on(active: &Active) -> ProcessOptions {
    ProcessOptions { instance_id: Some(active.instance.clone()), ..ProcessOptions::default() }
}

fn not_running(name: &ProcessName) -> Error {
    Error::new(ErrorCode::NotFound, format!("there is no process {name}: no container runs"))
        .with_hint("start it again; processes end with the container, which stops when the workspace is idle")
}

/// A command to run in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// Name of the process.
    pub name: ProcessName,
    /// Shell command, or program and arguments.
    pub command: CommandLine,
    /// Directory under the workspace to run in. Default: its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables for this command.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Start it again after a rewind that ended it, and in each later container of the workspace,
    /// until it is stopped or started without restart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Starts a command in the background of a workspace.
    ///
    /// # Errors
    /// As for a command; `CONFLICT` if a process of this name runs; `QUOTA_EXCEEDED`.
    pub async fn start_process(&self, request: StartRequest) -> Result<Placed<ProcessView>> {
        let processes = Processes::from(self);
        let StartRequest { name, command, cwd, env, restart, workspace } = request;
        let open = processes.context.require_open()?.writable()?;
        let Some(shell) = &open.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars("env", &env)?;
        shell.permit(&command, &env)?;
        let root = &open.config.workspace_dir;
        let cwd = cwd.map_or_else(|| Ok(root.clone()), |cwd| root.resolve("cwd", &cwd))?;
        // The longest time of a command holds for a background command, too.
        let timeout = shell.max_duration_ms;
        let active = processes.workspaces.chosen(&open, workspace.as_ref()).await?;
        let instance_id = Some(active.instance.clone());
        let again = Restart {
            service: Service { name: name.clone(), command: command.clone(), cwd: cwd.clone() },
            env: env.clone(),
        };
        let id = &active.workspace.sandbox_id;
        let runs = Runs::Command(&again.service.command, &again.env);
        let recording = processes.recorder.begin(&open.config, id, runs);
        let options = StartProcessOptions { cwd, env, timeout, instance_id };
        let started = match active.sandbox.start_process(name, command, options).await {
            Ok(started) => started,
            Err(error) if error.code == ErrorCode::NotFound => {
                return Err(missing_root(processes.context, &active, error).await);
            }
            Err(error) => {
                recording.fail(&error, Some(&again.service.name));
                return Err(error);
            }
        };
        recording.go_on(&again.service.name);
        if restart {
            processes.context.catalogue.put_restart(id, &again)?;
        } else {
            processes.context.catalogue.drop_restart(id, &again.service.name)?;
        }
        let hint = Some(ends(&open.config, restart));
        Ok(active.answers(ProcessView { hint, ..started }))
    }
}

/// Says when a background process ends by itself: nothing else tells its caller.
fn ends(config: &SessionConfig, restart: bool) -> String {
    if restart {
        return "it ends when the container stops or when a rewind replaces files that it uses, and is started again then, until it is stopped".to_owned();
    }
    let unsaved_ms = signed(config.sleep_after.as_ms());
    let idle_ms = Schedule::of(config).map_or(unsaved_ms, |schedule| schedule.awake_ms);
    format!(
        "it ends when the container stops, after {} s without a call in the session, and is not started again; a rewind, too, ends it if it uses files of the workspace. To have it started again, set restart",
        idle_ms / 1_000
    )
}

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
    /// Lists a workspace's background processes. Starts no container: without one, there are none.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `WORKSPACE_NOT_OWNED`.
    pub async fn list_processes(
        &self,
        request: ListProcessesRequest,
    ) -> Result<Placed<ProcessList>> {
        let processes = Processes::from(self);
        let open = processes.context.require_open()?;
        let named = request.workspace.as_ref();
        match processes.running(&open, named).await? {
            Some(active) => {
                let listed = active.sandbox.list_processes(on(&active)).await?;
                Ok(active.answers(listed))
            }
            None => {
                let workspace = processes.context.named_or_active(&open, named)?;
                Ok(Placed { answer: ProcessList::default(), workspace })
            }
        }
    }
}

/// What to read of a process's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadLogRequest {
    /// Which process.
    pub name: ProcessName,
    /// nextOffset of the last read. Default: the last maxBytes are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Default 16384.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::PROCESS_LOG_READ_MIN_BYTES, max = crate::domain::limits::PROCESS_LOG_READ_MAX_BYTES)))]
    pub max_bytes: Option<u64>,
    /// Milliseconds to wait for output after offset. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(max = crate::domain::limits::PROCESS_LOG_WAIT_MAX_MS)))]
    pub wait_ms: Option<u64>,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Reads what a background process printed. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED` without the shell module; `INVALID_ARGUMENT`.
    pub async fn read_process_log(&self, request: ReadLogRequest) -> Result<Placed<ProcessLog>> {
        let processes = Processes::from(self);
        let ReadLogRequest { name, offset, max_bytes, wait_ms, workspace } = request;
        let open = processes.context.require_open()?;
        let Some(active) = processes.running(&open, workspace.as_ref()).await? else {
            return Err(not_running(&name));
        };
        let options = ProcessOptions { offset, max_bytes, wait_ms, ..on(&active) };
        let read = active.sandbox.read_process_log(name, options).await?;
        Ok(active.answers(read))
    }
}

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
    /// Ends a background process, and returns once it has ended. Repeating it succeeds.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED` without the shell module.
    pub async fn stop_process(&self, request: StopRequest) -> Result<Placed<ProcessView>> {
        let processes = Processes::from(self);
        let open = processes.context.require_open()?.writable()?;
        let named = processes.context.named_or_active(&open, request.workspace.as_ref())?;
        processes.context.catalogue.drop_restart(&named, &request.name)?;
        let Some(active) = processes.running(&open, request.workspace.as_ref()).await? else {
            return Err(not_running(&request.name));
        };
        let stopped = active.sandbox.stop_process(request.name, on(&active)).await?;
        Ok(active.answers(stopped))
    }
}
