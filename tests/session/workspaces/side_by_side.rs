//! Calls that name the workspace to act in, and copies between workspaces.

use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::join;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{ProcessName, RestoreKind};
use snapshotter::domain::session::config::ToolSelection;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::watch::{WatchEvent, WatchEventKind};
use snapshotter::session::{Abort, CopyPaths, Session};

fn call(host: &Session, tool: &str, input: Value) -> Result<Value> {
    now(call_tool(host, tool, input, &Abort::default()))
}

fn cat(host: &Session, workspace: &str) -> Result<Value> {
    call(host, "workspace_run", json!({ "command": "cat", "workspace": workspace }))
}

fn code<T: std::fmt::Debug>(answer: Result<T, Error>) -> ErrorCode {
    answer.unwrap_err().code
}

/// Makes a workspace from a new snapshot of the active one, which stays the active one.
fn branch(host: &Session) -> WorkspaceRef {
    let selector = SnapshotSelector::Id(snapshot(host));
    now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()))
        .unwrap()
        .r#ref
}

fn two(world: &World) -> (Session, WorkspaceRef, String) {
    let host = world.open("sess");
    snapshot(&host);
    world.write("sess", "at home");
    let other = branch(&host);
    let id = other.sandbox_id().to_string();
    world.write(&id, "elsewhere");
    (host, other, id)
}

