//! Snapshots that a session publishes, and workspaces that other sessions make
//! from them.

mod at_once;
mod cost;
mod earlier;

use crate::support::faults::Fault;
use crate::world::{World, call, call_tool, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, LiveForkRequest, RewindRequest, Session, SnapshotEdit,
    SnapshotRequest,
};

/// A session `sess` with a published snapshot of a workspace with one file, and
/// another session's world.
pub fn published() -> (World, Session, BackupId, World) {
    let world = World::new();
    let host = world.open("sess");
    run(&host).unwrap();
    world.write("sess", "v1");
    let id = snapshot(&host);
    publish(&host, &id, true);
    let other = world.other_session();
    (world, host, id, other)
}

fn publish(host: &Session, id: &BackupId, published: bool) {
    let edit = serde_json::from_value(json!({ "published": published })).unwrap();
    let view = now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    assert_eq!(view.snapshot.published, published);
}

pub fn expire(world: &World, host: &Session, id: &BackupId) {
    let soon = rfc3339(world.clock.now_ms() + 61_000);
    let edit = serde_json::from_value(json!({ "expiresAt": soon })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    world.clock.advance(5_000);
}

pub fn run(host: &Session) -> Result<Value, Error> {
    let input = json!({ "command": "cat" });
    now(call_tool(host, "workspace_run", input, &Abort::default()))
}

fn claim(host: &Session, id: &BackupId) -> Result<SandboxId, Error> {
    let selector = SnapshotSelector::Id(id.clone());
    let branched =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()))?;
    Ok(branched.r#ref.sandbox_id().clone())
}

/// Puts the active workspace back to another session's snapshot.
pub fn rewind_to(id: &BackupId) -> RewindRequest {
    RewindRequest {
        r#ref: SnapshotSelector::Id(id.clone()),
        expected_head: None,
        allow_cross_session: false,
        expected_active: None,
        dry_run: false,
    }
}

/// Deletes a published snapshot. Without force, first makes it private, and
/// publishes it again if the delete is refused.
pub fn delete(host: &Session, id: &BackupId, force: bool) -> Option<ErrorCode> {
    let selector = SnapshotSelector::Id(id.clone());
    let publish = |published| {
        let edit = SnapshotEdit { published: Some(published), ..SnapshotEdit::default() };
        let _ = now(host.update_snapshot(&selector, &edit));
    };
    if !force {
        publish(false);
    }
    let options = DeleteOptions { force, ..DeleteOptions::default() };
    let refused = now(host.delete(&selector, options)).err().map(|error| error.code);
    if !force && refused.is_some() {
        publish(true);
    }
    refused
}

pub fn kinds(host: &Session, kind: &str) -> usize {
    let events = host.list_events(None, None).unwrap().events;
    events.iter().filter(|event| event.kind == kind).count()
}

/// How many leases the owner has, and how many the borrower has.
pub fn leases(world: &World, other: &World) -> (i64, i64) {
    (
        world.database_count("SELECT COUNT(*) AS count FROM leases"),
        other.database_count("SELECT COUNT(*) AS count FROM borrowed"),
    )
}

#[test]
fn only_a_published_one_is_claimed_and_all_else_is_refused_alike() {
    let (world, host, id, other) = published();
    let theirs = other.open("other");
    let refused = |id: &BackupId| claim(&theirs, id).unwrap_err();
    let unknown = refused(&BackupId::from_random([7; 16]));
    assert_eq!(unknown.code, ErrorCode::SnapshotNotOwned);
    let branch = claim(&theirs, &id).unwrap();
    assert_eq!(world.disk(branch.as_str()).unwrap().content, "v1");
    assert_eq!(kinds(&host, "snapshot.claimed"), 1);
    publish(&host, &id, false);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    assert_eq!(refused(&id), unknown);
    assert!(!world.faults.trace().iter().any(|name| name == "lend"), "no owner is woken");
    world.faults.disarm();
    // Whatever meta.json says, the owner decides.
    let key = meta_key(&id);
    let mut meta = BackupMeta::parse(&id, &world.bucket.objects.borrow()[&key].clone()).unwrap();
    assert!(!meta.snapshotter.as_ref().unwrap().published);
    meta.snapshotter.as_mut().unwrap().published = true;
    world.bucket.objects.borrow_mut().insert(key, meta.to_bytes().unwrap());
    assert_eq!(refused(&id), unknown);
    // The same for a ref with a wrong origin. The borrower may not delete it.
    publish(&host, &id, true);
    let mut forged = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().r#ref;
    forged.payload.origin_sandbox_id = Some(SandboxId::parse("other").unwrap());
    let forged = SnapshotSelector::Ref(forged);
    let abort = Abort::default();
    let answer = now(theirs.make_workspace(RestoreKind::Branch, &forged, false, &abort));
    assert_eq!(answer.unwrap_err(), unknown);
    // It may look at what its workspace was made from.
    assert!(now(theirs.get(&SnapshotSelector::Id(id.clone()), false)).is_ok());
    assert_eq!(delete(&theirs, &id, true), Some(ErrorCode::SnapshotNotOwned));
}

