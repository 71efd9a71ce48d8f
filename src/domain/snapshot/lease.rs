//! Leases: requests to a snapshot's owner by another session that reads it.
//!
//! During a lease, the owner does not delete the snapshot: never while it is being read, and only
//! by force while a workspace would wake from it.

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

/// The borrower's request to the owner. The snapshot and the borrowing
/// workspace identify a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseRequest {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding by which the borrower reads the snapshot.
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
    /// The handle for restoring the snapshot. None if the lease ends, or if the owner has not
    /// recorded the handle yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<BackupHandle>,
}

// Messages of a delete across sessions: from a session that may cross, to the session that took
// the snapshot.

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
