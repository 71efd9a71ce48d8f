// The least that a snapshot, a restore and a tar archive can cost on this machine: the same container and the same R2,
// in plain JavaScript, without checks, rows or layers. It is fast, but not safe.

import { Buffer } from "node:buffer";
import { DurableObject } from "cloudflare:workers";

/** Large enough that the number of chunks does not matter. */
const CHUNK_BYTES = 1024 * 1024;
const ARCHIVE = "/var/tmp/floor.sqsh";

export class Floor extends DurableObject {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    const port = searchParams.get("port");
    if (port !== null) return this.ctx.container.getTcpPort(Number(port)).fetch(`http://localhost:${port}/${searchParams.get("path")}`);
    const dir = searchParams.get("dir");
    if (request.method === "GET") return this.exportTar(dir);
    if (request.method === "PUT") return this.importTar(dir, request.body);
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

  /** Reads the archive into this object's memory, so that `put` waits only for R2. Returns its SHA-256. */
  async load() {
    const process = await this.ctx.container.exec(["cat", ARCHIVE], { stdout: "pipe" });
    this.bytes = new Uint8Array(await new Response(process.stdout).arrayBuffer());
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`cat: exit status ${status}`);
    return Buffer.from(await crypto.subtle.digest("SHA-256", this.bytes)).toString("hex");
  }

  async put({ key, sha256 }) {
    const { readable, writable } = new FixedLengthStream(this.bytes.length);
    const stored = this.env.BUCKET.put(key, readable, { sha256 });
    const writer = writable.getWriter();
    for (let at = 0; at < this.bytes.length; at += CHUNK_BYTES) await writer.write(this.bytes.subarray(at, at + CHUNK_BYTES));
    await Promise.all([writer.close(), stored]);
  }

  /** Restores into a new container. Returns the milliseconds of each part. */
  async restore({ key, dir }) {
    const parts = {};
    const timed = async (part, work) => {
      const began = Date.now();
      const result = await work;
      parts[part] = Date.now() - began;
      return result;
    };
    await timed("start", this.start());
    await timed("get and unsquashfs", this.get({ key, dir }));
    return parts;
  }

  /**
   * A simple export. Strictly it is no floor: the runtime passes small chunks on, and the product carries large ones.
   */
  async exportTar(dir) {
    const process = await this.ctx.container.exec(["tar", "-C", dir, "-cf", "-", "."], { stdout: "pipe", stderr: "ignore" });
    return new Response(process.stdout);
  }

  async importTar(dir, body) {
    const argv = ["sh", "-c", `mkdir ${dir} && tar -C ${dir} -xf -`];
    const process = await this.ctx.container.exec(argv, { stdin: body, stdout: "ignore", stderr: "ignore" });
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`tar: exit status ${status}`);
    return new Response();
  }

  async get({ key, dir }) {
    const object = await this.env.BUCKET.get(key);
    const command = `cat >${ARCHIVE} && unsquashfs -quiet -no-progress -dest ${dir} ${ARCHIVE}`;
    const process = await this.ctx.container.exec(["sh", "-c", command], { stdin: object.body, stdout: "pipe", stderr: "combined" });
    const said = await new Response(process.stdout).text();
    const status = await process.exitCode;
    if (status !== 0) throw new Error(`unsquashfs: exit status ${status}: ${said}`);
  }
}

/**
 * `POST /{object}` with `{op, …}` calls one of the methods above. `GET` and `PUT /{object}?dir=` move a directory as
 * tar. `GET /{object}?port=&path=` reaches a server in the container.
 */
export default {
  fetch: (request, env) => env.FLOOR.getByName(new URL(request.url).pathname).fetch(request),
};
