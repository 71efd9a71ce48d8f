//! How much a session keeps, in numbers.

use crate::domain::ids::SessionId;
use serde::{Deserialize, Serialize};

/// Snapshots, and what their archives take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Stored {
    /// Number of snapshots.
    pub count: u64,
    /// Bytes of their archives.
    pub bytes: u64,
}

impl Stored {
    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// The difference of both, at least 0.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_sub(other.count),
            bytes: self.bytes.saturating_sub(other.bytes),
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
    /// Those of them that were taken automatically.
    pub automatic: Stored,
    /// Those of them that are pinned.
    pub pinned: Stored,
    /// Deleted ones whose archives others still need.
    pub held: Stored,
    /// Being taken or deleted; R2 may hold something of them.
    pub unfinished_count: u64,
    /// Workspaces that are not destroyed.
    pub workspace_count: u64,
    /// When one of them was last used, in RFC 3339; null: there is none.
    pub last_used_at: Option<String>,
}
