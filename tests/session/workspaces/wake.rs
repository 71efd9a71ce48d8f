//! The next use of a workspace whose container has stopped.

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::join_all;
use serde_json::{Value, json};
use snapshotter::domain::egress::NetworkMode;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::Sandboxes;
use snapshotter::session::{Abort, DeleteOptions, Session, SnapshotRequest};

fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

fn read(host: &Session) -> Result<Value, Error> {
    call(host, "workspace_run", json!({ "command": "cat" }))
}

fn kinds(host: &Session) -> Vec<String> {
    host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect()
}

fn delete(host: &Session, id: &BackupId, force: bool) -> Result<(), ErrorCode> {
    let options = DeleteOptions { force, ..DeleteOptions::default() };
    let deleted = now(host.delete(&SnapshotSelector::Id(id.clone()), options));
    deleted.map(drop).map_err(|error| error.code)
}

/// A workspace whose head holds "work", and whose container ran on and stopped.
fn asleep() -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    read(&host).unwrap();
    world.write("sess", "work");
    let id = snapshot(&host);
    world.write("sess", "later work");
    world.clock.advance(90_000);
    world.kill("sess");
    (world, host, id)
}

/// An agent's own Worker may destroy a container, and the sandbox's configuration with it.
#[test]
fn it_wakes_with_its_configuration_whoever_destroyed_its_container() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "network": { "mode": "off" } }));
    for _ in 0..2 {
        read(&host).unwrap();
        let id = host.describe().unwrap().active.sandbox_id().clone();
        let configured = world.configured.borrow()[&id].clone();
        assert_eq!(configured.egress_policy().mode, NetworkMode::Off);
        now(world.get(&id).unwrap().destroy()).unwrap();
        assert!(!world.configured.borrow().contains_key(&id));
    }
}

#[test]
fn it_wakes_with_its_head_and_says_so_once() {
    let (world, host, id) = asleep();
    let woken = read(&host).unwrap();
    assert_eq!(woken["stdout"], "work");
    assert_eq!(woken["woken"]["fromSnapshotId"], json!(id));
    assert_eq!(woken["woken"]["ageSeconds"], 90);
    assert_eq!(woken["woken"]["workspace"]["ref"]["id"], "sess");
    assert!(woken["woken"]["message"].as_str().unwrap().contains("90 s"), "{woken}");
    assert_eq!(read(&host).unwrap().get("woken"), None);
    let event = &host.list_events(Some(1), None).unwrap().events[0];
    assert_eq!(event.kind, "workspace.woken");
    assert_eq!(event.payload["backupId"], json!(id));
    world.check_invariants("sess");
}

#[test]
fn what_nobody_was_told_survives_a_restart() {
    let (world, host, _) = asleep();
    // The call that wakes the workspace fails for another reason.
    let edit = json!({ "path": "a", "oldText": "not there", "newText": "" });
    let details = call(&host, "workspace_edit_file", edit).unwrap_err().details.unwrap();
    assert!(details["woken"]["fromSnapshotId"].is_string(), "{details}");
    drop(host);
    assert!(read(&world.host("sess")).unwrap()["woken"]["fromSnapshotId"].is_string());
}

#[test]
fn without_a_head_it_begins_anew_and_says_so() {
    let world = World::new();
    let host = world.open("sess");
    read(&host).unwrap();
    world.write("sess", "work");
    world.kill("sess");
    let woken = read(&host).unwrap();
    assert_eq!((&woken["stdout"], &woken["woken"]["fromSnapshotId"]), (&json!(""), &json!(null)));
    assert!(woken["woken"]["message"].as_str().unwrap().contains("begins anew"), "{woken}");
}

#[test]
fn a_snapshot_wakes_it_too_and_never_saves_an_empty_directory() {
    let (_, host, first) = asleep();
    let taken = call(&host, "workspace_snapshot", json!({})).unwrap();
    assert_eq!(taken["woken"]["fromSnapshotId"], json!(first));
    assert_eq!(taken["snapshot"]["sizeBytes"], "work".len());
}

