//! New workspaces from snapshots.

use crate::world::{call, content};

use crate::world::{World, now};
use serde_json::json;
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::Abort;

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
