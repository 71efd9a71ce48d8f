/**
 * How programs end in a container of the engine: those that commands and code leave running, whose output the engine
 * closes with the command's, and those that the kernel ends because memory runs out.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import type { ExecResult, ProcessLog, ProcessView } from "../../entry/snapshotter.d.ts";
import { until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const SERVER = `require('http').createServer((q, r) => { console.log('request', q.url, 'x'.repeat(2000)); r.end('ok') }).listen(8200)`;
const REQUESTS = "for i in $(seq 50); do curl -s -m 3 http://127.0.0.1:8200/$i || echo FAIL; done | sort | uniq -c";

describe("a server that was started with an ampersand", () => {
  let session: Session;

  it("lives on while it prints, and its output is found", async () => {
    session = await world.opened("left", { capabilities: { fs: true, shell: true, code: { stateful: true } } });
    await session.tool("workspace_write_file", { path: "server.js", content: SERVER });
    await session.sh("true");
    const began = Date.now();
    const run = await session.tool<ExecResult>("workspace_run", { command: "node server.js & sleep 0.5; echo started" });
    assert.ok(Date.now() - began < 5_000, `it took ${Date.now() - began} ms`);
    assert.deepEqual([run.exitCode, run.stdout], [0, "started\n"]);
    const { process, programs } = run.leftRunning!;
    assert.ok(programs.some(({ command }) => command === "node server.js"), JSON.stringify(run));
    assert.match(run.hint!, new RegExp(`log of background process ${process} `));
    assert.match(await session.sh(REQUESTS), /^\s+1 (ok){50}$/m);
    const log = await session.tool<ProcessLog>("workspace_logs", { name: process });
    assert.match(log.text, /request \/50 x/);
    await session.tool("workspace_stop", { name: process });
    assert.equal(await session.sh("pgrep -f '[s]erver.js' || echo ended"), "ended\n");
  });

  it("does so where code in a context started it", async () => {
    const { context } = await session.tool<{ context: string }>("workspace_create_code_context", { language: "python" });
    const code = "import subprocess\np = subprocess.Popen(['python3', '-m', 'http.server', '8127'])\nprint('started')";
    const ran = await session.tool<ExecResult>("workspace_run_in_code_context", { context, code });
    assert.equal(ran.stdout, "started\n");
    for (let request = 0; request < 3; request++) {
      await session.sh("curl -sf --retry 20 --retry-delay 1 --retry-connrefused -o /dev/null http://127.0.0.1:8127/");
    }
    const name = ran.leftRunning!.process;
    await until("its log has the requests", async () => (await session.tool<ProcessLog>("workspace_logs", { name })).text.includes("GET / "));
  });
});

describe("a program that takes more memory than there is", () => {
  // Python touches each page of it.
  const COMMAND = "python3 -c 'x = b\"x\" * (1 << 30)'";

  it("ends with 137, and the answer says why", async () => {
    const session = await world.opened("memory");
    const before = new Set(world.worker.containers());
    await session.sh("true");
    const containers = world.worker.containers().filter((name) => !before.has(name));
    assert.equal(containers.length, 1, String(containers));
    execFileSync("docker", ["update", "--memory", "300m", "--memory-swap", "300m", containers[0]!]);
    const run = await session.tool<ExecResult>("workspace_run", { command: COMMAND });
    assert.equal(run.exitCode, 137);
    assert.match(run.hint!, /ran out of memory/);
    const { name } = await session.tool<ProcessView>("workspace_start", { name: "large", command: COMMAND });
    const process = async () => (await session.tool<ProcessLog>("workspace_logs", { name })).process;
    await until("it has ended", async () => (await process()).state === "ended");
    const { exitCode, hint } = await process();
    assert.equal(exitCode, 137);
    assert.match(hint!, /ran out of memory/);
    // One that something else kills has no such hint.
    await session.tool("workspace_start", { name: "killed", command: "kill -9 $$" });
    await until("it has ended", async () => (await session.tool<ProcessLog>("workspace_logs", { name: "killed" })).process.state === "ended");
    assert.equal((await session.tool<ProcessLog>("workspace_logs", { name: "killed" })).process.hint, undefined);
  });
});
