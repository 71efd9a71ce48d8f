import { RpcTarget } from "cloudflare:workers";
import { readable } from "./stream.ts";
import type * as api from "./snapshotter.d.ts";

/** What a call carries besides its arguments. A signal crosses into this isolate as an id that Rust can cancel by. */
export type Control = { operationId?: string; idempotencyKey?: string; aborted?: boolean };

/** A stream that can cross RPC. */
export type Bytes = ReadableStream<Uint8Array>;

/** Runs one operation. It is a symbol, because a remote caller can name only strings. */
export const CALL = Symbol("call");
const ABORTABLE = Symbol("abortable");

type Constructor = abstract new (...args: any[]) => object;

/**
 * The methods of a session, on top of `CALL`. A remote caller can call every method on the prototypes, so they have
 * only the published ones.
 */
export function sessionMethods<Base extends Constructor>(Base: Base) {
  abstract class SessionMethods extends Base implements api.SessionApi {
    abstract [CALL]<T>(op: string, args?: object, control?: Control, scopes?: api.Scope[], stream?: Bytes): Promise<T>;

    /** Runs a long call under its caller's signal, if it has one. */
    async [ABORTABLE]<T>(op: string, args: object, options: api.Cancellable & api.Repeatable = {}): Promise<T> {
      const { signal, operationId, idempotencyKey } = options;
      const names: Control = { ...(operationId !== undefined && { operationId }), ...(idempotencyKey !== undefined && { idempotencyKey }) };
      if (!signal) return this[CALL](op, args, names);
      const control: Control = { operationId: crypto.randomUUID(), ...names, aborted: signal.aborted };
      const cancel = () => {
        // The call may have just ended; then there is nothing left to cancel.
        this.cancel(control.operationId!).catch(() => {});
      };
      signal.addEventListener("abort", cancel, { once: true });
      try {
        return await this[CALL](op, args, control);
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    }

    open(config: api.WorkspaceConfig = {}): Promise<api.SessionView> {
      return this[CALL]("open", { config });
    }

    async resolve(): Promise<api.WorkspaceRef> {
      return (await this[CALL]<{ ref: api.WorkspaceRef }>("resolve")).ref;
    }

    describe(): Promise<api.SessionView> {
      return this[CALL]("describe");
    }

    close(): Promise<api.SessionView> {
      return this[CALL]("close");
    }

    async startFresh(): Promise<api.WorkspaceRef> {
      return (await this[CALL]<{ ref: api.WorkspaceRef }>("startFresh")).ref;
    }

    snapshot({ signal, operationId, idempotencyKey, ...args }: api.SnapshotOptions = {}): Promise<api.SnapshotView> {
      return this[ABORTABLE]("snapshot", args, { signal, operationId, idempotencyKey });
    }

    async restore(ref: api.SnapshotSelector, options: api.CrossableOptions & api.Repeatable = {}): Promise<api.WorkspaceRef> {
      const { signal, operationId, idempotencyKey, ...args } = options;
      const control = { signal, operationId, idempotencyKey };
      return (await this[ABORTABLE]<{ ref: api.WorkspaceRef }>("restore", { ref, ...args }, control)).ref;
    }

    async branch(ref: api.SnapshotSelector, options: api.CrossableOptions & api.Repeatable = {}): Promise<api.WorkspaceRef> {
      const { signal, operationId, idempotencyKey, ...args } = options;
      const control = { signal, operationId, idempotencyKey };
      return (await this[ABORTABLE]<{ ref: api.WorkspaceRef }>("branch", { ref, ...args }, control)).ref;
    }

    fork({ signal, operationId, idempotencyKey, ...args }: api.ForkOptions = {}): Promise<api.Forks> {
      return this[ABORTABLE]("fork", args, { signal, operationId, idempotencyKey });
    }

    rewind(ref: api.SnapshotSelector, options: api.RewindOptions = {}): Promise<api.Rewound> {
      const { signal, operationId, idempotencyKey, ...args } = options;
      return this[ABORTABLE]("rewind", { ref, ...args }, { signal, operationId, idempotencyKey });
    }

    list(options: api.ListOptions = {}): Promise<api.SnapshotPage> {
      return this[CALL]("list", options);
    }

    get(ref: api.SnapshotSelector, options: api.CrossableOptions = {}): Promise<api.SnapshotView> {
      const { signal, operationId, ...args } = options;
      return this[ABORTABLE]("get", { ref, ...args }, { signal, operationId });
    }

    async delete(ref: api.SnapshotSelector, options: api.DeleteOptions = {}): Promise<void> {
      const { signal, operationId, ...args } = options;
      await this[ABORTABLE]("delete", { ref, ...args }, { signal, operationId });
    }

    updateSnapshot(ref: api.SnapshotSelector, edit: api.SnapshotEdit): Promise<api.SnapshotView> {
      return this[CALL]("updateSnapshot", { ref, edit });
    }

    listSnapshotEvents(ref: api.SnapshotSelector, options: api.PageOptions = {}): Promise<api.EventPage> {
      return this[CALL]("listSnapshotEvents", { ref, ...options });
    }

    lineage(): Promise<api.Lineage> {
      return this[CALL]("lineage");
    }

    rebuild(options: api.PageOptions = {}): Promise<api.Rebuilt> {
      return this[CALL]("rebuild", options);
    }

    planRetention(): Promise<api.RetentionReport> {
      return this[CALL]("planRetention");
    }

    retain(): Promise<api.RetentionReport> {
      return this[CALL]("retain");
    }

    async swapRef(ref: api.WorkspaceSelector, { expectedActive }: api.Guarded = {}): Promise<void> {
      await this[CALL]("swapRef", { ref, expectedActive });
    }

    async switch(ref: api.WorkspaceSelector, { expectedActive }: api.Guarded = {}): Promise<api.WorkspaceRef> {
      return (await this[CALL]<{ ref: api.WorkspaceRef }>("switch", { ref, expectedActive })).ref;
    }

    listWorkspaces(options: api.ListWorkspacesOptions = {}): Promise<api.WorkspaceList> {
      return this[CALL]("listWorkspaces", options);
    }

    pause(ref?: api.WorkspaceSelector, options: api.Cancellable & api.Repeatable = {}): Promise<api.Paused> {
      return this[ABORTABLE]("pause", ref === undefined ? {} : { ref }, options);
    }

    resume(ref?: api.WorkspaceSelector, options: api.Cancellable & api.Repeatable = {}): Promise<api.Resumed> {
      return this[ABORTABLE]("resume", ref === undefined ? {} : { ref }, options);
    }

    destroyWorkspace(ref: api.WorkspaceSelector): Promise<api.DestroyedWorkspace> {
      return this[CALL]("destroyWorkspace", { ref });
    }

    async destroyContainer(ref: api.WorkspaceSelector): Promise<void> {
      await this[CALL]("destroyContainer", { ref });
    }

    usage(): Promise<api.SessionUsage> {
      return this[CALL]("usage");
    }

    listEvents(options: api.PageOptions = {}): Promise<api.EventPage> {
      return this[CALL]("listEvents", options);
    }

    async listTools(): Promise<api.Tool[]> {
      return (await this[CALL]<{ tools: api.Tool[] }>("listTools")).tools;
    }

    callTool(name: string, input: object = {}, options: api.Cancellable & api.Guarded & api.Repeatable = {}): Promise<any> {
      const { expectedActive, ...control } = options;
      return this[ABORTABLE]("callTool", { name, input, expectedActive }, control);
    }

    async execStream(command: string | string[], options: api.ExecStreamOptions = {}): Promise<Bytes> {
      return readable(await this[CALL]("execStream", { ...options, command }));
    }

    async watch(path?: string, options: api.WatchOptions = {}): Promise<Bytes> {
      return readable(await this[CALL]("watch", { ...options, ...(path !== undefined && { path }) }));
    }

    async exportTar(options: api.ArchiveOptions = {}): Promise<Bytes> {
      return readable(await this[CALL]("exportTar", options));
    }

    importTar(stream: Bytes, options: api.ArchiveOptions = {}): Promise<api.ImportedTar> {
      return this[CALL]("importTar", options, undefined, undefined, stream);
    }

    cancel(operationId: string): Promise<api.CancelAnswer> {
      return this[CALL]("cancel", { operationId });
    }

    getOperation(operationId: string): Promise<api.OperationView> {
      return this[CALL]("getOperation", { operationId });
    }

    listOperations(options: api.PageOptions = {}): Promise<api.OperationPage> {
      return this[CALL]("listOperations", options);
    }

    restricted(scopes: api.Scope[]): api.RestrictedHost & RpcTarget {
      return new RestrictedHost(this, scopes);
    }

    asReadOnly(): api.RestrictedHost & RpcTarget {
      return this.restricted(["read"]);
    }
  }
  return SessionMethods;
}

const SCOPES: readonly api.Scope[] = ["read", "write", "snapshot", "admin"];

function invalidScopes(): Error {
  const error = new Error(`INVALID_ARGUMENT: scopes: must be a list of ${SCOPES.join(", ")}`);
  const hint = "correct what the message names, and call again";
  const details = { field: "scopes" };
  return Object.assign(error, { name: "SnapshotterError", code: "INVALID_ARGUMENT", retryable: false, outcome: "none", hint, details });
}

type Session = {
  [CALL]<T>(op: string, args: object, control: Control | undefined, scopes: api.Scope[], stream: Bytes | undefined): Promise<T>;
};

/** The same session with fewer scopes. The session it was made from stays private to it. */
export class RestrictedHost extends sessionMethods(RpcTarget) {
  readonly #session: Session;
  readonly #scopes: readonly api.Scope[];

  constructor(session: Session, scopes: readonly api.Scope[]) {
    super();
    if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope))) throw invalidScopes();
    this.#session = session;
    this.#scopes = [...scopes];
  }

  /** Grants only those of the requested scopes that this handle has: it can narrow, never widen. */
  override [CALL]<T>(op: string, args: object = {}, control?: Control, scopes = [...this.#scopes], stream?: Bytes): Promise<T> {
    return this.#session[CALL](op, args, control, scopes.filter((scope) => this.#scopes.includes(scope)), stream);
  }
}
