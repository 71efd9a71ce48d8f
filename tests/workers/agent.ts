/**
 * Another Worker, as an author who uses Snapshotter would write it: an agent with its own Durable Object, which reaches
 * the `AgentHost` by binding and by the types of entry/snapshotter.d.ts. The tests run its scripts over HTTP.
 */

import { DurableObject } from "cloudflare:workers";
import type { AgentHostApi, SnapshotRef, SnapshotterError, WorkspaceConfig } from "../../entry/snapshotter.d.ts";
import { pick, randomFrom } from "../random.ts";

interface Env {
  AGENT_HOST: DurableObjectNamespace;
  SANDBOX: DurableObjectNamespace;
  Agent: DurableObjectNamespace<Agent>;
}

type Host = DurableObjectStub & AgentHostApi;
type Script = (env: Env, args: any) => Promise<unknown>;

const hostOf = (env: Env, session: string) => env.AGENT_HOST.getByName(session) as Host;

/** An agent that keeps the ref of its last good state, tries something, and goes back if that fails. */
export class Agent extends DurableObject<Env> {
  async attempt(session: string, config: WorkspaceConfig): Promise<object> {
    const host = hostOf(this.env, session);
    const opened = await host.open(config);
    await host.callTool("workspace_write_file", { path: "src/main.py", content: "print('good')\n" });
    const { ref, snapshot } = await host.snapshot({ name: "good", description: "it runs", ttlSeconds: 3600 });
    await this.ctx.storage.put("last-good", ref);

    await host.callTool("workspace_write_file", { path: "src/main.py", content: "print(\n" });
    const failed = await host.callTool("workspace_run", { command: ["python3", "src/main.py"] });

    const kept = await this.ctx.storage.get<SnapshotRef>("last-good");
    const fork = await host.restore(kept!);
    const before = await host.resolve();
    await host.swapRef(fork);
    const after = await host.resolve();
    const ran = await host.callTool("workspace_run", { command: ["python3", "src/main.py"] });
    const branch = await host.branch("good");
    const switched = await host.switch(branch);
    const listed = await host.list({ limit: 1 });
    const got = await host.get(snapshot.id);
    const { workspaces } = await host.listWorkspaces();
    await host.switch(fork);
    await host.destroyWorkspace(branch);
    const deleted = await host.delete(kept!);
    const { events } = await host.listEvents();
    const described = await host.describe();
    const closed = await host.close();
    return {
      opened, ref, snapshot, failed, fork, before, after, ran, branch, switched, listed, got, workspaces, deleted: deleted === undefined,
      events: events.map((event) => event.kind), described, closed,
    };
  }
}

