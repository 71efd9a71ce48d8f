//! Calls that run.

use crate::support::stream::MemoryBytes;
use crate::workspaces::rewind::{call, rewind, to};
use crate::world::{World, call_tool, now, snapshot, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::join;
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{OperationId, RestoreKind, SandboxId};
use snapshotter::domain::session::scope::Needs;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, ImportRequest, ImportSource, LiveForkRequest, SnapshotRequest};

#[test]
fn a_running_call_is_cancelled_by_its_id() {
    let world = World::new();
    let host = world.open("sess");
    let id = OperationId::parse("op-1").unwrap();
    let abort = Abort::default();
    let guard = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    let twice = host.cancellable(&id, &Abort::default(), Needs::Nothing);
    assert_eq!(twice.map(drop).unwrap_err().code, ErrorCode::Conflict);
    host.cancel(&id).unwrap();
    assert_eq!(abort.check().unwrap_err().code, ErrorCode::Aborted);
    drop(guard);
    assert_eq!(host.cancel(&id).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn a_save_whose_caller_gives_up_ends() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    let first = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    let id = first.snapshot.id.clone();
    world.archiving.borrow_mut().push(SandboxId::parse("sess").unwrap());
    for call in ["snapshot", "rewind", "pause", "fork"] {
        let abort = Abort::default();
        let work = async {
            match call {
                "rewind" => host.rewind(&to(&id), &abort).await.map(drop),
                "pause" => host.pause(None, &abort).await.map(drop),
                "fork" => host.live_fork(&LiveForkRequest::default(), &abort).await.map(drop),
                _ => host.snapshot(SnapshotRequest::default(), &abort).await.map(drop),
            }
        };
        let gives_up = async {
            while world.stops.borrow().is_empty() {
                yield_once().await;
            }
            abort.abort();
        };
        let (ended, ()) = block_on(join(work, gives_up));
        let error = ended.unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None), "{call}");
    }
    // Nothing holds the workspace, or is left to be settled.
    world.archiving.borrow_mut().clear();
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    rewind(&host, &to(&id)).unwrap();
}

/// Whoever gives up ends the work of the call, and frees what it had.
fn ends(world: &World, call: impl Future<Output = Result<Value, Error>>, abort: &Abort) -> Error {
    let gives_up = async {
        for _ in 0..1_000 {
            if !world.stops.borrow().is_empty() {
                break;
            }
            yield_once().await;
        }
        abort.abort();
    };
    block_on(join(call, gives_up)).0.unwrap_err()
}

#[test]
fn what_restores_and_clean_containers_do_ends_when_the_caller_gives_up() {
    let world = World::new();
    let host = world.open("sess");
    let read = || call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    read();
    world.write("sess", "the first work");
    let full = snapshot(&host);
    world.write("sess", "work");
    let request = SnapshotRequest { incremental: Some(true), ..SnapshotRequest::default() };
    let layer = now(host.snapshot(request, &Abort::default())).unwrap().snapshot.id;
    let (full, layer) = (SnapshotSelector::Id(full), SnapshotSelector::Id(layer));
    now(host.pause(None, &Abort::default())).unwrap();
    let before = world.bucket.keys();
    for call in ["import", "export", "flatten", "restore", "resume"] {
        world.hanging.set(true);
        let abort = Abort::default();
        let work = async {
            let branch = RestoreKind::Branch;
            match call {
                "import" => {
                    let archive = Box::new(MemoryBytes::of([b"archive".to_vec()]));
                    let sent = ImportSource::Sent(archive);
                    host.import_snapshot(ImportRequest::default(), sent, &abort).await.map(drop)
                }
                "export" => host.export_snapshot(&full, false, &abort).await.map(drop),
                "flatten" => host.flatten(&layer, &abort).await.map(drop),
                "restore" => host.make_workspace(branch, &full, false, &abort).await.map(drop),
                _ => host.resume(None, &abort).await.map(drop),
            }
            .map(|()| Value::Null)
        };
        let error = ends(&world, work, &abort);
        assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None), "{call}");
        world.hanging.set(false);
        assert!(world.disks.borrow().is_empty(), "{call}: no container runs on");
        assert_eq!(world.bucket.keys(), before, "{call}");
        world.recover("sess");
        world.check_invariants("sess");
    }
    now(host.resume(None, &Abort::default())).unwrap();
    assert_eq!(read()["stdout"], "work");
    now(host.flatten(&layer, &Abort::default())).unwrap();
}

