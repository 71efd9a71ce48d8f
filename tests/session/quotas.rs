//! Quotas of running containers and of workspaces.

use crate::world::{World, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::Abort;

#[test]
fn quotas_hold_before_anything_starts() {
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "limits": { "maxRunning": 2, "maxWorkspaces": 3 } }));
    let id = snapshot(&host);
    let branch = || {
        now(host.make_workspace(
            RestoreKind::Branch,
            &SnapshotSelector::Id(id.clone()),
            false,
            &Abort::default(),
        ))
        .map_err(|error| error.code)
    };
    let first = branch().unwrap();
    assert_eq!(branch().unwrap_err(), ErrorCode::QuotaExceeded, "two run");
    world.kill(first.r#ref.sandbox_id().as_str());
    let second = branch().unwrap();
    world.kill(second.r#ref.sandbox_id().as_str());
    assert_eq!(branch().unwrap_err(), ErrorCode::QuotaExceeded, "three workspaces");
    now(host.destroy_workspace(&first.r#ref)).unwrap();
    now(host.destroy_workspace(&first.r#ref)).unwrap();
    assert!(branch().is_ok());
}
