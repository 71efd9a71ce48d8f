//! Serves calls of tools.

use crate::api::operation::ToolCall;
use crate::api::tools::catalogue::{find, no_such_tool};
use crate::api::tools::registry::{all, by_name};
use crate::domain::json::render;
use crate::domain::{Error, Result, SandboxId};
use crate::session::Session;
use serde_json::{Value, json};

/// Serves one tool call. The caller's right to make the call was checked before. A script runs with
/// its caller's scopes.
///
/// # Errors
/// `NOT_FOUND` for a tool the session does not have; `FORBIDDEN` for a tool that changes something
/// in a read-only session; `INVALID_ARGUMENT` for input that violates the schema; the tool's own
/// errors.
pub async fn call(call: ToolCall<'_>, name: &str, input: Value) -> Result<Value> {
    let ToolCall { session, abort, .. } = call;
    let entry = find(&session.config()?.modules, name)?;
    // An aborted call starts no work, so its input is not checked.
    abort.check()?;
    let served = (entry.serve)(call, input);
    match session.with_signal(abort, served).await {
        Ok(answer) => report_wake(session, answer),
        Err(error) => Err(report_wake_in(session, error)),
    }
}

/// Like [`report_wake`], for a call that woke a workspace and then failed: the end of its container
/// may be the reason.
fn report_wake_in(host: &Session, mut error: Error) -> Error {
    let mut details = error.details.take().unwrap_or_else(|| json!({}));
    if let Some(fields) = details.as_object_mut()
        && let Ok(Some(woken)) = host.unreported_wake()
        && let Ok(woken) = render(&woken)
    {
        fields.insert("woken".to_owned(), woken);
    }
    let is_empty = details.as_object().is_some_and(serde_json::Map::is_empty);
    error.details = (!is_empty).then_some(details);
    error
}

/// Adds a wake that no answer has reported yet. An answer about one workspace does not report wakes
/// of others: calls that work there report them.
fn report_wake(host: &Session, mut answer: Value) -> Result<Value> {
    let Some(fields) = answer.as_object_mut() else { return Ok(answer) };
    // If the answer has a ref, `workspaceId` does not name the workspace that the call worked in,
    // but one that the call made or named.
    let from = fields.get("workspaceId").filter(|_| !fields.contains_key("ref"));
    let woken = match from.and_then(Value::as_str) {
        Some(id) => host.take_wake_of(&SandboxId::parse(id)?)?,
        None => host.take_unreported_wake()?,
    };
    if let Some(woken) = woken {
        fields.insert("woken".to_owned(), render(&woken)?);
    }
    Ok(answer)
}

/// Refuses input that does not parse, before a call is recorded. A caller that does not wait for
/// the call would not see its refusal.
///
/// # Errors
/// `NOT_FOUND` for an unknown tool; `INVALID_ARGUMENT`.
pub fn check_input(tool: &str, input: &Value) -> Result<()> {
    let Some(entry) = by_name(tool) else {
        return Err(no_such_tool(tool, all().map(|entry| &entry.tool)));
    };
    (entry.check)(input.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::tools::catalogue::{ListedTool, is_no_such_tool, list};
    use crate::domain::session::config::Modules;
    use crate::domain::{Caller, CodeCapability, ErrorCode, ScriptCapability, ToolSelection};
    use serde_json::json;

    /// A model's context has all names, descriptions and input schemas in each conversation.
    #[test]
    fn all_tools_together_fit_their_budget() {
        let code = Some(CodeCapability { stateful: true, ..CodeCapability::default() });
        let script = Some(ScriptCapability::default());
        let every = Modules { code, script, ..Modules::all() };
        let tools = list(&every, &ToolSelection::All, &Caller::Operator).unwrap();
        let tokens = |part: fn(&ListedTool) -> Value| {
            tools.iter().map(|tool| part(tool).to_string().len()).sum::<usize>() / 4
        };
        let read = tokens(|tool| json!([tool.name, tool.description, tool.input_schema]));
        let outputs = tokens(|tool| json!(tool.output_schema));
        assert!(read < 10_000 && outputs < 5_800, "about {read} and {outputs} tokens");
    }

    #[test]
    fn every_tool_has_its_input_checked() {
        for entry in all() {
            let name = entry.tool.name;
            let error = check_input(name, &json!({ "surprise": 1 })).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{name}");
        }
        assert!(check_input("workspace_ls", &json!({ "limit": 5 })).is_ok());
        // A model may not set `replace`.
        let error =
            check_input("workspace_update_snapshot", &json!({ "ref": "a", "replace": true }));
        assert_eq!(error.unwrap_err().details, Some(json!({ "field": "replace" })));
        assert!(is_no_such_tool(&check_input("workspace_fly", &json!({})).unwrap_err()));
    }
}
