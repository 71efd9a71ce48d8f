/**
 * Scripts in real isolates, from miniflare's Worker Loader: what they can do, and what hostile ones can't.
 *
 * workerd on a developer's machine limits neither the CPU time nor the memory of an isolate, so a script that computes or
 * allocates without end takes workerd with it. The last tests see that nothing is lost then. On Cloudflare the platform
 * ends such a script alone (docs/decisions/scripts.md).
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Scope, ScriptResult } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, until, useWorld, type Session } from "./support.ts";

const TOKEN_KEYS = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const LOADER = { LOADER: { type: "worker-loader" } };
const world = useWorld({ extraWorkers: [AGENT], env: LOADER, vars: { TOKEN_KEYS } });
const EVERYTHING = { fs: true, shell: true, code: true, snapshot: true };

const opened = (id: string, script: object | true = true) => world.opened(id, { capabilities: { ...EVERYTHING, script } });
const run = (session: Session, code: string) => session.http<ScriptResult>("POST", "/script", { code });

async function value(session: Session, code: string): Promise<any> {
  const result = await run(session, code);
  assert.equal(result.error, undefined, result.error);
  return result.value;
}

/** A session for code that starts nothing. */
let bare: Session;
const openBare = async () => {
  bare = await opened("bare", { maxDurationMs: 60_000 });
};

const WHICH = `
  const { snapshots } = await workspace.list_snapshots({ limit: 100 });
  const searched = await Promise.all(snapshots.map(async ({ ref, name }) => {
    const { lines } = await workspace.grep({ at: ref, pattern: "needle", fixed: true });
    return lines.length > 0 ? name : null;
  }));
  return searched.filter(Boolean);`;

