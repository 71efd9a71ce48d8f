// The clients of clients/, against the real Worker: from this process, from an isolate, and as they would be published.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import * as http from "node:http";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import * as client from "../../clients/typescript/src/index.ts";
import type { ExecEvent } from "../../entry/snapshotter.d.ts";
import { ROOT } from "../../tools/local-worker.ts";
import { TOKEN, until, useWorld } from "./support.ts";

const CLIENTS = path.join(ROOT, "clients");
/** What a user of the published packages has. */
const INSTALLED = path.join(ROOT, ".local", "clients");
const world = useWorld({
  env: { LOADER: { type: "worker-loader" } },
  vars: { TOKEN_KEYS: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", MAX_POOL_CONTAINERS: "1" },
  extraWorkers: [
    { name: "http-client", entry: "tests/workers/http-client.ts", env: { SNAPSHOTTER: { type: "worker", worker: "main" }, TOKEN: { type: "text", value: TOKEN } } },
  ],
});
const connect = (options: client.ClientOptions = {}) => new client.Snapshotter({ url: world.worker.url, token: TOKEN, ...options });

/** The event of a stream is the one of RPC, whose errors the client throws. */
export const isRunEvent = (event: Exclude<ExecEvent, { type: "error" }>): client.RunEvent => event;

type Class<Error> = new (...args: never[]) => Error;

/** Checks that a call fails with this class, and says what to do next. */
async function rejects<E extends client.SnapshotterError>(type: Class<E>, call: Promise<unknown>): Promise<E> {
  const error = await call.then((value) => assert.fail(`it answered ${JSON.stringify(value)}`), (reason: unknown) => reason);
  assert.ok(error instanceof type, String(error));
  assert.ok(error instanceof client.SnapshotterError && error.hint.length > 0, String(error));
  return error;
}

async function run(command: string, args: string[], env: Record<string, string> = {}, cwd = ROOT): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } })
    .catch(({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${command} ${args.join(" ")}\n${stdout}${stderr}`));
  return stdout;
}

/** Passes requests on, and cuts the connections of the next `cuts`, whose calls go on. `PUT /cuts` counts one more. */
class FlakyProxy {
  cuts = 0;
  readonly #server = http.createServer((request, response) => {
    const { method, headers, url } = request;
    if (url === "/cuts") {
      this.cuts += 1;
      response.end();
      return;
    }
    const isCut = this.cuts > 0;
    if (isCut) this.cuts -= 1;
    const cut = () => request.socket.destroy();
    const passedOn = http.request(`${world.worker.url}${url}`, { method, headers }, (answer) => {
      if (isCut) return cut();
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passedOn.on("error", () => response.destroy());
    request.pipe(passedOn);
    // A repetition comes while a longer call still runs.
    if (isCut) setTimeout(cut, 300);
  });

  url = "";

  constructor() {
    before(async () => {
      await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
      this.url = `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
    });
    after(() => {
      this.#server.close();
      this.#server.closeAllConnections();
    });
  }
}

/** Python with the packages of clients/python/requirements.txt, and maybe the client. */
const python = (args: string[], source: string, env: Record<string, string> = {}) =>
  run(path.join(ROOT, "tools/python.sh"), [path.join(CLIENTS, "python"), ...args], { PYTHONPATH: source, PYTHONDONTWRITEBYTECODE: "1", ...env });

test("the generated code is up to date", async () => {
  await run(path.join(CLIENTS, "generate.sh"), ["--check"]);
});

