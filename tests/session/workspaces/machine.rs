//! Sessions whose snapshots hold the machine, too.

use crate::support::faults::Fault;
use crate::workspaces::rewind::{all, call, kinds, read, rewind, to};
use crate::world::{World, is_honest, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::backup::{data_key, held_key, machine_key, meta_key};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, Session};

/// A workspace in use, with something installed, in a world where equal files give equal
/// archives.
fn used(config: Value) -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", config);
    read(&host);
    world.write("sess", "work");
    world.install("sess", "jq");
    (world, host)
}

fn machine() -> Value {
    json!({ "persist": "machine" })
}

fn installed(world: &World, id: &str) -> String {
    world.disk(id).unwrap().machine
}

fn sandbox_of(answer: &Value) -> String {
    answer["ref"]["ref"]["id"].as_str().unwrap().to_owned()
}

/// The snapshot that has the machine's archive.
fn holder(host: &Session, id: &BackupId) -> BackupId {
    let id = SnapshotSelector::Id(id.clone());
    now(host.get(&id, false)).unwrap().snapshot.machine.unwrap().id
}

fn delete(host: &Session, id: &BackupId, purge: bool) -> Result<(), ErrorCode> {
    let options = DeleteOptions { force: true, purge, ..DeleteOptions::default() };
    let deleted = now(host.delete(&SnapshotSelector::Id(id.clone()), options));
    deleted.map(drop).map_err(|error| error.code)
}

#[test]
fn it_is_there_in_every_workspace_made_from_a_snapshot_and_after_a_wake() {
    let (world, host) = used(machine());
    let id = snapshot(&host);
    for tool in ["workspace_restore", "workspace_branch"] {
        let made = sandbox_of(&call(&host, tool, json!({ "ref": id })).unwrap());
        assert_eq!((read(&host), installed(&world, &made)), (json!("work"), "jq".to_owned()));
    }
    let active = sandbox_of(&call(&host, "workspace_describe", json!({})).unwrap()["workspace"]);
    world.install(&active, "jq and more");
    let forks = call(&host, "workspace_fork", json!({ "count": 1 })).unwrap();
    let fork = sandbox_of(&forks["workspaces"][0]);
    assert_eq!(installed(&world, &fork), "jq and more");
    world.kill(&active);
    let woken = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    assert_eq!(installed(&world, &active), "jq and more");
    let message = woken["woken"]["message"].as_str().unwrap();
    assert!(!message.contains("installed packages"), "{message}");
}

#[test]
fn a_session_that_persists_no_machine_neither_saves_nor_restores_one() {
    let (world, host) = used(machine());
    let published = snapshot(&host);
    call(&host, "workspace_update_snapshot", json!({ "ref": published, "published": true }))
        .unwrap_err();
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(published.clone()), &edit)).unwrap();
    let plain = world.other_session();
    let claimer = plain.open_with("plain", json!({ "from": published }));
    assert_eq!(read(&claimer), "work");
    assert_eq!(installed(&world, "plain"), "");
    let id = SnapshotSelector::Id(snapshot(&claimer));
    assert_eq!(now(claimer.get(&id, false)).unwrap().snapshot.machine, None);

    let other = world.other_session();
    let claimer = other.open_with("other", json!({ "from": published, "persist": "machine" }));
    assert_eq!(read(&claimer), "work");
    assert_eq!(installed(&world, "other"), "jq");
}

#[test]
fn what_has_not_changed_is_shared_and_stays_as_long_as_it_is_needed() {
    let (world, host) = used(machine());
    let first = snapshot(&host);
    world.write("sess", "more work");
    let second = snapshot(&host);
    world.install("sess", "jq and more");
    let third = snapshot(&host);
    assert_eq!(holder(&host, &first), first);
    assert_eq!(holder(&host, &second), first);
    // The files are the same, the machine is not.
    assert_eq!(holder(&host, &third), third);
    let fourth = snapshot(&host);
    assert_eq!(fourth, third, "nothing has changed");

    // Each archive counts once: "work", "more work" twice, "jq" and "jq and more".
    assert_eq!(host.usage().unwrap().snapshots.size_bytes, 4 + 9 + 9 + 2 + 11);
    assert_eq!(delete(&host, &first, true), Err(ErrorCode::Conflict));
    delete(&host, &first, false).unwrap();
    assert!(world.bucket.keys().contains(&machine_key(&first)));
    assert!(world.bucket.keys().contains(&held_key(&first)));
    assert!(!world.bucket.keys().contains(&meta_key(&first)));
    world.check_invariants("sess");
    delete(&host, &second, false).unwrap();
    world.recover("sess");
    assert!(!world.bucket.keys().contains(&machine_key(&first)));
    world.check_invariants("sess");
}

