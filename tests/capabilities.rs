//! Makes `docs/capabilities.md`: the operations, and the surfaces that have them.
//!
//! The columns come from the operations' descriptors, the golden test that sends each
//! route a request, the tool catalogue, and the sources of the command line and the console.
//! `tests/e2e/capabilities.test.ts` tries each cell with a real client.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::Value;
use snapshotter::api::http::{Route, Serve, routes};
use snapshotter::api::{registry, tools};
use snapshotter::domain::session::scope::Needs;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ROUTE_REQUESTS: &str = include_str!("golden/http-routes.txt");
const TOOLS: &str = include_str!("golden/tools.json");
const PAGE: &str = include_str!("../docs/capabilities.md");
const SESSION_CLIENT: &str = include_str!("../clients/typescript/src/session.ts");
const WORKSPACE_CLIENT: &str = include_str!("../clients/typescript/src/workspace.ts");
const OPERATOR_CLIENT: &str = include_str!("../clients/typescript/src/client.ts");

/// What MCP has of an operation, where that is not just the tool of the operation. The other
/// operations without a tool are for the program that runs the agent, not for its model.
const BY_MCP: [(&str, &str); 16] = [
    ("describe", "`workspace_describe`"),
    ("restore", "`workspace_restore`, which switches to it"),
    ("branch", "`workspace_branch`, which switches to it"),
    ("undo", "`workspace_rewind`"),
    ("list", "`workspace_list_snapshots`, `resources/list`"),
    ("get", "`workspace_get_snapshot`, `resources/read`"),
    ("listSnapshotEvents", "`resources/read`"),
    ("listFiles", "`workspace_ls`"),
    ("readFile", "`workspace_read_file`"),
    ("statFile", "`workspace_stat`"),
    ("grep", "`workspace_grep`"),
    ("swapRef", "`workspace_switch`"),
    ("listTools", "`tools/list`"),
    ("callTool", "`tools/call`"),
    ("execStream", "`workspace_run`, its output as progress"),
    ("cancel", "`notifications/cancelled`"),
];

const HEAD: &str = "# Capabilities