describe("what scripts are for", () => {
  before(openBare);

  it("one call tells which of ten snapshots has a text, without a container", async () => {
    const session = await opened("ten", { maxDurationMs: 60_000 });
    for (let n = 0; n < 10; n++) {
      await session.tool("workspace_write_file", { path: "test.txt", content: n === 6 ? "a needle\n" : `hay ${n}\n` });
      await session.snapshot({ name: `s${n}` });
    }
    await world.removeContainers();
    const result = await run(session, WHICH);
    assert.deepEqual(result.value, ["s6"], result.error);
    assert.deepEqual([result.calls, result.timedOut, result.logs], [11, false, ""]);
    assert.deepEqual(world.worker.containers(), [], "none was started");
    // The same over RPC, and as a tool.
    assert.deepEqual((await world.rpc<ScriptResult>("ten", "runScript", WHICH)).value, ["s6"]);
    assert.deepEqual((await session.tool<ScriptResult>("workspace_script", { code: WHICH })).value, ["s6"]);
    const files = `
      const of = { at: "s6" };
      const { entries } = await workspace.ls(of);
      const { content } = await workspace.read_file({ ...of, path: "test.txt" });
      const { sizeBytes } = await workspace.stat({ ...of, path: "test.txt" });
      const { changes } = await workspace.diff({ from: { snapshot: "s5" }, to: { snapshot: "s6" } });
      return [entries.map(({ path }) => path), content, sizeBytes, changes.map(({ path, change }) => [path, change])];`;
    assert.deepEqual(await value(session, files), [["test.txt"], "a needle\n", 9, [["test.txt", "modified"]]]);
    assert.deepEqual(world.worker.containers(), []);
  });

  it("it reads, writes, lists, diffs and snapshots the workspace", async () => {
    const session = await opened("work", { maxDurationMs: 60_000 });
    await session.snapshot({ name: "empty" });
    const code = `
      await workspace.write_file({ path: "src/a.txt", content: "one\\n" });
      await workspace.edit_file({ path: "src/a.txt", oldText: "one", newText: "two" });
      const { content } = await workspace.read_file({ path: "src/a.txt" });
      const { entries } = await workspace.ls({ path: "src" });
      const { files } = await workspace.glob({ pattern: "**/*.txt" });
      const { lines } = await workspace.grep({ pattern: "two" });
      const { sizeBytes } = await workspace.stat({ path: "src/a.txt" });
      const { counts } = await workspace.diff({ from: { snapshot: "empty" } });
      const { snapshot } = await workspace.snapshot({ name: "by-script" });
      return [content, entries.length, files.length, lines.length, sizeBytes, counts.added, snapshot.name];`;
    assert.deepEqual(await value(session, code), ["two\n", 1, 1, 1, 4, 2, "by-script"]);
    assert.equal((await session.list()).snapshots.length, 2);
  });

  it("what it returns, prints and throws is told", async () => {
    const result = await run(bare, `console.log("a", { b: 1 });\nconsole.error(new Error("logged").message);\nreturn { n: [1, "x", null] };`);
    assert.deepEqual([result.value, result.logs, result.error], [{ n: [1, "x", null] }, 'a {"b":1}\nlogged\n', undefined]);
    assert.equal((await run(bare, "")).value, undefined);
    assert.equal((await run(bare, "return 10n")).valueText, "10");
    assert.match((await run(bare, "const a = {}; a.a = a; return a;")).valueText!, /object/i);
    const thrown = (await run(bare, "\nconst f = () => { throw new TypeError('bad'); };\nf();")).error!;
    assert.match(thrown, /^TypeError: bad\n.*script\.js:2:\d+\)\n.*script\.js:3:1\)$/s);
    assert.match((await run(bare, "\nreturn 1 +;")).error!, /^SyntaxError: .*\n.*script\.js:2/);
    assert.match((await run(bare, "} ; throw new Error('outside'); {")).error!, /Error: outside|SyntaxError/);
    const failed = (await run(bare, "\nreturn await workspace.ls({ at: 'none' });")).error!;
    assert.match(failed, /^SnapshotterError: NOT_FOUND: .*script\.js:2:.*\nHint: /s);
    const caught = "try { await workspace.read_file({ path: '../../etc/passwd' }) } catch ({ name, code, hint, retryable }) { return [name, code, typeof hint, retryable] }";
    assert.deepEqual(await value(bare, caught), ["SnapshotterError", "INVALID_ARGUMENT", "string", false]);
    assert.match((await run(bare, "return await workspace.ls({ noSuchField: 1 })")).error!, /INVALID_ARGUMENT: .*noSuchField/);
  });
});

describe("what the isolate has", () => {
  before(openBare);

  it("modules of Node.js, timers, cryptography and a file system of its own", async () => {
    const code = `
      const [path, { createHash }, fs, { gzipSync, gunzipSync }] = await Promise.all(["node:path", "node:crypto", "node:fs", "node:zlib"].map((name) => import(name)));
      const begun = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const seen = fs.existsSync("/tmp/seen");
      fs.writeFileSync("/tmp/seen", "kept for this call");
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array()));
      return [
        path.join("a", "b"), createHash("md5").update("a").digest("hex"), gunzipSync(gzipSync("packed")).toString(), Date.now() - begun >= 45,
        seen, fs.readFileSync("/tmp/seen", "utf8"), fs.readdirSync("/"), digest[0], crypto.randomUUID().length, typeof Buffer, typeof require,
      ];`;
    const has = ["a/b", "0cc175b9c0f1b6a831c399e269772661", "packed", true, false, "kept for this call", ["bundle", "tmp", "dev"], 0xe3, 36, "function", "undefined"];
    for (let n = 0; n < 2; n++) assert.deepEqual(await value(bare, code), has);
  });

  it("no WebAssembly, no programs or threads, and no module from elsewhere", async () => {
    const code = `
      const tried = (what) => Promise.resolve().then(what).then(() => "worked", ({ name, message }) => name + ": " + message);
      const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
      const { execSync } = await import("node:child_process");
      const { Worker } = await import("node:worker_threads");
      const { runInThisContext } = await import("node:vm");
      return Promise.all([
        () => new WebAssembly.Module(wasm), () => WebAssembly.compile(wasm), () => WebAssembly.instantiate(wasm),
        () => execSync("id"), () => new Worker("", { eval: true }), () => runInThisContext("1"),
        () => import("lodash"), () => import("https://example.com/a.js"), () => import("data:text/javascript,export default 1"),
      ].map(tried));`;
    const tried: string[] = await value(bare, code);
    const refusals = [/^CompileError/, /^CompileError/, /^CompileError/, /not implemented/, /not implemented/, /not implemented/, /No such module/, /No such module/, /No such module/];
    for (const [nth, refusal] of refusals.entries()) assert.match(tried[nth]!, refusal);
    assert.match((await run(bare, 'import path from "node:path"; return path.sep')).error!, /^SyntaxError/);
    // While modules load, the platform allows it. A script gets there if it closes its function.
    const early = "return globalThis.made; };\nglobalThis.made = String(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));\nconst rest = () => {";
    assert.equal(await value(bare, early), "[object WebAssembly.Module]");
  });
});

