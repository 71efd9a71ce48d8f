/**
 * Shared parts of the end-to-end tests: a running Worker, a client over HTTP, R2 and the log as the operator sees them.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type {
  ErrorCode, EventPage, ExecResult, ListedSnapshot, SessionView, SnapshotPage, SnapshotRef, SnapshotSelector, SnapshotView, ListedTool, WorkspaceConfig,
  WorkspaceList, WorkspaceRef,
} from "../../entry/snapshotter.d.ts";
import { watchAnswers } from "./documented.ts";
import { ROOT, startLocalWorker, type LocalWorker, type LocalWorkerOptions } from "../../tools/local-worker.ts";

export const TOKEN = "e2e-operator-token-7f0c1d";
export const HERE = import.meta.dirname;

/** The agent of tests/workers/agent.ts in the same workerd, with bindings to the Worker's objects. */
export const AGENT = {
  name: "agent",
  entry: "tests/workers/agent.ts",
  classes: ["Agent"],
  env: {
    AGENT_HOST: { type: "durable-object", worker: "main", exportName: "AgentHost" },
    SANDBOX: { type: "durable-object", worker: "main", exportName: "Sandbox" },
  },
};

/** Starts one Worker for the tests of a file. Afterwards, ends it and everything it made. */
export function useWorld(options: LocalWorkerOptions = {}, token: string | null = TOKEN): World {
  const world = new World();
  const undocumented = new Set<string>();
  watchAnswers((url) => "worker" in world && url.origin === new URL(world.worker.url).origin, (problem) => undocumented.add(problem));
  before(async () => {
    world.worker = await startLocalWorker({ ...options, vars: { ...(token !== null && { API_TOKEN: token }), ...options.vars } });
  });
  after(async () => {
    // Set only if the Worker started; otherwise the failure has already been reported.
    if (!("worker" in world)) return;
    const log = fs.readFileSync(world.worker.logFile, "utf8");
    await world.worker.stop();
    assert.ok(!log.includes(TOKEN), "the log carries the operator's token");
    assert.deepEqual([...undocumented], [], "docs/openapi.json lacks what was answered");
  });
  return world;
}

export class World {
  declare worker: LocalWorker;

  session(id: string, token: string | null = TOKEN): Session {
    return new Session(this, id, token);
  }

  /** An open session. */
  async opened(id: string, config: WorkspaceConfig = {}): Promise<Session> {
    const session = this.session(id);
    await session.open(config);
    return session;
  }

  /** A call of the operator across sessions. */
  async operator<T>(method: string, route: string, body?: object, token: string | null = TOKEN): Promise<T> {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${this.worker.url}${route}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const answer: unknown = isJson ? await response.json() : await response.text();
    if (!response.ok) throw new HttpError(`${method} ${route}`, response.status, answer);
    return answer as T;
  }

  /** Runs one of the scripts of tests/workers/agent.ts. */
  async agent<T>(script: string, args: object = {}, name = AGENT.name): Promise<T> {
    const agent = await this.worker.mf.getWorker(`${this.worker.name}-${name}`);
    const body = JSON.stringify({ script, args });
    const response = await agent.fetch("http://agent/", { method: "POST", body });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as T;
  }

  /** Calls a method of a session's AgentHost over RPC, from the second Worker. */
  async rpc<T = any>(session: string, method: string, ...args: unknown[]): Promise<T> {
    return this.#remote("host", session, method, args);
  }

  /** Calls a method of a Sandbox over RPC, from the second Worker. */
  async sandbox<T = any>(id: string, method: string, ...args: unknown[]): Promise<T> {
    return this.#remote("sandbox", id, method, args);
  }

