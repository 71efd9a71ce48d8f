//! The caller's end of a running call: it can give up, before the call starts,
//! between its steps and while a command runs, and it can be told which step
//! begins and what the command prints.

use crate::domain::call::OperationState;
use crate::domain::call::subject::Subject;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::OperationId;
use crate::domain::session::scope::Needs;
use crate::session::catalogue::Catalogue;
use crate::session::context::Context;
use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::task::Waker;

/// Calls that can be cancelled by the id their caller gave them.
#[derive(Default)]
pub(crate) struct Cancellations {
    running: RefCell<BTreeMap<OperationId, (Abort, Needs)>>,
}

/// Calls in progress, and the recorded ones.
pub struct Calls {
    pub(crate) context: Rc<Context>,
    cancellations: Rc<Cancellations>,
}

impl Calls {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, cancellations: Rc::default() }
    }
}

/// What a call tells its caller while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    /// What it is about to do, for people.
    Step(&'static str),
    /// What its command printed to stdout.
    Stdout(&'a str),
    /// What its command printed to stderr.
    Stderr(&'a str),
}

type Listener = Box<dyn Fn(Progress<'_>)>;

/// Whether the caller still wants the result, and what it hears meanwhile.
/// Clones are the same call's.
#[derive(Clone, Default)]
pub struct Abort(Rc<Signal>);

#[derive(Default)]
struct Signal {
    aborted: Cell<bool>,
    /// Whether its caller can give up, or hears of it, while it runs.
    followed: Cell<bool>,
    /// The step that is to be woken when the caller gives up: a call takes one
    /// at a time.
    waiting: RefCell<Option<Waker>>,
    listener: Option<Listener>,
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

    /// A signal whose call tells `listener` what happens.
    #[must_use]
    pub fn reporting(listener: impl Fn(Progress<'_>) + 'static) -> Self {
        let signal = Signal { listener: Some(Box::new(listener)), ..Signal::default() };
        signal.followed.set(true);
        Self(Rc::new(signal))
    }

    /// The caller gives up. The call ends with `ABORTED` before its next step,
    /// or completes where there is none left; a command that runs is ended.
    pub fn abort(&self) {
        self.0.aborted.set(true);
        if let Some(waiting) = self.0.waiting.take() {
            waiting.wake();
        }
    }

    /// Whether anybody can give up, or hears of it, while the call runs.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.0.followed.get()
    }

    /// Whether both are of one call.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Ready once the caller gave up.
    pub async fn given_up(&self) {
        poll_fn(|context| {
            if self.0.aborted.get() {
                return Poll::Ready(());
            }
            self.0.waiting.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Tells the caller, if it listens.
    pub fn report(&self, what: Progress<'_>) {
        if let Some(listener) = &self.0.listener {
            listener(what);
        }
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
        self.report(Progress::Step(what));
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_step(id, what),
            None => Ok(()),
        }
    }

    /// Called with the row that says what is made, so that what becomes of the
    /// one after a restart is known of the other.
    pub(crate) fn makes(&self, subject: &Subject) -> Result<()> {
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_subject(id, subject),
            None => Ok(()),
        }
    }

    /// Tells the record of the call its steps.
    pub(crate) fn record(&self, catalogue: Catalogue, id: OperationId) {
        self.0.record.replace(Some((catalogue, id)));
    }
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

impl Calls {
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
        abort.0.followed.set(true);
        running.insert(id.clone(), (abort.clone(), needs));
        Ok(Cancellable { cancellations: self.cancellations.clone(), id: id.clone() })
    }

    /// What the running call of that id needs of its caller, if there is one.
    #[must_use]
    pub fn running(&self, id: &OperationId) -> Option<Needs> {
        self.cancellations.running.borrow().get(id).map(|(_abort, needs)| *needs)
    }

    /// Asks a running call to end: with `ABORTED` before its next step, or
    /// completed where there is none left; a command that it runs is ended.
    /// Returns the state it is in; a recorded call that has ended stays as it is.
    ///
    /// # Errors
    /// `NOT_FOUND` where no call has that id.
    pub fn cancel(&self, id: &OperationId) -> Result<OperationState> {
        if let Some((abort, _needs)) = self.cancellations.running.borrow().get(id) {
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