#[test]
fn a_rewind_replaces_the_container_only_if_the_machine_changes() {
    let (world, host) = used(machine());
    let id = snapshot(&host);
    world.write("sess", "later");
    let before = world.disk("sess").unwrap().instance;
    rewind(&host, &to(&id)).unwrap();
    assert_eq!(world.disk("sess").unwrap().instance, before);
    world.write("sess", "later");
    world.install("sess", "broken");
    let safety = rewind(&host, &to(&id)).unwrap();
    let disk = world.disk("sess").unwrap();
    assert!(disk.instance != before);
    assert_eq!((disk.content.as_str(), disk.machine.as_str()), ("work", "jq"));
    // The undo brings back both.
    rewind(&host, &to(&safety.payload.backup.id)).unwrap();
    let disk = world.disk("sess").unwrap();
    assert_eq!((disk.content.as_str(), disk.machine.as_str()), ("later", "broken"));
    world.check_invariants("sess");
}

#[test]
fn a_rewind_that_fails_in_the_new_container_brings_back_what_there_was() {
    let (world, host) = used(machine());
    let id = snapshot(&host);
    world.write("sess", "later");
    world.install("sess", "broken");
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    let error = rewind(&host, &to(&id)).unwrap_err();
    assert!(is_honest(&error), "{error:?}");
    assert_eq!(read(&host), "later");
    assert_eq!(installed(&world, "sess"), "broken");
}

#[test]
fn it_is_saved_also_after_a_destroy_that_seemed_to_fail() {
    let (world, host) = used(machine());
    snapshot(&host);
    let active = WorkspaceRef::new(SandboxId::parse("sess").unwrap());
    for nth in 0..2 {
        world.faults.arm(nth, Fault::ErrorAfter);
        now(host.destroy_container(&active)).unwrap_err();
        assert!(world.faults.disarm());
        read(&host);
        world.install("sess", &nth.to_string());
        let id = snapshot(&host);
        assert_eq!(holder(&host, &id), id);
    }
}

#[test]
fn another_image_is_refused_unless_forced() {
    let (world, host) = used(machine());
    let id = snapshot(&host);
    *world.image_sha256.borrow_mut() = "b".repeat(64);
    world.kill("sess");
    let error = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap_err();
    assert_eq!(error.code, ErrorCode::RestoreFailed);
    assert_eq!(error.details.unwrap()["because"], "CONFLICT");
    let error = call(&host, "workspace_restore", json!({ "ref": id })).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    let host = world.open_with("sess", json!({ "persist": "machine", "forceImage": true }));
    assert_eq!(read(&host), "work");
    assert_eq!(installed(&world, "sess"), "jq");
}

#[test]
fn a_rewind_broken_anywhere_leaves_files_and_machine_of_one_time() {
    for fault in Fault::ALL {
        for recovers in [true, false] {
            for nth in 0.. {
                let (world, host) = used(machine());
                let id = snapshot(&host);
                world.write("sess", "later");
                world.install("sess", "broken");
                drop(host);
                world.alarm.at_ms.take();
                world.faults.arm(nth, fault);
                let host = world.host("sess");
                let answer = host.rewind(&to(&id), &Abort::default()).now_or_never();
                if !world.faults.disarm() {
                    assert!(nth >= 15, "{nth} {:?}", world.faults.trace());
                    break;
                }
                let at = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
                if let Some(Err(error)) = &answer {
                    assert!(is_honest(error), "{at}: {error:?}");
                }
                drop(host);
                if recovers {
                    world.recover("sess");
                }
                let host = world.host("sess");
                let content = read(&host);
                let machine = installed(&world, "sess");
                let rewound = kinds(&host).contains(&"workspace.rewound".to_owned());
                let expected = if rewound { ("work", "jq") } else { ("later", "broken") };
                assert_eq!((content.as_str().unwrap(), machine.as_str()), expected, "{at}");
                if answer.is_some_and(|answer| answer.is_ok()) {
                    assert!(rewound, "{at}");
                }
                world.recover("sess");
                world.check_invariants("sess");
                assert!(!all(&host).is_empty(), "{at}");
            }
        }
    }
}

fn two_at_once() -> Value {
    json!({ "persist": "machine", "limits": { "maxRunning": 2 } })
}

/// A workspace whose rewind to a snapshot crashed right after it had destroyed the container.
fn crashed_without_container() -> (World, BackupId) {
    for nth in 0.. {
        let (world, host) = used(two_at_once());
        let id = snapshot(&host);
        world.write("sess", "later");
        world.install("sess", "broken");
        world.faults.arm(nth, Fault::CrashAfter);
        assert!(host.rewind(&to(&id), &Abort::default()).now_or_never().is_none());
        assert!(world.faults.disarm());
        if world.disk("sess").is_none() {
            return (world, id);
        }
    }
    unreachable!()
}