const scripts: Record<string, Script> = {
  /** Calls any one method. Describes its error as this Worker sees it. */
  async call(env, { object, name, method, args }: { object: string; name: string; method: string; args: unknown[] }) {
    const stub = (object === "host" ? env.AGENT_HOST : env.SANDBOX).getByName(name) as any;
    try {
      return { value: await stub[method](...args.map(revived)) };
    } catch (thrown) {
      return { thrown: described(thrown) };
    }
  },

  /**
   * Makes calls on a restricted handle: each is `[method, ...arguments]`. Returns the results. `through` narrows the
   * handle step by step, as agents that pass it on would.
   */
  async restricted(env, { session, through, calls }: { session: string; through: string[][]; calls: [string, ...unknown[]][] }) {
    let handle: any = hostOf(env, session);
    for (const scopes of through) handle = await handle.restricted(scopes);
    const answers = [];
    for (const [method, ...args] of calls) {
      try {
        answers.push({ value: (await handle[method](...args)) ?? null });
      } catch (thrown) {
        answers.push({ thrown: described(thrown) });
      }
    }
    return answers;
  },

  /** Tries the ways out of a read-only handle, and returns whether one works. */
  async escape(env, { session }: { session: string }) {
    const answers: Record<string, unknown> = {};
    const attempt = async (name: string, way: (handle: any) => unknown) => {
      try {
        using handle = (await hostOf(env, session).asReadOnly()) as any;
        answers[name] = await way(handle);
      } catch (thrown) {
        answers[name] = thrown instanceof Error ? thrown.message : String(thrown);
      }
    };
    const operation = JSON.stringify({ caller: { kind: "operator" }, ask: { op: "close", args: {} } });
    await attempt("fetch", (handle) => handle.fetch("http://agent-host/", { method: "POST", body: operation }));
    await attempt("alarm", (handle) => handle.alarm());
    await attempt("call", (handle) => handle.call("close", {}, null));
    await attempt("Symbol(call)", (handle) => handle["Symbol(call)"]("close", {}, null));
    await attempt("session", (handle) => handle.session.close());
    await attempt("#session", (handle) => handle["#session"].close());
    await attempt("constructor", (handle) => handle.constructor.prototype.close());
    await attempt("prototype of the stub", (handle) => handle.__proto__.close());
    await attempt("prototype", (handle) => handle.prototype.close());
    await attempt("callTool", (handle) => handle.callTool("workspace_run", { command: "true" }));
    await attempt("callTool with scopes", (handle) => handle.callTool("workspace_run", { command: "true" }, { scopes: ["write"] }));
    await attempt("scopes as an argument", (handle) => handle.close(["admin"], null));
    await attempt("restricted", (handle) => handle.restricted(["read", "admin"]).close());
    await attempt("restricted, twice", (handle) => handle.restricted(["admin"]).restricted(["admin"]).close());
    await attempt("restricted to what is no list", (handle) => handle.restricted({ includes: true }).close());
    await attempt("restricted to what is no scope", (handle) => handle.restricted(["root"]).close());
    await attempt("restricted to nothing", (handle) => handle.restricted([]).describe());
    await attempt("asReadOnly", (handle) => handle.asReadOnly().close());
    await attempt("open", (handle) => handle.open({}));
    return answers;
  },

  /** A Sandbox's HTTP response. */
  async fetchSandbox(env, { name }: { name: string }) {
    const response = await env.SANDBOX.getByName(name).fetch("http://sandbox/");
    return { status: response.status, body: await response.text() };
  },

  /** Calls the same method of one object `times` times at once. */
  async together(env, { object, name, method, args, times }) {
    const calls = Array.from({ length: times }, () => scripts["call"]!(env, { object, name, method, args }));
    return Promise.all(calls);
  },

  attempt: (env, { session, config }) => env.Agent.getByName(session).attempt(session, config),

  /**
   * Calls operations with `count` forged references, which name nothing of this session. Counts the answers by kind of
   * reference.
   */
  async forge(env, { session, own, foreign, count, seed }: Forgery) {
    const host = hostOf(env, session);
    const random = randomFrom(seed);
    const answers: Record<string, number> = {};
    const unexpected: string[] = [];
    let mangles = 0;
    const attempt = async () => {
      const [kind, ref] = forgedRef(random, own, foreign, () => mangles++);
      const operation = pick(random, ["get", "restore", "branch", "delete", "workspace_restore", "workspace_delete_snapshot"]);
      let answer;
      try {
        if (operation.startsWith("workspace_")) await host.callTool(operation, { ref });
        else await host[operation as "get"](ref as SnapshotRef);
        answer = "accepted";
      } catch (thrown) {
        // The refusal must be the same, whether the thing exists or not.
        const { code, message } = thrown as SnapshotterError;
        answer = code === "INVALID_ARGUMENT" ? code : message;
      }
      if (answer === "accepted" && unexpected.length < 5) unexpected.push(`${operation} ${JSON.stringify(ref)}`);
      answers[`${kind}: ${answer}`] = (answers[`${kind}: ${answer}`] ?? 0) + 1;
    };
    for (let done = 0; done < count; done += 100) {
      await Promise.all(Array.from({ length: Math.min(100, count - done) }, attempt));
    }
    return { answers, unexpected };
  },

  /** Reads the events of a stream, to its end or until one of a type, and then releases the stream. */
  async events(env, { session, method, args, until }: { session: string; method: "execStream" | "watch"; args: [any, any]; until?: string }) {
    const events: { type: string }[] = [];
    try {
      const stream = await hostOf(env, session)[method](...args);
      // Leaving the loop cancels the stream.
      for await (const event of parseSSEStream(stream)) {
        events.push(event);
        if (event.type === until) break;
      }
      return { events };
    } catch (thrown) {
      return { events, thrown: described(thrown) };
    }
  },

  /** Reads a stream of bytes as text. */
  async text(env, { session, method, args }: { session: string; method: "streamFile"; args: [any, any] }) {
    return new Response(await hostOf(env, session)[method](...args)).text();
  },

  /** Reads a stream of events with one pause, after `after` bytes. */
  async sip(env, { session, command, options, after, pauseMs }) {
    const reader = (await hostOf(env, session).execStream(command, options)).getReader();
    let bytes = 0;
    let last: Uint8Array = new Uint8Array();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (bytes <= after && bytes + value.length > after) await scheduler.wait(pauseMs);
      bytes += value.length;
      last = value;
    }
    return { bytes, last: new TextDecoder().decode(last) };
  },

  /** Copies a directory from one session into the same path of another, as an opaque stream. */
  async carry(env, { from, to, path }: { from: string; to: string; path: string }) {
    return hostOf(env, to).importTar(await hostOf(env, from).exportTar({ path }), { path });
  },

  /** Makes a snapshot of one session's in another, as an opaque stream. */
  async pass(env, { from, to, snapshot, options }) {
    return hostOf(env, to).importSnapshot(await hostOf(env, from).exportSnapshot(snapshot), options);
  },

  /** Aborts before the call. Whether a signal can cross depends on the runtime; that no work starts depends on us. */
  async aborted(env, { session }: { session: string }) {
    try {
      return { value: await hostOf(env, session).snapshot({ signal: AbortSignal.abort() }) };
    } catch (thrown) {
      return { thrown: described(thrown) };
    }
  },

  /** A caller outside can call only `call` and the names in the interface. */
  async reach(env, { session, names }: { session: string; names: string[] }) {
    const answers: Record<string, string> = {};
    for (const name of names) {
      try {
        await (hostOf(env, session) as any)[name]();
        answers[name] = "answered";
      } catch (thrown) {
        answers[name] = thrown instanceof Error ? thrown.message : String(thrown);
      }
    }
    return answers;
  },
};

