import { DurableObject } from "cloudflare:workers";
import { Starts as RustStarts } from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

/** The queue of container starts, in one object. Only the Worker's own objects and its HTTP surface call it. */
export class Starts extends DurableObject {
  readonly #rust: RustStarts;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustStarts(ctx, env);
  }

  override fetch(request: Request): Promise<Response> {
    return guardedFetch(() => this.#rust.fetch(request));
  }
}
