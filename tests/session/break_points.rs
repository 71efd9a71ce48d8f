//! Each multi-step operation, broken before and after each of its effects, by an
//! error and by a crash: the session must recover.

use crate::support::faults::Fault;
use crate::support::stream::MemoryBytes;
use crate::world::{World, is_honest, now, snapshot};
use futures::FutureExt;
use snapshotter::domain::error::Result;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, DeleteOptions, ImportRequest, ImportSource, ListRequest, LiveForkRequest, RewindRequest,
    SaveTurnRequest, Session, SessionStatus, SnapshotRequest,
};

/// A prepared session and one operation on it.
struct Case {
    name: &'static str,
    /// Fewest effects the operation must have, so that the walk is not empty.
    at_least: usize,
    prepare: fn(&World) -> BackupId,
    operate: fn(&Session, &BackupId) -> Option<Result<()>>,
}

fn one_snapshot(world: &World) -> BackupId {
    world.open("sess");
    one_snapshot_of(world)
}

fn one_snapshot_of(world: &World) -> BackupId {
    let host = world.host("sess");
    now(host.run(run_request())).unwrap();
    world.write("sess", "v1");
    let id = snapshot(&host);
    world.write("sess", "v2");
    id
}

fn run_request() -> snapshotter::session::RunRequest {
    snapshotter::session::RunRequest {
        command: snapshotter::ports::sandbox::CommandLine::Shell("true".into()),
        cwd: None,
        env: Default::default(),
        timeout_ms: None,
        wait_ms: None,
        max_output_bytes: None,
        stdin: None,
        workspace: None,
    }
}

/// A snapshot and a layer on it.
fn one_layer(world: &World) -> BackupId {
    one_snapshot(world);
    let host = world.host("sess");
    let base = snapshot(&host);
    world.write("sess", "v3");
    now(host.snapshot(incremental(), &Abort::default())).unwrap();
    world.write("sess", "v4");
    base
}

/// A full snapshot, and layers on it: each on the one before.
fn three_layers(world: &World) -> Vec<BackupId> {
    one_snapshot(world);
    let host = world.host("sess");
    world.write("sess", "a content of which a layer is a small part");
    let mut ids = vec![snapshot(&host)];
    for content in ["v3", "v4", "v5"] {
        world.write("sess", content);
        ids.push(now(host.snapshot(incremental(), &Abort::default())).unwrap().snapshot.id);
    }
    ids
}

fn delete(host: &Session, id: &BackupId, force: bool) -> Option<Result<()>> {
    let options = DeleteOptions { force, ..DeleteOptions::default() };
    let deleted = host.delete(&SnapshotSelector::Id(id.clone()), options).now_or_never()?;
    Some(deleted.map(drop))
}

fn incremental() -> SnapshotRequest {
    SnapshotRequest { incremental: Some(true), ..SnapshotRequest::default() }
}

fn turn(host: &Session) -> Option<Result<()>> {
    let cursor = serde_json::from_value(serde_json::json!({ "message": 1 })).unwrap();
    let request = SaveTurnRequest { cursor: Some(cursor), ..SaveTurnRequest::default() };
    Some(host.save_turn(request, &Abort::default()).now_or_never()?.map(drop))
}

/// A session with files, which may cross, and a backup of the SDK.
fn sdk_backup(world: &World) -> BackupId {
    let crossing = serde_json::json!({ "crossSession": true });
    let config = serde_json::json!({ "capabilities": { "shell": true, "snapshot": crossing } });
    world.open_with("sess", config);
    one_snapshot_of(world);
    let sdk = BackupId::from_random([3; 16]);
    let key = format!("backups/{sdk}.tar.zst");
    world.bucket.objects.borrow_mut().insert(key, SDK_CONTENT.as_bytes().to_vec());
    sdk
}

const SDK_CONTENT: &str = "archive";

