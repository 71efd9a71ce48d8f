/** What a file has besides its content: kept by a promotion, and named by a copy that drops it. */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { LiveForks } from "../../entry/snapshotter.d.ts";
import { idOf, useWorld, type Session } from "./support.ts";

const world = useWorld();

const MAKE = `import os
open("tool", "w").write("x")
os.chown("tool", 7, 8)
os.chmod("tool", 0o4755)
os.setxattr("tool", "user.origin", b"a=\\0b")
os.setxattr("tool", "security.capability", bytes.fromhex("0100000200040000000000000000000000000000"))
os.mkdir("dir")
os.setxattr("dir", "user.origin", b"dir")
open("plain", "w").write("y")`;
const SHOW = `import os
for path in ["tool", "dir"]:
    found = os.stat(path)
    print(path, oct(found.st_mode & 0o7777), found.st_uid, found.st_gid, sorted((name, os.getxattr(path, name)) for name in os.listxattr(path)))`;
const DIR = "dir 0o755 0 0 [('user.origin', b'dir')]\n";

describe("attributes, owners and special bits", () => {
  let session: Session;
  let other: string;
  let made: string;
  const show = () => session.sh(["python3", "-c", SHOW]);

  before(async () => {
    session = await world.opened("kept", { sleepAfter: "1h" });
    await session.sh("echo base > base");
    await session.snapshot();
    const { workspaces } = await session.http<LiveForks>("POST", "/forks", { count: 1 });
    other = workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref.ref.id] : []))[0]!;
    await session.sh(["python3", "-c", MAKE], { workspace: other });
    made = await session.sh(["python3", "-c", SHOW], { workspace: other });
    assert.match(made, /^tool 0o4755 7 8 .*security\.capability.*user\.origin/);
  });

  it("are promoted", async () => {
    const { safetyRef } = await session.tool("workspace_promote", { from: { workspace: other } });
    assert.equal(await show(), made);
    await session.tool("workspace_rewind", { ref: safetyRef });
  });

  it("are dropped by a copy of a workspace's files, except attributes of users, and the answer says so", async () => {
    const copied = await session.tool("workspace_copy_from_workspace", { from: other, paths: ["tool", "dir", "plain"] });
    assert.deepEqual(copied.dropped, { owners: 1, specialBits: 1, attributes: 1 });
    assert.equal(await show(), `tool 0o755 0 0 [('user.origin', b'a=\\x00b')]\n${DIR}`);
    await session.sh("rm -r tool dir plain");
  });

  it("and so it is for those of a snapshot", async () => {
    await session.sh(["python3", "-c", MAKE]);
    const id = idOf(await session.snapshot());
    await session.sh("rm -r tool dir plain");
    const copied = await session.tool("workspace_copy_from_snapshot", { ref: id, paths: ["tool", "dir"] });
    assert.deepEqual(copied.dropped, { owners: 1, specialBits: 1, attributes: 1 });
    assert.equal(await show(), `tool 0o755 0 0 [('user.origin', b'a=\\x00b')]\n${DIR}`);
    await session.sh("rm -r tool dir");
    const plain = await session.tool("workspace_copy_from_snapshot", { ref: id, paths: ["plain", "base"] });
    assert.equal(plain.dropped, undefined);
  });
});
