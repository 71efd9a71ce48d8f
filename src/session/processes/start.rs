//! Start a command in the background.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::config::{Service, check_env_vars};
use crate::domain::{ErrorCode, ProcessName, Result, SessionConfig, WorkspaceRef};
use crate::ports::sandbox::{CommandLine, ProcessView, StartProcessOptions};
use crate::session::Session;
use crate::session::catalogue::Restart;
use crate::session::exec::run::missing_root;
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::recorder::Runs;
use crate::session::parts::schedule::signed;
use crate::session::parts::{Placed, Schedule};
use crate::session::processes::Processes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command to run in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartRequest {
    /// What to call it.
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
    /// until it is stopped or started anew without this.
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
        Processes::from(self).start(request).await
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

impl Processes<'_> {
    async fn start(&self, request: StartRequest) -> Result<Placed<ProcessView>> {
        let StartRequest { name, command, cwd, env, restart, workspace } = request;
        let open = self.context.require_open()?.writable()?;
        let Some(shell) = &open.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars("env", &env)?;
        shell.permit(&command, &env)?;
        let root = &open.config.workspace_dir;
        let cwd = cwd.map_or_else(|| Ok(root.clone()), |cwd| root.resolve("cwd", &cwd))?;
        // The longest time of a command holds for a background command, too.
        let timeout = shell.max_duration_ms;
        let active = self.workspaces.chosen(&open, workspace.as_ref()).await?;
        let instance_id = Some(active.instance.clone());
        let again = Restart {
            service: Service { name: name.clone(), command: command.clone(), cwd: cwd.clone() },
            env: env.clone(),
        };
        let id = &active.workspace.sandbox_id;
        let runs = Runs::Command(&again.service.command, &again.env);
        let recording = self.recorder.begin(&open.config, id, runs);
        let options = StartProcessOptions { cwd, env, timeout, instance_id };
        let started = match active.sandbox.start_process(name, command, options).await {
            Err(error) if error.code == ErrorCode::NotFound => {
                return Err(missing_root(self.context, &active, error).await);
            }
            started => started?,
        };
        recording.go_on(&again.service.name);
        if restart {
            self.context.catalogue.put_restart(id, &again)?;
        } else {
            self.context.catalogue.drop_restart(id, &again.service.name)?;
        }
        let hint = Some(ends(&open.config, restart));
        Ok(active.answers(ProcessView { hint, ..started }))
    }
}
