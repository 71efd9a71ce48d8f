//! A snapshot in the form that retention examines: why it is kept or deleted, and what protects it.
//! The catalogue finds the snapshots that are due (`session::catalogue::retention::due`).

use crate::domain::{BackupId, SandboxId, SnapshotTrigger};
use serde::{Deserialize, Serialize};

/// A ready snapshot, in the form that retention examines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The snapshot's id.
    pub id: BackupId,
    /// The workspace that it was taken from.
    pub origin: SandboxId,
    /// Order of creation, for snapshots with the same time.
    pub seq: i64,
    /// Creation time, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Expiry time, in milliseconds since the epoch. None if the snapshot never expires.
    pub expires_at_ms: Option<i64>,
    /// Size of the archive, in bytes.
    pub size_bytes: u64,
    /// Why the snapshot was taken. A named automatic snapshot counts as manual.
    pub trigger: SnapshotTrigger,
    /// Whether the session pinned the snapshot.
    pub pinned: bool,
    /// Whether a workspace would wake from the snapshot.
    pub head: bool,
    /// Whether a workspace is being made from the snapshot.
    pub being_read: bool,
    /// The time until which the snapshot is kept because a rebuild put it back, in milliseconds
    /// since the epoch. A rebuild can't know whether it was a workspace's head.
    pub rebuilt_until_ms: Option<i64>,
    /// Whether the snapshot is the last save of a retired workspace.
    pub retired: bool,
}

/// Why a snapshot is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum KeepReason {
    /// It is the session's latest snapshot, or its latest requested one.
    Newest,
    /// Its session pinned it.
    Pinned,
    /// A workspace would wake from it.
    Head,
    /// A workspace is being made from it.
    BeingRead,
    /// A rebuild put it back less than a week ago.
    Rebuilt,
    /// It is the last save of a retired workspace, and has not expired.
    Retired,
    /// It is among the latest that `keepLast` keeps.
    KeepLast,
    /// It is the latest of its day.
    KeepDaily,
    /// It has not expired, and no rule deletes it.
    Unexpired,
}

/// Why a snapshot is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DeleteReason {
    /// It has expired.
    Expired,
    /// No keep rule covers it.
    Superseded,
    /// There are later autosaves.
    SupersededAutosave,
    /// There are more snapshots than the policy allows.
    MaxCount,
    /// The snapshots are larger than the policy allows.
    MaxBytes,
    /// An operator's prune rule covers it.
    Operator,
}

/// What becomes of one snapshot, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "verdict", content = "reason", rename_all = "camelCase")]
pub enum Verdict {
    /// It stays.
    Keep(KeepReason),
    /// It is deleted.
    Delete(DeleteReason),
}

/// A limit that can't be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Exceeded {
    /// `maxCount`.
    MaxCount,
    /// `maxBytes`.
    MaxBytes,
}

/// Why a snapshot may not be deleted. None if it may. `newest` says whether it is the newest
/// snapshot, or the newest requested one.
#[must_use]
pub fn protection(newest: bool, candidate: &Candidate, now_ms: i64) -> Option<KeepReason> {
    let rebuilt = candidate.rebuilt_until_ms.is_some_and(|at_ms| at_ms > now_ms);
    let unexpired = candidate.expires_at_ms.is_none_or(|at_ms| at_ms > now_ms);
    [
        (candidate.being_read, KeepReason::BeingRead),
        (candidate.head, KeepReason::Head),
        (candidate.pinned, KeepReason::Pinned),
        (newest, KeepReason::Newest),
        (rebuilt, KeepReason::Rebuilt),
        (candidate.retired && unexpired, KeepReason::Retired),
    ]
    .into_iter()
    .find_map(|(holds, reason)| holds.then_some(reason))
}
