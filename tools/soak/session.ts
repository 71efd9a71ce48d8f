/** One session of the soak: its steps, its expectations, and its report. */

import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { LiveForks, SnapshotView, WorkspaceList, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { HttpError, Session } from "../client.ts";

export const MIB = 1024 * 1024;
/** How long to retry while a deployment answers "later". */
const RETRY_FOR_MS = 120_000;
const RETRYABLE = new Set(["RATE_LIMITED", "UNAVAILABLE", "INTERRUPTED"]);

export interface SoakOptions {
  url: string;
  token: string;
  id: string;
  /** Size of the directory that is exported and imported as an archive, in bytes. */
  archiveBytes: number;
  /** Idle seconds before a workspace is saved and stopped. Each cycle waits for this. */
  sleepAfterSeconds: number;
  report: Report;
  /** Called before each cycle except the first, which always runs. */
  goOn(): boolean;
}

/** Latencies by operation, retries and errors by code, and losses. */
export class Report {
  readonly #took = new Map<string, number[]>();
  readonly #retries = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly losses: string[] = [];

  get failed(): boolean {
    return this.losses.length > 0 || this.#errors.size > 0;
  }

  took(operation: string, ms: number): void {
    append(this.#took, operation, ms);
  }

  retried(operation: string, code: string): void {
    increment(this.#retries, `${operation}: ${code}`);
  }

  error(operation: string, error: unknown): void {
    increment(this.#errors, `${operation}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
  }

  lost(what: string): void {
    this.losses.push(what);
    console.error(`LOST: ${what}`);
  }

  operations(): string[] {
    return Array.from(this.#took.keys());
  }

  summary(): string {
    const calls = Array.from(this.#took.values()).reduce((sum, times) => sum + times.length, 0);
    return `${calls} operations, ${total(this.#retries)} retries, ${total(this.#errors)} errors, ${this.losses.length} losses`;
  }

  table(): string {
    const rows = Array.from(this.#took, ([operation, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => seconds(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
      return `  ${operation.padEnd(22)}${String(sorted.length).padStart(7)}${at(0.5)}${at(0.95)}${at(1)}`;
    });
    const counted = (title: string, counts: Map<string, number>) =>
      counts.size === 0 ? [] : ["", title, ...Array.from(counts, ([what, n]) => `  ${n} × ${what}`)];
    return [
      "",
      `  ${"operation".padEnd(22)}  times       p50       p95       max`,
      ...rows,
      ...counted("retried, as the answer asked:", this.#retries),
      ...counted("errors:", this.#errors),
      ...(this.losses.length === 0 ? [] : ["", "lost:", ...this.losses.map((loss) => `  ${loss}`)]),
      "",
      this.summary(),
    ].join("\n");
  }
}

/**
 * Repeats the cycle until `goOn` returns false. Records errors and losses in the report, and destroys its workspaces at
 * the end.
 */
export async function soakSession(options: SoakOptions): Promise<void> {
  const { report } = options;
  const soak = new Soak(options);
  try {
    await soak.open();
    do await soak.cycle();
    while (options.goOn());
  } catch (error) {
    report.error(options.id, error);
  }
  await soak.close().catch((error: unknown) => report.error(`${options.id}: close`, error));
}

/** Paths of files, and the SHA-256 of the expected content. */
type Files = Map<string, string>;

class Soak {
  readonly #options: SoakOptions;
  readonly #session: Session;
  /** Expected files of the active workspace. */
  #files: Files = new Map();
  #written = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#session = new Session(options.url, options.token, options.id);
  }

  async open(): Promise<void> {
    await this.#timed("open", () =>
      this.#session.open({ destroyOnClose: true, sleepAfter: `${this.#options.sleepAfterSeconds}s`, retention: { ttlSeconds: 3600 } }),
    );
  }

  async close(): Promise<void> {
    await this.#timed("close", () => this.#session.close());
  }

  /** Runs every step once. */
  async cycle(): Promise<void> {
    await this.#write();
    const before = await this.#snapshot();
    await this.#write();
    await this.#rewind(before);
    await this.#restore(before);
    await this.#write();
    await this.#liveFork();
    await this.#pauseAndResume();
    await this.#fallAsleep();
    await this.#archive();
    await this.#leaveOthers();
  }

  async #write(): Promise<void> {
    const path = `soak/file-${this.#written++ % 20}`;
    const content = randomBytes(4096).toString("base64");
    await this.#timed("write", () => this.#session.tool("workspace_write_file", { path, content }));
    this.#files.set(path, createHash("sha256").update(content).digest("hex"));
    await this.#verify("write");
  }

  async #snapshot(): Promise<{ view: SnapshotView; files: Files }> {
    const view = await this.#timed("snapshot", () => this.#session.snapshot());
    return { view, files: new Map(this.#files) };
  }

  async #rewind({ view, files }: { view: SnapshotView; files: Files }): Promise<void> {
    await this.#timed("rewind", () => this.#session.request("POST", "/rewind", { ref: view.ref }));
    this.#files = new Map(files);
    await this.#verify("rewind");
  }

  async #restore({ view, files }: { view: SnapshotView; files: Files }): Promise<void> {
    const ref = await this.#timed("restore", () => this.#session.restore(view.ref));
    await this.#switch(ref);
    this.#files = new Map(files);
    await this.#verify("restore");
  }

  async #liveFork(): Promise<void> {
    const from = (await this.#workspaces()).active;
    const { workspaces } = await this.#timed("live fork", () =>
      this.#session.request<LiveForks>("POST", "/forks", { count: 2 }),
    );
    for (const made of workspaces) {
      if ("error" in made) throw new Error(`live fork: ${made.error.message}`);
      await this.#switch(made.ref);
      await this.#verify("live fork");
    }
    await this.#switch(from);
  }

  async #pauseAndResume(): Promise<void> {
    const { active } = await this.#workspaces();
    await this.#timed("pause", () => this.#session.request("POST", `/workspaces/${active.ref.id}/pause`));
    await this.#timed("resume", () => this.#session.request("POST", `/workspaces/${active.ref.id}/resume`));
    await this.#verify("resume");
  }

  /** Waits until the alarm has saved and stopped the idle workspace. */
  async #fallAsleep(): Promise<void> {
    const patienceSeconds = 60 + 10 * this.#options.sleepAfterSeconds;
    const deadline = Date.now() + patienceSeconds * 1000;
    for (;;) {
      const { workspaces, active } = await this.#workspaces();
      if (workspaces.find(({ ref }) => ref.ref.id === active.ref.id)?.status === "stopped") break;
      if (Date.now() > deadline) throw new Error(`sleep: still running ${patienceSeconds} s after its last call`);
      await sleep(1_000);
    }
    await this.#timed("wake", () => this.#session.output("true"));
    await this.#verify("wake");
  }

  /** Exports a large directory, and imports it again next to the original. */
  async #archive(): Promise<void> {
    const hash = (directory: string) => this.#session.output(`cd ${directory} && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum`);
    const bytes = this.#options.archiveBytes;
    await this.#session.output(`mkdir -p /workspace/large && head -c ${bytes} /dev/urandom >/workspace/large/random`, { timeoutMs: 600_000 });
    const wanted = await hash("/workspace/large");
    const tar = await this.#timed("archive out", () => this.#session.exportTar("large"));
    await this.#timed("archive in", () => this.#session.importTar("copy", tar));
    if ((await hash("/workspace/copy")) !== wanted) this.#lost("archive", `${bytes} bytes`);
    await this.#session.output("rm -r /workspace/large /workspace/copy");
  }

  /** Frees room for the next cycle: removes all but the active workspace. */
  async #leaveOthers(): Promise<void> {
    const { workspaces, active } = await this.#workspaces();
    for (const { ref } of workspaces) {
      if (ref.ref.id !== active.ref.id) await this.#timed("destroy", () => this.#session.destroyWorkspace(ref));
    }
  }

  async #switch(ref: WorkspaceRef): Promise<void> {
    await this.#timed("switch", () => this.#session.tool("workspace_switch", { ref }));
  }

  #workspaces(): Promise<WorkspaceList> {
    return this.#timed("list workspaces", () => this.#session.workspaces());
  }

  /** Checks that the directory has exactly these files with these bytes. */
  async #verify(after: string): Promise<void> {
    const found = await this.#timed("run", () => this.#session.output("cd /workspace && find soak -type f -exec sha256sum {} +"));
    const files = new Map(found.split("\n").map((line) => [line.slice(66), line.slice(0, 64)]));
    for (const [path, hash] of this.#files) {
      const is = files.get(path);
      if (is !== hash) this.#lost(after, `${path}: ${is === undefined ? "missing" : "other bytes"}`);
    }
    for (const path of files.keys()) if (!this.#files.has(path)) this.#lost(after, `${path}: should not be there`);
  }

  #lost(after: string, what: string): void {
    this.#options.report.lost(`${new Date().toISOString()} ${this.#options.id} after ${after}: ${what}`);
  }

  /** Retries a call whose error is retryable. Times only the last attempt. */
  async #timed<T>(operation: string, call: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + RETRY_FOR_MS;
    for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, 10_000)) {
      const began = performance.now();
      try {
        const result = await call();
        this.#options.report.took(operation, performance.now() - began);
        return result;
      } catch (error) {
        const code = error instanceof HttpError ? error.code : undefined;
        if (!code || !RETRYABLE.has(code) || Date.now() > deadline) throw new Error(`${operation}: ${(error as Error).message}`, { cause: error });
        this.#options.report.retried(operation, code);
        await sleep(pauseMs);
      }
    }
  }
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const total = (counts: Map<string, number>): number => Array.from(counts.values()).reduce((sum, n) => sum + n, 0);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`.padStart(10);
