//! Opening a session: its policy, and what a later open changes.

use crate::world::{call, content, try_content};

use crate::world::{World, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::session::config::{Toggle, WorkspaceConfig};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::DeleteOptions;
use snapshotter::session::catalogue::Catalogue;

#[test]
fn the_first_open_sets_the_policy() {
    let world = World::new();
    let host = world.open("sess");
    let open = |config: Value| {
        now(host.open(serde_json::from_value::<WorkspaceConfig>(config).unwrap()))
            .map_err(|error| error.code)
    };
    let view = open(json!({ "envVars": { "A": "secret" }, "sleepAfter": "1m" })).unwrap();
    assert_eq!(view.config.env_vars.unwrap()["A"], "<redacted>");
    let refused = now(host.open(
        serde_json::from_value(json!({ "enableInternet": false, "limits": { "maxRunning": 9 } }))
            .unwrap(),
    ))
    .unwrap_err();
    assert_eq!(refused.details.unwrap()["fields"], json!(["enableInternet", "limits"]));
    for policy in [
        json!({ "enableInternet": false }),
        json!({ "id": "shared-x", "shareAcrossSessions": true }),
        json!({ "capabilities": { "snapshot": { "crossSession": true } } }),
        json!({ "limits": { "maxRunning": 9 } }),
    ] {
        assert_eq!(open(policy.clone()).unwrap_err(), ErrorCode::Conflict, "{policy}");
    }
}

#[test]
fn what_a_later_open_leaves_out_stays() {
    let world = World::new();
    let host = world.open_with(
        "sess",
        json!({
            "envVars": { "A": "1", "B": "2" }, "sleepAfter": "1m", "autosave": false, "destroyOnClose": true,
        }),
    );
    let open = |config: Value| now(host.open(serde_json::from_value(config).unwrap()));
    let stored = || {
        let catalogue = Catalogue::open(world.database.clone()).unwrap();
        let config = catalogue.session().unwrap().unwrap().config;
        let autosaves = config.autosave != Some(Toggle::Plain(false));
        (json!(config.env_vars), json!(config.sleep_after), autosaves, config.destroy_on_close)
    };
    let first = stored();
    assert_eq!(first, (json!({ "A": "1", "B": "2" }), json!("60s"), false, Some(true)));
    let shown = open(json!({})).unwrap().config;
    assert_eq!(stored(), first);
    // Open again with the redacted configuration as shown.
    open(serde_json::to_value(shown).unwrap()).unwrap();
    assert_eq!(stored(), first);
    open(json!({ "envVars": { "A": "<redacted>", "C": "3" }, "autosave": true })).unwrap();
    assert_eq!(stored(), (json!({ "A": "1", "C": "3" }), json!("60s"), true, Some(true)));
    let unknown = open(json!({ "envVars": { "D": "<redacted>" } })).unwrap_err();
    assert_eq!((unknown.code, unknown.message.contains('D')), (ErrorCode::InvalidArgument, true));
    open(json!({ "envVars": {}, "destroyOnClose": false })).unwrap();
    assert_eq!(stored(), (json!({}), json!("60s"), true, Some(false)));
}

#[test]
fn opening_again_brings_no_retired_workspace_back() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let origin = SandboxId::parse("sess").unwrap();
    now(host.destroy_workspace(&WorkspaceRef::new(origin))).unwrap();
    let before = now(host.list_workspaces()).unwrap();
    world.open("sess");
    assert_eq!(now(host.list_workspaces()).unwrap(), before);
}

#[test]
fn a_session_that_was_never_opened_is_not_found() {
    let host = World::new().host("sess");
    assert_eq!(host.describe().unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(try_content(&host), Err(ErrorCode::NotFound));
}

#[test]
fn only_declared_modules_are_served() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "fs": true } }));
    assert_eq!(call(&host, "workspace_run", json!({ "command": "ls" })), Err(ErrorCode::NotFound));
    assert_eq!(try_content(&host), Err(ErrorCode::Unsupported), "direct calls are refused too");
    let named = SnapshotSelector::Name("a".into());
    let got = now(host.get(&named, false)).unwrap_err();
    let deleted = now(host.delete(&named, DeleteOptions::default())).unwrap_err();
    assert_eq!([got.code, deleted.code], [ErrorCode::Unsupported; 2]);
    assert!(call(&host, "workspace_write_file", json!({ "path": "a", "content": "x" })).is_ok());
    for bad in [json!({}), json!({ "path": 1 }), json!({ "path": "a", "surprise": 1 }), json!([])] {
        assert_eq!(call(&host, "workspace_read_file", bad), Err(ErrorCode::InvalidArgument));
    }
}

#[test]
fn opening_again_tells_nothing_of_the_workspace_that_was_destroyed() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    content(&host);
    snapshot(&host);
    world.kill("sess");
    // The workspace wakes, but no answer reports it.
    let edit = json!({ "path": "a", "oldText": "not there", "newText": "" });
    assert!(call(&host, "workspace_edit_file", edit).is_err());
    now(host.close()).unwrap();
    now(host.open(Default::default())).unwrap();
    let answer = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    assert_eq!((&answer["stdout"], answer.get("woken")), (&json!(""), None));
}
