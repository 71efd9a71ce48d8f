//! Closing a session.

use crate::world::{call, content, try_content};

use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::snapshot::selector::SnapshotSelector;

#[test]
fn a_closed_session_keeps_its_snapshots_and_can_be_reopened() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    let id = snapshot(&host);
    now(host.close()).unwrap();
    now(host.close()).unwrap();
    assert_eq!(world.disk("sess"), None);
    assert_eq!(try_content(&host), Err(ErrorCode::Conflict));
    assert!(now(host.get(&SnapshotSelector::Id(id.clone()), false)).is_ok());
    let host = world.open_with("sess", json!({ "destroyOnClose": true }));
    assert_eq!(content(&host), "");
    assert!(call(&host, "workspace_restore", json!({ "ref": id })).is_ok());
}

#[test]
fn a_close_destroys_the_others_where_one_does_not_answer() {
    let mut tried = 0;
    for nth in 0.. {
        let world = World::new();
        let host = world.open_with("sess", json!({ "destroyOnClose": true }));
        let id = snapshot(&host);
        let branch = call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
        let branch = branch["ref"]["ref"]["id"].as_str().unwrap();
        world.faults.arm(nth, Fault::ErrorBefore);
        let closed = now(host.close());
        if !world.faults.disarm() {
            closed.unwrap();
            break;
        }
        assert!(closed.is_err(), "{nth}");
        if world.faults.trace()[nth] != "destroy" {
            continue;
        }
        tried += 1;
        let left = ["sess", branch].into_iter().filter(|left| world.disk(left).is_some());
        assert_eq!(left.count(), 1, "{nth}");
        world.recover("sess");
        assert_eq!((world.disk("sess"), world.disk(branch)), (None, None));
        world.check_invariants("sess");
    }
    assert_eq!(tried, 2);
}

#[test]
fn a_session_is_not_reopened_while_its_close_destroys() {
    let world = World::new();
    let config = json!({ "destroyOnClose": true });
    let host = world.open_with("sess", config.clone());
    content(&host);
    // The close stops before it has destroyed the container.
    world.faults.arm(1, Fault::CrashBefore);
    assert!(host.close().now_or_never().is_none());
    assert!(world.faults.disarm());
    let host = world.host("sess");
    let open = || now(host.open(serde_json::from_value(config.clone()).unwrap()));
    assert_eq!(open().unwrap_err().code, ErrorCode::Conflict);
    world.recover("sess");
    open().unwrap();
    assert_eq!(content(&host), "");
    world.check_invariants("sess");
}
