//! Options and result of a sandbox's `runCode`.

use crate::domain::exec::code::Language;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::InstanceId;
use crate::ports::sandbox::exec::ExecResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Options of `runCode`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCodeOptions {
    /// Language of the code.
    pub language: Language,
    /// Working directory. Default: the container's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// As in [`ExecOptions`](crate::ports::sandbox::ExecOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// As in [`ExecOptions`](crate::ports::sandbox::ExecOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<u64>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Result of `runCode`. Code that fails is a result, not an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunCodeResult {
    /// Result of its process; a traceback is in `stderr`.
    #[serde(flatten)]
    pub exec: ExecResult,
    /// What it left.
    #[serde(flatten)]
    pub left: CodeLeft,
}

/// What a run of code left besides its output.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CodeLeft {
    /// Value of the last line, if JSON can express it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The value as the language prints it, if JSON can't express it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_text: Option<String>,
    /// Images that the code saved in its output directory.
    pub images: Vec<CodeImage>,
    /// Files there that are not returned: too large, too many, or not images.
    pub omitted: Vec<String>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CodeImage {
    /// Name of its file.
    pub name: String,
    /// E.g. `image/png`.
    pub mime_type: String,
    /// Bytes in base64.
    pub data: String,
}
