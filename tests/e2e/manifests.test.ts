/** Changes that no ctime tells: what a snapshot must not take for unchanged, in real containers. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { SnapshotView } from "../../entry/snapshotter.d.ts";
import { ROOT } from "../../tools/local-worker.ts";
import { idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld();

/**
 * Maps a page of a file for writing, as Java does, without a descriptor that stays open. At each SIGUSR1, the number at its
 * beginning grows. The file `FILE.is` tells it.
 */
const MAPPER = `import ctypes, os, signal, sys
name = sys.argv[1]
libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p
f = os.memfd_create("x") if name == "memfd" else os.open(name, os.O_RDWR | os.O_CREAT)
os.ftruncate(f, 4096)
where = libc.mmap(None, ctypes.c_size_t(4096), 3, 1, f, ctypes.c_long(0)); assert where + 1
os.close(f)
page = (ctypes.c_char * 4096).from_address(where)
told = sys.argv[2]
count = 0
def grow(*_):
    global count
    count += 1; page[0] = str(count).encode()
    open(told + ".new", "w").write(str(count)); os.rename(told + ".new", told)
signal.signal(signal.SIGUSR1, grow); grow()
open(told + ".pid", "w").write(str(os.getpid()))
while True: signal.pause()
`;

/** Gives a file to an io_uring, and closes it. */
const RING = `import ctypes, os, signal
libc = ctypes.CDLL(None)
ring = libc.syscall(425, 4, ctypes.create_string_buffer(120)); assert ring > 0
f = os.open("/ws/data", os.O_RDWR)
assert libc.syscall(427, ring, 2, (ctypes.c_int * 1)(f), 1) == 0
os.close(f)
open("/tmp/told", "w").close()
signal.pause()
`;

const isWritten = async (session: Session, told: string, count: number) =>
  until(`count ${count}`, async () => (await session.run(`cat ${told}; test -e ${told}.pid`)).stdout === String(count));

async function mapped(session: Session, file: string, told: string): Promise<void> {
  await session.sh(["python3", "-c", "import sys; open('/tmp/mapper.py', 'w').write(sys.argv[1])", MAPPER]);
  await session.sh(`setsid python3 /tmp/mapper.py ${file} ${told} >/dev/null 2>&1 </dev/null &`);
  await isWritten(session, told, 1);
}

async function grow(session: Session, told: string, count: number): Promise<void> {
  await session.sh(`kill -USR1 $(cat ${told}.pid)`);
  await isWritten(session, told, count);
}

describe("a file that a program has mapped for writing", () => {
  it("is saved with each turn, and after the program has ended", async () => {
    const session = await world.opened("mapped");
    const turn = async () => idOf(await session.http<SnapshotView>("POST", "/turns", { cursor: null }));
    await mapped(session, "/workspace/data", "/tmp/told");
    const turns = [await turn()];
    await grow(session, "/tmp/told", 2);
    turns.push(await turn());
    await grow(session, "/tmp/told", 3);
    await session.sh("kill -9 $(cat /tmp/told.pid)");
    turns.push(await turn());
    assert.equal(await turn(), turns[2], "nothing changed since");
    for (const [at, id] of turns.entries()) {
      await session.tool("workspace_rewind", { ref: id });
      assert.equal(await session.sh("head -c 1 data"), String(at + 1));
    }
  });

  it("is saved with the machine, where it is one of the machine's", async () => {
    const session = await world.opened("mapped-machine", { persist: "machine" });
    for (const [name, file, isSaved] of [
      ["disk", "/srv/data", true], ["memory", "/dev/shm/data", false], ["nameless", "memfd", false], ["temporary", "/tmp/data", false],
    ] as const) {
      await mapped(session, file, `/tmp/${name}`);
      const before = await session.snapshot();
      await grow(session, `/tmp/${name}`, 2);
      const after = await session.snapshot();
      assert.equal(after.snapshot.machine!.id !== before.snapshot.machine!.id, isSaved, name);
      await session.sh(`kill -9 $(cat /tmp/${name}.pid)`);
      await session.snapshot();
      if (isSaved) {
        await session.switch(await session.restore(idOf(after)));
        assert.equal(await session.sh("head -c 1 /srv/data"), "2");
      }
    }
  });
});

