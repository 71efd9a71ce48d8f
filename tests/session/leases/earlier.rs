//! Turns of the session whose published snapshot a session was opened from.

use crate::leases::published;
use crate::world::{World, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, RewindRequest, Rewound, SaveTurnRequest, Session, TimelineRequest,
};

/// Ends a turn of a session with these files.
fn turn(world: &World, host: &Session, sandbox: &str, files: &str) -> BackupId {
    world.write(sandbox, files);
    world.clock.advance(1_000);
    let cursor = serde_json::from_value(json!({ "after": files })).unwrap();
    let request = SaveTurnRequest { cursor: Some(cursor), ..SaveTurnRequest::default() };
    now(host.save_turn(request, &Abort::default())).unwrap().snapshot.id
}

fn publish(host: &Session, id: &BackupId) {
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
}

fn rewind(host: &Session, named: Value, allow_cross_session: bool) -> Result<Rewound, Error> {
    let request = RewindRequest {
        r#ref: serde_json::from_value(named).unwrap(),
        expected_head: None,
        allow_cross_session,
        expected_active: None,
        dry_run: false,
    };
    now(host.rewind(&request, &Abort::default()))
}

/// A session with four turns. Another one was opened from the third, with this policy. Returns
/// the snapshots of the turns.
fn opened_from_third(policy: Value) -> (World, Session, Vec<BackupId>, World, Session) {
    let (world, host, _id, other) = published();
    let turns: Vec<BackupId> =
        ["one", "two", "three"].map(|files| turn(&world, &host, "sess", files)).into();
    publish(&host, &turns[2]);
    let mut config = policy;
    config["from"] = json!(turns[2]);
    let theirs = other.open_with("other", config);
    crate::leases::run(&theirs).unwrap();
    world.clock.advance(1_000);
    let fourth = turn(&world, &host, "sess", "four");
    let turns = turns.into_iter().chain([fourth]).collect();
    (world, host, turns, other, theirs)
}

fn files(world: &World) -> String {
    world.disk("other").unwrap().content
}

#[test]
fn the_timeline_and_the_error_say_whose_turns_they_are_and_how_to_reach_them() {
    let (_world, _host, turns, _other, theirs) = opened_from_third(json!({}));
    let listed = now(theirs.timeline(&TimelineRequest::default())).unwrap();
    let earlier = listed.earlier.unwrap();
    assert_eq!(earlier.snapshot_id, turns[2]);
    assert_eq!(earlier.session_id.unwrap().as_str(), "sess");
    assert_eq!(earlier.turn.unwrap().number, 3);
    for named in [json!({ "turn": 2 }), json!({ "cursor": { "after": "two" } })] {
        let error = rewind(&theirs, named, false).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.message.contains(turns[2].as_str()), "{}", error.message);
        assert!(error.hint.unwrap().contains("published"));
    }
}

#[test]
fn a_published_turn_is_reached_by_its_number_and_its_cursor() {
    let (_world, host, turns, other, theirs) = opened_from_third(json!({}));
    publish(&host, &turns[1]);
    let rewound = rewind(&theirs, json!({ "turn": 2 }), false).unwrap();
    assert_eq!((rewound.from_snapshot_id, files(&other)), (turns[1].clone(), "two".to_owned()));
    assert_eq!(rewound.turn.unwrap().number, 2);
    rewind(&theirs, json!({ "turn": 3 }), false).unwrap();
    assert_eq!(files(&other), "three");
    rewind(&theirs, json!({ "cursor": { "after": "two" } }), false).unwrap();
    assert_eq!(files(&other), "two");
    // One that came after the snapshot is not of this session's files.
    publish(&host, &turns[3]);
    let error = rewind(&theirs, json!({ "cursor": { "after": "four" } }), false).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    let error = rewind(&theirs, json!({ "turn": 4 }), false).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    rewind(&theirs, json!({ "turn": 4, "atOrBefore": true }), false).unwrap();
    assert_eq!(files(&other), "three", "the newest at or before it");
    // Its own come first.
    turn(&other, &theirs, "other", "mine");
    other.write("other", "later");
    rewind(&theirs, json!({ "turn": 1 }), false).unwrap();
    assert_eq!(files(&other), "mine");
}

#[test]
fn a_session_that_may_cross_reaches_every_turn() {
    let crosses = json!({ "capabilities": { "fs": true, "shell": true, "snapshot": { "crossSession": true } } });
    let (_world, _host, turns, other, theirs) = opened_from_third(crosses);
    let error = rewind(&theirs, json!({ "turn": 1 }), false).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    assert!(error.hint.unwrap().contains("allowCrossSession"));
    let rewound = rewind(&theirs, json!({ "turn": 1 }), true).unwrap();
    assert_eq!((rewound.from_snapshot_id, files(&other)), (turns[0].clone(), "one".to_owned()));
    // Asking to cross is not enough.
    let (_world, _host, _turns, _other, theirs) = opened_from_third(json!({}));
    assert!(rewind(&theirs, json!({ "turn": 1 }), true).is_err());
}

#[test]
fn a_session_sees_the_snapshot_that_it_was_opened_from_while_it_is_published() {
    let (_world, host, turns, _other, theirs) = opened_from_third(json!({}));
    let get = |id: &BackupId| {
        now(theirs.get(&SnapshotSelector::Id(id.clone()), false)).map_err(|error| error.code)
    };
    let seen = get(&turns[2]).unwrap();
    assert_eq!((seen.snapshot.id, seen.snapshot.published), (turns[2].clone(), true));
    // Others are refused, published or not.
    publish(&host, &turns[0]);
    for other in [&turns[0], &turns[1]] {
        assert_eq!(get(other), Err(ErrorCode::SnapshotNotOwned));
    }
    let edit = serde_json::from_value(json!({ "published": false })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(turns[2].clone()), &edit)).unwrap();
    assert_eq!(get(&turns[2]), Err(ErrorCode::SnapshotNotOwned));
}
