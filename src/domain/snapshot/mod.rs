//! A snapshot in the catalogue, and its states.

pub mod annotations;
pub mod archive;
pub mod backup;
pub mod cause;
pub mod chain;
pub mod flat_ids;
pub mod labels;
pub mod lease;
pub mod meta;
pub mod ownership;
pub mod prune;
pub mod query;
pub mod rebuild;
pub mod refs;
pub mod retention;
pub mod selector;
pub mod summary;
pub mod turn;

use crate::domain::limits::TTL_MAX_SECS;
use crate::domain::snapshot::backup::{expires_at_ms, is_expired};
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::time::rfc3339;
use crate::domain::{
    Annotations, BackupDir, BackupHandle, BackupId, Cause, Error, ErrorCode, GitState, MachinePart,
    Next, Result, SandboxId, SnapshotKind, SnapshotRef,
};
use serde::{Deserialize, Serialize};

pub use crate::domain::snapshot::backup::SnapshotTrigger;

/// Where a snapshot is in its life. Persisted before each effect, so that a
/// crash leaves a row that says what was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SnapshotState {
    /// Being taken; nothing may exist in R2 yet.
    Pending,
    /// R2 holds archive and `meta.json`.
    Ready,
    /// Being deleted; `meta.json` may already be gone.
    Deleting,
    /// Deleted for everybody. R2 keeps the archive while a layer needs it.
    Held,
    /// As `Held`, and no layer needs the archive any more.
    Released,
    /// Gone from R2. Kept so that deleting again succeeds.
    Deleted,
    /// R2 lacks something that the snapshot needs. The rest stays for some days: if the missing
    /// objects are put back, the snapshot is ready again.
    Lost,
    /// It was not taken, or R2 has lost it for good.
    Failed,
}

impl SnapshotState {
    /// Whether it is deleted for everybody, even if R2 still has objects of it.
    #[must_use]
    pub const fn is_deleted(self) -> bool {
        matches!(self, Self::Held | Self::Released | Self::Deleted)
    }

    /// The state as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Deleting => "deleting",
            Self::Held => "held",
            Self::Released => "released",
            Self::Deleted => "deleted",
            Self::Lost => "lost",
            Self::Failed => "failed",
        }
    }
}

/// The state as it is shown: what is stored, and whether its time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShownState {
    /// Being taken.
    Pending,
    /// R2 holds it.
    Ready,
    /// R2 still holds it, and it cannot be restored any more.
    Expired,
    /// Being deleted.
    Deleting,
    /// Gone.
    Deleted,
    /// Was not taken, or was lost.
    Failed,
}

impl ShownState {
    /// The state as shown to callers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Expired => "expired",
            Self::Deleting => "deleting",
            Self::Deleted => "deleted",
            Self::Failed => "failed",
        }
    }
}

/// One row of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Order of creation within the session.
    pub seq: i64,
    /// The snapshot's id, and the name of its folder in R2.
    pub id: BackupId,
    /// R2 binding of its bucket.
    pub binding: String,
    /// Sandbox that it was taken from.
    pub origin_sandbox_id: SandboxId,
    /// Directory that it captured.
    pub dir: BackupDir,
    /// The session's annotations.
    pub annotations: Annotations,
    /// The archives below this layer. While pending: those on which it may become one.
    pub chain: Chain,
    /// Why the snapshot was taken.
    pub cause: Cause,
    /// State.
    pub state: SnapshotState,
    /// What `createBackup` returned; set when ready.
    pub handle: Option<BackupHandle>,
    /// Last snapshot that equalled the workspace before this one was taken.
    pub parent_id: Option<BackupId>,
    /// Creation time, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Time to live in seconds.
    pub ttl_secs: u64,
    /// Size of the archive in bytes; set when ready.
    pub size_bytes: Option<u64>,
    /// SHA-256 of the archive; set when ready, if recorded.
    pub sha256: Option<String>,
    /// The git repository at the root of the directory; set when ready.
    pub git: Option<GitState>,
    /// The machine that was saved with the snapshot. While pending: the one that it may share.
    pub machine: Option<MachinePart>,
    /// Whether the use of the session renews the time to live.
    pub renews: bool,
    /// Whether the snapshot is kept regardless of its time to live and the policy.
    pub pinned: bool,
    /// Whether other sessions may claim the snapshot.
    pub published: bool,
    /// Number of edits since `meta.json` last contained all of them.
    pub unsynced_edits: i64,
    /// When a rebuild put the snapshot back, in milliseconds since the epoch.
    pub rebuilt_at_ms: Option<i64>,
    /// When its workspace was retired, in milliseconds since the epoch, if this is its last save.
    pub retired_at_ms: Option<i64>,
}

impl Snapshot {
    /// The ref that names this snapshot.
    #[must_use]
    pub fn to_ref(&self) -> SnapshotRef {
        SnapshotRef::new(self.id.clone(), self.dir.clone(), Some(self.origin_sandbox_id.clone()))
    }

