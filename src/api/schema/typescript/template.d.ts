// Made from the operations and their types by `UPDATE_GOLDEN=1 cargo test --lib`.
/**
 * The `AgentHost` Durable Object as other Workers see it. Bind it as a Durable Object of another Worker
 * (`class_name = "AgentHost"`, `script_name = "snapshotter"`), name an object after your session, and call:
 *
 * ```ts
 * const host = env.AGENT_HOST.getByName(sessionId) as unknown as AgentHostApi;
 * ```
 *
 * Every method rejects with a `SnapshotterError`.
 */

/**
 * The error with which methods reject. `docs/errors.md` says when each code occurs. Callers get the error's own
 * properties if their compatibility date is 2026-04-21 or later, or if they set `enhanced_error_serialization`. For all
 * others, the message begins with the code and a colon.
 */
export interface SnapshotterError extends Error, ErrorBody {
  name: "SnapshotterError";
  hint: string;
}

export interface Cancellable {
  /** If aborted before the call, no work starts. Needs a runtime flag to cross RPC; `operationId` works everywhere. */
  signal?: AbortSignal;
  /** A name by which `cancel` can end the call. */
  operationId?: string;
}

export interface Repeatable {
  /**
   * 1 to 255 visible ASCII characters. For 24 hours, a repetition of the call with the same key gets the first answer.
   * A tool that only reads runs again instead. Another call with this key is `CONFLICT`, and so is a repetition while
   * the first call still runs (with `details.retryAfterMs`). A retryable error that changed nothing is not remembered.
   * More than 100,000 keys in 24 hours: `RATE_LIMITED`.
   */
  idempotencyKey?: string;
}

// TYPES

/** A session. A method rejects with `FORBIDDEN` if the caller's scopes don't allow it. */
export interface SessionApi {
  // METHODS
  /**
   * The same session with only these scopes, and without `open`, for code that is trusted less. A restricted handle can
   * only be restricted further. Dispose of the handle like any stub (`using`).
   */
  restricted(scopes: Scope[]): Promise<RestrictedHost> | RestrictedHost;
  /** `restricted(["read"])`: can read everything and change nothing. */
  asReadOnly(): Promise<RestrictedHost> | RestrictedHost;
}

/** The interface of `AgentHost` itself, which is unrestricted. */
export interface AgentHostApi extends SessionApi {}

/** A session with fewer scopes. */
export interface RestrictedHost extends SessionApi, Disposable {}
