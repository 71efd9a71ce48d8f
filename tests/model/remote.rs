//! Calls of a host to other objects. A call may be lost on its way there or back,
//! and its object may go on or not when the caller stops.

use crate::runtime::Object;
use crate::support::faults::Faults;
use crate::world::{SESSIONS, World};
use async_trait::async_trait;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{SandboxId, SessionId};
use snapshotter::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use snapshotter::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use snapshotter::domain::snapshot::turn::{TurnAnswer, TurnRequest};
use snapshotter::ports::crossing::Crossing;
use snapshotter::ports::sandbox::rpc::{Transport, find};
use snapshotter::ports::sandbox::{SandboxApi, Sandboxes};
use snapshotter::ports::sessions::Sessions;
use std::rc::Rc;

struct Remote {
    id: SandboxId,
    world: World,
    caller: Object,
    faults: Faults,
}

/// The runtime's error for a call whose object or connection is gone.
fn interrupted() -> Error {
    Error::new(ErrorCode::Interrupted, "the object that does the work restarted mid-way")
        .with_outcome(Outcome::Unknown)
}

impl Transport for Remote {
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: Vec<Crossing>,
    ) -> LocalBoxFuture<'a, Result<Crossing>> {
        Box::pin(async move {
            let sent = self.faults.effect("call", || Ok(())).await;
            sent.map_err(|_lost| interrupted())?;
            let call = (find(method)?.parse)(arguments)?;
            let (answer, answered) = oneshot::channel();
            let (world, id) = (self.world.clone(), self.id.clone());
            let object = Object::Sandbox(self.id.clone());
            self.world.runtime.spawn(object, Some(self.caller.clone()), async move {
                let service = world.service(&id);
                service.keep_running().await;
                let _nobody_waits = answer.send(call(&*service).await);
            });
            let result = answered.await.unwrap_or_else(|_stopped| Err(interrupted()))?;
            let received = self.faults.effect("answer", || Ok(())).await;
            received.map_err(|_lost| interrupted())?;
            Ok(result)
        })
    }
}

/// The sandboxes and the other sessions as a host sees them.
pub struct Namespace {
    pub world: World,
    pub caller: usize,
}

impl Sandboxes for Namespace {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let (world, caller) = (self.world.clone(), Object::Session(self.caller));
        let faults = world.runtime.faults_of(caller.clone());
        Ok(Rc::new(Remote { id: id.clone(), world, caller, faults }))
    }
}

#[async_trait(?Send)]
impl Sessions for Namespace {
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer> {
        let owner = SESSIONS.iter().position(|name| *name == owner.as_str()).unwrap();
        let faults = self.world.runtime.faults_of(Object::Session(self.caller));
        // One effect, because the owner has no await. The owner may be a new object.
        let lend = || Ok(self.world.host(owner).lend(&request));
        faults.effect("lend", lend).await.map_err(|_lost| interrupted())?
    }

    async fn earlier_turn(&self, owner: &SessionId, request: TurnRequest) -> Result<TurnAnswer> {
        let owner = SESSIONS.iter().position(|name| *name == owner.as_str()).unwrap();
        let faults = self.world.runtime.faults_of(Object::Session(self.caller));
        let ask = || Ok(self.world.host(owner).earlier_turn(&request));
        faults.effect("earlierTurn", ask).await.map_err(|_lost| interrupted())?
    }

    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted> {
        let owner = SESSIONS.iter().position(|name| *name == owner.as_str()).unwrap();
        let caller = Object::Session(self.caller);
        let faults = self.world.runtime.faults_of(caller.clone());
        let lost = |_lost| interrupted();
        faults.effect("call", || Ok(())).await.map_err(lost)?;
        let (answer, answered) = oneshot::channel();
        let world = self.world.clone();
        self.world.runtime.spawn(Object::Session(owner), Some(caller), async move {
            let host = world.host(owner);
            let _nobody_waits = answer.send(host.delete_for(&request).await);
        });
        let deleted = answered.await.unwrap_or_else(|_stopped| Err(interrupted()))?;
        faults.effect("answer", || Ok(())).await.map_err(lost)?;
        Ok(deleted)
    }
}
