//! Deleting a snapshot of another session: what protects it in either session.

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, ListRequest, Session};

fn run(host: &Session) -> Result<Value, Error> {
    let input = json!({ "command": "cat" });
    now(call_tool(host, "workspace_run", input, &Abort::default()))
}

/// A session `sess` whose workspace is saved, and one that may cross.
fn crossing() -> (World, Session, BackupId, World, Session) {
    let world = World::new();
    let host = world.open("sess");
    run(&host).unwrap();
    world.write("sess", "v1");
    let id = snapshot(&host);
    let other = world.other_session();
    let config = json!({ "capabilities": { "shell": true, "snapshot": { "crossSession": true } } });
    let auditor = other.open_with("auditor", config);
    (world, host, id, other, auditor)
}

fn across(force: bool) -> DeleteOptions {
    DeleteOptions { allow_cross_session: true, force, purge: false }
}

fn delete(auditor: &Session, id: &BackupId, force: bool) -> Option<ErrorCode> {
    let deleted = now(auditor.delete(&SnapshotSelector::Id(id.clone()), across(force)));
    deleted.err().map(|error| error.code)
}

fn branch(auditor: &Session, id: &BackupId) -> SandboxId {
    let selector = SnapshotSelector::Id(id.clone());
    let branched =
        now(auditor.make_workspace(RestoreKind::Branch, &selector, true, &Abort::default()))
            .unwrap();
    now(auditor.switch(&branched.r#ref)).unwrap();
    branched.r#ref.sandbox_id().clone()
}

fn is_there(world: &World, id: &BackupId) -> bool {
    let keys = world.bucket.keys();
    assert_eq!(keys.contains(&data_key(id)), keys.contains(&meta_key(id)));
    keys.contains(&meta_key(id))
}

fn state(host: &Session, id: &BackupId) -> ShownState {
    let request = ListRequest { include_unready: true, ..ListRequest::default() };
    let page = now(host.list(&request)).unwrap();
    page.snapshots.into_iter().find(|row| row.snapshot.id == *id).unwrap().snapshot.state
}

#[test]
fn what_a_sleeping_workspace_of_its_owner_needs_is_deleted_by_force_only() {
    let (world, host, id, _, auditor) = crossing();
    world.kill("sess");
    assert_eq!(delete(&auditor, &id, false), Some(ErrorCode::Conflict));
    assert!(is_there(&world, &id));
    assert_eq!(run(&host).unwrap()["stdout"], "v1", "it wakes");
    world.kill("sess");
    assert_eq!(delete(&auditor, &id, true), None);
    assert!(!is_there(&world, &id));
    assert_eq!(state(&host, &id), ShownState::Deleted);
    let events = host.list_events(None, None).unwrap().events;
    assert!(events.iter().any(|event| event.kind == "snapshot.deleted"));
    assert_eq!(run(&host).unwrap()["stdout"], "", "it begins anew, as by its own forced delete");
    assert!(world.log.0.borrow().iter().any(|line| line.event == "snapshot.deleted_across"));
    assert_eq!(delete(&auditor, &id, false), None, "again succeeds");
}

#[test]
fn what_its_owner_does_not_need_is_deleted_although_it_is_closed_or_only_reads() {
    let read_only = r#"{"capabilities":{"snapshot":true,"readOnly":true}}"#;
    for change in [
        "UPDATE session SET closed_at_ms = 1".to_owned(),
        format!("UPDATE session SET config = json_patch(config, '{read_only}')"),
    ] {
        let (world, host, id, _, auditor) = crossing();
        snapshot(&host);
        world.sql(&change);
        assert_eq!(delete(&auditor, &id, false), None);
        assert!(!is_there(&world, &id));
        assert_eq!(state(&world.host("sess"), &id), ShownState::Deleted);
    }
}

#[test]
fn what_a_third_session_borrowed_stays_unless_forced_and_while_it_is_read_in_any_case() {
    let (world, host, id, _, auditor) = crossing();
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    let third = world.other_session();
    let claimer = third.open("third");
    let selector = SnapshotSelector::Id(id.clone());
    now(claimer.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    assert_eq!(delete(&auditor, &id, false), Some(ErrorCode::Conflict));
    world.sql("UPDATE leases SET reads = 1");
    assert_eq!(delete(&auditor, &id, true), Some(ErrorCode::Conflict));
    assert!(is_there(&world, &id));
    world.sql("UPDATE leases SET reads = 0");
    assert_eq!(delete(&auditor, &id, true), None);
    assert!(!is_there(&world, &id));
}

#[test]
fn what_a_workspace_of_the_asker_needs_stays_while_it_sleeps() {
    let (world, host, id, other, auditor) = crossing();
    let branch = branch(&auditor, &id);
    world.kill(branch.as_str());
    assert_eq!(delete(&auditor, &id, false), Some(ErrorCode::Conflict));
    assert_eq!(run(&auditor).unwrap()["stdout"], "v1", "it wakes");
    // A running workspace has its files on its disk, and is saved soon.
    assert_eq!(delete(&auditor, &id, false), None);
    assert_eq!(state(&host, &id), ShownState::Deleted);
    other.recover("auditor");
    world.kill(branch.as_str());
    assert_eq!(run(&auditor).unwrap()["stdout"], "v1");
    assert_eq!(other.database_count("SELECT COUNT(*) AS count FROM borrowed"), 0);
}

#[test]
fn what_no_catalogue_has_is_deleted_by_who_crosses() {
    let (world, host, id, _, auditor) = crossing();
    world.sql("DELETE FROM snapshots");
    assert_eq!(delete(&auditor, &id, false), None, "its owner lost it");
    assert!(!is_there(&world, &id));
    drop(host);
    // A snapshot with another binding is a different one.
    let id = snapshot(&world.host("sess"));
    world.sql("UPDATE snapshots SET binding = 'ELSEWHERE'");
    assert_eq!(delete(&auditor, &id, true), Some(ErrorCode::SnapshotNotOwned));
    assert!(is_there(&world, &id));
}

#[test]
fn a_delete_that_breaks_anywhere_is_done_or_not_and_settles() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host, id, other, auditor) = crossing();
            drop(host);
            world.faults.arm(nth, fault);
            let selector = SnapshotSelector::Id(id.clone());
            let answer = auditor.delete(&selector, across(false)).now_or_never();
            let reached = world.faults.disarm();
            world.recover("sess");
            other.recover("auditor");
            let deleted = state(&world.host("sess"), &id) == ShownState::Deleted;
            assert_eq!(deleted, !is_there(&world, &id), "{fault:?} at {nth}");
            if let Some(Ok(_)) = answer {
                assert!(deleted, "{fault:?} at {nth}");
            }
            assert_eq!(delete(&other.host("auditor"), &id, false), None);
            assert!(!is_there(&world, &id), "{fault:?} at {nth}");
            world.check_invariants("sess");
            if !reached {
                assert!(nth > 5, "{nth}");
                break;
            }
        }
    }
}
