# Made from docs/openapi.json by clients/generate.sh.
from ..errors import SnapshotterError
from .types import ErrorCode

__all__ = [
    "InvalidArgumentError",
    "UnauthenticatedError",
    "ForbiddenError",
    "SnapshotNotOwnedError",
    "WorkspaceNotOwnedError",
    "CrossSessionDisabledError",
    "NotFoundError",
    "ConflictError",
    "WorkspaceLostError",
    "SnapshotExpiredError",
    "SnapshotGoneError",
    "PreconditionFailedError",
    "TooLargeError",
    "QuotaExceededError",
    "RateLimitedError",
    "AbortedError",
    "UnsupportedError",
    "BackupFailedError",
    "RestoreFailedError",
    "IntegrityError",
    "NotConfiguredError",
    "UnavailableError",
    "InterruptedError",
    "InternalError",
]


class InvalidArgumentError(SnapshotterError):
    """`INVALID_ARGUMENT`: A value breaks its schema or a rule; the message names the field."""


class UnauthenticatedError(SnapshotterError):
    """`UNAUTHENTICATED`: The token is missing or wrong."""


class ForbiddenError(SnapshotterError):
    """`FORBIDDEN`: The token is valid but lacks the scope."""


class SnapshotNotOwnedError(SnapshotterError):
    """`SNAPSHOT_NOT_OWNED`: The snapshot is not this session's, or does not exist; the answer is the same for both."""


class WorkspaceNotOwnedError(SnapshotterError):
    """`WORKSPACE_NOT_OWNED`: The workspace is not this session's, or does not exist."""


class CrossSessionDisabledError(SnapshotterError):
    """`CROSS_SESSION_DISABLED`: `allowCrossSession` without the operator's permission."""


class NotFoundError(SnapshotterError):
    """`NOT_FOUND`: No such session, file or operation."""


class ConflictError(SnapshotterError):
    """`CONFLICT`: The state forbids it: name taken, policy changed, being read."""


class WorkspaceLostError(SnapshotterError):
    """`WORKSPACE_LOST`: The container ended during the call; the next call wakes the workspace."""


class SnapshotExpiredError(SnapshotterError):
    """`SNAPSHOT_EXPIRED`: The snapshot's time to live has passed."""


class SnapshotGoneError(SnapshotterError):
    """`SNAPSHOT_GONE`: The archive or its `meta.json` is missing from R2."""


class PreconditionFailedError(SnapshotterError):
    """`PRECONDITION_FAILED`: The active workspace, or the workspace's head, is not the expected one."""


class TooLargeError(SnapshotterError):
    """`TOO_LARGE`: A body or result exceeds a documented limit."""


class QuotaExceededError(SnapshotterError):
    """`QUOTA_EXCEEDED`: A limit of the session is reached."""


class RateLimitedError(SnapshotterError):
    """`RATE_LIMITED`: Too many calls; `details.retryAfterMs` says when to retry."""


class AbortedError(SnapshotterError):
    """`ABORTED`: The caller's signal or `cancel` ended the call."""


class UnsupportedError(SnapshotterError):
    """`UNSUPPORTED`: The session lacks the module, or the image cannot do it."""


class BackupFailedError(SnapshotterError):
    """`BACKUP_FAILED`: Archive tool or upload failed."""


class RestoreFailedError(SnapshotterError):
    """`RESTORE_FAILED`: Download or extraction failed."""


class IntegrityError(SnapshotterError):
    """`INTEGRITY`: Size or checksum differs from the record."""


class NotConfiguredError(SnapshotterError):
    """`NOT_CONFIGURED`: A binding, variable or secret is missing; the message says which."""


class UnavailableError(SnapshotterError):
    """`UNAVAILABLE`: Container or R2 does not respond."""


class InterruptedError(SnapshotterError):
    """`INTERRUPTED`: The object restarted during the call; the message says what holds now."""


class InternalError(SnapshotterError):
    """`INTERNAL`: A bug; `details.incidentId` finds it in the log."""


ERRORS: dict[ErrorCode, type[SnapshotterError]] = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "UNAUTHENTICATED": UnauthenticatedError,
    "FORBIDDEN": ForbiddenError,
    "SNAPSHOT_NOT_OWNED": SnapshotNotOwnedError,
    "WORKSPACE_NOT_OWNED": WorkspaceNotOwnedError,
    "CROSS_SESSION_DISABLED": CrossSessionDisabledError,
    "NOT_FOUND": NotFoundError,
    "CONFLICT": ConflictError,
    "WORKSPACE_LOST": WorkspaceLostError,
    "SNAPSHOT_EXPIRED": SnapshotExpiredError,
    "SNAPSHOT_GONE": SnapshotGoneError,
    "PRECONDITION_FAILED": PreconditionFailedError,
    "TOO_LARGE": TooLargeError,
    "QUOTA_EXCEEDED": QuotaExceededError,
    "RATE_LIMITED": RateLimitedError,
    "ABORTED": AbortedError,
    "UNSUPPORTED": UnsupportedError,
    "BACKUP_FAILED": BackupFailedError,
    "RESTORE_FAILED": RestoreFailedError,
    "INTEGRITY": IntegrityError,
    "NOT_CONFIGURED": NotConfiguredError,
    "UNAVAILABLE": UnavailableError,
    "INTERRUPTED": InterruptedError,
    "INTERNAL": InternalError,
}
