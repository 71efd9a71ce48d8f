//! Lists of snapshots.

use crate::world::{World, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, ListRequest};

#[test]
fn expired_and_deleted_snapshots_are_hidden_unless_asked_for() {
    let world = World::new();
    let host = world.open("sess");
    let expiring = snapshot(&host);
    world.clock.advance(31 * 86_400_000);
    let deleted = snapshot(&host);
    now(host.delete(&SnapshotSelector::Id(deleted.clone()), DeleteOptions::default())).unwrap();
    let kept = snapshot(&host);
    let ids = |include_expired, include_unready| -> Vec<BackupId> {
        let request = ListRequest { include_expired, include_unready, ..ListRequest::default() };
        now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot.id).collect()
    };
    assert_eq!(ids(false, false), std::slice::from_ref(&kept));
    assert_eq!(ids(true, false), [kept.clone(), expiring.clone()]);
    assert_eq!(ids(true, true), [kept, deleted, expiring.clone()]);
    let answer = now(host.make_workspace(
        RestoreKind::Branch,
        &SnapshotSelector::Id(expiring),
        false,
        &Abort::default(),
    ));
    assert_eq!(answer.unwrap_err().code, ErrorCode::SnapshotExpired);
}

#[test]
fn pages_are_clamped_and_follow_each_other() {
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "capabilities": { "snapshot": { "maxListResults": 2 } } }));
    let taken: Vec<BackupId> = (0..5).map(|_| snapshot(&host)).collect();
    let mut listed = Vec::new();
    let mut cursor = None;
    for _page in 0..3 {
        let request =
            ListRequest { limit: Some(1_000), cursor: cursor.take(), ..ListRequest::default() };
        let page = now(host.list(&request)).unwrap();
        assert!(page.snapshots.len() <= 2);
        listed.extend(page.snapshots.into_iter().map(|row| row.snapshot.id));
        cursor = page.next_cursor;
    }
    assert_eq!(cursor, None);
    listed.reverse();
    assert_eq!(listed, taken);
}
