//! Catalogues that a newer version wrote.

use crate::world::World;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;

#[test]
fn a_catalogue_of_a_newer_version_is_refused_and_left_alone() {
    let world = World::new();
    world.open("sess");
    world.sql("UPDATE schema_version SET version = version + 1");
    let error = world.try_host("sess").map(drop).unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    world.sql("UPDATE schema_version SET version = version - 1");
    assert!(world.host("sess").describe().is_ok());
}

#[test]
fn an_event_of_an_unknown_kind_is_shown_with_a_warning() {
    let world = World::new();
    let host = world.open("sess");
    world.sql("INSERT INTO events (at_ms, kind, payload) VALUES (0, 'future.kind', '{\"x\":1}')");
    let events = host.list_events(Some(1), None).unwrap().events;
    assert_eq!(events[0].kind, "unknown");
    assert_eq!(events[0].payload, json!({ "kind": "future.kind", "payload": { "x": 1 } }));
}
