//! The caller's end of a running call: it can give up, before the call starts
//! and between its steps, and it can be told which step begins.

use super::Host;
use super::catalogue::Catalogue;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::OperationId;
use crate::domain::operation::OperationState;
use crate::domain::scope::Needs;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether the caller still wants the result, and what it hears meanwhile.
/// Clones are the same call's.
#[derive(Clone, Default)]
pub struct Abort(Rc<Signal>);

#[derive(Default)]
struct Signal {
    aborted: Cell<bool>,
    on_step: Option<Box<dyn Fn(&'static str)>>,
    /// Where the call is recorded, if it is.
    record: RefCell<Option<(Catalogue, OperationId)>>,
}

impl Abort {
    /// A signal that was aborted before the call.
    #[must_use]
    pub fn aborted() -> Self {
        let abort = Self::default();
        abort.abort();
        abort
    }

    /// A signal whose call tells `on_step` what it is about to do.
    #[must_use]
    pub fn reporting(on_step: impl Fn(&'static str) + 'static) -> Self {
        Self(Rc::new(Signal { on_step: Some(Box::new(on_step)), ..Signal::default() }))
    }

    /// The caller gives up. The call ends with `ABORTED` before its next step,
    /// or completes where there is none left.
    pub fn abort(&self) {
        self.0.aborted.set(true);
    }

    /// Called before each effect.
    ///
    /// # Errors
    /// `ABORTED` once the caller gave up.
    pub fn check(&self) -> Result<()> {
        if self.0.aborted.get() {
            return Err(Error::new(ErrorCode::Aborted, "the caller aborted; nothing was changed"));
        }
        Ok(())
    }

    /// Called before an effect that takes long, with what it is, for people.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn step(&self, what: &'static str) -> Result<()> {
        self.check()?;
        if let Some(on_step) = &self.0.on_step {
            on_step(what);
        }
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_step(id, what),
            None => Ok(()),
        }
    }

    /// Called with the row that says what is made, so that what becomes of the
    /// one after a restart is known of the other.
    pub(super) fn makes(&self, subject: &str) -> Result<()> {
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_subject(id, subject),
            None => Ok(()),
        }
    }

    /// Tells the record of the call its steps.
    pub(super) fn record(&self, catalogue: Catalogue, id: OperationId) {
        self.0.record.replace(Some((catalogue, id)));
    }
}

/// Calls that can be cancelled by the id their caller gave them.
#[derive(Default)]
pub(super) struct Cancellations {
    running: RefCell<BTreeMap<OperationId, (Abort, Needs)>>,
}

/// Keeps a call cancellable until dropped.
pub struct Cancellable {
    cancellations: Rc<Cancellations>,
    id: OperationId,
}

impl Cancellable {
    /// The call's name.
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

impl Host {
    /// Makes a call, and what it needs of its caller, known under its caller's
    /// id, to be cancelled by.
    ///
    /// # Errors
    /// `CONFLICT` where a running call has that id.
    pub fn cancellable(
        &self,
        id: &OperationId,
        abort: &Abort,
        needs: Needs,
    ) -> Result<Cancellable> {
        let mut running = self.cancellations.running.borrow_mut();
        if running.contains_key(id) {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("operationId: {id} is already running"),
            ));
        }
        running.insert(id.clone(), (abort.clone(), needs));
        Ok(Cancellable { cancellations: self.cancellations.clone(), id: id.clone() })
    }

    /// What the running call of that id needs of its caller, if there is one.
    #[must_use]
    pub fn running(&self, id: &OperationId) -> Option<Needs> {
        self.cancellations.running.borrow().get(id).map(|(_abort, needs)| *needs)
    }

    /// Asks a running call to end: with `ABORTED` before its next step, or
    /// completed where there is none left. Answers the state it is in; a
    /// recorded call that has ended stays as it is.
    ///
    /// # Errors
    /// `NOT_FOUND` where no call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        if let Some((abort, _needs)) = self.cancellations.running.borrow().get(id) {
            abort.abort();
            return Ok(OperationState::Running);
        }
        self.settle_operations()?;
        let known = self.catalogue.operation(id)?;
        known
            .map(|ended| ended.state)
            .ok_or_else(|| Error::new(ErrorCode::NotFound, format!("no operation {id} is running")))
    }
}
