import { DurableObject } from "cloudflare:workers";
import { Pools as RustPools } from "snapshotter-wasm";
import { guarded, guardedFetch } from "./guard.ts";

/** The warm pools, in one object. Only the Worker's own objects and its HTTP surface call it. */
export class Pools extends DurableObject {
  readonly #rust: RustPools;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustPools(ctx, env);
  }

  override fetch(request: Request): Promise<Response> {
    return guardedFetch(() => this.#rust.fetch(request));
  }

  override alarm(): Promise<void> {
    return guarded(async () => void (await this.#rust.alarm()));
  }
}