#[test]
fn of_several_forks_none_goes_on_when_the_caller_gives_up() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    snapshot(&host);
    let abort = Abort::default();
    world.steady.set(true);
    world.hanging.set(true);
    let request = LiveForkRequest { count: Some(1), ..LiveForkRequest::default() };
    let forks = async { host.live_fork(&request, &abort).await.map(|forks| json!(forks)) };
    let gives_up = async {
        while world.stops.borrow().is_empty() {
            yield_once().await;
        }
        abort.abort();
    };
    let (forks, ()) = block_on(join(forks, gives_up));
    assert_eq!(forks.unwrap()["workspaces"][0]["error"]["code"], "ABORTED");
    world.hanging.set(false);
    world.check_invariants("sess");
}

/// No one is left who would call again: without this, it would run for hours.
#[test]
fn a_rewind_that_is_given_up_leaves_no_container_without_files() {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", json!({ "persist": "machine" }));
    let read = || call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    read();
    world.write("sess", "work");
    world.install("sess", "jq");
    let id = snapshot(&host);
    world.write("sess", "later");
    world.install("sess", "broken");
    world.hanging.set(true);
    let abort = Abort::default();
    let rewinding = async { host.rewind(&to(&id), &abort).await.map(|_| Value::Null) };
    let error = ends(&world, rewinding, &abort);
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::Unknown));
    assert!(error.hint.unwrap().contains("the next call brings back all that it had"));
    world.hanging.set(false);
    assert_eq!(world.disk("sess"), None);
    assert_eq!(read()["stdout"], "later");
    assert_eq!(world.disk("sess").unwrap().machine, "broken");
    world.check_invariants("sess");
}

#[test]
fn a_wait_for_a_workspace_has_a_bound_and_ends_with_its_caller() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    let first = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    world.archiving.borrow_mut().push(SandboxId::parse("sess").unwrap());
    let (rewinding, request) = (Abort::default(), to(&first.snapshot.id));
    let mut rewind = Box::pin(host.rewind(&request, &rewinding).fuse());
    while world.stops.borrow().is_empty() {
        assert!((&mut rewind).now_or_never().is_none());
    }
    let (name, input) = ("workspace_run", json!({ "command": "cat" }));

    world.clock.lapse(true);
    let error = now(call_tool(&host, name, input.clone(), &Abort::default())).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
    assert!(error.retryable && error.hint.is_some(), "{error:?}");
    let details = error.details.unwrap();
    assert_eq!(details["holder"], "a rewind");
    assert!(details["since"].as_str().unwrap().ends_with('Z'), "{details}");

    // Long before that, its caller ends a wait, or the workspace.
    world.clock.lapse(false);
    let abort = Abort::default();
    let mut given_up = Box::pin(call_tool(&host, name, input.clone(), &abort));
    let patient = Abort::default();
    let mut waits = Box::pin(call_tool(&host, name, input, &patient));
    assert!((&mut given_up).now_or_never().is_none());
    assert!((&mut waits).now_or_never().is_none());
    abort.abort();
    let error = (&mut given_up).now_or_never().expect("it ends at once").unwrap_err();
    assert_eq!(error.code, ErrorCode::Aborted);
    rewinding.abort();
    let rewound = (&mut rewind).now_or_never().expect("it ends at once");
    assert_eq!(rewound.map(drop).unwrap_err().code, ErrorCode::Aborted);
    let answered: Value = (&mut waits).now_or_never().expect("the workspace is free").unwrap();
    assert_eq!(answered["exitCode"], 0);
}