describe("who may run one", () => {
  before(openBare);

  it("it is off unless it is declared", async () => {
    const plain = await world.opened("plain");
    await fails("UNSUPPORTED", run(plain, "return 1"));
    await fails("NOT_FOUND", plain.tool("workspace_script", { code: "return 1" }));
    assert.ok(!(await plain.tools()).some(({ name }) => name === "workspace_script"));
    const tool = (await bare.tools()).find(({ name }) => name === "workspace_script")!;
    assert.match(JSON.stringify(tool.inputSchema), /list_snapshots, .*write_file/);
    await fails("INVALID_ARGUMENT", world.session("long").open({ capabilities: { script: { maxDurationMs: 60_001 } } }));
  });

  it("a script has the scopes of its caller", async () => {
    const code = `
      const tried = (call) => call.then(() => "done", ({ code }) => code);
      return [
        await tried(workspace.list_snapshots()),
        await tried(workspace.write_file({ path: "a", content: "1" })),
        await tried(workspace.snapshot({ name: "taken" })),
      ];`;
    const session = await opened("scoped", { maxDurationMs: 60_000 });
    const as = async (...scopes: Scope[]) => {
      const { token } = await session.http<{ token: string }>("POST", "/tokens", { scopes });
      return world.session("scoped", token);
    };
    const reader = await as("read");
    assert.deepEqual(await value(reader, code), ["done", "FORBIDDEN", "FORBIDDEN"]);
    assert.deepEqual((await reader.tool<ScriptResult>("workspace_script", { code })).value, ["done", "FORBIDDEN", "FORBIDDEN"]);
    const [restricted] = await world.agent<{ value: ScriptResult }[]>("restricted", { session: "scoped", through: [["read", "write"], ["read"]], calls: [["runScript", code]] });
    assert.deepEqual(restricted!.value.value, ["done", "FORBIDDEN", "FORBIDDEN"]);
    await fails("FORBIDDEN", run(await as("write", "snapshot"), code));
    const shown = (await reader.tools()).find(({ name }) => name === "workspace_script")!;
    assert.ok(!JSON.stringify(shown.inputSchema).includes("write_file"));
    assert.deepEqual(await value(await as("read", "write"), code), ["done", "done", "FORBIDDEN"]);
    assert.deepEqual(await value(session, code), ["done", "done", "done"]);
  });
});