Each operation, and the surfaces that have it. RPC names are methods of `SessionApi` in
[`entry/snapshotter.d.ts`](../entry/snapshotter.d.ts); paths are under `/v1/sessions/{session}` unless they say otherwise, and
[OpenAPI](openapi.json) describes them in full. The last column is the scope that a caller needs ([access.md](access.md)). Both
[clients](../README.md#from-where-you-are) have a method for each HTTP route.

A dash is intended. A model works within a session; the program that runs it opens, limits and ends the session. Only the operator
grants access and looks across sessions, over HTTP. Archives are bytes, which a model can't pass on: imports and exports are for
programs. Archives in parts are for HTTP, whose bodies are limited on the way. [Below](#not-on-the-command-line) is what the command
line and the console lack, and why.
`UPDATE_GOLDEN=1 cargo test --test capabilities` writes this page from the operations, their routes and the tools.

";

/// The HTTP routes of each operation, by the operation's name, and their ids.
fn by_http() -> BTreeMap<String, (String, BTreeSet<&'static str>)> {
    let mut cells: BTreeMap<String, (Vec<String>, BTreeSet<&'static str>)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for line in ROUTE_REQUESTS.lines() {
        let json = line.splitn(3, ' ').nth(2).unwrap();
        let request: Value = serde_json::from_str(json).unwrap();
        let id = request["route"].as_str().unwrap();
        let operation = request["operation"]["op"].as_str().unwrap();
        let route = routes().find(|route| route.id == id).unwrap();
        seen.insert(route.id);
        let path = route.path.strip_prefix("/v1/sessions/{session}").unwrap_or(route.path);
        let cell = format!("`{}`", format!("{} {path}", route.verb.as_str()).trim_end());
        let (cells, ids) = cells.entry(operation.to_owned()).or_default();
        ids.insert(route.id);
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    for route in routes().filter(|route| matches!(route.serve, Serve::Session(_))) {
        assert!(seen.contains(route.id), "no golden request for {}", route.id);
    }
    let joined = |(operation, (cells, ids)): (String, (Vec<String>, _))| {
        (operation, (cells.join(", "), ids))
    };
    cells.into_iter().map(joined).collect()
}

/// Methods of the published interface, in its order. The last two make no call.
fn by_rpc() -> Vec<&'static str> {
    let methods = registry::all().filter(|entry| entry.method.is_some());
    let names = methods.map(|entry| entry.descriptor.name);
    names.chain(["restricted", "asReadOnly"]).collect()
}

/// The text of all sources below a directory, without their tests.
fn sources(directory: &Path, into: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path
            .extension()
            .is_some_and(|ext| ["rs", "ts", "tsx"].iter().any(|one| ext == *one))
        {
            let text = fs::read_to_string(&path).unwrap();
            into.push_str(text.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}

fn snake(id: &str) -> String {
    let spaced = |letter: char| {
        if letter.is_ascii_uppercase() {
            format!("_{}", letter.to_ascii_lowercase())
        } else {
            letter.to_string()
        }
    };
    id.chars().map(spaced).collect()
}

/// The ids of routes that the command line's commands and the console call.
struct Calls {
    commands: String,
    console: BTreeSet<String>,
}

impl Calls {
    fn read() -> Self {
        let mut commands = String::new();
        sources(Path::new("cli/src/commands"), &mut commands);
        let mut page = String::new();
        sources(Path::new("console"), &mut page);
        let mut console = BTreeSet::new();
        let clients =
            [("api", SESSION_CLIENT), ("api", WORKSPACE_CLIENT), ("client", OPERATOR_CLIENT)];
        for (receiver, client) in clients {
            let mut method = "";
            for line in client.lines() {
                let begins = line.starts_with("  ") && !line.starts_with("   ");
                if let Some((head, _)) = line.split_once('(').filter(|_| begins) {
                    let name = head.split('<').next().unwrap_or_default();
                    method = name.rsplit([' ', '*']).next().unwrap_or_default();
                }
                let mut ways = ["call(\"", "stream(\"", "socket(\""].into_iter();
                let called = ways.find_map(|way| line.split_once(way));
                if let Some((id, _)) = called.and_then(|(_, rest)| rest.split_once('"'))
                    && page.contains(&format!("{receiver}.{method}("))
                {
                    console.insert(id.to_owned());
                }
            }
        }
        console.insert("callTool".to_owned());
        Self { commands, console }
    }

    fn has_command(&self, id: &str) -> bool {
        // `tools call` names its route by the tool.
        id == "callTool" || self.commands.contains(&format!("op::{}::call(", snake(id)))
    }

    /// The cells of an operation with these routes.
    fn cells<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> String {
        let (mut command, mut console) = (false, false);
        for id in ids {
            command |= self.has_command(id);
            console |= self.console.contains(id);
        }
        let cell = |is: bool| if is { "yes" } else { "–" };
        format!("{} | {}", cell(command), cell(console))
    }
}

/// The reasons of absent routes, each with the routes that give it.
fn reasons(of: impl Fn(&Route) -> Option<&'static str>) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for route in routes() {
        let Some(reason) = of(route) else { continue };
        let id = format!("`{}`", route.id);
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((reason, vec![id])),
        }
    }
    reasons.iter().map(|(reason, ids)| format!("- {}: {reason}.\n", ids.join(", "))).collect()
}

/// What MCP has of an operation, or a dash.
fn by_mcp(operation: &str) -> String {
    if let Some((_, cell)) = BY_MCP.iter().find(|(name, _)| *name == operation) {
        return (*cell).to_owned();
    }
    let own = tools::all().find(|entry| entry.operation.is_some_and(|of| of.name == operation));
    own.map_or_else(|| "–".to_owned(), |entry| format!("`{}`", entry.tool.name))
}

fn page() -> String {
    let http = by_http();
    let calls = Calls::read();
    let rpc = by_rpc();
    let dash = || "–".to_owned();
    let mut page = HEAD.to_owned();
    page += "| operation | RPC | HTTP | MCP | command line | console | needs |\n|---|---|---|---|---|---|---|\n";
    let only_http = http.keys().map(String::as_str).filter(|operation| !rpc.contains(operation));
    for operation in rpc.iter().copied().chain(only_http) {
        let by_rpc = if rpc.contains(&operation) { format!("`{operation}`") } else { dash() };
        let (by_http, ids) =
            http.get(operation).cloned().unwrap_or_else(|| (dash(), BTreeSet::new()));
        let by_mcp = by_mcp(operation);
        let needs = needs_of(operation);
        let by_people = calls.cells(ids);
        page += &format!(
            "| `{operation}` | {by_rpc} | {by_http} | {by_mcp} | {by_people} | {needs} |\n"
        );
    }
    page += "\n| across sessions | RPC | HTTP | MCP | command line | console |\n|---|---|---|---|---|---|\n";
    for route in routes().filter(|route| matches!(route.serve, Serve::Operator(_))) {
        let (verb, path) = (route.verb.as_str(), route.path);
        let by_people = calls.cells([route.id]);
        page += &format!("| `{}` | – | `{verb} {path}` | – | {by_people} |\n", route.id);
    }
    page += "\n| tool | RPC | HTTP | MCP | needs |\n|---|---|---|---|---|\n";
    for entry in tools::all() {
        let (name, needs) = (entry.tool.name, entry.tool.scope.as_str());
        page += &format!(
            "| `{name}` | `callTool(\"{name}\")` | `POST /tools/{name}` | `tools/call` | {needs} |\n"
        );
    }
    page += "\n## Not on the command line\n\n";
    page += "`snapshotter tools call` calls any tool. These operations, by their names in OpenAPI, have no command of their own:\n\n";
    page += &reasons(|route| route.no_command);
    page += "\n## Not in the console\n\n";
    page += &reasons(|route| route.no_view);
    page
}

/// The scope that an operation needs. A method that makes no call of its own needs
/// nothing.
fn needs_of(operation: &str) -> &'static str {
    if ["cancel", "getOperation"].contains(&operation) {
        return "what the call needs";
    }
    if operation == "callTool" {
        return "what the tool needs";
    }
    let entry = registry::all().find(|entry| entry.descriptor.name == operation);
    match entry.map_or(Needs::Nothing, |entry| entry.descriptor.needs) {
        Needs::Nothing => "nothing",
        Needs::Scope(scope) => scope.as_str(),
        Needs::Port => "write, or a preview's link",
        Needs::Trust => "no restriction",
    }
}

#[test]
fn the_page_is_what_there_is() {
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write("docs/capabilities.md", &page).unwrap();
    }
    assert!(page == PAGE, "capabilities changed; see git diff after UPDATE_GOLDEN=1");
}

#[test]
fn what_a_surface_lacks_has_a_reason() {
    let calls = Calls::read();
    for route in routes() {
        let has_command = calls.has_command(route.id);
        assert_eq!(route.no_command.is_some(), !has_command, "a command for {}", route.id);
        let has_view = calls.console.contains(route.id);
        let is_page = matches!(route.serve, Serve::Session(_) | Serve::Operator(_));
        assert_eq!(route.no_view.is_some(), is_page && !has_view, "a view for {}", route.id);
    }
}

#[test]
fn each_tool_that_is_an_operation_is_in_its_row() {
    for entry in tools::all() {
        let Some(operation) = entry.operation else { continue };
        assert!(by_mcp(operation.name).contains(entry.tool.name), "{}", entry.tool.name);
    }
}

#[test]
fn what_mcp_is_said_to_have_is_there() {
    let (rpc, http) = (by_rpc(), by_http());
    for (operation, cell) in BY_MCP {
        assert!(rpc.contains(&operation) || http.contains_key(operation), "{operation} is gone");
        for name in cell.split('`').filter(|name| name.starts_with("workspace_")) {
            assert!(TOOLS.contains(&format!("\"name\": \"{name}\"")), "there is no tool {name}");
        }
    }
}