#[test]
fn a_model_can_claim_and_not_publish() {
    let (world, host, id, other) = published();
    let input = json!({ "ref": id, "published": true });
    let refused = now(call_tool(&host, "workspace_update_snapshot", input, &Abort::default()));
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidArgument);
    let theirs = other.open("other");
    let input = json!({ "ref": id });
    let answer = now(call_tool(&theirs, "workspace_restore", input, &Abort::default())).unwrap();
    let branch = answer["ref"]["ref"]["id"].as_str().unwrap();
    assert_eq!(world.disk(branch).unwrap().content, "v1");
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "and it went on there");
}

#[test]
fn what_is_published_survives_the_loss_of_the_catalogue() {
    let (world, _host, id, other) = published();
    let empty = world.other_session();
    let host = empty.open("sess");
    now(host.rebuild(None, None)).unwrap();
    let view = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap();
    assert!(view.snapshot.published);
    assert!(claim(&other.open("other"), &id).is_ok());
}

#[test]
fn a_session_begins_with_a_published_snapshot() {
    let (world, host, id, other) = published();
    let theirs = other.host("other");
    let open = |config: Value| now(theirs.open(serde_json::from_value(config).unwrap()));
    let unknown = BackupId::from_random([7; 16]);
    for (from, code) in [
        (json!(unknown), ErrorCode::SnapshotNotOwned),
        (json!("a name"), ErrorCode::InvalidArgument),
    ] {
        assert_eq!(open(json!({ "from": from })).unwrap_err().code, code);
    }
    let elsewhere = json!({ "from": id, "workspaceDir": "/home/agent" });
    assert_eq!(open(elsewhere).unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(theirs.describe().unwrap_err().code, ErrorCode::NotFound, "nothing was opened");
    assert_eq!(leases(&world, &other), (0, 0));
    open(json!({ "from": id })).unwrap();
    assert_eq!(world.disk("other"), None, "it starts no container");
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    let first = run(&theirs).unwrap();
    assert_eq!((&first["stdout"], &first["woken"]["fromSnapshotId"]), (&json!("v1"), &json!(id)));
    assert!(first["woken"]["message"].as_str().unwrap().starts_with("The workspace began with"));
    // A repeated open does nothing, even after the snapshot is gone.
    assert_eq!(delete(&host, &id, true), None);
    open(json!({ "from": id })).unwrap();
    assert_eq!(open(json!({})).unwrap_err().code, ErrorCode::Conflict, "it is part of the policy");
    assert_eq!((kinds(&theirs, "workspace.claimed"), kinds(&host, "snapshot.claimed")), (1, 1));
}

#[test]
fn as_long_as_a_workspace_would_wake_from_it_only_force_deletes_it() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let branch = claim(&theirs, &id).unwrap();
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    // This holds for any time, also past the snapshot's time to live.
    for _ in 0..5 {
        world.clock.advance(20 * 3_600_000);
        now(theirs.switch(&WorkspaceRef::new(branch.clone()))).unwrap();
        now(theirs.recover()).unwrap();
        now(host.recover()).unwrap();
    }
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    world.kill(branch.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "it woke from it");
    // After the workspace is saved, the owner may delete the snapshot.
    now(theirs.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    other.recover("other");
    assert_eq!(leases(&world, &other), (0, 0));
    assert_eq!(delete(&host, &id, false), None);
    world.kill(branch.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "from its own");
}

#[test]
fn a_deleted_session_returns_what_it_borrowed() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "from": id }));
    run(&theirs).unwrap();
    assert_eq!(leases(&world, &other), (1, 1));
    now(theirs.delete_session(true)).unwrap();
    assert_eq!(leases(&world, &other), (0, 0));
    assert_eq!(delete(&host, &id, false), None);
    // An owner that does not respond does not keep the session: the lease ends within a day.
    for nth in 0.. {
        let (world, _host, id, other) = published();
        let theirs = other.open_with("other", json!({ "from": id }));
        world.faults.arm(nth, Fault::ErrorBefore);
        let deleted = now(theirs.delete_session(true));
        assert!(world.faults.disarm(), "no owner is asked");
        if world.faults.trace()[nth] == "lend" {
            deleted.unwrap();
            assert_eq!(leases(&world, &other), (1, 0));
            break;
        }
    }
}

