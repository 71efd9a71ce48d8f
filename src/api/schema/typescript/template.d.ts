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
 * What a method rejects with; `docs/errors.md` says when each code occurs. Its own properties reach callers whose
 * compatibility date is 2026-04-21 or later, or that set `enhanced_error_serialization`; for all others the message
 * begins with the code and a colon.
 */
export interface SnapshotterError extends Error, ErrorBody {
  name: "SnapshotterError";
  hint: string;
}

export interface Cancellable {
  /** Aborted before the call: no work starts. Needs a runtime flag to cross RPC; `operationId` works everywhere. */
  signal?: AbortSignal;
  /** Name to `cancel` the call by. */
  operationId?: string;
}

export interface Repeatable {
  /**
   * 1 to 255 visible ASCII characters. A repetition of the same call under it gets the first one's answer, for 24 hours;
   * another call under it, or one while the first still runs, is `CONFLICT` (the latter with `details.retryAfterMs`). An
   * error that is retryable and left nothing is not remembered. More than 100,000 in 24 hours: `RATE_LIMITED`.
   */
  idempotencyKey?: string;
}

// TYPES

/** A session. Each method answers `FORBIDDEN` where the caller's scopes don't allow it. */
export interface SessionApi {
  // METHODS
  /**
   * The same session with only these scopes, and without `open`: to pass on to code that is trusted less. Of a
   * restricted handle it can only narrow. Dispose of it as of any stub (`using`).
   */
  restricted(scopes: Scope[]): Promise<RestrictedHost> | RestrictedHost;
  /** `restricted(["read"])`: looks at everything and changes nothing. */
  asReadOnly(): Promise<RestrictedHost> | RestrictedHost;
}

/** What `AgentHost` itself is: unrestricted. */
export interface AgentHostApi extends SessionApi {}

/** A session with fewer scopes. */
export interface RestrictedHost extends SessionApi, Disposable {}
