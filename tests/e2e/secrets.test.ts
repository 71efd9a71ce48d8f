/**
 * Secrets do not leak. Every place for a caller's text gets its own mark, over every surface and in calls that succeed
 * and that fail. Then we search for the marks in the places where they must not appear.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AGENT, TOKEN, until, useWorld, type Session } from "./support.ts";

const KEY = Buffer.from("e2e-token-key-0123456789-abcdefghij").toString("base64");
const world = useWorld({ extraWorkers: [AGENT], vars: { TOKEN_KEYS: `k1:${KEY}` } });
/** Secrets of the Worker itself. */
const OURS = { API_TOKEN: TOKEN, TOKEN_KEYS: KEY };

/** The place that each mark stands for. */
const marks = new Map<string, string>();
/** A mark for one place. It is valid as a name, a word, a path part and JSON text without escapes. */
function mark(place: string): string {
  const made = `zq${randomBytes(9).toString("hex")}zq`;
  marks.set(place, made);
  return made;
}

/** Marks in a text, named by their places. */
function found(text: string, among: Iterable<[string, string]> = marks): string[] {
  return [...among].flatMap(([place, made]) => (text.includes(made) ? [place] : []));
}

/** All answers to failed calls. */
const refusals: string[] = [];

async function raw(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<string> {
  const all = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  const response = await fetch(`${world.worker.url}${path}`, { method, headers: all, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (!response.ok || text.includes('"error"')) refusals.push(text);
  return text;
}

const ID = "secrets";
const at = `/v1/sessions/${ID}`;

/** Calls of a tool that together put text into every field of its input, over one surface. */
function calls(by: string): [tool: string, input: Record<string, unknown>][] {
  const of = (place: string) => mark(`${by} ${place}`);
  return [
    ["workspace_run", { command: `: ${of("command")}; cat >/dev/null`, stdin: of("stdin"), env: { VALUE: of("env of a command") } }],
    ["workspace_run", { command: ["true", of("argument")], cwd: of("cwd") }],
    ["workspace_run", { command: { [of("field")]: of("wrong type") } }],
    ["workspace_run", { command: "true", env: { "A=B": of("bad variable") } }],
    ["workspace_run_code", { language: "python", code: `raise ValueError("${of("code")}")` }],
    ["workspace_run_code", { language: of("language"), code: "1" }],
    ["workspace_write_file", { path: `${by}.txt`, content: of("content") }],
    ["workspace_write_file", { path: `../${of("path outside")}`, content: of("content outside") }],
    ["workspace_read_file", { path: of("path that is not there") }],
    ["workspace_edit_file", { path: `${by}.txt`, oldText: of("old text"), newText: of("new text") }],
    ["workspace_grep", { pattern: `${of("pattern")}(` }],
    ["workspace_glob", { pattern: `{${of("glob")}` }],
    ["workspace_ls", { path: of("directory"), limit: of("limit") }],
    ["workspace_stat", { path: `${by}.txt/${of("below a file")}` }],
    ["workspace_rm", { path: of("removed") }],
    ["workspace_git_checkpoint", { name: "one", description: of("checkpoint's description"), replace: true }],
    ["workspace_git_checkpoint_diff", { name: of("checkpoint") }],
    ["workspace_snapshot", { name: of("name"), description: of("description"), labels: { [of("label")]: of("label's value") } }],
    ["workspace_snapshot", { name: of("name of a failure"), ttlSeconds: 1 }],
    ["workspace_list_snapshots", { cursor: Buffer.from(JSON.stringify({ [of("cursor")]: of("cursor's value") })).toString("base64url") }],
    ["workspace_restore", { ref: of("snapshot") }],
    ["workspace_update_snapshot", { ref: of("updated"), description: of("new description") }],
    ["workspace_switch", { ref: { providerId: of("provider"), ref: { id: "x" } } }],
    [`workspace_${of("tool")}`, { x: of("input of no tool") }],
  ];
}

describe("secrets", () => {
  const envVars = { FIRST: mark("envVars"), SECOND: mark("second of envVars") };
  let session: Session;
  let minted: { id: string; token: string };

  before(async () => {
    session = world.session(ID);
    await raw("PUT", at, JSON.stringify({ envVars, sleepAfter: mark("sleepAfter") }));
    await session.open({ envVars });
    await raw("PUT", at, JSON.stringify({ envVars: { FIRST: mark("changed envVars") }, limits: { maxRunning: 2 } }));
    await raw("PUT", at, JSON.stringify({ envVars: mark("envVars that are no object") }));
    const mint = () =>
      session.http<typeof minted>("POST", "/tokens", { scopes: ["read"], description: mark("description of a token") }, { "idempotency-key": mark("idempotency key of a token") });
    minted = await mint();
    marks.set("claims of a token", minted.token.split(".")[2]!);
    marks.set("MAC of a token", minted.token.split(".")[3]!);
  });

  it("are put into every place there is, over HTTP", async () => {
    for (const [tool, input] of calls("HTTP")) await raw("POST", `${at}/tools/${tool}`, JSON.stringify(input));
    const repeated = { "idempotency-key": mark("idempotency key"), "operation-id": mark("operation id") };
    const run = (place: string) => JSON.stringify({ command: ["true", mark(place)] });
    await raw("POST", `${at}/tools/workspace_run`, run("recorded command"), repeated);
    await raw("POST", `${at}/tools/workspace_run`, run("other command under the key"), repeated);
    await raw("POST", `${at}/tools/workspace_run`, `{"command": ["${mark("JSON that ends too early")}"`);
    await raw("POST", `${at}/snapshots`, JSON.stringify({ name: 1, [mark("unknown field")]: mark("its value") }));
    await raw("POST", `${at}/snapshots`, JSON.stringify({ name: mark("name over HTTP"), labels: mark("labels that are none") }));
    await raw("GET", `${at}/snapshots?${mark("parameter")}=${mark("its text")}`);
    await raw("GET", `${at}/snapshots?labels=a=${mark("filter")}&cursor=${mark("cursor over HTTP")}`);
    await raw("GET", `${at}/${mark("route")}`);
    await raw("GET", `${at}/snapshots/${mark("snapshot in the path")}`);
    await raw("POST", `${at}/operations/${mark("operation in the path")}/cancel`);
    await raw("PUT", `${at}/archive?path=${mark("path of an archive")}`, mark("archive that is none"));
    await raw("POST", `${at}/commands`, JSON.stringify({ command: `: ${mark("streamed command")}`, env: { A: mark("env of it") } }));
    await raw("GET", at, undefined, { authorization: `Bearer ${mark("wrong token")}` });
    await raw("GET", `${at}?token=${mark("token in the URL")}`, undefined, { authorization: "" });
    await raw("GET", `/v1/sessions/${mark("session id")}%20`);
    await raw("GET", at, undefined, { origin: `https://${mark("origin")}` });
  });

  it("and over RPC, and MCP", async () => {
    const rpc = async (method: string, ...args: unknown[]) =>
      world.rpc(ID, method, ...args).catch((thrown: Error) => void refusals.push(thrown.message));
    for (const [tool, input] of calls("RPC")) await rpc("callTool", tool, input);
    await rpc("snapshot", { name: mark("name over RPC"), [mark("unknown option")]: mark("value of it") });
    await rpc("restricted", [mark("scope")]);
    await rpc("watch", mark("watched path"), { exclude: [`${mark("exclude")}/`] });
    await rpc("callTool", "workspace_run", { command: "true" }, { operationId: `${mark("operation id over RPC")} `, idempotencyKey: mark("key over RPC") });
    const told = await world.agent("events", { session: ID, method: "execStream", args: [`: ${mark("command told over RPC")}`, { env: { A: mark("its env") } }] });
    assert.match(JSON.stringify(told), /complete/);

    const client = new Client({ name: mark("name of an MCP client"), version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}${at}/mcp`), { requestInit }));
    for (const [name, input] of calls("MCP")) {
      const answer = client.callTool({ name, arguments: input }, { onprogress: () => {} });
      await answer.then(({ isError, content }) => isError && refusals.push(JSON.stringify(content)), (error: Error) => refusals.push(error.message));
    }
    await client.readResource({ uri: `workspace://${ID}/snapshots/${mark("resource")}` }).catch((error: Error) => refusals.push(error.message));
    await client.close();
    await raw("POST", `${at}/mcp`, `{"jsonrpc":"2.0","id":"${mark("id")}","method":"${mark("method")}","params":{"x":"${mark("parameters")}"}}`);
    await raw("POST", `${at}/mcp`, `{"jsonrpc":"2.0","${mark("broken message")}`);
  });

  it("of the caller are in the container's environment and nowhere in what can be seen of its processes, nor ours anywhere", async () => {
    const stdin = mark("stdin of what runs");
    const env = mark("env of what runs");
    const running = session.run("cat >/dev/null; until [ -e stop ]; do sleep 0.1; done", { stdin, env: { VALUE: env } });
    const loop = `import os, time\nx = "${mark("code that runs")}"\nwhile not os.path.exists("stop"): time.sleep(0.1)`;
    const code = session.tool("workspace_run_code", { language: "python", code: loop });
    const write = mark("content that is written");
    const look = async () => {
      // The separator between the two outputs does not occur in the command that prints them.
      const both = "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; printf '\\nENVI%s\\n' RON; cat /proc/[0-9]*/environ | tr '\\0' '\\n'";
      const [commands, environ] = (await session.sh(["sh", "-c", both])).split("\nENVIRON\n") as [string, string];
      return { commands, environ };
    };
    const { commands, environ } = await until("both run", async () => {
      await session.tool("workspace_write_file", { path: "w", content: write });
      const seen = await look();
      return seen.environ.includes(env) && seen.commands.includes("python3") && seen;
    });
    assert.deepEqual(found(commands), []);
    assert.ok(environ.includes(envVars.FIRST), "commands have their variables");
    // The patterns are in a file, so that no process has them in its arguments.
    const patterns = Object.values(OURS).concat(minted.token).join("\n");
    assert.deepEqual(found(commands + environ, Object.entries(OURS)), []);
    const search = "grep -rlF -f - / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude-dir=dev 2>/dev/null; true";
    assert.equal(await session.sh(search, { stdin: patterns }), "");
    await session.sh("echo here >seen");
    assert.equal((await session.sh("grep -rlF -f - /workspace/seen", { stdin: "here" })).trim(), "/workspace/seen", "the search finds what is there");
    await session.sh("touch stop");
    for (const { exitCode } of await Promise.all([running, code])) assert.equal(exitCode, 0);
  });

  it("are in no answer about the session, but for what was meant to be shown", async () => {
    const secret = [...marks].filter(([place]) => /envVars|env of|stdin|token|idempotency|key over|MAC|claims/.test(place) && !place.includes("description"));
    secret.push(...Object.entries(OURS));
    assert.ok(secret.length > 15);
    // `look` printed the one that a command beside it had.
    secret.splice(secret.findIndex(([place]) => place === "env of what runs"), 1);
    const routes = ["", "/snapshots?includeAuto=true", "/workspaces", "/active-workspace", "/lineage", "/retention", "/events", "/commands", "/turns", "/tools", "/tokens", "/operations"];
    for (const route of routes) assert.deepEqual(found(await raw("GET", `${at}${route}`), secret), [], route);
    const { envVars: shown } = ((await session.describe()) as { config: { envVars: Record<string, string> } }).config;
    assert.deepEqual(Object.keys(shown), ["FIRST", "SECOND"]);
    for (const method of ["describe", "listEvents", "listWorkspaces", "list", "lineage", "listOperations", "listCommands", "timeline"]) {
      assert.deepEqual(found(JSON.stringify(await world.rpc(ID, method)), secret), [], method);
    }
    assert.deepEqual(found(JSON.stringify(await session.tool("workspace_describe")), secret), []);
  });

  it("of the session, and ours, are in no error", () => {
    assert.ok(refusals.length > 60, `${refusals.length}`);
    const secret = [...marks].filter(([place]) => /^envVars$|^second of|^changed|token|MAC|claims|env of a command|bad variable/.test(place));
    for (const refusal of refusals) assert.deepEqual(found(refusal, [...secret, ...Object.entries(OURS)]), [], refusal);
  });

  it("are not in R2, but for names, descriptions and labels", async () => {
    const written = [];
    for (const key of await world.r2Keys()) if (key.endsWith("meta.json")) written.push((await world.r2Bytes(key)).toString());
    assert.ok(written.length >= 3, "snapshots were taken");
    const places = found(written.join());
    assert.ok(places.includes("MCP label's value"), places.join());
    assert.deepEqual(places.filter((place) => !/name|description|label/.test(place)), []);
    assert.deepEqual(found(written.join(), Object.entries(OURS)), []);
  });

  it("are in no line of the log", async () => {
    await world.removeContainers();
    await session.run(`: ${mark("command that finds no container")}`);
    assert.ok(world.logLines().length > 100);
    // The local runtime logs the URL of each request, as any server does; the Worker does not.
    const isAccess = (line: string) => /(GET|POST|PUT|PATCH|DELETE|OPTIONS) \/v1\//.test(line) && !line.includes("{");
    const log = world.logText().split("\n").filter((line) => !isAccess(line)).join("\n");
    assert.deepEqual(found(log), []);
    assert.deepEqual(found(log, Object.entries(OURS)), []);
  });
});
