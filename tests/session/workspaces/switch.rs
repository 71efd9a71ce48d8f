//! Switching the active workspace, and calls meant for another one.

use crate::world::{World, now, snapshot};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, SnapshotRequest};

#[test]
fn a_call_meant_for_another_active_workspace_is_refused() {
    let world = World::new();
    let host = world.open("sess");
    let first = host.resolve().unwrap();
    let id = snapshot(&host);
    let branch = now(host.make_workspace(
        RestoreKind::Branch,
        &SnapshotSelector::Id(id),
        false,
        &Abort::default(),
    ));
    let second = branch.unwrap().r#ref;
    now(host.switch_from(Some(&first), &second)).unwrap();
    // A retry, because the answer was lost.
    assert_eq!(now(host.switch_from(Some(&first), &second)).unwrap(), second);
    let events = host.list_events(None, None).unwrap().events;
    assert_eq!(events.iter().filter(|event| event.kind == "workspace.switched").count(), 1);
    let refused = now(host.switch_from(Some(&first), &first)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::PreconditionFailed);
    assert_eq!(refused.details.unwrap()["active"], serde_json::to_value(&second).unwrap());
    assert_eq!(host.resolve().unwrap(), second, "and nothing has changed");
    let of = |expected: &WorkspaceRef| SnapshotRequest {
        expected_active: Some(expected.clone()),
        ..SnapshotRequest::default()
    };
    let refused = now(host.snapshot(of(&first), &Abort::default())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::PreconditionFailed);
    let taken = now(host.snapshot(of(&second), &Abort::default())).unwrap();
    assert_eq!(taken.r#ref.payload.origin_sandbox_id.as_ref(), Some(second.sandbox_id()));
    assert_eq!(host.expect_active(Some(&first)).unwrap_err().code, ErrorCode::PreconditionFailed);
    assert!(host.expect_active(Some(&second)).is_ok() && host.expect_active(None).is_ok());
}
