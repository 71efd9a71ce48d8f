/** Access: every operation with every scope, over every surface that offers it. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { beforeEach, describe, it } from "node:test";
import type { Scope } from "../../entry/snapshotter.d.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ROOT } from "../../tools/local-worker.ts";
import { AGENT, envelopeOf, fails, RpcError, TOKEN, until, useWorld, type Session } from "./support.ts";

const TOKEN_KEYS = "k2:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=,k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const PAGE = "https://app.example.com";
const world = useWorld({ extraWorkers: [AGENT], env: { LOADER: { type: "worker-loader" } }, vars: { TOKEN_KEYS, ALLOWED_ORIGINS: `https://other.example.com, ${PAGE}` } });
const SCOPES: Scope[] = ["read", "write", "snapshot", "admin"];
const NOWHERE = { providerId: "cloudflare-sandbox", ref: { id: "nowhere" } } as const;

/**
 * One call per operation, and the scope that it needs. None of them starts a container: an allowed call fails for
 * another reason, or does nothing.
 */
const OPERATIONS: Record<string, { needs: Scope | "nothing" | "trust"; args: unknown[] }> = {
  open: { needs: "trust", args: [] },
  resolve: { needs: "read", args: [] },
  describe: { needs: "read", args: [] },
  list: { needs: "read", args: [] },
  get: { needs: "read", args: ["none"] },
  listWorkspaces: { needs: "read", args: [] },
  listEvents: { needs: "read", args: [] },
  listCommands: { needs: "read", args: [] },
  listSnapshotEvents: { needs: "read", args: ["none"] },
  listFiles: { needs: "read", args: ["none"] },
  readFile: { needs: "read", args: ["none", "a"] },
  streamFile: { needs: "read", args: ["none", "a"] },
  statFile: { needs: "read", args: ["none", "a"] },
  grep: { needs: "read", args: ["none", "a"] },
  copyFromSnapshot: { needs: "write", args: ["none", ["a"]] },
  copyFromWorkspace: { needs: "write", args: ["none", ["a"]] },
  diff: { needs: "read", args: [{ from: { snapshot: "none" } }] },
  compare: { needs: "write", args: [{ limit: 0 }] },
  runScript: { needs: "read", args: [""] },
  promote: { needs: "snapshot", args: [{ snapshot: "none" }] },
  lineage: { needs: "read", args: [] },
  timeline: { needs: "read", args: [] },
  saveTurn: { needs: "snapshot", args: [{ label: "" }] },
  planRetention: { needs: "read", args: [] },
  retain: { needs: "snapshot", args: [] },
  rebuild: { needs: "trust", args: [] },
  listTools: { needs: "nothing", args: [{ tools: "all" }] },
  cancel: { needs: "nothing", args: ["none"] },
  getOperation: { needs: "nothing", args: ["none"] },
  listOperations: { needs: "read", args: [] },
  startFresh: { needs: "write", args: [] },
  swapRef: { needs: "write", args: [NOWHERE] },
  switch: { needs: "write", args: [NOWHERE] },
  execStream: { needs: "write", args: ["true", { timeoutMs: 99_999_999 }] },
  exportTar: { needs: "read", args: [{ path: ".." }] },
  watch: { needs: "read", args: [".."] },
  importTar: { needs: "write", args: ["no stream"] },
  snapshot: { needs: "snapshot", args: [{ name: "00000000-0000-4000-8000-000000000000" }] },
  restore: { needs: "snapshot", args: ["none"] },
  branch: { needs: "snapshot", args: ["none"] },
  fork: { needs: "snapshot", args: [{ count: 0 }] },
  rewind: { needs: "snapshot", args: ["none"] },
  undo: { needs: "snapshot", args: [0] },
  delete: { needs: "snapshot", args: ["none"] },
  updateSnapshot: { needs: "snapshot", args: ["none", {}] },
  flatten: { needs: "snapshot", args: ["none"] },
  importSnapshot: { needs: "snapshot", args: ["no stream"] },
  importBackup: { needs: "snapshot", args: [{}] },
  exportSnapshot: { needs: "read", args: ["none"] },
  exportBackup: { needs: "snapshot", args: ["none"] },
  startProcess: { needs: "write", args: [{ name: "a", command: "" }] },
  listProcesses: { needs: "read", args: [] },
  readProcessLog: { needs: "read", args: [{ name: "none" }] },
  stopProcess: { needs: "write", args: [{ name: "none" }] },
  createCodeContext: { needs: "write", args: ["python"] },
  listCodeContexts: { needs: "read", args: [] },
  runInCodeContext: { needs: "write", args: ["0".repeat(26), "1"] },
  deleteCodeContext: { needs: "write", args: ["0".repeat(26)] },
  sharePreview: { needs: "write", args: [{ port: 80 }] },
  listPreviews: { needs: "read", args: [] },
  revokePreview: { needs: "write", args: ["0".repeat(26)] },
  pause: { needs: "write", args: [NOWHERE] },
  resume: { needs: "write", args: [NOWHERE] },
  destroyWorkspace: { needs: "snapshot", args: [NOWHERE] },
  usage: { needs: "read", args: [] },
  destroyContainer: { needs: "trust", args: [NOWHERE] },
  close: { needs: "admin", args: [] },
  deleteSession: { needs: "admin", args: [{ force: false }] },
};

