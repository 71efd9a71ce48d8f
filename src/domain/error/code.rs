//! The error codes, their names and their hints.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Error codes, stable and published. `docs/errors.md` has their statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// A value breaks its schema or a rule; the message names the field.
    InvalidArgument,
    /// The token is missing or wrong.
    Unauthenticated,
    /// The token is valid but lacks the scope.
    Forbidden,
    /// The snapshot is not this session's, or does not exist; the answer is the
    /// same for both.
    SnapshotNotOwned,
    /// The workspace is not this session's, or does not exist.
    WorkspaceNotOwned,
    /// `allowCrossSession` without the operator's permission.
    CrossSessionDisabled,
    /// No such session, file or operation.
    NotFound,
    /// The state forbids it: name taken, policy changed, being read.
    Conflict,
    /// The container ended during the call; the next call wakes the workspace.
    WorkspaceLost,
    /// The snapshot's time to live has passed.
    SnapshotExpired,
    /// The archive or its `meta.json` is missing from R2.
    SnapshotGone,
    /// The active workspace, or the workspace's head, is not the expected one.
    PreconditionFailed,
    /// A body or result exceeds a documented limit.
    TooLarge,
    /// A limit of the session is reached.
    QuotaExceeded,
    /// Too many calls; `details.retryAfterMs` says when to retry.
    RateLimited,
    /// The caller's signal or `cancel` ended the call.
    Aborted,
    /// The session lacks the module, or the image cannot do it.
    Unsupported,
    /// Archive tool or upload failed.
    BackupFailed,
    /// Download or extraction failed.
    RestoreFailed,
    /// Size or checksum differs from the record.
    Integrity,
    /// A binding, variable or secret is missing; the message says which.
    NotConfigured,
    /// Container or R2 does not respond.
    Unavailable,
    /// The object restarted during the call; the message says what holds now.
    Interrupted,
    /// A bug; `details.incidentId` finds it in the log.
    Internal,
}

impl ErrorCode {
    /// Every code, for tables and tests.
    pub const ALL: [Self; 24] = [
        Self::InvalidArgument,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::SnapshotNotOwned,
        Self::WorkspaceNotOwned,
        Self::CrossSessionDisabled,
        Self::NotFound,
        Self::Conflict,
        Self::WorkspaceLost,
        Self::SnapshotExpired,
        Self::SnapshotGone,
        Self::PreconditionFailed,
        Self::TooLarge,
        Self::QuotaExceeded,
        Self::RateLimited,
        Self::Aborted,
        Self::Unsupported,
        Self::BackupFailed,
        Self::RestoreFailed,
        Self::Integrity,
        Self::NotConfigured,
        Self::Unavailable,
        Self::Interrupted,
        Self::Internal,
    ];

    /// The published code, e.g. `SNAPSHOT_NOT_OWNED`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::Forbidden => "FORBIDDEN",
            Self::SnapshotNotOwned => "SNAPSHOT_NOT_OWNED",
            Self::WorkspaceNotOwned => "WORKSPACE_NOT_OWNED",
            Self::CrossSessionDisabled => "CROSS_SESSION_DISABLED",
            Self::NotFound => "NOT_FOUND",
            Self::Conflict => "CONFLICT",
            Self::WorkspaceLost => "WORKSPACE_LOST",
            Self::SnapshotExpired => "SNAPSHOT_EXPIRED",
            Self::SnapshotGone => "SNAPSHOT_GONE",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
            Self::TooLarge => "TOO_LARGE",
            Self::QuotaExceeded => "QUOTA_EXCEEDED",
            Self::RateLimited => "RATE_LIMITED",
            Self::Aborted => "ABORTED",
            Self::Unsupported => "UNSUPPORTED",
            Self::BackupFailed => "BACKUP_FAILED",
            Self::RestoreFailed => "RESTORE_FAILED",
            Self::Integrity => "INTEGRITY",
            Self::NotConfigured => "NOT_CONFIGURED",
            Self::Unavailable => "UNAVAILABLE",
            Self::Interrupted => "INTERRUPTED",
            Self::Internal => "INTERNAL",
        }
    }

    /// The code that `text` spells exactly.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// What to do next, unless an error has a more specific hint.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::InvalidArgument => "correct what the message names, and call again",
            Self::Unauthenticated => "send a valid token in the header Authorization: Bearer",
            Self::Forbidden => "use what the session and the token allow, or ask the operator",
            Self::SnapshotNotOwned => "list the session's snapshots and use one of those",
            Self::WorkspaceNotOwned => "list the session's workspaces and use one of those",
            Self::CrossSessionDisabled => "leave allowCrossSession out",
            Self::NotFound => "list what exists and use one of those",
            Self::Conflict | Self::PreconditionFailed => {
                "check the current state, then decide again"
            }
            Self::WorkspaceLost => {
                "call again; if that fails too, restore a snapshot or start fresh"
            }
            Self::SnapshotExpired | Self::SnapshotGone => "choose another snapshot of the session",
            Self::TooLarge => "send or request less at once, in parts",
            Self::QuotaExceeded => "remove what you no longer need, then call again",
            Self::RateLimited => "wait for retryAfterMs, then call less often",
            Self::Aborted => "call again if you still need it",
            Self::Unsupported => "use another method, or an image that supports it",
            Self::BackupFailed => "call again when fewer files change",
            Self::RestoreFailed => "call again; if that fails too, choose another snapshot",
            Self::Integrity => "choose another snapshot, and tell the operator",
            Self::NotConfigured => "ask the operator to configure it",
            Self::Unavailable => "wait a little, then call again",
            Self::Interrupted => "check the current state, then call again",
            Self::Internal => "check the current state; report details.incidentId to the operator",
        }
    }

    /// Whether the same call may succeed later without any change.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::BackupFailed
                | Self::RestoreFailed
                | Self::Unavailable
                | Self::Interrupted
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
