//! Read what a background process printed.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{ProcessName, Result, WorkspaceRef};
use crate::ports::sandbox::{ProcessLog, ProcessOptions};
use crate::session::Session;
use crate::session::parts::Placed;
use crate::session::processes::{Processes, not_running, on};
use serde::{Deserialize, Serialize};

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
        Processes::from(self).read_log(request).await
    }
}

impl Processes<'_> {
    async fn read_log(&self, request: ReadLogRequest) -> Result<Placed<ProcessLog>> {
        let ReadLogRequest { name, offset, max_bytes, wait_ms, workspace } = request;
        let open = self.context.require_open()?;
        let Some(active) = self.running(&open, workspace.as_ref()).await? else {
            return Err(not_running(&name));
        };
        let options = ProcessOptions { offset, max_bytes, wait_ms, ..on(&active) };
        let read = active.sandbox.read_process_log(name, options).await?;
        Ok(active.answers(read))
    }
}
