//! Loans: what the session that took a snapshot is asked by one that reads it.
//!
//! As long as a loan stands, the owner does not delete the snapshot: while it
//! is read not at all, while a workspace would wake from it only by force.

use super::backup::BackupHandle;
use super::ids::{BackupId, SandboxId, SessionId};
use serde::{Deserialize, Serialize};

/// What a borrower wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoanWish {
    /// To read it, because it is published.
    Claim,
    /// To read it, because the operator lets the borrower cross.
    Cross,
    /// To go on: its workspace would wake from it.
    Keep,
    /// To end the loan.
    Return,
}

/// What a borrower sends the owner. A loan is named by the snapshot and the
/// workspace that it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoanRequest {
    /// The snapshot.
    pub backup_id: BackupId,
    /// R2 binding that the borrower reads it by.
    pub binding: String,
    /// The session that borrows.
    pub borrower: SessionId,
    /// Its workspace.
    pub sandbox_id: SandboxId,
    /// What it wants.
    pub wish: LoanWish,
}

/// What the owner answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lent {
    /// What to restore; of a loan that ends, nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<BackupHandle>,
}
