//! Calls that run.

use crate::workspaces::rewind::{call, rewind, to};
use crate::world::{World, now, yield_once};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::join;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::{OperationId, SandboxId};
use snapshotter::domain::session::scope::Needs;
use snapshotter::session::{Abort, LiveForkRequest, SnapshotRequest};

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
    let error = now(tools::call(&host, name, input.clone(), &Abort::default())).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
    assert!(error.retryable && error.hint.is_some(), "{error:?}");
    let details = error.details.unwrap();
    assert_eq!(details["holder"], "a rewind");
    assert!(details["since"].as_str().unwrap().ends_with('Z'), "{details}");

    // Long before that, its caller ends a wait, or the workspace.
    world.clock.lapse(false);
    let abort = Abort::default();
    let mut given_up = Box::pin(tools::call(&host, name, input.clone(), &abort));
    let patient = Abort::default();
    let mut waits = Box::pin(tools::call(&host, name, input, &patient));
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
