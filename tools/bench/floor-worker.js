// The least that a snapshot and a restore can cost on this machine: the same container and the same R2, in plain
// JavaScript, with no checks, no rows and no layers. What it does is not safe, only fast.

import { DurableObject } from "cloudflare:workers";

/** Large enough that the number of chunks does not count. */
const CHUNK_BYTES = 1024 * 1024;
const ARCHIVE = "/var/tmp/floor.sqsh";

export class Floor extends DurableObject {
  async fetch(request) {
    const { op, ...args } = await request.json();
    return Response.json((await this[op](args)) ?? null);
  }

  /** Resolves when the container has run its first command. */
  async start() {
    const { container } = this.ctx;
    const image = container.images?.workspace;
    container.start({ enableInternet: true, ...(image && { image, instance: "standard-1" }) });
    await container.setInactivityTimeout(600_000);
    await this.run(["true"]);
  }

  async destroy() {
    await this.ctx.container.destroy();
  }

  async run(argv) {
    const process = await this.ctx.container.exec(argv, { stdout: "pipe", stderr: "combined" });
    const output = await new Response(process.stdout).text();
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`${argv[0]}: exit status ${status}: ${output}`);
    return output;
  }

  sh({ command }) {
    return this.run(["bash", "-c", command]);
  }

  archive({ dir }) {
    return this.run(["mksquashfs", dir, ARCHIVE, "-comp", "lz4", "-noappend", "-no-progress", "-quiet"]);
  }

  /** Brings the archive into this object's memory, so that `put` has nothing to wait for but R2. */
  async load() {
    const process = await this.ctx.container.exec(["cat", ARCHIVE], { stdout: "pipe" });
    this.bytes = new Uint8Array(await new Response(process.stdout).arrayBuffer());
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`cat: exit status ${status}`);
    return this.bytes.length;
  }

  async put({ key }) {
    const { readable, writable } = new FixedLengthStream(this.bytes.length);
    const stored = this.env.BUCKET.put(key, readable);
    const writer = writable.getWriter();
    for (let at = 0; at < this.bytes.length; at += CHUNK_BYTES) await writer.write(this.bytes.subarray(at, at + CHUNK_BYTES));
    await Promise.all([writer.close(), stored]);
  }

  /** Into a new container. Returns the milliseconds of its parts. */
  async restore({ key, dir }) {
    const parts = {};
    const timed = async (part, work) => {
      const began = Date.now();
      const result = await work;
      parts[part] = Date.now() - began;
      return result;
    };
    await timed("start", this.start());
    await timed("get", this.get({ key }));
    await timed("unsquashfs", this.run(["unsquashfs", "-quiet", "-no-progress", "-dest", dir, ARCHIVE]));
    return parts;
  }

  async get({ key }) {
    const object = await this.env.BUCKET.get(key);
    const options = { stdin: object.body, stdout: "pipe", stderr: "combined" };
    const process = await this.ctx.container.exec(["sh", "-c", `cat >${ARCHIVE}`], options);
    const said = await new Response(process.stdout).text();
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`cat: exit status ${status}: ${said}`);
  }
}

/** `POST /{object}` with `{op, …}`: calls one of the methods above. */
export default {
  fetch: (request, env) => env.FLOOR.getByName(new URL(request.url).pathname).fetch(request),
};