test("the methods that the documents name exist, with these arguments", () => {
  const page = fs.readFileSync(path.join(ROOT, "docs/clients.md"), "utf8");
  const typescript = ["session.ts", "workspace.ts"].map((file) => fs.readFileSync(path.join(CLIENTS, "typescript/src", file), "utf8")).join("");
  const python = fs.readFileSync(path.join(CLIENTS, "python/src/snapshotter_client/asynchronous.py"), "utf8");
  // Names of the required arguments, without their types. Those with defaults may be given in this place, too.
  const argumentsOf = (source: string, declaration: RegExp) => {
    const [, list] = declaration.exec(source) ?? [];
    return list?.replaceAll(/<[^>]*>|\{[^}]*\}|\[[^\]]*\]/g, "").split(",").map((one) => one.split(/[:=?]/)[0]!.trim()).filter((name) => !["", "self", "options", "config", "**options"].includes(name));
  };
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));
  let seen = 0;
  for (const row of rows) {
    const [, , inTypescript, inPython] = row.split(/(?<!\\)\|/);
    for (const [, name, list] of inTypescript!.matchAll(/`(\w+)\(([^)]*)\)`/g)) {
      const found = argumentsOf(typescript, new RegExp(`^  (?:async )?\\*?${name}(?:<[^(]*>)?\\(([^)]*)\\)`, "m"));
      const wanted = list!.replaceAll("?", "").split(", ").filter(Boolean);
      // The input of a tool may be left out, so its declaration is a tuple.
      assert.deepEqual(name === "callTool" ? wanted : found?.slice(0, wanted.length), wanted, `${name} in TypeScript`);
      assert.ok(found, name);
      seen += 1;
    }
    for (const [, name, list] of inPython!.matchAll(/`(\w+)\(([^)]*)\)`/g)) {
      const found = argumentsOf(python, new RegExp(`^    (?:async )?def ${name}\\(([^)]*)\\)`, "m"));
      const wanted = list!.replaceAll("?", "").split(", ").filter(Boolean);
      assert.deepEqual(found?.slice(0, wanted.length), wanted, `${name} in Python`);
      seen += 1;
    }
  }
  assert.ok(seen > 80, `${seen}`);
});

test("both clients have a method for each operation but MCP's, the document itself, and in Python the WebSocket", () => {
  type Paths = Record<string, Record<string, { operationId: string }>>;
  const { paths } = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as { paths: Paths };
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  const text = (...files: string[]) => files.map((file) => fs.readFileSync(path.join(CLIENTS, file), "utf8")).join();
  const typescript = text("typescript/src/client.ts", "typescript/src/session.ts", "typescript/src/workspace.ts");
  const python = text("python/src/snapshotter_client/asynchronous.py");
  const snake = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const absent = ids.filter((id) => !id.startsWith("workspace_") && !(typescript.includes(`"${id}"`) && python.includes(`op.${snake(id)}(`)));
  assert.deepEqual(absent.sort(), ["getOpenApi", "mcp", "openTerminal"]);
  assert.ok(typescript.includes(`"openTerminal"`));
});

test("both clients have the Worker's version, and the examples the tests' MCP client", () => {
  const read = (file: string) => fs.readFileSync(path.join(ROOT, file), "utf8");
  const { version } = (JSON.parse(read("docs/openapi.json")) as { info: { version: string } }).info;
  assert.equal((JSON.parse(read("clients/typescript/package.json")) as { version: string }).version, version);
  assert.ok(read("clients/python/src/snapshotter_client/__init__.py").includes(`__version__ = "${version}"`));
  const mcp = "@modelcontextprotocol/client";
  const { dependencies } = JSON.parse(read("examples/package.json")) as { dependencies: Record<string, string> };
  assert.equal(dependencies[mcp], (JSON.parse(read("package.json")) as { devDependencies: Record<string, string> }).devDependencies[mcp]);
});

