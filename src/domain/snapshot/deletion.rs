//! A delete across sessions: what the session that took a snapshot is asked by
//! one that may cross.

use crate::domain::ids::{BackupId, SessionId};
use serde::{Deserialize, Serialize};

/// What a session that crosses sends the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDelete {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding that the other session reaches it by.
    pub binding: String,
    /// The session that asks.
    pub asker: SessionId,
    /// Also what a workspace would wake from that sleeps or is not saved by
    /// itself, or one of a third session.
    pub force: bool,
}

/// What the owner answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDeleted {
    /// Whether its catalogue had it, and so deleted it. Else nobody keeps it.
    pub known: bool,
}
