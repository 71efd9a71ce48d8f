//! What the strings name that callers give for snapshots, turns and workspaces.

use crate::trees::{project, set_tree, snapshot_of};
use crate::world::{World, call_tool, content, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::session::{Abort, Session};

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

fn save(host: &Session, tool: &str, input: Value) -> String {
    call(host, tool, input).unwrap()["snapshot"]["id"].as_str().unwrap().to_owned()
}

/// The id of the snapshot that a string names.
fn found(host: &Session, named: &str) -> Result<String, ErrorCode> {
    call(host, "workspace_get_snapshot", json!({ "ref": named }))
        .map(|view| view["snapshot"]["id"].as_str().unwrap().to_owned())
        .map_err(|error| error.code)
}

#[test]
fn a_string_names_a_snapshot_a_turn_the_latest_or_the_head() {
    let world = World::new();
    let host = world.open("sess");
    for none in ["latest", "head", "v1", "turn:1"] {
        assert_eq!(found(&host, none), Err(ErrorCode::NotFound), "{none}");
    }
    content(&host);
    world.write("sess", "one");
    let first = save(&host, "workspace_save_turn", json!({}));
    world.write("sess", "two");
    let second = save(&host, "workspace_snapshot", json!({ "name": "v1" }));
    for (named, id) in [
        ("turn:1", &first),
        ("v1", &second),
        ("latest", &second),
        ("head", &second),
        (first.as_str(), &first),
    ] {
        assert_eq!(found(&host, named).as_ref(), Ok(id), "{named}");
    }
    // A rewind moves the head. Its safety snapshot is not what a caller means by the latest.
    world.write("sess", "three");
    call(&host, "workspace_rewind", json!({ "ref": "turn:1" })).unwrap();
    assert_eq!(world.disk("sess").unwrap().content, "one");
    assert_eq!(found(&host, "head"), Ok(first));
    assert_eq!(found(&host, "latest"), Ok(second));
    world.check_invariants("sess");
}

#[test]
fn an_unknown_name_is_not_found_with_those_most_like_it() {
    let world = World::new();
    let host = world.open("sess");
    for name in ["before-refactor", "release"] {
        save(&host, "workspace_snapshot", json!({ "name": name }));
    }
    let refused =
        |named: &str| call(&host, "workspace_restore", json!({ "ref": named })).unwrap_err();
    let error = refused("before-refacor");
    assert_eq!(error.code, ErrorCode::NotFound);
    let told = json!({ "name": "before-refacor", "nearest": ["before-refactor"] });
    assert_eq!(error.details, Some(told));
    assert!(error.hint.unwrap().contains("before-refactor"));
    assert_eq!(refused("zzz").details.unwrap()["nearest"], json!([]));
    // An id of another session is told from one that does not exist by nothing.
    let theirs = world.other_session();
    let id = save(&theirs.open("other"), "workspace_snapshot", json!({}));
    assert_eq!(refused(&id).code, ErrorCode::SnapshotNotOwned);
    for workspace in ["now", "workspace:sess"] {
        assert_eq!(refused(workspace).code, ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_name_that_would_be_read_as_a_selector_is_refused() {
    let world = World::new();
    let host = world.open("sess");
    for name in ["latest", "head", "now", "turn:1", "workspace:x", "@{2h}"] {
        let error = call(&host, "workspace_snapshot", json!({ "name": name })).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{name}");
    }
    let id = save(&host, "workspace_snapshot", json!({ "name": "v1" }));
    let renamed = call(&host, "workspace_update_snapshot", json!({ "ref": id, "name": "head" }));
    assert_eq!(renamed.unwrap_err().code, ErrorCode::InvalidArgument);
}

#[test]
fn a_comparison_takes_the_string_of_either_kind() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot_of(&world, &host, &project());
    call(&host, "workspace_update_snapshot", json!({ "ref": id, "name": "v1" })).unwrap();
    let other = call(&host, "workspace_branch", json!({ "ref": "v1" })).unwrap();
    let other = other["ref"]["ref"]["id"].as_str().unwrap().to_owned();
    for workspace in ["sess", other.as_str()] {
        set_tree(&world, workspace, project());
    }
    let sides = |from: &str, to: &str| {
        let diff = call(&host, "workspace_diff", json!({ "from": from, "to": to })).unwrap();
        (diff["from"]["workspaceId"].clone(), diff["to"]["workspaceId"].clone())
    };
    // The branch is the active workspace now.
    assert_eq!(sides("v1", "now"), (Value::Null, json!(other)));
    assert_eq!(
        sides("workspace:sess", &format!("workspace:{other}")),
        (json!("sess"), json!(other))
    );
    assert_eq!(sides("sess", "latest").0, json!("sess"), "an id that no snapshot has as its name");
    call(&host, "workspace_update_snapshot", json!({ "ref": "v1", "name": "sess" })).unwrap();
    assert_eq!(sides("sess", "now").0, Value::Null, "names come first");
    let unknown = call(&host, "workspace_diff", json!({ "from": "nothing" })).unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
}
