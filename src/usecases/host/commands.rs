//! Commands in the active workspace.

use super::{Host, module_missing};
use crate::domain::config::check_env_vars;
use crate::domain::error::Result;
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A command for the active workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunRequest {
    /// Shell string or argv.
    pub command: CommandLine,
    /// Working directory under the workspace. Default: its root.
    pub cwd: Option<String>,
    /// Environment, over the session's.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Time limit in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Text for its stdin.
    pub stdin: Option<String>,
}

impl Host {
    /// Runs a command in the active workspace. A nonzero exit is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `FORBIDDEN` for what the session's
    /// allowlist does not let through; `WORKSPACE_LOST`.
    pub async fn run(&self, request: RunRequest) -> Result<ExecResult> {
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
            instance_id: Some(active.instance),
        };
        active.sandbox.exec(request.command, options).await
    }
}
