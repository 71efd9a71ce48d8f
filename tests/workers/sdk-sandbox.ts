/**
 * A double of the `Sandbox` class of `@cloudflare/sandbox` 0.12: its method names, arguments, results and errors
 * (`errorResponse`), on files in memory and the same bucket. It knows nothing of ours: no `ensureRunning`, no ids given
 * from outside, no `stdin`; options that it doesn't know it ignores, as that class does.
 */

import { DurableObject } from "cloudflare:workers";

interface Env {
  BACKUP_BUCKET: R2Bucket;
}

type SdkErrorResponse = { code: string; message: string; context: object; httpStatus: number; timestamp: string };
type Files = Record<string, string>;
type Backup = { id: string; dir: string; localBucket?: boolean };

/** As that package throws them: the code is inside `errorResponse`, and `code` a getter that does not cross RPC. */
class SandboxError extends Error {
  readonly errorResponse: SdkErrorResponse;

  constructor(code: string, message: string, httpStatus: number) {
    super(message);
    this.name = "SandboxError";
    this.errorResponse = { code, message, context: {}, httpStatus, timestamp: new Date().toISOString() };
  }
  get code() {
    return this.errorResponse.code;
  }
}

const STATUS: Record<string, number> = {
  INVALID_BACKUP_CONFIG: 400, BACKUP_EXPIRED: 400, FILE_NOT_FOUND: 404, BACKUP_NOT_FOUND: 404, OPERATION_INTERRUPTED: 409, CONTAINER_UNAVAILABLE: 503,
};

export class SdkSandbox extends DurableObject<Env> {
  #files: Files = {};
  #disk: string | undefined;
  #env: Record<string, string> = {};
  #configured: Record<string, unknown> = {};

