//! Cancelling a call: before it starts, and between its steps.

use super::Host;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::OperationId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether the caller still wants the result.
#[derive(Debug, Clone, Default)]
pub struct Abort(Rc<Cell<bool>>);

impl Abort {
    /// A signal that was aborted before the call.
    #[must_use]
    pub fn aborted() -> Self {
        let abort = Self::default();
        abort.0.set(true);
        abort
    }

    /// Called before each effect.
    ///
    /// # Errors
    /// `ABORTED` once the caller gave up.
    pub fn check(&self) -> Result<()> {
        if self.0.get() {
            return Err(Error::new(ErrorCode::Aborted, "the caller aborted; nothing was changed"));
        }
        Ok(())
    }
}

/// Calls that can be cancelled by the id their caller gave them.
#[derive(Default)]
pub(super) struct Cancellations {
    running: RefCell<BTreeMap<OperationId, Abort>>,
}

/// Keeps a call cancellable until dropped.
pub struct Cancellable {
    cancellations: Rc<Cancellations>,
    id: OperationId,
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        self.cancellations.running.borrow_mut().remove(&self.id);
    }
}

impl Host {
    /// Makes a call cancellable under its caller's id.
    ///
    /// # Errors
    /// `CONFLICT` where a running call has that id.
    pub fn cancellable(&self, id: &OperationId) -> Result<(Abort, Cancellable)> {
        let mut running = self.cancellations.running.borrow_mut();
        if running.contains_key(id) {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("operationId: {id} is already running"),
            ));
        }
        let abort = Abort::default();
        running.insert(id.clone(), abort.clone());
        Ok((abort, Cancellable { cancellations: self.cancellations.clone(), id: id.clone() }))
    }

    /// Cancels a running call. It ends with `ABORTED` before its next step, or
    /// completes where there is none left.
    ///
    /// # Errors
    /// `NOT_FOUND` where no running call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<()> {
        let running = self.cancellations.running.borrow();
        let abort = running.get(id).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("no operation {id} is running"))
        })?;
        abort.0.set(true);
        Ok(())
    }
}
