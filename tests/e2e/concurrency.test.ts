/** Many calls at once: each takes effect completely or not at all. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SnapshotView, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { envelopeOf, fails, idOf, until, useWorld, type Session, refsIn } from "./support.ts";

const world = useWorld();
/** About 10 MB of incompressible data in 100 files: it takes long enough to interrupt. */
const FILL = ["python3", "-c", `
import os
for i in range(100):
    os.makedirs(f"d{i % 10}", exist_ok=True)
    with open(f"d{i % 10}/{i}", "wb") as file: file.write(os.urandom(100_000))
`];

async function filled(id: string, maxRunning: number): Promise<Session> {
  const session = await world.opened(id, { limits: { maxRunning } });
  await session.sh(FILL);
  return session;
}

describe("one session, many calls", () => {
  let session: Session;
  let manifest: string;
  let snapshots: SnapshotView[];

  it("takes 8 snapshots of one sandbox at once", async () => {
    session = await filled("many", 6);
    manifest = await session.manifest();
    snapshots = await Promise.all(Array.from({ length: 8 }, () => session.snapshot()));
    assert.equal(new Set(snapshots.map(idOf)).size, 8);
    assert.equal(new Set(snapshots.map(({ snapshot }) => snapshot.sha256)).size, 1, "of equal trees");
    await world.assertR2Holds(snapshots.map(idOf));
    const { snapshots: details } = await session.list();
    assert.deepEqual(details.map(({ id }) => id).sort(), snapshots.map(idOf).sort());
    const times = details.map(({ createdAt }) => createdAt);
    assert.deepEqual(times, times.toSorted().reverse(), "newest first");
    assert.equal((await session.eventsOf("snapshot.created")).length, 8);
  });

  it("restores 4 times at once, and starts one container for each", async () => {
    const before = world.worker.containers().length;
    const active = await session.active();
    const everyMade = await Promise.all(snapshots.slice(0, 4).map(({ ref }) => session.restore(ref)));
    assert.equal(new Set(everyMade.map(({ ref }) => ref.id)).size, 4);
    assert.equal(world.worker.containers().length, before + 4);
    assert.deepEqual(await session.active(), active, "restore alone does not switch");
    for (const made of everyMade) {
      await session.switch(made);
      assert.equal(await session.manifest(), manifest);
    }
    await session.switch(active);
    await Promise.all(everyMade.map((made) => session.destroyWorkspace(made)));
    assert.equal(world.worker.containers().length, before);
  });

  it("holds to its limits when they are raced for", async () => {
    // One runs; five more fit in the limits.
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => session.branch(snapshots[0]!.ref)));
    const everyMade = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.equal(envelopeOf(outcome.reason).code, "QUOTA_EXCEEDED");
    }
    assert.equal(everyMade.length, 5);
    assert.equal(world.worker.containers().length, 6);
    assert.deepEqual((await session.workspaces()).workspaces.length, 6, "what was refused left nothing");
    await Promise.all(everyMade.map((made) => session.destroyWorkspace(made)));
  });

  it("gives a name to one of two that want it", async () => {
    await session.sh("echo 1 > named");
    const outcomes = await Promise.allSettled([session.snapshot({ name: "mine" }), session.snapshot({ name: "mine" })]);
    const won = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
    const lost = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => envelopeOf(reason).code);
    assert.deepEqual([won.length, lost], [1, ["CONFLICT"]]);
    snapshots.push(won[0]!);
    await world.assertR2Holds(snapshots.map(idOf));
    await session.sh("echo 2 > named");
    const moved = await session.snapshot({ name: "mine", replace: true });
    snapshots.push(moved);
    assert.equal((await session.get("mine")).snapshot.id, idOf(moved));
    assert.equal((await session.get(idOf(won[0]!))).snapshot.name, null, "replaced, not deleted");
  });

  it("lists truthfully while it deletes", async () => {
    const [doomed, kept] = [snapshots.slice(0, 5), snapshots.slice(5)];
    const ready = new Set(snapshots.map(idOf));
    let deleting = true;
    const lists = (async () => {
      let shortest = ready.size;
      while (deleting) {
        const { snapshots: details } = await session.list();
        for (const { id, ref } of details) assert.equal(idOf(ref), id);
        for (const { id, state } of details) assert.ok(ready.has(id) && state === "ready", `${id} ${state}`);
        for (const { snapshot } of kept) assert.ok(details.some(({ id }) => id === snapshot.id), "what is kept is always there");
        assert.ok(details.length <= shortest, "what is gone does not come back");
        shortest = details.length;
      }
    })();
    await Promise.all(doomed.flatMap(({ ref }) => [session.delete(idOf(ref)), session.delete(idOf(ref))]));
    deleting = false;
    await lists;
    snapshots = kept;
    assert.deepEqual((await session.list()).snapshots.map(idOf).sort(), kept.map(idOf).sort());
    await world.assertR2Holds(kept.map(idOf));
    assert.equal((await session.eventsOf("snapshot.deleted")).length, doomed.length, "one event each");
  });

  it("never leaves half of a snapshot that is deleted while it is restored", async (t) => {
    for (const [round, [first, delay]] of ([["restore", 0], ["restore", 300], ["delete", 0], ["delete", 5]] as const).entries()) {
      const victim = snapshots[round]!;
      const restore = () => session.restore(victim.ref);
      const remove = () => session.delete(idOf(victim));
      const begun: Promise<unknown> = first === "restore" ? restore() : remove();
      await sleep(delay); // Each delay meets the first call at another point.
      const outcomes = await Promise.allSettled(first === "restore" ? [begun, remove()] : [restore(), begun]);
      const [restored, deleted] = outcomes as [PromiseSettledResult<WorkspaceRef>, PromiseSettledResult<unknown>];
      t.diagnostic(`${first}, ${delay} ms later the other: restore ${restored.status}, delete ${deleted.status}`);
      await judge(session, victim, restored, deleted);
    }
  });

  /** Either both succeed, or one does and refuses the other. The state matches the outcome. */
  async function judge(
    session: Session, victim: SnapshotView, restored: PromiseSettledResult<WorkspaceRef>, deleted: PromiseSettledResult<unknown>,
  ): Promise<void> {
    const keys = (await world.r2Keys()).filter((key) => key.includes(idOf(victim)));
    if (deleted.status === "fulfilled") {
      assert.deepEqual(keys, [], "deleted");
      await fails("SNAPSHOT_GONE", session.restore(victim.ref));
    } else {
      assert.equal(envelopeOf(deleted.reason).code, "CONFLICT");
      assert.equal(restored.status, "fulfilled", "a delete makes way for a restore that succeeds");
      assert.equal(keys.length, 2, "kept");
      assert.equal((await session.get(idOf(victim))).snapshot.state, "ready");
    }
    const active = await session.active();
    if (restored.status === "fulfilled") {
      await session.switch(restored.value);
      assert.equal(await session.manifest(), manifest, "restored whole");
      await session.switch(active);
      await session.destroyWorkspace(restored.value);
    } else {
      assert.ok(["SNAPSHOT_GONE", "CONFLICT"].includes(envelopeOf(restored.reason).code), String(restored.reason));
    }
    const { workspaces } = await session.workspaces();
    assert.deepEqual(workspaces.map(({ ref }) => ref), [active], "no workspace is left of it");
    assert.equal(world.worker.containers().length, 1);
  }
});

