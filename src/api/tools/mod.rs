//! The tools that an agent's model calls: how they are listed, and how a call is served.

pub(crate) mod catalogue;

use crate::api::tools::catalogue::no_such_tool;
pub use crate::api::tools::catalogue::{ListedTool, is_no_such_tool, list, needs};

use crate::api::operation::SnapshotTarget;
use crate::api::operation::tool::ToolCall;
use crate::api::operations;
use crate::domain::error::{Error, Next, Result};
use crate::domain::ids::{RestoreKind, SandboxId};
use crate::domain::json::render;
use crate::domain::session::scope::Caller;
use crate::session::{Abort, MadeWorkspace, Session};
use serde_json::{Value, json};

#[cfg(all(test, schemas))]
mod schemas;

/// Serves one tool call of an unrestricted caller.
///
/// # Errors
/// As [`call_by`].
pub async fn call(session: &Session, name: &str, input: Value, abort: &Abort) -> Result<Value> {
    call_by(&Caller::BINDING, session, name, input, abort).await
}

/// Serves one tool call. Whether the caller may make it has been checked; a script is run
/// with the scopes of its caller.
///
/// # Errors
/// `NOT_FOUND` for a tool the session does not have; `FORBIDDEN` for one that
/// changes something in a read-only session; `INVALID_ARGUMENT` for input that
/// breaks the schema; the tool's own errors.
pub async fn call_by(
    caller: &Caller,
    session: &Session,
    name: &str,
    input: Value,
    abort: &Abort,
) -> Result<Value> {
    let entry = catalogue::find(&session.config()?.modules, name)?;
    // An aborted call starts no work, so nothing checks its input.
    abort.check()?;
    let served = (entry.serve)(ToolCall { session, caller, abort }, input);
    match session.with_signal(abort, served).await {
        Ok(answer) => report_wake(session, answer),
        Err(error) => Err(report_wake_in(session, error)),
    }
}

/// As [`report_wake`], for a call that woke a workspace and then failed: that its container had
/// ended may be why.
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

/// Adds a wake that no answer has reported yet. An answer from one workspace leaves
/// the wakes of others to the calls that work there.
fn report_wake(host: &Session, mut answer: Value) -> Result<Value> {
    let Some(fields) = answer.as_object_mut() else { return Ok(answer) };
    let woken = match fields.get("workspace").and_then(Value::as_str) {
        Some(id) => host.take_wake_of(&SandboxId::parse(id)?)?,
        None => host.take_unreported_wake()?,
    };
    if let Some(woken) = woken {
        fields.insert("woken".to_owned(), render(&woken)?);
    }
    Ok(answer)
}

/// Refuses input that does not parse, before a call is recorded. A caller that does
/// not wait would not see the call's own refusal.
///
/// # Errors
/// `NOT_FOUND` for an unknown tool; `INVALID_ARGUMENT`.
pub fn check_input(tool: &str, input: &Value) -> Result<()> {
    let Some(entry) = operations::tool(tool) else {
        return Err(no_such_tool(tool, operations::tools().map(|entry| &entry.tool)));
    };
    (entry.check)(input.clone())
}

/// Rewords the hint of a taken name for tools, which do not take `replace`.
pub(crate) fn without_replace(error: Error) -> Error {
    let holder = error.details.as_ref().and_then(|details| details.get("holder"));
    let Some(holder) = holder.and_then(Value::as_str) else { return error };
    let snapshot = holder.to_owned();
    error.with_hint(Next::FreeName { snapshot })
}

/// Makes a workspace and switches to it. The switch is persisted before the tool
/// answers.
pub(crate) async fn make_and_switch(
    call: ToolCall<'_>,
    kind: RestoreKind,
    target: SnapshotTarget,
) -> Result<MadeWorkspace> {
    let SnapshotTarget { r#ref, allow_cross_session } = target;
    let session = call.session;
    let made = session.make_workspace(kind, &r#ref, allow_cross_session, call.abort).await?;
    match session.switch(&made.r#ref).await {
        Ok(_active) => Ok(made),
        Err(error) => Err(session.unswitched(&made, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::ErrorCode;
    use crate::domain::exec::code::CodeCapability;
    use crate::domain::exec::script::ScriptCapability;
    use crate::domain::session::config::Modules;
    use serde_json::json;

    /// Names, descriptions and input schemas use a model's context in each conversation.
    #[test]
    fn all_tools_together_fit_their_budget() {
        let code = Some(CodeCapability { stateful: true, ..CodeCapability::default() });
        let script = Some(ScriptCapability::default());
        let every = Modules { code, script, ..Modules::all() };
        let tools = list(&every, &Caller::Operator).unwrap();
        let tokens = |part: fn(&ListedTool) -> Value| {
            tools.iter().map(|tool| part(tool).to_string().len()).sum::<usize>() / 4
        };
        let read = tokens(|tool| json!([tool.name, tool.description, tool.input_schema]));
        let outputs = tokens(|tool| json!(tool.output_schema));
        assert!(read < 10_000 && outputs < 5_700, "about {read} and {outputs} tokens");
    }

    #[test]
    fn every_tool_has_its_input_checked() {
        for entry in operations::tools() {
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
