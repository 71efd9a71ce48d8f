/** Workspaces made from a running one. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Forks, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { fails, useWorld, type Session } from "./support.ts";

const world = useWorld();

const made = (forks: Forks): WorkspaceRef[] => forks.workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref] : []));
const fork = (session: Session, count: number, headers: Record<string, string> = {}) => session.http<Forks>("POST", "/forks", { count }, headers);

describe("a live fork", () => {
  let session: Session;
  let forks: Forks;

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
    await session.sh("cat file");
    const again = await fork(session, 1);
    assert.equal(again.fromSnapshotId, forks.fromSnapshotId);
    assert.deepEqual((await (await world.r2()).list({ prefix: "backups/" })).objects.map(({ key }) => key), before);
    await fails("INVALID_ARGUMENT", fork(session, 21));
    await fails("PRECONDITION_FAILED", fork(session, 1, { "if-match": '"another"' }));
    await session.close();
  });
});
