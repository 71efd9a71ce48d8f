//! Leases: another session's hold on a snapshot. The owner does not delete the snapshot while it is
//! read, and only by force while a workspace would wake from it.

use crate::domain::{BackupHandle, BackupId, SandboxId, SessionId};
use serde::{Deserialize, Serialize};

/// The purpose of a lease request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseAction {
    /// Read the snapshot, because it is published.
    Claim,
    /// Read the snapshot, because the operator lets the borrower cross.
    Cross,
    /// Keep the snapshot, because the borrower's workspace would wake from it.
    Keep,
    /// End the lease.
    Return,
}

/// The borrower's request. The snapshot and the borrowing workspace identify a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseRequest {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding through which the borrower reads.
    pub binding: String,
    /// The borrowing session.
    pub borrower: SessionId,
    /// The borrower's workspace.
    pub sandbox_id: SandboxId,
    /// Purpose of the request.
    pub action: LeaseAction,
}

/// The owner's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseAnswer {
    /// For restoring the snapshot. None if the lease ends, or the owner has no handle yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<BackupHandle>,
}

// Deletes across sessions: from a session that may cross, to the one that took the snapshot.

/// The request to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDelete {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding through which the sender reaches it.
    pub binding: String,
    /// The session that sends the request.
    pub asker: SessionId,
    /// Also delete it if it is pinned or published, or if a workspace wakes from it: a sleeping
    /// one, one without autosave, or a third session's.
    pub force: bool,
}

/// The owner's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnDeleted {
    /// Whether the owner's catalogue had it. If not, no session has it.
    pub known: bool,
}
