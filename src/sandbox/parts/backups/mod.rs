//! The backups and restores of this object, and what earlier objects left unfinished.

pub(crate) mod prepared;
pub(crate) mod recover;
pub(crate) mod stoppable;

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::sandbox::parts::backups::prepared::PreparedRestore;
use crate::sandbox::parts::backups::stoppable::Stoppable;
use crate::sandbox::parts::context::Context;
use crate::support::fifo_mutex::{FifoGuard, FifoMutex};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

pub(crate) struct Backups {
    context: Rc<Context>,
    pub(crate) stoppable: Stoppable,
    pub(crate) prepared: PreparedRestore,
    /// Lets one backup or restore run at a time.
    mutex: FifoMutex,
    /// Lets one archive be imported at a time.
    importing: FifoMutex,
    /// Backups that a call of this object makes, or waits to make.
    making: Rc<RefCell<BTreeSet<BackupId>>>,
    /// Whether this object has cleaned up the unfinished backups of earlier ones.
    recovered: Cell<bool>,
}

/// Marks a backup as being made until the call ends, however it ends.
pub(crate) struct Making {
    id: BackupId,
    making: Rc<RefCell<BTreeSet<BackupId>>>,
}

impl Drop for Making {
    fn drop(&mut self) {
        self.making.borrow_mut().remove(&self.id);
    }
}

impl Backups {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self {
            context,
            stoppable: Stoppable::default(),
            prepared: PreparedRestore::default(),
            mutex: FifoMutex::default(),
            importing: FifoMutex::default(),
            making: Rc::default(),
            recovered: Cell::default(),
        }
    }

    /// Waits until no other backup or restore runs, and then cleans up after earlier objects.
    /// `ABORTED` if this one was told to end.
    pub(crate) async fn lock(&self, id: &BackupId) -> Result<FifoGuard> {
        let guard = self.stoppable.wait(id, self.mutex.lock()).await?;
        self.recover().await;
        Ok(guard)
    }

    /// Waits until no other archive is imported. Backups and restores may run meanwhile.
    pub(crate) async fn lock_import(&self, id: &BackupId) -> Result<FifoGuard> {
        self.stoppable.wait(id, self.importing.lock()).await
    }

    pub(crate) fn is_making(&self, id: &BackupId) -> bool {
        self.making.borrow().contains(id)
    }

    /// Reserves an id for a backup. No await in here, and none in `recover_one` between its check
    /// and its row: each sees the other's mark.
    pub(crate) fn begin_making(&self, id: &BackupId) -> Result<Making> {
        if self.context.store.knows(id)? {
            return Err(begun(id));
        }
        self.begin_making_again(id)
    }

    /// Reserves the id of a backup that exists, for another archive of it.
    pub(crate) fn begin_making_again(&self, id: &BackupId) -> Result<Making> {
        if self.is_making(id) {
            return Err(begun(id));
        }
        self.making.borrow_mut().insert(id.clone());
        Ok(Making { id: id.clone(), making: self.making.clone() })
    }
}

fn begun(id: &BackupId) -> Error {
    Error::new(ErrorCode::Conflict, format!("a backup {id} was already begun"))
}