#[test]
fn a_rewind_that_lost_its_container_starts_none_too_many_and_none_for_a_closed_session() {
    for closes in [true, false] {
        let (world, id) = crashed_without_container();
        let host = world.host("sess");
        let selector = SnapshotSelector::Id(id);
        let make =
            || now(host.make_workspace(RestoreKind::Restored, &selector, false, &Abort::default()));
        let others = [make().unwrap().r#ref, make().unwrap().r#ref];
        if closes {
            now(host.close()).unwrap();
        }
        drop(host);
        world.recover("sess");
        assert_eq!(world.disk("sess"), None);
        let host = world.open_with("sess", two_at_once());
        now(host.destroy_workspace(&others[0])).unwrap();
        assert_eq!((read(&host), installed(&world, "sess")), (json!("later"), "broken".into()));
        world.check_invariants("sess");
    }
}

#[test]
fn it_is_refused_where_it_can_not_hold() {
    let world = World::new();
    let open = |config: Value| {
        let host = world.host("sess");
        now(host.open(serde_json::from_value(config).unwrap())).map(drop).unwrap_err()
    };
    for (config, field) in [
        (json!({ "forceImage": true }), "forceImage"),
        (json!({ "persist": "machine", "id": "shared-x", "shareAcrossSessions": true }), "persist"),
        (json!({ "persist": "machine", "workspaceDir": "/home/a\nb" }), "workspaceDir"),
    ] {
        let error = open(config);
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains(field), "{error}");
    }
    world.open("sess");
    assert_eq!(open(machine()).code, ErrorCode::Conflict);
}

fn a_day_later(world: &World) {
    world.clock.advance(25 * 3_600_000);
    world.recover("sess");
}

/// R2 has lost the holder's files: its machine is all that the others need of it.
#[test]
fn those_that_share_a_machine_outlive_the_files_of_its_holder() {
    let (world, host) = used(json!({ "persist": "machine", "autosave": false }));
    let holds = snapshot(&host);
    world.write("sess", "more work");
    let shares = snapshot(&host);
    assert_eq!(holder(&host, &shares), holds);
    world.bucket.objects.borrow_mut().remove(&data_key(&holds));
    let before = world.bucket.objects.borrow().clone();
    let made = call(&host, "workspace_branch", json!({ "ref": holds }));
    assert_eq!(made.unwrap_err().code, ErrorCode::SnapshotGone);
    a_day_later(&world);
    assert_eq!(*world.bucket.objects.borrow(), before, "nothing is deleted");
    let host = world.host("sess");
    let made = sandbox_of(&call(&host, "workspace_branch", json!({ "ref": shares })).unwrap());
    assert_eq!(installed(&world, &made), "jq");
    world.check_invariants("sess");
}

#[test]
fn files_outlive_a_lost_machine_and_the_answers_say_so() {
    let (world, host) = used(json!({ "persist": "machine", "autosave": false }));
    let holds = snapshot(&host);
    world.write("sess", "more work");
    let shares = snapshot(&host);
    let lost = world.bucket.objects.borrow_mut().remove(&machine_key(&holds)).unwrap();
    a_day_later(&world);
    let shown = |host: &Session, id: &BackupId| {
        let shown = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().snapshot;
        assert!(shown.restorable);
        shown.machine.unwrap().lost
    };
    let host = world.host("sess");
    assert!(shown(&host, &holds) && shown(&host, &shares));
    let made = call(&host, "workspace_branch", json!({ "ref": holds })).unwrap();
    assert_eq!(made["machineLost"], true);
    assert_eq!(installed(&world, &sandbox_of(&made)), "");
    // A rewind leaves the machine that there is.
    let active = sandbox_of(&call(&host, "workspace_describe", json!({})).unwrap()["workspace"]);
    world.install(&active, "tools");
    let rewound = call(&host, "workspace_rewind", json!({ "ref": shares })).unwrap();
    assert_eq!(rewound["machineLost"], true);
    assert_eq!((read(&host), installed(&world, &active)), (json!("more work"), "tools".to_owned()));
    world.kill(&active);
    let woken = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    assert_eq!(read(&host), "more work");
    let message = woken["woken"]["message"].as_str().unwrap();
    assert!(message.contains("has lost what was saved"), "{message}");
    // The next save has a machine of its own, and the lost one may come back.
    let saved = snapshot(&host);
    assert_eq!(holder(&host, &saved), saved);
    world.bucket.objects.borrow_mut().insert(machine_key(&holds), lost);
    a_day_later(&world);
    let host = world.host("sess");
    assert!(!shown(&host, &holds) && !shown(&host, &shares));
    let made = call(&host, "workspace_branch", json!({ "ref": holds })).unwrap();
    assert_eq!(installed(&world, &sandbox_of(&made)), "jq");
    world.check_invariants("sess");
}
