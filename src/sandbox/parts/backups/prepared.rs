//! The archives of the restore that is expected next.

use crate::domain::ids::InstanceId;
use crate::domain::snapshot::chain::Chain;
use std::cell::RefCell;

/// The archives of a backup on the container's disk, extracted beside the full one.
pub(crate) struct PreparedArchives {
    pub(crate) archives: Chain,
    pub(crate) instance: InstanceId,
    pub(crate) path: String,
}

#[derive(Default)]
pub(crate) struct PreparedRestore(RefCell<Option<PreparedArchives>>);

impl PreparedRestore {
    pub(crate) fn set(&self, prepared: PreparedArchives) {
        *self.0.borrow_mut() = Some(prepared);
    }

    /// Forgets archives that a script removes.
    pub(crate) fn forget(&self) {
        self.0.take();
    }

    /// Returns the path of the full archive that was prepared for this restore, if any.
    pub(crate) fn take(&self, archives: &Chain, instance: &InstanceId) -> Option<String> {
        let prepared = self.0.take()?;
        let fits = prepared.archives == *archives && prepared.instance == *instance;
        fits.then_some(prepared.path)
    }
}
