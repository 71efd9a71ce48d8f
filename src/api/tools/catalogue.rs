//! The tools of a session.

use crate::api::operation::tool::ToolHints;
use crate::api::operation::{Module, Tool, ToolEntry};
use crate::api::tools::registry::{all, by_name};
use crate::domain::json::parse_stored;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::session::config::Modules;
use crate::domain::{Caller, Error, ErrorCode, Needs, Result, ShellCapability, ToolSelection};
use crate::session::read_only;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The JSON Schemas of every tool, by the tool's name. A test generates them from the types.
const SCHEMAS: &str = include_str!("schemas.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Schemas {
    input_schema: Value,
    output_schema: Value,
}

/// What a caller needs to call a tool. An unknown tool needs nothing, because its name is refused
/// for every caller.
#[must_use]
pub fn needs(name: &str) -> Needs {
    by_name(name).map_or(Needs::Nothing, |entry| Needs::Scope(entry.tool.scope))
}

/// A tool as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedTool {
    /// Name to call it by.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model: when to use it, what it leaves alone, what to call next.
    pub description: &'static str,
    /// The hints of MCP.
    pub annotations: ToolHints,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// JSON Schema of the output: its fields, without their contents.
    pub output_schema: Value,
}

impl ListedTool {
    /// A property of the input, e.g. `limit` or `limit/description`.
    fn input_mut(&mut self, property: &str) -> Option<&mut Value> {
        self.input_schema.pointer_mut(&format!("/properties/{property}"))
    }
}

/// The selected tools of a session that a caller may call: tools of the session's modules, and in a
/// read-only session only those with the scope `read`. `allowCrossSession` is absent unless the
/// operator allows crossing. Shell text is absent if the policy lists the programs that may run.
///
/// # Errors
/// `INVALID_ARGUMENT` for a selected tool that does not exist. `INTERNAL` if a tool has no
/// schemas, which would be a bug.
pub fn list(
    modules: &Modules,
    selection: &ToolSelection,
    caller: &Caller,
) -> Result<Vec<ListedTool>> {
    check_selection(selection)?;
    let may = |tool: &&Tool| {
        is_selected(selection, tool, modules) && caller.may(Needs::Scope(tool.scope))
    };
    let mut tools = described(callable(modules).filter(may))?;
    for tool in &mut tools {
        if let Some(properties) = tool.input_schema.pointer_mut("/properties")
            && let Some(properties) = properties.as_object_mut()
        {
            if !modules.cross_session() {
                properties.remove("allowCrossSession");
            }
            // Without snapshots, a session has no other workspace.
            if modules.snapshot.is_none() {
                properties.remove("workspace");
                properties.remove("at");
            }
        }
        match tool.name {
            "workspace_list_snapshots" => tell_list_limit(tool, modules.max_list_results()),
            "workspace_run" => {
                if let Some(shell) = &modules.shell {
                    describe_policy(tool, shell);
                }
            }
            "workspace_run_code" | "workspace_create_code_context" => {
                if let Some(code) = &modules.code
                    && let Some(languages) = tool.input_mut("language/enum")
                {
                    *languages = json!(code.languages);
                }
            }
            "workspace_script" => describe_functions(tool, modules, caller),
            _ => {}
        }
    }
    Ok(tools)
}

/// Refuses a name that no tool has.
///
/// # Errors
/// `INVALID_ARGUMENT` with the names of all tools.
pub fn check_selection(selection: &ToolSelection) -> Result<()> {
    let ToolSelection::Named(names) = selection else { return Ok(()) };
    match names.iter().find(|name| by_name(name).is_none()) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = all().map(|entry| entry.tool.name).collect();
            Err(Error::invalid("tools", format!("there is no tool {unknown}"))
                .with_hint(format!("the tools are {}", names.join(", "))))
        }
    }
}

fn is_selected(selection: &ToolSelection, tool: &Tool, modules: &Modules) -> bool {
    match selection {
        // A session with a shell can run code by a command.
        ToolSelection::Core => {
            tool.core && (tool.module != Module::Code || modules.shell.is_none())
        }
        ToolSelection::All => true,
        ToolSelection::Named(names) => names.iter().any(|name| name == tool.name),
    }
}

/// Finds a tool to call.
///
/// # Errors
/// `NOT_FOUND` for a tool outside the session's modules; `FORBIDDEN` for a tool that changes
/// something in a read-only session.
pub fn find(modules: &Modules, name: &str) -> Result<&'static ToolEntry> {
    let found = by_name(name).filter(|entry| entry.tool.module.is_in(modules));
    let Some(entry) = found else {
        return Err(no_such_tool(name, callable(modules)));
    };
    if modules.read_only && !entry.tool.only_reads() { Err(read_only()) } else { Ok(entry) }
}

const NO_SUCH_TOOL: &str = "this session has no such tool";

