//! The archive of the restore that is expected next.

use crate::domain::ids::{BackupId, InstanceId};

/// An archive on the container's disk, extracted beside it.
pub(crate) struct Prepared {
    pub(crate) id: BackupId,
    pub(crate) instance: InstanceId,
    pub(crate) sha256: String,
    pub(crate) path: String,
}
