//! Tells running backups and restores to end.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::BackupId;
use futures::future::{Either, select};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

#[derive(Default)]
struct State {
    is_to_end: bool,
    /// Another backup, whose restore is prepared meanwhile.
    prepares: Option<BackupId>,
    waiting: Vec<Waker>,
}

/// The backups and restores of this object.
#[derive(Clone, Default)]
pub(crate) struct Stoppable(Rc<RefCell<BTreeMap<BackupId, State>>>);

/// A backup or restore, until dropped.
pub(crate) struct Running {
    id: BackupId,
    all: Stoppable,
}

impl Stoppable {
    pub(crate) fn begin(&self, id: &BackupId) -> Running {
        self.0.borrow_mut().entry(id.clone()).or_default();
        Running { id: id.clone(), all: self.clone() }
    }

    /// Tells a backup or restore to end. Returns the backups that its scripts work for: none if it
    /// does not run.
    pub(crate) fn end(&self, id: &BackupId) -> Vec<BackupId> {
        let mut all = self.0.borrow_mut();
        let Some(state) = all.get_mut(id) else { return Vec::new() };
        state.is_to_end = true;
        let waiting = std::mem::take(&mut state.waiting);
        let ids = std::iter::once(id.clone()).chain(state.prepares.clone()).collect();
        drop(all);
        waiting.into_iter().for_each(Waker::wake);
        ids
    }

    /// Fails with `ABORTED` if the backup or restore was told to end.
    pub(crate) fn check(&self, id: &BackupId) -> Result<()> {
        if self.is_to_end(id) { Err(aborted()) } else { Ok(()) }
    }

    /// Notes that the restore of another backup is prepared meanwhile, unless this one was told to
    /// end.
    pub(crate) fn prepares(&self, id: &BackupId, other: &BackupId) -> Result<()> {
        self.check(id)?;
        if let Some(state) = self.0.borrow_mut().get_mut(id) {
            state.prepares = Some(other.clone());
        }
        Ok(())
    }

    /// Waits for `work`, such as the end of another backup. Fails as soon as this one is to end.
    pub(crate) async fn wait<T>(&self, id: &BackupId, work: impl Future<Output = T>) -> Result<T> {
        let ended = poll_fn(|context| {
            let mut all = self.0.borrow_mut();
            match all.get_mut(id) {
                Some(state) if state.is_to_end => return Poll::Ready(()),
                Some(state) => state.waiting.push(context.waker().clone()),
                None => {}
            }
            Poll::Pending
        });
        match select(pin!(ended), pin!(work)).await {
            Either::Left(_) => Err(aborted()),
            Either::Right((done, _)) => Ok(done),
        }
    }

    fn is_to_end(&self, id: &BackupId) -> bool {
        self.0.borrow().get(id).is_some_and(|state| state.is_to_end)
    }
}

impl Running {
    /// Returns `ABORTED` instead of the error that comes from ending its script.
    pub(crate) fn explain<T>(&self, result: Result<T>) -> Result<T> {
        match result {
            Err(error) if error.outcome == Outcome::None => {
                self.all.check(&self.id)?;
                Err(error)
            }
            other => other,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.all.0.borrow_mut().remove(&self.id);
    }
}

fn aborted() -> Error {
    Error::new(ErrorCode::Aborted, "the caller aborted; nothing was changed")
}
