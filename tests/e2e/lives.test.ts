/** Workspaces that outlive their containers: saved before they sleep, and while they are in use. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import type { OperationView, Paused, Resumed, Rewound, SnapshotView, Woken, WorkspaceSummary } from "../../entry/snapshotter.d.ts";
import { fails, idOf, TOKEN, until, useWorld, type Session } from "./support.ts";

const world = useWorld();
const woken = (answer: unknown) => (answer as { woken?: Woken }).woken;
const TREE = "find . -printf '%P %y %m %l\\n' | sort; find . -type f -exec sha256sum {} + | sort";

async function asleep(session: Session, count: number) {
  await until("it sleeps", async () => (await session.eventsOf("workspace.slept")).length === count);
}

/** Every object that holds an archive, with its upload time. */
async function archives(): Promise<Map<string, number>> {
  const { objects } = await (await world.r2()).list({ prefix: "backups/" });
  return new Map(objects.filter(({ key }) => key.endsWith("data.sqsh")).map(({ key, uploaded }) => [key, +uploaded]));
}

describe("a workspace that is left to sleep", () => {
  let session: Session;

  it("shows every file it had when it is used again", async () => {
    session = await world.opened("sleeper", { sleepAfter: "3s", retention: { keepAutosaves: 0 } });
    await session.sh("mkdir -p a/b && head -c 300000 /dev/urandom > a/random && echo run > a/b/x && chmod 751 a/b/x && ln -s a/b/x link");
    const tree = await session.sh(TREE);
    await asleep(session, 1);
    assert.deepEqual(world.worker.containers(), []);
    const again = await session.run(TREE);
    assert.equal(again.stdout, tree);
    assert.ok(woken(again)!.fromSnapshotId);
    assert.ok(woken(again)!.ageSeconds! < 60);
    assert.deepEqual((await session.list()).snapshots, [], "what the host saves is not the session's list");
    const { snapshots: details } = await session.list({ includeAuto: true });
    assert.deepEqual(details.map(({ id, trigger }) => [id, trigger]), [[woken(again)!.fromSnapshotId, "auto"]]);
  });

  it("and unchanged, is put to sleep without an upload", async () => {
    const before = await archives();
    assert.equal(before.size, 1);
    for (const round of [2, 3]) {
      await asleep(session, round);
      assert.ok(woken(await session.run("ls -lR && cat a/b/x")));
    }
    assert.deepEqual(await archives(), before);
    assert.equal((await session.eventsOf("snapshot.failed")).length, 0);
  });

  it("and changed, keeps as many automatic snapshots as its policy says", async () => {
    await session.sh("echo more >> a/b/x");
    await asleep(session, 4);
    await until("the older one is gone", async () => (await archives()).size === 1);
    assert.equal(await session.sh("cat a/b/x"), "run\nmore\n");
  });

  it("and is not stopped under a command", async () => {
    const long = await session.run("echo begin > long; sleep 6; echo end >> long; cat long");
    assert.equal(long.stdout, "begin\nend\n");
  });
});

describe("a workspace in use", () => {
  it("is saved every so often, and loses no more than that", async () => {
    const session = await world.opened("busy", { autosave: { everyMs: 2000 }, retention: { keepAutosaves: 0 } });
    await session.sh("echo 1 > count");
    await until("it is saved", async () => (await session.list({ includeAuto: true })).snapshots.length === 1);
    await session.sh("echo 2 > count");
    const at = Date.now();
    const newest = await until("it is saved again", async () => {
      await session.sh("date > when");
      const saves = (await session.list({ includeAuto: true })).snapshots.map(({ createdAt }) => Date.parse(createdAt));
      return saves.find((savedAt) => savedAt > at);
    });
    await world.removeContainers();
    const after = await session.run("cat count");
    assert.equal(after.stdout, "2\n");
    assert.ok(Date.parse(woken(after)!.savedAt!) >= newest, `saved at ${newest}: ${JSON.stringify(woken(after))}`);
    // A save that ended while the workspace woke from the one before stays as the newest, until there is a newer one.
    await session.sh("echo 3 > count");
    await until("older ones go", async () => (await session.list({ includeAuto: true })).snapshots.length === 1);
  });

  it("is left alone where the session says so", async () => {
    const session = await world.opened("unsaved", { sleepAfter: "2s", autosave: false });
    await session.sh("echo 1 > file");
    await sleep(6000);
    assert.deepEqual((await session.list({ includeAuto: true, includeUnready: true })).snapshots, []);
    assert.equal((await session.eventsOf("workspace.slept")).length, 0);
  });

  // The platform's timer starts when the object is evicted. A pending call delays that.
  it("is stopped by the platform where nothing is saved first, but not under a command", async () => {
    const session = await world.opened("platform-timer", { sleepAfter: "2s", autosave: false });
    const before = new Set(world.worker.containers());
    const run = await session.run("echo begin; sleep 15; echo end", { timeoutMs: 60_000 });
    assert.equal(run.stdout, "begin\nend\n");
    const own = world.worker.containers().filter((container) => !before.has(container));
    assert.equal(own.length, 1);
    await until("it is stopped", async () => !world.worker.containers().includes(own[0]!));
  });
});

