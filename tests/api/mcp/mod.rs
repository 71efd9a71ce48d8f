//! MCP messages as raw JSON, through the Worker's half and the object's.

mod stream;

use crate::world::{World, now, snapshot};
use serde_json::{Value, json};
use snapshotter::api::mcp::{self, Answer, Call, Head, Received};
use snapshotter::api::operation::{self, Invocation};
use snapshotter::api::tools;
use snapshotter::domain::error::Result;
use snapshotter::domain::ids::SessionId;
use snapshotter::domain::session::config::ToolSelection;
use snapshotter::domain::session::scope::{Caller, Needs};
use snapshotter::session::{Abort, Session};

const ANY: (&str, &str) = ("accept", "application/json");

/// Sends a body as an HTTP client would.
pub fn received(headers: &[(&str, &str)], body: &str) -> Received {
    asked(&[], headers, body)
}

/// The same with parameters in the query.
fn asked(query: &[(&str, &str)], headers: &[(&str, &str)], body: &str) -> Received {
    let query: Vec<_> =
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let header = |name: &str| {
        headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    };
    let head = Head { method: "POST", header: &header, query: &query };
    if let Err(answer) = mcp::check_head(head) {
        return Received::Answer(answer);
    }
    let session = SessionId::parse("sess").unwrap();
    mcp::receive(&session, head, body.as_bytes(), || Some("client-1".to_owned()))
}

/// The answer that the client reads, with its status and headers.
fn answer(world: &World, host: &Session, received: Received) -> String {
    match received {
        Received::Answer(Answer { status, headers, body }) => {
            let headers: String =
                headers.iter().map(|(name, value)| format!("{name}: {value} ")).collect();
            format!("{status} {headers}{}", body.map(|body| body.to_string()).unwrap_or_default())
        }
        Received::Call(call) => {
            let call = forwarded(&call);
            let told = now(run(world, host, &call, &Abort::default()));
            answer(world, host, Received::Answer(call.answer(host.session(), told)))
        }
        Received::Notify(operation) => {
            let told = now(operate(world, host, operation, &Abort::default()));
            format!("202 {told:?}")
        }
    }
}

/// The call as it arrives at the session's object.
fn forwarded(call: &Call) -> Call {
    let sent = serde_json::to_string(call).unwrap();
    let arrived: Call = serde_json::from_str(&sent).unwrap();
    assert_eq!(serde_json::to_string(&arrived).unwrap(), sent);
    arrived
}

pub async fn run(world: &World, host: &Session, call: &Call, abort: &Abort) -> Result<Value> {
    operate(world, host, call.invocation.clone(), abort).await
}

async fn operate(
    world: &World,
    host: &Session,
    invocation: impl Into<Invocation>,
    abort: &Abort,
) -> Result<Value> {
    let caller = Caller::Operator;
    operation::run(host, &caller, invocation.into(), abort, &world.clock, &world.log, String::new)
        .await
}

pub fn older(method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// A request of the newer revision with its headers.
fn newer(world: &World, host: &Session, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("mcp-name", name.as_str()),
        ANY,
    ];
    answer(world, host, received(&headers, &older(method, params)))
}

#[test]
fn mcp_answers_format_unchanged() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let uri = format!("workspace://sess/snapshots/{id}");
    let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
    let mut shown = String::new();
    for (method, params) in [
        ("server/discover", json!({})),
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": uri })),
        ("resources/templates/list", json!({})),
        ("tools/call", call("workspace_list_workspaces", json!({}))),
        ("tools/call", call("workspace_snapshot", json!({ "name": "v1" }))),
        ("tools/call", call("workspace_snapshot", json!({ "name": "v1" }))),
        ("tools/call", call("workspace_restore", json!({ "ref": "v9" }))),
        ("tools/call", call("workspace_restore", json!({}))),
        ("tools/call", call("workspace_fly", json!({}))),
        ("resources/list", json!({ "cursor": "forged" })),
        ("resources/read", json!({ "uri": "workspace://sess/snapshots/none" })),
        ("prompts/list", json!({})),
    ] {
        let old = answer(&world, &host, received(&[ANY], &older(method, params.clone())));
        shown += &format!("> {method} {params}\n2025-11-25 {old}\n");
        // A second snapshot with the same name would give another answer.
        if params["name"] != "workspace_snapshot" {
            shown += &format!("2026-07-28 {}\n", newer(&world, &host, method, params));
        }
    }
    for (method, params) in [
        ("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} })),
        ("initialize", json!({})),
        ("ping", json!({})),
    ] {
        let old = answer(&world, &host, received(&[ANY], &older(method, params.clone())));
        shown += &format!("> {method} {params}\n2025-11-25 {old}\n");
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/golden/mcp.txt", &shown).unwrap();
    }
    let golden = include_str!("../../golden/mcp.txt");
    assert!(shown == golden, "a published answer changed; see git diff after UPDATE_GOLDEN=1");
}

