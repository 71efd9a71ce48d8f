import { DurableObject } from "cloudflare:workers";
import { AgentHost as RustAgentHost } from "snapshotter-wasm";
import { guarded, guardedFetch, guardedStream } from "./guard.ts";
import { CALL, sessionMethods, type Bytes, type Control } from "./methods.ts";
import type * as api from "./snapshotter.d.ts";

/**
 * A session's object. A remote caller can call every method on this prototype, so it has only the published ones. The
 * Rust object stays private, because its `free()` would kill it.
 */
export class AgentHost extends sessionMethods(DurableObject) implements api.AgentHostApi {
  readonly #rust: RustAgentHost;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustAgentHost(ctx, env);
  }

  override [CALL](op: string, args: object, control: Control, stream?: Bytes, scopes?: api.Scope[]): Promise<any> {
    return guarded(() => this.#rust.call(op, args, control, scopes ?? null, stream));
  }

  override async fetch(request: Request): Promise<Response> {
    return guardedStream(await guardedFetch(() => this.#rust.fetch(request)));
  }

  override alarm(): Promise<void> {
    return guarded(async () => void (await this.#rust.alarm()));
  }
}
