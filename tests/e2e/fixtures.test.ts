/** Backups from `@cloudflare/sandbox` 0.12, and archives that are damaged, missing or too old. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import type { SnapshotRef, SnapshotView } from "../../entry/snapshotter.d.ts";
import { ROOT } from "../../tools/local-worker.ts";
import { fails, idOf, until, useWorld, type Session, refsIn } from "./support.ts";

const world = useWorld();
const FIXTURES = path.join(ROOT, "tests/fixtures/sandbox-sdk-0.12.10");
const BACKUPS = path.join(FIXTURES, "backups");
const IDS = fs.readdirSync(BACKUPS).sort();
const CROSS = { allowCrossSession: true };

const refTo = (id: string, dir = "/workspace/proj"): SnapshotRef => ({
  providerId: "cloudflare-sandbox",
  ref: { backup: { id, dir }, originSandboxId: null },
});

async function put(id: string, files: Record<string, string | Uint8Array>): Promise<void> {
  const bucket = await world.r2();
  for (const [name, content] of Object.entries(files)) await bucket.put(`backups/${id}/${name}`, content);
}

/** Lists a directory of the container in the format of the fixture's manifest, which find wrote. */
const AS_FOUND = `find . -printf '%y %m %s %T@ %p %l\\n' | LC_ALL=C sort -k5
find . -type f -exec sha256sum {} + | LC_ALL=C sort -k2`;

/** Keeps whole seconds and drops the sizes of directories: SquashFS and other file systems do not preserve the rest. */
const comparable = (manifest: string) =>
  manifest.trim().split("\n").map((line) => line.replace(/^d (\S+) \d+/, "d $1 -").replace(/(\d{10})\.\d{10}/, "$1").trimEnd()).sort();

describe("backups of @cloudflare/sandbox 0.12", () => {
  let session: Session;

  before(async () => {
    for (const id of IDS) {
      await put(id, {
        "data.sqsh": fs.readFileSync(path.join(BACKUPS, id, "data.sqsh")),
        "meta.json": fs.readFileSync(path.join(BACKUPS, id, "meta.json")),
      });
    }
    session = await world.opened("importer", {
      // Its workspaces lose their heads below: the alarm would save them again.
      autosave: false,
      capabilities: { fs: true, shell: true, snapshot: { crossSession: true } }, limits: { maxRunning: 10 },
    });
  });

  it("are nobody's: without crossing they are neither listed nor restored nor deleted", async () => {
    assert.equal(IDS.length, 3);
    assert.deepEqual((await session.list()).snapshots, []);
    for (const id of IDS) {
      await fails("SNAPSHOT_NOT_OWNED", session.restore(refTo(id)));
      await fails("SNAPSHOT_NOT_OWNED", session.get(id));
      await fails("SNAPSHOT_NOT_OWNED", session.delete(id));
    }
    await world.assertR2Holds(IDS);
  });

  it("are listed by crossing, in key order, page by page", async () => {
    const page = await session.list(CROSS);
    assert.deepEqual(refsIn(page), IDS.map((id) => refTo(id)));
    assert.equal(page.problems?.length ?? 0, 0);
    assert.deepEqual(page.snapshots.map(({ id, name, state, sha256, kind }) => ({ id, name, state, sha256, kind })), IDS.map((id) => ({
      id, name: JSON.parse(fs.readFileSync(path.join(BACKUPS, id, "meta.json"), "utf8")).name, state: "ready", sha256: null, kind: null,
    })));
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const next = await session.list({ ...CROSS, limit: 1, ...(cursor && { cursor }) });
      assert.ok(next.snapshots.length <= 1);
      paged.push(...next.snapshots.map(idOf));
      cursor = next.nextCursor;
    } while (cursor);
    assert.deepEqual(paged, IDS);
  });

  for (const id of IDS) {
    it(`restore exactly: ${id}`, async () => {
      const made = await session.restore(refTo(id), CROSS);
      await session.switch(made);
      const found = await session.sh(AS_FOUND, { cwd: "proj" });
      assert.deepEqual(comparable(found), comparable(fs.readFileSync(path.join(FIXTURES, "manifest.txt"), "utf8")));
      assert.equal(await session.sh("stat -c %i README.md hard | uniq | wc -l", { cwd: "proj" }), "1\n", "one inode");
      // The next snapshot is of this workspace, and is our own.
      const { snapshot, ref } = await session.snapshot();
      assert.equal(snapshot.parentId, id);
      assert.equal(ref.ref.originSandboxId, made.ref.id);
      await session.delete(idOf(ref), { force: true });
    });
  }

  it("are deleted by crossing", async () => {
    for (const id of IDS) {
      await session.delete(id, { ...CROSS, force: true });
      await session.delete(id, { ...CROSS, force: true });
      await fails("SNAPSHOT_GONE", session.restore(refTo(id), CROSS));
    }
    await world.assertR2Holds([]);
    await session.close();
  });
});