describe("a rewind", () => {
  type Ended = { pid: number; command: string };
  const rewound = (session: Session, input: object) => session.tool<Rewound>("workspace_rewind", input);
  /** Number of processes with such a command line. */
  const count = async (of: Session, like: string) => Number(await of.sh(`for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null; echo; done | grep -c -e '${like}' || :`));
  let session: Session;
  let tree: string;
  let good: string;

  it("brings back exactly the files, ends who uses them, and keeps what was there", async () => {
    session = await world.opened("rewound", {});
    await session.sh("mkdir -p 'a b/c' && head -c 300000 /dev/urandom > 'a b/random' && echo run > x && chmod 751 x && ln -s x link && ln x hard");
    good = idOf(await session.snapshot({ name: "good" }));
    tree = await session.sh(TREE);
    await session.sh("rm -r 'a b' && echo more >> x && echo new > new");
    const bad = await session.sh(TREE);
    // Processes that use the directory: as working directory, by an open file, by a mapped file, as program. One
    // ignores TERM, and one does not use the directory.
    await session.sh([
      "mkdir -p d && cp $(command -v sleep) program",
      "(cd d && exec sleep 1001 >/dev/null 2>&1) &",
      "(cd / && exec tail -f $OLDPWD/x >/dev/null 2>&1) &",
      "(cd /; exec /workspace/program 1003 >/dev/null 2>&1) &",
      "(cd d; trap '' TERM; while :; do sleep 0.2; done >/dev/null 2>&1) &",
      // Its command line ends like the one that keeps the container running, and it writes.
      "(exec bash -c 'while :; do date >written; sleep 0.2; done & sleep infinity' >/dev/null 2>&1) &",
      "(cd /; exec sleep 1005 >/dev/null 2>&1 9>&-) &",
      "for one in '^sleep 1001' '^tail -f' '^/workspace/program 1003' '^bash -c while' '^sleep 1005'; do until pgrep -f \"$one\" >/dev/null; do sleep 0.1; done; done",
    ].join("\n"));
    const answer = await rewound(session, { ref: "good" });
    assert.equal(await session.sh(TREE), tree);
    assert.equal(answer.fromSnapshotId, good);
    const commands = answer.endedProcesses.map(({ command }: Ended) => command).join("\n");
    for (const one of [/^sleep 1001$/m, /^tail -f /m, /^\/workspace\/program 1003$/m, /bash/, /^bash -c while .* sleep infinity$/m]) assert.match(commands, one);
    assert.doesNotMatch(commands, /1005|tini/);
    assert.equal(await count(session, "^sleep 1005"), 1);
    for (const one of ["^sleep 1001", "^/workspace/program 1003", "^tail -f", "^bash -c while :; do date"]) assert.equal(await count(session, one), 0, one);
    // The safety snapshot is the way back, and is not in the list.
    const { snapshots: details } = await session.list();
    assert.deepEqual(details.map(({ id }) => id), [good]);
    await session.tool("workspace_branch", { ref: answer.safetyRef });
    const before = await session.sh(TREE);
    for (const line of bad.split("\n").filter((line) => /^new f|^x f|  \.\/(new|x)$/.test(line))) assert.ok(before.includes(line), `${line} in ${before}`);
    assert.match(before, /^program f /m);
    await session.tool("workspace_switch", { ref: answer.ref });
    assert.equal(await session.sh(TREE), tree, "the other one was left alone");
    assert.match(JSON.stringify(await session.eventsOf("workspace.rewound")), new RegExp(idOf(answer.safetyRef!)));
    const { text } = await session.tool<{ text: string }>("workspace_lineage", {});
    assert.match(text, /workspace rewound \(origin\) rewound to "good" <- you are here/);
    assert.match(text, /before a rewind/);
  });

  it("uploads nothing where nothing has changed, and leaves nothing beside the directory", async () => {
    const before = await archives();
    assert.equal(idOf((await rewound(session, { ref: "good" })).safetyRef!), good);
    assert.deepEqual(await archives(), before);
    assert.equal(await session.sh("ls -A / /var/lib/snapshotter | grep -e snapshotter- -e restore- -e backup- || :"), "");
  });

  it("brings back a directory that was removed, and wakes with what it was rewound to", async () => {
    await session.sh("rm -rf /workspace; mkdir -p /tmp/x");
    await rewound(session, { ref: good });
    assert.equal(await session.sh(TREE), tree);
    await world.removeContainers();
    const again = await session.run(TREE);
    assert.deepEqual([again.stdout, woken(again)!.fromSnapshotId], [tree, good]);
  });

  it("waits for calls that are in, and is refused while they stay", async () => {
    const begun = (mark: string) => until("the command runs", async () => (await session.run(["test", "-e", mark])).exitCode === 0);
    const short = session.run("touch /tmp/short; sleep 3; echo short > f; cat f");
    await begun("/tmp/short");
    await rewound(session, { ref: good });
    assert.equal((await short).stdout, "short\n");
    assert.equal(await session.sh(TREE), tree);
    const long = session.run("touch /tmp/long; until test -e /tmp/end; do sleep 0.1; done; echo long > f; cat f");
    await begun("/tmp/long");
    await fails("CONFLICT", rewound(session, { ref: good }));
    await session.sh("touch /tmp/end");
    assert.equal((await long).stdout, "long\n");
  });

  it("is refused with another head than the one expected", async () => {
    const { workspace } = await session.tool<{ workspace: WorkspaceSummary }>("workspace_describe", {});
    const other = idOf(await session.snapshot());
    await fails("PRECONDITION_FAILED", rewound(session, { ref: good, expectedHead: workspace.headSnapshotId! }));
    await rewound(session, { ref: good, expectedHead: other });
    assert.equal(await session.sh(TREE), tree);
  });

  it("is refused where the directory is part of the image, and ends nothing for it", async () => {
    const image = await world.opened("in-the-image", { workspaceDir: "/home/agent" });
    await image.sh("echo 1 > f; (exec sleep 2001 >/dev/null 2>&1) & sleep 0.2");
    const { ref } = await image.snapshot();
    await image.sh("echo 2 > f");
    await fails("UNSUPPORTED", rewound(image, { ref }));
    assert.deepEqual([await image.sh("cat f"), await count(image, "^sleep 2001")], ["2\n", 1]);
    assert.equal((await image.list({ includeAuto: true })).snapshots.length, 1, "no safety snapshot is left");
  });

  it("can be repeated under a key, which does it once", async () => {
    const again = () => session.http<Rewound>("POST", "/rewind", { ref: "good" }, { "idempotency-key": "again" });
    const first = await again();
    assert.equal(first.ref.ref.id, "rewound");
    await session.sh("echo since > since");
    assert.deepEqual(await again(), first);
    assert.equal(await session.sh("cat since"), "since\n");
  });
});

