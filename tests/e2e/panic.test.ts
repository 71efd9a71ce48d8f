/** A deliberate panic (the test build has an operation for it), and its visible effects. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../../tools/local-worker.ts";
import { symbolicate, type Names } from "../../tools/wasm-names.ts";
import { envelopeOf, fails, until, useWorld, refsIn } from "./support.ts";

const world = useWorld({ env: { LOADER: { type: "worker-loader" } } });

describe("a panic", () => {
  it("answers INTERNAL at once, leaves no other call hanging, and loses nothing that was stored", async () => {
    const [one, two] = [await world.opened("one"), await world.opened("two")];
    await Promise.all([one.sh("echo kept > file"), two.sh("echo kept > file")]);
    const saved = await one.snapshot({ name: "saved" });
    const [before, containers] = [await one.describe(), world.worker.containers().sort()];

    const others = [one, two].map((session) => session.run("touch begun; sleep 600", { timeoutMs: 900_000 })
      .then(() => assert.fail("ten minutes have not passed"), (thrown: unknown) => envelopeOf(thrown)));
    for (const session of [one, two]) await until("the others are under way", async () => (await session.run(["test", "-e", "begun"])).exitCode === 0);
    const began = Date.now();
    const { message, outcome, retryable } = await fails("INTERNAL", one.http("POST", "/test-panic"));
    assert.ok(!message.includes("on purpose"), "the panic's words are for the log");
    assert.deepEqual([outcome, retryable], ["unknown", true]);
    for (const envelope of await Promise.all(others)) assert.equal(envelope.code, "INTERNAL");
    assert.ok(Date.now() - began < 15_000, `${Date.now() - began} ms`);

    assert.deepEqual(await one.describe(), before);
    assert.deepEqual(refsIn(await one.list()), [saved.ref]);
    assert.equal(await one.sh("cat file"), "kept\n");
    assert.equal(await two.sh("cat file"), "kept\n");
    assert.deepEqual(world.worker.containers().sort(), containers);
    await one.tool("workspace_restore", { ref: "saved" });
    assert.equal(await one.sh("cat file"), "kept\n");
    await until("the log has its words", () => world.logText().includes("on purpose"));
  });

  it("has a stack in the log that a build's names make readable", async () => {
    const names: Names = JSON.parse(fs.readFileSync(path.join(ROOT, ".local/build/names-test.json"), "utf8"));
    const log = await until("the log has its stack", () => /wasm-function\[\d+\]/.test(world.logText()) && world.logText());
    assert.ok(log.includes(`"build":"${names.build}"`));
    assert.doesNotMatch(log, /snapshotter::platform/);
    assert.match(symbolicate(log, names), /wasm-function\[\d+\] snapshotter::/);
  });

  it("in the middle of a snapshot leaves it whole or not at all", async () => {
    const session = await world.opened("three");
    await session.sh("head -c 100000000 /dev/urandom > noise");
    const snapshot = session.snapshot().then(() => "taken", (thrown: unknown) => envelopeOf(thrown).code);
    await until("it is begun", async () => (await session.list({ includeUnready: true })).snapshots.length > 0);
    await fails("INTERNAL", session.http("POST", "/test-panic"));
    assert.equal(await snapshot, "INTERNAL");
    await until("it is settled", async () => (await session.list({ includeUnready: true })).snapshots.every(({ state }) => state === "ready" || state === "failed"));
    const ready = (await session.list()).snapshots.map(({ id }) => id);
    const others = (await world.session("one").list()).snapshots.map(({ id }) => id);
    await world.assertR2Holds([...ready, ...others]);
  });
});

describe("the real adapters", () => {
  it("keep the contracts that the fakes of the native tests keep", async () => {
    const session = await world.opened("contracts");
    assert.deepEqual(await session.http("POST", "/test-contracts"), { kept: true });
  });
});