const CASES: [Case; 26] = [
    Case { name: "turn", at_least: 6, prepare: one_snapshot, operate: |host, _| turn(host) },
    Case {
        name: "turn without changes",
        at_least: 6,
        prepare: |world| {
            world.steady.set(true);
            one_snapshot(world);
            snapshot(&world.host("sess"))
        },
        operate: |host, _| turn(host),
    },
    Case {
        name: "flatten",
        at_least: 9,
        prepare: |world| three_layers(world).remove(1),
        operate: |host, id| {
            let (id, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            Some(host.flatten(&id, &abort).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "import",
        at_least: 7,
        prepare: one_snapshot,
        operate: |host, _| {
            let sent = ImportSource::Sent(Box::new(MemoryBytes::of([b"archive".to_vec()])));
            let (request, abort) = (ImportRequest::default(), Abort::default());
            Some(host.import_snapshot(request, sent, &abort).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "export",
        at_least: 5,
        prepare: one_snapshot,
        operate: |host, id| {
            let (id, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            Some(host.export_snapshot(&id, false, &abort).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "export into the bucket",
        at_least: 6,
        prepare: |world| {
            let sdk = sdk_backup(world);
            world.bucket.objects.borrow_mut().remove(&format!("backups/{sdk}.tar.zst"));
            snapshot(&world.host("sess"))
        },
        operate: |host, id| {
            let (id, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            Some(host.export_backup(&id, true, &abort).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "restore of a backup of the SDK",
        at_least: 12,
        prepare: sdk_backup,
        operate: |host, id| {
            let (selector, abort) = (SnapshotSelector::Id(id.clone()), Abort::default());
            let made = host.make_workspace(RestoreKind::Restored, &selector, true, &abort);
            Some(made.now_or_never()?.map(drop))
        },
    },
    Case {
        name: "rewind to a backup of the SDK",
        at_least: 14,
        prepare: sdk_backup,
        operate: |host, id| {
            let request = RewindRequest {
                r#ref: SnapshotSelector::Id(id.clone()),
                expected_head: None,
                allow_cross_session: true,
                expected_active: None,
                dry_run: false,
            };
            Some(host.rewind(&request, &Abort::default()).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "first use of a session opened from a backup of the SDK",
        at_least: 10,
        prepare: |world| {
            let sdk = BackupId::from_random([3; 16]);
            let key = format!("backups/{sdk}.tar.zst");
            world.bucket.objects.borrow_mut().insert(key, SDK_CONTENT.as_bytes().to_vec());
            let crossing = serde_json::json!({ "crossSession": true });
            let capabilities = serde_json::json!({ "shell": true, "snapshot": crossing });
            world.open_with(
                "sess",
                serde_json::json!({ "capabilities": capabilities, "from": sdk }),
            );
            sdk
        },
        operate: |host, _| Some(host.run(run_request()).now_or_never()?.map(drop)),
    },
    Case {
        name: "purge",
        at_least: 12,
        prepare: |world| {
            let ids = three_layers(world);
            // It stays hidden, because the layer above needs it.
            delete(&world.host("sess"), &ids[1], true).unwrap().unwrap();
            ids[0].clone()
        },
        operate: |host, id| {
            let options = DeleteOptions { force: true, purge: true, ..DeleteOptions::default() };
            let purged = host.delete(&SnapshotSelector::Id(id.clone()), options).now_or_never()?;
            Some(purged.map(drop))
        },
    },
    Case {
        name: "snapshot",
        at_least: 6,
        prepare: one_snapshot,
        operate: |host, _| {
            let call =
                host.snapshot(SnapshotRequest::default(), &Abort::default()).now_or_never()?;
            Some(call.map(drop))
        },
    },
    Case {
        name: "first use",
        at_least: 3,
        prepare: |world| {
            world.open("sess");
            BackupId::from_random([9; 16])
        },
        operate: |host, _| Some(host.run(run_request()).now_or_never()?.map(drop)),
    },
    Case {
        name: "wake",
        at_least: 6,
        prepare: |world| {
            let id = one_snapshot(world);
            world.kill("sess");
            id
        },
        operate: |host, _| Some(host.run(run_request()).now_or_never()?.map(drop)),
    },
    Case {
        name: "start fresh",
        at_least: 5,
        prepare: |world| {
            let id = one_snapshot(world);
            world.kill("sess");
            id
        },
        operate: |host, _| Some(host.start_fresh().now_or_never()?.map(drop)),
    },
    Case {
        name: "start fresh of a paused one",
        at_least: 4,
        prepare: |world| {
            let id = one_snapshot(world);
            now(world.host("sess").pause(None, &Abort::default())).unwrap();
            id
        },
        operate: |host, _| Some(host.start_fresh().now_or_never()?.map(drop)),
    },
    Case {
        name: "restore",
        at_least: 4,
        prepare: one_snapshot,
        operate: |host, id| {
            let selector = SnapshotSelector::Id(id.clone());
            let abort = Abort::default();
            Some(
                host.make_workspace(RestoreKind::Restored, &selector, false, &abort)
                    .now_or_never()?
                    .map(drop),
            )
        },
    },
    Case {
        name: "branch",
        at_least: 10,
        prepare: one_snapshot,
        operate: |host, _| {
            let request = LiveForkRequest { count: Some(2), expected_active: None };
            Some(host.live_fork(&request, &Abort::default()).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "pause",
        at_least: 6,
        prepare: one_snapshot,
        operate: |host, _| Some(host.pause(None, &Abort::default()).now_or_never()?.map(drop)),
    },
    Case {
        name: "resume",
        at_least: 5,
        prepare: |world| {
            let id = one_snapshot(world);
            now(world.host("sess").pause(None, &Abort::default())).unwrap();
            id
        },
        operate: |host, _| Some(host.resume(None, &Abort::default()).now_or_never()?.map(drop)),
    },
    Case {
        name: "delete",
        at_least: 3,
        prepare: one_snapshot,
        operate: |host, id| delete(host, id, false),
    },
    Case {
        name: "layer",
        at_least: 6,
        prepare: one_layer,
        operate: |host, _| {
            Some(host.snapshot(incremental(), &Abort::default()).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "delete a base",
        at_least: 3,
        prepare: one_layer,
        operate: |host, id| delete(host, id, false),
    },
    Case {
        name: "delete the last layer on a deleted base",
        at_least: 3,
        prepare: |world| {
            let base = one_layer(world);
            let host = world.host("sess");
            let page = now(host.list(&ListRequest::default())).unwrap();
            delete(&host, &base, true).unwrap().unwrap();
            page.snapshots[0].snapshot.id.clone()
        },
        operate: |host, id| match delete(host, id, true)? {
            Ok(()) => host.recover().now_or_never(),
            Err(error) => Some(Err(error)),
        },
    },
    Case {
        name: "update",
        at_least: 3,
        prepare: one_snapshot,
        operate: |host, id| {
            let edit = serde_json::json!({ "name": "v1", "pinned": true });
            let edit = serde_json::from_value(edit).unwrap();
            let selector = SnapshotSelector::Id(id.clone());
            Some(host.update_snapshot(&selector, &edit).now_or_never()?.map(drop))
        },
    },
    Case {
        name: "destroy workspace",
        at_least: 2,
        prepare: |world| {
            let id = one_snapshot(world);
            let selector = SnapshotSelector::Id(id.clone());
            let branched = now(world.host("sess").make_workspace(
                RestoreKind::Branch,
                &selector,
                false,
                &Abort::default(),
            ));
            branched.unwrap();
            id
        },
        operate: |host, _| {
            let list = host.list_workspaces().now_or_never()?.unwrap();
            let branch = list.workspaces.iter().find(|workspace| !workspace.active).unwrap();
            host.destroy_workspace(&branch.r#ref).now_or_never().map(|done| done.map(drop))
        },
    },
    Case {
        name: "destroying close",
        at_least: 3,
        prepare: |world| {
            let host = world.open_with("sess", serde_json::json!({ "destroyOnClose": true }));
            now(host.run(run_request())).unwrap();
            let id = snapshot(&host);
            let selector = SnapshotSelector::Id(id.clone());
            now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()))
                .unwrap();
            id
        },
        operate: |host, _| Some(host.close().now_or_never()?.map(drop)),
    },
];

#[test]
fn every_break_point_settles() {
    for case in &CASES {
        for fault in Fault::ALL {
            let mut effects = 0;
            for nth in 0.. {
                let world = World::new();
                let id = (case.prepare)(&world);
                world.alarm.at_ms.take();
                let before = world.disk("sess");
                let context = format!("{} broken by {fault:?} at effect {nth}", case.name);
                world.faults.arm(nth, fault);
                let host = world.host("sess");
                let answer = (case.operate)(&host, &id);
                let reached = world.faults.disarm();
                if !reached {
                    assert!(answer.is_some_and(|answer| answer.is_ok()), "{context}: unbroken");
                    effects = nth;
                    break;
                }
                let last = world.faults.trace().pop().unwrap_or_default();
                println!("{context} ({last}): {answer:?}");
                match fault {
                    Fault::CrashBefore | Fault::CrashAfter => {
                        assert!(answer.is_none(), "{context}: a crash gives no answer");
                    }
                    Fault::ErrorBefore | Fault::ErrorAfter => {
                        if let Some(Err(error)) = &answer {
                            assert!(is_honest(error), "{context}: {error:?}");
                        }
                    }
                }
                drop(host);
                world.recover("sess");
                if case.name.starts_with("rewind") {
                    let files = world.disk("sess").map(|disk| disk.content);
                    let is_whole = files == before.map(|disk| disk.content)
                        || files.as_deref() == Some(SDK_CONTENT);
                    assert!(is_whole, "{context}: {files:?}");
                } else if before.is_some() && !["destroying close", "pause"].contains(&case.name) {
                    assert_eq!(world.disk("sess"), before, "{context}: the workspace is untouched");
                }
                world.check_invariants("sess");
                let host = world.host("sess");
                if case.name.starts_with("first use of") {
                    now(host.run(run_request())).unwrap();
                    assert_eq!(world.disk("sess").unwrap().content, SDK_CONTENT, "{context}");
                    world.check_invariants("sess");
                }
                let list = now(host.list_workspaces()).unwrap();
                if host.describe().unwrap().status == SessionStatus::Closed {
                    assert!(list.workspaces.is_empty(), "{context}: {list:?}");
                }
            }
            assert!(effects >= case.at_least, "{} has only {effects} effects", case.name);
        }
    }
}

#[test]
fn a_snapshot_that_was_completed_unseen_becomes_ready() {
    let world = World::new();
    one_snapshot(&world);
    // The answer to the second object's put is lost, and the host with it.
    let effects = {
        world.faults.arm(usize::MAX, Fault::CrashAfter);
        let probe = world.host("sess");
        now(probe.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
        let trace = world.faults.trace();
        world.faults.disarm();
        trace.iter().position(|name| name == "putMeta").unwrap()
    };
    world.faults.arm(effects, Fault::CrashAfter);
    let host = world.host("sess");
    assert!(host.snapshot(SnapshotRequest::default(), &Abort::default()).now_or_never().is_none());
    assert!(world.faults.disarm());
    drop(host);
    world.recover("sess");
    let page = now(world.host("sess").list(&ListRequest::default())).unwrap();
    assert_eq!(page.snapshots.len(), 3);
    world.check_invariants("sess");
}

#[test]
fn an_aborted_call_starts_nothing() {
    let world = World::new();
    let id = one_snapshot(&world);
    let host = world.host("sess");
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let aborted = Abort::aborted();
    let selector = SnapshotSelector::Id(id);
    assert!(now(host.snapshot(SnapshotRequest::default(), &aborted)).is_err());
    assert!(now(host.make_workspace(RestoreKind::Branch, &selector, false, &aborted)).is_err());
    assert!(world.faults.trace().is_empty(), "{:?}", world.faults.trace());
}
