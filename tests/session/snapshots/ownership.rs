//! Ownership of snapshots, across restarts and across sessions.

use crate::world::{World, call_tool, now, snapshot};
use proptest::prelude::*;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::refs::{SnapshotRef, WorkspaceRef};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::log::{Level, LogLine};
use snapshotter::session::{Abort, DeleteOptions, ListRequest, Session};

fn refused(host: &Session, selector: &SnapshotSelector, cross: bool) -> Vec<(ErrorCode, String)> {
    let branch =
        |kind| now(host.make_workspace(kind, selector, cross, &Abort::default())).map(drop);
    [
        now(host.get(selector, cross)).map(drop),
        now(host.delete(selector, across(cross))).map(drop),
        branch(RestoreKind::Restored),
        branch(RestoreKind::Branch),
    ]
    .into_iter()
    .map(|answer| answer.map_err(|error| (error.code, error.message)).unwrap_err())
    .collect()
}

#[test]
fn ownership_survives_a_restart() {
    let world = World::new();
    let id = snapshot(&world.open("sess"));
    let selector = SnapshotSelector::Id(id);
    assert!(now(world.host("sess").get(&selector, false)).is_ok());
    assert!(now(world.host("sess").delete(&selector, DeleteOptions::default())).is_ok());
    assert!(
        now(world.host("sess").delete(&selector, DeleteOptions::default())).is_ok(),
        "deleting again succeeds"
    );
    world.check_invariants("sess");
}

#[test]
fn a_foreign_snapshot_is_refused_in_the_words_for_one_that_does_not_exist() {
    let world = World::new();
    let theirs =
        now(world.open("sess").get(&SnapshotSelector::Id(snapshot(&world.host("sess"))), false))
            .unwrap()
            .r#ref;
    let other = world.other_session();
    let host = other.open("other");
    let id = theirs.payload.backup.id.clone();
    let ours = SnapshotRef::new(
        id.clone(),
        theirs.payload.backup.dir.clone(),
        Some(SandboxId::parse("other").unwrap()),
    );
    let missing = refused(&host, &SnapshotSelector::Id(BackupId::from_random([3; 16])), false);
    assert!(missing.iter().all(|(code, _)| *code == ErrorCode::SnapshotNotOwned));
    for forged in
        [SnapshotSelector::Ref(theirs), SnapshotSelector::Id(id), SnapshotSelector::Ref(ours)]
    {
        assert_eq!(refused(&host, &forged, false), missing);
        let codes: Vec<ErrorCode> =
            refused(&host, &forged, true).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [ErrorCode::CrossSessionDisabled; 4]);
    }
}

#[test]
fn an_allowed_crossing_leaves_one_warning_and_one_event_each() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let theirs = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().r#ref;
    let other = world.other_session();
    let crossing = other
        .open_with("other", json!({ "capabilities": { "snapshot": { "crossSession": true } } }));
    let mut forged = theirs.clone();
    forged.payload.origin_sandbox_id = None;
    let codes = refused(&crossing, &SnapshotSelector::Ref(forged), true);
    assert!(codes.iter().all(|(code, _)| *code == ErrorCode::SnapshotNotOwned), "{codes:?}");

    world.log.0.borrow_mut().clear();
    let events_before = crossing.list_events(None, None).unwrap().events.len();
    let selector = SnapshotSelector::Ref(theirs);
    now(crossing.get(&selector, true)).unwrap();
    now(crossing.make_workspace(RestoreKind::Restored, &selector, true, &Abort::default()))
        .unwrap();
    let list = ListRequest { allow_cross_session: true, ..ListRequest::default() };
    assert_eq!(now(crossing.list(&list)).unwrap().snapshots.len(), 1);
    now(crossing.delete(&selector, across(true))).unwrap();
    let is_warning = |line: &&LogLine| line.level == Level::Warn && line.event == "session.crossed";
    let warnings = world.log.0.borrow().iter().filter(is_warning).count();
    assert_eq!(warnings, 4);
    let events = crossing.list_events(None, None).unwrap().events;
    let crossed = events.iter().filter(|event| event.kind == "session.crossed").count();
    assert_eq!(crossed, 4);
    assert_eq!(events.len(), events_before + 5, "four crossings and one branch");

    let answer = now(host.make_workspace(
        RestoreKind::Restored,
        &SnapshotSelector::Id(id),
        false,
        &Abort::default(),
    ));
    assert_eq!(answer.unwrap_err().code, ErrorCode::SnapshotGone);
}

#[test]
fn a_workspace_of_another_session_is_refused() {
    let world = World::new();
    world.open("sess");
    let other = world.other_session();
    let host = other.open("other");
    let theirs = WorkspaceRef::new(SandboxId::parse("sess").unwrap());
    assert_eq!(now(host.switch(&theirs)).unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    let destroyed = now(host.destroy_workspace(&theirs));
    assert_eq!(destroyed.unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    // A bare id reaches no more workspaces than a ref does.
    let switch = |id: &str| {
        now(call_tool(&host, "workspace_switch", json!({ "ref": id }), &Abort::default()))
    };
    assert_eq!(switch("sess").unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    assert_eq!(switch("two").unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    assert_eq!(switch("other").unwrap()["ref"]["ref"]["id"], "other");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    // The origin starts with a digit, because a reserved id such as api is not valid.
    fn no_random_ref_is_accepted(bytes in any::<[u8; 16]>(), origin in "[0-9][a-z0-9]{0,19}") {
        thread_local! {
            static HOST: (World, Session) = {
                let world = World::new();
                let host = world.open("sess");
                snapshot(&host);
                (world, host)
            };
        }
        let id = BackupId::from_random(bytes);
        let value = json!({ "providerId": "cloudflare-sandbox", "ref": {
            "backup": { "id": id, "dir": "/workspace" }, "originSandboxId": origin } });
        let selector = serde_json::from_value::<SnapshotSelector>(value).unwrap();
        HOST.with(|(_, host)| {
            let error = now(host.delete(&selector, DeleteOptions::default())).unwrap_err();
            prop_assert_eq!(error.code, ErrorCode::SnapshotNotOwned);
            Ok(())
        })?;
    }
}

fn across(allow_cross_session: bool) -> DeleteOptions {
    DeleteOptions { allow_cross_session, ..DeleteOptions::default() }
}
