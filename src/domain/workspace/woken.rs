//! The files that a workspace woke with.

use crate::domain::ids::BackupId;
use crate::domain::snapshot::refs::WorkspaceRef;
use serde::{Deserialize, Serialize};

/// What a workspace woke with, for whoever uses it next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Woken {
    /// The workspace.
    pub workspace: WorkspaceRef,
    /// The snapshot that its files are of, or null: it began anew.
    pub from_snapshot_id: Option<BackupId>,
    /// When that was taken, RFC 3339, or null.
    pub saved_at: Option<String>,
    /// How old it was then, in seconds, or null.
    pub age_seconds: Option<i64>,
    /// Where what lay in the workspace's directory is now, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_aside: Option<String>,
    /// The same for people and models.
    pub message: String,
}
