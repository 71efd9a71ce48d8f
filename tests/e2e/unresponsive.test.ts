/** A container that does not respond: it is gone and workerd does not notice, or it is only busy. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { it } from "node:test";
import { useEngineBetween } from "./engine.ts";
import { fails, useWorld } from "./support.ts";

const RESPONSE_TIMEOUT_MS = 8_000;
/** After 5 s, a call checks for a second whether the container runs. The rest is for a slow machine. */
const NOTICED_MS = 20_000;

const engine = useEngineBetween();
const world = useWorld({ engine: engine.host, vars: { TEST_RESPONSE_TIMEOUT_MS: String(RESPONSE_TIMEOUT_MS) } });

async function endsUnavailable(withinMs: number, what: string, call: Promise<unknown>) {
  const beganAt = Date.now();
  const { outcome, retryable } = await fails("UNAVAILABLE", call);
  const tookMs = Date.now() - beganAt;
  assert.ok(tookMs < withinMs, `${what} took ${tookMs} ms`);
  assert.ok(retryable);
  return outcome;
}

it("ends each call on a container that was removed as a command began in it, and the session goes on", async () => {
  const session = await world.opened("removed", { autosave: false });
  await session.sh("echo saved > file");
  const { snapshot } = await session.snapshot({ name: "saved" });
  const there = await session.active();
  assert.ok(await world.hasContainer(there));

  engine.beforeStart = () => world.removeContainers();
  const long = () => session.run("true", { timeoutMs: 3_600_000 });
  assert.equal(await endsUnavailable(RESPONSE_TIMEOUT_MS + NOTICED_MS, "the command", long()), "unknown");
  assert.deepEqual(world.worker.containers(), []);
  const { workspaces } = await session.workspaces();
  assert.deepEqual(workspaces.map(({ status }) => status), ["running"], "workerd has not found out: else this shows nothing");

  const end = session.http("DELETE", `/workspaces/${there.ref.id}/container`);
  await endsUnavailable(RESPONSE_TIMEOUT_MS + NOTICED_MS, "the container's end", end);
  await session.switch(await session.restore(snapshot.id));
  assert.equal(await session.sh("cat file"), "saved\n");

  await session.switch(there);
  await endsUnavailable(RESPONSE_TIMEOUT_MS + NOTICED_MS, "a later command", long());
  engine.hangUp!();
  assert.ok("woken" in (await session.run("true")));
  assert.equal(await session.sh("cat file"), "saved\n");
});

it("ends a call on one that was removed as it was asked for its disk", async () => {
  const session = await world.opened("asked", { autosave: false });
  await session.sh("echo saved > file");
  await session.snapshot();
  await world.worker.killWorkerd();

  engine.beforeStart = () => world.removeContainers();
  await endsUnavailable(RESPONSE_TIMEOUT_MS + NOTICED_MS, "the command", session.run("true"));
  engine.hangUp!();
  assert.equal(await session.sh("cat file"), "saved\n");
});

it("takes none that is only slow for one that is gone", async () => {
  const session = await world.opened("slow", { autosave: false });
  await session.sh("echo unsaved > file");
  const containers = world.worker.containers();

  engine.beforeStart = () => sleep(RESPONSE_TIMEOUT_MS + 3_000);
  assert.equal(await endsUnavailable(RESPONSE_TIMEOUT_MS + NOTICED_MS, "the command", session.run("true")), "unknown");
  const { stdout, ...answer } = await session.run("cat file");
  assert.equal(stdout, "unsaved\n");
  assert.ok(!("woken" in answer));
  assert.deepEqual(world.worker.containers(), containers);
});

it("waits in line as long as others are answered", async () => {
  const session = await world.opened("line", { autosave: false });
  await session.sh("true");
  // They begin one after the other, the last one after more than the response timeout.
  let left = 3;
  const slowly = async () => {
    await sleep(RESPONSE_TIMEOUT_MS - 3_000);
    if (--left > 0) engine.beforeStart = slowly;
  };
  engine.beforeStart = slowly;
  const answers = await Promise.all(["a", "b", "c"].map((word) => session.sh(`echo ${word}`)));
  assert.deepEqual(answers, ["a\n", "b\n", "c\n"]);
  assert.equal(left, 0);
});
