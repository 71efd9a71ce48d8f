//! Options of `readTree`.

use crate::domain::ids::InstanceId;
use serde::{Deserialize, Serialize};

/// The part of a tree to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeOptions {
    /// What to read.
    pub read: TreeRead,
    /// For [`TreeRead::Differences`]: the SHA-256s of the last save's archives, joined by `+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
    /// As in [`CreateBackupOptions`](crate::ports::sandbox::CreateBackupOptions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// What to read, and what the input has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TreeRead {
    /// Input: the [records](crate::domain::tree::record) of another tree, each ended by a NUL.
    /// Output, compressed by gzip: the records that only the other tree has, after a `-`, then
    /// those that only this tree has, after a `+`. A marked file that is not proven to be the same
    /// has `?` as its time. With `saved`, `!` if the container does not know the changes since.
    Differences,
    /// Input: paths, each ended by a NUL. Output for those of files: `SHA256  PATH` and a NUL.
    Hashes,
    /// Input: paths of files, each ended by a NUL. Output for each: `SIZE LENGTH`, a newline, and
    /// the first LENGTH bytes; `- 0` if it is no file.
    Contents {
        /// Maximum bytes of a file.
        max_bytes: u64,
    },
}