  async #remote<T>(object: string, name: string, method: string, args: unknown[]): Promise<T> {
    const answer = await this.agent<{ value: T } | { thrown: Thrown }>("call", { object, name, method, args });
    if ("thrown" in answer) throw new RpcError(answer.thrown);
    return answer.value;
  }

  /** Requested anew each time: a restart of workerd invalidates old bindings. */
  r2(binding = "BACKUP_BUCKET") {
    return this.worker.mf.getR2Bucket(binding);
  }

  async r2Keys(binding?: string): Promise<string[]> {
    const bucket = await this.r2(binding);
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await bucket.list({ ...(cursor && { cursor }) });
      keys.push(...page.objects.map((object) => object.key));
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor);
    return keys.sort();
  }

  async r2Bytes(key: string): Promise<Buffer> {
    const object = await (await this.r2()).get(key);
    assert.ok(object, `${key} is not in R2`);
    return Buffer.from(await object.arrayBuffer());
  }

  /** Checks that R2 holds exactly these snapshots, and whole, and the archives of deleted ones that they need. */
  async assertR2Holds(ids: string[]): Promise<void> {
    assert.deepEqual(await this.r2Keys(), await this.keysOf(ids));
  }

  /** The keys of these snapshots, and of the archives of deleted ones that they need. */
  async keysOf(ids: string[]): Promise<string[]> {
    const keys: string[] = [];
    const seen = new Set(ids);
    // What a need adds is visited, too.
    for (const id of seen) {
      const record = `backups/${id}/${ids.includes(id) ? "meta" : "held"}.json`;
      const { snapshotter } = JSON.parse((await this.r2Bytes(record)).toString());
      keys.push(record, `backups/${id}/${snapshotter?.kind === "layer" ? "layer" : "data"}.sqsh`);
      if (snapshotter?.machine?.id === id) keys.push(`backups/${id}/machine.sqsh`);
      for (const needed of needsOf(snapshotter)) seen.add(needed);
    }
    return keys.sort();
  }

  /** Whether the engine runs this workspace's container, whatever workerd reports. */
  async hasContainer({ ref: { id } }: WorkspaceRef): Promise<boolean> {
    const sandboxes = await this.worker.mf.getDurableObjectNamespace("SANDBOX");
    const object = sandboxes.idFromName(id).toString();
    return this.worker.containers().some((name) => name.includes(object));
  }

  /** Removes all running containers, as a failing machine does. */
  async removeContainers(names: string[] = this.worker.containers()): Promise<void> {
    if (names.length === 0) return;
    await promisify(execFile)("docker", ["rm", "--force", "--volumes", ...names]).catch(({ stderr }: { stderr: string }) => {
      // A container may be gone, or in removal, just then.
      const others = stderr.split("\n").filter((line) => line !== "" && !/No such container|already in progress/.test(line));
      assert.equal(others.length, 0, stderr);
    });
  }

  /** The log of workerd so far. */
  logText(): string {
    return fs.readFileSync(this.worker.logFile, "utf8");
  }

  /** The structured lines that match, once there are `count`. workerd's output arrives a moment after its answer. */
  async logged(matches: (line: LogLine) => boolean, count = 1): Promise<LogLine[]> {
    return until("the log", (saw) => {
      const found = this.logLines().filter(matches);
      saw(found.length);
      return found.length >= count && found;
    });
  }

  /** The structured lines of the log so far. */
  logLines(): LogLine[] {
    return this.logText().split("\n").flatMap((line) => {
      const json = line.indexOf("{");
      if (json < 0) return [];
      try {
        const parsed: LogLine = JSON.parse(line.slice(json));
        return typeof parsed.event === "string" ? [parsed] : [];
      } catch {
        return [];
      }
    });
  }
}

/** The ids of the other snapshots whose archives a snapshot needs, by its record. */
export function needsOf(snapshotter: any): string[] {
  const machine = snapshotter?.machine?.id;
  return [...(snapshotter?.chain ?? []).map(({ id }: { id: string }) => id), ...(machine ? [machine] : [])];
}

export type LogLine = { level: "info" | "warn" | "error"; event: string; [field: string]: unknown };
export type Envelope = {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  outcome: string;
  hint?: string;
  next?: { text: string; arguments?: Record<string, string> };
  details?: Record<string, unknown>;
};
type Thrown = { name: string; message: string; own: Record<string, unknown> };

/** The response of an operation over HTTP that did not succeed. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(request: string, status: number, body: unknown) {
    super(`${request} answered ${status}: ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** An error that the second Worker caught. */
export class RpcError extends Error {
  readonly thrown: Thrown;

  constructor(thrown: Thrown) {
    super(`${thrown.message} ${JSON.stringify(thrown.own)}`);
    this.thrown = thrown;
  }
}

export class Session {
  readonly world: World;
  readonly id: string;
  readonly token: string | null;
  /** Timeout of a call. */
  patienceMs = 300_000;

  constructor(world: World, id: string, token: string | null) {
    this.world = world;
    this.id = id;
    this.token = token;
  }

