//! The calls in progress, by the ids that their callers gave them. Others can cancel them.

use crate::domain::{Error, ErrorCode, OperationId, OperationState, Result, Rights};
use crate::session::parts::{Abort, Context};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Calls that can be cancelled by the id that their caller gave them.
#[derive(Default)]
pub(crate) struct Cancellations {
    running: RefCell<BTreeMap<OperationId, (Abort, Rights)>>,
}

/// The calls in progress, and the recorded ones.
pub struct Calls {
    pub(crate) context: Rc<Context>,
    cancellations: Rc<Cancellations>,
}

impl Calls {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, cancellations: Rc::default() }
    }
}

/// Keeps a call cancellable until dropped.
pub struct Cancellable {
    cancellations: Rc<Cancellations>,
    id: OperationId,
}

impl Cancellable {
    /// The call's id.
    #[must_use]
    pub const fn id(&self) -> &OperationId {
        &self.id
    }
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        self.cancellations.running.borrow_mut().remove(&self.id);
    }
}

impl Calls {
    /// Registers a call under its caller's id so that it can be cancelled, with what other callers
    /// need for it.
    ///
    /// # Errors
    /// `CONFLICT` if a running call has that id.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        rights: impl Into<Rights>,
    ) -> Result<Cancellable> {
        let mut running = self.cancellations.running.borrow_mut();
        if running.contains_key(id) {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("operationId: {id} is already running"),
            ));
        }
        abort.follow();
        running.insert(id.clone(), (abort.clone(), rights.into()));
        Ok(Cancellable { cancellations: self.cancellations.clone(), id: id.clone() })
    }

    /// What other callers need for the running call of that id, if there is one.
    #[must_use]
    pub fn running(&self, id: &OperationId) -> Option<Rights> {
        self.cancellations.running.borrow().get(id).map(|(_abort, rights)| rights.clone())
    }

    /// Asks a running call to end. It ends with `ABORTED` before its next step, or completes if no
    /// step is left; a command that it runs is ended. Returns the call's state. A recorded call
    /// that has ended stays as it is.
    ///
    /// # Errors
    /// `NOT_FOUND` if no call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        if let Some((abort, _rights)) = self.cancellations.running.borrow().get(id) {
            abort.abort();
            return Ok(OperationState::Running);
        }
        self.recover_calls()?;
        let known = self.context.catalogue.operation(id)?;
        known
            .map(|ended| ended.state)
            .ok_or_else(|| Error::new(ErrorCode::NotFound, format!("no operation {id} is running")))
    }
}