describe("a workspace whose directory is replaced", () => {
  it("is started fresh in its container, and what replaced it is moved away", async () => {
    // Earlier tests' workspaces may still run.
    const others = world.worker.containers();
    const mine = () => world.worker.containers().filter((name) => !others.includes(name));
    const session = await world.opened("replaced", { autosave: false });
    await session.sh("echo work >file");
    for (const replace of ["mv /workspace /tmp/was && echo x >/workspace", "rm -rf /workspace && ln -s /nowhere /workspace", "rm -rf /workspace && ln -s /usr /workspace", "rm -rf /workspace"]) {
      const [container] = mine();
      await session.sh(`cd / && ${replace}`);
      await session.startFresh();
      assert.equal(await session.sh("pwd -P; ls -A"), "/workspace\n", replace);
      assert.deepEqual(mine(), [container]);
      await fails("CONFLICT", session.startFresh());
    }
    assert.equal(await session.sh("cat /tmp/was/file /tmp/replaced-*/workspace 2>/dev/null | head -n 2; test -d /usr/bin && echo there"), "work\nx\nthere\n");
  });
});

describe("a workspace that is paused", () => {
  let session: Session;
  const pause = () => session.http<Paused>("POST", "/workspaces/paused/pause");
  const resume = () => session.http<Resumed>("POST", "/workspaces/paused/resume");
  let tree: string;

  it("has no container, refuses calls, and comes back with every file", async () => {
    const others = world.worker.containers();
    const mine = () => world.worker.containers().filter((name) => !others.includes(name));
    session = await world.opened("paused", { autosave: false });
    assert.equal((await session.workspaces()).workspaces[0]!.status, "stopped");
    await session.sh("mkdir -p a/b && head -c 300000 /dev/urandom > a/random && echo run > a/b/x && chmod 751 a/b/x && ln -s a/b/x link && ln a/b/x hard");
    tree = await session.manifest();
    assert.equal(mine().length, 1);
    const { workspace } = await pause();
    assert.deepEqual([workspace.status, mine()], ["paused", []]);
    assert.deepEqual((await pause()).workspace, workspace, "again does nothing");
    for (const call of [() => session.run("ls"), () => session.snapshot(), () => session.tool("workspace_ls"), () => session.http("GET", "/archive")]) {
      const { hint, details } = await fails("CONFLICT", call());
      assert.match(hint!, /workspace_resume|POST .*\/resume/);
      assert.equal(details!["status"], "paused");
    }
    const { workspaces: [shown] } = await world.operator<{ workspaces: (WorkspaceSummary & { session: string })[] }>("GET", "/v1/workspaces")
      .then(({ workspaces }) => ({ workspaces: workspaces.filter((one) => one.session === "paused") }));
    assert.deepEqual([shown!.status, shown!.container], ["paused", "stopped"]);
    assert.match((await session.tool<{ text: string }>("workspace_lineage")).text, /\(origin, paused\) <- you are here/);
    assert.deepEqual(mine(), [], "nothing of that started it");
    const resumed = await resume();
    assert.deepEqual([resumed.workspace.status, resumed.woken!.fromSnapshotId], ["running", workspace.headSnapshotId]);
    assert.equal(await session.manifest(), tree);
  });

  it("and unchanged, is paused again without an upload, and resumed by who does not wait", async () => {
    const before = await archives();
    await pause();
    assert.deepEqual(await archives(), before);
    const started = await session.http<OperationView>("POST", "/workspaces/paused/resume", undefined, { prefer: "respond-async" });
    const ended = await until("it is resumed", async () => {
      const operation = await session.http<OperationView>("GET", `/operations/${started.id}`);
      return operation.state !== "running" && operation;
    });
    assert.equal((ended.result as Resumed).workspace.status, "running");
    assert.equal(await session.manifest(), tree);
  });

  it("is not paused under a command", async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const body = JSON.stringify({ command: "sleep 5; echo done" });
    const told = await fetch(`${world.worker.url}/v1/sessions/paused/commands`, { method: "POST", headers, body });
    await fails("CONFLICT", pause());
    assert.match(await told.text(), /done/);
    assert.equal((await session.workspaces()).workspaces[0]!.status, "running");
  });
});

