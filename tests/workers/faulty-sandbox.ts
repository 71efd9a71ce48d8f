/**
 * Our `Sandbox` with methods that fail on a test's command: with an error that our code never throws, or by a restart.
 */

import { Sandbox } from "../../entry/sandbox.ts";

interface Env {
  BACKUP_BUCKET: R2Bucket;
}

interface Methods {
  createBackup(...args: unknown[]): Promise<unknown>;
  restoreBackup(...args: unknown[]): Promise<unknown>;
  readFile(...args: unknown[]): Promise<unknown>;
}

/** The methods are defined when the module loads, so their types are not in the class. */
const Typed = Sandbox as unknown as new (ctx: DurableObjectState, env: never) => Sandbox & Methods;

export class FaultySandbox extends Typed {
  readonly #env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env as never);
    this.#env = env;
  }

  override async createBackup(options: unknown) {
    await this.#fault("createBackup");
    return super.createBackup(options);
  }

  override async restoreBackup(backup: unknown, options?: unknown) {
    await this.#fault("restoreBackup");
    return super.restoreBackup(backup, options);
  }

  override async readFile(path: unknown, options?: unknown) {
    await this.#fault("readFile");
    return super.readFile(path, options);
  }

  /** The test writes into the bucket how a method fails, because the sandbox may not exist yet. */
  async #fault(method: string): Promise<void> {
    const kind = await (await this.#env.BACKUP_BUCKET.get(`faults/${method}`))?.text();
    // workerd's message for an object whose code is replaced while it runs.
    if (kind === "RESET") this.ctx.abort("Durable Object reset because its code was updated.");
    if (kind === "PLAIN") throw new Error("an internal detail: /srv/.secret");
  }
}

export default {
  fetch: () => new Response("sandboxes that fail"),
};