  async configure(configuration: Record<string, unknown>): Promise<void> {
    Object.assign(this.#configured, configuration);
  }

  async setEnvVars(vars: Record<string, string>): Promise<void> {
    Object.assign(this.#env, vars);
  }

  /** A shell of very few words. */
  async exec(command: string, options: { env?: Record<string, string>; cwd?: string; sessionId?: string } = {}) {
    if (typeof command !== "string") throw new SandboxError("VALIDATION_FAILED", "command must be a string", 400);
    await this.#fault("exec");
    let [exitCode, stdout] = [0, ""];
    const env = { ...this.#env, ...options.env };
    if (command.includes("/var/lib/snapshotter")) stdout = this.#disk ??= env["NEW_ID"] ?? "";
    else if (command.startsWith("realpath -m -- ")) stdout = words(command).slice(3).map((path) => `${path}\n`).join("");
    else if (words(command)[0] === "configured") stdout = JSON.stringify(this.#configured);
    else if (words(command)[0] === "env") stdout = JSON.stringify(env);
    else if (words(command)[0] === "args") stdout = JSON.stringify(words(command).slice(1));
    else if (!["ls", "mkdir", "true"].includes(words(command)[0]!)) [exitCode, stdout] = [127, `no such command here: ${command}`];
    return { success: exitCode === 0, exitCode, stdout, stderr: "", command, duration: 1, timestamp: new Date().toISOString() };
  }

  async mkdir(path: string, _options: { recursive?: boolean; sessionId?: string } = {}) {
    return { success: true, path, recursive: true, timestamp: new Date().toISOString() };
  }

  async writeFile(path: string, content: string, options: { encoding?: string; sessionId?: string } = {}) {
    this.#session(options.sessionId);
    await this.#fault("writeFile");
    this.#files[path] = options.encoding === "base64" ? atob(content) : content;
    return { success: true, path, timestamp: new Date().toISOString() };
  }

  async readFile(path: string, options: { encoding?: string; sessionId?: string } = {}) {
    this.#session(options.sessionId);
    await this.#fault("readFile");
    const content = this.#files[path];
    if (content === undefined) throw new SandboxError("FILE_NOT_FOUND", `File not found: ${path}`, 404);
    return { success: true, path, content, encoding: "utf-8", size: content.length, isBinary: false, mimeType: "text/plain", timestamp: new Date().toISOString() };
  }

  /** Everything there is, whatever part of it was asked for. */
  async listFiles(path: string, _options: { recursive?: boolean; includeHidden?: boolean; sessionId?: string } = {}) {
    const files = Object.entries(this.#files).filter(([name]) => name.startsWith(`${path}/`)).map(([absolutePath, content]) => ({
      name: absolutePath.split("/").at(-1)!, absolutePath, relativePath: absolutePath.slice(path.length + 1), type: "file", size: content.length,
      modifiedAt: "2026-01-01T00:00:00.000Z", mode: "rw-r--r--", permissions: { readable: true, writable: true, executable: false },
    }));
    return { success: true, path, files, count: files.length, timestamp: new Date().toISOString() };
  }

  /** Of the same name as one of ours, and another thing. */
  async runCode(code: string, _options: { language?: string } = {}) {
    return { code, logs: { stdout: ["a stranger's\n"], stderr: [] }, error: undefined, executionCount: 1, results: [] };
  }

  /** Its second argument is the id of one of its sessions, a string. */
  async deleteFile(path: string, sessionId?: string) {
    this.#session(sessionId);
    if (!(path in this.#files)) throw new SandboxError("FILE_NOT_FOUND", `File not found: ${path}`, 404);
    delete this.#files[path];
    return { success: true, path, timestamp: new Date().toISOString() };
  }

  async exists(path: string, sessionId?: string) {
    this.#session(sessionId);
    return { success: true, path, exists: path in this.#files, timestamp: new Date().toISOString() };
  }

  async createBackup(options: { dir: string; name?: string; ttl?: number }): Promise<Backup & { extra: object }> {
    await this.#fault("createBackup");
    const { dir, name = null, ttl = 259200 } = options;
    if (!/^\/(workspace|home|tmp|var\/tmp|app)(\/|$)/.test(dir)) throw new SandboxError("INVALID_BACKUP_CONFIG", "dir", 400);
    // It picks the id itself.
    const id = crypto.randomUUID();
    const archive = JSON.stringify(Object.fromEntries(Object.entries(this.#files).filter(([path]) => path.startsWith(`${dir}/`))));
    await this.env.BACKUP_BUCKET.put(`backups/${id}/data.sqsh`, archive);
    const meta = { id, dir, name, sizeBytes: archive.length, ttl, createdAt: new Date().toISOString() };
    await this.env.BACKUP_BUCKET.put(`backups/${id}/meta.json`, JSON.stringify(meta));
    // A field of a later version: whoever stores a handle must keep it.
    return { id, dir, localBucket: true, extra: { kept: true } };
  }

  async restoreBackup(backup: Backup & { extra?: { kept: boolean } }) {
    const { id, dir } = backup;
    if ((await this.#fault("restoreBackup")) === "FALSE") return { success: false, dir, id };
    if (backup.extra?.kept !== true) throw new SandboxError("INVALID_BACKUP_CONFIG", "not the handle that was given out", 400);
    const [meta, archive] = await Promise.all(["meta.json", "data.sqsh"].map((name) => this.env.BACKUP_BUCKET.get(`backups/${id}/${name}`)));
    if (!meta || !archive) throw new SandboxError("BACKUP_NOT_FOUND", `Backup not found: ${id}`, 404);
    Object.assign(this.#files, await archive.json<Files>());
    return { success: true, dir, id };
  }

  async destroy(): Promise<void> {
    [this.#files, this.#disk, this.#env] = [{}, undefined, {}];
  }

  /** As that class checks it: whatever is not a string has no `trim`. */
  #session(sessionId: string | undefined): void {
    if (sessionId !== undefined && sessionId.trim().length === 0) throw new Error("sessionId must not be empty or whitespace");
  }

  /** The test says in the bucket how a method is to fail, because the sandbox that shall may not exist yet. */
  async #fault(method: string): Promise<string | undefined> {
    const code = await (await this.env.BACKUP_BUCKET.get(`faults/${method}`))?.text();
    if (code === undefined || code === "FALSE") return code;
    // What workerd says of an object whose code is replaced under it.
    if (code === "RESET") this.ctx.abort("Durable Object reset because its code was updated.");
    if (code === "PLAIN") throw new Error("an internal detail: /root/.secret");
    throw new SandboxError(code, `an internal detail: ${code}`, STATUS[code] ?? 500);
  }
}

/** Splits a line as a shell does that knows single quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) => word.replace(/'([^']*)'|\\(')/g, (_all, quoted, escaped) => quoted ?? escaped));
}

export default {
  fetch: () => new Response("a double of @cloudflare/sandbox 0.12"),
};
