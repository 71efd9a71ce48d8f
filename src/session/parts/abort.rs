//! A caller's signal to give up, and the progress that a call reports to its caller.

use crate::domain::{BackupId, Error, ErrorCode, OperationId, Result, Subject};
use crate::ports::sandbox::SandboxApi;
use crate::session::catalogue::Catalogue;
use futures::future::{Either, select};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

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

/// Whether the caller still wants the result, and its listener for progress. Clones share one call.
#[derive(Clone, Default)]
pub struct Abort(Rc<Signal>);

#[derive(Default)]
struct Signal {
    aborted: Cell<bool>,
    followed: Cell<bool>,
    /// Several, because a script's calls share its signal.
    waiting: RefCell<Vec<Waker>>,
    listener: Option<Listener>,
    record: RefCell<Option<(Catalogue, OperationId)>>,
    call: RefCell<Option<String>>,
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

    /// Ends the call with `ABORTED` before its next step, if one is left. Ends a running command.
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

    pub(crate) fn follow(&self) {
        self.0.followed.set(true);
    }

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

    /// Runs a sandbox's backup or restore. If the caller gives up, ends it, and returns its result.
    pub(crate) async fn or_stopped<T>(
        &self,
        sandbox: &dyn SandboxApi,
        id: &BackupId,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match select(pin!(work), pin!(self.given_up())).await {
            Either::Left((result, _)) => result,
            Either::Right(((), work)) => {
                // If the work can't be ended, its own limit ends it.
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

    /// Reports and records a long step before it begins. `what` is for people.
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

    /// Records what the call makes or changes. Called before the row of that subject, or with no
    /// await in between: after a restart, the row decides the call's outcome.
    pub(crate) fn makes(&self, subject: &Subject) -> Result<()> {
        match self.0.record.borrow().as_ref() {
            Some((catalogue, id)) => catalogue.set_operation_subject(id, subject),
            None => Ok(()),
        }
    }

    /// Names the call. A script's calls share its signal, so the name is that of the latest.
    pub(crate) fn name(&self, call: String) {
        self.0.call.replace(Some(call));
    }

    pub(crate) fn call_name(&self) -> Option<String> {
        self.0.call.borrow().clone()
    }

    pub(crate) fn record(&self, catalogue: Catalogue, id: OperationId) {
        self.0.record.replace(Some((catalogue, id)));
    }
}