describe("archives that are not as they should be", () => {
  let session: Session;
  let ours: SnapshotView;
  let archive: Buffer;
  const fixture = fs.readFileSync(path.join(BACKUPS, IDS[0]!, "data.sqsh"));

  before(async () => {
    session = await world.opened("damaged", { capabilities: { fs: true, shell: true, snapshot: { crossSession: true } } });
    await session.sh("head -c 300000 /dev/urandom > noise && echo kept > file");
    ours = await session.snapshot({ name: "ours" });
    archive = await world.r2Bytes(`backups/${idOf(ours)}/data.sqsh`);
  });

  /**
   * Checks that a failed restore changes nothing: workspaces, active workspace, files and containers stay the same. The
   * restore fails with `code`.
   */
  async function failsCleanly(code: "INTEGRITY" | "RESTORE_FAILED" | "SNAPSHOT_GONE" | "SNAPSHOT_EXPIRED", ref: SnapshotRef, options = {}) {
    const before = await session.workspaces();
    const containers = world.worker.containers().sort();
    const failed = (await session.eventsOf("workspace.failed")).length;
    const envelope = await fails(code, session.tool("workspace_restore", { ref, ...options }));
    const after = await session.workspaces();
    assert.deepEqual(after.workspaces.map(({ ref }) => ref), before.workspaces.map(({ ref }) => ref));
    assert.deepEqual(after.active, before.active);
    assert.deepEqual(world.worker.containers().sort(), containers);
    assert.equal(await session.sh("cat file"), "kept\n");
    return { envelope, failed: (await session.eventsOf("workspace.failed")).length - failed };
  }

  it("INTEGRITY: bytes flipped, anywhere", async () => {
    for (const at of [0, 100, archive.length >> 1, archive.length - 100]) {
      const flipped = Buffer.from(archive);
      flipped[at]! ^= 0xff;
      await put(idOf(ours), { "data.sqsh": flipped });
      const { failed } = await failsCleanly("INTEGRITY", ours.ref);
      assert.equal(failed, 1, "the event log has it");
    }
  });

  it("INTEGRITY: truncated, or longer than it was", async () => {
    for (const wrong of [archive.subarray(0, archive.length - 1), archive.subarray(0, 96), Buffer.alloc(0), Buffer.concat([archive, Buffer.alloc(1)])]) {
      await put(idOf(ours), { "data.sqsh": wrong });
      await failsCleanly("INTEGRITY", ours.ref);
    }
  });

  it("INTEGRITY: another snapshot's archive of the same size", async () => {
    await put(idOf(ours), { "data.sqsh": Buffer.concat([fixture, Buffer.alloc(archive.length - fixture.length)]) });
    await failsCleanly("INTEGRITY", ours.ref);
  });

  it("and restores once it is whole again", async () => {
    await put(idOf(ours), { "data.sqsh": archive });
    const made = await session.restore(ours.ref);
    await session.switch(made);
    assert.equal(await session.sh("cat file"), "kept\n");
    await session.switch({ providerId: "cloudflare-sandbox", ref: { id: "damaged" } });
    await session.destroyWorkspace(made);
  });

  it("SNAPSHOT_GONE: the archive is missing", async () => {
    await (await world.r2()).delete(`backups/${idOf(ours)}/data.sqsh`);
    await failsCleanly("SNAPSHOT_GONE", ours.ref);
    // A snapshot that lost its archive is no snapshot any more.
    ours = await session.snapshot({ name: "ours, once more" });
  });

  it("an archive whose record alone is missing is restored, and has its record again", async () => {
    const key = `backups/${idOf(ours)}/meta.json`;
    const before = (await world.r2Bytes(key)).toString();
    await (await world.r2()).delete(key);
    const restored = await session.restore(ours.ref);
    assert.equal((await world.r2Bytes(key)).toString(), before);
    await session.destroyWorkspace(restored);
  });

  it("a 0.12 backup has no checksum: garbage of the right size is RESTORE_FAILED, of another size INTEGRITY", async () => {
    const [id] = IDS as [string];
    const meta = fs.readFileSync(path.join(BACKUPS, id, "meta.json"), "utf8");
    await put(id, { "meta.json": meta, "data.sqsh": createHash("sha512").update("garbage").digest("hex").repeat(320) });
    await failsCleanly("RESTORE_FAILED", refTo(id), CROSS);
    // The superblock is valid and the rest is not.
    await put(id, { "data.sqsh": Buffer.concat([fixture.subarray(0, 96), Buffer.alloc(fixture.length - 96, 0xa5)]) });
    await failsCleanly("RESTORE_FAILED", refTo(id), CROSS);
    await put(id, { "data.sqsh": fixture.subarray(0, 5000) });
    await failsCleanly("INTEGRITY", refTo(id), CROSS);
  });

  it("SNAPSHOT_EXPIRED: from one minute before its time is up", async () => {
    const [, id] = IDS as [string, string];
    const meta = JSON.parse(fs.readFileSync(path.join(BACKUPS, id, "meta.json"), "utf8"));
    const age = (secs: number, ttl: number) => ({
      "data.sqsh": fixture, "meta.json": JSON.stringify({ ...meta, ttl, createdAt: new Date(Date.now() - secs * 1000).toISOString() }),
    });
    await put(id, age(3600, 3630));
    await failsCleanly("SNAPSHOT_EXPIRED", refTo(id), CROSS);
    assert.ok(!(await session.list(CROSS)).snapshots.some((ref) => idOf(ref) === id), "hidden");
    const shown = (await session.list({ ...CROSS, includeExpired: true })).snapshots.find((details) => details.id === id);
    assert.deepEqual([shown?.restorable, shown?.unrestorableBecause], [false, "SNAPSHOT_EXPIRED"]);
    await put(id, age(3600, 3600 + 600));
    assert.ok((await session.list(CROSS)).snapshots.some((ref) => idOf(ref) === id), "ten minutes are left");

    const brief = await session.snapshot({ name: "brief", ttlSeconds: 61 });
    await until("it expires", async () => !(await session.list()).snapshots.some((ref) => idOf(ref) === idOf(brief)));
    await failsCleanly("SNAPSHOT_EXPIRED", brief.ref);
    assert.ok((await session.list({ includeExpired: true })).snapshots.some((ref) => idOf(ref) === idOf(brief)));
    await session.delete(idOf(brief));
  });

  it("records that cannot be read are reported and harm nothing else", async () => {
    const broken: Record<string, string> = {
      "11111111-1111-4111-8111-111111111111": "{",
      "22222222-2222-4222-8222-222222222222": JSON.stringify({ id: "22222222-2222-4222-8222-222222222222" }),
      "33333333-3333-4333-8333-333333333333": "x".repeat(100_000),
      "44444444-4444-4444-8444-444444444444": JSON.stringify({
        id: "55555555-5555-4555-8555-555555555555", dir: "/workspace", name: null, sizeBytes: 1, ttl: 315360000, createdAt: "2026-11-21T21:32:22.830Z",
      }),
      "66666666-6666-4666-8666-666666666666": JSON.stringify({
        id: "66666666-6666-4666-8666-666666666666", dir: "/etc", name: null, sizeBytes: 1, ttl: 315360000, createdAt: "2026-11-21T21:32:22.830Z",
      }),
    };
    for (const [id, meta] of Object.entries(broken)) await put(id, { "meta.json": meta, "data.sqsh": fixture });
    await (await world.r2()).put("backups/not-a-uuid/meta.json", "{}");
    await (await world.r2()).put("elsewhere", "not ours");
    const { snapshots, problems } = await session.list(CROSS);
    assert.ok(snapshots.some((ref) => idOf(ref) === idOf(ours)));
    for (const id of Object.keys(broken)) {
      assert.ok(!snapshots.some((ref) => idOf(ref) === id), `${id} is not listed`);
      const problem = problems?.find((problem) => problem.id === id);
      assert.ok(problem && problem.error.code && problem.error.message, `${id} is reported: ${JSON.stringify(problems)}`);
      await session.restore(refTo(id), CROSS).then(() => assert.fail(id), () => {});
    }
    assert.equal((await session.workspaces()).workspaces.length, 1);
    assert.ok((await world.r2Keys()).includes("elsewhere"));
  });
});
