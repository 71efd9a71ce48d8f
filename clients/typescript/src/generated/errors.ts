// Made from docs/openapi.json by clients/generate.sh.

import { SnapshotterError } from "../errors.ts";
import type { ErrorCode } from "./openapi.ts";

/** `INVALID_ARGUMENT`: A value breaks its schema or a rule; the message names the field. */
export class InvalidArgumentError extends SnapshotterError {
  declare readonly code: "INVALID_ARGUMENT";
}

/** `UNAUTHENTICATED`: The token is missing or wrong. */
export class UnauthenticatedError extends SnapshotterError {
  declare readonly code: "UNAUTHENTICATED";
}

/** `FORBIDDEN`: The token is valid but lacks the scope. */
export class ForbiddenError extends SnapshotterError {
  declare readonly code: "FORBIDDEN";
}

/** `SNAPSHOT_NOT_OWNED`: The snapshot is not this session's, or does not exist; the answer is the same for both. */
export class SnapshotNotOwnedError extends SnapshotterError {
  declare readonly code: "SNAPSHOT_NOT_OWNED";
}

/** `WORKSPACE_NOT_OWNED`: The workspace is not this session's, or does not exist. */
export class WorkspaceNotOwnedError extends SnapshotterError {
  declare readonly code: "WORKSPACE_NOT_OWNED";
}

/** `CROSS_SESSION_DISABLED`: `allowCrossSession` without the operator's permission. */
export class CrossSessionDisabledError extends SnapshotterError {
  declare readonly code: "CROSS_SESSION_DISABLED";
}

/** `NOT_FOUND`: No such session, file or operation. */
export class NotFoundError extends SnapshotterError {
  declare readonly code: "NOT_FOUND";
}

/** `CONFLICT`: The state forbids it: name taken, policy changed, being read. */
export class ConflictError extends SnapshotterError {
  declare readonly code: "CONFLICT";
}

/** `WORKSPACE_LOST`: The container ended during the call; the next call wakes the workspace. */
export class WorkspaceLostError extends SnapshotterError {
  declare readonly code: "WORKSPACE_LOST";
}

/** `SNAPSHOT_EXPIRED`: The snapshot's time to live has passed. */
export class SnapshotExpiredError extends SnapshotterError {
  declare readonly code: "SNAPSHOT_EXPIRED";
}

/** `SNAPSHOT_GONE`: The archive or its `meta.json` is missing from R2. */
export class SnapshotGoneError extends SnapshotterError {
  declare readonly code: "SNAPSHOT_GONE";
}

/** `PRECONDITION_FAILED`: The active workspace, or the workspace's head, is not the expected one. */
export class PreconditionFailedError extends SnapshotterError {
  declare readonly code: "PRECONDITION_FAILED";
}

/** `TOO_LARGE`: A body or result exceeds a documented limit. */
export class TooLargeError extends SnapshotterError {
  declare readonly code: "TOO_LARGE";
}

/** `QUOTA_EXCEEDED`: A limit of the session is reached. */
export class QuotaExceededError extends SnapshotterError {
  declare readonly code: "QUOTA_EXCEEDED";
}

/** `RATE_LIMITED`: Too many calls; `details.retryAfterMs` says when to retry. */
export class RateLimitedError extends SnapshotterError {
  declare readonly code: "RATE_LIMITED";
}

/** `ABORTED`: The caller's signal or `cancel` ended the call. */
export class AbortedError extends SnapshotterError {
  declare readonly code: "ABORTED";
}

/** `UNSUPPORTED`: The session lacks the module, or the image cannot do it. */
export class UnsupportedError extends SnapshotterError {
  declare readonly code: "UNSUPPORTED";
}

/** `BACKUP_FAILED`: Archive tool or upload failed. */
export class BackupFailedError extends SnapshotterError {
  declare readonly code: "BACKUP_FAILED";
}

/** `RESTORE_FAILED`: Download or extraction failed. */
export class RestoreFailedError extends SnapshotterError {
  declare readonly code: "RESTORE_FAILED";
}

/** `INTEGRITY`: Size or checksum differs from the record. */
export class IntegrityError extends SnapshotterError {
  declare readonly code: "INTEGRITY";
}

/** `NOT_CONFIGURED`: A binding, variable or secret is missing; the message says which. */
export class NotConfiguredError extends SnapshotterError {
  declare readonly code: "NOT_CONFIGURED";
}

/** `UNAVAILABLE`: Container or R2 does not respond. */
export class UnavailableError extends SnapshotterError {
  declare readonly code: "UNAVAILABLE";
}

/** `INTERRUPTED`: The object restarted during the call; the message says what holds now. */
export class InterruptedError extends SnapshotterError {
  declare readonly code: "INTERRUPTED";
}

/** `INTERNAL`: A bug; `details.incidentId` finds it in the log. */
export class InternalError extends SnapshotterError {
  declare readonly code: "INTERNAL";
}

export const ERRORS: Record<ErrorCode, typeof SnapshotterError> = {
  INVALID_ARGUMENT: InvalidArgumentError,
  UNAUTHENTICATED: UnauthenticatedError,
  FORBIDDEN: ForbiddenError,
  SNAPSHOT_NOT_OWNED: SnapshotNotOwnedError,
  WORKSPACE_NOT_OWNED: WorkspaceNotOwnedError,
  CROSS_SESSION_DISABLED: CrossSessionDisabledError,
  NOT_FOUND: NotFoundError,
  CONFLICT: ConflictError,
  WORKSPACE_LOST: WorkspaceLostError,
  SNAPSHOT_EXPIRED: SnapshotExpiredError,
  SNAPSHOT_GONE: SnapshotGoneError,
  PRECONDITION_FAILED: PreconditionFailedError,
  TOO_LARGE: TooLargeError,
  QUOTA_EXCEEDED: QuotaExceededError,
  RATE_LIMITED: RateLimitedError,
  ABORTED: AbortedError,
  UNSUPPORTED: UnsupportedError,
  BACKUP_FAILED: BackupFailedError,
  RESTORE_FAILED: RestoreFailedError,
  INTEGRITY: IntegrityError,
  NOT_CONFIGURED: NotConfiguredError,
  UNAVAILABLE: UnavailableError,
  INTERRUPTED: InterruptedError,
  INTERNAL: InternalError,
};
