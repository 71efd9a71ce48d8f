//! What a script is given, and how it ended.

use crate::domain::Result;
use crate::session::parts::Abort;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A script to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptRequest {
    /// Body of an async function.
    pub code: String,
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScriptResult {
    /// The value that it returned, if JSON can express it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Otherwise the value as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_text: Option<String>,
    /// Console output.
    pub logs: String,
    /// Why it failed, with the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether its time limit ended it.
    pub timed_out: bool,
    /// Number of tool calls.
    pub calls: u32,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
}

/// What a script may call.
#[async_trait(?Send)]
pub trait ScriptTools {
    /// The tools' names in the script.
    fn names(&self) -> Vec<&'static str>;

    /// Calls a tool. The name and the input are whatever the script sent.
    ///
    /// # Errors
    /// The refusals and errors of the tool.
    async fn call(&self, name: &str, input: Value, abort: &Abort) -> Result<Value>;
}
