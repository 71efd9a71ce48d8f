//! Leases: what a session that reads another session's snapshot asks its owner.
//!
//! While a lease stands, the owner does not delete the snapshot: not at all
//! while it is read, and only by force while a workspace would wake from it.

use crate::domain::ids::{BackupId, SandboxId, SessionId};
use crate::domain::snapshot::backup::BackupHandle;
use serde::{Deserialize, Serialize};

/// What a borrower asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseAction {
    /// To read it, because it is published.
    Claim,
    /// To read it, because the operator lets the borrower cross.
    Cross,
    /// To keep it: its workspace would wake from it.
    Keep,
    /// To end the lease.
    Return,
}

/// What a borrower sends the owner. The snapshot and the borrowing workspace
/// identify a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaseRequest {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding that the borrower reads it by.
    pub binding: String,
    /// The session that borrows.
    pub borrower: SessionId,
    /// Its workspace.
    pub sandbox_id: SandboxId,
    /// What it asks for.
    pub action: LeaseAction,
}

/// What the owner answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseAnswer {
    /// What to restore. None where the lease ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<BackupHandle>,
}