fn listed(
    world: &World,
    host: &Session,
    query: &[(&str, &str)],
    headers: &[(&str, &str)],
) -> Value {
    let received = asked(query, headers, &older("tools/list", json!({})));
    let answer = answer(world, host, received);
    let answer: Value = serde_json::from_str(answer.strip_prefix("200 ").unwrap()).unwrap();
    answer.pointer("/result/tools").unwrap_or(&answer["error"]).clone()
}

#[test]
fn the_query_comes_before_the_header_and_the_header_before_the_configuration() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "tools": ["workspace_ls"] }));
    let names = |query: &[(&str, &str)], headers: &[(&str, &str)]| -> Vec<String> {
        let listed = listed(&world, &host, query, headers);
        let tools = listed.as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let header = ("snapshotter-tools", "workspace_run,workspace_rewind");
    assert_eq!(names(&[], &[ANY]), ["workspace_ls"]);
    assert_eq!(names(&[], &[ANY, header]), ["workspace_rewind", "workspace_run"]);
    assert_eq!(names(&[("tools", "core")], &[ANY, header]).len(), 18);
    assert!(names(&[("tools", "all")], &[ANY]).len() > 40);
    let refused = listed(&world, &host, &[("tools", "workspace_fly")], &[ANY]);
    assert_eq!(refused["data"]["error"]["details"], json!({ "field": "tools" }));
    let hidden =
        older("tools/call", json!({ "name": "workspace_stat", "arguments": { "path": "no" } }));
    let called = answer(&world, &host, received(&[ANY], &hidden));
    assert!(called.contains("structuredContent"), "what is not listed can be called: {called}");
}

#[test]
fn tools_are_those_of_the_session() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "fs": true } }));
    let listed = listed(&world, &host, &[("tools", "all")], &[ANY]);
    let modules = host.config().unwrap().modules;
    assert_eq!(
        listed,
        json!(tools::list(&modules, &ToolSelection::All, &Caller::Operator).unwrap())
    );
    for tool in listed.as_array().unwrap() {
        for field in ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]
        {
            assert!(!tool[field].is_null(), "{field} of {tool}");
        }
    }
    let hidden = older("tools/call", json!({ "name": "workspace_snapshot", "arguments": {} }));
    let refused = answer(&world, &host, received(&[ANY], &hidden));
    assert!(
        refused.contains("Unknown tool (its module is not among the session's capabilities"),
        "{refused}"
    );
    assert!(refused.contains("the tools are workspace_"), "{refused}");
    assert!(refused.contains("workspace_read_file") && !refused.contains("workspace_run"));
    let resources = answer(&world, &host, received(&[ANY], &older("resources/list", json!({}))));
    assert_eq!(resources, r#"200 {"id":1,"jsonrpc":"2.0","result":{"resources":[]}}"#);
}

#[test]
fn a_snapshot_of_another_session_is_no_resource() {
    let world = World::new();
    let id = snapshot(&world.open("sess"));
    let other = world.other_session();
    let host = other.open("other");
    for session in ["sess", "other"] {
        let uri = format!("workspace://{session}/snapshots/{id}");
        let body = older("resources/read", json!({ "uri": uri }));
        let read = answer(&other, &host, received(&[ANY], &body));
        assert!(read.contains("Resource not found"), "{read}");
    }
}

