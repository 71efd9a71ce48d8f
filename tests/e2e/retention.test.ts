/** The retention policy on a real alarm and a real bucket. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RetentionReport, SnapshotView } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, idOf, until, useWorld, TOKEN, type Session, refsIn } from "./support.ts";

describe("a session with a retention policy", () => {
  const world = useWorld({ extraWorkers: [AGENT], vars: { RETENTION: JSON.stringify({ ttlSeconds: 7200, maxCount: 9 }) } });
  let session: Session;
  const taken: SnapshotView[] = [];

  it("deletes by itself what the policy no longer keeps, and nothing else", async () => {
    session = await world.opened("bounded", { retention: { maxCount: 2 } });
    for (const text of ["one", "two", "three"]) {
      await session.sh(`echo ${text} > file`);
      taken.push(await session.snapshot({ name: text }));
    }
    const [one, two, three] = taken.map(idOf) as [string, string, string];
    const plan = await session.http<RetentionReport>("GET", "/retention");
    assert.deepEqual([plan.policy.maxCount, plan.policy.ttlSeconds], [2, 7200], "the session's word, and the Worker's default");
    assert.deepEqual(plan.decisions.map(({ id, verdict, reason }) => [id, verdict, reason]), [
      [one, "delete", "maxCount"], [three, "keep", "head"], [two, "keep", "unexpired"],
    ]);
    assert.equal(plan.freedBytes, taken[0]!.snapshot.sizeBytes);
    await world.worker.restart();
    await until("the alarm", async () => (await world.r2Keys()).length === 4, 90_000);
    await world.assertR2Holds([two, three].sort());
    await until("it is deleted", async () => (await session.get(one)).snapshot.state === "deleted");
    await fails("SNAPSHOT_GONE", session.restore(one));
    await until("the event", async () => (await session.eventsOf("snapshot.pruned")).length > 0);
    assert.deepEqual((await session.eventsOf("snapshot.pruned")).map(({ payload }) => payload), [
      { backupId: one, reason: "maxCount", sizeBytes: taken[0]!.snapshot.sizeBytes },
    ]);
    const made = await session.restore("two");
    await session.switch(made);
    assert.equal(await session.sh("cat file"), "two\n");
  });

  it("deletes at once when it is told to, over RPC", async () => {
    await session.snapshot({ name: "four" });
    const done = await world.rpc<RetentionReport>("bounded", "retain");
    assert.deepEqual([done.deleteCount, done.keptCount], [1, 2], "two is what no workspace would wake from any more");
    assert.equal((await session.list()).snapshots.length, done.keptCount);
    await world.assertR2Holds((await session.list()).snapshots.map(idOf).sort());
  });

  it("refuses a snapshot only where there is no room, and one that comes too soon says when to come back", async () => {
    const small = await world.opened("small", { retention: { maxCount: 1, minIntervalSeconds: 10 } });
    const { ref } = await small.snapshot();
    const response = await fetch(`${world.worker.url}/v1/sessions/small/snapshots`, {
      method: "POST", headers: { authorization: `Bearer ${TOKEN}` },
    });
    assert.equal(response.status, 429);
    const waitSecs = Number(response.headers.get("retry-after"));
    assert.ok(waitSecs >= 1 && waitSecs <= 10, String(waitSecs));
    await small.http("PATCH", `/snapshots/${idOf(ref)}`, { pinned: true });
    await sleep(waitSecs * 1000);
    const refused = await small.snapshot().then(() => assert.fail("there is no room"), (thrown) => thrown.body.error);
    assert.deepEqual([refused.code, refused.details.limit], ["QUOTA_EXCEEDED", "maxCount"]);
    await small.http("PATCH", `/snapshots/${idOf(ref)}`, { pinned: false });
    const second = await small.snapshot();
    await world.rpc("small", "retain");
    assert.deepEqual(refsIn(await small.list()), [second.ref]);
  });
});

describe("a Worker whose variable RETENTION is not a policy", () => {
  const world = useWorld({ vars: { RETENTION: '{"maxCount":0}' } });

  it("says so", async () => {
    const { message } = await fails("NOT_CONFIGURED", world.session("any").open());
    assert.match(message, /RETENTION.maxCount/);
  });
});
