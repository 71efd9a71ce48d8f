/** Programs that commands and code leave running, in a container of the engine, which closes a command's output with it. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExecResult, ProcessLog } from "../../entry/snapshotter.d.ts";
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