describe("a snapshot of what has not changed", () => {
  it("is the one there is, and gets the name", async () => {
    const session = await world.opened("same", {});
    await session.sh("head -c 100000 /dev/urandom > file");
    const first = await session.snapshot();
    assert.equal(first.unchanged, undefined);
    const before = await archives();
    await session.sh("cat file > /dev/null; ls");
    const again: SnapshotView = await session.tool("workspace_snapshot", { name: "v1", description: "the same" });
    assert.deepEqual([idOf(again), again.unchanged, again.snapshot.name], [idOf(first), true, "v1"]);
    assert.deepEqual(await archives(), before);
    const meta = await (await (await world.r2()).get(`backups/${idOf(first)}/meta.json`))!.json() as { name: string };
    assert.equal(meta.name, "v1");
    await fails("CONFLICT", session.snapshot({ name: "v1" }));
    await session.sh("touch -d 2020-01-01 file");
    const touched = await session.snapshot();
    assert.notEqual(idOf(touched), idOf(first), "a time is part of a file");
  });
});

describe("snapshots of another directory than the workspace's", () => {
  const ROOT = "/workspace/proj";
  const FILES = "cat /workspace/proj/file /workspace/proj/sub/file /workspace/outside /home/data/file 2>/dev/null; echo; pwd";
  const kinds = [
    { name: "above", snapshotDir: "/workspace", files: "root\nsub\noutside\n" },
    { name: "below", snapshotDir: "/workspace/proj/sub", files: "sub\n" },
    { name: "beside", snapshotDir: "/home/data", files: "data\n" },
  ];
  for (const { name, snapshotDir, files } of kinds) {
    it(`${name}: it brings back the files of the origin, and of what is made from them`, async () => {
      // No autosave runs when a container is removed: tests/e2e/unresponsive.test.ts tests that case.
      const session = await world.opened(`layers-${name}`, { workspaceDir: ROOT, snapshotDir, autosave: false, limits: { maxRunning: 2 } });
      await session.sh("mkdir -p sub /home/data; echo root > file; echo sub > sub/file; echo outside > ../outside; echo data > /home/data/file");
      const id = idOf(await session.snapshot({ name: "work" }));
      const expected = `${files}\n${ROOT}\n`;
      const again = async (what: string) => {
        await world.removeContainers();
        const answer = await session.run(FILES);
        assert.equal(answer.stdout, expected, what);
        assert.equal(woken(answer)!.fromSnapshotId, id, what);
      };
      await again("the origin");
      await session.sh("rm -rf /workspace/outside; echo later > file");
      for (const tool of ["workspace_restore", "workspace_branch"]) {
        await session.tool(tool, { ref: "work" });
        assert.equal(await session.sh(FILES), expected, tool);
        await world.removeContainers();
        const answer = await session.run(FILES);
        assert.equal(answer.stdout, expected, tool);
        assert.ok(woken(answer)!.fromSnapshotId, tool);
        // Saved automatically since, with its outside files.
        await session.sh("echo more > more");
        const { id: now } = (await session.active()).ref;
        await session.http("POST", `/workspaces/${now}/pause`);
        await session.http("POST", `/workspaces/${now}/resume`);
        assert.equal(await session.sh(`cat more; ${FILES}`), `more\n${expected}`, tool);
      }
    });
  }
});