#[test]
fn first_calls_at_once_wake_it_once() {
    let (world, host, _) = asleep();
    world.faults.slow.set(true);
    let starts = world.starts.get();
    let none = Abort::default();
    let calls =
        (0..5).map(|_| call_tool(&host, "workspace_run", json!({ "command": "cat" }), &none));
    let answers = block_on(join_all(calls));
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap()["stdout"] == "work"));
    assert_eq!(world.starts.get() - starts, 1);
    let woken = kinds(&host).iter().filter(|kind| *kind == "workspace.woken").count();
    assert_eq!(woken, 1);
    let told = answers.iter().filter(|answer| answer.as_ref().unwrap().get("woken").is_some());
    assert_eq!(told.count(), 1);
}

#[test]
fn a_head_that_cannot_be_applied_is_never_replaced_by_emptiness() {
    let (world, host, id) = asleep();
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    for _ in 0..2 {
        let error = read(&host).unwrap_err();
        assert_eq!(error.code, ErrorCode::RestoreFailed);
        assert!(!error.retryable && error.hint.unwrap().contains("startFresh"));
        assert_eq!(error.details.unwrap()["because"], "SNAPSHOT_GONE");
        assert_eq!(error.cause.unwrap(), format!("snapshot {id}: SNAPSHOT_GONE"), "for the log");
    }
    now(host.start_fresh()).unwrap();
    let fresh = read(&host).unwrap();
    assert_eq!((&fresh["stdout"], fresh.get("woken")), (&json!(""), None));
    assert_eq!(now(host.start_fresh()).unwrap_err().code, ErrorCode::Conflict);
}

#[test]
fn a_running_workspace_whose_directory_is_gone_gets_an_empty_one() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    world.write("sess", "work");
    let saved = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    let starts = world.starts.get();
    world.replaced.set(true);
    now(host.start_fresh()).unwrap();
    assert!(!world.replaced.get(), "what had its name is moved away");
    assert_eq!(world.starts.get(), starts, "the container stays");
    assert_eq!(read(&host).unwrap()["stdout"], "");
    assert_eq!(now(host.start_fresh()).unwrap_err().code, ErrorCode::Conflict);
    // Its snapshots are kept, and the next one stands on none.
    let next = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    assert_eq!(next.snapshot.parent_id, None);
    assert!(world.bucket.keys().contains(&data_key(&saved.snapshot.id)));
    world.check_invariants("sess");
}

/// The session that took a claimed snapshot makes it full while this one wakes.
#[test]
fn nobody_is_told_to_give_up_files_that_the_next_call_brings() {
    let (world, host, _) = asleep();
    world.misses.set(true);
    let error = read(&host).unwrap_err();
    assert_eq!((error.code, error.retryable), (ErrorCode::RestoreFailed, true));
    let hint = error.hint.unwrap();
    assert!(!hint.contains("startFresh"), "{hint}");
    read(&host).unwrap();
    world.check_invariants("sess");
}

#[test]
fn a_bucket_that_does_not_answer_can_be_asked_again() {
    let (world, host, _) = asleep();
    // disk, isRunning, configure, ensureRunning, restore.
    world.faults.arm(4, Fault::ErrorBefore);
    let error = read(&host).unwrap_err();
    assert!(world.faults.disarm(), "{:?}", world.faults.trace());
    assert_eq!(error.code, ErrorCode::RestoreFailed, "{:?}", world.faults.trace());
    assert!(error.retryable);
    assert_eq!(read(&host).unwrap()["stdout"], "work");
}

/// A wake that was cut off between the restore and its record.
fn dies_having_restored(world: &World, host: Session) -> Session {
    world.faults.arm(4, Fault::CrashAfter);
    let input = json!({ "command": "cat" });
    let call = call_tool(&host, "workspace_run", input, &Abort::default()).now_or_never();
    assert!(call.is_none() && world.faults.disarm(), "{:?}", world.faults.trace());
    drop(host);
    assert_eq!(world.disk("sess").unwrap().content, "work");
    world.host("sess")
}

#[test]
fn a_container_that_ran_already_outlives_a_wake_that_fails() {
    let (world, host, id) = asleep();
    let host = dies_having_restored(&world, host);
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    assert_eq!(read(&host).unwrap_err().code, ErrorCode::RestoreFailed);
    assert_eq!(world.disk("sess").unwrap().content, "work");
}

#[test]
fn what_a_wake_that_was_broken_off_left_in_a_container_is_not_begun_with() {
    let (world, host, _) = asleep();
    let host = dies_having_restored(&world, host);
    now(host.start_fresh()).unwrap();
    assert_eq!(read(&host).unwrap()["stdout"], "");
}

