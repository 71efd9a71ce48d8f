/** Code contexts: interpreters in a real container that keep their variables between calls. */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CodeContext, CodeContextList, RanInContext } from "../../entry/snapshotter.d.ts";
import { AGENT, TOKEN, fails, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
const STATEFUL = { capabilities: { fs: true, shell: true, code: { stateful: true }, snapshot: true } };
const SHORT = { timeoutMs: 3_000 };

async function create(session: Session, language: "python" | "javascript", options: object = {}): Promise<string> {
  return (await session.http<CodeContext>("POST", "/code-contexts", { language, ...options })).context;
}

function run(session: Session, context: string, code: string, options: object = {}, headers: Record<string, string> = {}): Promise<RanInContext> {
  return session.http("POST", `/code-contexts/${context}/run`, { code, ...options }, headers);
}

async function listed(session: Session): Promise<string[]> {
  return (await session.http<CodeContextList>("GET", "/code-contexts")).contexts.map(({ context }) => context);
}

for (const [language, declare, print, begin, endless, crash] of [
  ["python", "x = 5\nx", "print('hi')", "open('begun', 'w')", "while True: pass", "import sys; sys.exit(7)"],
  ["javascript", "const x = await Promise.resolve(5); x", "console.log('hi')", "require('fs').writeFileSync('begun', '')", "while (true) {}", "process.exit(7)"],
] as const) {
  describe(`a context of ${language}`, () => {
    let session: Session;
    let context: string;

    before(async () => {
      session = await world.opened(`contexts-${language}`, STATEFUL);
      const running = world.worker.containers();
      assert.deepEqual(await listed(session), []);
      assert.deepEqual(world.worker.containers(), running, "a list starts no container");
      context = await create(session, language);
      assert.deepEqual(await listed(session), [context]);
    });

    it("keeps variables, and has output, values and errors", async () => {
      assert.equal((await run(session, context, declare)).value, 5);
      const ran = await run(session, context, `${print}\nx + 1`);
      assert.deepEqual([ran.stdout, ran.value, ran.exitCode, ran.contextEnded], ["hi\n", 6, 0, undefined]);
      assert.equal((await world.rpc(session.id, "runInCodeContext", context, "x + 2")).value, 7);
      const failed = await run(session, context, "nothing");
      assert.equal(failed.exitCode, 1);
      assert.match(failed.stderr, /NameError|ReferenceError/);
    });

    it("survives its time limit and a cancelled call", async () => {
      const late = await run(session, context, endless, SHORT);
      assert.deepEqual([late.exitCode, late.timedOut, late.contextEnded], [124, true, undefined]);
      assert.equal((await run(session, context, "x")).value, 5);
      const call = run(session, context, `${begin}\n${endless}`, {}, { "operation-id": "endless" });
      const aborted = fails("ABORTED", call);
      await until("it runs", async () => (await session.run("test -e begun")).exitCode === 0);
      await fails("CONFLICT", run(session, context, "1"));
      await session.cancel("endless");
      assert.match((await aborted).message, /interrupted/);
      // The answer comes before the interrupt has reached the code.
      const next = await until("the code has ended", () => run(session, context, "x").catch((error: unknown) => {
        assert.match(String(error), /CONFLICT/);
        return undefined;
      }));
      assert.equal(next.value, 5);
    });

    it("outlives the objects that serve it", async () => {
      await world.worker.restart();
      assert.equal((await run(session, context, "x")).value, 5);
    });

    it("ends with an answer if its code exits, and the next call says why", async () => {
      const exited = await run(session, context, crash);
      assert.equal(exited.exitCode, 7);
      assert.match(exited.contextEnded!, /exited with 7/);
      const { message, hint } = await fails("NOT_FOUND", run(session, context, "x"));
      assert.match(message, /has ended: .*exited with 7/);
      assert.match(hint!, /POST \/v1\/sessions\/\{session\}\/code-contexts/);
      assert.deepEqual(await listed(session), []);
    });

    it("ends with its container, and never runs in a new interpreter", async () => {
      const first = await create(session, language);
      await run(session, first, declare);
      await session.snapshot({ name: "saved" });
      await world.removeContainers();
      const gone = await fails("NOT_FOUND", run(session, first, "x"));
      assert.match(gone.message, /ended with its container/);
      assert.deepEqual(world.worker.containers(), [], "nothing was woken");
      const second = await create(session, language);
      await fails("NOT_FOUND", run(session, first, "x"));
      assert.equal((await run(session, second, "x")).exitCode, 1, "a new one has no such variable");
      await session.http("DELETE", `/code-contexts/${second}`);
      await session.http("DELETE", `/code-contexts/${second}`);
      await fails("NOT_FOUND", run(session, second, "1"));
    });
  });
}

describe("code contexts of a workspace", () => {
  it("are eight, and a rewind ends them", async () => {
    const session = await world.opened("contexts-many", STATEFUL);
    await session.sh("echo one > a");
    await session.snapshot({ name: "one" });
    const contexts: string[] = [];
    for (let n = 0; n < 8; n++) contexts.push(await create(session, "python", { memoryMib: 128 }));
    await fails("QUOTA_EXCEEDED", create(session, "python"));
    await session.http("DELETE", `/code-contexts/${contexts[0]!}`);
    contexts[0] = await create(session, "python");
    await session.sh("echo two > a");
    await session.http("POST", "/rewind", { ref: "one" });
    assert.deepEqual(await listed(session), []);
    assert.match((await fails("NOT_FOUND", run(session, contexts[0], "1"))).message, /rewind/);
  });

  it("return images, and report output over MCP while the code runs", async () => {
    const session = await world.opened("contexts-mcp", STATEFUL);
    const client = new Client({ name: "contexts", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}/v1/sessions/${session.id}/mcp`), { requestInit }));
    const call = async (name: string, input: object, options = {}) => {
      const result = (await client.callTool({ name, arguments: { ...input } }, options)) as { isError?: boolean; structuredContent: any };
      assert.ok(!result.isError, JSON.stringify(result));
      return result.structuredContent;
    };
    await client.listTools();
    const { context } = await call("workspace_create_code_context", { language: "python" });
    const png = "import os\nopen(os.environ['OUTPUT_DIR'] + '/a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')\nNone";
    const { images } = await call("workspace_run_in_code_context", { context, code: png });
    assert.deepEqual(images, [{ name: "a.png", mimeType: "image/png", data: "iVBORw0KGgo=" }]);
    const heard: string[] = [];
    // The code ends only once the client has heard it.
    const onprogress = ({ message, _meta }: { message?: string; _meta?: Record<string, unknown> }) => {
      if (_meta?.["snapshotter/stream"] === "stdout") heard.push(message!);
      if (heard.length === 1) void session.sh("touch heard");
    };
    const code = "import os, time\nprint('begun')\nwhile not os.path.exists('heard'): time.sleep(0.05)\nprint('done')\n7";
    const ran = await call("workspace_run_in_code_context", { context, code }, { onprogress, resetTimeoutOnProgress: true });
    assert.deepEqual([ran.value, ran.stdout], [7, "begun\ndone\n"]);
    assert.equal(heard[0], "begun\n");
    await client.close();
  });

  it("are only in sessions that declare them", async () => {
    const plain = await world.opened("contexts-none");
    await fails("UNSUPPORTED", create(plain, "python"));
    assert.ok(!(await plain.tools()).some(({ name }) => name.includes("code_context")));
    const node = await world.opened("contexts-node", { capabilities: { code: { stateful: true, languages: ["javascript"] } } });
    await fails("INVALID_ARGUMENT", create(node, "python"));
    const reads = await world.opened("contexts-reads", { capabilities: { ...STATEFUL.capabilities, readOnly: true } });
    await fails("FORBIDDEN", create(reads, "python"));
    await fails("INVALID_ARGUMENT", run(node, "none", "1"));
  });
});
