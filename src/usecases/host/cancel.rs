//! The caller's end of a running call: it can give up, before the call starts
//! and between its steps, and it can be told which step begins.

use super::Host;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::OperationId;
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
        Self(Rc::new(Signal { aborted: Cell::default(), on_step: Some(Box::new(on_step)) }))
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
        Ok(())
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

    /// Cancels a running call. It ends with `ABORTED` before its next step, or
    /// completes where there is none left.
    ///
    /// # Errors
    /// `NOT_FOUND` where no running call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<()> {
        let running = self.cancellations.running.borrow();
        let (abort, _needs) = running.get(id).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("no operation {id} is running"))
        })?;
        abort.abort();
        Ok(())
    }
}
