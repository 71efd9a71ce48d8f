import { DurableObject } from "cloudflare:workers";
import { Directory as RustDirectory } from "snapshotter-wasm";
import { guardedFetch } from "./guard.ts";

/** The directory of all sessions, in one object. Only the Worker's own objects and its HTTP surface call it. */
export class Directory extends DurableObject {
  readonly #rust: RustDirectory;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustDirectory(ctx, env);
  }

  override fetch(request: Request): Promise<Response> {
    return guardedFetch(() => this.#rust.fetch(request));
  }
}
