//! How much a session stores.

use crate::domain::SessionId;
use serde::{Deserialize, Serialize};

/// A number of snapshots, and the size of their archives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    /// Number of snapshots.
    pub count: u64,
    /// Size of their archives.
    #[serde(alias = "bytes")]
    pub size_bytes: u64,
}

impl Stored {
    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            size_bytes: self.size_bytes.saturating_add(other.size_bytes),
        }
    }

    /// The difference, at least 0.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_sub(other.count),
            size_bytes: self.size_bytes.saturating_sub(other.size_bytes),
        }
    }
}

/// What a session keeps, by its catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionUsage {
    /// The session.
    pub session: SessionId,
    /// All snapshots that R2 holds, expired ones included.
    pub snapshots: Stored,
    /// Snapshots that were taken automatically.
    pub automatic: Stored,
    /// Pinned snapshots.
    pub pinned: Stored,
    /// Deleted snapshots whose archives other snapshots still need.
    pub held: Stored,
    /// Number of snapshots being taken or deleted; R2 may hold parts of them.
    pub unfinished_count: u64,
    /// Workspaces that are not destroyed.
    pub workspace_count: u64,
    /// When a workspace was last used, in RFC 3339; null without workspaces.
    pub last_used_at: Option<String>,
}
