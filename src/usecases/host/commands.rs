//! Commands in the active workspace.

use super::active::Active;
use super::{Host, module_missing};
use crate::domain::config::check_env_vars;
use crate::domain::error::Result;
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult};
use crate::ports::stream::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command for the active workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRequest {
    /// Shell string or argv.
    pub command: CommandLine,
    /// Working directory under the workspace. Default: its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment, over the session's.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Time limit in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Text for its stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
}

/// A command that the session may run, and where.
struct Permitted {
    active: Active,
    command: CommandLine,
    options: ExecOptions,
}

impl Host {
    /// Runs a command in the active workspace. A nonzero exit is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `FORBIDDEN` for what the session's
    /// allowlist does not let through; `WORKSPACE_LOST`.
    pub async fn run(&self, request: RunRequest) -> Result<ExecResult> {
        let Permitted { active, command, options } = self.permitted(request).await?;
        active.sandbox.exec(command, options).await
    }

    /// The same, told while it runs: Server-Sent Events, each an
    /// [`ExecEvent`](crate::ports::exec_event::ExecEvent).
    ///
    /// # Errors
    /// The same, and `UNSUPPORTED` where the bound sandbox class can't tell.
    pub async fn run_streamed(&self, request: RunRequest) -> Result<Bytes> {
        let Permitted { active, command, options } = self.permitted(request).await?;
        active.sandbox.exec_stream(command, options).await
    }

    /// All that is decided about a command before it runs, however it is run.
    async fn permitted(&self, request: RunRequest) -> Result<Permitted> {
        let opened = self.opened()?.writable()?;
        let Some(shell) = &opened.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars(&request.env)?;
        shell.permit(&request.command, &request.env)?;
        let timeout = shell.time_limit_ms(request.timeout_ms)?;
        let root = &opened.config.workspace_dir;
        let cwd =
            request.cwd.as_deref().map_or_else(|| Ok(root.clone()), |cwd| root.resolve(cwd))?;
        let active = self.active(&opened).await?;
        let options = ExecOptions {
            cwd: Some(cwd),
            env: request.env,
            timeout: Some(timeout),
            stdin: request.stdin,
            instance_id: Some(active.instance.clone()),
        };
        Ok(Permitted { active, command: request.command, options })
    }
}
