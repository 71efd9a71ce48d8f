//! Heads: the snapshots that workspaces would wake from.

use crate::autosave::{read, take, used};
use crate::support::faults::Fault;
use crate::workspaces::rewind::{rewind, to};
use crate::world::{World, call_tool, now, snapshot, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::catalogue::Catalogue;
use snapshotter::session::{Abort, Session, SnapshotRequest};

fn head(world: &World, id: &str) -> Option<BackupId> {
    let catalogue = Catalogue::open(world.database.clone()).unwrap();
    catalogue.workspace(&SandboxId::parse(id).unwrap()).unwrap().unwrap().head_backup_id
}

fn branch(host: &Session, id: &BackupId) -> String {
    let selector = SnapshotSelector::Id(id.clone());
    let branched =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    branched.r#ref.sandbox_id().to_string()
}

#[test]
fn the_head_is_the_last_archive_that_the_disk_equalled() {
    let world = World::new();
    let host = world.open("sess");
    assert_eq!(head(&world, "sess"), None);
    let first = snapshot(&host);
    assert_eq!(head(&world, "sess"), Some(first.clone()));
    let branch = branch(&host, &first);
    assert_eq!(head(&world, &branch), Some(first.clone()));
    let second = snapshot(&host);
    assert_eq!(head(&world, "sess"), Some(second));
    assert_eq!(head(&world, &branch), Some(first));
}

#[test]
fn an_archive_of_another_directory_is_no_head() {
    for dir in ["/workspace/src", "/home"] {
        let world = World::new();
        let host = world.open_with("sess", json!({ "snapshotDir": dir }));
        let id = snapshot(&host);
        assert_eq!(head(&world, "sess"), None, "{dir}");
        let branch = branch(&host, &id);
        assert_eq!(head(&world, &branch), None, "{dir}");
    }
    let world = World::new();
    let config = json!({ "workspaceDir": "/workspace/src", "snapshotDir": "/workspace" });
    let host = world.open_with("sess", config);
    let id = snapshot(&host);
    assert_eq!(head(&world, "sess"), Some(id), "one above it holds its files");
}

#[test]
fn a_snapshot_that_is_completed_late_is_no_head() {
    let world = World::new();
    let host = world.open("sess");
    let first = snapshot(&host);
    world.sql("UPDATE workspaces SET head_seq = 7");
    let late = snapshot(&host);
    assert_ne!(first, late);
    assert_eq!(head(&world, "sess"), Some(first), "it was begun before the disk had these files");
}

/// Breaks a save at an effect, and restarts the object. The save may be in the
/// bucket without a record. None if the save has no such effect.
fn broken_save(
    world: &World,
    host: Session,
    nth: usize,
    fault: Fault,
) -> Option<(Session, String)> {
    world.faults.arm(nth, fault);
    drop(host.snapshot(SnapshotRequest::default(), &Abort::default()).now_or_never());
    if !world.faults.disarm() {
        assert!(nth >= 5, "{:?}", world.faults.trace());
        return None;
    }
    drop(host);
    Some((world.host("sess"), format!("{fault:?} at {nth} {:?}", world.faults.trace().last())))
}

#[test]
fn a_head_that_was_found_equal_gives_way_to_no_earlier_archive() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            let first = snapshot(&host);
            world.write("sess", "tried");
            let Some((host, at)) = broken_save(&world, host, nth, fault) else { break };
            world.write("sess", "work");
            let held = take(&host, SnapshotRequest::default()).snapshot.id;
            world.recover("sess");
            assert_eq!(head(&world, "sess"), Some(held.clone()), "{at}");
            assert_eq!(held, first, "{at}: nothing has changed since");
        }
    }
}

#[test]
fn a_safety_snapshot_that_was_found_equal_gives_way_to_no_earlier_archive() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            let first = snapshot(&host);
            world.write("sess", "later");
            let safety = rewind(&host, &to(&first)).unwrap();
            // Then rewinds to the safety snapshot.
            rewind(&host, &to(&safety.payload.backup.id)).unwrap();
            world.write("sess", "tried");
            let Some((host, at)) = broken_save(&world, host, nth, fault) else { break };
            world.write("sess", "later");
            let held = take(&host, SnapshotRequest::default()).snapshot.id;
            world.recover("sess");
            assert_eq!(head(&world, "sess"), Some(held), "{at}");
        }
    }
}

