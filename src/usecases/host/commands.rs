//! Commands and files in the active workspace.

use super::{Host, module_missing};
use crate::domain::config::check_env_vars;
use crate::domain::error::{Error, Result};
use crate::domain::limits::EXEC_TIMEOUT_MAX_MS;
use crate::ports::sandbox::{
    CommandLine, Encoding, ExecOptions, ExecResult, FileOptions, ReadFileResult,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command for the active workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// Shell string or argv.
    pub command: CommandLine,
    /// Working directory under the workspace. Default: its root.
    pub cwd: Option<String>,
    /// Environment, over the session's.
    pub env: BTreeMap<String, String>,
    /// Time limit in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Text for its stdin.
    pub stdin: Option<String>,
}

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFileRequest {
    /// Path under the workspace.
    pub path: String,
    /// Encoding of the answer. Default: text where it is text.
    pub encoding: Option<Encoding>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFileRequest {
    /// Path under the workspace.
    pub path: String,
    /// Content in `encoding`.
    pub content: String,
    /// Encoding of `content`.
    pub encoding: Encoding,
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Whole path.
    pub path: String,
}

impl Host {
    /// Runs a command in the active workspace. A nonzero exit is a result.
    ///
    /// # Errors
    /// `UNSUPPORTED` without the shell module; `WORKSPACE_LOST`.
    pub async fn run(&self, request: RunRequest) -> Result<ExecResult> {
        let opened = self.opened()?;
        let Some(shell) = &opened.config.modules.shell else { return Err(module_missing("shell")) };
        check_env_vars(&request.env)?;
        let max_ms = shell.max_duration_ms.unwrap_or(EXEC_TIMEOUT_MAX_MS);
        if request.timeout_ms.is_some_and(|asked| asked == 0 || asked > max_ms) {
            return Err(Error::invalid("timeoutMs", format!("must be 1 to {max_ms}")));
        }
        let root = &opened.config.workspace_dir;
        let cwd =
            request.cwd.as_deref().map_or_else(|| Ok(root.clone()), |cwd| root.resolve(cwd))?;
        let active = self.active(&opened).await?;
        let options = ExecOptions {
            cwd: Some(cwd),
            env: request.env,
            timeout: request.timeout_ms.or(shell.max_duration_ms),
            stdin: request.stdin,
            instance_id: Some(active.instance),
        };
        active.sandbox.exec(request.command, options).await
    }

    /// Reads a file of the active workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`, `TOO_LARGE`; `INVALID_ARGUMENT` for a path outside.
    pub async fn read_file(&self, request: ReadFileRequest) -> Result<ReadFileResult> {
        let opened = self.opened()?;
        if !opened.config.modules.fs {
            return Err(module_missing("fs"));
        }
        let path = opened.config.workspace_dir.resolve(&request.path)?;
        let active = self.active(&opened).await?;
        let options = FileOptions {
            within: Some(opened.config.workspace_dir),
            encoding: request.encoding,
            instance_id: Some(active.instance),
            ..FileOptions::default()
        };
        active.sandbox.read_file(path, options).await
    }

    /// Writes a file of the active workspace, making its parent directories.
    ///
    /// # Errors
    /// `TOO_LARGE`; `INVALID_ARGUMENT` for a path outside.
    pub async fn write_file(&self, request: WriteFileRequest) -> Result<WrittenFile> {
        let opened = self.opened()?;
        if !opened.config.modules.fs {
            return Err(module_missing("fs"));
        }
        let root = opened.config.workspace_dir.clone();
        let path = root.resolve(&request.path)?;
        if path == root {
            return Err(Error::invalid("path", "is the workspace itself, not a file"));
        }
        let active = self.active(&opened).await?;
        let options = FileOptions {
            within: Some(root.clone()),
            encoding: Some(request.encoding),
            recursive: true,
            instance_id: Some(active.instance),
            ..FileOptions::default()
        };
        active.sandbox.write_file(path.clone(), request.content, options).await?;
        Ok(WrittenFile { path: path.into() })
    }
}
