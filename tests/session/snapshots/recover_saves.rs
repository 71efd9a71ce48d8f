//! Snapshots that a restart interrupted.

use crate::support::faults::Fault;
use crate::world::{World, content, now, snapshot};
use futures::FutureExt;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::refs::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, SnapshotRequest};

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

#[test]
fn one_becomes_ready_and_the_head_together() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "first");
    snapshot(&host);
    world.write("sess", "second");
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let probe = snapshot(&host);
    let answered = world.faults.trace().iter().position(|name| name == "putMeta").unwrap();
    now(host.delete(&SnapshotSelector::Id(probe), DeleteOptions::default())).unwrap();
    world.write("sess", "third");
    world.faults.arm(answered, Fault::CrashAfter);
    let saving = host.snapshot(SnapshotRequest::default(), &Abort::default()).now_or_never();
    assert!(saving.is_none() && world.faults.disarm(), "{:?}", world.faults.trace());
    world.kill("sess");
    // For a while, the operator does not allow the bucket that the configuration names.
    let config = world.database_text("SELECT config FROM session");
    assert!(!config.contains("backupR2Binding"), "{config}");
    world.sql("UPDATE session SET config = json_set(config, '$.backupR2Binding', 'OTHER')");
    world.recover("sess");
    world.sql("UPDATE session SET config = json_remove(config, '$.backupR2Binding')");
    world.clock.advance(3_600_000);
    assert_eq!(content(&world.host("sess")), "third");
    world.recover("sess");
    world.check_invariants("sess");
}
