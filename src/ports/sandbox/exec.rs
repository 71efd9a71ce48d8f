//! Options of a sandbox's `exec` and `execStream`, and the result of `exec`.

use crate::domain::egress::RefusedHost;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, ProcessName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of `exec`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecOptions {
    /// Working directory. Default: the container's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// Environment. Overrides the session's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Time limit in milliseconds. Default 2 minutes, at most 1 hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Milliseconds until it becomes a background process, if a slot is free. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// Text for its stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Maximum bytes of each stream, half from each end. Default: the first 1 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<u64>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
    /// `execStream` only: the caller waits for the result, which has the output as that of `exec`.
    /// The stream sends only the end of a burst of output.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
    /// `execStream` with `followed` only: if the caller gives up, the output is kept as the log of
    /// an ended background process of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_as: Option<ProcessName>,
}

/// Result of `exec`. A nonzero exit is a result, not an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecResult {
    /// Whether the exit code is 0.
    pub success: bool,
    /// Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
    pub exit_code: i32,
    /// At most 1 MiB of stdout; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// At most 1 MiB of stderr; bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// Whether stdout was cut.
    #[serde(default)]
    pub stdout_truncated: bool,
    /// Whether stderr was cut.
    #[serde(default)]
    pub stderr_truncated: bool,
    /// Whether the time limit ended it.
    #[serde(default)]
    pub timed_out: bool,
    /// Milliseconds it took.
    #[serde(default)]
    pub duration_ms: u64,
    /// Hosts that the network policy refused since it last listed some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_hosts: Vec<RefusedHost>,
    /// Programs that the command left running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_running: Option<LeftRunning>,
    /// Advice about refused hosts, memory and programs that still run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Programs that a command started and that outlive it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct LeftRunning {
    /// The background process whose log has what they print from now on. Absent if that output is
    /// dropped, or goes where the command sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessName>,
    /// The first 5 of them.
    pub programs: Vec<LeftProgram>,
}

/// A program that outlives the command that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct LeftProgram {
    /// Its process id in the container.
    pub pid: u32,
    /// Beginning of its command.
    pub command: String,
}
