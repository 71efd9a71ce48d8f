// The crate in another Rust Worker: tests/rust-worker, with its own object and none of our exports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "./support.ts";

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
  ],
});

test("a Rust Worker that holds the host itself snapshots and restores", async () => {
  const agent = await world.worker.mf.getWorker(`${world.worker.name}-rust-agent`);
  const answer = await agent.fetch("http://agent/");
  assert.deepEqual(await answer.json(), { stdout: "works\n" });
});
