//! Calls that run.

use crate::world::World;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::OperationId;
use snapshotter::domain::session::scope::Needs;
use snapshotter::session::Abort;

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
