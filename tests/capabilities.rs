//! Makes `docs/capabilities.md`: the operations, and the surfaces that have them.
//!
//! The columns come from the operations' descriptors, the golden test that sends each
//! route a request, and the tool catalogue.
//! `tests/e2e/capabilities.test.ts` tries each cell with a real client.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::Value;
use snapshotter::api::http::{Serve, routes};
use snapshotter::api::operations;
use snapshotter::domain::session::scope::Needs;
use std::collections::{BTreeMap, BTreeSet};

const ROUTE_REQUESTS: &str = include_str!("golden/http-routes.txt");
const TOOLS: &str = include_str!("golden/tools.json");
const PAGE: &str = include_str!("../docs/capabilities.md");

/// Operations by MCP. The others are for the program that runs the agent, not for
/// its model.
const BY_MCP: [(&str, &str); 38] = [
    ("describe", "`workspace_describe`"),
    ("snapshot", "`workspace_snapshot`"),
    ("restore", "`workspace_restore`, which switches to it"),
    ("branch", "`workspace_branch`, which switches to it"),
    ("fork", "`workspace_fork`"),
    ("rewind", "`workspace_rewind`"),
    ("list", "`workspace_list_snapshots`, `resources/list`"),
    ("get", "`workspace_get_snapshot`, `resources/read`"),
    ("updateSnapshot", "`workspace_update_snapshot`"),
    ("delete", "`workspace_delete_snapshot`"),
    ("listSnapshotEvents", "`resources/read`"),
    ("lineage", "`workspace_lineage`"),
    ("checkpoint", "`workspace_save_turn`"),
    ("timeline", "`workspace_timeline`"),
    ("listFiles", "`workspace_snapshot_ls`"),
    ("readFile", "`workspace_snapshot_read`"),
    ("statFile", "`workspace_snapshot_stat`"),
    ("grep", "`workspace_snapshot_grep`"),
    ("copyFromSnapshot", "`workspace_copy_from_snapshot`"),
    ("copyFromWorkspace", "`workspace_copy_from_workspace`"),
    ("diff", "`workspace_diff`"),
    ("compare", "`workspace_compare`"),
    ("promote", "`workspace_promote`"),
    ("runScript", "`workspace_script`"),
    ("swapRef", "`workspace_switch`"),
    ("switch", "`workspace_switch`"),
    ("destroyWorkspace", "`workspace_destroy`"),
    ("pause", "`workspace_pause`"),
    ("resume", "`workspace_resume`"),
    ("listWorkspaces", "`workspace_list_workspaces`"),
    ("listTools", "`tools/list`"),
    ("callTool", "`tools/call`"),
    ("execStream", "`workspace_run`, its output as progress"),
    ("startProcess", "`workspace_start`"),
    ("listProcesses", "`workspace_processes`"),
    ("readProcessLog", "`workspace_logs`"),
    ("stopProcess", "`workspace_stop`"),
    ("cancel", "`notifications/cancelled`"),
];

const HEAD: &str = "# Capabilities

Each operation, and the surfaces that have it. RPC names are methods of `SessionApi` in
[`entry/snapshotter.d.ts`](../entry/snapshotter.d.ts); paths are under `/v1/sessions/{session}` unless they say otherwise, and
[OpenAPI](openapi.json) describes them in full. The last column is the scope that a caller needs ([access.md](access.md)).

A dash is intended. A model works within a session; the program that runs it opens, limits and ends the session. Only the operator
grants access and looks across sessions, over HTTP. Archives in parts are for HTTP, whose bodies are limited on the way.
`UPDATE_GOLDEN=1 cargo test --test capabilities` writes this page from the operations, their routes and the tools.

";

/// The HTTP routes of each operation, by the operation's name.
fn by_http() -> BTreeMap<String, String> {
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
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
        let cells = cells.entry(operation.to_owned()).or_default();
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    for route in routes().filter(|route| matches!(route.serve, Serve::Session(_))) {
        assert!(seen.contains(route.id), "no golden request for {}", route.id);
    }
    cells.into_iter().map(|(operation, cells)| (operation, cells.join(", "))).collect()
}

/// Methods of the published interface, in its order. The last two make no call.
fn by_rpc() -> Vec<&'static str> {
    let methods = operations::all().filter(|entry| entry.method.is_some());
    let names = methods.map(|entry| entry.descriptor.name);
    names.chain(["restricted", "asReadOnly"]).collect()
}

fn page() -> String {
    let http = by_http();
    let rpc = by_rpc();
    let mcp = BTreeMap::from(BY_MCP);
    let dash = || "–".to_owned();
    let mut page = HEAD.to_owned();
    page += "| operation | RPC | HTTP | MCP | needs |\n|---|---|---|---|---|\n";
    let only_http = http.keys().map(String::as_str).filter(|operation| !rpc.contains(operation));
    for operation in rpc.iter().copied().chain(only_http) {
        let by_rpc = if rpc.contains(&operation) { format!("`{operation}`") } else { dash() };
        let by_http = http.get(operation).cloned().unwrap_or_else(dash);
        let by_mcp = mcp.get(operation).map_or_else(dash, |cell| (*cell).to_owned());
        let needs = needs_of(operation);
        page += &format!("| `{operation}` | {by_rpc} | {by_http} | {by_mcp} | {needs} |\n");
    }
    page += "\n| across sessions | RPC | HTTP | MCP |\n|---|---|---|---|\n";
    for route in routes().filter(|route| matches!(route.serve, Serve::Operator(_))) {
        let (verb, path) = (route.verb.as_str(), route.path);
        page += &format!("| `{}` | – | `{verb} {path}` | – |\n", route.id);
    }
    page += "\n| tool | RPC | HTTP | MCP | needs |\n|---|---|---|---|---|\n";
    for entry in operations::tools() {
        let (name, needs) = (entry.tool.name, entry.tool.scope.as_str());
        page += &format!(
            "| `{name}` | `callTool(\"{name}\")` | `POST /tools/{name}` | `tools/call` | {needs} |\n"
        );
    }
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
    let entry = operations::all().find(|entry| entry.descriptor.name == operation);
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
        std::fs::write("docs/capabilities.md", &page).unwrap();
    }
    assert!(page == PAGE, "capabilities changed; see git diff after UPDATE_GOLDEN=1");
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