#[test]
fn a_wake_broken_anywhere_is_made_good_by_the_next_call() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host, _) = asleep();
            drop(host);
            world.faults.arm(nth, fault);
            let host = world.host("sess");
            let call =
                call_tool(&host, "workspace_run", json!({ "command": "cat" }), &Abort::default())
                    .now_or_never();
            if !world.faults.disarm() {
                assert!(nth >= 6, "{nth}");
                break;
            }
            if let Some(Ok(answer)) = call {
                assert_eq!(answer["stdout"], "work", "{fault:?} at {nth}");
            }
            assert_eq!(read(&world.host("sess")).unwrap()["stdout"], "work", "{fault:?} at {nth}");
            world.check_invariants("sess");
        }
    }
}

#[test]
fn an_expired_head_still_wakes_its_workspace() {
    let (world, host, id) = asleep();
    world.clock.advance(400 * 24 * 3_600_000);
    assert_eq!(read(&host).unwrap()["stdout"], "work");
    let selector = SnapshotSelector::Id(id);
    let asked = now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()));
    assert_eq!(asked.unwrap_err().code, ErrorCode::SnapshotExpired, "for all else it is expired");
}

#[test]
fn what_lies_in_its_place_is_moved_aside() {
    let (world, host, _) = asleep();
    "from the image".clone_into(&mut world.image.borrow_mut());
    let woken = read(&host).unwrap();
    assert_eq!(woken["stdout"], "work");
    assert_eq!(*world.aside.borrow(), ["from the image"]);
    let aside = woken["woken"]["movedAside"].as_str().unwrap();
    assert_eq!(host.list_events(Some(1), None).unwrap().events[0].payload["movedAside"], aside);
    assert!(woken["woken"]["message"].as_str().unwrap().contains(aside));
}

#[test]
fn what_a_sleeper_needs_is_kept_unless_forced() {
    let (world, host, id) = asleep();
    assert_eq!(delete(&host, &id, false), Err(ErrorCode::Conflict));
    assert!(now(host.list(&Default::default())).unwrap().snapshots[0].snapshot.restorable);
    delete(&host, &id, true).unwrap();
    let woken = read(&host).unwrap();
    assert_eq!((&woken["stdout"], &woken["woken"]["fromSnapshotId"]), (&json!(""), &json!(null)));
    world.check_invariants("sess");
}

#[test]
fn deleting_a_snapshot_leaves_what_runs_alone() {
    let (_, host, id) = asleep();
    read(&host).unwrap();
    delete(&host, &id, false).unwrap();
    assert_eq!(read(&host).unwrap()["stdout"], "work");
}

#[test]
fn what_runs_without_a_head_is_saved_at_once() {
    let (world, host, id) = asleep();
    read(&host).unwrap();
    delete(&host, &id, false).unwrap();
    assert!(world.alarm.at_ms.get().unwrap() <= world.clock.now_ms());
    now(host.recover()).unwrap();
    world.kill("sess");
    assert_eq!(read(&host).unwrap()["stdout"], "work");
}

#[test]
fn what_is_not_saved_by_itself_keeps_its_head_unless_forced() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    read(&host).unwrap();
    world.write("sess", "work");
    let id = snapshot(&host);
    let refused = now(host.delete(&SnapshotSelector::Id(id.clone()), DeleteOptions::default()));
    let hint = refused.unwrap_err().hint.unwrap();
    assert!(hint.contains("once its files have changed"), "{hint}");
    let later = snapshot(&host);
    delete(&host, &id, false).unwrap();
    delete(&host, &later, true).unwrap();
    assert_eq!(read(&host).unwrap()["stdout"], "work", "it runs on");
    world.kill("sess");
    let woken = read(&host).unwrap();
    assert_eq!(woken["stdout"], "");
    assert!(woken["woken"]["message"].as_str().unwrap().contains("no snapshot was left"));
}

