//! Which backups and restores are to end.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::BackupId;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The backups and restores of this object, and whether each is to end.
#[derive(Clone, Default)]
pub(crate) struct Stoppable(Rc<RefCell<BTreeMap<BackupId, bool>>>);

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

    /// Has a backup or restore end. False if there is none.
    pub(crate) fn end(&self, id: &BackupId) -> bool {
        match self.0.borrow_mut().get_mut(id) {
            Some(is_to_end) => {
                *is_to_end = true;
                true
            }
            None => false,
        }
    }

    /// # Errors
    /// `ABORTED` if it is to end.
    pub(crate) fn check(&self, id: &BackupId) -> Result<()> {
        if self.0.borrow().get(id) == Some(&true) { Err(aborted()) } else { Ok(()) }
    }
}

impl Running {
    /// Answers `ABORTED` in place of what the end of its script looks like.
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
