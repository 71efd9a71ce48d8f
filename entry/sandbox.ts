import { DurableObject } from "cloudflare:workers";
import { Sandbox as RustSandbox } from "snapshotter-wasm";
import { guarded, guardedFetch } from "./guard.ts";
import { readable } from "./stream.ts";

/**
 * A sandbox's object, with the method names and option shapes of `@cloudflare/sandbox` 0.12, and a few of ours.
 *
 * A remote caller can call every method on this prototype, so it has only the published ones. The Rust object stays
 * private, because its `free()` would kill it. src/api/sandbox.rs parses the arguments.
 */
export class Sandbox extends DurableObject {
  readonly #rust: RustSandbox;

  constructor(ctx: DurableObjectState, env: never) {
    super(ctx, env);
    this.#rust = new RustSandbox(ctx, env);
  }

  async watch(path: unknown, options?: unknown) {
    return readable(await this.#call("watch", path, options));
  }

  async exportTar(path: unknown, options?: unknown) {
    return readable(await this.#call("exportTar", path, options));
  }

  importTar(stream: ReadableStream<Uint8Array>, path: unknown, options?: unknown) {
    return guarded(() => this.#rust.call("importTar", [path, options], stream) as Promise<any>);
  }

  storePart(stream: ReadableStream<Uint8Array>, part: unknown, path: unknown, options?: unknown) {
    return guarded(() => this.#rust.call("storePart", [part, path, options], stream) as Promise<any>);
  }

  importUpload(archive: unknown, path: unknown, options?: unknown) {
    return this.#call("importUpload", archive, path, options);
  }

  dropUpload(upload: unknown, path: unknown, options?: unknown) {
    return this.#call("dropUpload", upload, path, options);
  }

  #call(method: string, ...args: unknown[]): Promise<any> {
    return guarded(() => this.#rust.call(method, args) as Promise<any>);
  }

  /** A sandbox has no HTTP surface: every path is 404. */
  override fetch(request: Request): Promise<Response> {
    return guardedFetch(() => this.#rust.fetch(request));
  }

  configure(options: unknown) {
    return this.#call("configure", options);
  }

  ensureRunning() {
    return this.#call("ensureRunning");
  }

  disk() {
    return this.#call("disk");
  }

  isRunning() {
    return this.#call("isRunning");
  }

  runsCommands() {
    return this.#call("runsCommands");
  }

  destroy() {
    return this.#call("destroy");
  }

  createBackup(options: unknown) {
    return this.#call("createBackup", options);
  }

  restoreBackup(backup: unknown, options?: unknown) {
    return this.#call("restoreBackup", backup, options);
  }

  recoverBackup(id: unknown) {
    return this.#call("recoverBackup", id);
  }

  exec(command: unknown, options?: unknown) {
    return this.#call("exec", command, options);
  }

  async execStream(command: unknown, options?: unknown) {
    return readable(await this.#call("execStream", command, options));
  }

  runCode(code: unknown, options: unknown) {
    return this.#call("runCode", code, options);
  }

  readFile(path: unknown, options?: unknown) {
    return this.#call("readFile", path, options);
  }

  writeFile(path: unknown, content: unknown, options?: unknown) {
    return this.#call("writeFile", path, content, options);
  }

  mkdir(path: unknown, options?: unknown) {
    return this.#call("mkdir", path, options);
  }

  listFiles(path: unknown, options?: unknown) {
    return this.#call("listFiles", path, options);
  }

  deleteFile(path: unknown, options?: unknown) {
    return this.#call("deleteFile", path, options);
  }

  exists(path: unknown, options?: unknown) {
    return this.#call("exists", path, options);
  }
  stat(path: unknown, options?: unknown) {
    return this.#call("stat", path, options);
  }

  glob(path: unknown, options?: unknown) {
    return this.#call("glob", path, options);
  }

  grep(path: unknown, options: unknown) {
    return this.#call("grep", path, options);
  }
}