    /// Kind of archive.
    #[must_use]
    pub const fn kind(&self) -> SnapshotKind {
        if self.chain.is_empty() { SnapshotKind::Full } else { SnapshotKind::Layer }
    }

    /// The snapshot's own archive, for the chain of a layer on it, once size and hash are known.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        let (size_bytes, sha256) = (self.size_bytes?, self.sha256.clone()?);
        Some(Part { id: self.id.clone(), size_bytes, sha256 })
    }

    /// The bytes in R2 for this snapshot alone.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let own = self.machine.as_ref().filter(|machine| machine.id == self.id);
        self.size_bytes.unwrap_or(0).saturating_add(own.map_or(0, |machine| machine.size_bytes))
    }

    /// Whether the workspace can wake from it. A safety snapshot has files that a rewind replaced,
    /// and an import has files that were never the workspace's.
    #[must_use]
    pub fn is_way_back(&self) -> bool {
        !matches!(self.cause.trigger, SnapshotTrigger::Safety | SnapshotTrigger::Import)
    }

    /// Whether the snapshot has expired.
    #[must_use]
    pub fn is_expired(&self, now_ms: i64) -> bool {
        is_expired(now_ms, self.created_at_ms, self.effective_ttl_secs())
    }

    /// The trigger. Named snapshots of autosaves and turns count as manual.
    #[must_use]
    pub const fn counts_as(&self) -> SnapshotTrigger {
        match self.cause.trigger {
            SnapshotTrigger::Auto | SnapshotTrigger::Turn if self.annotations.name.is_some() => {
                SnapshotTrigger::Manual
            }
            trigger => trigger,
        }
    }

    /// The time to live, which is the longest possible while pinned.
    #[must_use]
    pub const fn effective_ttl_secs(&self) -> u64 {
        if self.pinned { TTL_MAX_SECS } else { self.ttl_secs }
    }

    /// When the snapshot expires, in milliseconds since the epoch.
    #[must_use]
    pub fn expires_at_ms(&self) -> i64 {
        expires_at_ms(self.created_at_ms, self.effective_ttl_secs())
    }

    /// The state as shown to callers.
    #[must_use]
    pub fn shown_state(&self, now_ms: i64) -> ShownState {
        match self.state {
            SnapshotState::Pending => ShownState::Pending,
            SnapshotState::Ready if self.is_expired(now_ms) => ShownState::Expired,
            SnapshotState::Ready => ShownState::Ready,
            SnapshotState::Deleting => ShownState::Deleting,
            SnapshotState::Held | SnapshotState::Released | SnapshotState::Deleted => {
                ShownState::Deleted
            }
            SnapshotState::Lost | SnapshotState::Failed => ShownState::Failed,
        }
    }

    /// The handle for a restore, if possible now.
    ///
    /// # Errors
    /// `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE` or `CONFLICT`, with a hint.
    pub fn restorable(&self, now_ms: i64) -> Result<&BackupHandle> {
        match self.state {
            SnapshotState::Pending => Err(Error::new(
                ErrorCode::Conflict,
                format!("snapshot {} is still being taken", self.id),
            )
            .with_hint("wait for the call that takes it, or list snapshots until it is ready")),
            SnapshotState::Lost
            | SnapshotState::Failed
            | SnapshotState::Deleting
            | SnapshotState::Held
            | SnapshotState::Released
            | SnapshotState::Deleted => Err(self.gone()),
            SnapshotState::Ready if self.is_expired(now_ms) => {
                Err(expired(&self.id, self.expires_at_ms()))
            }
            SnapshotState::Ready => self.handle.as_ref().ok_or_else(|| {
                Error::internal(format!("ready snapshot {} has no handle", self.id))
            }),
        }
    }

    /// The error for a snapshot whose archive is gone or was never completed.
    #[must_use]
    pub fn gone(&self) -> Error {
        let why = match (self.state, &self.handle) {
            (SnapshotState::Failed, None) => "was never completed",
            (SnapshotState::Lost | SnapshotState::Failed, Some(_)) => "is no longer whole in R2",
            _ => "has been deleted",
        };
        gone(&self.id, why)
    }
}

/// The error for a snapshot whose archive is gone.
#[must_use]
pub fn gone(id: &BackupId, why: &str) -> Error {
    Error::new(ErrorCode::SnapshotGone, format!("snapshot {id} {why}"))
        .with_hint(Next::ChooseSnapshot)
}

/// The error for an expired snapshot.
#[must_use]
pub fn expired(id: &BackupId, expires_at_ms: i64) -> Error {
    Error::new(
        ErrorCode::SnapshotExpired,
        format!(
            "snapshot {id} expired at {} (a snapshot counts as expired one minute early)",
            rfc3339(expires_at_ms)
        ),
    )
    .with_hint("choose another snapshot, and take later ones with a larger ttlSeconds")
}

#[cfg(test)]
mod tests;