/// The refusal of a tool that is not among `tools`, the callable ones.
pub(crate) fn no_such_tool(name: &str, tools: impl Iterator<Item = &'static Tool>) -> Error {
    let names: Vec<&str> = tools.map(|tool| tool.name).collect();
    let names = names.join(", ");
    let hint = if by_name(name).is_some() {
        format!("its module is not among the session's capabilities; the tools are {names}")
    } else {
        format!("the tools are {names}")
    };
    Error::new(ErrorCode::NotFound, NO_SUCH_TOOL)
        .with_hint(hint)
        .with_details(json!({ "field": "name" }))
}

/// Whether a call failed because the tool does not exist. Some surfaces report this differently
/// from a tool's own failure.
#[must_use]
pub fn is_no_such_tool(error: &Error) -> bool {
    error.code == ErrorCode::NotFound && error.message == NO_SUCH_TOOL
}

/// The tools of a session.
fn callable(modules: &Modules) -> impl Iterator<Item = &'static Tool> {
    all()
        .map(|entry| &entry.tool)
        .filter(|tool| tool.module.is_in(modules))
        .filter(|tool| tool.only_reads() || !modules.read_only)
}

fn described(tools: impl Iterator<Item = &'static Tool>) -> Result<Vec<ListedTool>> {
    let mut schemas: BTreeMap<String, Schemas> = parse_stored("schemas of tools", SCHEMAS)?;
    let described = tools.map(|tool| {
        let Schemas { input_schema, output_schema } = schemas.remove(tool.name)?;
        let &Tool { name, title, description, .. } = tool;
        let annotations = tool.hints();
        Some(ListedTool { name, title, description, annotations, input_schema, output_schema })
    });
    described
        .collect::<Option<_>>()
        .ok_or_else(|| Error::internal("a tool has no schemas: run its tests with UPDATE_GOLDEN=1"))
}

fn tell_list_limit(tool: &mut ListedTool, most: u32) {
    if let Some(description) = tool.input_mut("limit/description")
        && let Some(text) = description.as_str()
    {
        let default = format!("by default {MAX_LIST_RESULTS_DEFAULT}");
        *description = json!(text.replace(&default, &format!("which is {most}")));
    }
}

/// Lists the functions of scripts in this session.
fn describe_functions(tool: &mut ListedTool, modules: &Modules, caller: &Caller) {
    let may = callable(modules).filter(|tool| caller.may(Needs::Scope(tool.scope)));
    let names: Vec<&str> = may.filter_map(Tool::script_name).collect();
    if let Some(description) = tool.input_mut("code/description")
        && let Some(text) = description.as_str()
    {
        *description = json!(format!(
            "{text} await workspace.NAME(input) calls the tool workspace_NAME: {}.",
            names.join(", ")
        ));
    }
}

