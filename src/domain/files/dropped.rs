//! Files that an import leaves out.

use serde::{Deserialize, Serialize};

/// How many entries of an archive lost something in an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DroppedByImport {
    /// Entries that another user or group than root owned. Root owns them now; a snapshot keeps
    /// them.
    pub owners: u64,
    /// Entries with setuid, setgid or sticky bits. A snapshot keeps sticky bits.
    pub special_bits: u64,
    /// Entries with extended attributes other than `user.*`, such as capabilities.
    pub attributes: u64,
}
