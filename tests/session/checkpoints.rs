//! The checkpoint tools as the host serves them. tests/machine shows what the scripts
//! do in repositories.

use crate::world::{World, call_tool, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::session::{Abort, Session};

const TOOLS: [&str; 5] = [
    "workspace_git_checkpoint",
    "workspace_git_checkpoint_list",
    "workspace_git_checkpoint_restore",
    "workspace_git_checkpoint_diff",
    "workspace_git_checkpoint_delete",
];

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

/// The least that a tool takes, and more.
fn input(tool: &str, more: Value) -> Value {
    let mut input = if tool.contains("list") { json!({}) } else { json!({ "name": "one" }) };
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

#[test]
fn a_checkpoint_is_taken_compared_restored_and_deleted() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_write_file", json!({ "path": "a", "content": "1" })).unwrap();
    let taken =
        call(&host, TOOLS[0], json!({ "name": "one", "description": "why", "path": "src" }));
    let expected = json!({
        "name": "one", "commit": "why", "files": 1, "madeRepository": false,
        "nested": [{ "path": "src/module" }], "workspaceId": "sess",
    });
    assert_eq!(taken.unwrap(), expected, "what is within is named from the root");
    let again = call(&host, TOOLS[0], json!({ "name": "one" })).unwrap_err();
    assert_eq!(again.code, ErrorCode::Conflict);
    call(&host, TOOLS[0], json!({ "name": "one", "replace": true })).unwrap();
    call(&host, "workspace_write_file", json!({ "path": "a", "content": "2" })).unwrap();
    let diff = call(&host, TOOLS[3], json!({ "name": "one" })).unwrap();
    assert_eq!((&diff["diff"], &diff["filesChanged"]), (&json!("-1\n+2\n"), &json!(1)));
    let restored = call(&host, TOOLS[2], json!({ "name": "one", "path": "src" })).unwrap();
    assert_eq!(restored["changes"], json!([{ "path": "src/a", "change": "modified" }]));
    assert_eq!(world.disk("sess").unwrap().content, "1");
    let list = call(&host, TOOLS[1], json!({})).unwrap();
    assert_eq!(
        (&list["gitCheckpoints"][0]["name"], &list["truncated"]),
        (&json!("one"), &json!(false))
    );
    for _ in 0..2 {
        let deleted = call(&host, TOOLS[4], json!({ "name": "one" })).unwrap();
        assert_eq!((&deleted["deleted"], &deleted["heldBytes"]), (&json!(true), &json!(3_000_000)));
        assert!(deleted["hint"].as_str().unwrap().contains("git gc --prune=now in /workspace"));
    }
    assert_eq!(
        call(&host, TOOLS[2], json!({ "name": "one" })).unwrap_err().code,
        ErrorCode::NotFound
    );
}

#[test]
fn bad_input_starts_nothing() {
    let world = World::new();
    let host = world.open("sess");
    for tool in TOOLS {
        let error = call(&host, tool, input(tool, json!({ "path": "../x" }))).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{tool}");
        if !tool.contains("list") {
            for name in ["", "-x", "a/b", "a..b"] {
                let error = call(&host, tool, json!({ "name": name })).unwrap_err();
                assert_eq!(error.code, ErrorCode::InvalidArgument, "{tool} {name}");
            }
        }
    }
    for description in ["x".repeat(1_025), "a\0b".to_owned()] {
        let input = json!({ "name": "one", "description": description });
        assert_eq!(call(&host, TOOLS[0], input).unwrap_err().code, ErrorCode::InvalidArgument);
    }
    assert_eq!(world.disk("sess"), None);
}

#[test]
fn a_session_without_files_has_no_checkpoints_and_a_read_only_one_only_looks() {
    let world = World::new();
    let host = world.open_with("shell", json!({ "capabilities": { "shell": true } }));
    for tool in TOOLS {
        assert_eq!(
            call(&host, tool, input(tool, json!({}))).unwrap_err().code,
            ErrorCode::NotFound
        );
    }
    let world = World::new();
    let host = world.open_with("reading", json!({ "capabilities": { "readOnly": true } }));
    for tool in [TOOLS[0], TOOLS[2], TOOLS[4]] {
        assert_eq!(
            call(&host, tool, input(tool, json!({}))).unwrap_err().code,
            ErrorCode::Forbidden
        );
    }
    assert_eq!(call(&host, TOOLS[1], json!({})).unwrap()["gitCheckpoints"], json!([]));
    assert_eq!(
        call(&host, TOOLS[3], json!({ "name": "one" })).unwrap_err().code,
        ErrorCode::NotFound
    );
}
