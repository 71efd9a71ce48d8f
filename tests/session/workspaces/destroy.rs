//! Destroying workspaces.

use crate::world::call;

use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::SandboxId;
use snapshotter::domain::snapshot::refs::WorkspaceRef;

#[test]
fn the_alarm_knows_of_a_destruction_before_it_is_recorded() {
    for nth in 0.. {
        let world = World::new();
        let host = world.open("sess");
        let id = snapshot(&host);
        let branch = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
        let named: WorkspaceRef = serde_json::from_value(branch["ref"].clone()).unwrap();
        now(host.switch(&WorkspaceRef::new(SandboxId::parse("sess").unwrap()))).unwrap();
        // No alarm is set, as when nothing is due.
        world.alarm.at_ms.take();
        world.faults.arm(nth, Fault::CrashBefore);
        let ended = host.destroy_workspace(&named).now_or_never();
        if !world.faults.disarm() {
            assert!(ended.unwrap().is_ok() && nth > 1, "{nth}");
            return;
        }
        let left = world
            .database_count("SELECT COUNT(*) AS count FROM workspaces WHERE state = 'destroying'");
        assert!(left == 0 || world.alarm.at_ms.get().is_some(), "after {nth}");
    }
}

#[test]
fn a_model_makes_room_by_destroying_a_workspace() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxWorkspaces": 2 } }));
    let id = snapshot(&host);
    let branched = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let taken = call(&host, "workspace_snapshot", json!({ "name": "in the branch" })).unwrap();
    let again = json!({ "ref": id });
    assert_eq!(
        call(&host, "workspace_branch", again.clone()),
        Err(ErrorCode::QuotaExceeded),
        "two workspaces"
    );
    let destroy = json!({ "ref": branched["ref"] });
    assert_eq!(call(&host, "workspace_destroy", destroy.clone()), Err(ErrorCode::Conflict));
    call(&host, "workspace_switch", json!({ "ref": "sess" })).unwrap();
    for _ in 0..2 {
        let answer = call(&host, "workspace_destroy", destroy.clone()).unwrap();
        assert_eq!(answer["destroyed"], true);
        assert!(answer["lastSnapshotId"].is_string() && answer["usedSince"] == false, "{answer}");
    }
    let kept = call(&host, "workspace_get_snapshot", json!({ "ref": taken["ref"] })).unwrap();
    assert_eq!(kept["snapshot"]["restorable"], true);
    call(&host, "workspace_branch", again.clone()).unwrap();
    // A deleted snapshot is the error, even though there is no room either.
    let gone = json!({ "ref": taken["ref"] });
    call(&host, "workspace_delete_snapshot", gone.clone()).unwrap();
    assert_eq!(call(&host, "workspace_restore", gone), Err(ErrorCode::SnapshotGone));
    assert_eq!(call(&host, "workspace_restore", again), Err(ErrorCode::QuotaExceeded));
}
