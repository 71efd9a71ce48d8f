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

/** The rows of a table of docs/capabilities.md, by the heading of its first column. */
function rows(heading: string): Record<string, string>[] {
  const page = fs.readFileSync(path.join(ROOT, "docs/capabilities.md"), "utf8");
  const table = page.slice(page.indexOf(`\n| ${heading} |`) + 1).split("\n\n")[0]!;
  const [names, , ...cells] = table.split("\n").map((line) => line.slice(2, -2).split(" | ").map((cell) => cell.replaceAll("`", "")));
  return cells.map((row) => Object.fromEntries(names!.map((name, index) => [name, row[index]!])));
}

type Needs = Scope | "nothing" | "trust";
const NEEDS: Record<string, Needs> = Object.fromEntries(
  rows("operation").map(({ operation, needs }) => [operation, ({ "no restriction": "trust", "what the call needs": "nothing" } as Record<string, Needs>)[needs!] ?? needs]),
);
const TOOLS: Record<string, Scope> = Object.fromEntries(rows("tool").map(({ tool, needs }) => [tool, needs]));
/** Tools have their own table, and the methods that return handles have their own tests. */
const UNTRIED = ["callTool", "restricted", "asReadOnly"];
/** A terminal is no request that `fetch` makes: see terminal.test.ts. */
const NO_REQUEST = ["terminal"];
/** What others can't be called after. */
const LAST = ["close", "deleteSession"];
const byLast = (a: string, b: string) => LAST.indexOf(a) - LAST.indexOf(b);

/**
 * What each operation is called with over RPC. None of the calls starts a container: an allowed call fails for another
 * reason, or does nothing. Without an entry, each positional argument is "none".
 */
const ARGS: Record<string, unknown[]> = {
  open: [],
  copyFromSnapshot: ["none", ["a"]],
  copyFromWorkspace: ["none", ["a"]],
  diff: [{ from: { snapshot: "none" } }],
  compare: [{ limit: 0 }],
  runScript: [""],
  promote: [{ snapshot: "none" }],
  saveTurn: [{ label: "" }],
  listTools: [{ tools: "all" }],
  swapRef: [NOWHERE],
  switch: [NOWHERE],
  execStream: ["true", { timeoutMs: 99_999_999 }],
  exportTar: [{ path: ".." }],
  watch: [".."],
  importTar: ["no stream"],
  snapshot: [{ name: "00000000-0000-4000-8000-000000000000" }],
  fork: [{ count: 0 }],
  undo: [0],
  updateSnapshot: ["none", {}],
  importSnapshot: ["no stream"],
  importBackup: [{}],
  startProcess: [{ name: "a", command: "" }],
  readProcessLog: [{ name: "none" }],
  stopProcess: [{ name: "none" }],
  createCodeContext: ["python"],
  runInCodeContext: ["0".repeat(26), "1"],
  deleteCodeContext: ["0".repeat(26)],
  sharePreview: [{ port: 80 }],
  revokePreview: ["0".repeat(26)],
  pause: [NOWHERE],
  resume: [NOWHERE],
  destroyWorkspace: [NOWHERE],
  destroyContainer: [NOWHERE],
  deleteSession: [{ force: false }],
};
const METHODS: Record<string, { positions?: string[] }> = JSON.parse(fs.readFileSync(path.join(ROOT, "entry/methods.json"), "utf8"));
const OPERATIONS = rows("operation")
  .filter(({ RPC, operation }) => RPC !== "–" && !UNTRIED.includes(operation!))
  .map(({ operation }) => operation!)
  .sort(byLast)
  .map((name) => ({ name, needs: NEEDS[name]!, args: ARGS[name] ?? (METHODS[name]!.positions ?? []).map(() => "none") }));

/** Input that no tool accepts, so that an allowed tool refuses it before it starts anything. */
const NO_INPUT = { noSuchField: true };