#[test]
fn resources_are_paged_by_the_lists_own_cursor() {
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "capabilities": { "snapshot": { "maxListResults": 2 } } }));
    let mut taken: Vec<String> = (0..3).map(|_| snapshot(&host).to_string()).collect();
    taken.reverse();
    let mut listed = Vec::new();
    let mut params = json!({});
    loop {
        let page = answer(&world, &host, received(&[ANY], &older("resources/list", params)));
        let page: Value = serde_json::from_str(page.strip_prefix("200 ").unwrap()).unwrap();
        for resource in page["result"]["resources"].as_array().unwrap() {
            listed.push(resource["name"].as_str().unwrap().to_owned());
        }
        let cursor = &page["result"]["nextCursor"];
        if cursor.is_null() {
            break;
        }
        params = json!({ "cursor": cursor });
    }
    assert_eq!(listed, taken);
}

#[test]
fn a_session_that_was_never_opened_says_so() {
    let world = World::new();
    let host = world.host("sess");
    for body in [
        older("initialize", json!({ "protocolVersion": "2025-11-25" })),
        older("tools/list", json!({})),
        older("resources/list", json!({})),
        older("tools/call", json!({ "name": "workspace_run", "arguments": {} })),
    ] {
        let said = answer(&world, &host, received(&[ANY], &body));
        assert!(said.contains("open it first"), "{said}");
        let message: Value = serde_json::from_str(said.strip_prefix("200 ").unwrap()).unwrap();
        let message = message["error"]["message"].as_str().unwrap_or("open it first").to_owned();
        assert!(message.contains("open it first"), "clients show the message alone: {message}");
    }
}

#[test]
fn the_head_of_a_request_is_checked_first() {
    let status = |method: &str, headers: &[(&str, &str)]| {
        let header = |name: &str| {
            headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        mcp::check_head(Head { method, header: &header, query: &[] })
            .map_err(|answer| answer.status)
    };
    assert_eq!(status("POST", &[]), Ok(()));
    assert_eq!(status("POST", &[("accept", "*/*")]), Ok(()));
    assert_eq!(status("POST", &[("accept", "Application/JSON;q=0.9, text/html")]), Ok(()));
    assert_eq!(status("POST", &[("accept", "text/event-stream")]), Err(406));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        assert_eq!(status(method, &[]), Err(405));
    }
}

#[test]
fn notifications_are_accepted_and_not_answered() {
    let world = World::new();
    let host = world.open("sess");
    for (method, params) in [
        ("notifications/initialized", json!({})),
        ("notifications/unheard-of", json!({ "x": 1 })),
        ("notifications/cancelled", json!({})),
        ("notifications/cancelled", json!({ "requestId": null })),
        ("notifications/cancelled", json!({ "requestId": 7 })),
    ] {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string();
        assert_eq!(answer(&world, &host, received(&[ANY], &body)), "202 ", "{body}");
    }
    let unknown = ("mcp-protocol-version", "1999-12-31");
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert!(answer(&world, &host, received(&[ANY, unknown], body)).starts_with("400 "));
}

#[test]
fn a_client_cancels_its_own_call_and_no_others() {
    let world = World::new();
    let host = world.open("sess");
    let control = |client: &str, id: Value| {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "x" } });
        let headers = [ANY, ("mcp-session-id", client)];
        let Received::Call(call) = received(&headers, &body.to_string()) else { panic!() };
        serde_json::to_value(&call.invocation).unwrap()["control"]["operationId"].clone()
    };
    let cancel = |client: &str, id: Value| {
        let params = json!({ "requestId": id, "reason": "enough" });
        let body =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        received(&[ANY, ("mcp-session-id", client)], &body.to_string())
    };
    let id = serde_json::from_value(control("a", json!(0))).unwrap();
    let abort = Abort::default();
    let _running = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    for other in [cancel("b", json!(0)), cancel("a", json!("0")), cancel("a", json!(1))] {
        answer(&world, &host, other);
        assert!(abort.check().is_ok());
    }
    answer(&world, &host, cancel("a", json!(0)));
    assert!(abort.check().is_err());
}