/// Narrows the schema of `workspace_run` to the session's policy.
fn describe_policy(tool: &mut ListedTool, shell: &ShellCapability) {
    if let Some(max_ms) = shell.max_duration_ms
        && let Some(maximum) = tool.input_mut("timeoutMs/maximum")
    {
        *maximum = json!(max_ms);
    }
    if let Some(list) = &shell.allowlist
        && let Some(command) = tool.input_mut("command")
    {
        *command = json!({
            "description": format!("Program and arguments, no shell. Programs that may run: {}.", list.join(", ")),
            "type": "array",
            "items": { "type": "string" },
            "minItems": 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::config::SnapshotCapability;
    use crate::domain::{CodeCapability, Scope, ScriptCapability};

    fn modules(cross_session: bool) -> Modules {
        Modules {
            fs: true,
            shell: Some(ShellCapability::default()),
            code: Some(CodeCapability { stateful: true, ..CodeCapability::default() }),
            script: None,
            snapshot: Some(SnapshotCapability { cross_session, max_list_results: Some(7) }),
            read_only: false,
        }
    }

    /// A vendor's tokenizer counts the exact number of tokens, in `mcp.test.ts`.
    #[test]
    fn the_core_is_eighteen_tools_of_about_5_000_tokens() {
        let core = list(&modules(false), &ToolSelection::Core, &Caller::Operator).unwrap();
        let (code, core): (Vec<_>, Vec<_>) =
            core.iter().partition(|tool| tool.name.contains("code"));
        assert_eq!((core.len(), code.len()), (18, 2), "contexts are listed if they are declared");
        let read = |tool: &&ListedTool| {
            json!([tool.name, tool.description, tool.input_schema]).to_string().len()
        };
        let tokens = core.iter().map(read).sum::<usize>() / 4;
        assert!(tokens < 5_400, "about {tokens}");
        let only_code = Modules { shell: None, ..modules(false) };
        let listed = list(&only_code, &ToolSelection::Core, &Caller::Operator).unwrap();
        assert!(listed.iter().any(|tool| tool.name == "workspace_run_code"));
    }

    #[test]
    fn a_selection_names_tools_that_exist() {
        let some = |names: &[&str]| {
            ToolSelection::Named(names.iter().map(|name| (*name).to_owned()).collect())
        };
        let listed = |selection| list(&modules(false), &selection, &Caller::Operator);
        let two = listed(some(&["workspace_stat", "workspace_run"])).unwrap();
        assert_eq!(two.len(), 2);
        let error = listed(some(&["workspace_run", "workspace_fly"])).unwrap_err();
        assert_eq!(error.details, Some(json!({ "field": "tools" })));
        assert!(listed(some(&["workspace_script"])).unwrap().is_empty(), "it was not declared");
    }

    #[test]
    fn crossing_is_absent_from_the_schemas_unless_allowed() {
        let closed = serde_json::to_string(
            &list(&modules(false), &ToolSelection::All, &Caller::Operator).unwrap(),
        )
        .unwrap();
        let open = serde_json::to_string(
            &list(&modules(true), &ToolSelection::All, &Caller::Operator).unwrap(),
        )
        .unwrap();
        assert!(!closed.contains("allowCrossSession"));
        assert_eq!(open.matches("\"allowCrossSession\"").count(), 14);
        assert!(open.contains("maximum, which is 7"), "{open}");
    }

    #[test]
    fn a_module_that_was_not_declared_has_no_tools() {
        let only_fs = Modules { shell: None, code: None, snapshot: None, ..modules(false) };
        let names: Vec<&str> = list(&only_fs, &ToolSelection::All, &Caller::Operator)
            .unwrap()
            .into_iter()
            .map(|tool| tool.name)
            .collect();
        assert_eq!(
            names,
            [
                "workspace_describe",
                "workspace_pause",
                "workspace_resume",
                "workspace_read_file",
                "workspace_ls",
                "workspace_glob",
                "workspace_grep",
                "workspace_stat",
                "workspace_write_file",
                "workspace_edit_file",
                "workspace_mkdir",
                "workspace_rm",
                "workspace_git_checkpoint",
                "workspace_git_checkpoint_list",
                "workspace_git_checkpoint_restore",
                "workspace_git_checkpoint_diff",
                "workspace_git_checkpoint_delete",
            ]
        );
        let listed = |modules: &Modules| {
            json!(list(modules, &ToolSelection::All, &Caller::Operator).unwrap()).to_string()
        };
        let named = |modules: &Modules| listed(modules).contains("A workspace's id.");
        assert!(named(&modules(false)) && !named(&only_fs), "there is no other workspace");
    }

    #[test]
    fn a_read_only_session_is_shown_what_reads() {
        let reading = Modules { read_only: true, ..modules(false) };
        let listed = list(&reading, &ToolSelection::All, &Caller::Operator).unwrap();
        assert!(listed.iter().all(|tool| tool.annotations.read_only_hint) && listed.len() > 5);
        assert!(find(&reading, "workspace_grep").is_ok());
        for name in ["workspace_run", "workspace_rm", "workspace_snapshot", "workspace_switch"] {
            assert_eq!(find(&reading, name).unwrap_err().code, ErrorCode::Forbidden);
            assert!(find(&modules(false), name).is_ok());
        }
        assert_eq!(find(&reading, "workspace_fly").unwrap_err().code, ErrorCode::NotFound);
    }

    #[test]
    fn a_caller_is_shown_what_it_may_call() {
        for scope in Scope::ALL {
            let caller = Caller::Binding { scopes: Some([scope].into_iter().collect()) };
            let every = Modules { script: Some(ScriptCapability::default()), ..modules(false) };
            let listed = list(&every, &ToolSelection::All, &caller).unwrap();
            let names: Vec<&str> = listed.iter().map(|tool| tool.name).collect();
            let tools = all().map(|entry| entry.tool);
            let table: Vec<&str> =
                tools.filter(|tool| tool.scope == scope).map(|tool| tool.name).collect();
            assert_eq!(names, table);
        }
        assert_eq!(needs("workspace_fly"), Needs::Nothing);
        assert_eq!(needs("workspace_run"), Needs::Scope(Scope::Write), "reading runs nothing");
    }

    #[test]
    fn the_shell_policy_is_told() {
        let shell = ShellCapability {
            allowlist: Some(vec!["ls".into(), "git".into()]),
            max_duration_ms: Some(5_000),
        };
        let limited = Modules { shell: Some(shell), ..modules(false) };
        let tools = list(&limited, &ToolSelection::All, &Caller::Operator).unwrap();
        let run = tools.iter().find(|tool| tool.name == "workspace_run").unwrap();
        let command = &run.input_schema["properties"]["command"];
        assert_eq!((&command["type"], command.get("anyOf")), (&json!("array"), None));
        assert!(command["description"].as_str().unwrap().contains("ls, git"));
        assert_eq!(run.input_schema["properties"]["timeoutMs"]["maximum"], 5_000);
    }

    #[test]
    fn tool_catalogue_format_unchanged() {
        let every = Modules { script: Some(ScriptCapability::default()), ..modules(true) };
        let listed = list(&every, &ToolSelection::All, &Caller::Operator).unwrap();
        let text = serde_json::to_string_pretty(&listed).unwrap() + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("tests/golden/tools.json", &text).unwrap();
        }
        let golden = include_str!("../../../tests/golden/tools.json");
        assert!(text == golden, "a published schema changed; see git diff after UPDATE_GOLDEN=1");
    }
}
