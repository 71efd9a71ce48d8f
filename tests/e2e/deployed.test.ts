/** Runs the programs for deployments, the tour and the soak, against the tests' Worker by its URL and token alone. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as path from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../tools/local-worker.ts";
import { MIB, Report, soakSession } from "../../tools/soak/session.ts";
import { TOKEN, useWorld } from "./support.ts";

const world = useWorld();

/** Runs a program of tools/ without access to an engine. */
async function run(program: string, env: Record<string, string>): Promise<{ stdout: string; stderr: string; code: number }> {
  const child = promisify(execFile)(process.execPath, [path.join(ROOT, "tools", program)], { env });
  return child.then((out) => ({ ...out, code: 0 }), (failed: { stdout: string; stderr: string; code: number }) => failed);
}

describe("against a deployment", { concurrency: true }, () => {
  it("the tour passes, and closes its session", async () => {
    const { stdout, stderr, code } = await run("demo.ts", { URL: world.worker.url, TOKEN });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^demo: ok$/m);
    const id = /^session (tour-[0-9a-f]{8}) at /m.exec(stdout)?.[1];
    assert.ok(id, stdout);
    assert.equal((await world.session(id).describe()).status, "closed");
  });

  it("the soak goes through everything, and loses nothing", async () => {
    const report = new Report();
    await soakSession({
      url: world.worker.url, token: TOKEN, id: "soak", archiveBytes: MIB, sleepAfterSeconds: 3, report, goOn: () => false,
    });
    assert.equal(report.failed, false, report.table());
    for (const operation of ["snapshot", "rewind", "restore", "live fork", "pause", "resume", "wake", "archive out", "archive in", "destroy"]) {
      assert.ok(report.operations().includes(operation), `${operation} ran:\n${report.table()}`);
    }
  });

  it("both say what they need", async () => {
    for (const program of ["demo.ts", "soak.ts"]) {
      const { stderr, code } = await run(program, { URL: "https://snapshotter.example.com/v1", TOKEN });
      assert.equal(code, 1);
      assert.match(stderr, /address without a path/);
    }
    const { stderr } = await run("soak.ts", { URL: world.worker.url });
    assert.match(stderr, /set both URL/);
  });
});
