/**
 * Archives that are uploaded in parts: normally past 4 GiB, here past 1 MB, by variables that only a test build reads.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { fails, idOf, until, useWorld } from "./support.ts";

const PART_BYTES = 5 * 1024 * 1024;
const world = useWorld({ vars: { TEST_SINGLE_PUT_MAX_BYTES: "1000000", TEST_PART_BYTES: String(PART_BYTES) } });
const run = promisify(execFile);
const fill = (bytes: number) => ["sh", "-c", `head -c ${bytes} /dev/urandom > noise`];

describe("an archive in parts", () => {
  it("is whole in R2, with the hash that the container computed, and comes back exactly", async () => {
    // Its workspaces lose their heads below: the alarm would save them during the next test.
    const session = await world.opened("parts", { autosave: false });
    await session.sh(fill(17_000_000));
    const before = await session.manifest();
    const { ref, snapshot } = await session.snapshot();
    const stored = await (await world.r2()).head(`backups/${idOf(ref)}/data.sqsh`);
    const parts = Math.ceil(snapshot.sizeBytes! / PART_BYTES);
    assert.ok(parts > 2);
    assert.match(stored!.etag, new RegExp(`-${parts}$`), "R2 names the parts in the etag");
    const archive = await world.r2Bytes(`backups/${idOf(ref)}/data.sqsh`);
    assert.equal(archive.length, snapshot.sizeBytes);
    assert.equal(createHash("sha256").update(archive).digest("hex"), snapshot.sha256);
    await session.tool("workspace_restore", { ref });
    assert.equal(await session.manifest(), before);

    // R2 has no hash of an object made of parts, so the restore checks it.
    archive[archive.length >> 1]! ^= 1;
    await (await world.r2()).put(`backups/${idOf(ref)}/data.sqsh`, archive);
    await fails("INTEGRITY", session.restore(ref));
    await session.delete(idOf(ref), { force: true });
    await world.assertR2Holds([]);
  });

  it("of which workerd is killed amid its parts leaves nothing, and the next is whole", async () => {
    const session = await world.opened("cut");
    await session.sh(fill(60_000_000));
    // A part is read in milliseconds: only a loop inside the container sees it.
    const reading = "touch /tmp/looks; until grep -qsx dd /proc/[0-9]*/comm; do :; done";
    const seen = Promise.any(world.worker.containers().map((name) => run("docker", ["exec", name, "timeout", "120", "sh", "-c", reading])));
    await until("it looks", async () => (await session.run("test -e /tmp/looks")).exitCode === 0);
    const taking = session.snapshot().then(() => "answered", () => "cut off");
    await seen;
    await world.worker.killWorkerd();
    assert.equal(await taking, "cut off");
    await until("it settles", async () => (await session.list({ includeUnready: true })).snapshots.every(({ state }) => state === "failed"));
    await world.assertR2Holds([]);
    const { ref } = await session.snapshot();
    await session.tool("workspace_restore", { ref });
    assert.equal(await session.sh("stat -c %s noise"), "60000000\n");
    await world.assertR2Holds([idOf(ref)]);
  });
});
