//! The caller's side of a running call. The caller can give up: before the call
//! starts, between its steps, and while a command runs. The call can report
//! each step and the output of its command.

use crate::domain::call::OperationState;
use crate::domain::call::subject::Subject;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, OperationId};
use crate::domain::session::scope::Rights;
use crate::ports::sandbox::SandboxApi;
use crate::session::catalogue::Catalogue;
use crate::session::context::Context;
use futures::future::{Either, select};
use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::task::Waker;

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

/// What a call reports to its caller while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    /// The step about to begin, for people.
    Step(&'static str),
    /// Output of its command on stdout.
    Stdout(&'a str),
    /// Output of its command on stderr.
    Stderr(&'a str),
}

type Listener = Box<dyn Fn(Progress<'_>)>;

/// Whether the caller still wants the result, and the listener for progress.
/// Clones belong to the same call.
#[derive(Clone, Default)]
pub struct Abort(Rc<Signal>);

#[derive(Default)]
struct Signal {
    aborted: Cell<bool>,
    /// Whether the caller can give up, or listens to progress, while the call runs.
    followed: Cell<bool>,
    /// Wakes the steps that wait for the caller to give up. A script's calls share its signal.
    waiting: RefCell<Vec<Waker>>,
    listener: Option<Listener>,
    /// The call's record, if it is recorded.
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

    /// A signal whose call reports its progress to `listener`.
    #[must_use]
    pub fn reporting(listener: impl Fn(Progress<'_>) + 'static) -> Self {
        let signal = Signal { listener: Some(Box::new(listener)), ..Signal::default() };
        signal.followed.set(true);
        Self(Rc::new(signal))
    }

    /// Gives up. The call ends with `ABORTED` before its next step, or completes
    /// if no step is left; a running command is ended.
    pub fn abort(&self) {
        self.0.aborted.set(true);
        for waiting in self.0.waiting.take() {
            waiting.wake();
        }
    }

    /// Whether the caller can give up, or listens to progress, while the call runs.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.0.followed.get()
    }

    /// Whether both belong to one call.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Ready once the caller has given up.
    pub async fn given_up(&self) {
        poll_fn(|context| {
            if self.0.aborted.get() {
                return Poll::Ready(());
            }
            let mut waiting = self.0.waiting.borrow_mut();
            if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    /// Waits for a backup or restore of a sandbox. If the caller gives up, has it ended, and
    /// returns what comes of it.
    pub(crate) async fn or_stopped<T>(
        &self,
        sandbox: &dyn SandboxApi,
        id: &BackupId,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match select(pin!(work), pin!(self.given_up())).await {
            Either::Left((result, _)) => result,
            Either::Right(((), work)) => {
                // If it can't be ended, its own limit ends it.
                let (_stopped, result) = futures::join!(sandbox.stop_backup(id.clone()), work);
                result
            }
        }
    }

    /// Reports progress to the caller, if it listens.
    pub fn report(&self, what: Progress<'_>) {
        if let Some(listener) = &self.0.listener {
            listener(what);
        }
    }

    /// Fails once the caller has given up. Called before each effect.
    ///
    /// # Errors
    /// `ABORTED`.
    pub fn check(&self) -> Result<()> {
        if self.0.aborted.get() {
            return Err(Error::new(ErrorCode::Aborted, "the caller aborted; nothing was changed"));
        }
        Ok(())
    }

    /// Reports and records a long step, unless the caller has given up. Called
    /// before the step, with a description for people.
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

    /// Records what the call makes or changes. Called before the row of that subject,
    /// or with no await in between, so that after a restart the row decides the
    /// call's outcome.
    pub(crate) fn makes(&self, subject: &Subject) -> Result<()> {
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_subject(id, subject),
            None => Ok(()),
        }
    }

    /// Connects the call to its record, for its steps and its subject.
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
    /// Makes a call, and what others need for it, known under its caller's
    /// id, to be cancelled by.
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
        abort.0.followed.set(true);
        running.insert(id.clone(), (abort.clone(), rights.into()));
        Ok(Cancellable { cancellations: self.cancellations.clone(), id: id.clone() })
    }

    /// What others need for the running call of that id, if there is one.
    #[must_use]
    pub fn running(&self, id: &OperationId) -> Option<Rights> {
        self.cancellations.running.borrow().get(id).map(|(_abort, rights)| rights.clone())
    }

    /// Asks a running call to end: with `ABORTED` before its next step, or
    /// completed where there is none left; a command that it runs is ended.
    /// Returns the state it is in; a recorded call that has ended stays as it is.
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
