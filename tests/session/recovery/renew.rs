//! Turns and requested snapshots of a session in use do not expire.

use crate::world::{World, content, now};
use serde_json::json;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::limits::{TTL_DEFAULT_SECS, TTL_USED_SECS};
use snapshotter::domain::snapshot::backup::{Ttl, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, SaveTurnRequest, Session, SnapshotEdit, SnapshotRequest};

const DAY_MS: i64 = 24 * 3_600_000;

fn ttl(world: &World, id: &BackupId) -> (u64, u64) {
    let row =
        world.database_count(&format!("SELECT ttl_secs AS count FROM snapshots WHERE id = '{id}'"));
    let meta = BackupMeta::parse(id, &world.bucket.objects.borrow()[&meta_key(id)]).unwrap();
    (u64::try_from(row).unwrap(), meta.ttl)
}

fn take(world: &World, host: &Session, secs: Option<u64>) -> BackupId {
    world.write("sess", &format!("{secs:?}"));
    let ttl = secs.map(|secs| Ttl::from_secs(secs).unwrap());
    let request = SnapshotRequest { ttl, ..SnapshotRequest::default() };
    now(host.snapshot(request, &Abort::default())).unwrap().snapshot.id
}

fn is_there(host: &Session, id: &BackupId) -> bool {
    let found = now(host.get(&SnapshotSelector::Id(id.clone()), false));
    found.is_ok_and(|found| found.snapshot.restorable)
}

#[test]
fn they_expire_thirty_days_after_the_last_use_and_their_records_say_so() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    let short = take(&world, &host, Some(10 * 86_400));
    let edited = take(&world, &host, Some(99));
    let edit: SnapshotEdit = serde_json::from_value(json!({ "clear": ["expiresAt"] })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(edited.clone()), &edit)).unwrap();
    let asked = take(&world, &host, None);
    world.write("sess", "a turn");
    let turn = now(host.save_turn(SaveTurnRequest::default(), &Abort::default())).unwrap();
    let turn = turn.snapshot.id;
    for id in [&asked, &turn] {
        assert_eq!(ttl(&world, id), (TTL_USED_SECS, TTL_USED_SECS));
    }
    // More than half is left: nothing is written.
    world.clock.advance(14 * DAY_MS);
    content(&host);
    world.recover("sess");
    assert_eq!(ttl(&world, &asked), (TTL_USED_SECS, TTL_USED_SECS));
    assert!(!is_there(&host, &short), "its taker said when");
    world.clock.advance(2 * DAY_MS);
    content(&host);
    world.recover("sess");
    for id in [&asked, &turn] {
        let (row, meta) = ttl(&world, id);
        assert_eq!(row, meta, "the record is true");
        assert!((46 * 86_400..47 * 86_400).contains(&row), "{row}");
    }
    assert!(ttl(&world, &edited).0 > 47 * 86_400, "nothing is shortened");
    world.clock.advance(29 * DAY_MS);
    world.recover("sess");
    assert!(is_there(&host, &asked) && is_there(&host, &turn));
    world.clock.advance(2 * DAY_MS);
    world.recover("sess");
    assert!(!is_there(&host, &turn), "nobody has used the session for 30 days");
}

#[test]
fn automatic_ones_and_those_of_a_policy_live_as_long_as_before() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "retention": { "ttlSeconds": 86_400 } }));
    content(&host);
    assert_eq!(ttl(&world, &take(&world, &host, None)), (86_400, 86_400));
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    world.write("sess", "unsaved");
    let id = take(&world, &host, None);
    world.write("sess", "later");
    let rewind = json!({ "ref": id });
    let rewound = crate::world::call(&host, "workspace_rewind", rewind).unwrap();
    let safety = rewound["safetyRef"]["ref"]["backup"]["id"].as_str().unwrap();
    let (row, meta) = ttl(&world, &BackupId::parse(safety).unwrap());
    assert_eq!((row, meta), (TTL_DEFAULT_SECS, TTL_DEFAULT_SECS));
}
