import { DurableObject } from "cloudflare:workers";
import { ByteSource, Sandbox as RustSandbox } from "snapshotter-wasm";
import { guarded, guardedFetch } from "./guard.ts";
import METHODS from "./sandbox-methods.json" with { type: "json" };
import { readable } from "./stream.ts";

/**
 * A sandbox's object, with the method names and option shapes of `@cloudflare/sandbox` 0.12 and a few methods of ours,
 * from the trait in src/ports/sandbox/mod.rs.
 *
 * A remote caller can call every method on the prototype, so it has only the published ones. The Rust object stays
 * private, because its `free()` would kill it. src/api/sandbox.rs parses the arguments.
 */
export class Sandbox extends DurableObject {
  readonly #rust: RustSandbox;

  static {
    for (const method of METHODS) {
      const value = function (this: Sandbox, ...args: unknown[]) {
        return this.#call(method, args);
      };
      Object.defineProperty(this.prototype, method, { value, writable: true, configurable: true });
    }
  }

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustSandbox(ctx, env);
  }

  /** A stream is always the first argument. It is passed to Rust separately from the others. */
  async #call(method: string, args: unknown[]): Promise<unknown> {
    const [first, ...others] = args;
    const answer = await guarded(() =>
      first instanceof ReadableStream ? this.#rust.call(method, others, first) : this.#rust.call(method, args));
    return answer instanceof ByteSource || answer instanceof ReadableStream ? readable(answer) : answer;
  }

  /** Answers the Worker's requests to servers in the container. All other requests get 404. */
  override fetch(request: Request): Promise<Response> {
    return guardedFetch(() => this.#rust.fetch(request));
  }
}