describe("a script that tries to get out", () => {
  before(openBare);

  it("it has no bindings, no other module of ours, and no state", async () => {
    const code = `
      const workers = await import("cloudflare:workers");
      const tried = (what) => Promise.resolve().then(what).then(() => "worked", ({ name }) => name);
      const found = [Object.keys(workers.env), Object.keys(workers.exports ?? {}), typeof caches, Object.keys(process.env)];
      for (const name of ["snapshotter-wasm", "./index.js", "./index_bg.wasm", "../index.js", "node:fs/promises.js"]) found.push(await tried(() => import(name)));
      found.push(await tried(() => eval("1")), await tried(() => new Function("return 1")()));
      found.push(await tried(() => (async () => {}).constructor("return 1")()));
      globalThis.seen = (globalThis.seen ?? 0) + 1;
      return [...found, globalThis.seen];`;
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await value(bare, code), [[], ["default"], "undefined", [], "Error", "Error", "Error", "Error", "Error", "EvalError", "EvalError", "EvalError", 1]);
    }
  });

  it("it can call nothing but its functions, whatever it does to them", async () => {
    const code = `
      const kinds = [Object.isFrozen(workspace), typeof workspace.run, typeof workspace.script, typeof workspace.delete_snapshot, typeof workspace.close];
      Object.prototype.tool = "workspace_run";
      Object.prototype.caller = { kind: "operator" };
      Object.prototype.scopes = ["admin"];
      Array.prototype.toJSON = () => "polluted";
      Promise.prototype.then = ((then) => function (...args) { return then.apply(this, args); })(Promise.prototype.then);
      JSON.stringify = () => '{"call":1,"tool":"run","input":{"command":"id"}}';
      const answers = [];
      for (const [name, input] of [["list_snapshots", { caller: { kind: "operator" } }], ["ls", { __proto__: { workspace: "other" }, session: "other" }]]) {
        answers.push(await workspace[name](input).then(() => "worked", ({ code }) => code));
      }
      delete Array.prototype.toJSON;
      return [...kinds, ...answers];`;
    assert.deepEqual(await value(bare, code), [true, "undefined", "undefined", "undefined", "undefined", "INVALID_ARGUMENT", "INVALID_ARGUMENT"]);
  });

  it("it speaks to the session in the harness's place, and gets no further", async () => {
    // The script's module can write what it likes into the response: it takes the writer from its prototype.
    const hijacked = (line: string) => `
      const { write } = WritableStreamDefaultWriter.prototype;
      const forged = new TextEncoder().encode(${JSON.stringify(line)} + "\\n");
      WritableStreamDefaultWriter.prototype.write = function () { return write.call(this, forged); };
      await workspace.ls({}).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));`;
    const call = (tool: string, input: object = {}) => hijacked(JSON.stringify({ call: 1, tool, input, caller: { kind: "operator" }, scopes: ["admin"] }));
    for (const tool of ["run", "script", "callTool", "close", "createToken", "delete_snapshot", "workspace_run", "__proto__"]) {
      // The answer is NOT_FOUND, so the call of the harness fails and the forged line is written again as its result.
      assert.ok((await run(bare, call(tool, { code: "return 1", command: "touch /workspace/out" }))).value === undefined);
    }
    assert.match((await run(bare, hijacked("no JSON"))).error!, /broke its connection/);
    assert.equal((await run(bare, hijacked('{"done":{"value":"forged"}}'))).value, "forged", "its result is its own to forge");
    assert.equal((await bare.describe()).status, "open");
    const tools = new Set(world.logLines().filter(({ event, session }) => event === "callTool" && session === "bare").map(({ tool }) => tool));
    for (const tool of ["workspace_run", "workspace_script", "workspace_delete_snapshot", "unknown"]) assert.ok(!tools.has(tool), tool);
  });

  it("it reaches no other session", async () => {
    const other = await opened("other");
    await other.tool("workspace_write_file", { path: "secret", content: "theirs" });
    const { ref, snapshot } = await other.snapshot({ name: "secret" });
    const code = `
      const codes = [];
      const refs = [${JSON.stringify(ref)}, ${JSON.stringify(snapshot.id)}, "secret"];
      for (const ref of refs) for (const more of [{}, { allowCrossSession: true }, { session: "other" }]) {
        codes.push(await workspace.ls({ at: ref, ...more }).then(() => "worked", ({ code }) => code));
      }
      for (const place of ["other", ${JSON.stringify({ providerId: "cloudflare-sandbox", ref: { id: "other" } })}]) {
        codes.push(await workspace.read_file({ path: "secret", at: { workspace: place } }).then(() => "worked", ({ code }) => code));
      }
      return codes;`;
    const codes: string[] = await value(bare, code);
    assert.deepEqual(new Set(codes), new Set(["SNAPSHOT_NOT_OWNED", "NOT_FOUND", "CROSS_SESSION_DISABLED", "INVALID_ARGUMENT", "WORKSPACE_NOT_OWNED"]));
  });
});

