//! Ids that calls of this object work on, and snapshots that they read.

use crate::domain::{BackupId, Result};
use crate::session::parts::Context;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// What calls of this object work on now. In memory only: a row in an unfinished
/// state that no call works on was left by a crash.
pub struct InFlight {
    context: Rc<Context>,
    /// Backup and sandbox ids that a call of this object works on.
    pub(crate) working: InUse<String>,
    /// Ids among them that the alarm autosaves: a destroying close may interrupt these.
    pub(crate) by_alarm: InUse<String>,
    /// Rows of new workspaces record the snapshots that these are made from.
    reading: InUse<BackupId>,
}

impl InFlight {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self {
            context,
            working: InUse::default(),
            by_alarm: InUse::default(),
            reading: InUse::default(),
        }
    }

    pub(crate) fn work_on(&self, id: &str) -> InUseGuard<'_, String> {
        self.working.begin(id.to_owned())
    }

    pub(crate) fn read(&self, id: &BackupId) -> InUseGuard<'_, BackupId> {
        self.reading.begin(id.clone())
    }

    /// Whether a call reads it, a workspace is being made from it, or a running rewind needs it.
    pub(crate) fn is_source(&self, id: &BackupId) -> Result<bool> {
        Ok(self.reading.has(id) || self.context.catalogue.is_source(id)?)
    }

    /// As [`Self::is_source`], or the snapshot or one below it is becoming full.
    pub(crate) fn is_being_read(&self, id: &BackupId) -> Result<bool> {
        Ok(self.reading.has(id) || self.context.catalogue.is_being_read(id)?)
    }

    /// Snapshots that nothing may delete: heads, those being read, and lent ones.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn snapshots_in_use(&self) -> Result<BTreeSet<BackupId>> {
        let mut ids = self.snapshots_in_own_use()?;
        ids.extend(self.context.catalogue.lent(self.context.now_ms())?);
        Ok(ids)
    }

    /// As [`Self::snapshots_in_use`], without those that are only lent.
    pub(crate) fn snapshots_in_own_use(&self) -> Result<BTreeSet<BackupId>> {
        let mut ids = self.context.catalogue.snapshots_in_use()?;
        ids.extend(self.reading.all());
        Ok(ids)
    }

    pub(crate) fn is_worked_on(&self, id: &str) -> bool {
        self.working.has(&id.to_owned())
    }
}

/// Items in use, listed once per use. In memory only: calls and their uses end with the object.
pub(crate) struct InUse<T> {
    items: RefCell<Vec<T>>,
    waiting: RefCell<Vec<Waker>>,
}

#[must_use]
pub(crate) struct InUseGuard<'a, T: PartialEq> {
    in_use: &'a InUse<T>,
    item: T,
}

impl<T> Default for InUse<T> {
    fn default() -> Self {
        Self { items: RefCell::default(), waiting: RefCell::default() }
    }
}

impl<T: Clone + PartialEq> InUse<T> {
    pub(crate) fn begin(&self, item: T) -> InUseGuard<'_, T> {
        self.items.borrow_mut().push(item.clone());
        InUseGuard { in_use: self, item }
    }

    pub(crate) fn has(&self, item: &T) -> bool {
        self.items.borrow().contains(item)
    }

    pub(crate) fn all(&self) -> Vec<T> {
        self.items.borrow().clone()
    }

    pub(crate) async fn ended(&self, item: &T) {
        poll_fn(|context| {
            if !self.has(item) {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl<T: PartialEq> Drop for InUseGuard<'_, T> {
    fn drop(&mut self) {
        let mut items = self.in_use.items.borrow_mut();
        if let Some(position) = items.iter().position(|item| item == &self.item) {
            items.swap_remove(position);
        }
        drop(items);
        for waiting in self.in_use.waiting.take() {
            waiting.wake();
        }
    }
}