  async http<T>(method: string, route: string, body?: object | string | Uint8Array, more: Record<string, string> = {}): Promise<T> {
    const url = `${this.world.worker.url}/v1/sessions/${encodeURIComponent(this.id)}${route}`;
    const headers: Record<string, string> = { ...more, ...(this.token !== null && { authorization: `Bearer ${this.token}` }) };
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const init = { method, headers, signal: AbortSignal.timeout(this.patienceMs), ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }) };
    const response = await fetch(url, init);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    const answer: unknown = await response.json();
    if (!response.ok) throw new HttpError(`${method} ${route}`, response.status, answer);
    return answer as T;
  }

  open(config: WorkspaceConfig = {}): Promise<SessionView> {
    return this.http("PUT", "", config);
  }
  describe(): Promise<SessionView> {
    return this.http("GET", "");
  }
  close(): Promise<SessionView> {
    return this.http("POST", "/close");
  }
  startFresh(): Promise<{ ref: WorkspaceRef }> {
    return this.http("POST", "/start-fresh");
  }
  snapshot(options: object = {}): Promise<SnapshotView> {
    return this.http("POST", "/snapshots", options);
  }
  list(query: Record<string, string | number | boolean> = {}): Promise<SnapshotPage> {
    return this.http("GET", `/snapshots${queryOf(query)}`);
  }
  get(id: string, query: Record<string, boolean> = {}): Promise<SnapshotView> {
    return this.http("GET", `/snapshots/${encodeURIComponent(id)}${queryOf(query)}`);
  }
  delete(id: string, query: Record<string, boolean> = {}): Promise<unknown> {
    return this.http("DELETE", `/snapshots/${encodeURIComponent(id)}${queryOf(query)}`);
  }
  async restore(ref: SnapshotSelector, options: object = {}): Promise<WorkspaceRef> {
    return (await this.http<{ ref: WorkspaceRef }>("POST", "/workspaces", { from: ref, kind: "restored", ...options })).ref;
  }
  async branch(ref: SnapshotSelector, options: object = {}): Promise<WorkspaceRef> {
    return (await this.http<{ ref: WorkspaceRef }>("POST", "/workspaces", { from: ref, kind: "branch", ...options })).ref;
  }
  workspaces(): Promise<WorkspaceList> {
    return this.http("GET", "/workspaces");
  }
  destroyWorkspace(ref: WorkspaceRef): Promise<unknown> {
    return this.http("DELETE", `/workspaces/${ref.ref.id}`);
  }
  async active(): Promise<WorkspaceRef> {
    return (await this.http<{ ref: WorkspaceRef }>("GET", "/active-workspace")).ref;
  }
  async switch(ref: WorkspaceRef): Promise<WorkspaceRef> {
    return (await this.http<{ ref: WorkspaceRef }>("PUT", "/active-workspace", { ref })).ref;
  }
  events(query: Record<string, string | number> = {}): Promise<EventPage> {
    return this.http("GET", `/events${queryOf(query)}`);
  }
  async tools(which = "all"): Promise<ListedTool[]> {
    return (await this.http<{ tools: ListedTool[] }>("GET", `/tools?tools=${which}`)).tools;
  }
  tool<T = any>(name: string, input: object = {}): Promise<T> {
    return this.http("POST", `/tools/${name}`, input);
  }
  cancel(operationId: string): Promise<unknown> {
    return this.http("POST", `/operations/${operationId}/cancel`);
  }

  run(command: string | string[], options: object = {}): Promise<ExecResult> {
    return this.tool("workspace_run", { command, waitMs: 3_600_000, ...options });
  }

  /** All output of a command that must succeed. */
  async sh(command: string | string[], options: object = {}): Promise<string> {
    const result = await this.run(command, { maxOutputBytes: 1_048_576, ...options });
    assert.equal(result.exitCode, 0, `${command}: ${result.stderr}`);
    return result.stdout;
  }

  /** Every event of a kind so far, oldest first. */
  async eventsOf(kind: string): Promise<EventPage["events"]> {
    const found = [];
    let cursor: string | undefined;
    do {
      const page = await this.events({ ...(cursor && { cursor }) });
      found.push(...page.events.filter((event) => event.kind === kind));
      cursor = page.nextCursor;
    } while (cursor);
    return found.sort((one, other) => one.seq - other.seq);
  }

  /** The whole tree of the active workspace, or of a directory, with one line per entry. */
  async manifest(root = "/workspace"): Promise<string> {
    return this.sh(["python3", "-", root], { stdin: MANIFEST, timeoutMs: 300_000 });
  }
}

