//! Options and results of a sandbox's methods for code contexts.

use crate::domain::exec::code::Language;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{CodeContextId, InstanceId, ProcessName};
use crate::ports::sandbox::code::CodeLeft;
use serde::{Deserialize, Serialize};

/// Options of `createCodeContext`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCodeContextOptions {
    /// Language of its code.
    pub language: Language,
    /// Working directory.
    pub cwd: AbsolutePath,
    /// Its memory in MiB. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Options of `runInCodeContext`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RunInCodeContextOptions {
    /// As in [`ExecOptions`](crate::ports::sandbox::ExecOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// As in [`ExecOptions`](crate::ports::sandbox::ExecOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<u64>,
    /// As in [`ExecOptions`](crate::ports::sandbox::ExecOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_as: Option<ProcessName>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Options of the other methods for code contexts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CodeContextOptions {
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// An interpreter that keeps its variables between calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CodeContext {
    /// Its id.
    pub context: CodeContextId,
    /// Language of its code.
    pub language: Language,
    /// Its memory in MiB.
    pub memory_mib: u32,
    /// RFC 3339.
    pub created_at: String,
}

/// Code contexts that run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct CodeContextList {
    /// The oldest first.
    pub contexts: Vec<CodeContext>,
}

/// What a call left in a code context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftInContext {
    /// As of a run without a context.
    #[serde(flatten)]
    pub left: CodeLeft,
    /// Why the context ended during this call. Absent while it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ended: Option<String>,
}