#[test]
fn a_head_is_in_use_as_long_as_its_workspace_lives() {
    let (_, host, id) = asleep();
    assert!(host.snapshots_in_use().unwrap().contains(&id));
    let selector = SnapshotSelector::Id(id.clone());
    let branched =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    read(&host).unwrap();
    let second = snapshot(&host);
    let in_use = host.snapshots_in_use().unwrap();
    assert!(in_use.contains(&id) && in_use.contains(&second), "one is the branch's");
    now(host.destroy_workspace(&branched.r#ref)).unwrap();
    assert!(!host.snapshots_in_use().unwrap().contains(&id));
}

#[test]
fn waking_counts_against_the_quota() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxRunning": 1 } }));
    read(&host).unwrap();
    let id = snapshot(&host);
    world.kill("sess");
    let selector = SnapshotSelector::Id(id);
    now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    let starts = world.starts.get();
    let error = read(&host).unwrap_err();
    assert_eq!(error.code, ErrorCode::QuotaExceeded);
    assert_eq!(error.details.unwrap()["limit"], "maxRunning");
    assert_eq!(world.starts.get(), starts);
}

#[test]
fn a_shared_workspace_is_not_one_sessions_to_wake() {
    let world = World::new();
    let config = json!({ "id": "shared-x", "shareAcrossSessions": true });
    let host = world.open_with("sess", config);
    read(&host).unwrap();
    snapshot(&host);
    world.kill("shared-x");
    let error = read(&host).unwrap_err();
    assert_eq!(error.code, ErrorCode::WorkspaceLost);
    assert!(error.hint.unwrap().contains("start fresh"));
    now(host.start_fresh()).unwrap();
    assert!(read(&host).is_ok());
}

#[test]
fn a_wake_that_fails_leaves_no_container_running_in_another_one_s_place() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "limits": { "maxRunning": 1 } }));
    read(&host).unwrap();
    world.write("sess", "work");
    let first = snapshot(&host);
    let lost = snapshot(&host);
    world.kill("sess");
    world.bucket.objects.borrow_mut().remove(&data_key(&lost));
    assert_eq!(read(&host).unwrap_err().code, ErrorCode::RestoreFailed);
    assert_eq!(world.disk("sess"), None, "nobody would stop it for hours");
    // Do what the error's hint says.
    call(&host, "workspace_restore", json!({ "ref": first })).unwrap();
    assert_eq!(read(&host).unwrap()["stdout"], "work");
}

#[test]
fn a_save_that_is_about_to_be_recorded_is_what_it_wakes_from() {
    let (world, host, id) = asleep();
    read(&host).unwrap();
    world.write("sess", "the last work");
    world.faults.slow.set(true);
    let (request, abort) = (SnapshotRequest::default(), Abort::default());
    let mut saving = Box::pin(host.snapshot(request, &abort));
    let is_stored = || world.bucket.keys().iter().filter(|key| key.ends_with("meta.json")).count();
    while is_stored() == 1 {
        assert!((&mut saving).now_or_never().is_none());
    }
    world.faults.slow.set(false);
    // R2 has it, and its call does not know yet.
    world.kill("sess");
    world.clock.stop();
    let input = json!({ "command": "cat" });
    let mut woken = Box::pin(call_tool(&host, "workspace_run", input, &abort));
    let early = (&mut woken).now_or_never();
    assert!(early.is_none(), "it waits for the save: {early:?}");
    let saved = now(saving).unwrap().snapshot.id;
    assert!(saved != id);
    let woken = now(woken).unwrap();
    assert_eq!(woken["stdout"], "the last work");
    assert_eq!(woken["woken"]["fromSnapshotId"], json!(saved));
    world.check_invariants("sess");
}

#[test]
fn what_has_the_name_of_its_directory_is_moved_away() {
    let world = World::new();
    let config = json!({ "workspaceDir": "/workspace/app", "snapshotDir": "/workspace" });
    let host = world.open_with("sess", config);
    read(&host).unwrap();
    // A snapshot of the directory above may have a file of that name.
    let id = snapshot(&host);
    let to = |id: &BackupId| crate::workspaces::rewind::to(id);
    world.write("sess", "work");
    world.replaced.set(true);
    now(host.rewind(&to(&id), &Abort::default())).unwrap();
    read(&host).unwrap();
    world.kill("sess");
    world.replaced.set(true);
    read(&host).unwrap();
    let from = SnapshotSelector::Id(id);
    world.replaced.set(true);
    now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default())).unwrap();
    assert!(!world.replaced.get());
    world.check_invariants("sess");
}