describe("what is taken away while it is in use", () => {
  it("a workspace: its snapshot is whole or failed, and nothing of either is left over", async (t) => {
    const session = await filled("taken-away", 4);
    const first = await session.snapshot({ name: "first" });
    const [origin, made] = [await session.active(), await session.restore(first.ref)];
    const before = (await world.r2Keys()).filter((key) => !key.includes(idOf(first)));
    const taking = session.snapshot({ name: "second" });
    await until("it is begun", async () => (await session.list({ includeUnready: true })).snapshots.length === 2);
    await session.switch(made);
    const [destroyed, taken] = await Promise.allSettled([session.destroyWorkspace(origin), taking]);
    t.diagnostic(`destroy ${destroyed.status}, snapshot ${taken.status}`);
    if (destroyed.status === "rejected") assert.equal(envelopeOf(destroyed.reason).code, "CONFLICT");
    if (taken.status === "rejected") envelopeOf(taken.reason);
    await until("it settles", async () => (await session.list({ includeUnready: true })).snapshots.every(({ state }) => state !== "pending"));
    const ready = (await session.list()).snapshots;
    if (taken.status === "fulfilled") assert.ok(ready.some((ref) => idOf(ref) === idOf(taken.value)));
    assert.deepEqual(await world.r2Keys(), [...before, ...ready.flatMap((ref) => [`backups/${idOf(ref)}/data.sqsh`, `backups/${idOf(ref)}/meta.json`])].sort());
    assert.equal((await session.workspaces()).workspaces.length, destroyed.status === "fulfilled" ? 1 : 2);
    await session.sh("ls");
  });

  it("a session: what a restore was making is gone with it", async (t) => {
    const containers = world.worker.containers().length;
    const session = await world.opened("closing", { destroyOnClose: true });
    await session.sh(FILL);
    const { ref } = await session.snapshot();
    const restoring = session.restore(ref);
    await until("it is begun", async () => (await session.workspaces()).workspaces.length === 2);
    const [closed, restored] = await Promise.allSettled([session.close(), restoring]);
    t.diagnostic(`close ${closed.status}, restore ${restored.status}`);
    if (closed.status === "rejected") {
      assert.equal(envelopeOf(closed.reason).code, "CONFLICT");
      await session.close();
    }
    await until("no container is left", () => world.worker.containers().length === containers);
    assert.deepEqual((await session.open({ destroyOnClose: true })).status, "open");
    assert.deepEqual(refsIn(await session.list()), [ref]);
    assert.ok((await session.workspaces()).workspaces.every(({ state }) => state === "ready"));
    await session.delete(idOf(ref));
  });
});

describe("commands and files at once", () => {
  it("answers each call with its own result", async () => {
    const session = await world.opened("parallel");
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => session.sh(`printf %s ${i}`)));
    assert.deepEqual(answers, answers.map((_, i) => String(i)));
    const versions = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(200_000));
    const writes = Promise.all(versions.map((content) => session.tool("workspace_write_file", { path: "file", content })));
    await until("the first write", async () => (await session.run(["test", "-e", "file"])).exitCode === 0);
    for (let i = 0; i < 5; i++) {
      const { content } = await session.tool<{ content: string }>("workspace_read_file", { path: "file" });
      assert.ok(versions.includes(content), "the old content or the new, never a part");
    }
    await writes;
    assert.equal(await session.sh("ls -A"), "file\n", "no temporary file is left");
  });
});
