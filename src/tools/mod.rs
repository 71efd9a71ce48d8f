//! The tools an agent's model calls: one catalogue, built with the crate, and
//! one function that serves a call.

mod inputs;

use crate::domain::config::Modules;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::ForkKind;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::refs::WorkspaceRef;
use crate::usecases::host::{Abort, Forked, Host, ListRequest};
use inputs::{
    DeleteInput, ForkInput, ListInput, NoInput, ReadFileInput, RunInput, SnapshotInput,
    SwitchInput, WriteFileInput,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The catalogue that `build.rs` checked and staged.
const CATALOGUE: &str = include_str!(concat!(env!("OUT_DIR"), "/catalogue.json"));

/// The part of a session that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Module {
    Fs,
    Shell,
    Snapshot,
}

impl Module {
    const fn is_in(self, modules: &Modules) -> bool {
        match self {
            Self::Fs => modules.fs,
            Self::Shell => modules.shell.is_some(),
            Self::Snapshot => modules.snapshot.is_some(),
        }
    }
}

/// A tool as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name to call it by.
    pub name: String,
    /// For people.
    pub title: String,
    #[serde(skip_serializing)]
    module: Module,
    /// For the model: when to use it, what it leaves alone, what to call next.
    pub description: String,
    /// The four MCP hints.
    pub annotations: Value,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: Value,
}

/// The tools of a session: those whose module it declared. `allowCrossSession`
/// is absent where the operator has not allowed crossing.
///
/// # Errors
/// `INTERNAL` if the staged catalogue does not parse, which would be a bug.
pub fn list(modules: &Modules) -> Result<Vec<Tool>> {
    let mut tools: Vec<Tool> = serde_json::from_str(CATALOGUE)
        .map_err(|error| Error::internal(format!("tool catalogue: {error}")))?;
    tools.retain(|tool| tool.module.is_in(modules));
    for tool in &mut tools {
        if !modules.cross_session()
            && let Some(properties) = tool.input_schema.pointer_mut("/properties")
            && let Some(properties) = properties.as_object_mut()
        {
            properties.remove("allowCrossSession");
        }
        if tool.name == "workspace_list_snapshots"
            && let Some(limit) = tool.input_schema.pointer_mut("/properties/limit/description")
            && let Some(text) = limit.as_str()
        {
            let default = format!("by default {MAX_LIST_RESULTS_DEFAULT}");
            *limit =
                json!(text.replace(&default, &format!("which is {}", modules.max_list_results())));
        }
    }
    Ok(tools)
}

/// Serves one tool call.
///
/// # Errors
/// `NOT_FOUND` for a tool the session does not have; `INVALID_ARGUMENT` for
/// input that breaks the schema; whatever the operation answers.
pub async fn call(host: &Host, name: &str, input: Value, abort: &Abort) -> Result<Value> {
    let listed = list(&host.config()?.modules)?;
    if !listed.iter().any(|tool| tool.name == name) {
        return Err(no_such_tool());
    }
    match name {
        "workspace_snapshot" => {
            let input: SnapshotInput = parse(input)?;
            render(&host.snapshot(input.into(), abort).await?)
        }
        "workspace_restore" => {
            render(&fork_and_switch(host, ForkKind::Restored, parse(input)?, abort).await?)
        }
        "workspace_branch" => {
            render(&fork_and_switch(host, ForkKind::Branch, parse(input)?, abort).await?)
        }
        "workspace_list_snapshots" => {
            let input: ListInput = parse(input)?;
            abort.check()?;
            render(&host.list(&ListRequest::from(input)).await?)
        }
        "workspace_delete_snapshot" => {
            let input: DeleteInput = parse(input)?;
            abort.check()?;
            render(&host.delete(&input.r#ref, input.allow_cross_session).await?)
        }
        "workspace_list_workspaces" => {
            let NoInput {} = parse(input)?;
            render(&host.list_workspaces()?)
        }
        "workspace_switch" => {
            let input: SwitchInput = parse(input)?;
            abort.check()?;
            let active: WorkspaceRef = host.switch(&input.r#ref).await?;
            render(&json!({ "ref": active }))
        }
        "workspace_run" => {
            let input: RunInput = parse(input)?;
            abort.step("running the command")?;
            render(&host.run(input.into()).await?)
        }
        "workspace_read_file" => {
            let input: ReadFileInput = parse(input)?;
            abort.check()?;
            render(&host.read_file(input.into()).await?)
        }
        "workspace_write_file" => {
            let input: WriteFileInput = parse(input)?;
            abort.check()?;
            render(&host.write_file(input.into()).await?)
        }
        listed => Err(Error::internal(format!("tool {listed} is listed and not served"))),
    }
}

fn no_such_tool() -> Error {
    Error::new(ErrorCode::NotFound, "this session has no such tool")
        .with_hint("list the tools to see which there are")
        .with_details(json!({ "field": "name" }))
}

/// Whether a call failed because there is no such tool, which some surfaces
/// tell otherwise than a tool's own failure.
#[must_use]
pub fn is_no_such_tool(error: &Error) -> bool {
    *error == no_such_tool()
}

/// The tools go on in the workspace they make; that is persisted before they answer.
async fn fork_and_switch(
    host: &Host,
    kind: ForkKind,
    input: ForkInput,
    abort: &Abort,
) -> Result<Forked> {
    let forked = host.fork(kind, &input.r#ref, input.allow_cross_session, abort).await?;
    host.switch(&forked.r#ref).await?;
    Ok(forked)
}

fn parse<T: DeserializeOwned>(input: Value) -> Result<T> {
    let input = if input.is_null() { json!({}) } else { input };
    serde_json::from_value(input).map_err(|error| {
        Error::invalid("input", error).with_hint("correct it after the tool's input schema")
    })
}

fn render<T: Serialize>(output: &T) -> Result<Value> {
    serde_json::to_value(output).map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::config::{ShellCapability, SnapshotCapability};

    fn modules(cross_session: bool) -> Modules {
        Modules {
            fs: true,
            shell: Some(ShellCapability::default()),
            snapshot: Some(SnapshotCapability { cross_session, max_list_results: Some(7) }),
        }
    }

    #[test]
    fn crossing_is_absent_from_the_schemas_unless_allowed() {
        let closed = serde_json::to_string(&list(&modules(false)).unwrap()).unwrap();
        let open = serde_json::to_string(&list(&modules(true)).unwrap()).unwrap();
        assert!(!closed.contains("allowCrossSession"));
        assert_eq!(open.matches("\"allowCrossSession\"").count(), 4);
        assert!(open.contains("maximum, which is 7"), "{open}");
    }

    #[test]
    fn a_module_that_was_not_declared_has_no_tools() {
        let only_fs = Modules { fs: true, shell: None, snapshot: None };
        let names: Vec<String> =
            list(&only_fs).unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["workspace_read_file", "workspace_write_file"]);
    }

    #[test]
    fn tool_catalogue_format_unchanged() {
        let listed = list(&modules(true)).unwrap();
        let text = serde_json::to_string_pretty(&listed).unwrap() + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("tests/golden/tools.json", &text).unwrap();
        }
        let golden = include_str!("../../tests/golden/tools.json");
        assert!(text == golden, "a published schema changed; see git diff after UPDATE_GOLDEN=1");
    }
}