type Forgery = { session: string; own: SnapshotRef; foreign: SnapshotRef; count: number; seed: number };

function forgedRef(random: () => number, own: SnapshotRef, foreign: SnapshotRef, nextFault: () => number): [string, unknown] {
  const backup = (id: string, origin: unknown = own.ref.originSandboxId) => ({
    providerId: "cloudflare-sandbox",
    ref: { backup: { id, dir: "/workspace" }, originSandboxId: origin },
  });
  const kind = pick(random, ["random id", "random ref", "foreign id", "foreign backup", "foreign origin", "null origin", "mangled"]);
  switch (kind) {
    case "random id": return [kind, uuid(random)];
    case "random ref": return [kind, backup(uuid(random))];
    case "foreign id": return [kind, foreign.ref.backup.id];
    case "foreign backup": return [kind, backup(foreign.ref.backup.id, pick(random, [own, foreign]).ref.originSandboxId)];
    case "foreign origin": return [kind, backup(own.ref.backup.id, pick(random, [foreign.ref.originSandboxId, `s${Math.floor(random() * 1e9)}`]))];
    case "null origin": return [kind, backup(pick(random, [own, foreign]).ref.backup.id, null)];
    default: return [kind, mangled(random, own, nextFault())];
  }
}

/** A valid ref with one fault. The faults come in turn, so that a thousand refs have each of them. */
function mangled(random: () => number, own: SnapshotRef, fault: number): unknown {
  const { backup, originSandboxId } = own.ref;
  const { id } = backup;
  const at = Math.floor(random() * id.length);
  const withId = (id: unknown) => ({ ...own, ref: { backup: { ...backup, id }, originSandboxId } });
  const faults: (() => unknown)[] = [
    () => withId(id.toUpperCase() === id ? `{${id}}` : id.toUpperCase()),
    () => withId(id.slice(0, at)),
    () => withId(id.slice(0, at) + pick(random, ["/", "..", "%2f", "\0", "g", " ", "é"]) + id.slice(at + 1)),
    () => withId(`../${id}`),
    () => withId(`${id.slice(0, 14)}1${id.slice(15)}`),
    () => withId(null),
    () => withId(7),
    () => withId({ id }),
    () => ({ ...own, ref: { ...own.ref, extra: true } }),
    () => ({ ...own, extra: true }),
    () => ({ ...own, providerId: pick(random, ["docker", "", null]) }),
    () => ({ providerId: own.providerId }),
    () => ({ ...own, ref: { originSandboxId } }),
    () => ({ ...own, ref: { backup, originSandboxId: pick<unknown>(random, ["..", "a/b", "A", "", 7, [originSandboxId]]) } }),
    () => [own],
    () => null,
    () => ({}),
    () => "",
  ];
  return faults[fault % faults.length]!();
}

/** Reads Server-Sent Events as `@cloudflare/sandbox` 0.12 does: line by line, only lines with data. */
async function* parseSSEStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<any> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (buffer + decoder.decode(value, { stream: true })).split("\n");
      buffer = lines.pop()!;
      for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length));
    }
  } finally {
    await reader.cancel();
  }
}

/** Everything that a Worker can see of an error. */
function described(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { name: "not an Error", message: String(thrown), own: {} };
  const own = Object.fromEntries(Object.getOwnPropertyNames(thrown).map((name) => [name, (thrown as any)[name]]));
  for (const name of ["stack", "message", "name", "remote"]) delete own[name];
  return { name: thrown.name, message: thrown.message, own };
}

/** Restores NaN and infinities, which JSON lacks and RPC has. */
function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  if ("$number" in value) return Number(value.$number);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, revived(field)]));
}

function uuid(random: () => number): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(random, ["8", "9", "a", "b"])}${hex(3)}-${hex(12)}`;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { script, args } = await request.json<{ script: string; args: object }>();
    const run = scripts[script];
    if (!run) return new Response(`no script ${script}`, { status: 404 });
    try {
      return Response.json(await run(env, args));
    } catch (thrown) {
      return new Response(thrown instanceof Error ? `${thrown.stack}` : String(thrown), { status: 500 });
    }
  },
};
