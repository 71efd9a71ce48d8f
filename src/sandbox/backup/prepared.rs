//! The archives of the restore that is expected next.

use crate::domain::ids::InstanceId;
use crate::domain::snapshot::chain::Chain;

/// The archives of a backup on the container's disk, extracted beside the full one.
pub(crate) struct Prepared {
    pub(crate) archives: Chain,
    pub(crate) instance: InstanceId,
    /// Path of the full archive.
    pub(crate) path: String,
}