const TOOLS: Record<string, Scope> = {
  workspace_describe: "read", workspace_list_snapshots: "read", workspace_get_snapshot: "read",
  workspace_list_workspaces: "read", workspace_lineage: "read", workspace_read_file: "read", workspace_ls: "read", workspace_glob: "read",
  workspace_grep: "read", workspace_stat: "read", workspace_write_file: "write", workspace_edit_file: "write",
  workspace_mkdir: "write", workspace_rm: "write", workspace_run: "write", workspace_run_code: "write", workspace_script: "read",
  workspace_start: "write", workspace_processes: "read", workspace_logs: "read", workspace_stop: "write",
  workspace_switch: "write", workspace_destroy: "snapshot", workspace_pause: "write", workspace_resume: "write", workspace_snapshot: "snapshot", workspace_restore: "snapshot",
  workspace_branch: "snapshot", workspace_fork: "snapshot", workspace_rewind: "snapshot", workspace_delete_snapshot: "snapshot", workspace_update_snapshot: "snapshot",
  workspace_copy_from_snapshot: "write", workspace_copy_from_workspace: "write",
  workspace_save_turn: "snapshot", workspace_timeline: "read",
  workspace_diff: "read", workspace_compare: "write", workspace_promote: "snapshot",
  workspace_git_checkpoint: "write", workspace_git_checkpoint_list: "read", workspace_git_checkpoint_restore: "write",
  workspace_git_checkpoint_diff: "read", workspace_git_checkpoint_delete: "write",
};
/** Input that no tool accepts, so that an allowed tool refuses it before it starts anything. */
const NO_INPUT = { noSuchField: true };

