//! Snapshots that a restart interrupted.

use crate::world::content;

use crate::world::{World, now};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::refs::SnapshotSelector;

#[test]
fn a_snapshot_that_its_sandbox_still_takes_is_not_settled() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    let id = BackupId::from_random([7; 16]);
    world.sql(&format!(
        "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, state, created_at_ms, ttl_secs)
         VALUES ('{id}', 'BACKUP_BUCKET', 'sess', '/workspace', 'pending', 0, 259200)"
    ));
    world.making.borrow_mut().push(id.clone());
    let state = || now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().snapshot.state;
    now(host.recover()).unwrap();
    assert_eq!(state(), ShownState::Pending);
    assert!(world.alarm.at_ms.get().is_some(), "it is looked at again");
    world.making.borrow_mut().clear();
    now(host.recover()).unwrap();
    assert_eq!(state(), ShownState::Failed);
    world.check_invariants("sess");
}
