/**
 * Checks docs/guarantees.md on files that change while they are archived, with the real mksquashfs and one kind of
 * change at a time. Each change comes after mksquashfs has listed the directory and before it reaches the file.
 */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ExecResult } from "../../entry/snapshotter.d.ts";
import { AGENT, useWorld } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
type Handle = { id: string; dir: string };

async function sh(sandbox: string, command: string): Promise<string> {
  const done = await world.sandbox<ExecResult>(sandbox, "exec", command);
  assert.equal(done.exitCode, 0, done.stderr);
  return done.stdout;
}

/**
 * mksquashfs reads files in order of their names. The first gives the archive its first bytes; the second takes long to
 * read.
 */
const PREPARE = `rm -rf /workspace/d; mkdir -p /workspace/d/z_dir; cd /workspace/d; head -c 4000000 /dev/urandom > a_random
  truncate -s 2G b_zeros; printf '%0200000d' 0 > z_file; printf x > z_dir/inside`;

/** Waits for the first bytes of an archive: by then mksquashfs has listed the directory. */
const WHEN_LISTED = `while [ "$(stat -c %s /var/lib/snapshotter/backup-*.sqsh 2>/dev/null || echo 0)" -lt 1000000 ]; do :; done
  cd /workspace/d`;

/** Backups so far. */
let taken = 0;

/**
 * Takes a backup during which `change` happens, and restores it. Returns the number of failed attempts, and the
 * backup's content.
 */
async function amid(change: string): Promise<{ failed: number; content: string }> {
  await sh("main", PREPARE);
  const [handle] = await Promise.all([
    world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/d" }),
    sh("main", `${WHEN_LISTED}; ${change}`),
  ]);
  await world.sandbox("other", "restoreBackup", { ...handle, dir: "/workspace/d" });
  await world.logged(({ event }) => event === "sandbox.create_backup", ++taken);
  const failed = world.logLines().filter((line) => line.event === "sandbox.archive_attempt" && line["backup"] === handle.id);
  const content = await sh("other", "cd /workspace/d; for f in z*; do printf '%s ' $f; [ -d $f ] && ls -m $f || fold -w1 $f | sort -u | tr -d '\\n' | cat - && stat -c ' %s' $f; done");
  return { failed: failed.length, content };
}

describe("amid an archive", () => {
  before(async () => {
    for (const id of ["main", "other"]) await world.sandbox(id, "configure", { enableInternet: false });
    await sh("main", "mkdir /workspace");
  });

  it("a file that vanishes fails the attempt: it is not archived as an empty one", async () => {
    assert.deepEqual(await amid("rm z_file"), { failed: 1, content: "z_dir inside\n 4096\n" });
  });

  it("a directory that vanishes does too", async () => {
    assert.deepEqual(await amid("rm -r z_dir"), { failed: 1, content: "z_file 0 200000\n" });
  });

  it("a file that shrinks does too", async () => {
    const { failed, content } = await amid("truncate -s 1000 z_file");
    assert.deepEqual({ failed, content }, { failed: 1, content: "z_dir inside\n 4096\nz_file 0 1000\n" });
  });

  it("a file that grows, or is replaced by a longer one, is archived as it then is", async () => {
    const grown = await amid("printf 1 >> z_file");
    assert.deepEqual(grown, { failed: 0, content: "z_dir inside\n 4096\nz_file 01 200001\n" });
    const replaced = await amid("printf '%0300000d' 0 | tr 0 2 > new; mv new z_file");
    assert.deepEqual(replaced, { failed: 0, content: "z_dir inside\n 4096\nz_file 2 300000\n" });
  });

  it("a file that keeps its size is archived with old bytes or new", async () => {
    const { failed, content } = await amid("printf '%0200000d' 0 | tr 0 1 | dd of=z_file conv=notrunc status=none");
    assert.equal(failed, 0);
    assert.match(content, /z_file (0|1|01) 200000/);
  });

  it("a file that is new is not archived, and harms nothing", async () => {
    assert.deepEqual(await amid("printf x > z_new"), { failed: 0, content: "z_dir inside\n 4096\nz_file 0 200000\n" });
  });
});
