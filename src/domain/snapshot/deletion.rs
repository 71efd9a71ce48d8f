//! Messages of a delete across sessions: from a session that may cross, to the session that took
//! the snapshot.

use crate::domain::{BackupId, SessionId};
use serde::{Deserialize, Serialize};

/// The request to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDelete {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding by which the sender reaches the snapshot.
    pub binding: String,
    /// The session that sends the request.
    pub asker: SessionId,
    /// Whether to delete the snapshot even if it is pinned or published, or if a workspace needs it
    /// to wake: one that sleeps, has no autosave, or belongs to a third session.
    pub force: bool,
}

/// The owner's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDeleted {
    /// Whether the owner's catalogue had the snapshot, which is then deleted. If not, no session
    /// has it.
    pub known: bool,
}
