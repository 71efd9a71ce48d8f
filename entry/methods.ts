import { RpcTarget } from "cloudflare:workers";
import METHODS from "./methods.json" with { type: "json" };
import { readable } from "./stream.ts";
import type * as api from "./snapshotter.d.ts";

/**
 * Controls of a call, beside its arguments. A signal crosses into this isolate as an id, by which Rust can cancel the
 * call.
 */
export type Control = { operationId?: string; idempotencyKey?: string; aborted?: boolean };

/** A stream that can cross RPC. */
export type Bytes = ReadableStream<Uint8Array>;

/** Runs one operation. It is a symbol, because a remote caller can name only strings. */
export const CALL = Symbol("call");

type Session = {
  [CALL](op: string, args: object, control: Control, stream?: Bytes, scopes?: api.Scope[]): Promise<any>;
};

/** How to call an operation as a method, from its descriptor in `src/api/operation/method.rs`. */
type Method = {
  /** Names of the positional arguments. */
  positions?: string[];
  /** Whether the last argument is an object with the other arguments and the call's control. */
  options?: boolean;
  /** Whether the first argument is a stream. */
  receives?: boolean;
  /** The field of the answer that the method resolves to. */
  field?: string;
  /** Whether the method resolves to nothing. */
  nothing?: boolean;
  /** Whether the method resolves to a stream. */
  stream?: boolean;
};

type Constructor = abstract new (...args: any[]) => object;

/**
 * The methods of a session, on top of `CALL`. A remote caller can call every method on the prototypes, so they have
 * only the published ones.
 */
export function sessionMethods<Base extends Constructor>(Base: Base) {
  abstract class SessionMethods extends Base {
    abstract [CALL](op: string, args: object, control: Control, stream?: Bytes, scopes?: api.Scope[]): Promise<any>;

    restricted(scopes: api.Scope[]): api.RestrictedHost & RpcTarget {
      return new RestrictedHost(this, scopes);
    }

    asReadOnly(): api.RestrictedHost & RpcTarget {
      return this.restricted(["read"]);
    }
  }
  for (const [op, method] of Object.entries<Method>(METHODS)) {
    const value = function (this: SessionMethods, ...args: any[]) {
      return call(this, op, method, args);
    };
    Object.defineProperty(SessionMethods.prototype, op, { value, writable: true, configurable: true });
  }
  return SessionMethods as typeof SessionMethods & (abstract new (...args: any[]) => api.SessionApi);
}

async function call(session: Session, op: string, method: Method, args: any[]): Promise<unknown> {
  const stream: Bytes | undefined = method.receives ? args.shift() : undefined;
  const named = (method.positions ?? []).map((name) => [name, args.shift()]).filter(([, value]) => value !== undefined);
  const { signal, operationId, idempotencyKey, ...options } = (method.options && args.shift()) || {};
  const input = { ...options, ...Object.fromEntries(named) };
  const answer = await abortable(session, { operationId, idempotencyKey }, signal, (control) => session[CALL](op, input, control, stream));
  if (method.nothing) return;
  if (method.stream) return readable(answer);
  return method.field === undefined ? answer : answer[method.field];
}

/** Runs a call and cancels it when its caller's signal aborts, if there is a signal. */
async function abortable(session: Session, control: Control, signal: AbortSignal | undefined, run: (control: Control) => Promise<any>) {
  if (!signal) return run(control);
  const operationId = control.operationId ?? crypto.randomUUID();
  const cancel = () => {
    // The call may have just ended; then there is nothing left to cancel.
    session[CALL]("cancel", { operationId }, {}).catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await run({ ...control, operationId, aborted: signal.aborted });
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

const SCOPES = Object.keys({ read: true, write: true, snapshot: true, admin: true } satisfies Record<api.Scope, true>);

function invalidScopes(): Error {
  const error = new Error(`INVALID_ARGUMENT: scopes: must be a list of ${SCOPES.join(", ")}`);
  const hint = "correct what the message names, and call again";
  const details = { field: "scopes" };
  return Object.assign(error, { name: "SnapshotterError", code: "INVALID_ARGUMENT", retryable: false, outcome: "none", hint, details });
}

/** The same session with fewer scopes. The session that this was made from stays private. */
export class RestrictedHost extends sessionMethods(RpcTarget) {
  readonly #session: Session;
  readonly #scopes: readonly api.Scope[];

  constructor(session: Session, scopes: readonly api.Scope[]) {
    super();
    if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope))) throw invalidScopes();
    this.#session = session;
    this.#scopes = [...scopes];
  }

  /** Grants only requested scopes that this handle already has: a handle can be narrowed, never widened. */
  override [CALL](op: string, args: object, control: Control, stream?: Bytes, scopes = [...this.#scopes]): Promise<any> {
    return this.#session[CALL](op, args, control, stream, scopes.filter((scope) => this.#scopes.includes(scope)));
  }
}
