/** Snapshots that hold only what changed. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SnapshotView } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const incremental = (session: Session) => session.http<SnapshotView>("POST", "/snapshots", { incremental: true });
const keys = async (id: string) => {
  const listed = await (await world.r2()).list({ prefix: `backups/${id}/` });
  return listed.objects.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)).sort();
};

describe("a layer", () => {
  let session: Session;
  const ids: string[] = [];
  const trees: string[] = [];

  it("takes what changed, in a hundredth of the bytes", async () => {
    session = await world.opened("layers", { limits: { maxRunning: 3 } });
    await session.sh(`mkdir -p keep gone/deep swap && head -c 4000000 /dev/urandom > keep/random
      for at in $(seq 200); do echo "$at" > "keep/$at"; done
      echo old > gone/deep/file; echo old > changed; echo x > linked; ln linked twin; ln -s changed link; echo odd > "$(printf 'a b\\'"'"'c')"`);
    const full = await session.snapshot();
    assert.equal(full.snapshot.kind, "full");
    ids.push(full.snapshot.id);
    trees.push(await session.manifest());
    await session.sh(`rm -r gone && echo new > changed && chmod 700 keep && echo y >> twin && rmdir swap && echo file > swap
      rm link && mkdir -p link/now && echo in > link/now/it && setfattr -n user.mark -v 1 keep/7 || true`);
    for (const change of ["echo again > changed", "mkdir gone && echo back > gone/file", "rm -r link swap"]) {
      const { snapshot } = await incremental(session);
      assert.equal(snapshot.kind, "layer");
      assert.ok(snapshot.sizeBytes! < full.snapshot.sizeBytes! / 100, `${snapshot.sizeBytes} of ${full.snapshot.sizeBytes}`);
      assert.deepEqual(await keys(snapshot.id), ["layer.sqsh", "meta.json"]);
      ids.push(snapshot.id);
      trees.push(await session.manifest());
      await session.sh(change);
    }
  });

  it("gives the whole tree back, wherever it is restored", async () => {
    for (const [at, id] of ids.entries()) {
      const ref = await session.restore(id);
      await session.switch(ref);
      assert.equal(await session.manifest(), trees[at], `snapshot ${at}`);
      await session.switch({ providerId: "cloudflare-sandbox", ref: { id: "layers" } });
      await session.destroyWorkspace(ref);
    }
    await session.tool("workspace_rewind", { ref: ids[2] });
    assert.equal(await session.manifest(), trees[2]);
    const { snapshot } = await incremental(session);
    assert.equal(snapshot.id, ids[2], "nothing has changed since the rewind");
  });

  it("is looked into and compared as a whole", async () => {
    const read = async (id: string, path: string) => (await session.tool("workspace_read_file", { at: id, path })).content;
    assert.deepEqual([await read(ids[1]!, "keep/7"), await read(ids[1]!, "changed"), await read(ids[2]!, "changed")], ["7\n", "new\n", "again\n"]);
    await fails("NOT_FOUND", session.tool("workspace_read_file", { at: ids[2], path: "gone/deep/file" }));
    const listed = await session.tool("workspace_ls", { at: ids[3], path: "gone" });
    assert.deepEqual(listed.entries.map(({ path }: { path: string }) => path), ["gone/file"]);
    const diff = await session.tool("workspace_diff", { from: { snapshot: ids[0] }, to: { snapshot: ids[3] }, output: "list" });
    const changes = diff.changes.map(({ change, path }: { change: string; path: string }) => `${change} ${path}`).sort();
    assert.ok(changes.includes("modified changed") && changes.includes("added gone/file"), changes.join("\n"));
    assert.ok(!changes.some((change: string) => change.includes("keep/1")), changes.join("\n"));
  });

  it("becomes full on request, and what lies on it stays a layer", async () => {
    const { snapshot } = await session.http<SnapshotView>("POST", `/snapshots/${ids[2]}/flatten`);
    assert.equal(snapshot.kind, "full");
    assert.deepEqual(await keys(ids[2]!), ["data.sqsh", "meta.json"]);
    assert.deepEqual(await keys(ids[3]!), ["layer.sqsh", "meta.json"]);
    assert.equal(await session.manifest(), trees[2], "the workspace is left alone");
    for (const at of [2, 3]) {
      const ref = await session.restore(ids[at]!);
      await session.switch(ref);
      assert.equal(await session.manifest(), trees[at], `snapshot ${at}`);
      await session.switch({ providerId: "cloudflare-sandbox", ref: { id: "layers" } });
      await session.destroyWorkspace(ref);
    }
  });

  it("keeps what it needs when that is deleted, until it is deleted itself", async () => {
    await session.delete(ids[0]!);
    await fails("SNAPSHOT_GONE", session.restore(ids[0]!));
    assert.deepEqual(await keys(ids[0]!), ["data.sqsh", "held.json"]);
    const ref = await session.restore(ids[3]!);
    await session.switch(ref);
    assert.equal(await session.manifest(), trees[3]);
    // The safety snapshot of the rewind is a layer on one of them, too.
    const { snapshots } = await session.list({ includeAuto: true });
    for (const listed of snapshots) await session.delete(idOf(listed), { force: true });
    await until("all archives are gone", async () => (await Promise.all(ids.map(keys))).flat().length === 0, 30_000);
  });

  it("becomes full when what it needs is purged", async () => {
    const purging = await world.opened("purging", { autosave: false });
    await purging.sh("head -c 1000000 /dev/urandom > random && echo hunter2 > secret");
    const secret = idOf(await purging.snapshot());
    await purging.sh("rm secret");
    const above = idOf(await incremental(purging));
    const tree = await purging.manifest();
    await purging.http("POST", "/workspaces/purging/pause");
    const running = world.worker.containers();
    await purging.delete(secret, { purge: true });
    assert.deepEqual(world.worker.containers(), running, "no workspace has woken, and the clean sandbox is gone");
    await purging.http("POST", "/workspaces/purging/resume");
    assert.deepEqual(await keys(secret), []);
    assert.deepEqual(await keys(above), ["data.sqsh", "meta.json"]);
    await purging.switch(await purging.restore(above));
    assert.equal(await purging.manifest(), tree);
  });

  it("is what a session takes that asks for it once, and what it wakes from", async () => {
    const always = await world.opened("always", { incremental: true });
    await always.sh("head -c 1000000 /dev/urandom > random && echo 1 > file");
    assert.equal((await always.snapshot()).snapshot.kind, "full");
    await always.sh("echo 2 > file");
    const { snapshot } = await always.snapshot();
    assert.equal(snapshot.kind, "layer");
    const tree = await always.manifest();
    await always.http("POST", "/workspaces/always/pause");
    await always.http("POST", "/workspaces/always/resume");
    assert.equal(await always.manifest(), tree);
    await always.sh("echo 3 > file");
    assert.equal((await always.snapshot()).snapshot.kind, "layer", "a wake knows what it brought back");
    assert.equal(idOf(await always.snapshot()).length, 36);
  });
});