describe("a script that floods", () => {
  before(openBare);

  it("its output, value and error are cut off, and not written to the operator's log", async () => {
    const flood = await run(bare, `for (let n = 0; n < 100_000; n++) console.log("flooding".repeat(10)); throw new Error("e".repeat(1e6));`);
    assert.ok(flood.logs.length < 66_000 && flood.logs.includes("left out"), `${flood.logs.length}`);
    assert.ok(flood.error!.length < 9_000);
    assert.ok(!world.logText().includes("floodingflooding"));
    assert.match((await run(bare, `return "v".repeat(300_000)`)).error!, /300002 bytes of JSON, and at most 262144/);
    const large = await run(bare, `await workspace.write_file({ path: "a", content: "x".repeat(2 << 20) })`);
    assert.match(large.error!, /more than 1048576 bytes/);
    await fails("TOO_LARGE", run(bare, `/*${"x".repeat(256 * 1024)}*/`));
  });

  it("thousands of calls at once are bounded, and others are still served", async () => {
    const flood = run(bare, `await Promise.all(Array.from({ length: 5_000 }, () => workspace.list_snapshots()))`);
    assert.deepEqual(await value(bare, "return (await workspace.list_snapshots()).snapshots"), []);
    const { calls, error } = await flood;
    assert.deepEqual([calls, error], [500, "it made more than 500 calls"]);
  });
});