describe("a manifest in a container that may mount", () => {
  const script = (name: string) => fs.readFileSync(path.join(ROOT, "src/sandbox/scripts", name), "utf8");
  const backup = [
    ...["backup/space.sh", "backup/manifest.sh", "backup/layer.sh", "backup/squash.sh"].map(script),
    "git_state() (", ...["files/paths.sh", "git/repository.sh", "git/state.sh"].map(script), ")",
    ...["git/beside_backup.sh", "backup/backup.sh"].map(script),
  ].join("\n");
  const docker = (...args: string[]) => execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  const OPTIONS = ["run", "--detach", "--rm", "--init", "--network", "none", "--cap-add", "SYS_ADMIN", "--cap-add", "SYS_PTRACE",
    "--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"];

  class Container {
    readonly id: string;
    /** Its name tells its process from those of others. */
    readonly mapper = `/tmp/mapper-${Math.random().toString(36).slice(2)}.py`;
    constructor(...options: string[]) {
      this.id = docker(...OPTIONS, ...options, "--name", `workerd-${process.env["SNAPSHOTTER_RUN"]}-manifests-${Math.random().toString(36).slice(2)}`, process.env["WORKSPACE_IMAGE"]!, "sleep", "600");
      this.sh("mkdir -p /own /ws/dir /mnt/other && head -c 4096 /dev/zero >/ws/data && echo 1 >/ws/dir/file");
    }
    sh(command: string): string {
      return docker("exec", this.id, "sh", "-euc", command);
    }
    /** Archives /ws unless it is unchanged since `known`. Returns the hash, or "unchanged". */
    save(known = ""): string {
      const args = ["/own/backup-1.sqsh", "/ws", "/own/manifest", known, "", ""];
      const said = docker("exec", this.id, "sh", "-c", backup, "sh", ...args);
      return said.split(" ")[2] ?? said;
    }
    /** Starts the mapper by a command, saves, has it write once more, and tells whether the next save takes the tree for unchanged. */
    isKeptWith(start: string): boolean {
      this.sh(`rm -f /tmp/told*; cat >${this.mapper} <<'PY'\n${MAPPER}PY`);
      this.sh(`${start} >/dev/null 2>&1 </dev/null & until [ -e /tmp/told.pid ] && [ "$(cat /tmp/told)" = 1 ]; do sleep 0.05; done`);
      const known = this.save();
      // In a namespace of its own, the program does not know its id here.
      const mapper = `for p in /proc/[0-9]*; do if { tr '\\0' ' ' <$p/cmdline; } 2>/dev/null | grep -q '^python3 ${this.mapper}'; then echo \${p##*/}; fi; done`;
      this.sh(`kill -USR1 $(${mapper}); until [ "$(cat /tmp/told)" = 2 ]; do sleep 0.05; done`);
      const kept = this.save(known) === "unchanged";
      this.sh(`kill -9 $(${mapper}); sleep 0.2`);
      return kept;
    }
    end(): void {
      docker("rm", "--force", this.id);
    }
  }

  it("is not kept where a file is written by another name, in another namespace, or in memory", { timeout: 300_000 }, () => {
    const container = new Container();
    try {
      const map = (file: string) => `setsid python3 ${container.mapper} ${file} /tmp/told`;
      assert.equal(container.isKeptWith(map("/srv/data")), true, "nothing of the tree is written");
      assert.equal(container.isKeptWith(map("/ws/data")), false, "the file itself");
      container.sh("mount --bind /ws /mnt/other");
      assert.equal(container.isKeptWith(map("/mnt/other/data")), false, "by a bind mount");
      const inside = `unshare --mount --pid --fork --mount-proc sh -c 'mkdir -p /mnt/deep && mount --bind /ws /mnt/deep && exec python3 ${container.mapper} /mnt/deep/data /tmp/told'`;
      assert.equal(container.isKeptWith(`setsid ${inside}`), false, "in namespaces of its own");
      const besides = (start: string) => {
        container.sh(`rm -f /tmp/told; echo changed >>/ws/data; ${start} >/dev/null 2>&1 </dev/null & echo $! >/tmp/pid; until [ -e /tmp/told ]; do sleep 0.05; done`);
        const saved = container.save();
        const kept = container.save(saved) === "unchanged";
        container.sh("kill -9 $(cat /tmp/pid)");
        return kept;
      };
      const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
      assert.equal(besides(`python3 -c ${quoted(RING)}`), false, "by a ring that has a file");
      const node = `require("fs").promises.readFile("/ws/data").then(() => require("fs").writeFileSync("/tmp/told", "")); setTimeout(() => {}, 60_000)`;
      assert.equal(besides(`node -e ${quoted(node)}`), true, "by Node.js, whose rings have none");
      const known = container.save();
      assert.equal(container.save(known), "unchanged", "by then no program writes");
      container.sh("echo 2 >/mnt/other/dir/file");
      assert.notEqual(container.save(known), "unchanged", "changed by the bind mount");
      // Writes through a mapping change no ctime in memory.
      container.sh("mount -t tmpfs none /ws/dir");
      assert.equal(container.isKeptWith(map("/ws/dir/data")), false, "what is mounted below");
      const mounted = container.save();
      assert.notEqual(container.save(mounted), "unchanged", "something is mounted below");
      container.sh("umount /ws/dir && mount -t tmpfs none /ws && mkdir /ws/dir && echo 1 >/ws/data");
      const memory = container.save();
      assert.notEqual(container.save(memory), "unchanged", "the tree is in memory");
    } finally {
      container.end();
    }
  });

  it("does not depend on other containers whose processes are visible", { timeout: 120_000 }, () => {
    const [one, other] = [new Container("--pid", "host"), new Container()];
    try {
      const map = ({ mapper }: Container) => `setsid python3 ${mapper} /ws/data /tmp/told`;
      other.sh(`cat >${other.mapper} <<'PY'\n${MAPPER}PY`);
      other.sh(`${map(other)} >/dev/null 2>&1 </dev/null & until [ -e /tmp/told.pid ]; do sleep 0.05; done`);
      const known = one.save();
      assert.equal(one.save(known), "unchanged", "the other one has a /ws/data, too");
      assert.equal(one.isKeptWith(map(one)), false);
    } finally {
      one.end();
      other.end();
    }
  });
});
