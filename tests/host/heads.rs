//! What a workspace would wake from.

use crate::rewind::{rewind, to};
use crate::saving::{read, take, used};
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::ids::{BackupId, ForkKind, SandboxId};
use snapshotter::domain::refs::SnapshotSelector;
use snapshotter::ports::database::Database;
use snapshotter::usecases::host::catalogue::Catalogue;
use snapshotter::usecases::host::{Abort, Host, SnapshotRequest};

fn head(world: &World, id: &str) -> Option<BackupId> {
    let catalogue = Catalogue::open(world.database.clone()).unwrap();
    catalogue.workspace(&SandboxId::parse(id).unwrap()).unwrap().unwrap().head_backup_id
}

fn fork(host: &Host, id: &BackupId) -> String {
    let selector = SnapshotSelector::Id(id.clone());
    let forked = now(host.fork(ForkKind::Branch, &selector, false, &Abort::default())).unwrap();
    forked.r#ref.sandbox_id().to_string()
}

#[test]
fn the_head_is_the_last_archive_that_the_disk_equalled() {
    let world = World::new();
    let host = world.open("sess");
    assert_eq!(head(&world, "sess"), None);
    let first = snapshot(&host);
    assert_eq!(head(&world, "sess"), Some(first.clone()));
    let branch = fork(&host, &first);
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
        let branch = fork(&host, &id);
        assert_eq!(head(&world, &branch), None, "{dir}");
    }
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

#[test]
fn a_head_that_was_found_equal_gives_way_to_no_earlier_archive() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            let first = snapshot(&host);
            world.write("sess", "tried");
            world.faults.arm(nth, fault);
            // It may be in the bucket, and nobody has heard of it.
            let abort = Abort::default();
            drop(host.snapshot(SnapshotRequest::default(), &abort).now_or_never());
            if !world.faults.disarm() {
                assert!(nth >= 5, "{:?}", world.faults.trace());
                break;
            }
            drop(host);
            let host = world.host("sess");
            world.write("sess", "work");
            let held = take(&host, SnapshotRequest::default()).snapshot.id;
            world.settle("sess");
            let at = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
            assert_eq!(head(&world, "sess"), Some(held.clone()), "{at}");
            assert_eq!(held, first, "{at}: nothing has changed since");
        }
    }
}

#[test]
fn workspaces_of_version_1_get_their_heads() {
    let world = World::new();
    for statement in include_str!("../golden/catalogue-v1.sql").split_terminator(";\n") {
        world.sql(statement);
    }
    let id = |n: u8| BackupId::from_random([n; 16]);
    world.sql("INSERT INTO schema_version (version) VALUES (1)");
    world.sql(
        "INSERT INTO session VALUES (1, 'sess', '{\"workspaceDir\":\"/workspace/app\"}', 'sess', 0, NULL)",
    );
    for (n, origin, dir, state) in [
        (1, "sess", "/workspace/app", "ready"),
        (2, "sess", "/workspace", "ready"),
        (3, "sess", "/workspace/app", "failed"),
        (4, "fresh", "/workspace/app", "ready"),
    ] {
        world.sql(&format!(
            "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, kind, state, created_at_ms, ttl_secs)
             VALUES ('{}', 'BACKUP_BUCKET', '{origin}', '{dir}', 'full', '{state}', {n}, 259200)",
            id(n)
        ));
    }
    for (sandbox, from) in [
        ("sess", "NULL".to_owned()),
        ("fork", format!("'{}'", id(1))),
        ("part", format!("'{}'", id(2))),
        ("fresh", "NULL".to_owned()),
    ] {
        world.sql(&format!(
            "INSERT INTO workspaces VALUES ('{sandbox}', 'branch', 'ready', NULL, {from}, 0, 0)"
        ));
    }
    world.sql(
        "INSERT INTO events (at_ms, kind, payload)
         VALUES (5, 'workspace.started_fresh', '{\"sandboxId\":\"fresh\"}')",
    );
    assert_eq!(head(&world, "sess"), Some(id(1)));
    assert_eq!(head(&world, "fork"), Some(id(1)));
    assert_eq!(head(&world, "part"), None, "a parent directory's archive is another one");
    assert_eq!(head(&world, "fresh"), None, "what was given up is not brought back");
    let rows = world.database.exec("SELECT DISTINCT trigger FROM snapshots", &[]).unwrap();
    assert_eq!(rows[0]["trigger"], "manual");
    assert!(world.host("sess").describe().is_ok());
}

#[test]
fn a_safety_snapshot_that_was_found_equal_gives_way_to_no_earlier_archive() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let (world, host) = used(json!({}));
            let first = snapshot(&host);
            world.write("sess", "later");
            let safety = rewind(&host, &to(&first)).unwrap();
            // Which is taken back.
            rewind(&host, &to(&safety.payload.backup.id)).unwrap();
            world.write("sess", "tried");
            world.faults.arm(nth, fault);
            let abort = Abort::default();
            drop(host.snapshot(SnapshotRequest::default(), &abort).now_or_never());
            if !world.faults.disarm() {
                break;
            }
            drop(host);
            let host = world.host("sess");
            world.write("sess", "later");
            let held = take(&host, SnapshotRequest::default()).snapshot.id;
            world.settle("sess");
            let at = format!("{fault:?} at {nth} {:?}", world.faults.trace().last());
            assert_eq!(head(&world, "sess"), Some(held), "{at}");
        }
    }
}
