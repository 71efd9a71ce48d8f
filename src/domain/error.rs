//! The one error of the product: a stable code, whether a retry can help, and
//! what holds after the failure.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Result of every operation of the product.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Stable, published error codes. `surface::http` maps them to statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// A value breaks its schema or rule; the message names the field.
    InvalidArgument,
    /// The token is missing or wrong.
    Unauthenticated,
    /// The token is right but lacks the scope.
    Forbidden,
    /// The snapshot is not this session's, or does not exist: same words for both.
    SnapshotNotOwned,
    /// The workspace is not this session's, or does not exist.
    WorkspaceNotOwned,
    /// `allowCrossSession` where the operator has not allowed it.
    CrossSessionDisabled,
    /// No such session, file or operation.
    NotFound,
    /// The state forbids it: name taken, policy changed, being read.
    Conflict,
    /// The container was replaced and the workspace's files are gone.
    WorkspaceLost,
    /// The snapshot's time to live has passed.
    SnapshotExpired,
    /// The archive or its `meta.json` is missing from R2.
    SnapshotGone,
    /// The expected head differs.
    PreconditionFailed,
    /// A body or result is past a documented limit.
    TooLarge,
    /// A limit of the session is reached.
    QuotaExceeded,
    /// Too many calls; `details.retryAfterMs` says when to come back.
    RateLimited,
    /// The caller's signal or `cancel`.
    Aborted,
    /// The bound sandbox or image cannot do it.
    Unsupported,
    /// Archive tool or upload failed.
    BackupFailed,
    /// Download or extraction failed.
    RestoreFailed,
    /// Size or checksum is not what was recorded.
    Integrity,
    /// A binding, variable or secret is missing; the message says which.
    NotConfigured,
    /// Container or R2 does not answer.
    Unavailable,
    /// The object restarted mid-way; the message says what holds now.
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

    /// The code as published, e.g. `SNAPSHOT_NOT_OWNED`.
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

    /// The code that `text` spells exactly, if any.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// Whether the same call may succeed later without anything being changed.
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

/// What a failed call has left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing has changed.
    None,
    /// The effect holds although the call failed.
    Committed,
    /// Not known here; the message says how to find out.
    Unknown,
}

/// An error as a caller sees it, plus its internal cause for the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Stable code.
    pub code: ErrorCode,
    /// For the caller: what happened, in its terms.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What holds now.
    pub outcome: Outcome,
    /// What to do next.
    pub hint: Option<String>,
    /// Machine-readable particulars.
    pub details: Option<Value>,
    /// For the log only; never rendered to a caller.
    pub cause: Option<String>,
}

impl Error {
    /// An error that has changed nothing.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: code.retryable(),
            outcome: Outcome::None,
            hint: None,
            details: None,
            cause: None,
        }
    }

    /// `INVALID_ARGUMENT` about one field.
    #[must_use]
    pub fn invalid(field: &str, problem: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidArgument, format!("{field}: {problem}"))
            .with_details(serde_json::json!({ "field": field }))
    }

    /// A bug: the caller gets no particulars, the log gets `cause`.
    #[must_use]
    pub fn internal(cause: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, "an internal error; the operator finds it in the log")
            .with_outcome(Outcome::Unknown)
            .with_cause(cause)
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds machine-readable particulars.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Says what holds now.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Records the internal cause for the log.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The published shape: `{ "error": { code, message, retryable, outcome, hint?, details? } }`.
    #[must_use]
    pub fn to_wire(&self) -> ErrorEnvelope {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.code,
                message: self.message.clone(),
                retryable: self.retryable,
                outcome: self.outcome,
                hint: self.hint.clone(),
                details: self.details.clone(),
            },
        }
    }
}

impl fmt::Display for Error {
    /// `CODE: message`, so that the code survives where only a message does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

/// The error object of every surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// The error itself.
    pub error: ErrorBody,
}

/// The fields of a published error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// Stable code.
    pub code: ErrorCode,
    /// For the caller.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What holds now.
    pub outcome: Outcome,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Machine-readable particulars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl From<ErrorBody> for Error {
    fn from(body: ErrorBody) -> Self {
        Self {
            code: body.code,
            message: body.message,
            retryable: body.retryable,
            outcome: body.outcome,
            hint: body.hint,
            details: body.details,
            cause: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_as_itself() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
        }
    }

    #[test]
    fn error_envelope_format_unchanged() {
        let error = Error::invalid("ttlSeconds", "must be at least 61")
            .with_hint("leave it out for 3 days")
            .with_cause("secret internals");
        assert_eq!(
            serde_json::to_string(&error.to_wire()).unwrap(),
            r#"{"error":{"code":"INVALID_ARGUMENT","message":"ttlSeconds: must be at least 61","retryable":false,"outcome":"none","hint":"leave it out for 3 days","details":{"field":"ttlSeconds"}}}"#
        );
    }
}
