//! New workspaces from snapshots.

use crate::world::{World, call, content, now};
use serde_json::{Value, json};
use snapshotter::api::operation::{Operation, run};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::session::scope::Caller;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, Session};

#[test]
fn a_restore_makes_a_workspace_and_the_tool_switches() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "good");
    call(&host, "workspace_snapshot", json!({ "name": "v1" })).unwrap();
    world.write("sess", "broken");

    let selector = SnapshotSelector::Name("v1".into());
    let branched =
        now(host.make_workspace(RestoreKind::Restored, &selector, false, &Abort::default()))
            .unwrap();
    assert_eq!(content(&host), "broken", "restore alone does not switch");
    let id = branched.r#ref.sandbox_id().as_str().to_owned();
    assert!(id.starts_with("sess-restored-"), "{id}");

    call(&host, "workspace_restore", json!({ "ref": "v1" })).unwrap();
    assert_eq!(content(&host), "good");
    assert_eq!(content(&world.host("sess")), "good", "the switch is durable");
    let branched = call(&host, "workspace_branch", json!({ "ref": "v1" })).unwrap();
    let branch = branched["ref"]["ref"]["id"].as_str().unwrap();
    assert!(branch.starts_with("sess-branch-"), "suffixes do not pile up: {branch}");

    let origin = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } });
    call(&host, "workspace_switch", json!({ "ref": origin })).unwrap();
    assert_eq!(content(&host), "broken", "the old workspace was never touched");
    world.check_invariants("sess");
}

/// What an operation answers, as over RPC.
fn operate(world: &World, host: &Session, op: &str, args: Value) -> Value {
    let operation = Operation::parse(op, args).unwrap().into();
    let (abort, incident) = (Abort::default(), || "incident".to_owned());
    now(run(host, &Caller::Operator, operation, &abort, &world.clock, &world.log, incident))
        .unwrap()
}

#[test]
fn a_caller_says_whether_a_new_workspace_becomes_the_active_one() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxRunning": 20 } }));
    content(&host);
    world.write("sess", "good");
    call(&host, "workspace_snapshot", json!({ "name": "v1" })).unwrap();
    let active = || host.describe().unwrap().active.sandbox_id().to_string();
    for (op, tool) in [("restore", "workspace_restore"), ("branch", "workspace_branch")] {
        let before = active();
        call(&host, tool, json!({ "ref": "v1", "switch": false })).unwrap();
        operate(&world, &host, op, json!({ "ref": "v1" }));
        assert_eq!(active(), before, "{op}");
        let made = operate(&world, &host, op, json!({ "ref": "v1", "switch": true }));
        assert_eq!(made["workspaceId"], active(), "{op}");
    }
    world.check_invariants("sess");
}