/** The query or the body of the same calls over HTTP, where a route takes one. */
const SENT: Record<string, string | object> = {
  open: {},
  createToken: { scopes: ["read"] },
  sharePreview: { port: 80 },
  createTicket: { path: "/terminal" },
  streamFile: "?path=a",
  grep: "?pattern=a",
  copyFromSnapshot: { ref: "none", paths: ["a"] },
  copyFromWorkspace: { paths: ["a"] },
  diff: { from: { snapshot: "none" } },
  compare: { limit: 0 },
  runScript: { code: "" },
  promote: { from: { snapshot: "none" } },
  saveTurn: { label: "" },
  switch: { ref: NOWHERE },
  execStream: { command: "true", timeoutMs: 99_999_999 },
  exportTar: "?path=..",
  watch: "?path=..",
  importTar: "?path=..",
  finishUpload: { parts: 1 },
  snapshot: { name: "00000000-0000-4000-8000-000000000000" },
  restore: { from: "none", kind: "restored" },
  branch: { from: "none", kind: "branch" },
  fork: { count: 0 },
  rewind: { ref: "none" },
  undo: { turns: 0 },
  updateSnapshot: {},
  importSnapshot: "?name=00000000-0000-4000-8000-000000000000",
  importBackup: {},
  startProcess: { name: "a", command: "" },
  createCodeContext: { language: "python" },
  runInCodeContext: { code: "1" },
};
const IN_PATHS: Record<string, string> = { part: "1", preview: "0".repeat(26), token: "0".repeat(26), context: "0".repeat(26) };
const ROUTES = rows("operation")
  .filter(({ HTTP, operation }) => HTTP !== "–" && ![...UNTRIED, ...NO_REQUEST].includes(operation!))
  .sort((a, b) => byLast(a.operation!, b.operation!))
  .map(({ operation, HTTP }) => {
    const [method, template = ""] = HTTP!.split(", ")[0]!.split(" ");
    const sent = SENT[operation!];
    const query = typeof sent === "string" ? sent : "";
    const route = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => IN_PATHS[name] ?? "none") + query;
    return { name: operation!, needs: NEEDS[operation!]!, method: method!, route, body: typeof sent === "object" ? sent : undefined };
  });
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
const CONFIG = { capabilities: { fs: true, shell: true, code: { stateful: true }, script: true, snapshot: true }, limits: { snapshots: { perMinute: 1_000, burst: 1_000 } } };

describe("who may do what", () => {
  let session: Session;

  // Every call that closes the session is the last of its test.
  beforeEach(async () => {
    session = await world.opened("matrix", CONFIG);
  });

  it("the tools of the table are the tools there are", async () => {
    assert.deepEqual((await session.tools()).map(({ name }) => name).sort(), Object.keys(TOOLS).sort());
  });

  it("the methods and routes that are tried are those that are published", () => {
    const types = fs.readFileSync(path.join(ROOT, "entry/snapshotter.d.ts"), "utf8");
    const api = types.slice(types.indexOf("export interface SessionApi"));
    const methods = [...api.slice(0, api.indexOf("\n}")).matchAll(/^  ([a-z]\w*)[(<]/gm)].map(([, name]) => name!);
    assert.deepEqual(methods.filter((name) => !UNTRIED.includes(name)).sort(), OPERATIONS.map(({ name }) => name).sort());

    const { paths } = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as { paths: Record<string, object> };
    const asked = [...ROUTES.map(({ method, route }) => [method, `/v1/sessions/matrix${route}`]), ...ACROSS] as [string, string][];
    const untried = Object.entries(paths)
      .filter(([template]) => !/\/tools\/workspace_|\/(mcp|terminal)$|^\/(openapi\.json|health)?$/.test(template))
      .flatMap(([template, item]) => Object.keys(item).map((method) => [method.toUpperCase(), template] as const))
      .filter(([method, template]) => {
        const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
        return !asked.some(([by, route]) => by === method && pattern.test(route.split("?")[0]!));
      });
    assert.deepEqual(untried, []);
    const named = [...OPERATIONS, ...ROUTES].map(({ name }) => name);
    assert.deepEqual([...Object.keys(ARGS), ...Object.keys(SENT)].filter((name) => !named.includes(name)), []);
  });

  for (const scope of SCOPES) {
    it(`a handle with ${scope} over RPC reaches just what that allows`, async () => {
      const tools = Object.entries(TOOLS);
      const calls = [
        ...OPERATIONS.map(({ name, args }) => [name, ...args]),
        ...tools.map(([name]) => ["callTool", name, NO_INPUT]),
      ];
      const answers = await world.agent<Answer[]>("restricted", { session: "matrix", through: [[scope]], calls });
      const cells = [...OPERATIONS.map(({ name, needs }) => [name, needs] as const), ...tools];
      for (const [index, [name, needs]] of cells.entries()) {
        const allowed = needs === "nothing" || needs === scope;
        const code = codeOf(answers[index]!);
        assert.equal(code !== "FORBIDDEN", allowed, `${name} with ${scope}: ${code}`);
        if (allowed && name in TOOLS) assert.equal(code, "INVALID_ARGUMENT", name);
      }
      const listed = answers[OPERATIONS.findIndex(({ name }) => name === "listTools")] as { value: { name: string }[] };
      const own = tools.filter(([, needs]) => needs === scope).map(([name]) => name);
      assert.deepEqual(listed.value.map(({ name }) => name).sort(), own.sort(), "only these are shown");
    });
  }

  for (const scope of SCOPES) {
    it(`a token with ${scope} over HTTP reaches just what that allows`, async () => {
      const { token } = await minted(session, [scope]);
      const holder = world.session("matrix", token);
      for (const { name, needs, method, route, body } of ROUTES) {
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
    for (const { name, method, route, body } of ROUTES) {
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
