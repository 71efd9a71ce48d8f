// Agents in their own Workers, on the `agents` package and on the Rust crate. Each carries out a whole plan: edit,
// test, snapshot, a risky change, failing tests, restore, two branches, keep the better one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, test } from "node:test";
import { ROOT } from "../../tools/local-worker.ts";
import { HERE, useWorld } from "./support.ts";

const SORTED = fs.readFileSync(path.join(HERE, "../fixtures/median/stats_sorted.py"), "utf8");

// `make test` has built it already.
before(() => execFileSync(path.join(ROOT, "tools/build.sh"), ["--crate"], { stdio: "inherit" }));

const world = useWorld({
  extraWorkers: [
    {
      name: "rust-agent",
      entry: ".local/wasm/crate/index.js",
      classes: ["RustAgent"],
      env: {
        SANDBOX: { type: "durable-object", worker: "main", exportName: "Sandbox" },
        BACKUP_BUCKET: { type: "r2", name: "BACKUP_BUCKET" },
      },
    },
    {
      name: "coding-agent",
      entry: "tests/workers/coding-agent.ts",
      classes: ["CodingAgent"],
      compatibilityFlags: ["nodejs_compat"],
      env: { AGENT_HOST: { type: "durable-object", worker: "main", exportName: "AgentHost" } },
    },
  ],
});

async function ask(agent: string, method: string): Promise<any> {
  const worker = await world.worker.mf.getWorker(`${world.worker.name}-${agent}`);
  const response = await worker.fetch("http://agent/coding", { method });
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  return response.json();
}

test("an agent on the agents package tries, goes back, branches and keeps the better", async () => {
  const { risk, kept, state, said } = await ask("coding-agent", "POST");
  assert.equal(risk.passed, false);
  assert.equal(kept, "sorted");
  const [slow, quick] = state.attempts;
  assert.ok(slow.verdict.passed && quick.verdict.passed);
  assert.ok(quick.verdict.comparisons < slow.verdict.comparisons, JSON.stringify(state.attempts));

  // The kept workspace has the better version, and no trace of the risky change.
  assert.deepEqual(said.entries.map(({ path }: { path: string }) => path).sort(), ["measure.py", "stats.py", "test_stats.py"]);
  assert.equal(said.content, SORTED);
  assert.deepEqual(said.active, quick.workspace);
  assert.deepEqual(said.listed.map(({ name }: { name: string }) => name), ["better", "works"]);
  assert.equal(said.listed[0].parentId, said.listed[1].id, "the better one came from the one that works");
  const ids = said.workspaces.map(({ ref }: { ref: { ref: { id: string } } }) => ref.ref.id);
  assert.equal(ids.length, 3, `origin, restored and the kept branch: ${ids}`);
  assert.ok(!ids.includes(slow.workspace.ref.id), "the worse attempt is gone");
});

test("what the agent remembers outlives the runtime, and so does the workspace it kept", async () => {
  await world.worker.restart();
  const state = await ask("coding-agent", "GET");
  assert.equal(state.kept, "sorted");
  await world.session("coding").sh(["python3", "-B", "-m", "unittest"]);
});

test("a Rust Worker on the crate, which holds the host itself, carries out the same plan", async () => {
  const answer = await ask("rust-agent", "POST");
  // The origin, the restored workspace and the kept branch.
  assert.deepEqual(answer, { riskPassed: false, kept: "sorted", content: SORTED, workspaces: 3 });
});
