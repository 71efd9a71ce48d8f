import { DurableObject } from "cloudflare:workers";
import { AgentHost as RustAgentHost } from "snapshotter-wasm";
import { guarded, guardedFetch, guardedStream } from "./guard.ts";
import type * as api from "./snapshotter.d.ts";

/** A signal that crossed into this isolate, as an id that Rust can cancel by. */
type Control = { operationId?: string; aborted?: boolean };

/**
 * The session's object. A remote caller can call every method on this prototype, so there are only those that are
 * meant to be called; the Rust object stays private, because its `free()` would kill it.
 */
export class AgentHost extends DurableObject implements api.AgentHostApi {
  readonly #rust: RustAgentHost;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustAgentHost(ctx, env);
  }

  #call<T>(op: string, args: object = {}, control?: Control): Promise<T> {
    return guarded(() => this.#rust.call(op, args, control) as Promise<T>);
  }

  /** Runs a long call under its caller's signal, where there is one. */
  async #abortable<T>(op: string, args: object, { signal, operationId }: api.Cancellable = {}): Promise<T> {
    if (!signal) return this.#call(op, args, { ...(operationId !== undefined && { operationId }) });
    const control: Control = { operationId: operationId ?? crypto.randomUUID(), aborted: signal.aborted };
    const cancel = () => {
      // The call may just have ended; then there is nothing left to cancel.
      this.cancel(control.operationId!).catch(() => {});
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#call(op, args, control);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  override async fetch(request: Request): Promise<Response> {
    return guardedStream(await guardedFetch(() => this.#rust.fetch(request)));
  }

  override alarm(): Promise<void> {
    return guarded(async () => void (await this.#rust.alarm()));
  }

  open(config: api.WorkspaceConfig = {}): Promise<api.SessionView> {
    return this.#call("open", { config });
  }

  async resolve(): Promise<api.WorkspaceRef> {
    return (await this.#call<{ ref: api.WorkspaceRef }>("resolve")).ref;
  }

  describe(): Promise<api.SessionView> {
    return this.#call("describe");
  }

  close(): Promise<api.SessionView> {
    return this.#call("close");
  }

  async startFresh(): Promise<api.WorkspaceRef> {
    return (await this.#call<{ ref: api.WorkspaceRef }>("startFresh")).ref;
  }

  snapshot({ signal, operationId, ...args }: api.SnapshotOptions = {}): Promise<api.SnapshotView> {
    return this.#abortable("snapshot", args, { signal, operationId });
  }

  async restore(ref: api.SnapshotSelector, options: api.CrossableOptions = {}): Promise<api.WorkspaceRef> {
    const { signal, operationId, ...args } = options;
    return (await this.#abortable<{ ref: api.WorkspaceRef }>("restore", { ref, ...args }, { signal, operationId })).ref;
  }

  async branch(ref: api.SnapshotSelector, options: api.CrossableOptions = {}): Promise<api.WorkspaceRef> {
    const { signal, operationId, ...args } = options;
    return (await this.#abortable<{ ref: api.WorkspaceRef }>("branch", { ref, ...args }, { signal, operationId })).ref;
  }

  list(options: api.ListOptions = {}): Promise<api.SnapshotPage> {
    return this.#call("list", options);
  }

  get(ref: api.SnapshotSelector, options: api.CrossableOptions = {}): Promise<api.SnapshotView> {
    const { signal, operationId, ...args } = options;
    return this.#abortable("get", { ref, ...args }, { signal, operationId });
  }

  async delete(ref: api.SnapshotSelector, options: api.CrossableOptions = {}): Promise<void> {
    const { signal, operationId, ...args } = options;
    await this.#abortable("delete", { ref, ...args }, { signal, operationId });
  }

  async swapRef(ref: api.WorkspaceRef): Promise<void> {
    await this.#call("swapRef", { ref });
  }

  async switch(ref: api.WorkspaceRef): Promise<api.WorkspaceRef> {
    return (await this.#call<{ ref: api.WorkspaceRef }>("switch", { ref })).ref;
  }

  listWorkspaces(): Promise<api.WorkspaceList> {
    return this.#call("listWorkspaces");
  }

  async destroyWorkspace(ref: api.WorkspaceRef): Promise<void> {
    await this.#call("destroyWorkspace", { ref });
  }

  listEvents(options: api.PageOptions = {}): Promise<api.EventPage> {
    return this.#call("listEvents", options);
  }

  async listTools(): Promise<api.Tool[]> {
    return (await this.#call<{ tools: api.Tool[] }>("listTools")).tools;
  }

  callTool(name: string, input: object = {}, options: api.Cancellable = {}): Promise<any> {
    return this.#abortable("callTool", { name, input }, options);
  }

  async cancel(operationId: string): Promise<void> {
    await this.#call("cancel", { operationId });
  }
}
