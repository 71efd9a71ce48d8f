//! Ends a backup or a restore whose caller has given up.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::BackupId;
use crate::sandbox::SandboxService;
use crate::sandbox::exec::stop::stop;
use crate::sandbox::scripts::group_of;
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

impl SandboxService {
    /// Has the backup or the restore of that id end before its next step, and ends the
    /// script that it runs. Does nothing if there is none.
    pub(crate) async fn stop_making(&self, id: &BackupId) -> Result<()> {
        let is_running = match self.stoppable.0.borrow_mut().get_mut(id) {
            Some(is_to_end) => {
                *is_to_end = true;
                true
            }
            None => false,
        };
        if is_running && self.machine.is_running() {
            stop(&self.machine, self.ports.log.as_ref(), &self.label, &group_of(id)).await;
        }
        Ok(())
    }
}
