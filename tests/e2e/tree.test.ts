/**
 * A restore brings back exactly the saved files, by a manifest of type, mode, owner, size, time, link and hash that is
 * made in the container.
 */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { SnapshotView } from "../../entry/snapshotter.d.ts";
import { HERE, useWorld, type Session } from "./support.ts";

const world = useWorld();
const HOSTILE = fs.readFileSync(path.join(HERE, "hostile.py"), "utf8");

/** Restores, switches to the workspace, and checks that no entry is missing, changed or added. */
async function assertComesBack(session: Session, snapshot: SnapshotView, before: string): Promise<void> {
  const was = await session.active();
  await session.tool("workspace_restore", { ref: snapshot.ref });
  assert.notDeepEqual(await session.active(), was);
  assert.equal(await session.manifest(), before);
}

describe("a hostile tree", () => {
  let session: Session;
  let before: string;
  let snapshot: SnapshotView;

  it("comes back exactly, its root included", async () => {
    session = await world.opened("hostile", { limits: { maxRunning: 6 } });
    await session.sh(["python3", "-", "/workspace"], { stdin: HOSTILE });
    before = await session.manifest();
    // Checks that the manifest is meaningful: it has many entries, and these among them.
    assert.ok(before.split("\n").length > 120, before);
    for (const shown of [" names/%FF%FE%80%20not%20utf-8 ", " names/new%0Aline ", "d 0000 0 0 - ", " 4755 ", " 4000000000 ", " -> %FF%0A%20-", " (3)\n", "d 2750 1000 1000 - 1234567890 ."]) {
      assert.ok(before.includes(shown), `${JSON.stringify(shown)} in\n${before}`);
    }
    snapshot = await session.snapshot();
    assert.equal(await session.manifest(), before, "a snapshot changes nothing");
    await assertComesBack(session, snapshot, before);
  });

  it("gives an equal archive when it is equal", async () => {
    const again = await session.snapshot();
    assert.equal(again.snapshot.sha256, snapshot.snapshot.sha256, "of the restored tree");
    const first = await world.r2Bytes(`backups/${snapshot.snapshot.id}/data.sqsh`);
    const second = await world.r2Bytes(`backups/${again.snapshot.id}/data.sqsh`);
    assert.ok(first.equals(second));
    await session.sh(["touch", "-d", "@1", "./-"], { cwd: "names" });
    const changed = await session.snapshot();
    assert.notEqual(changed.snapshot.sha256, snapshot.snapshot.sha256, "a time is a difference");
  });

  it("can be emptied and comes back to being empty", async () => {
    await session.sh("find . -mindepth 1 -delete");
    const empty = await session.manifest();
    assert.equal(empty.trim().split("\n").length, 1);
    const nothing = await session.snapshot();
    await session.sh("echo something > new");
    await assertComesBack(session, nothing, empty);
  });

  it("runs nothing and follows nothing that its names and links suggest", async () => {
    assert.equal((await session.run("ls -d /gone /workspace/gone names/gone /etc/gone 2>/dev/null")).stdout, "");
    // `out` pointed at /etc/passwd, `root` at /: the restore neither read nor wrote through them.
    await session.branch(snapshot.ref).then((ref) => session.switch(ref));
    assert.equal(await session.sh("readlink links/out && stat -c %F /etc/passwd"), "/etc/passwd\nregular file\n");
  });
});

describe("a directory of the image", () => {
  it("comes back exactly too, though it cannot be renamed", async () => {
    const session = await world.opened("image-directory", { workspaceDir: "/home/agent" });
    const own = await session.manifest("/home/agent");
    assert.match(own, / \.bashrc /, "it has files of the image");
    await session.sh("rm .bashrc && chmod 700 .");
    await session.sh(["python3", "-", "/home/agent/tree"], { stdin: HOSTILE });
    const before = await session.manifest("/home/agent");
    const { ref } = await session.snapshot();
    assert.equal(ref.ref.backup.dir, "/home/agent");
    await session.tool("workspace_restore", { ref });
    assert.equal(await session.manifest("/home/agent"), before);
    assert.equal(await session.sh("ls -A /home"), "agent\n");
  });
});

describe("a large tree", () => {
  it("comes back exactly: 20,000 small files, one of 300 MB, 2 GiB of nothing", async () => {
    const session = await world.opened("large");
    await session.sh(["python3", "-c", `
import os
for d in range(100):
    os.makedirs(f"small/{d}")
    for f in range(200):
        with open(f"small/{d}/{f}", "w") as file: file.write(f"{d} {f} " * (f % 40))
with open("big", "wb") as file:
    for _ in range(300): file.write(os.urandom(1_000_000))
with open("sparse", "wb") as file:
    file.truncate(2 << 30)
    file.seek(1 << 30)
    file.write(b"in the middle of nothing")
`], { timeoutMs: 120_000 });
    const before = await session.manifest();
    assert.match(before, /^small: 20101 entries/m);
    const snapshot = await session.snapshot();
    assert.ok(snapshot.snapshot.sizeBytes! > 300_000_000 && snapshot.snapshot.sizeBytes! < 320_000_000, `${snapshot.snapshot.sizeBytes}`);
    await assertComesBack(session, snapshot, before);
    const blocks = Number(await session.sh("stat -c %b sparse"));
    assert.ok(blocks * 512 < 16 << 20, `${blocks} blocks: a file of holes does not fill the disk`);
  });
});

describe("times that an archive can't hold", () => {
  it("become the nearest one that it can, are counted, and stay uncounted where there are none", async () => {
    const session = await world.opened("times");
    await session.sh("mkdir dir && echo 1 >old && touch -d 1960-01-01 old dir && echo 1 >new && touch -d 2200-01-01 new && echo 1 >now");
    const snapshot = await session.snapshot();
    assert.equal(snapshot.snapshot.clampedTimes, 3);
    assert.equal((await session.get(snapshot.snapshot.id)).snapshot.clampedTimes, 3);
    await session.switch(await session.restore(snapshot.snapshot.id));
    assert.equal(await session.sh("stat -c '%n %Y' dir new old"), "dir 0\nnew 4294967295\nold 0\n");
    await session.sh("touch now");
    assert.equal((await session.snapshot()).snapshot.clampedTimes, undefined, "all of them can be held by now");
  });
});