#[test]
fn a_forced_delete_is_said_at_the_next_wake() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let branch = claim(&theirs, &id).unwrap();
    now(theirs.switch(&WorkspaceRef::new(branch.clone()))).unwrap();
    assert_eq!(delete(&host, &id, true), None);
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1", "what runs is not harmed");
    world.kill(branch.as_str());
    let error = run(&theirs).unwrap_err();
    assert_eq!(error.code, ErrorCode::RestoreFailed);
    assert!(error.hint.unwrap().contains("startFresh"));
}

#[test]
fn retention_keeps_what_is_lent_and_a_borrower_that_is_gone_keeps_nothing() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    claim(&theirs, &id).unwrap();
    // It is neither the newest nor a head of its own session.
    world.write("sess", "v2");
    snapshot(&host);
    let edit = json!({ "expiresAt": "2027-01-15T08:02:00.000Z" });
    let edit = serde_json::from_value(edit).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    world.clock.advance(3_600_000);
    assert_eq!(now(host.retain()).unwrap().delete_count, 0);
    assert!(world.bucket.keys().contains(&meta_key(&id)));
    // The borrower does not renew the lease within its day, so the lease ends.
    world.clock.advance(24 * 3_600_000);
    assert_eq!(now(host.retain()).unwrap().delete_count, 1);
    assert!(!world.bucket.keys().contains(&meta_key(&id)));
    now(host.recover()).unwrap();
    assert_eq!(leases(&world, &other).0, 0, "nor a row");
}

#[test]
fn an_automatic_one_that_is_published_is_asked_for() {
    let (world, host, _, other) = published();
    world.write("sess", "v2");
    let request = LiveForkRequest { count: None, expected_active: None };
    let auto = now(host.live_fork(&request, &Abort::default())).unwrap().from_snapshot_id;
    publish(&host, &auto, true);
    // No workspace of the owner needs it any more.
    world.write("sess", "v3");
    snapshot(&host);
    let made = now(host.list_workspaces()).unwrap().workspaces;
    let branch = made.into_iter().find(|workspace| !workspace.active).unwrap();
    now(host.destroy_workspace(&branch.r#ref)).unwrap();
    world.recover("sess");
    let listed = now(host.list(&ListRequest::default())).unwrap();
    assert!(listed.snapshots.iter().any(|row| row.snapshot.id == auto && row.snapshot.published));
    let branch = claim(&other.open("other"), &auto).unwrap();
    assert_eq!(world.disk(branch.as_str()).unwrap().content, "v2");
}

#[test]
fn a_workspace_is_rewound_to_a_published_one() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    run(&theirs).unwrap();
    world.write("other", "theirs");
    let abort = Abort::default();
    let rewound = now(theirs.rewind(&rewind_to(&id), &abort)).unwrap();
    assert_eq!(world.disk("other").unwrap().content, "v1");
    assert_eq!(kinds(&host, "snapshot.claimed"), 1);
    assert_eq!(leases(&world, &other), (1, 1));
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "it would wake from it");
    // The borrower still needs its lease, even if the owner refuses the next claim.
    expire(&world, &host, &id);
    let refused = now(theirs.rewind(&rewind_to(&id), &abort)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::SnapshotExpired);
    let looked = call(&theirs, "workspace_ls", json!({ "at": id }));
    assert_eq!(looked, Err(ErrorCode::SnapshotExpired));
    assert_eq!(leases(&world, &other), (1, 1));
    // A rewind to its own snapshot returns the lease at once.
    let own = RewindRequest {
        r#ref: SnapshotSelector::Ref(rewound.safety_ref.unwrap()),
        ..rewind_to(&id)
    };
    now(theirs.rewind(&own, &abort)).unwrap();
    assert_eq!(world.disk("other").unwrap().content, "theirs");
    assert_eq!(leases(&world, &other), (0, 0));
    assert_eq!(delete(&host, &id, false), None);
}

#[test]
fn a_fresh_start_gives_back_what_it_had_begun_with() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "from": id, "autosave": false }));
    run(&theirs).unwrap();
    assert_eq!(leases(&world, &other), (1, 1));
    world.kill("other");
    now(theirs.start_fresh()).unwrap();
    assert_eq!(leases(&world, &other), (0, 0), "at once");
    assert_eq!(delete(&host, &id, false), None);
}

