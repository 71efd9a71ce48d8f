//! Messages of a delete across sessions: from a session that may cross to the
//! session that took the snapshot.

use crate::domain::ids::{BackupId, SessionId};
use serde::{Deserialize, Serialize};

/// The request to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDelete {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding under which the other session reaches it.
    pub binding: String,
    /// The session that sends the request.
    pub asker: SessionId,
    /// Delete it even if it is pinned or published, or if a workspace needs it to
    /// wake: one that sleeps, has no autosave, or belongs to a third session.
    pub force: bool,
}

/// What the owner answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDeleted {
    /// Whether the owner's catalogue had the snapshot, and so deleted it. If
    /// not, no session keeps it.
    pub known: bool,
}
