/**
 * Tests each cell of docs/capabilities.md with a real client: another Worker over RPC, fetch over HTTP, the official
 * client over MCP. The page is generated from the served operations and tools, so a new one fails here until it has
 * been tried.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ROOT } from "../../tools/local-worker.ts";
import { AGENT, TOKEN, until, useWorld, type Session } from "./support.ts";

/** Every module. Scripts are not among those of a session that declares none. */
const EVERYTHING = { capabilities: { fs: true, shell: true, code: { stateful: true }, script: true, snapshot: true } };
const world = useWorld({ extraWorkers: [AGENT], env: { LOADER: { type: "worker-loader" } }, vars: { TOKEN_KEYS: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" } });

/** Calls a tool over one surface. */
type CallTool = (name: string, input: Record<string, unknown>) => Promise<any>;

const at = (id: string) => ({ providerId: "cloudflare-sandbox", ref: { id } });

/** Calls every tool, in an order in which each has something to do, and checks in each answer that it did it. */
async function useTools(session: string, call: CallTool): Promise<Set<string>> {
  const used = new Set<string>();
  const use: CallTool = async (name, input) => {
    used.add(name);
    return call(name, input);
  };
  assert.deepEqual((await use("workspace_describe", {})).workspace.ref, at(session));
  await use("workspace_write_file", { path: "src/a.py", content: "print('one')\n" });
  await use("workspace_edit_file", { path: "src/a.py", oldText: "one", newText: "two" });
  assert.equal((await use("workspace_read_file", { path: "src/a.py" })).content, "print('two')\n");
  await use("workspace_mkdir", { path: "empty" });
  assert.deepEqual(names((await use("workspace_ls", {})).entries), ["empty", "src"]);
  assert.deepEqual(names((await use("workspace_glob", { pattern: "**/*.py" })).files), ["src/a.py"]);
  assert.deepEqual(names((await use("workspace_grep", { pattern: "two" })).lines), ["src/a.py"]);
  assert.equal((await use("workspace_stat", { path: "src/a.py" })).sizeBytes, 13);
  assert.equal((await use("workspace_run", { command: ["python3", "src/a.py"] })).stdout, "two\n");
  assert.equal((await use("workspace_run_code", { language: "python", code: "print(6 * 7)" })).stdout, "42\n");
  const checkpoint = { name: "works", path: "src" };
  assert.equal((await use("workspace_git_checkpoint", checkpoint)).files, 1);
  await use("workspace_write_file", { path: "src/a.py", content: "broken\n" });
  assert.equal((await use("workspace_git_checkpoint_diff", checkpoint)).filesChanged, 1);
  assert.deepEqual(names((await use("workspace_git_checkpoint_restore", checkpoint)).changes), ["src/a.py"]);
  assert.equal((await use("workspace_git_checkpoint_list", { path: "src" })).gitCheckpoints[0].name, "works");
  assert.equal((await use("workspace_git_checkpoint_delete", checkpoint)).deleted, true);
  await use("workspace_rm", { path: "src/.git", recursive: true });
  assert.equal((await use("workspace_script", { code: "return (await workspace.ls()).entries.length" })).value, 2);
  const { snapshot } = await use("workspace_snapshot", { name: "one" });
  await use("workspace_rm", { path: "src", recursive: true });
  const of = { at: "one" };
  assert.deepEqual(names((await use("workspace_ls", of)).entries), ["empty", "src"]);
  const [inSrc] = (await use("workspace_ls", { ...of, path: "src", recursive: true })).entries;
  const file = { ...of, path: inSrc.path };
  assert.equal((await use("workspace_stat", file)).sizeBytes, inSrc.sizeBytes);
  const { content } = await use("workspace_read_file", file);
  assert.equal(Buffer.byteLength(content), inSrc.sizeBytes);
  const [firstLine] = content.split("\n");
  assert.equal((await use("workspace_grep", { ...of, pattern: firstLine, fixed: true })).lines[0].path, inSrc.path);
  await use("workspace_copy_from_snapshot", { ref: "one", paths: ["src"] });
  assert.deepEqual(names((await use("workspace_ls", {})).entries), ["empty", "src"], "only src came back");
  await use("workspace_rm", { path: "src", recursive: true });
  const restored = await use("workspace_restore", { ref: "one" });
  assert.deepEqual(names((await use("workspace_ls", {})).entries), ["empty", "src"], "the tool went on in what it made");
  const branch = await use("workspace_branch", { ref: snapshot.id });
  const listed = await use("workspace_list_workspaces", {});
  assert.deepEqual(listed.active, branch.ref);
  assert.equal(listed.workspaces.length, 3);
  const forked = await use("workspace_fork", { count: 1 });
  assert.equal(forked.fromSnapshotId, snapshot.id, "nothing had changed");
  assert.deepEqual((await use("workspace_list_workspaces", {})).active, branch.ref);
  const from = forked.workspaces[0].ref.ref.id;
  assert.equal((await use("workspace_run", { command: "mkdir there && echo kept > there/best", workspace: from })).workspaceId, from);
  assert.deepEqual(names((await use("workspace_diff", { to: { workspace: from } })).changes), ["there", "there/best"]);
  const compared = await use("workspace_compare", { workspaces: [from, branch.ref.ref.id], command: "test -e there" });
  assert.deepEqual(compared.workspaces.map((row: { command: { exitCode: number } }) => row.command.exitCode), [0, 1]);
  assert.deepEqual((await use("workspace_promote", { from: { workspace: from } })).counts.added, 2);
  assert.equal((await use("workspace_copy_from_workspace", { from, paths: ["there"] })).workspaceId, branch.ref.ref.id);
  assert.equal((await use("workspace_read_file", { path: "there/best" })).content, "kept\n");
  await use("workspace_rm", { path: "there", recursive: true });
  assert.equal((await use("workspace_start", { name: "watcher", command: "echo seen; sleep 300" })).state, "running");
  assert.equal((await use("workspace_logs", { name: "watcher", offset: 0, waitMs: 10_000 })).text, "seen\n");
  assert.equal((await use("workspace_stop", { name: "watcher" })).state, "ended");
  assert.deepEqual((await use("workspace_processes", {})).processes.map(({ name }: { name: string }) => name), ["watcher"]);
  const { context } = await use("workspace_create_code_context", { language: "python" });
  assert.equal((await use("workspace_run_in_code_context", { context, code: "1 + 1" })).value, 2);
  assert.deepEqual((await use("workspace_list_code_contexts", {})).contexts.map((one: { context: string }) => one.context), [context]);
  assert.equal((await use("workspace_delete_code_context", { context })).deleted, true);
  assert.deepEqual((await use("workspace_switch", { ref: restored.ref })).ref, restored.ref);
  assert.match(JSON.stringify(await use("workspace_lineage", {})), new RegExp(snapshot.id));
  const turn = await use("workspace_save_turn", { cursor: { message: "m1" }, label: "tried" });
  assert.deepEqual(turn.snapshot.turn, { number: 1, cursor: { message: "m1" }, label: "tried" });
  assert.deepEqual((await use("workspace_timeline", {})).turns.map(({ number }: { number: number }) => number), [1]);
  await use("workspace_write_file", { path: "undone", content: "" });
  assert.deepEqual((await use("workspace_rewind", { turns: 1 })).undone, { turns: [], unsaved: true });
  assert.deepEqual((await use("workspace_rewind", { ref: { turn: 1 } })).turn, turn.snapshot.turn);
  assert.deepEqual((await use("workspace_rewind", { ref: snapshot.id })).ref, restored.ref);
  assert.equal((await use("workspace_pause", { ref: branch.ref })).workspace.status, "paused");
  assert.equal((await use("workspace_resume", { ref: branch.ref })).workspace.status, "running");
  assert.equal((await use("workspace_destroy", { ref: forked.workspaces[0].ref })).destroyed, true);
  assert.equal((await use("workspace_list_workspaces", {})).workspaces.length, 3);
  await use("workspace_update_snapshot", { ref: "one", name: "first" });
  assert.equal((await use("workspace_get_snapshot", { ref: snapshot.id })).snapshot.name, "first");
  assert.deepEqual((await use("workspace_list_snapshots", {})).snapshots.map(({ name }: { name: string }) => name), ["first"]);
  await use("workspace_delete_snapshot", { ref: "first", force: true });
  assert.deepEqual((await use("workspace_list_snapshots", {})).snapshots, []);
  return used;
}

interface Calls {
  open(): Promise<any>;
  /** Takes RPC's method and its arguments, or HTTP's method, route and body. */
  call(operation: string, args: unknown[], http: [string, string, object?]): Promise<any>;
  /** Runs a recorded command until it is cancelled by this name. */
  endless(name: string): Promise<unknown>;
}

const names = (found: { path: string }[]) => found.map(({ path }) => path).sort();

/** Calls every operation that both RPC and HTTP have, in such an order. */
async function useOperations(session: string, { open, call, endless }: Calls): Promise<void> {
  assert.equal((await open()).status, "open");
  assert.equal((await call("describe", [], ["GET", ""])).session, session);
  assert.ok((await call("listTools", [{ tools: "all" }], ["GET", "/tools?tools=all"])).length > 20);
  await call("callTool", ["workspace_write_file", { path: "a", content: "1" }], ["POST", "/tools/workspace_write_file", { path: "a", content: "1" }]);
  assert.match(await call("execStream", ["echo streamed"], ["POST", "/commands", { command: "echo streamed" }]), /streamed/);
  const { commands } = await call("listCommands", [], ["GET", "/commands"]);
  assert.deepEqual(commands.map(({ command, exitCode, stdout }: Record<string, unknown>) => [command, exitCode, stdout]), [["echo streamed", 0, "streamed\n"]]);
  const archive = await call("exportTar", [], ["GET", "/archive"]);
  assert.equal((await call("importTar", [archive], ["PUT", "/archive"])).files, 1);
  const code = "return (await workspace.read_file({ path: 'a' })).content";
  assert.equal((await call("runScript", [code], ["POST", "/script", { code }])).value, "1");
  const { snapshot } = await call("snapshot", [{ name: "one" }], ["POST", "/snapshots", { name: "one" }]);
  const files = "/snapshots/one/files";
  assert.deepEqual(names((await call("listFiles", ["one"], ["GET", files])).entries), ["a"]);
  assert.equal((await call("statFile", ["one", "a"], ["GET", `${files}/stat?path=a`])).sizeBytes, 1);
  assert.equal((await call("grep", ["one", "1"], ["GET", `${files}/lines?pattern=1`])).lines[0].text, "1");
  assert.equal(await call("streamFile", ["one", "a"], ["GET", `${files}/content?path=a`]), "1");
  const plan = await call("rewind", ["one", { dryRun: true }], ["POST", "/rewind", { ref: "one", dryRun: true }]);
  assert.deepEqual([plan.dryRun, plan.changes.paths, plan.safetyRef], [true, [], undefined]);
  assert.equal((await call("rewind", ["one"], ["POST", "/rewind", { ref: "one" }])).fromSnapshotId, snapshot.id);
  await call("callTool", ["workspace_write_file", { path: "a", content: "2" }], ["POST", "/tools/workspace_write_file", { path: "a", content: "2" }]);
  const undone = await call("undo", [1], ["POST", "/undo", { turns: 1 }]);
  assert.deepEqual([undone.undone, undone.fromSnapshotId], [{ turns: [], unsaved: true }, snapshot.id]);
  const restored = await call("restore", ["one"], ["POST", "/workspaces", { from: "one", kind: "restored" }]);
  const branch = await call("branch", ["one"], ["POST", "/workspaces", { from: "one", kind: "branch" }]);
  assert.deepEqual(await call("switch", [branch], ["PUT", "/active-workspace", { ref: branch }]), branch);
  assert.deepEqual(await call("resolve", [], ["GET", "/active-workspace"]), branch);
  const forks = await call("fork", [{ count: 1 }], ["POST", "/forks", { count: 1 }]);
  const fork = forks.workspaces[0].ref.ref.id;
  const between = await call("copyFromWorkspace", [fork, ["a"]], ["POST", `/workspaces/${fork}/copy`, { paths: ["a"] }]);
  assert.deepEqual([between.files, between.workspaceId], [1, branch.ref.id]);
  const looked = { from: { workspace: fork }, output: "list" };
  assert.deepEqual((await call("diff", [looked], ["POST", "/diff", looked])).changes, []);
  const compared = { workspaces: [branch.ref.id, fork], command: "true" };
  const rows = (await call("compare", [compared], ["POST", "/compare", compared])).workspaces;
  assert.deepEqual(rows.map((row: { command: { exitCode: number } }) => row.command.exitCode), [0, 0]);
  const from = { workspace: fork };
  assert.equal((await call("promote", [from], ["POST", "/promote", { from }])).changed, false);
  await call("destroyWorkspace", [forks.workspaces[0].ref], ["DELETE", `/workspaces/${forks.workspaces[0].ref.ref.id}`]);
  assert.equal((await call("pause", [restored], ["POST", `/workspaces/${restored.ref.id}/pause`])).workspace.status, "paused");
  assert.equal((await call("resume", [restored], ["POST", `/workspaces/${restored.ref.id}/resume`])).workspace.status, "running");
  await call("destroyContainer", [restored], ["DELETE", `/workspaces/${restored.ref.id}/container`]);
  await call("destroyWorkspace", [restored], ["DELETE", `/workspaces/${restored.ref.id}`]);
  assert.equal((await call("listWorkspaces", [], ["GET", "/workspaces"])).workspaces.length, 2);
  assert.equal((await call("usage", [], ["GET", "/usage"])).snapshots.count, 2, "with the safety snapshot of the undo");
  assert.match(JSON.stringify(await call("lineage", [], ["GET", "/lineage"])), new RegExp(snapshot.id));
  const turn = { cursor: { message: "m1" }, label: "tried" };
  assert.deepEqual((await call("saveTurn", [turn], ["POST", "/turns", turn])).snapshot.turn, { number: 1, ...turn });
  assert.deepEqual((await call("timeline", [], ["GET", "/turns"])).turns.map(({ label }: { label: string }) => label), ["tried"]);
  const copied = await call("copyFromSnapshot", ["one", ["a"]], ["POST", "/copy", { ref: "one", paths: ["a"] }]);
  assert.equal(copied.files, 1);
  const server = { name: "server", command: "echo up; sleep 300" };
  assert.equal((await call("startProcess", [server], ["POST", "/processes", server])).state, "running");
  const listed = await call("listProcesses", [], ["GET", "/processes"]);
  assert.deepEqual(listed.processes.map(({ name }: { name: string }) => name), ["server"]);
  const log = { name: "server", offset: 0, waitMs: 10_000 };
  assert.equal((await call("readProcessLog", [log], ["GET", "/processes/server/log?offset=0&waitMs=10000"])).text, "up\n");
  assert.equal((await call("stopProcess", [{ name: "server" }], ["DELETE", "/processes/server"])).state, "ended");
  const { context } = await call("createCodeContext", ["python"], ["POST", "/code-contexts", { language: "python" }]);
  const listedContexts = (await call("listCodeContexts", [], ["GET", "/code-contexts"])).contexts;
  assert.deepEqual(listedContexts.map((one: { context: string }) => one.context), [context]);
  const ran = await call("runInCodeContext", [context, "1 + 1"], ["POST", `/code-contexts/${context}/run`, { code: "1 + 1" }]);
  assert.equal(ran.value, 2);
  assert.equal((await call("deleteCodeContext", [context], ["DELETE", `/code-contexts/${context}`])).deleted, true);
  // previews.test.ts has a host for them.
  await refused(call("sharePreview", [{ port: 80 }], ["POST", "/previews", { port: 80 }]), "NOT_CONFIGURED");
  assert.deepEqual((await call("listPreviews", [], ["GET", "/previews"])).previews, []);
  await call("revokePreview", ["0".repeat(26)], ["DELETE", `/previews/${"0".repeat(26)}`]);
  const edit = { description: "the first" };
  await call("updateSnapshot", ["one", edit], ["PATCH", "/snapshots/one", edit]);
  assert.equal((await call("get", ["one"], ["GET", "/snapshots/one"])).snapshot.description, "the first");
  assert.equal((await call("flatten", ["one"], ["POST", "/snapshots/one/flatten"])).snapshot.kind, "full");
  await call("exportSnapshot", ["one"], ["GET", "/snapshots/one/archive"]);
  const imported = (await call("importSnapshot", ["one"], ["POST", "/imports"])).snapshot;
  assert.equal(imported.trigger, "import");
  await call("delete", [imported.id], ["DELETE", `/snapshots/${imported.id}`]);
  await refused(call("exportBackup", ["one"], ["POST", "/snapshots/one/backup"]), "INVALID_ARGUMENT");
  await refused(call("importBackup", [{ id: imported.id }], ["POST", "/imports/backup", { id: imported.id }]), "INVALID_ARGUMENT");
  assert.equal((await call("list", [], ["GET", "/snapshots"])).snapshots.length, 1);
  const { events } = await call("listSnapshotEvents", ["one"], ["GET", "/snapshots/one/events"]);
  const kinds = events.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual([kinds[0], kinds.at(-1)], ["snapshot.updated", "snapshot.created"]);
  const of = (await call("listWorkspaceEvents", [branch], ["GET", `/workspaces/${branch.ref.id}/events`])).events;
  const made = of.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual([made.at(-1), made.includes("workspace.switched"), made.includes("snapshot.created")], ["workspace.branched", true, true]);
  assert.equal((await call("planRetention", [], ["GET", "/retention"])).deleteCount, 0);
  await call("retain", [], ["POST", "/retention"]);
  await call("rebuild", [], ["POST", "/rebuild"]);
  await call("delete", ["one", { force: true }], ["DELETE", "/snapshots/one?force=true"]);
  const look = () => call("getOperation", ["endless"], ["GET", "/operations/endless"]);
  const ended = refused(endless("endless"), "ABORTED");
  await until("it runs", () => look().then(({ state }) => state === "running", () => false));
  const cancelled = await call("cancel", ["endless"], ["POST", "/operations/endless/cancel"]);
  assert.deepEqual(cancelled, { cancelRequested: true, state: "running" });
  await ended;
  assert.equal((await look()).state, "cancelled");
  const { operations } = await call("listOperations", [], ["GET", "/operations"]);
  assert.deepEqual(operations.map(({ id }: { id: string }) => id), ["endless"]);
  await call("destroyContainer", [branch], ["DELETE", `/workspaces/${branch.ref.id}/container`]);
  assert.deepEqual(await call("startFresh", [], ["POST", "/start-fresh"]), branch);
  assert.ok((await call("listEvents", [], ["GET", "/events"])).events.length > 5);
}

/** The exported archive, for the import. */
let archive: ArrayBuffer;
/** The exported snapshot, for the import. */
let exported: ArrayBuffer;
async function carried(session: Session, method: string, route: string): Promise<any> {
  const url = `${world.worker.url}/v1/sessions/${session.id}${route}`;
  const body = route === "/imports" ? exported : archive;
  const response = await fetch(url, { method, headers: { authorization: `Bearer ${TOKEN}` }, ...(method !== "GET" && { body }) });
  if (method !== "GET") return response.json();
  if (route === "/archive") archive = await response.arrayBuffer();
  else exported = await response.arrayBuffer();
}

/** The call arrives and is refused for its input: the refusal shows that the operation works. */
const refused = (call: Promise<unknown>, code: string) => assert.rejects(call, (thrown: Error) => thrown.message.includes(code));

describe("every capability", () => {
  const used = { rpc: new Set<string>(), http: new Set<string>(), mcp: new Set<string>() };

  test("over RPC", async () => {
    await world.opened("rpc-tools", EVERYTHING);
    for (const name of await useTools("rpc-tools", (name, input) => world.rpc("rpc-tools", "callTool", name, input))) used.rpc.add(name);
    const call = async (method: string, args: unknown[]) => {
      used.rpc.add(method);
      // `carry` below calls both, with one stream.
      if (method === "exportTar" || method === "exportSnapshot") return;
      if (method === "importSnapshot") return world.agent("pass", { from: "rpc", to: "rpc", snapshot: args[0], options: {} });
      if (method === "streamFile") return world.agent("text", { session: "rpc", method, args });
      if (method === "importTar") return world.agent("carry", { from: "rpc", to: "rpc", path: "." });
      if (method !== "execStream") return world.rpc("rpc", method, ...args);
      return JSON.stringify(await world.agent("events", { session: "rpc", method, args: [args[0], {}] }));
    };
    const endless = (name: string) => {
      const options = { operationId: name, idempotencyKey: name };
      return world.rpc("rpc", "callTool", "workspace_run", { command: "sleep infinity" }, options);
    };
    await useOperations("rpc", { open: () => call("open", [EVERYTHING]), call, endless });
    // Operations that only a Worker can use.
    await call("swapRef", [await call("resolve", [])]);
    await world.rpc("rpc", "callTool", "workspace_write_file", { path: "b", content: "2" });
    await call("snapshot", [{ name: "two" }]);
    assert.equal((await call("readFile", ["two", "b"])).content, "2");
    used.rpc.add("watch");
    const watching = await world.agent<{ events: object[] }>("events", { session: "rpc", method: "watch", args: [".", {}], until: "watching" });
    assert.deepEqual(watching.events.map((event) => "directories" in event), [true]);
    const [described, restricted] = await world.agent<{ value?: unknown; thrown?: { message: string } }[]>("restricted", {
      session: "rpc", through: [["read"]], calls: [["describe"], ["snapshot"]],
    });
    assert.ok(described!.value);
    assert.match(restricted!.thrown!.message, /^FORBIDDEN/);
    used.rpc.add("restricted");
    assert.ok(Object.keys(await world.agent<object>("escape", { session: "rpc" })).length > 0);
    used.rpc.add("asReadOnly");
    assert.equal((await call("close", [])).status, "closed");
    assert.equal((await call("deleteSession", [{ force: true }])).deleted, true);
  });

  test("over HTTP", async () => {
    const tools = await world.opened("http-tools", EVERYTHING);
    for (const name of await useTools("http-tools", (name, input) => tools.tool(name, input))) used.http.add(name);
    const session = world.session("http");
    const call = async (operation: string, _args: unknown[], [method, route, body]: [string, string, object?]) => {
      used.http.add(operation);
      if (operation === "execStream") return streamed(session, route, body!);
      if (["exportTar", "importTar", "exportSnapshot", "importSnapshot"].includes(operation)) return carried(session, method, route);
      if (operation === "streamFile") return (await fetch(`${world.worker.url}/v1/sessions/http${route}`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
      const answer = await session.http<any>(method, route, body);
      if (operation === "listTools") return answer.tools;
      return ["restore", "branch", "switch", "resolve", "startFresh"].includes(operation) ? answer.ref : answer;
    };
    const endless = (name: string) => {
      const headers = { "operation-id": name, "idempotency-key": name };
      return session.http("POST", "/tools/workspace_run", { command: "sleep infinity" }, headers);
    };
    await useOperations("http", { open: () => call("open", [], ["PUT", "", EVERYTHING]), call, endless });
    // Routes that only HTTP needs, because only HTTP bodies meet a limit on the way.
    const part = `${world.worker.url}/v1/sessions/http/archive/uploads/one/1`;
    const stored = await fetch(part, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}` }, body: archive });
    assert.equal(stored.status, 200, await stored.text());
    used.http.add("storePart");
    assert.equal((await call("finishUpload", [], ["POST", "/archive/uploads/one", { parts: 1 }])).files, 1);
    await call("abortUpload", [], ["DELETE", "/archive/uploads/one"]);
    const watching = await fetch(`${world.worker.url}/v1/sessions/http/watch?exclude=node_modules&exclude=.git`, { headers: { authorization: `Bearer ${TOKEN}` } });
    used.http.add("watch");
    const events = watching.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes('"type":"watching"'); ) {
      const { value, done } = await events.read();
      assert.ok(!done, text);
      text += value;
    }
    await events.cancel();
    // A page's subprotocols; terminal.test.ts has the rest.
    const { ticket } = await call("createTicket", [], ["POST", "/tickets", { path: "/terminal" }]);
    const socket = new WebSocket(`${world.worker.url}/v1/sessions/http/terminal`, ["snapshotter", `ticket.${ticket}`]);
    const [{ data: started }] = (await once(socket, "message")) as [{ data: string }];
    used.http.add("terminal");
    assert.equal(JSON.parse(started).started.resumed, false);
    socket.close();
    // Operations that only the operator can use.
    const { token, id } = await call("createToken", [], ["POST", "/tokens", { scopes: ["read"], ttlSeconds: 60 }]);
    assert.equal((await world.session("http", token).describe()).session, "http");
    assert.equal((await call("listTokens", [], ["GET", "/tokens"])).tokens.length, 1);
    await call("revokeToken", [], ["DELETE", `/tokens/${id}`]);
    await refused(world.session("http", token).describe(), "UNAUTHENTICATED");
    assert.equal((await call("close", [], ["POST", "/close"])).status, "closed");
    assert.equal((await call("deleteSession", [{ force: true }], ["DELETE", "?force=true"])).deleted, true);
    // Operations across sessions.
    const operator = async <T = any>(name: string, method: string, route: string, body?: object) => {
      used.http.add(name);
      return world.operator<T>(method, route, body);
    };
    await until("the session is listed", async () => (await operator("listSessions", "GET", "/v1/sessions")).sessions.some(({ session }: { session: string }) => session === "http"));
    assert.ok(Array.isArray((await operator("listAllWorkspaces", "GET", "/v1/workspaces?running=true")).workspaces));
    assert.deepEqual((await operator("listPools", "GET", "/v1/pools")).pools, []);
    assert.equal((await operator("destroyPool", "DELETE", `/v1/pools/${"0".repeat(26)}`)).destroyed, 0);
    assert.ok((await operator("listUsage", "GET", "/v1/usage")).sessions.length > 1);
    assert.deepEqual((await operator("prune", "POST", "/v1/prune", { rule: { olderThanSeconds: 86_400 } })).deleted, []);
    assert.deepEqual((await operator("rebuildAll", "POST", "/v1/rebuild", {})).restored, []);
    assert.deepEqual((await operator("listOperatorEvents", "GET", "/v1/events")).events, []);
    await until("calls are counted", async () => /^snapshotter_calls_total\{event="rewind",outcome="ok"\} [1-9]/m.test(await operator<string>("getMetrics", "GET", "/v1/metrics")));
  });

  describe("over MCP", () => {
    const client = new Client({ name: "capabilities", version: "1" });

    before(async () => {
      await world.opened("mcp-tools", EVERYTHING);
      const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}/v1/sessions/mcp-tools/mcp`), { requestInit }));
    });
    after(() => client.close());

    test("the tools", async () => {
      await client.listTools();
      used.mcp.add("tools/list").add("tools/call");
      const call: CallTool = async (name, input) => {
        const result = await client.callTool({ name, arguments: input });
        assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
        return result.structuredContent;
      };
      for (const name of await useTools("mcp-tools", call)) used.mcp.add(name);
    });

    test("the rest of the protocol", async () => {
      await client.callTool({ name: "workspace_snapshot", arguments: { name: "seen" } });
      const { resources } = await client.listResources();
      used.mcp.add("resources/list");
      assert.deepEqual(resources.map(({ name }) => name), ["seen"]);
      await client.readResource({ uri: resources[0]!.uri });
      const history = (await client.readResource({ uri: `${resources[0]!.uri}/events` })).contents[0] as { text: string };
      assert.deepEqual(JSON.parse(history.text).events.map(({ kind }: { kind: string }) => kind), ["snapshot.created"]);
      used.mcp.add("resources/read");
      const cancelled = new AbortController();
      const run = client.callTool({ name: "workspace_run", arguments: { command: "sleep 30" } }, { signal: cancelled.signal });
      setTimeout(() => cancelled.abort(), 500);
      await assert.rejects(run);
      used.mcp.add("notifications/cancelled");
    });
  });

  test("is on the page, and each of its cells has been tried", () => {
    const page = fs.readFileSync(path.join(ROOT, "docs/capabilities.md"), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
    assert.ok(rows.length > 40);
    const untried: string[] = [];
    for (const [name, rpc, http, mcp] of rows as [string, string, string, string][]) {
      const row = name.slice(1, -1);
      if (rpc !== "–" && !used.rpc.has(row)) untried.push(`${row} over RPC`);
      if (http !== "–" && !used.http.has(row)) untried.push(`${row} over HTTP`);
      const named = mcp === "`tools/call`" && row.startsWith("workspace_") ? [row] : [...mcp.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
      for (const by of named) if (!used.mcp.has(by)) untried.push(`${row} over MCP, by ${by}`);
    }
    assert.deepEqual(untried, []);
  });
});

async function streamed(session: Session, route: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}`, accept: "text/event-stream" };
  const response = await fetch(`${world.worker.url}/v1/sessions/${session.id}${route}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return response.text();
}
