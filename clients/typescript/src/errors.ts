import { METHODS } from "./generated/methods.ts";
import type { ErrorBody, ErrorCode, Instruction, Outcome } from "./generated/openapi.ts";

/** Codes of errors that are no answer of Snapshotter. */
export type ClientErrorCode = "NO_ANSWER" | "TIMED_OUT" | "UNEXPECTED_ANSWER";

/** The fields of an error, whether Snapshotter answered it or not. */
export type ErrorFields = Omit<ErrorBody, "code"> & { code: ErrorCode | ClientErrorCode };

/** A hint, by default with the session's methods where it names operations. */
export function say({ text, arguments: values = {} }: Instruction, nameOf = ownName): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => (Object.hasOwn(values, name) ? values[name]! : nameOf(name)));
}

function ownName(operation: string): string {
  if (Object.hasOwn(METHODS, operation)) return `session.${METHODS[operation]}()`;
  return operation.startsWith("workspace_") ? `session.callTool("${operation}")` : operation;
}

/**
 * What every call rejects with, unless its signal aborted it. Each code has a subclass: `CONFLICT` is a `ConflictError`.
 * docs/errors.md says when each code occurs.
 */
export class SnapshotterError extends Error {
  readonly code: ErrorCode | ClientErrorCode;
  /** What to do next. */
  readonly hint: string;
  /** The hint as a template, if it names operations: see `say`. */
  readonly next: Instruction | undefined;
  /** Status of the answer. Undefined without an answer, and for an error within an answer. */
  readonly status: number | undefined;
  /** The same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** What the failed call left: nothing, its effect, or unknown. */
  readonly outcome: Outcome;
  readonly details: Record<string, unknown>;

  constructor(fields: ErrorFields, status?: number, options?: ErrorOptions) {
    super(`${fields.code}: ${fields.message}`, options);
    this.name = "SnapshotterError";
    this.code = fields.code;
    this.hint = fields.hint ?? "";
    this.next = fields.next ?? undefined;
    this.status = status;
    this.retryable = fields.retryable;
    this.outcome = fields.outcome;
    this.details = (fields.details ?? {}) as Record<string, unknown>;
  }

  /** When to call again, in milliseconds, if the answer says so. */
  get retryAfterMs(): number | undefined {
    const { retryAfterMs } = this.details;
    return typeof retryAfterMs === "number" ? retryAfterMs : undefined;
  }
}

/** `NO_ANSWER`: the connection failed or was cut. */
export class NoAnswerError extends SnapshotterError {
  declare readonly code: "NO_ANSWER";

  constructor(request: string, cause: unknown) {
    const hint = "Check the address and the network. Then check the present state: the call may have had its effect.";
    // Node.js has the reason one level down.
    const { cause: reason = cause } = cause instanceof Error ? cause : {};
    const message = `${request} got no answer: ${reason instanceof Error ? reason.message : String(reason)}`;
    super({ code: "NO_ANSWER", message, hint, retryable: true, outcome: "unknown" }, undefined, { cause });
  }
}

/** `TIMED_OUT`: the call's `deadlineMs` have passed. */
export class TimedOutError extends SnapshotterError {
  declare readonly code: "TIMED_OUT";

  constructor(request: string, deadlineMs: number) {
    const hint = "Check the present state, or call again with a longer deadlineMs.";
    super({ code: "TIMED_OUT", message: `${request} took more than ${deadlineMs} ms`, hint, retryable: true, outcome: "unknown" });
  }
}

/** `UNEXPECTED_ANSWER`: something other than Snapshotter answered, such as a proxy. */
export class UnexpectedAnswerError extends SnapshotterError {
  declare readonly code: "UNEXPECTED_ANSWER";

  constructor(request: string, status: number, text: string) {
    const message = `${request} answered ${status}: ${text.slice(0, 200)}`;
    const hint = "Check that the address is Snapshotter's, without a path, and what is between.";
    super({ code: "UNEXPECTED_ANSWER", message, hint, retryable: status >= 500, outcome: "unknown" }, status);
  }
}
