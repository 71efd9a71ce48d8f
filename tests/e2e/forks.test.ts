/** Workspaces from a running workspace, and from another session's published snapshot. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LiveForks, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld();

const made = (forks: LiveForks): WorkspaceRef[] => forks.workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref] : []));
const fork = (session: Session, count: number, headers: Record<string, string> = {}) => session.http<LiveForks>("POST", "/forks", { count }, headers);

describe("a live fork", () => {
  let session: Session;
  let forks: LiveForks;

  it("gives each workspace the files as they are, and its own result", async () => {
    session = await world.opened("live", { limits: { maxRunning: 3 } });
    await session.sh("mkdir -p a/b && head -c 200000 /dev/urandom > a/random && chmod 751 a/b && ln -s a link && echo v1 > file");
    const tree = await session.manifest();
    forks = await fork(session, 3, { "idempotency-key": "three" });
    const refused = forks.workspaces.flatMap((fork) => ("error" in fork ? [fork.error.code] : []));
    assert.deepEqual([made(forks).length, refused], [2, ["QUOTA_EXCEEDED"]]);
    assert.deepEqual(await fork(session, 3, { "idempotency-key": "three" }), forks, "the same call");
    assert.deepEqual((await session.active()).ref.id, "live", "it goes on where it was");
    for (const ref of made(forks)) {
      await session.switch(ref);
      assert.equal(await session.manifest(), tree);
      await session.sh(`echo ${ref.ref.id} > file`);
    }
    await session.switch({ providerId: "cloudflare-sandbox", ref: { id: "live" } });
    assert.equal(await session.sh("cat file"), "v1\n", "each has a disk of its own");
    assert.deepEqual((await session.list()).snapshots, [], "nobody asked for a snapshot");
  });

  it("uploads nothing for a workspace that has not changed", async () => {
    for (const ref of made(forks)) await session.destroyWorkspace(ref);
    const before = (await (await world.r2()).list({ prefix: "backups/" })).objects.map(({ key }) => key);
    // Nor is anything archived to find that out: neither where it was saved nor where it was just restored.
    const noArchive = "ln -sf /bin/false $(command -v mksquashfs); cat file";
    await session.sh(noArchive);
    const again = await fork(session, 1);
    assert.equal(again.fromSnapshotId, forks.fromSnapshotId);
    await session.switch(made(again)[0]!);
    await session.sh(noArchive);
    assert.equal(idOf(await session.snapshot()), forks.fromSnapshotId);
    await session.sh("touch file");
    await fails("BACKUP_FAILED", session.snapshot());
    assert.deepEqual((await (await world.r2()).list({ prefix: "backups/" })).objects.map(({ key }) => key), before);
    await fails("INVALID_ARGUMENT", fork(session, 21));
    await fails("PRECONDITION_FAILED", fork(session, 1, { "if-match": '"another"' }));
    await session.close();
  });
});

describe("a published snapshot", () => {
  const CLAIMS = 20;
  let owner: Session;
  let id: string;
  let tree: string;

  it("is claimed by many sessions at once, and while it is read it is not deleted", async () => {
    owner = await world.opened("owner");
    await owner.sh("mkdir -p a/b && head -c 3000000 /dev/urandom > a/random && chmod 751 a/b && ln -s a link && echo v1 > file");
    tree = await owner.manifest();
    id = idOf(await owner.snapshot({ name: "base" }));
    const stranger = world.session("stranger");
    await fails("SNAPSHOT_NOT_OWNED", stranger.open({ from: id }));
    await fails("NOT_FOUND", stranger.describe());
    await owner.http("PATCH", "/snapshots/base", { published: true });
    const sessions = Array.from({ length: CLAIMS }, (_, number) => world.session(`claimer-${number}`));
    await Promise.all(sessions.map((session) => session.open({ from: id, destroyOnClose: true })));
    await fails("CONFLICT", owner.delete("base"));
    const trees = await Promise.all(sessions.map((session) => session.manifest()));
    assert.deepEqual(new Set(trees), new Set([tree]));
    await Promise.all(sessions.map((session) => session.sh(`echo ${session.id} > file`)));
    assert.deepEqual(await Promise.all(sessions.map((session) => session.sh("cat file"))), sessions.map(({ id }) => `${id}\n`));
    assert.equal((await owner.eventsOf("snapshot.claimed")).length, CLAIMS);
    await Promise.all(sessions.map((session) => session.close()));
  });

  it("is restored into another session, which then has what it needs to itself", async () => {
    const session = await world.opened("borrower", { autosave: { everyMs: 1000 } });
    const { ref } = await session.tool("workspace_restore", { ref: id });
    assert.equal(await session.manifest(), tree);
    // The session's own first automatic snapshot ends the lease: from then on it needs no snapshot of another session.
    // What a workspace began with can be looked at as long as it is published.
    await session.get(id);
    await fails("SNAPSHOT_NOT_OWNED", session.delete(id, { force: true }));
    await owner.http("PATCH", `/snapshots/${id}`, { published: false });
    await fails("SNAPSHOT_NOT_OWNED", session.get(id));
    await fails("SNAPSHOT_NOT_OWNED", session.branch(id));
    await until("the owner has it back", async () => owner.delete(id).then(() => true, () => false), 90_000);
    await session.switch(ref);
    assert.equal(await session.sh("cat file"), "v1\n", "deleting it harmed no workspace made from it");
  });
});
