/**
 * Tests the running Worker against the published OpenAPI document, with schemathesis: for any request, the status is
 * documented and the body has the documented shape, and the Worker refuses requests that the document forbids.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as path from "node:path";
import { test } from "node:test";
import { ROOT } from "../../tools/local-worker.ts";
import { TOKEN, useWorld } from "./support.ts";

// Any key works: nobody else reads the signed tokens.
const world = useWorld({ env: { LOADER: { type: "worker-loader" } }, vars: { PREVIEW_HOST: "preview.example.com", TOKEN_KEYS: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" } });
const SEED = process.env["SCHEMATHESIS_SEED"] ?? "1";

// A closed session would refuse all later calls, and a watch answers for an hour.
const OPEN = ["closeSession", "watchFiles"].flatMap((id) => ["--exclude-operation-id", id]);

test("every route answers as documented, whatever it is sent", { timeout: 300_000 }, async (t) => {
  const capabilities = { fs: true, shell: true, code: { stateful: true }, script: true, snapshot: true };
  await world.opened("0", { capabilities, limits: { maxRunning: 20, maxWorkspaces: 100 }, previewPorts: [5173] });
  await conforms(t, [...OPEN, "--phases", "coverage,fuzzing", "--max-examples", "6", "--max-time", "45"]);
});

test("and so it does along the links from one to the next", { timeout: 300_000 }, async (t) => {
  await conforms(t, [...OPEN, "--phases", "stateful", "--max-examples", "10", "--max-time", "30"]);
});

test("and so do opening and closing", { timeout: 120_000 }, async (t) => {
  const operations = ["openSession", "describeSession", "closeSession"].flatMap((id) => ["--include-operation-id", id]);
  await conforms(t, [...operations, "--phases", "coverage,fuzzing,stateful", "--max-examples", "20", "--max-time", "10"]);
});

async function conforms(t: { diagnostic(message: string): void }, args: string[]): Promise<void> {
  const command = path.join(ROOT, "tools/schemathesis/run.sh");
  const child = spawn(command, ["run", `${world.worker.url}/openapi.json`, "--seed", SEED, "--no-color", ...args], {
    // schemathesis writes the report's examples to its working directory.
    cwd: path.join(ROOT, ".local"),
    env: { ...process.env, TOKEN },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let report = "";
  for await (const chunk of child.stdout) report += String(chunk);
  const status = child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve)));
  t.diagnostic(report.match(/^\s*\d+ generated.*$/m)?.[0].trim() ?? "no summary");
  assert.equal(status, 0, report);
}