#[test]
fn what_was_saved_before_its_session_was_closed_is_no_head_of_a_new_workspace() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({ "destroyOnClose": true }));
            let Some((host, at)) = broken_save(&world, host, nth, fault) else { break };
            now(host.close()).unwrap();
            now(host.open(Default::default())).unwrap();
            world.recover("sess");
            assert_eq!(head(&world, "sess"), None, "{at}");
            assert_eq!(read(&host)["stdout"], "", "{at}");
        }
    }
}

/// The head's archive has the same files as the disk.
fn assert_head_is_on_the_disk(world: &World, content: &str, at: &str) {
    assert_eq!(world.disk("sess").unwrap().content, content, "{at}");
    let head = head(world, "sess").unwrap();
    let archive = world.bucket.objects.borrow()[&data_key(&head)].clone();
    assert_eq!(String::from_utf8(archive).unwrap(), content, "{at}");
}

#[test]
fn a_save_that_nobody_heard_of_is_what_its_workspace_wakes_from() {
    // The alarm comes after this effect of the wake; 100 is after all effects.
    for alarm_after in [0, 1, 3, 5, 7, 100] {
        for fault in Fault::ALL {
            for nth in 0.. {
                let (world, host) = used(json!({}));
                let first = snapshot(&host);
                world.write("sess", "later work");
                let Some((host, at)) = broken_save(&world, host, nth, fault) else { break };
                let (at, abort) = (format!("{at}, {alarm_after}"), Abort::default());
                world.kill("sess");
                let is_other =
                    |key: &String| key.ends_with("meta.json") && *key != meta_key(&first);
                let committed = world.bucket.keys().iter().any(is_other);
                let content = if committed { "later work" } else { "work" };
                world.faults.slow.set(true);
                let command = json!({ "command": "cat" });
                let woken = call_tool(&host, "workspace_run", command, &abort);
                let alarm = async {
                    for _ in 0..alarm_after {
                        yield_once().await;
                    }
                    host.recover().await
                };
                let (woken, recovered) = block_on(async { futures::join!(woken, alarm) });
                world.faults.slow.set(false);
                recovered.unwrap();
                assert_eq!(woken.unwrap()["stdout"], content, "{at}");
                assert_head_is_on_the_disk(&world, content, &at);
                world.recover("sess");
                assert_head_is_on_the_disk(&world, content, &at);
                world.check_invariants("sess");
            }
        }
    }
}

#[test]
fn a_save_that_ends_while_its_workspace_wakes_is_no_head_of_what_that_has_now() {
    for later in 0..20 {
        let (world, host) = used(json!({}));
        snapshot(&host);
        world.write("sess", "later work");
        world.faults.slow.set(true);
        let abort = Abort::default();
        let save = host.snapshot(SnapshotRequest::default(), &abort);
        let wake = async {
            for _ in 0..later {
                yield_once().await;
            }
            world.kill("sess");
            call_tool(&host, "workspace_run", json!({ "command": "cat" }), &abort).await
        };
        let (_saved, woken) = block_on(async { futures::join!(save, wake) });
        world.faults.slow.set(false);
        let content = woken.unwrap()["stdout"].as_str().unwrap().to_owned();
        assert_head_is_on_the_disk(&world, &content, &format!("after {later}"));
        world.recover("sess");
        world.check_invariants("sess");
    }
}

#[test]
fn what_a_workspace_wakes_from_is_kept_while_its_container_starts() {
    for later in 0..40 {
        let (world, host) = used(json!({ "retention": { "keepLast": 1 } }));
        snapshot(&host);
        world.write("sess", "later work");
        world.faults.slow.set(true);
        let abort = Abort::default();
        let save = async {
            if host.snapshot(SnapshotRequest::default(), &abort).await.is_ok() {
                host.retain().await.unwrap();
            }
        };
        let wake = async {
            for _ in 0..later {
                yield_once().await;
            }
            world.kill("sess");
            call_tool(&host, "workspace_run", json!({ "command": "cat" }), &abort).await
        };
        let ((), woken) = block_on(async { futures::join!(save, wake) });
        world.faults.slow.set(false);
        let content = woken.unwrap()["stdout"].as_str().unwrap().to_owned();
        assert_head_is_on_the_disk(&world, &content, &format!("after {later}"));
        world.recover("sess");
        world.check_invariants("sess");
    }
}