describe("time and network", () => {
  before(openBare);

  let pings = 0;
  const server = http.createServer((request, response) => {
    if (request.url === "/ping") pings++;
    response.end("reached");
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  after(() => server.close());

  it("off reaches nothing", async () => {
    assert.match((await run(bare, `await fetch("${url()}/")`)).error!, /the network is off/);
    const ways = `
      const { connect } = await import("cloudflare:sockets");
      const tried = (what) => Promise.resolve().then(what).then(() => "reached", ({ message }) => /not permitted|off/.test(message) ? "off" : message);
      return [
        await tried(() => connect("${url().slice(7)}").opened),
        await tried(() => new WebSocket("${url().replace("http", "ws")}/ping")),
        await tried(() => (0, Object.getPrototypeOf(globalThis).fetch ?? fetch)("${url()}/ping")),
      ];`;
    assert.deepEqual(await value(bare, ways), ["off", "off", "off"]);
    assert.equal(pings, 0);
  });

  it("allow reaches what the Worker reaches", async () => {
    const session = await opened("online", { network: "allow" });
    assert.equal(await value(session, `return (await fetch("${url()}/")).text()`), "reached");
  });

  it("requests reach hosts of the Worker's own zone as anyone's do, and not its origin directly", async () => {
    // What the platform does then has no effect here, but an isolate can tell which flags it has.
    const flag = "return Cloudflare.compatibilityFlags.global_fetch_strictly_public";
    for (const network of ["allow", "off"]) {
      assert.equal(await value(await opened(`public-${network}`, { network }), flag), true, network);
    }
  });

  it("a script whose time is up is ended, and does nothing more", async () => {
    const session = await opened("timed", { network: "allow", maxDurationMs: 5_000 });
    const pinging = `for (;;) { await (await fetch("${url()}/ping")).text(); await new Promise((resolve) => setTimeout(resolve, 10)); }`;
    const ways = [
      `console.log("begun"); await workspace.list_snapshots(); ${pinging}`,
      `const { waitUntil } = await import("cloudflare:workers"); waitUntil((async () => { ${pinging} })()); await new Promise(() => {});`,
      `const { waitUntil } = await import("cloudflare:workers"); waitUntil((async () => { ${pinging} })()); return 1;`,
    ];
    for (const [way, code] of ways.entries()) {
      pings = 0;
      const result = await run(session, code);
      assert.equal(result.timedOut, way < 2, result.error);
      if (way === 0) assert.equal(result.logs, "begun\n", "what it wrote before its last call is told");
      if (way < 2) assert.ok(pings > 0);
      await quiet();
    }
  });

  /** Waits until a whole second passes without a ping. */
  async function quiet(): Promise<void> {
    for (let triesLeft = 10; triesLeft > 0; triesLeft--) {
      const before = pings;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (pings === before) return;
    }
    assert.fail("the script goes on");
  }

  it("few run at once", async () => {
    const session = await opened("busy", { network: "allow", maxDurationMs: 60_000 });
    pings = 0;
    const code = `await fetch("${url()}/ping"); await new Promise(() => {})`;
    const ids = ["one", "two", "three", "four"];
    const ended = ids.map((id) => fails("ABORTED", session.http("POST", "/tools/workspace_script", { code }, { "operation-id": id })));
    await until("all run", async () => pings === 4);
    await fails("QUOTA_EXCEEDED", run(session, "return 1"));
    for (const id of ids) await session.http("POST", `/operations/${id}/cancel`);
    await Promise.all(ended);
    assert.equal(await value(session, "return 1"), 1);
  });

  it("a caller that gives up ends it", async () => {
    const control = { "operation-id": "hanging" };
    const hanging = bare.http("POST", "/tools/workspace_script", { code: "await new Promise(() => {})" }, control);
    const ended = fails("ABORTED", hanging);
    await until("it can be cancelled", () => bare.http("POST", "/operations/hanging/cancel").then(() => true, () => false));
    assert.equal((await ended).outcome, "unknown");
  });
});

describe("a Worker without the binding", () => {
  const without = useWorld();

  it("refuses such a session at its open, and names the binding", async () => {
    const refused = await fails("NOT_CONFIGURED", without.session("refused").open({ capabilities: { script: true } }));
    assert.match(`${refused.message} ${refused.hint}`, /LOADER.*worker_loaders/s);
    await fails("NOT_FOUND", without.session("refused").describe());
    await without.opened("refused");
  });
});

describe("a script that the platform has to end", () => {
  const rough = useWorld({ env: LOADER });

  async function survives(id: string, code: string, end: () => void): Promise<void> {
    const session = await rough.opened(id, { capabilities: { ...EVERYTHING, script: true } });
    await session.tool("workspace_write_file", { path: "kept", content: "kept\n" });
    await session.snapshot({ name: "kept" });
    const before = await session.list();
    const broken = assert.rejects(run(session, code));
    end();
    await broken;
    // miniflare starts workerd again. A new one has no script that counts as running.
    const read = `return (await workspace.read_file({ at: "kept", path: "kept" })).content`;
    const result = await until("workerd runs again", () => run(session, read).catch(() => null));
    assert.equal(result.value, "kept\n", result.error);
    assert.deepEqual(await session.list(), before);
    assert.equal(await session.sh("cat kept"), "kept\n");
  }

  it("one that loops holds up workerd here, until that is killed; nothing is lost", async () => {
    await survives("loops", "for (;;) {}", () => {
      // It has begun once workerd answers no other call.
      const stuck = async () => {
        for (;;) {
          const answered = await fetch(`${rough.worker.url}/health`, { signal: AbortSignal.timeout(3_000) }).then(() => true, () => false);
          if (!answered) return rough.worker.killWorkerd();
        }
      };
      void stuck();
    });
  });

  it("one that allocates ends workerd here; nothing is lost", async () => {
    // The machine's memory is for others, too.
    const limit = () => execFileSync("prlimit", ["--pid", String(rough.worker.workerdPid()), "--data=2000000000"]);
    await survives("allocates", "const all = []; for (;;) all.push(new Array(1e5).fill({}));", limit);
  });
});
