//! Calls that run.

use crate::workspaces::rewind::{call, rewind, to};
use crate::world::{World, now, yield_once};
use futures::executor::block_on;
use futures::future::join;
use serde_json::json;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::{OperationId, SandboxId};
use snapshotter::domain::session::scope::Needs;
use snapshotter::session::{Abort, SnapshotRequest};

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
fn a_snapshot_and_a_rewind_whose_caller_gives_up_end() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    let first = now(host.snapshot(SnapshotRequest::default(), &Abort::default())).unwrap();
    let id = first.snapshot.id.clone();
    world.archiving.borrow_mut().push(SandboxId::parse("sess").unwrap());
    for rewinds in [false, true] {
        let abort = Abort::default();
        let work = async {
            if rewinds {
                host.rewind(&to(&id), &abort).await.map(drop)
            } else {
                host.snapshot(SnapshotRequest::default(), &abort).await.map(drop)
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
        assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None));
    }
    // Nothing holds the workspace, or is left to be settled.
    world.archiving.borrow_mut().clear();
    call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    rewind(&host, &to(&id)).unwrap();
}
