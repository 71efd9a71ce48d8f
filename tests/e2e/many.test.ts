/** Many containers at once, under the operator's limit: each starts once, in turn, and the operator sees who waits. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT, envelopeOf, fails, idOf, useWorld, type Session } from "./support.ts";

type Waiting = { since: string; place: number };
type Workspaces = {
  workspaces: { session: string; container: string; waitingToStart?: Waiting }[];
  starts?: { limit: number; starting: number; waiting: number };
};

/** Runs a first command. A machine may be so slow that one waits too long: it then calls again, as it is told. */
async function first(session: Session, command: string): Promise<string> {
  for (;;) {
    try {
      return await session.sh(command);
    } catch (error) {
      const { code, outcome, details } = envelopeOf(error);
      if (details?.["limit"] !== "maxConcurrentStarts") throw error;
      assert.deepEqual([code, outcome], ["UNAVAILABLE", "none"]);
      await sleep(Number(details["retryAfterMs"]));
    }
  }
}

describe("many at once", () => {
  const LIMIT = 2;
  const world = useWorld({ extraWorkers: [AGENT], vars: { MAX_CONCURRENT_STARTS: String(LIMIT) } });

  it("the queue's object keeps the contract that its fake keeps", async () => {
    const answer = await world.agent<{ status: number; body: string }>("fetchSandbox", { name: "contract" });
    assert.deepEqual(answer, { status: 200, body: "null" });
  });

  it("starts the containers of 12 sessions, 2 at once and each once, and shows who waits", async () => {
    const ids = Array.from({ length: 12 }, (_, nth) => `many-${nth}`);
    const sessions = await Promise.all(ids.map((id) => world.opened(id, { autosave: false })));
    assert.deepEqual(world.worker.containers(), [], "an open starts none");
    const before = Date.now();
    const done = Promise.all(sessions.map((session) => first(session, `echo ${session.id}`)));
    const seen: Workspaces[] = [];
    let ended = false;
    const watching = (async () => {
      while (!ended) seen.push(await world.operator<Workspaces>("GET", "/v1/workspaces"));
    })();
    try {
      assert.deepEqual(await done, ids.map((id) => `${id}\n`));
    } finally {
      ended = true;
      await watching;
    }

    assert.equal(world.worker.containers().length, 12);
    for (const { starts } of seen) assert.ok(starts && starts.limit === LIMIT && starts.starting <= LIMIT, JSON.stringify(starts));
    const waited = seen.flatMap(({ workspaces }) => workspaces).filter(({ waitingToStart }) => waitingToStart !== undefined);
    assert.ok(waited.length > 0, "somebody was seen waiting");
    for (const { container, waitingToStart } of waited) {
      assert.equal(container, "stopped");
      const since = Date.parse(waitingToStart!.since);
      assert.ok(since >= before && since <= Date.now(), waitingToStart!.since);
      assert.ok(waitingToStart!.place >= 1 && waitingToStart!.place <= 10);
    }
    const { starts } = await world.operator<Workspaces>("GET", "/v1/workspaces");
    assert.deepEqual(starts, { limit: LIMIT, starting: 0, waiting: 0 });
    const lines = await world.logged(({ event, outcome }) => event === "sandbox.start_wait" && outcome === "ok");
    assert.ok(lines.length <= 10, `${lines.length} waited, though two need not`);
    assert.equal(new Set(lines.map(({ sandbox }) => sandbox)).size, lines.length, "each waits once");
    assert.match(await world.operator<string>("GET", "/v1/metrics"), /^snapshotter_starts_limit 2$/m);
    assert.deepEqual(await Promise.all(sessions.map((session) => session.sh("echo again"))), ids.map(() => "again\n"));
    assert.equal(world.worker.containers().length, 12, "nothing is started twice");
    await Promise.all(ids.map((id) => world.session(id).http("DELETE", `/workspaces/${id}/container`)));
  });

  it("makes six workspaces from one template at once", async () => {
    const owner = await world.opened("template", { autosave: false });
    await first(owner, "echo from the template > file");
    const template = idOf(await owner.snapshot({ name: "template" }));
    await owner.http("PATCH", `/snapshots/${template}`, { published: true });
    const ids = Array.from({ length: 6 }, (_, nth) => `claim-${nth}`);
    const sessions = await Promise.all(ids.map((id) => world.opened(id, { autosave: false, from: template })));
    assert.deepEqual(await Promise.all(sessions.map((session) => first(session, "cat file"))), ids.map(() => "from the template\n"));
    assert.equal(world.worker.containers().length, 7);
    const { starts } = await world.operator<Workspaces>("GET", "/v1/workspaces");
    assert.deepEqual(starts, { limit: LIMIT, starting: 0, waiting: 0 });
  });

  it("goes on after a restart of the Worker, with nothing held", async () => {
    await world.worker.restart();
    const session = await world.opened("after-restart", { autosave: false });
    assert.equal(await first(session, "echo here"), "here\n");
  });
});

describe("a limit that is no number", () => {
  const world = useWorld({ vars: { MAX_CONCURRENT_STARTS: "a few" } });

  it("is reported as what it is, and nothing starts", async () => {
    const session = await world.opened("misconfigured", { autosave: false });
    const { message } = await fails("NOT_CONFIGURED", session.run("true"));
    assert.match(message, /MAX_CONCURRENT_STARTS/);
    assert.deepEqual(world.worker.containers(), []);
  });
});
