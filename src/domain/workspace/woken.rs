//! The files with which a workspace woke.

use crate::domain::snapshot::flat_ids;
use crate::domain::{BackupId, WorkspaceRef};
use serde::{Deserialize, Serialize};

/// What a workspace woke with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Woken {
    /// The workspace.
    #[serde(flatten, with = "flat_ids::placed_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::PlacedWithId"))]
    pub workspace: WorkspaceRef,
    /// The snapshot that its files came from, or null if it began empty.
    pub from_snapshot_id: Option<BackupId>,
    /// When that snapshot was taken, in RFC 3339, or null.
    pub saved_at: Option<String>,
    /// How old that snapshot was at the wake, in seconds, or null.
    pub age_seconds: Option<i64>,
    /// Where files that were already in the workspace's directory were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_aside: Option<String>,
    /// The same as text.
    pub message: String,
}
