//! Snapshots, their parents, and their names.

use crate::world::call;

use crate::world::{World, call_tool, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::meta_key;
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::meta::GitState;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, Annotations, DeleteOptions, SnapshotRequest};

fn named(name: &str, replace: bool) -> SnapshotRequest {
    let annotations = Annotations { name: Some(name.into()), ..Annotations::default() };
    SnapshotRequest { annotations, replace, ..SnapshotRequest::default() }
}

#[test]
fn a_snapshot_of_a_branch_has_its_parent() {
    let world = World::new();
    let host = world.open("sess");
    let first = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": first })).unwrap();
    let second = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    assert_eq!(second.snapshot.parent_id, Some(first));
    let origin = second.r#ref.payload.origin_sandbox_id.unwrap();
    assert!(origin.as_str().starts_with("sess-branch-"), "{origin}");
}

#[test]
fn consecutive_snapshots_make_a_chain() {
    let world = World::new();
    let host = world.open("sess");
    let mut previous = None;
    for _ in 0..3 {
        let taken =
            now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap().snapshot;
        assert_eq!(taken.parent_id, previous);
        previous = Some(taken.id);
    }
}

#[test]
fn a_name_of_what_is_gone_says_so_as_its_id_does() {
    let world = World::new();
    let host = world.open("sess");
    let taken = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot;
    let by_name = SnapshotSelector::Name("v1".into());
    let by_id = SnapshotSelector::Id(taken.id.clone());
    let restored = |selector: &SnapshotSelector| {
        now(host.make_workspace(RestoreKind::Restored, selector, false, &Abort::default()))
            .map(drop)
            .map_err(|error| error.code)
    };
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    now(host.delete(&by_name, options)).unwrap();
    for selector in [&by_name, &by_id] {
        assert_eq!(restored(selector), Err(ErrorCode::SnapshotGone), "{selector:?}");
        assert!(now(host.delete(selector, options)).unwrap().deleted, "and again");
    }
    let again = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot;
    assert_ne!(again.id, taken.id, "the name is free");
    world.clock.advance(31 * 86_400_000);
    for selector in [by_name, SnapshotSelector::Id(again.id)] {
        assert_eq!(restored(&selector), Err(ErrorCode::SnapshotExpired), "{selector:?}");
    }
    let never = SnapshotSelector::Name("v2".into());
    assert_eq!(restored(&never), Err(ErrorCode::NotFound));
}

#[test]
fn a_taken_name_leads_to_what_the_caller_can_do() {
    let world = World::new();
    let host = world.open("sess");
    let id = now(host.snapshot(named("v1", false), &Abort::default())).unwrap().snapshot.id;
    let called =
        now(call_tool(&host, "workspace_snapshot", json!({ "name": "v1" }), &Abort::default()));
    let called = called.unwrap_err();
    let hint = called.hint.unwrap();
    assert!(hint.contains(id.as_str()) && !hint.contains("replace"), "{hint}");
    let asked = now(host.snapshot(named("v1", false), &Abort::default())).unwrap_err();
    assert!(asked.hint.unwrap().contains("replace: true"));
}

#[test]
fn names_are_unique_among_live_snapshots_and_can_move() {
    let world = World::new();
    let host = world.open("sess");
    let take = |name, replace| {
        now(host.snapshot(named(name, replace), &Abort::default())).map_err(|error| error.code)
    };
    let first = take("v1", false).unwrap();
    assert_eq!(take("v1", false).unwrap_err(), ErrorCode::Conflict);
    let second = take("v1", true).unwrap();
    let by_name = now(host.get(&SnapshotSelector::Name("v1".into()), false)).unwrap();
    assert_eq!(by_name.snapshot.id, second.snapshot.id);
    let old = now(host.get(&SnapshotSelector::Id(first.snapshot.id), false)).unwrap();
    assert_eq!((old.snapshot.annotations.name, old.snapshot.state), (None, ShownState::Ready));
    world.clock.advance(31 * 86_400_000);
    assert!(take("v1", false).is_ok(), "an expired snapshot has no claim to its name");
}

#[test]
fn a_name_that_is_about_to_move_is_not_given_to_another() {
    let world = World::new();
    let host = world.open("sess");
    let take = |replace| now(host.snapshot(named("v1", replace), &Abort::default()));
    take(false).unwrap();
    // A snapshot that takes over the name has begun, and completes later.
    let pending = BackupId::from_random([7; 16]);
    world.sql(&format!(
        "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, name, state, created_at_ms, ttl_secs)
         VALUES ('{pending}', 'BACKUP_BUCKET', 'sess', '/workspace', 'v1', 'pending', {}, 259200)",
        world.clock.0.get(),
    ));
    assert_eq!(take(true).unwrap_err().code, ErrorCode::Conflict);
    world.recover("sess");
    assert!(take(true).is_ok());
}

#[test]
fn a_snapshot_names_the_repository_that_it_captured() {
    let world = World::new();
    let host = world.open("sess");
    let none = now(host.snapshot(named("none", false), &Abort::default())).unwrap().snapshot;
    assert_eq!(none.git, None);
    let git = GitState { head: Some("abc".into()), branch: Some("main".into()), clean: true };
    *world.git.borrow_mut() = Some(git.clone());
    let taken = now(host.snapshot(named("one", false), &Abort::default())).unwrap().snapshot;
    assert_eq!(taken.git, Some(git.clone()));
    *world.git.borrow_mut() = None;
    let selector = SnapshotSelector::Id(taken.id.clone());
    assert_eq!(
        now(world.host("sess").get(&selector, false)).unwrap().snapshot.git,
        Some(git.clone())
    );
    let listed = call(&host, "workspace_list_snapshots", json!({ "name": "one" })).unwrap();
    assert!(
        listed.to_string().contains(r#""git":{"branch":"main","clean":true,"head":"abc"}"#),
        "{listed}"
    );
    // A record that was lost is written again with it.
    world.bucket.objects.borrow_mut().remove(&meta_key(&taken.id));
    let edit = json!({ "ref": "one", "description": "edited" });
    call(&host, "workspace_update_snapshot", edit).unwrap();
    let meta = world.bucket.objects.borrow()[&meta_key(&taken.id)].clone();
    assert_eq!(BackupMeta::parse(&taken.id, &meta).unwrap().snapshotter.unwrap().git, Some(git));
}