#[test]
fn lineage_says_which_files_are_another_sessions() {
    let (_world, _host, id, other) = published();
    let theirs = other.open_with("other", json!({ "from": id }));
    let text = now(theirs.lineage()).unwrap().text;
    assert!(text.contains(&format!("from snapshot {id} of another session")), "{text}");
    // A snapshot left out of a long lineage is not shown as another session's.
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let first = snapshot(&host);
    claim(&host, &first).unwrap();
    for _ in 0..501 {
        snapshot(&host);
    }
    let lineage = now(host.lineage()).unwrap();
    assert!(lineage.truncated && !lineage.text.contains(first.as_str()), "it is left out");
    assert!(!lineage.text.contains("another session"), "{}", lineage.text);
}

/// The answer to a snapshot's call was lost after R2 had all of it: the owner records the
/// snapshot later, and must not delete what a workspace of another session has from it.
#[test]
fn a_snapshot_that_its_owner_has_not_recorded_yet_is_lent_to_one_that_crosses() {
    let world = World::new();
    let host = world.open("sess");
    run(&host).unwrap();
    world.write("sess", "v1");
    let cross = json!({ "capabilities": { "snapshot": { "crossSession": true } } });
    let other = world.other_session();
    let theirs = other.open_with("other", cross);
    let taken = (0..).find_map(|nth| {
        world.faults.arm(nth, Fault::ErrorBefore);
        let taken = now(host.snapshot(SnapshotRequest::default(), &Abort::default()));
        assert!(world.faults.disarm(), "it never breaks after R2 has it");
        let pending = world.database.run("SELECT id FROM snapshots WHERE state = 'pending'", &[]);
        let id = BackupId::parse(pending.unwrap().first()?["id"].as_str()?).ok()?;
        let stored = world.bucket.objects.borrow().contains_key(&meta_key(&id));
        if !stored {
            world.recover("sess");
        }
        (stored && taken.is_err()).then_some(id)
    });
    let id = taken.unwrap();
    let selector = SnapshotSelector::Id(id.clone());
    now(theirs.make_workspace(RestoreKind::Branch, &selector, true, &Abort::default())).unwrap();
    assert_eq!(leases(&world, &other), (1, 1));
    world.recover("sess");
    assert_eq!(delete(&world.host("sess"), &id, false), Some(ErrorCode::Conflict));
}

#[test]
fn what_its_owner_has_lost_for_a_while_stays_lent() {
    let (world, host, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let branch = claim(&theirs, &id).unwrap();
    now(theirs.switch(&WorkspaceRef::new(branch.clone()))).unwrap();
    let archive = world.bucket.objects.borrow_mut().remove(&data_key(&id)).unwrap();
    // Another snapshot shows that it is the same bucket.
    world.write("sess", "v2");
    snapshot(&host);
    let day_ms = 24 * 3_600_000;
    let state = || world.database_text(&format!("SELECT state FROM snapshots WHERE id = '{id}'"));
    for hours in 0..10 * 24 / 8 {
        world.clock.advance(day_ms / 3);
        now(theirs.recover()).unwrap();
        now(host.recover()).unwrap();
        assert!(hours < 4 || state().contains("lost"), "{hours}: {}", state());
    }
    world.bucket.objects.borrow_mut().insert(data_key(&id), archive);
    world.clock.advance(2 * 3_600_000);
    now(host.recover()).unwrap();
    assert!(state().contains("ready"), "{}", state());
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict));
    world.kill(branch.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1");
}

#[test]
fn an_owner_that_had_lost_its_storage_lends_again_after_a_rebuild() {
    let (world, _, id, other) = published();
    let theirs = other.open_with("other", json!({ "autosave": false }));
    let branch = claim(&theirs, &id).unwrap();
    now(theirs.switch(&WorkspaceRef::new(branch.clone()))).unwrap();
    let empty = world.other_session();
    let owner = empty.open("sess");
    let eight_hours = || {
        world.clock.advance(8 * 3_600_000 + 1);
        now(theirs.recover()).unwrap();
    };
    eight_hours();
    now(owner.rebuild(None, None)).unwrap();
    eight_hours();
    assert_eq!(delete(&owner, &id, false), Some(ErrorCode::Conflict));
    world.kill(branch.as_str());
    assert_eq!(run(&theirs).unwrap()["stdout"], "v1");
}
