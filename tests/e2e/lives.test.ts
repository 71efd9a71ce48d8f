/** Workspaces that live on: saved before they sleep, and while they are in use. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import type { SnapshotView, Woken } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const woken = (answer: unknown) => (answer as { woken?: Woken }).woken;
const TREE = "find . -printf '%P %y %m %l\\n' | sort; find . -type f -exec sha256sum {} + | sort";

async function asleep(session: Session, count: number) {
  await until("it sleeps", async () => (await session.eventsOf("workspace.slept")).length === count);
}

/** Every object that holds an archive, with the time it was put. */
async function archives(): Promise<Map<string, number>> {
  const { objects } = await (await world.r2()).list({ prefix: "backups/" });
  return new Map(objects.filter(({ key }) => key.endsWith("data.sqsh")).map(({ key, uploaded }) => [key, +uploaded]));
}

describe("a workspace that is left to sleep", () => {
  let session: Session;

  it("shows every file it had when it is used again", async () => {
    session = await world.opened("sleeper", { sleepAfter: "3s" });
    await session.sh("mkdir -p a/b && head -c 300000 /dev/urandom > a/random && echo run > a/b/x && chmod 751 a/b/x && ln -s a/b/x link");
    const tree = await session.sh(TREE);
    await asleep(session, 1);
    assert.deepEqual(world.worker.containers(), []);
    const again = await session.run(TREE);
    assert.equal(again.stdout, tree);
    assert.ok(woken(again)!.fromSnapshotId);
    assert.ok(woken(again)!.ageSeconds! < 60);
    assert.deepEqual((await session.list()).snapshots, [], "what the host saves is not the session's list");
    const { details } = await session.list({ includeAuto: true });
    assert.deepEqual(details.map(({ id, trigger }) => [id, trigger]), [[woken(again)!.fromSnapshotId, "auto"]]);
  });

  it("and unchanged, is put to sleep without an upload", async () => {
    const before = await archives();
    assert.equal(before.size, 1);
    for (const round of [2, 3]) {
      await asleep(session, round);
      assert.ok(woken(await session.run("ls -lR && cat a/b/x")));
    }
    assert.deepEqual(await archives(), before);
    assert.equal((await session.eventsOf("snapshot.failed")).length, 0);
  });

  it("and changed, keeps the newest automatic snapshot only", async () => {
    await session.sh("echo more >> a/b/x");
    await asleep(session, 4);
    await until("the older one is gone", async () => (await archives()).size === 1);
    assert.equal(await session.sh("cat a/b/x"), "run\nmore\n");
  });

  it("and is not stopped under a command", async () => {
    const long = await session.run("echo begin > long; sleep 6; echo end >> long; cat long");
    assert.equal(long.stdout, "begin\nend\n");
  });
});

describe("a workspace in use", () => {
  it("is saved every so often, and loses no more than that", async () => {
    const session = await world.opened("busy", { autosave: { everyMs: 2000 } });
    await session.sh("echo 1 > count");
    await until("it is saved", async () => (await session.list({ includeAuto: true })).details.length === 1);
    const at = Date.now();
    while (Date.now() - at < 5000) {
      await session.sh("echo 2 > count; date > when");
      await sleep(200);
    }
    world.removeContainers();
    const after = await session.run("cat count");
    assert.equal(after.stdout, "2\n");
    assert.ok(woken(after)!.ageSeconds! <= 5, JSON.stringify(woken(after)));
    await until("older ones go", async () => (await session.list({ includeAuto: true })).details.length === 1);
  });

  it("is left alone where the session says so", async () => {
    const session = await world.opened("unsaved", { sleepAfter: "2s", autosave: false });
    await session.sh("echo 1 > file");
    await sleep(6000);
    assert.deepEqual((await session.list({ includeAuto: true, includeUnready: true })).details, []);
    assert.equal((await session.eventsOf("workspace.slept")).length, 0);
  });
});

describe("a snapshot of what has not changed", () => {
  it("is the one there is, and gets the name", async () => {
    const session = await world.opened("same", {});
    await session.sh("head -c 100000 /dev/urandom > file");
    const first = await session.snapshot();
    assert.equal(first.unchanged, undefined);
    const before = await archives();
    await session.sh("cat file > /dev/null; ls");
    const again: SnapshotView = await session.tool("workspace_snapshot", { name: "v1", description: "the same" });
    assert.deepEqual([idOf(again), again.unchanged, again.snapshot.name], [idOf(first), true, "v1"]);
    assert.deepEqual(await archives(), before);
    const meta = await (await (await world.r2()).get(`backups/${idOf(first)}/meta.json`))!.json() as { name: string };
    assert.equal(meta.name, "v1");
    await fails("CONFLICT", session.snapshot({ name: "v1" }));
    await session.sh("touch -d 2020-01-01 file");
    const touched = await session.snapshot();
    assert.notEqual(idOf(touched), idOf(first), "a time is part of a file");
  });
});