describe("a disk whose name was deleted", () => {
  /** Deletes the disk's name as root, and evicts the object that knew it. */
  async function loseName(session: Session): Promise<void> {
    await session.sh("echo unsaved > unsaved; rm -rf /var/lib/snapshotter");
    const { id: name } = (await session.active()).ref;
    await world.worker.mf.unsafeEvictDurableObject(world.worker.name, "Sandbox", { name });
  }

  it("keeps its unsaved files over calls, a pause and a rewind", async () => {
    const session = await world.opened("nameless", {});
    await session.sh("echo saved > file");
    const saved = idOf(await session.snapshot());
    await loseName(session);
    const answer = await session.run("cat unsaved");
    assert.deepEqual([answer.stdout, woken(answer)], ["unsaved\n", undefined]);

    await loseName(session);
    const { id } = (await session.active()).ref;
    await session.http("POST", `/workspaces/${id}/pause`);
    await session.http("POST", `/workspaces/${id}/resume`);
    assert.equal(await session.sh("cat unsaved"), "unsaved\n");

    await loseName(session);
    const { safetyRef } = await session.tool<Rewound>("workspace_rewind", { ref: saved });
    assert.equal(await session.sh("ls"), "file\n");
    await session.tool("workspace_rewind", { ref: idOf(safetyRef!) });
    assert.equal(await session.sh("cat unsaved"), "unsaved\n");
    assert.equal((await session.eventsOf("workspace.woken")).length, 1, "by the resume");
  });

  it("is saved before an idle stop", async () => {
    const session = await world.opened("nameless-idle", { sleepAfter: "3s" });
    await loseName(session);
    await asleep(session, 1);
    const answer = await session.run("cat unsaved");
    assert.equal(answer.stdout, "unsaved\n");
    assert.ok(woken(answer)?.fromSnapshotId);
  });
});
