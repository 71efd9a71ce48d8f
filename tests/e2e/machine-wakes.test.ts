/** Machines whose tools and libraries were changed or removed come back, wake after wake. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf, useWorld, type Session } from "./support.ts";

const world = useWorld();

/** Everything that a machine has, except what a start of a container changes. */
const LIST = `find / -xdev '(' -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/tmp -o -path /workspace \
  -o -path /.dockerenv -o -path /etc/cloudflare -o -path /etc/mtab -o -path /etc/hosts -o -path /etc/hostname -o -path /etc/resolv.conf -o -path /var/lib/snapshotter ')' -prune -o \
  ! -path / ! -path /etc ! -path /var/lib -printf '%p %y %m %U %G %Ts %l\\n' | sort`;

/** Renames the libraries of the tools, as an upgrade does. The links to them still have their names. */
const UPGRADE = `set -e; cd /usr/lib/*-linux-gnu
  for link in libpcre2-8.so.0 libacl.so.1 libattr.so.1 libselinux.so.1 liblzo2.so.2 libz.so.1 libzstd.so.1 liblz4.so.1 liblzma.so.5; do
    real=$(readlink -f $link) && cp -a $real $link.upgraded && ln -s $link.upgraded $link.new && mv -T $link.new $link && { [ $real -ef $link.upgraded ] || rm -f $real; }
  done
  ldconfig`;

/** A program whose library the image lacks, in a directory that comes before those of libraries. */
const NEW_PROGRAM = `set -e; cp /usr/lib/*-linux-gnu/libacl.so.1 /usr/lib/libnew.so.1
  sed 's/libacl\\.so\\.1/libnew.so.1/g' /usr/bin/mv > /usr/bin/mv.new && chmod 755 /usr/bin/mv.new && cp -p /usr/bin/mv.new /usr/bin/mv.put
  perl -e 'rename "/usr/bin/mv.put", "/usr/bin/mv" or die' && mv --version > /dev/null`;

async function sleepAndWake(session: Session): Promise<void> {
  await session.tool("workspace_pause", {});
  await session.tool("workspace_resume", {});
}

describe("a machine wakes", () => {
  const changes: Record<string, string> = {
    "whose libraries were upgraded": UPGRADE,
    "whose programs need a new library": NEW_PROGRAM,
    "without tar": "rm /usr/bin/tar",
    "without Python's modules": "rm -rf /usr/lib/python3",
    "without other programs that a wake takes": `cd /usr/bin && rm xargs unsquashfs head touch dirname chmod chown tar && ${UPGRADE}`,
  };
  for (const [what, change] of Object.entries(changes)) {
    it(what, async () => {
      const session = await world.opened(`wakes-${what.replaceAll(/[^a-z]+/g, "-").slice(0, 30)}`, { persist: "machine" });
      await session.sh(`${change}\necho kept > /workspace/file`);
      const list = async () => new Set((await session.sh(LIST)).split("\n"));
      const before = await list();
      for (let wake = 0; wake < 2; wake++) {
        await sleepAndWake(session);
        assert.equal(await session.sh("cat /workspace/file"), "kept\n");
        const after = await list();
        assert.deepEqual([...before].filter((line) => !after.has(line)), []);
        assert.deepEqual([...after].filter((line) => !before.has(line)), []);
      }
      // A rewind extracts, too.
      const id = idOf(await session.snapshot());
      await session.sh("echo worse > /workspace/file");
      await session.tool("workspace_rewind", { ref: id });
      assert.equal(await session.sh("cat /workspace/file"), "kept\n");
      await session.close();
    });
  }

  it("again and again, and no copy of the image's directory stays in it", async () => {
    const session = await world.opened("wakes-image-dir", { persist: "machine", workspaceDir: "/home/agent" });
    await session.sh("echo mine > file");
    const sizes: number[] = [];
    for (let wake = 0; wake < 3; wake++) {
      await sleepAndWake(session);
      const ran = await session.tool("workspace_run", { command: "cat file; ls -A /home" });
      assert.equal(ran.stdout, "mine\nagent\n");
      await session.sh(`echo ${wake} > /root/changed`);
      sizes.push((await session.snapshot()).snapshot.machine!.sizeBytes);
    }
    assert.ok(sizes.every((size) => size < 20_000), `${sizes}`);
  });
});
