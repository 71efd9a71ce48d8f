//! Open a shell on a terminal in a workspace.

use crate::domain::exec::terminal::TerminalSize;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Error, ErrorCode, Next, Result, TerminalId, WorkspaceRef};
use crate::ports::Bytes;
use crate::ports::sandbox::TerminalOptions;
use crate::session::Session;
use crate::session::parts::loaded_session::module_missing;
use crate::session::parts::{Context, Workspaces};
use serde::{Deserialize, Serialize};

/// A shell on a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TerminalRequest {
    /// Columns. Default 80.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Rows. Default 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// The shell to come back to. If it no longer runs, a new one is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<TerminalId>,
    /// A workspace's id. Default: the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

parts!(OpenTerminal { context: Context, workspaces: Workspaces });

impl Session {
    /// Opens a shell on a terminal, or reconnects to one. `typed` has the viewer's frames; the
    /// answer has the terminal's.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `FORBIDDEN` by the allowlist; `QUOTA_EXCEEDED`; `WORKSPACE_LOST`.
    pub async fn terminal(&self, request: TerminalRequest, typed: Bytes) -> Result<Bytes> {
        let open_terminal = OpenTerminal::from(self);
        let open = open_terminal.context.require_open()?.writable()?;
        let Some(shell) = &open.config.modules.shell else { return Err(module_missing("shell")) };
        if shell.allowlist.is_some() {
            return Err(Error::new(
                ErrorCode::Forbidden,
                "a terminal runs any program, and this session runs listed programs only",
            )
            .with_hint(Next::RunListedProgram));
        }
        let default = TerminalSize::default();
        let size = TerminalSize {
            cols: request.cols.unwrap_or(default.cols),
            rows: request.rows.unwrap_or(default.rows),
        };
        size.check()?;
        let active = open_terminal.workspaces.chosen(&open, request.workspace.as_ref()).await?;
        let options = TerminalOptions {
            cwd: open.config.workspace_dir.clone(),
            size,
            terminal: request.terminal,
            instance_id: active.instance.clone(),
        };
        active.sandbox.terminal(typed, options).await
    }
}