const MANIFEST = fs.readFileSync(path.join(HERE, "manifest.py"), "utf8");

function queryOf(query: Record<string, string | number | boolean>): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

/** The published statuses. */
const STATUSES = new Map(
  fs.readFileSync(path.join(ROOT, "tests/golden/error-statuses.txt"), "utf8").trim().split("\n")
    .map((line) => line.split(" ") as [string, string]),
);

/** Checks that the call fails with this code, in the documented shape, over any surface. Returns the envelope. */
export async function fails(code: ErrorCode, call: Promise<unknown>): Promise<Envelope> {
  const thrown = await call.then(
    (value) => assert.fail(`expected ${code}, got ${JSON.stringify(value)?.slice(0, 300)}`),
    (reason: unknown) => reason,
  );
  const envelope = envelopeOf(thrown);
  assert.equal(envelope.code, code, envelope.message);
  return envelope;
}

/** Checks the documented shape of an error. Rethrows anything that is no answer of ours. */
export function envelopeOf(thrown: unknown): Envelope {
  if (thrown instanceof HttpError) {
    assert.deepEqual(Object.keys(thrown.body as object), ["error"], thrown.message);
    const envelope = checkedShape((thrown.body as { error: Record<string, unknown> }).error);
    assert.equal(String(thrown.status), STATUSES.get(envelope.code), thrown.message);
    return envelope;
  }
  if (thrown instanceof RpcError) {
    const { name, message, own } = thrown.thrown;
    assert.equal(name, "SnapshotterError", thrown.message);
    assert.ok(message.startsWith(`${String(own["code"])}: `), message);
    const { code, retryable, outcome, hint, next, details } = own;
    return checkedShape({ code, message, retryable, outcome, ...(hint !== undefined && { hint }), ...(next !== undefined && { next }), ...(details !== undefined && { details }) });
  }
  throw thrown;
}

function checkedShape(fields: Record<string, unknown>): Envelope {
  const shown = JSON.stringify(fields);
  const { code, message, retryable, outcome, hint, next, details, ...unknown } = fields;
  assert.deepEqual(unknown, {}, shown);
  assert.ok(STATUSES.has(code as string), shown);
  assert.ok(typeof message === "string" && message.length > 0, shown);
  assert.equal(typeof retryable, "boolean", shown);
  assert.ok(["none", "committed", "unknown"].includes(outcome as string), shown);
  assert.ok(typeof hint === "string" && hint.length > 0, `${shown} does not say what to do next`);
  assert.ok(next === undefined || /\{\w+\}/.test((next as Envelope["next"])!.text), shown);
  assert.ok(details === undefined || (typeof details === "object" && details !== null), shown);
  return fields as Envelope;
}

/** Fewer tries do not prove a standstill: on a loaded machine each takes long. */
const TRIES_MIN = 10;

/**
 * Waits until `probe` returns something true, and returns that. Fails after `withinMs` and some tries without a change.
 * While `probe` reports new states with `saw`, it waits on, up to ten times as long: the machine may be slow.
 */
export async function until<T>(
  what: string, probe: (saw: (state: unknown) => void) => Promise<T> | T, withinMs = 120_000,
): Promise<Exclude<T, false | null | undefined>> {
  const beganAt = Date.now();
  let last = { seen: "", at: beganAt, tries: 0 };
  for (;;) {
    const states: unknown[] = [];
    const found = await probe((state) => states.push(state));
    if (found) return found as Exclude<T, false | null | undefined>;
    const seen = JSON.stringify(states);
    if (seen !== last.seen) last = { seen, at: Date.now(), tries: 0 };
    last.tries += 1;
    const isStuck = Date.now() - last.at > withinMs && last.tries >= TRIES_MIN;
    assert.ok(!isStuck && Date.now() - beganAt < 10 * withinMs, `not within ${Date.now() - beganAt} ms: ${what}, last seen: ${last.seen}`);
    await sleep(20);
  }
}

export const idOf = (of: SnapshotRef | SnapshotView | ListedSnapshot): string => ("id" in of ? of.id : "snapshot" in of ? of.snapshot.id : of.ref.backup.id);

export const refsIn = ({ snapshots }: { snapshots: ListedSnapshot[] }): SnapshotRef[] => snapshots.map(({ ref }) => ref);
