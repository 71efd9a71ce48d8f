//! The file tools as the host serves them. tests/files shows what the scripts do
//! on a disk.

mod watch;

use crate::world::{World, call_tool, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::page::Cursor;
use snapshotter::session::{Abort, EditFileRequest, Session};

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

#[test]
fn an_edit_replaces_one_place_or_says_why_not() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_write_file", json!({ "path": "a", "content": "x = 1\ny = 1\n" }))
        .unwrap();
    let edit = |old: &str, new: &str, all: bool| {
        let input = json!({ "path": "a", "oldText": old, "newText": new, "replaceAll": all });
        call(&host, "workspace_edit_file", input)
    };
    let edited = edit("x = 1", "x = 2", false).unwrap();
    assert_eq!(
        edited,
        json!({ "path": "/workspace/a", "replacements": 1, "firstLine": 1, "workspaceId": "sess" })
    );
    assert_eq!(world.disk("sess").unwrap().content, "x = 2\ny = 1\n");
    let refused = edit("=", ":=", false).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(refused.details, Some(json!({ "matches": 2, "lines": [1, 2] })));
    assert!(refused.message.contains("2 times"), "{refused}");
    assert_eq!(edit("gone", "x", false).unwrap_err().details, Some(json!({ "matches": 0 })));
    assert_eq!(world.disk("sess").unwrap().content, "x = 2\ny = 1\n", "nothing else was changed");
    assert_eq!(edit("=", ":=", true).unwrap()["replacements"], 2);
}

#[test]
fn the_workspace_itself_is_neither_removed_nor_replaced() {
    let world = World::new();
    let host = world.open("sess");
    for path in [".", "/workspace", "a/..", "/workspace/"] {
        for (tool, more) in [
            ("workspace_rm", json!({ "recursive": true })),
            ("workspace_write_file", json!({ "content": "" })),
        ] {
            let mut input = json!({ "path": path });
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let error = call(&host, tool, input).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.message.contains("the workspace itself"), "{error}");
        }
    }
    assert_eq!(world.disk("sess"), None, "a refusal starts nothing");
}

#[test]
fn every_file_tool_refuses_paths_outside_before_anything_starts() {
    let world = World::new();
    let host = world.open("sess");
    for (tool, more) in [
        ("workspace_read_file", json!({})),
        ("workspace_write_file", json!({ "content": "" })),
        ("workspace_edit_file", json!({ "oldText": "a", "newText": "b" })),
        ("workspace_ls", json!({})),
        ("workspace_glob", json!({ "pattern": "*" })),
        ("workspace_grep", json!({ "pattern": "x" })),
        ("workspace_stat", json!({})),
        ("workspace_mkdir", json!({})),
        ("workspace_rm", json!({})),
    ] {
        let mut input = json!({ "path": "../etc/passwd" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let error = call(&host, tool, input).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{tool}");
        assert!(error.message.contains("../etc/passwd is outside the workspace root /workspace"));
    }
    assert_eq!(world.disk("sess"), None);
}

#[test]
fn what_is_found_is_named_from_the_root() {
    let world = World::new();
    let host = world.open("sess");
    let found = |path: &str, limit: usize| {
        let input = json!({ "pattern": "*", "path": path, "limit": limit });
        call(&host, "workspace_glob", input).unwrap()
    };
    let all = found(".", 9);
    assert_eq!(
        all["files"],
        json!([{ "path": "a" }, { "path": "b\u{fffd}", "pathBase64": "Yv8=" }])
    );
    assert_eq!(all.get("nextCursor"), None);
    let below = found("src/x", 2);
    assert_eq!(
        below["files"],
        json!([{ "path": "src/x/a" }, { "path": "src/x/b\u{fffd}", "pathBase64": "c3JjL3gvYv8=" }])
    );
    let next = Cursor::decode(below["nextCursor"].as_str().unwrap()).unwrap();
    assert_eq!(next, Cursor::Offset { skipped: 2 });
    let lines =
        call(&host, "workspace_grep", json!({ "pattern": "x", "path": "src/a.py" })).unwrap();
    assert_eq!(lines["lines"][0]["path"], "src/a.py", "a file that was searched is named itself");
}

#[test]
fn a_part_is_told_from_a_whole() {
    let world = World::new();
    let host = world.open("sess");
    let read = |input: Value| call(&host, "workspace_read_file", input);
    assert_eq!(read(json!({ "path": "a" })).unwrap()["truncated"], false);
    assert_eq!(read(json!({ "path": "a", "startLine": 2 })).unwrap()["truncated"], true);
    let error = read(json!({ "path": "a", "startLine": 2, "offset": 1 })).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
}

#[test]
fn a_session_without_files_has_no_file_calls() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "shell": true } }));
    let request = EditFileRequest {
        path: "a".into(),
        old_text: "x".into(),
        new_text: "y".into(),
        replace_all: false,
        workspace: None,
    };
    assert_eq!(now(host.edit_file(request)).unwrap_err().code, ErrorCode::Unsupported);
    let error = call(&host, "workspace_ls", json!({})).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
}