/** The same calls over HTTP, for the operations with a route. */
const ROUTES: Record<string, [method: string, route: string, body?: object]> = {
  open: ["PUT", "", {}],
  createToken: ["POST", "/tokens", { scopes: ["read"] }],
  listTokens: ["GET", "/tokens"],
  sharePreview: ["POST", "/previews", { port: 80 }],
  listPreviews: ["GET", "/previews"],
  createTicket: ["POST", "/tickets", { path: "/terminal" }],
  revokePreview: ["DELETE", `/previews/${"0".repeat(26)}`],
  revokeToken: ["DELETE", `/tokens/${"0".repeat(26)}`],
  resolve: ["GET", "/active-workspace"],
  describe: ["GET", ""],
  list: ["GET", "/snapshots"],
  get: ["GET", "/snapshots/none"],
  listWorkspaces: ["GET", "/workspaces"],
  listEvents: ["GET", "/events"],
  listCommands: ["GET", "/commands"],
  listSnapshotEvents: ["GET", "/snapshots/none/events"],
  listFiles: ["GET", "/snapshots/none/files"],
  streamFile: ["GET", "/snapshots/none/files/content?path=a"],
  statFile: ["GET", "/snapshots/none/files/stat"],
  grep: ["GET", "/snapshots/none/files/lines?pattern=a"],
  copyFromSnapshot: ["POST", "/copy", { ref: "none", paths: ["a"] }],
  copyFromWorkspace: ["POST", "/workspaces/nowhere/copy", { paths: ["a"] }],
  diff: ["POST", "/diff", { from: { snapshot: "none" } }],
  compare: ["POST", "/compare", { limit: 0 }],
  runScript: ["POST", "/script", { code: "" }],
  promote: ["POST", "/promote", { from: { snapshot: "none" } }],
  lineage: ["GET", "/lineage"],
  timeline: ["GET", "/turns"],
  saveTurn: ["POST", "/turns", { label: "" }],
  planRetention: ["GET", "/retention"],
  retain: ["POST", "/retention"],
  rebuild: ["POST", "/rebuild"],
  listTools: ["GET", "/tools"],
  cancel: ["POST", "/operations/none/cancel"],
  getOperation: ["GET", "/operations/none"],
  listOperations: ["GET", "/operations"],
  startFresh: ["POST", "/start-fresh"],
  switch: ["PUT", "/active-workspace", { ref: NOWHERE }],
  execStream: ["POST", "/commands", { command: "true", timeoutMs: 99_999_999 }],
  exportTar: ["GET", "/archive?path=.."],
  watch: ["GET", "/watch?path=.."],
  importTar: ["PUT", "/archive?path=.."],
  storePart: ["PUT", "/archive/uploads/none/1"],
  finishUpload: ["POST", "/archive/uploads/none", { parts: 1 }],
  abortUpload: ["DELETE", "/archive/uploads/none"],
  snapshot: ["POST", "/snapshots", { name: "00000000-0000-4000-8000-000000000000" }],
  restore: ["POST", "/workspaces", { from: "none", kind: "restored" }],
  branch: ["POST", "/workspaces", { from: "none", kind: "branch" }],
  fork: ["POST", "/forks", { count: 0 }],
  rewind: ["POST", "/rewind", { ref: "none" }],
  undo: ["POST", "/undo", { turns: 0 }],
  delete: ["DELETE", "/snapshots/none"],
  updateSnapshot: ["PATCH", "/snapshots/none", {}],
  flatten: ["POST", "/snapshots/none/flatten"],
  importSnapshot: ["POST", "/imports?name=00000000-0000-4000-8000-000000000000"],
  importBackup: ["POST", "/imports/backup", {}],
  exportSnapshot: ["GET", "/snapshots/none/archive"],
  exportBackup: ["POST", "/snapshots/none/backup"],
  startProcess: ["POST", "/processes", { name: "a", command: "" }],
  listProcesses: ["GET", "/processes"],
  readProcessLog: ["GET", "/processes/none/log"],
  stopProcess: ["DELETE", "/processes/none"],
  createCodeContext: ["POST", "/code-contexts", { language: "python" }],
  listCodeContexts: ["GET", "/code-contexts"],
  runInCodeContext: ["POST", `/code-contexts/${"0".repeat(26)}/run`, { code: "1" }],
  deleteCodeContext: ["DELETE", `/code-contexts/${"0".repeat(26)}`],
  pause: ["POST", "/workspaces/nowhere/pause"],
  resume: ["POST", "/workspaces/nowhere/resume"],
  destroyWorkspace: ["DELETE", "/workspaces/nowhere"],
  usage: ["GET", "/usage"],
  destroyContainer: ["DELETE", "/workspaces/nowhere/container"],
  close: ["POST", "/close"],
  deleteSession: ["DELETE", ""],
};
/** Calls across sessions, only for the operator. */
const ACROSS: [method: string, route: string, body?: object][] = [
  ["GET", "/v1/sessions"],
  ["GET", "/v1/workspaces"],
  ["GET", "/v1/pools"],
  ["DELETE", `/v1/pools/${"0".repeat(26)}`],
  ["GET", "/v1/usage"],
  ["POST", "/v1/prune", { rule: { olderThanSeconds: 86_400 } }],
  ["POST", "/v1/rebuild", {}],
  ["GET", "/v1/events"],
  ["GET", "/v1/metrics"],
];
const TRUST = { needs: "trust" } as const;
const WRITE = { needs: "write" } as const;
const HTTP_ONLY: Record<string, { needs: Scope | "trust" }> = {
  createToken: TRUST, listTokens: TRUST, revokeToken: TRUST, createTicket: WRITE, storePart: WRITE, finishUpload: WRITE, abortUpload: WRITE,
};

