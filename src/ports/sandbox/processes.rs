//! Options and results of a sandbox's methods for background processes.

use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, ProcessName};
use crate::ports::sandbox::EndedProcess;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of `startProcess`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartProcessOptions {
    /// Working directory.
    pub cwd: AbsolutePath,
    /// Environment. Overrides the session's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Milliseconds until the process is ended. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Options of the other methods for processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProcessOptions {
    /// `readProcessLog`: where to begin, from the first printed byte. Default: read the last bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// `readProcessLog`: maximum bytes to read. Default 16 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// `readProcessLog`: milliseconds to wait for output after `offset`. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// State of a background process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProcessState {
    /// It runs.
    Running,
    /// It has ended.
    Ended,
}

/// A background process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProcessView {
    /// Its name.
    pub name: ProcessName,
    /// State.
    pub state: ProcessState,
    /// Exit code. Null while it runs, and if it was killed with its supervisor.
    pub exit_code: Option<i32>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339, or null.
    pub ended_at: Option<String>,
    /// Bytes printed so far.
    pub log_bytes: u64,
    /// Beginning of its command.
    pub command: String,
    /// Whether it has ended but a program that it started still runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_running: bool,
    /// In the answer of its start: when it will end without being stopped. Later: that it ended
    /// because memory ran out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Background processes, in the order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ProcessList {
    /// Running processes, and the last that ended.
    pub processes: Vec<ProcessView>,
}

/// The processes that use a directory, which a rewind of it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirUsers {
    /// At most [`ENDED_SHOWN`](crate::domain::limits::ENDED_SHOWN).
    pub processes: Vec<EndedProcess>,
    /// The background processes that they belong to.
    pub background: Vec<ProcessName>,
}

/// A part of what a background process printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProcessLog {
    /// The process.
    pub process: ProcessView,
    /// Offset of the text. Later than requested if the log no longer has that part.
    pub offset: u64,
    /// Offset of the next read.
    pub next_offset: u64,
    /// stdout and stderr; bytes that are not UTF-8 are replaced.
    pub text: String,
}