// Each waits for seconds until commands whose readers let go have ended.
describe("side by side", { concurrency: true }, () => {
  describe("the TypeScript client", { concurrency: 1 }, () => {
    const proxy = new FlakyProxy();

    test("runs commands, takes snapshots and goes back", async () => {
      const session = connect().session("ts");
      const { active } = await session.open({ envVars: { GREETING: "hello" } });
      const events: client.RunEvent[] = [];
      for await (const event of session.runStream('echo "$GREETING" | tee said; echo oops >&2; exit 3')) events.push(event);
      assert.equal(events[0]?.type, "start");
      assert.deepEqual(events.flatMap((event) => (event.type === "stdout" || event.type === "stderr" ? [event.data] : [])).sort(), ["hello\n", "oops\n"]);
      const last = events.at(-1);
      assert.ok(last?.type === "complete" && last.exitCode === 3);

      const { snapshot: one } = await session.snapshot({ name: "one", labels: { tests: "pass" } });
      await session.writeFile("bytes", new Uint8Array([0, 255, 128]));
      const { content, encoding } = await session.readFile("bytes");
      assert.deepEqual({ content, encoding }, { content: "AP+A", encoding: "base64" });
      await session.snapshot({ name: "two" });
      const changed = await session.diff({ from: { snapshot: "one" } });
      assert.deepEqual(changed.changes.map(({ path, change }) => [path, change]), [["bytes", "added"]]);

      const list = session.list({ limit: 1 });
      assert.deepEqual((await list.all()).map(({ name }) => name), ["two", "one"]);
      let pages = 0;
      for await (const page of list.pages()) pages += page.snapshots.length;
      assert.equal(pages, 2);
      assert.deepEqual((await session.list({ labels: ["tests=pass"] }).all()).map(({ id }) => id), [one.id]);
      const { snapshot: pinned } = await session.update("one", { pinned: true });
      assert.equal(pinned.pinned, true);

      const { fromSnapshotId } = await session.rewind("one", { expectedActive: active });
      assert.equal(fromSnapshotId, one.id);
      const { hint } = await rejects(client.NotFoundError, session.readFile("bytes"));
      assert.equal(hint, "look for it with session.glob()");
      const tool = await rejects(client.NotFoundError, session.callTool("workspace_read_file", { path: "bytes" }));
      assert.equal(tool.hint, "look for it with workspace_glob", "a model reads it");
      const other = await rejects(client.WorkspaceNotOwnedError, session.switch("not-mine"));
      assert.equal(other.hint, "list this session's workspaces with session.workspaces()");
      const file = new Response(await session.streamFile("one", "said"));
      assert.equal(await file.text(), "hello\n");
      const found = await session.searchSnapshot("one", "h.llo").all();
      assert.deepEqual(found.map(({ path }) => path), ["said"]);
      assert.ok((await session.events({ limit: 2 }).all()).some(({ kind }) => kind === "workspace.rewound"));
    });

    test("brings a directory out and in as a tar archive", async () => {
      const session = connect().session("ts");
      await session.run("mkdir -p tree/deep && seq 100000 > tree/deep/numbers && ln -s deep/numbers tree/link");
      const archive = await session.exportTar({ path: "tree" });
      const { entries } = await session.importTar(archive, { path: "again" });
      assert.ok(entries >= 3);
      const bytes = await new Response(await session.exportTar({ path: "again" })).bytes();
      await session.importTar(bytes, { path: "third" });
      const { stdout } = await session.run("diff --recursive --no-dereference tree third && echo same");
      assert.equal(stdout, "same\n");
    });

    test("has calls with the names of the tools, in the active workspace and in forks", async () => {
      const session = connect().session("ts-forks");
      await session.open();
      await session.mkdir("src");
      await session.writeFile("src/one.txt", "one\n");
      await session.editFile("src/one.txt", "one", "two");
      assert.deepEqual((await session.ls("src")).entries.map(({ path }) => path), ["src/one.txt"]);
      assert.deepEqual((await session.glob("**/*.txt")).files.map(({ path }) => path), ["src/one.txt"]);
      assert.deepEqual((await session.grep("tw.")).lines.map(({ text }) => text), ["two"]);
      assert.equal((await session.stat("src/one.txt")).sizeBytes, 4);
      assert.equal((await session.runCode("python", "1 + 1")).value, 2);

      const { forks, workspaces } = await session.fork({ count: 2 });
      assert.deepEqual(forks.map(({ id }) => id), workspaces.map((made) => ("ref" in made ? made.ref.ref.id : "")));
      await Promise.all(forks.map((fork, at) => fork.writeFile("attempt", `${at}`)));
      assert.deepEqual(await Promise.all(forks.map(async (fork) => (await fork.run("cat attempt src/one.txt")).stdout)), ["0two\n", "1two\n"]);
      for await (const event of forks[0]!.runStream("cat attempt")) if (event.type === "stdout") assert.equal(event.data, "0");
      await rejects(client.NotFoundError, session.readFile("attempt"));
      assert.equal((await session.readFile("attempt", { at: `workspace:${forks[1]!.id}` })).content, "1");
      await forks[1]!.start("waits", "sleep 60");
      assert.deepEqual((await session.workspace(forks[1]!.id).processes()).processes.map(({ name }) => name), ["waits"]);
      await forks[1]!.stop("waits");

      const compared = await session.compare({ workspaces: forks, command: "grep 1 attempt" });
      assert.deepEqual(compared.workspaces.map(({ command }) => command && "exitCode" in command && command.exitCode), [1, 0]);
      await session.promote(forks[1]!, { discardOthers: true });
      assert.equal((await session.readFile("attempt")).content, "1");
      await session.rm("src", { recursive: true });
      await session.close();
    });

    test("finds the server and the token in the environment", async () => {
      const environment = { SNAPSHOTTER_URL: `${world.worker.url}/`, SNAPSHOTTER_TOKEN: TOKEN };
      const uses = `import { Snapshotter } from ${JSON.stringify(path.join(CLIENTS, "typescript/src/index.ts"))}; console.log(await new Snapshotter(OPTIONS).session("ts").describe().then(({ session }) => session));`;
      const found = (options: string, env: Record<string, string>) => run("node", ["--input-type=module", "--eval", uses.replaceAll("OPTIONS", options)], env);
      assert.equal(await found("", environment), "ts\n");
      assert.equal(await found(JSON.stringify({ url: world.worker.url }), environment), "ts\n");
      assert.equal(await found(JSON.stringify({ url: world.worker.url }), { SNAPSHOTTER_TOKEN: TOKEN }), "ts\n");
      // Another server must not see the token.
      await assert.rejects(found(JSON.stringify({ url: "http://127.0.0.1:1" }), environment), /no token for http:\/\/127\.0\.0\.1:1: set SNAPSHOTTER_TOKEN/);
      await assert.rejects(found("", { SNAPSHOTTER_URL: "", SNAPSHOTTER_TOKEN: "" }), /set SNAPSHOTTER_URL and SNAPSHOTTER_TOKEN, as `make dev`/);
    });

    test("runs scripts, and code in contexts", async () => {
      const session = connect().session("ts-code");
      await session.open({ capabilities: { fs: true, snapshot: true, code: { stateful: true }, script: { maxDurationMs: 60_000 } } });
      const { value, calls } = await session.script(`await workspace.write_file({ path: "said", content: "by a script" }); return [1]`);
      assert.deepEqual([value, calls], [[1], 1]);
      await assert.rejects(session.script("await new Promise(() => {})", { signal: AbortSignal.timeout(2000) }), { name: "TimeoutError" });

      const { context } = await session.createCodeContext({ language: "python" });
      assert.ok((await session.runInCodeContext(context, { code: "said = open('said').read()" })).success);
      await assert.rejects(session.runInCodeContext(context, { code: "import time; time.sleep(100)", signal: AbortSignal.timeout(3000) }), { name: "TimeoutError" });
      const again = () => session.runInCodeContext(context, { code: "said" }).catch((error) => (error instanceof client.ConflictError ? undefined : Promise.reject(error)));
      assert.equal((await until("the context is free", again)).value, "by a script");
      assert.deepEqual((await session.listCodeContexts()).contexts.map((one) => one.context), [context]);
      assert.ok((await session.deleteCodeContext(context)).deleted);
      await rejects(client.NotFoundError, session.runInCodeContext(context, { code: "1" }));
    });

    test("makes archives of snapshots and snapshots of archives", async () => {
      const session = connect().session("ts-archives");
      await session.open({ capabilities: { fs: true, snapshot: { crossSession: true } } });
      await session.writeFile("file", "content");
      await session.snapshot({ name: "one" });
      const archive = await new Response(await session.exportSnapshot("one")).bytes();
      const sha256 = createHash("sha256").update(archive).digest("hex");
      await session.importSnapshot(archive, { name: "bytes", sha256 });
      const { snapshot } = await session.importSnapshot(await session.exportSnapshot("bytes"), { name: "stream" });
      assert.deepEqual([snapshot.trigger, snapshot.kind], ["import", "full"]);
      const record = await session.exportBackup("one", { allowCrossSession: true });
      assert.deepEqual([record.sha256, record.size, record.format], [sha256, archive.length, "tar+zstd/1"]);
      await session.importBackup({ id: record.id, name: "backup", allowCrossSession: true });
      for (const name of ["bytes", "stream", "backup"]) assert.equal(await new Response(await session.streamFile(name, "file")).text(), "content", name);
    });

    test("rejects with a class for each code", async () => {
      const session = connect().session("ts");
      const taken = await rejects(client.ConflictError, session.snapshot({ name: "one" }));
      assert.deepEqual([taken.status, taken.code, taken.outcome, taken.retryable], [409, "CONFLICT", "none", false]);
      const foreign = await rejects(client.SnapshotNotOwnedError, session.get("00000000-0000-4000-8000-000000000000"));
      assert.equal(foreign.status, 403);
      assert.match(String(foreign), /^SnapshotterError: SNAPSHOT_NOT_OWNED: /);
      // An address would drop this name: it must not delete something else.
      await rejects(client.InvalidArgumentError, session.delete(".."));
      await rejects(client.UnauthenticatedError, connect({ token: "wrong" }).session("ts").describe());
      await rejects(client.PreconditionFailedError, session.callTool("workspace_ls", {}, { expectedActive: "another" }));
      const nobody = await rejects(client.NoAnswerError, connect({ url: "http://127.0.0.1:1", retries: 1 }).session("ts").describe());
      assert.equal(nobody.status, undefined);
      let asked = 0;
      const page = () => Promise.resolve(new Response("<html>", { status: asked++ < 2 ? 502 : 404 }));
      const strange = await rejects(client.UnexpectedAnswerError, connect({ fetch: page }).session("ts").describe());
      assert.deepEqual([asked, strange.status], [3, 404]);
      assert.throws(() => connect({ url: "snapshotter.example.com" }), /as https:/);
      assert.equal((await session.describe({ deadlineMs: Infinity })).session, "ts");
    });

    test("repeats a call whose answer was lost, and it has its effect once", async () => {
      const session = connect({ url: proxy.url }).session("ts");
      proxy.cuts = 1;
      const { stdout } = await session.run("sleep 1; echo ran >> runs; cat runs");
      assert.equal(stdout, "ran\n");
      assert.equal(proxy.cuts, 0);
      proxy.cuts = 1;
      const { snapshot } = await session.snapshot({ name: "once", signal: AbortSignal.timeout(60_000) });
      assert.deepEqual((await session.list({ name: "once" }).all()).map(({ id }) => id), [snapshot.id]);
      proxy.cuts = 1;
      assert.equal((await session.describe()).session, "ts");
      proxy.cuts = 1;
      const edited = await session.update(snapshot.id, { name: "edited", labels: { lost: "answer" }, clear: ["description"] });
      assert.deepEqual([edited.snapshot.name, edited.snapshot.labels, proxy.cuts], ["edited", { lost: "answer" }, 0]);
      // By a name that it no longer has, a repetition would not find it.
      proxy.cuts = 1;
      await rejects(client.NoAnswerError, session.update("edited", { name: "again" }));
      const twice = { idempotencyKey: "twice" };
      const results = await Promise.all([session.run("sleep 1; date +%N", twice), session.run("sleep 1; date +%N", twice)]);
      assert.deepEqual(results[0], results[1]);
      // Nothing tells whether this one had its effect.
      proxy.cuts = 1;
      const lost = await rejects(client.NoAnswerError, session.start("lost", "sleep 1"));
      assert.equal(lost.outcome, "unknown");
    });

    test("follows no redirect", async () => {
      const requests: string[] = [];
      const server = http.createServer(({ method, url }, response) => {
        requests.push(`${method} ${url}`);
        response.writeHead(302, { location: "/elsewhere" }).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
      const redirected = await rejects(client.UnexpectedAnswerError, connect({ url }).session("ts").run("true"));
      server.close();
      server.closeAllConnections();
      assert.deepEqual([redirected.status, redirected.retryable, requests], [302, false, ["POST /v1/sessions/ts/tools/workspace_run"]]);
      assert.match(redirected.message, /a redirect to \/elsewhere$/);
      // As a page sees it.
      const opaque = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
      const unseen = await rejects(client.UnexpectedAnswerError, connect({ fetch: () => Promise.resolve(opaque) }).session("ts").describe());
      assert.match(unseen.message, /a redirect to another address$/);
    });

    test("repeats the delete of a snapshot only by its id", async () => {
      for (const [snapshot, sent] of [["latest", 1], ["00000000-0000-4000-8000-000000000000", 2]] as const) {
        const requests: (string | undefined)[] = [];
        const losing = (_: string, { method }: RequestInit) => {
          requests.push(method);
          return requests.length === 1 ? Promise.reject(new Error("cut")) : Promise.resolve(Response.json({ deleted: true }));
        };
        const deleted = connect({ fetch: losing }).session("ts").delete(snapshot);
        if (sent === 1) await rejects(client.NoAnswerError, deleted);
        else await deleted;
        assert.deepEqual(requests, Array(sent).fill("DELETE"), snapshot);
      }
    });

    test("ends a command whose call is aborted", async () => {
      const session = connect().session("ts");
      const isGone = async () => (await session.run("pgrep -f '[s]leep 12[2345]'")).exitCode === 1;
      for await (const { type } of session.runStream("sleep 122")) if (type === "start") break;

      const stop = new AbortController();
      const streamed = (async () => {
        for await (const event of session.runStream("sleep 123", { signal: stop.signal })) if (event.type === "start") stop.abort(new Error("enough"));
      })();
      await assert.rejects(streamed, /enough/);

      const late = rejects(client.TimedOutError, session.run("sleep 125", { deadlineMs: 8_000 }));
      const enough = new AbortController();
      const collected = assert.rejects(session.run(["sleep", "124"], { signal: enough.signal }), /enough/);
      // A cancel could overtake its call.
      await until("the command runs", async () => (await session.run("pgrep -f '[s]leep 124'")).exitCode === 0);
      enough.abort(new Error("enough"));
      await collected;
      await late;
      await until("the commands are gone", isGone, 30_000);
    });

    test("has what a session token allows, until it is revoked", async () => {
      const operator = connect().session("ts");
      await rejects(client.NotConfiguredError, operator.sharePreview(80));
      assert.deepEqual(await operator.previews(), []);
      assert.match((await operator.createTicket("/terminal")).ticket, /^stk1\./);
      assert.deepEqual(await operator.revokePreview("0".repeat(26)), { revoked: true });
      const { token, id } = await operator.createToken({ scopes: ["read"] });
      const reader = connect({ token }).session("ts");
      assert.equal((await reader.describe()).session, "ts");
      assert.ok((await reader.tools()).every(({ annotations }) => annotations.readOnlyHint));
      const refused = await rejects(client.ForbiddenError, reader.run("true"));
      assert.equal(refused.details["missingScope"], "write");
      await rejects(client.ForbiddenError, connect({ token }).session("another").describe());
      await operator.revokeToken(id);
      await rejects(client.UnauthenticatedError, reader.describe());
    });

    test("reads the operator's lists", async () => {
      const snapshotter = connect();
      assert.equal((await snapshotter.health()).status, "ok");
      const [session] = (await snapshotter.sessions().all()).filter(({ session }) => session === "ts");
      assert.ok(session);
      const { deleted, dryRun } = await snapshotter.prune({ rule: { olderThanSeconds: 1_000_000 }, dryRun: true });
      assert.deepEqual({ deleted, dryRun }, { deleted: [], dryRun: true });
      assert.match(await snapshotter.metrics(), /^snapshotter_sessions \d+$/m);
    });

    test("watches files", async () => {
      const session = connect().session("ts");
      const seen: string[] = [];
      for await (const event of session.watch()) {
        seen.push(event.type);
        if (event.type === "watching") await session.writeFile("watched", "1");
        if (event.type === "modified" || event.type === "created") break;
      }
      assert.equal(seen[0], "watching");
    });

    test("opens a terminal", async () => {
      const socket = await connect().session("ts").terminal({ cols: 100, rows: 30 });
      let printed = "";
      socket.addEventListener("message", ({ data }) => (printed += typeof data === "string" ? "" : Buffer.from(data).toString()));
      await once(socket, "message");
      socket.send(new TextEncoder().encode("stty size; exit\n"));
      await once(socket, "close");
      assert.match(printed, /^30 100\r$/m);
    });

    test("works in an isolate without Node.js compatibility", async () => {
      const isolate = await world.worker.mf.getWorker(`${world.worker.name}-http-client`);
      const answer = (await (await isolate.fetch("http://client/ts-isolate")).json()) as { output: string; content: string };
      assert.deepEqual([answer.output, answer.content], ["from an isolate\n", "from an isolate\n"]);
    });

    describe("as it would be published", { concurrency: 1 }, () => {
      const here = path.join(INSTALLED, "typescript");
      const installed = path.join(here, "node_modules", "snapshotter-client");

      before(async () => {
        fs.rmSync(here, { recursive: true, force: true });
        fs.mkdirSync(installed, { recursive: true });
        await run("npm", ["run", "build"], {}, path.join(CLIENTS, "typescript"));
        await run("npm", ["pack", "--ignore-scripts", "--pack-destination", here], {}, path.join(CLIENTS, "typescript"));
        const [archive] = fs.globSync("*.tgz", { cwd: here });
        await run("tar", ["--extract", "--gzip", "--strip-components=1", `--directory=${installed}`, `--file=${path.join(here, archive!)}`]);
      });

      test("has its code, its types and those of RPC, and no more", () => {
        const files = fs.globSync("**/*.*", { cwd: installed }).filter((file) => !file.startsWith("dist/generated/"));
        const code = ["client", "errors", "index", "pages", "session", "sse", "transport", "workspace"].flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
        assert.deepEqual(files.sort(), ["README.md", ...code, "dist/rpc.d.ts", "package.json"].sort());
        assert.equal(fs.readFileSync(path.join(installed, "LICENSE"), "utf8"), fs.readFileSync(path.join(ROOT, "LICENSE"), "utf8"));
        assert.equal(fs.readFileSync(path.join(installed, "dist/rpc.d.ts"), "utf8"), fs.readFileSync(path.join(ROOT, "entry/snapshotter.d.ts"), "utf8"));
      });

      test("needs nothing that browsers and Node.js 20 lack", async () => {
        const { outputFiles } = await esbuild.build({
          entryPoints: [path.join(installed, "dist/index.js")], bundle: true, minify: true, write: false, format: "esm", platform: "browser",
        });
        const bundle = outputFiles[0]!;
        assert.ok(bundle.contents.length < 40_000, `${bundle.contents.length} bytes`);
        assert.equal(/\b(process|Buffer|global)\.|\brequire\(/.exec(bundle.text)?.[0], undefined);
        // The workspace's Node.js is the oldest one that the client supports.
        const session = connect().session("ts");
        await session.writeFile("client.mjs", bundle.contents);
        const uses = 'import { Snapshotter } from "./client.mjs"; console.log(process.version, await new Snapshotter({ url: "http://127.0.0.1:1", token: "", retries: 0 }).health().catch(({ code }) => code))';
        const { stdout } = await session.run(["node", "--input-type=module", "--eval", uses]);
        assert.match(stdout, /^v20\.\S+ NO_ANSWER\n$/);
      });

      test("does what its README says", async () => {
        const blocks = [...fs.readFileSync(path.join(installed, "README.md"), "utf8").matchAll(/```ts\n(.*?)```/gs)];
        const files = blocks.map(([, code], at) => {
          const file = path.join(here, `example-${at}.ts`);
          fs.writeFileSync(file, code!);
          return file;
        });
        const types = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2023", "--module", "nodenext", "--types", "node", "--typeRoots", path.join(ROOT, "node_modules/@types")];
        fs.writeFileSync(path.join(here, "package.json"), '{ "type": "module" }');
        await run("tsc", [...types, ...files]);
        assert.equal(await run("node", [files[0]!], { SNAPSHOTTER_URL: world.worker.url, SNAPSHOTTER_TOKEN: TOKEN }), "works\n");
      });
    });
  });

  describe("the Python client", { concurrency: 1 }, () => {
    const proxy = new FlakyProxy();
    const source = path.join(CLIENTS, "python/src");
    const here = path.join(INSTALLED, "python");

    test("does the same, synchronous and asynchronous", async () => {
      const checks = path.join(import.meta.dirname, "clients.py");
      await python(["-W", "error", checks], source, { SNAPSHOTTER_URL: world.worker.url, SNAPSHOTTER_TOKEN: TOKEN, PROXIED: proxy.url });
    });

    test("does what its README says, from its wheel", async () => {
      const wheels = path.join(here, "wheels");
      const installed = path.join(here, "site-packages");
      fs.rmSync(here, { recursive: true, force: true });
      const pip = (...args: string[]) => python(["-m", "pip", "--disable-pip-version-check", ...args], "");
      await pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", wheels, path.join(CLIENTS, "python"));
      const [wheel] = fs.globSync("*.whl", { cwd: wheels });
      assert.match(wheel!, /^snapshotter_client-\d+\.\d+\.\d+-py3-none-any\.whl$/);
      await pip("install", "--no-deps", "--no-index", "--target", installed, path.join(wheels, wheel!));
      assert.ok(fs.existsSync(path.join(installed, "snapshotter_client/py.typed")));
      const [license] = fs.globSync("snapshotter_client-*/licenses/LICENSE", { cwd: installed });
      assert.equal(fs.readFileSync(path.join(installed, license!), "utf8"), fs.readFileSync(path.join(ROOT, "LICENSE"), "utf8"));

      const [, example] = /```python\n(.*?)```/s.exec(fs.readFileSync(path.join(CLIENTS, "python/README.md"), "utf8"))!;
      const file = path.join(here, "example.py");
      fs.writeFileSync(file, example!);
      await python(["-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", path.join(here, "mypy"), file], installed);
      assert.equal(await python([file], installed, { SNAPSHOTTER_URL: world.worker.url, SNAPSHOTTER_TOKEN: TOKEN }), "works\n");
    });
  });
});