type Answer = { value: unknown } | { thrown: { name: string; message: string; own: Record<string, unknown> } };

/** A fresh token of a session. */
async function minted(session: Session, scopes: Scope[], more: object = {}): Promise<{ id: string; token: string }> {
  return session.http("POST", "/tokens", { scopes, ...more });
}

async function codeOfHttp(call: Promise<unknown>): Promise<string> {
  return call.then(() => "ok", (thrown: unknown) => envelopeOf(thrown).code);
}

async function mcpClient(session: string, token: string): Promise<Client> {
  const client = new Client({ name: "e2e", version: "1" });
  const url = new URL(`${world.worker.url}/v1/sessions/${session}/mcp?tools=all`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return client;
}

const codeOf = (answer: Answer) => ("thrown" in answer ? envelopeOf(new RpcError(answer.thrown)).code : "ok");

/** The rate of snapshots is not what the table tests, and a fast machine reaches it. */
const CONFIG = { capabilities: { fs: true, shell: true, code: true, script: true, snapshot: true }, limits: { snapshots: { perMinute: 1_000, burst: 1_000 } } };

describe("who may do what", () => {
  let session: Session;

  // Every call that closes the session is the last of its test.
  beforeEach(async () => {
    session = await world.opened("matrix", CONFIG);
  });

  it("the tools of the table are the tools there are", async () => {
    assert.deepEqual((await session.tools()).map(({ name }) => name).sort(), Object.keys(TOOLS).sort());
  });

  it("the operations and routes of the tables are those that are published", () => {
    const types = fs.readFileSync(path.join(ROOT, "entry/snapshotter.d.ts"), "utf8");
    const api = types.slice(types.indexOf("export interface SessionApi"));
    const methods = [...api.slice(0, api.indexOf("\n}")).matchAll(/^  ([a-z]\w*)[(<]/gm)].map(([, name]) => name!);
    // Tools have their own table, and the methods that return handles have their own tests.
    const others = ["callTool", "restricted", "asReadOnly"];
    assert.deepEqual(methods.filter((name) => !others.includes(name)).sort(), Object.keys(OPERATIONS).sort());

    const { paths } = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as { paths: Record<string, object> };
    const asked = [...Object.values(ROUTES).map(([method, route]) => [method, `/v1/sessions/matrix${route}`]), ...ACROSS] as [string, string][];
    // A terminal is no request that `fetch` makes: see terminal.test.ts.
    const untried = Object.entries(paths)
      .filter(([template]) => !/\/tools\/workspace_|\/(mcp|terminal)$|^\/(openapi\.json|health)?$/.test(template))
      .flatMap(([template, item]) => Object.keys(item).map((method) => [method.toUpperCase(), template] as const))
      .filter(([method, template]) => {
        const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
        return !asked.some(([by, route]) => by === method && pattern.test(route.split("?")[0]!));
      });
    assert.deepEqual(untried, []);
  });

  for (const scope of SCOPES) {
    it(`a handle with ${scope} over RPC reaches just what that allows`, async () => {
      const operations = Object.entries(OPERATIONS);
      const tools = Object.entries(TOOLS);
      const calls = [
        ...operations.map(([method, { args }]) => [method, ...args]),
        ...tools.map(([name]) => ["callTool", name, NO_INPUT]),
      ];
      const answers = await world.agent<Answer[]>("restricted", { session: "matrix", through: [[scope]], calls });
      const cells = [...operations.map(([name, { needs }]) => [name, needs] as const), ...tools];
      for (const [index, [name, needs]] of cells.entries()) {
        const allowed = needs === "nothing" || needs === scope;
        const code = codeOf(answers[index]!);
        assert.equal(code !== "FORBIDDEN", allowed, `${name} with ${scope}: ${code}`);
        if (allowed && name in TOOLS) assert.equal(code, "INVALID_ARGUMENT", name);
      }
      const listed = answers[operations.findIndex(([name]) => name === "listTools")] as { value: { name: string }[] };
      const own = tools.filter(([, needs]) => needs === scope).map(([name]) => name);
      assert.deepEqual(listed.value.map(({ name }) => name).sort(), own.sort(), "only these are shown");
    });
  }

  for (const scope of SCOPES) {
    it(`a token with ${scope} over HTTP reaches just what that allows`, async () => {
      const { token } = await minted(session, [scope]);
      const holder = world.session("matrix", token);
      for (const [name, [method, route, body]] of Object.entries(ROUTES)) {
        const { needs } = { ...OPERATIONS, ...HTTP_ONLY }[name]!;
        const code = await codeOfHttp(holder.http(method, route, body));
        assert.equal(code !== "FORBIDDEN", needs === "nothing" || needs === scope, `${name} with ${scope}: ${code}`);
        if (name === "close") await session.open(CONFIG);
      }
      for (const [name, needs] of Object.entries(TOOLS)) {
        const code = await codeOfHttp(holder.tool(name, NO_INPUT));
        assert.equal(code, needs === scope ? "INVALID_ARGUMENT" : "FORBIDDEN", `${name} with ${scope}`);
      }
      assert.deepEqual((await holder.tools()).map(({ name }) => TOOLS[name]), Array(Object.values(TOOLS).filter((of) => of === scope).length).fill(scope));
    });

    it(`a token with ${scope} over MCP reaches just what that allows`, async () => {
      const { token } = await minted(session, [scope]);
      const client = await mcpClient("matrix", token);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(TOOLS).filter((name) => TOOLS[name] === scope).sort());
      for (const [name, needs] of Object.entries(TOOLS)) {
        const { _meta } = await client.callTool({ name, arguments: NO_INPUT });
        const error = _meta!["snapshotter/error"] as { code: string; details?: { missingScope?: string } };
        assert.equal(error.code, needs === scope ? "INVALID_ARGUMENT" : "FORBIDDEN", `${name} with ${scope}`);
        if (needs !== scope) assert.equal(error.details?.missingScope, needs);
      }
      const resources = client.listResources().then(() => "ok", (error: Error) => error.message);
      assert.match(await resources, scope === "read" ? /^ok$/ : /FORBIDDEN/);
      const uri = "workspace://matrix/snapshots/7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";
      await assert.rejects(client.readResource({ uri }), scope === "read" ? /not found/i : /FORBIDDEN/);
      await client.close();
    });
  }

  it("the operator may do all of it, over HTTP and MCP", async () => {
    for (const [name, [method, route, body]] of Object.entries(ROUTES)) {
      assert.notEqual(await codeOfHttp(session.http(method, route, body)), "FORBIDDEN", name);
      if (name === "close") await session.open(CONFIG);
    }
    const client = await mcpClient("matrix", TOKEN);
    assert.equal((await client.listTools()).tools.length, Object.keys(TOOLS).length);
    await client.close();
  });

  it("a handle with every scope sets no policy, and one narrowed twice has what both have", async () => {
    const ask = (through: Scope[][], ...calls: unknown[][]) =>
      world.agent<Answer[]>("restricted", { session: "matrix", through, calls }).then((answers) => answers.map(codeOf));
    assert.deepEqual(await ask([SCOPES], ["open"], ["describe"]), ["FORBIDDEN", "ok"]);
    const both: Scope[][] = [["read", "write"], ["write", "snapshot"]];
    assert.deepEqual(
      await ask(both, ["describe"], ["switch", NOWHERE], ["delete", "none"]),
      ["FORBIDDEN", "WORKSPACE_NOT_OWNED", "FORBIDDEN"],
    );
    const { hint, details } = await fails("INVALID_ARGUMENT", world.rpc("matrix", "restricted", ["bogus"]));
    assert.ok(hint);
    assert.deepEqual(details, { field: "scopes" });
  });

  it("nothing leads out of a handle that only reads", async () => {
    const before = world.worker.containers();
    const answers = await world.agent<Record<string, unknown>>("escape", { session: "matrix" });
    for (const [way, answer] of Object.entries(answers)) {
      assert.match(String(answer), /^FORBIDDEN|^INVALID_ARGUMENT: scopes|not implement|not a function|can't be (?:called|accessed)|no such/i, way);
    }
    assert.equal((await session.describe()).status, "open");
    assert.deepEqual(world.worker.containers(), before, "nothing was started");
  });
});

describe("a session token", () => {
  it("ends at once when it is revoked, on every surface", async () => {
    const session = await world.opened("revoked");
    const { id, token } = await minted(session, ["read"], { description: "for CI" });
    const holder = world.session("revoked", token);
    const client = await mcpClient("revoked", token);
    await holder.describe();
    assert.ok((await client.listTools()).tools.length > 5);
    const { tokens } = await session.http<{ tokens: { id: string; description: string; token?: string }[] }>("GET", "/tokens");
    assert.deepEqual(tokens.map(({ id, description, token }) => [id, description, token]), [[id, "for CI", undefined]]);
    assert.deepEqual(await session.http("DELETE", `/tokens/${id}`), { revoked: true });
    assert.deepEqual(await session.http("DELETE", `/tokens/${id}`), { revoked: true }, "again succeeds");
    await fails("UNAUTHENTICATED", holder.describe());
    await assert.rejects(client.listTools());
    await world.worker.restart();
    await fails("UNAUTHENTICATED", holder.describe());
    assert.deepEqual((await session.eventsOf("token.created")).map(({ payload }) => payload), [{ tokenId: id, scopes: ["read"] }]);
  });

  it("is told again to who repeats the call under its key, until it is revoked", async () => {
    const session = await world.opened("again");
    const mint = (scopes: string[]) => session.http<{ id: string; token: string }>("POST", "/tokens", { scopes }, { "idempotency-key": "CI" });
    const first = await mint(["read"]);
    await world.worker.restart();
    assert.deepEqual(await mint(["read"]), first);
    await fails("CONFLICT", mint(["read", "write"]));
    const { operations } = await session.http<{ operations: { id: string }[] }>("GET", "/operations");
    const recorded = await session.http<{ op: string; result: object }>("GET", `/operations/${operations[0]!.id}`);
    assert.equal(recorded.op, "createToken");
    assert.ok(!JSON.stringify(recorded).includes(first.token.split(".")[3]!), "the record does not have its text");
    await session.http("DELETE", `/tokens/${first.id}`);
    await fails("NOT_FOUND", mint(["read"]));
  });

  it("is good for its session alone, and for no operator route", async () => {
    const session = await world.opened("own");
    await world.opened("other");
    const { token } = await minted(session, SCOPES);
    const told = await fails("FORBIDDEN", world.session("other", token).describe());
    const ofNothing = await fails("FORBIDDEN", world.session("never-opened", token).describe());
    assert.deepEqual(told, ofNothing, "whether or not there is such a session");
    await fails("FORBIDDEN", world.session("own", token).open());
    for (const [method, route, body] of ACROSS) {
      await fails("FORBIDDEN", world.operator(method, route, body, token));
      await fails("UNAUTHENTICATED", world.operator(method, route, body, null));
      await world.operator(method, route, body);
    }
  });

  it("is refused in one way when it is forged, expired, or in the URL", async () => {
    const session = await world.opened("forged");
    const { token } = await minted(session, ["read"], { ttlSeconds: 1 });
    const [prefix, key, claims, mac] = token.split(".") as [string, string, string, string];
    const raised = Buffer.from(Buffer.from(claims, "base64url").toString().replace("read", "admin")).toString("base64url");
    const tried = [
      `${prefix}.k1.${claims}.${mac}`, `${prefix}.${key}.${raised}.${mac}`, `${prefix}.none.${claims}.${mac}`, `${token}A`,
      `${prefix}.${key}.${claims}.`, token.slice(0, -1), `sst1.${"A".repeat(5_000)}`, "sst1.", "nothing",
    ];
    const refusals = [];
    for (const forged of tried) refusals.push(await fails("UNAUTHENTICATED", world.session("forged", forged).describe()));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    refusals.push(await fails("UNAUTHENTICATED", world.session("forged", token).describe()));
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
    for (const [name, value] of [["token", token], ["access_token", TOKEN], ["authorization", `Bearer ${TOKEN}`]]) {
      const response = await fetch(`${world.worker.url}/v1/sessions/forged?${new URLSearchParams({ [name!]: value! })}`);
      assert.equal(response.status, 401);
    }
    // An unsigned token never wakes an object.
    await fails("UNAUTHENTICATED", world.session("never-woken", "sst1.k1.e30.AAAA").describe());
    await world.session("never-opened").describe().catch(() => {});
    await world.logged(({ session }) => session === "never-opened");
    assert.deepEqual(world.logLines().filter(({ session }) => session === "never-woken"), []);
  });

  it("is nowhere in the log", async () => {
    const session = await world.opened("logged");
    const { id, token } = await minted(session, ["read"]);
    await world.session("logged", token).describe();
    const line = await until("the log", () => world.logLines().findLast((line) => line.event === "describe" && line["session"] === "logged"));
    assert.deepEqual([line?.["caller"], line?.["tokenId"]], ["token", id]);
    assert.ok(!world.logText().includes(token.split(".")[2]!) && !world.logText().includes(token.split(".")[3]!));
  });
});

describe("rates", () => {
  it("refuse what comes too fast, over HTTP, MCP and RPC together, and let it be stopped", async () => {
    const session = await world.opened("fast", { limits: { calls: { perMinute: 60, burst: 12 } } });
    const client = await mcpClient("fast", TOKEN);
    const calls = Array.from({ length: 8 }, () => [
      codeOfHttp(session.describe()),
      world.rpc("fast", "describe").then(() => "ok", (thrown: unknown) => envelopeOf(thrown).code),
      client.listTools().then(() => "ok", (error: Error) => error.message),
    ]).flat();
    const began = Date.now();
    const answers = await Promise.all(calls);
    // Each second allows one more call.
    const refilled = Math.ceil((Date.now() - began) / 1_000);
    const limited = answers.filter((answer) => answer.startsWith("RATE_LIMITED") || answer.includes("RATE_LIMITED"));
    assert.ok(limited.length >= 11 - refilled && limited.length <= 13, `${limited.length} of 24: ${answers}`);
    await client.close();
    const response = await until("one is refused", async () => {
      const described = Array.from({ length: 5 }, () => fetch(`${world.worker.url}/v1/sessions/fast`, { headers: { authorization: `Bearer ${TOKEN}` } }));
      return (await Promise.all(described)).find(({ status }) => status !== 200);
    });
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "1");
    const { error } = (await response.json()) as { error: { details: { retryAfterMs: number }; retryable: boolean } };
    assert.ok(error.retryable && error.details.retryAfterMs > 0 && error.details.retryAfterMs <= 1_000);
    await session.close();
    const described = await until("a call is taken again", () => session.describe().catch(() => undefined));
    assert.equal(described.status, "closed");
  });
});

describe("web pages", () => {
  const call = (origin: string | undefined, method = "GET", route = "/v1/sessions/page", more: Record<string, string> = {}) =>
    fetch(`${world.worker.url}${route}`, { method, headers: { authorization: `Bearer ${TOKEN}`, ...(origin !== undefined && { origin }), ...more } });

  it("are refused, also at MCP and before anything is asked of them, unless listed", async () => {
    await world.opened("page");
    for (const [method, route] of [["GET", "/v1/sessions/page"], ["POST", "/v1/sessions/page/mcp"], ["OPTIONS", "/v1/sessions/page"]]) {
      const response = await call("https://evil.example.com", method, route);
      assert.equal(response.status, 403, `${method} ${route}`);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
      const { error } = (await response.json()) as { error: { code: string } };
      assert.equal(error.code, "FORBIDDEN");
    }
    assert.equal((await call(undefined)).headers.get("access-control-allow-origin"), null);
  });

  it("that are listed may call and read the answer", async () => {
    const preflight = await call(PAGE, "OPTIONS", "/v1/sessions/page", { "access-control-request-method": "PUT" });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), PAGE);
    assert.match(preflight.headers.get("access-control-allow-methods")!, /PUT/);
    assert.match(preflight.headers.get("access-control-allow-headers")!, /authorization/);
    const answer = await call(PAGE);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("access-control-allow-origin"), PAGE);
    assert.equal(answer.headers.get("vary"), "origin");
    assert.equal(((await answer.json()) as { session: string }).session, "page");
    const without = await call(PAGE, "GET", "/v1/sessions/page", { authorization: "" });
    assert.deepEqual([without.status, without.headers.get("access-control-allow-origin")], [401, PAGE], "listing is no token");
  });
});