/// An input for each tool that works in a workspace.
const INPUTS: [(&str, &str); 21] = [
    ("workspace_git_checkpoint", r#"{"name":"one","replace":true}"#),
    ("workspace_git_checkpoint_list", "{}"),
    ("workspace_git_checkpoint_diff", r#"{"name":"one"}"#),
    ("workspace_git_checkpoint_restore", r#"{"name":"one"}"#),
    ("workspace_git_checkpoint_delete", r#"{"name":"gone"}"#),
    ("workspace_read_file", r#"{"path":"a"}"#),
    ("workspace_write_file", r#"{"path":"a","content":"x"}"#),
    ("workspace_edit_file", r#"{"path":"a","oldText":"x","newText":"y"}"#),
    ("workspace_ls", "{}"),
    ("workspace_glob", r#"{"pattern":"*"}"#),
    ("workspace_grep", r#"{"pattern":"x"}"#),
    ("workspace_stat", r#"{"path":"a"}"#),
    ("workspace_mkdir", r#"{"path":"d"}"#),
    ("workspace_rm", r#"{"path":"a"}"#),
    ("workspace_run", r#"{"command":"cat"}"#),
    ("workspace_run_code", r#"{"language":"python","code":"1"}"#),
    ("workspace_copy_from_snapshot", r#"{"ref":"none","paths":["a"]}"#),
    ("workspace_start", r#"{"name":"web","command":"serve"}"#),
    ("workspace_processes", "{}"),
    ("workspace_logs", r#"{"name":"web"}"#),
    ("workspace_stop", r#"{"name":"web"}"#),
];

/// The argument that says where: what looks at files also looks into snapshots.
fn place_of(tool: &str) -> &'static str {
    let looks = ["read_file", "ls", "glob", "grep", "stat"];
    let name = tool.strip_prefix("workspace_").unwrap();
    if looks.contains(&name) { "at" } else { "workspace" }
}

#[test]
fn each_tool_acts_where_it_is_told_and_says_where_it_did() {
    let world = World::new();
    world.short_lived.borrow_mut().insert(ProcessName::parse("web").unwrap());
    let (host, other, id) = two(&world);
    for tool in tools::list(&host.config().unwrap().modules, &ToolSelection::All, &Caller::Operator)
        .unwrap()
    {
        let takes = tool.input_schema["properties"].get(place_of(tool.name)).is_some();
        let says = tool.output_schema["properties"].get("workspaceId").is_some();
        let known = INPUTS.iter().any(|(name, _)| *name == tool.name);
        assert_eq!(takes, known || tool.name == "workspace_copy_from_workspace", "{}", tool.name);
        assert!(says || !takes, "{}", tool.name);
    }
    for (tool, input) in INPUTS[..16].iter().chain(&INPUTS[17..]) {
        let mut input: Value = serde_json::from_str(input).unwrap();
        world.write("sess", "x");
        assert_eq!(call(&host, tool, input.clone()).unwrap()["workspaceId"], "sess", "{tool}");
        world.write("sess", "x");
        for named in [json!(id), json!(other)] {
            world.write(&id, "x");
            input[place_of(tool)] = named;
            let said = call(&host, tool, input.clone()).unwrap();
            assert_eq!(said["workspaceId"], id, "{tool}");
        }
        assert_eq!(world.disk("sess").unwrap().content, "x", "{tool} touched the active one");
    }
    assert_eq!(host.resolve().unwrap().sandbox_id().as_str(), "sess", "it stays the active one");
}

#[test]
fn a_workspace_that_cannot_be_switched_to_cannot_be_named() {
    let world = World::new();
    let (host, other, id) = two(&world);
    let stranger = world.other_session().open("stranger");
    call(&stranger, "workspace_run", json!({ "command": "cat" })).unwrap();
    for named in ["stranger", "none"] {
        let named: WorkspaceRef = serde_json::from_value(json!(named)).unwrap();
        assert_eq!(code(now(host.switch(&named))), ErrorCode::WorkspaceNotOwned);
        for (tool, input) in INPUTS[..16].iter().chain(&INPUTS[17..]) {
            let mut input: Value = serde_json::from_str(input).unwrap();
            input[place_of(tool)] = json!(named);
            assert_eq!(code(call(&host, tool, input)), ErrorCode::WorkspaceNotOwned, "{tool}");
        }
    }
    assert_eq!(code(cat(&host, "Not an id")), ErrorCode::InvalidArgument);
    // The ids that the error names are the session's own.
    for (named, nearest) in [("ses", json!(["sess", id])), ("strange", json!([]))] {
        let named: WorkspaceRef = serde_json::from_value(json!(named)).unwrap();
        let error = now(host.switch(&named)).unwrap_err();
        assert_eq!(error.details.unwrap()["nearest"], nearest);
    }

    now(host.pause(Some(&other), &Abort::default())).unwrap();
    assert_eq!(code(cat(&host, &id)), ErrorCode::Conflict);
    assert_eq!(world.disk(&id), None, "it stays paused");

    now(host.destroy_workspace(&other)).unwrap();
    let refused = cat(&host, &id).unwrap_err();
    let switch = now(host.switch(&other)).unwrap_err();
    assert_eq!((refused.code, refused.message), (switch.code, switch.message));
    assert_eq!(cat(&host, "sess").unwrap()["stdout"], "at home");
}

#[test]
fn a_workspace_that_sleeps_is_woken_and_only_its_own_answer_says_so() {
    let world = World::new();
    let (host, _, id) = two(&world);
    snapshot(&host);
    world.kill("sess");
    world.kill(&id);
    let woke = |answer: &Value| answer["woken"]["workspace"]["ref"]["id"].clone();
    let broken = json!({ "path": "missing", "oldText": "not there", "newText": "" });
    assert_eq!(code(call(&host, "workspace_edit_file", broken)), ErrorCode::Conflict);
    assert_eq!(woke(&cat(&host, &id).unwrap()), id, "not that the active one woke, too");
    assert_eq!(woke(&cat(&host, &id).unwrap()), Value::Null, "once");
    assert_eq!(woke(&cat(&host, "sess").unwrap()), "sess");
}

#[test]
fn its_container_counts() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxRunning": 2 } }));
    let (first, second) = (branch(&host), {
        now(host.pause(None, &Abort::default())).unwrap();
        now(host.resume(None, &Abort::default())).unwrap();
        host.resolve().unwrap()
    });
    let id = first.sandbox_id().as_str();
    world.kill(id);
    let third = branch(&host);
    assert_eq!(code(cat(&host, id)), ErrorCode::QuotaExceeded);
    now(host.pause(Some(&third), &Abort::default())).unwrap();
    assert_eq!(cat(&host, id).unwrap()["workspaceId"], id);
    assert_eq!(host.resolve().unwrap(), second);
}

#[test]
fn a_guard_is_about_the_active_workspace() {
    let world = World::new();
    let (host, other, id) = two(&world);
    let home = host.resolve().unwrap();
    host.expect_active(Some(&home)).unwrap();
    assert_eq!(cat(&host, &id).unwrap()["stdout"], "elsewhere");
    assert_eq!(code(host.expect_active(Some(&other))), ErrorCode::PreconditionFailed);
}

#[test]
fn a_watch_of_a_named_workspace_does_not_follow_the_active_one() {
    let world = World::new();
    let (host, other, id) = two(&world);
    world.endless.set(true);
    let request = json!({ "workspace": "sess" });
    let mut stream = now(host.watch(serde_json::from_value(request).unwrap())).unwrap();
    let first = now(stream.next()).unwrap().unwrap();
    let event: WatchEvent =
        serde_json::from_slice(first.strip_prefix(b"data: ").unwrap().trim_ascii()).unwrap();
    assert_eq!(event.kind, WatchEventKind::Watching { directories: 1 });
    now(host.switch(&other)).unwrap();
    assert!(stream.next().now_or_never().is_none(), "it goes on");
    let there = json!({ "workspace": id });
    assert!(now(host.watch(serde_json::from_value(there).unwrap())).is_ok());
    let foreign = now(host.watch(serde_json::from_value(json!({ "workspace": "x" })).unwrap()));
    assert_eq!(foreign.err().unwrap().code, ErrorCode::WorkspaceNotOwned);
}

fn copy(host: &Session, from: &str, request: Value) -> Result<Value> {
    let mut request = request;
    request["from"] = json!(from);
    call(host, "workspace_copy_from_workspace", request)
}

#[test]
fn files_are_copied_between_any_two_workspaces() {
    let world = World::new();
    let (host, other, id) = two(&world);
    let copied = copy(&host, &id, json!({ "paths": ["a", "/workspace/b"] })).unwrap();
    assert_eq!((&copied["workspaceId"], &copied["files"]), (&json!("sess"), &json!(1)));
    assert_eq!(world.disk("sess").unwrap().content, "elsewhere");

    let third = branch(&host);
    let third = third.sandbox_id().as_str();
    world.write(&id, "again");
    world.kill(third);
    let copied = copy(&host, &id, json!({ "paths": ["."], "workspace": third })).unwrap();
    assert_eq!(copied["workspaceId"], third, "neither is the active one, and one slept");
    assert_eq!(copied["woken"]["workspace"]["ref"]["id"], third);
    assert_eq!(world.disk(third).unwrap().content, "again");
    assert_eq!(world.disk("sess").unwrap().content, "elsewhere");
    now(host.pause(Some(&other), &Abort::default())).unwrap();
    assert_eq!(code(copy(&host, &id, json!({ "paths": ["a"] }))), ErrorCode::Conflict);
}

#[test]
fn a_copy_that_is_refused_changes_nothing() {
    let world = World::new();
    let (host, _, id) = two(&world);
    let many: Vec<String> = (0..101).map(|number| format!("f{number}")).collect();
    for (from, request, code) in [
        ("none", json!({ "paths": ["a"] }), ErrorCode::WorkspaceNotOwned),
        (id.as_str(), json!({ "paths": ["a"], "workspace": "none" }), ErrorCode::WorkspaceNotOwned),
        ("sess", json!({ "paths": ["a"] }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": ["a"], "workspace": id }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": [] }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": many }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": ["../a"] }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": ["a"], "to": "/etc" }), ErrorCode::InvalidArgument),
        (id.as_str(), json!({ "paths": ["a", "missing"] }), ErrorCode::NotFound),
    ] {
        let refused = copy(&host, from, request.clone()).unwrap_err();
        assert_eq!(refused.code, code, "{request}");
    }
    assert_eq!(world.disk("sess").unwrap().content, "at home");
    let only = json!({ "capabilities": { "fs": true, "snapshot": true, "readOnly": true } });
    let reads = world.other_session().open_with("reads", only);
    assert_eq!(code(copy(&reads, &id, json!({ "paths": ["a"] }))), ErrorCode::Forbidden);
}

#[test]
fn opposite_copies_at_once_and_a_pause_do_not_wait_for_each_other() {
    let world = World::new();
    let (host, other, id) = two(&world);
    snapshot(&host);
    world.kill("sess");
    world.kill(&id);
    let home = host.resolve().unwrap();
    let paths = |workspace: &WorkspaceRef| CopyPaths {
        paths: vec!["a".into()],
        to: ".".into(),
        workspace: Some(workspace.clone()),
    };
    // Pauses wait for the copies, however long these take.
    world.clock.stop();
    world.faults.slow.set(true);
    let abort = Abort::default();
    let mut all = Box::pin(async {
        join!(
            host.copy_from_workspace(&home, paths(&other)),
            host.copy_from_workspace(&other, paths(&home)),
            host.pause(Some(&home), &abort),
            host.pause(Some(&other), &abort),
        )
    });
    let ended = (0..10_000).find_map(|_| (&mut all).now_or_never());
    let (there, back, first, second) = ended.expect("they wait for each other");
    for copied in [there, back] {
        assert!(copied.is_ok() || copied.unwrap_err().code == ErrorCode::Conflict, "it is paused");
    }
    first.unwrap();
    second.unwrap();
}
