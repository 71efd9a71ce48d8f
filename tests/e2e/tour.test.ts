/** The tour over HTTP, on real files: the guarantees that an agent needs to break its work and go back. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Comparison, LiveForks, Promoted, SnapshotPage, SnapshotView, TreeDiff, WorkspaceList, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session, refsIn } from "./support.ts";

const world = useWorld();

/** Python with its library from the workspace alone. -B keeps it from writing files that `git status` would see. */
const PYTHON = ["python3", "-I", "-S", "-B", "-c", `
import sys
sys.path[:] = ["/workspace/stdlib", "/workspace/stdlib/lib-dynload"]
import json, email.message, decimal, urllib.parse
assert json.__file__.startswith("/workspace/"), json.__file__
message = email.message.EmailMessage()
message["Subject"] = urllib.parse.quote("it runs")
print(json.dumps({"sum": str(decimal.Decimal("0.1") + decimal.Decimal("0.2")), "subject": message["Subject"]}))
`];
const RUNS = '{"sum": "0.3", "subject": "it%20runs"}\n';

/** Runs json from the workspace's library. */
const TEST = `python3 -I -S -B -c '
import sys
sys.path.insert(0, "/workspace/stdlib")
import json
assert json.__file__.startswith("/workspace/")
assert json.shout([1, 2]) == "[1, 2]!"
'`;
/** Functions to add to json. Only the second one passes the test. */
const IDEAS = ["def shout(obj): return dumps(obj)", 'def shout(obj): return dumps(obj) + "!"', "def shout(obj): raise NotImplementedError"];
const JSON_FILE = "stdlib/json/__init__.py";

const GIT = "git -c user.name=Tour -c user.email=tour@example.org -c advice.detachedHead=false";
const dirt = (session: Session) => session.sh("git status --porcelain --ignored | head -n 20");

describe("the tour", () => {
  let session: Session;
  let origin: WorkspaceRef;
  let good: SnapshotView;
  let restored: WorkspaceRef;
  const branches: WorkspaceRef[] = [];
  let second: SnapshotView;
  let forks: string[];
  let forkedFrom: string;
  let promoted: Promoted;

  it("opens a session and copies the Python library into it", async () => {
    session = await world.opened("tour", { destroyOnClose: true });
    origin = await session.active();
    assert.deepEqual(origin, { providerId: "cloudflare-sandbox", ref: { id: "tour" } });
    assert.deepEqual(world.worker.containers(), [], "opening starts no container");
    await session.sh(`cp -a "$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" stdlib`);
    const count = Number(await session.sh("find stdlib -type f | wc -l"));
    assert.ok(count > 1000, `${count} files`);
    assert.equal(await session.sh(PYTHON), RUNS);
    await session.sh(`git init -q . && git add -A && ${GIT} commit -qm "The library"`);
    assert.equal(await dirt(session), "");
  });

  it("takes a snapshot that R2 holds when it answers", async () => {
    good = await session.tool("workspace_snapshot", { name: "good", description: "it runs" });
    const id = idOf(good);
    assert.deepEqual(good.ref, {
      providerId: "cloudflare-sandbox",
      ref: { backup: { id, dir: "/workspace" }, originSandboxId: "tour" },
    });
    await world.assertR2Holds([id]);
    const archive = await world.r2Bytes(`backups/${id}/data.sqsh`);
    const meta = JSON.parse((await world.r2Bytes(`backups/${id}/meta.json`)).toString());
    const { snapshotter, ...sdk } = meta;
    assert.deepEqual(Object.keys(sdk).sort(), ["createdAt", "dir", "id", "name", "sizeBytes", "ttl"]);
    assert.deepEqual({ id: sdk.id, dir: sdk.dir, name: sdk.name, ttl: sdk.ttl }, { id, dir: "/workspace", name: "good", ttl: 2_592_000 });
    assert.equal(sdk.sizeBytes, archive.length);
    assert.equal(new Date(sdk.createdAt).toISOString(), sdk.createdAt);
    assert.equal(snapshotter.sha256, createHash("sha256").update(archive).digest("hex"));
    assert.equal(snapshotter.originSandboxId, "tour");
    assert.equal(snapshotter.sessionId, "tour");
    assert.equal(snapshotter.parentId, null);
    assert.deepEqual(
      { name: good.snapshot.name, description: good.snapshot.description, state: good.snapshot.state, restorable: good.snapshot.restorable },
      { name: "good", description: "it runs", state: "ready", restorable: true },
    );
    assert.equal(good.snapshot.sha256, snapshotter.sha256);
    // A SquashFS superblock: magic, version 4.0, compression 5 (lz4).
    assert.equal(archive.toString("latin1", 0, 4), "hsqs");
    assert.deepEqual([archive.readUInt16LE(28), archive.readUInt16LE(30), archive.readUInt16LE(20)], [4, 0, 5]);
  });

  it("is broken: a package gone, files edited and added, modes changed", async () => {
    await session.sh("rm -r stdlib/json");
    await session.sh(`sed -i '1i raise RuntimeError("edited")' stdlib/decimal.py`);
    await session.tool("workspace_write_file", { path: "added/by/accident.txt", content: "not in the snapshot\n" });
    await session.sh("chmod 0700 stdlib/email/message.py && chmod -R a-x stdlib/email/mime");
    const broken = await session.run(PYTHON);
    assert.equal(broken.exitCode, 1);
    assert.match(broken.stderr, /No module named 'json'/);
    assert.notEqual(await dirt(session), "");
  });

  it("is restored into a new workspace that holds exactly the snapshot", async () => {
    restored = (await session.tool<{ ref: WorkspaceRef }>("workspace_restore", { ref: good.ref })).ref;
    assert.match(restored.ref.id, /^tour-restored-[0-9a-hjkmnp-tv-z]{8}$/);
    assert.deepEqual((await session.describe()).active, restored, "later tools act on the new one");
    assert.equal(await session.sh(PYTHON), RUNS);
    assert.equal(await dirt(session), "", "git finds nothing changed, nothing added");
    assert.equal(await session.sh("ls -A"), ".git\nstdlib\n");
    await fails("NOT_FOUND", session.tool("workspace_read_file", { path: "added/by/accident.txt" }));
  });

  it("has left the old workspace as broken as it was", async () => {
    await session.tool("workspace_switch", { ref: origin });
    assert.equal((await session.run(PYTHON)).exitCode, 1);
    const accident = await session.tool<{ content: string }>("workspace_read_file", { path: "added/by/accident.txt" });
    assert.equal(accident.content, "not in the snapshot\n");
    assert.equal((await session.sh("stat -c %a stdlib/email/message.py")).trim(), "700");
    await session.switch(restored);
    assert.equal(await session.sh(PYTHON), RUNS);
  });

  it("branches twice, and each goes its own way", async () => {
    for (const name of ["left", "right"]) {
      const { ref } = await session.tool<{ ref: WorkspaceRef }>("workspace_branch", { ref: "good" });
      assert.match(ref.ref.id, /^tour-branch-[0-9a-hjkmnp-tv-z]{8}$/);
      branches.push(ref);
      await session.sh(`printf '%s\\n' ${name} > way && git add way && ${GIT} commit -qm ${name}`);
    }
    const [left, right] = branches as [WorkspaceRef, WorkspaceRef];
    for (const [ref, log] of [[left, "left\nThe library\n"], [right, "right\nThe library\n"], [left, "left\nThe library\n"]] as const) {
      const switched = await session.tool<{ ref: WorkspaceRef }>("workspace_switch", { ref });
      assert.deepEqual(switched.ref, ref);
      assert.equal(await session.sh("git log --format=%s"), log);
      assert.equal(await session.sh("cat way"), log.split("\n")[0] + "\n");
    }
    await session.switch(restored);
    assert.equal(await session.sh("ls"), "stdlib\n", "a branch changes no other workspace");
    const { workspaces, active } = await session.tool<WorkspaceList>("workspace_list_workspaces");
    assert.deepEqual(active, restored);
    assert.deepEqual(
      workspaces.map(({ ref, kind, state, active, fromSnapshotId }) => ({ id: ref.ref.id, kind, state, active, fromSnapshotId })),
      [
        { id: "tour", kind: "origin", state: "ready", active: false, fromSnapshotId: null },
        { id: restored.ref.id, kind: "restored", state: "ready", active: true, fromSnapshotId: idOf(good) },
        ...branches.map(({ ref }) => ({ id: ref.id, kind: "branch", state: "ready", active: false, fromSnapshotId: idOf(good) })),
      ],
    );
    assert.equal(world.worker.containers().length, 4, "one container each");
    await fails("QUOTA_EXCEEDED", session.branch("good"));
  });

  it("lists the snapshots, newest first, with where each came from", async () => {
    await session.switch(branches[0]!);
    second = await session.tool("workspace_snapshot", {});
    assert.equal(second.ref.ref.originSandboxId, branches[0]!.ref.id);
    const page = await session.tool<SnapshotPage>("workspace_list_snapshots");
    assert.deepEqual(refsIn(page), [second.ref, good.ref]);
    assert.deepEqual(page.snapshots.map(({ id, name, parentId }) => ({ id, name, parentId })), [
      { id: idOf(second), name: null, parentId: idOf(good) },
      { id: idOf(good), name: "good", parentId: null },
    ]);
    const first = await session.list({ limit: 1 });
    assert.deepEqual(refsIn(first), [second.ref]);
    const rest = await session.list({ limit: 1, cursor: first.nextCursor! });
    assert.deepEqual(refsIn(rest), [good.ref]);
    assert.equal(rest.nextCursor, undefined);
    await world.assertR2Holds([idOf(good), idOf(second)]);
  });

  it("deletes without a container, twice as well as once, and R2 holds what is left", async () => {
    await world.removeContainers();
    await fails("CONFLICT", session.tool("workspace_delete_snapshot", { ref: good.ref }));
    assert.deepEqual(await session.tool("workspace_delete_snapshot", { ref: good.ref, force: true }), { deleted: true });
    await world.assertR2Holds([idOf(second)]);
    await session.delete(idOf(good));
    assert.deepEqual(refsIn(await session.list()), [second.ref]);
    assert.equal((await session.get(idOf(second))).snapshot.state, "ready");
    await fails("SNAPSHOT_GONE", session.restore(good.ref));
    assert.deepEqual(world.worker.containers(), [], "none of this starts a container");
    assert.equal((await session.eventsOf("snapshot.deleted")).length, 1);
  });

  it("comes back from R2 alone, though every container was lost", async () => {
    await session.tool("workspace_restore", { ref: second.ref });
    assert.equal(await session.sh("cat way"), "left\n");
    assert.equal(await dirt(session), "");
    assert.equal(await session.sh(PYTHON), RUNS);
  });

  it("makes three attempts in three workspaces at once", async () => {
    restored = await session.active();
    const made = await session.tool<LiveForks>("workspace_fork", { count: 3 });
    forkedFrom = made.fromSnapshotId;
    forks = made.workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref.ref.id] : []));
    assert.equal(forks.length, 3, JSON.stringify(made));
    const runs = await Promise.all([
      ...forks.map((workspace, at) => session.run(`printf '\\n%s\\n' "$IDEA" >> ${JSON_FILE}`, { workspace, env: { IDEA: IDEAS[at]! } })),
      session.run(`sed -i '1s/JSON/Loud JSON/' ${JSON_FILE} && echo own > own`),
    ]);
    assert.deepEqual(runs.map(({ exitCode }) => exitCode), [0, 0, 0, 0]);
    assert.deepEqual(await session.active(), restored);
  });

  it("compares them with what they came from, and runs a test in each", async () => {
    const compared = await session.http<Comparison>("POST", "/compare", { workspaces: forks, command: TEST });
    assert.equal(compared.base.snapshotId, forkedFrom);
    assert.deepEqual(compared.contested, [{ path: JSON_FILE, workspaceIds: forks }]);
    assert.deepEqual(
      compared.workspaces.map(({ workspaceId, changes, command }) => ({ workspaceId, changes, exitCode: command && "exitCode" in command ? command.exitCode : command })),
      forks.map((workspaceId, at) => ({ workspaceId, changes: [{ path: JSON_FILE, change: "modified" }], exitCode: at === 1 ? 0 : 1 })),
    );
    assert.match(compared.text, /exit 0/);
  });

  it("promotes the best, keeps its own changes, and destroys the others", async () => {
    promoted = await session.tool<Promoted>("workspace_promote", { from: { workspace: forks[1] }, discardOthers: true });
    assert.deepEqual([promoted.ref, promoted.baseSnapshotId, promoted.mergedFiles], [restored, forkedFrom, 1]);
    assert.equal((await session.run(TEST)).exitCode, 0);
    const [first, ...lines] = (await session.sh(["cat", JSON_FILE])).trimEnd().split("\n");
    assert.match(first!, /Loud JSON/);
    assert.equal(lines.at(-1), IDEAS[1]);
    assert.equal(await session.sh("cat own way"), "own\nleft\n");
    const { workspaces } = await session.workspaces();
    assert.deepEqual(workspaces.map(({ ref, active }) => ({ ref, active })), [{ ref: origin, active: false }, { ref: restored, active: true }]);
    const gone = promoted.discarded.map(({ ref }) => ref.id);
    for (const id of [...forks, ...branches.map(({ ref }) => ref.id)]) assert.ok(gone.includes(id), `${id} is destroyed`);
    assert.equal(world.worker.containers().length, 1, "so are their containers");
  });

  it("shows what changed, as text and as a patch that git takes", async () => {
    const wanted = [{ change: "added", path: "own" }, { change: "modified", path: JSON_FILE }];
    const diff = await session.tool<TreeDiff>("workspace_diff");
    assert.equal(diff.from.snapshotId, idOf(second), "since the snapshot that it was made from");
    assert.deepEqual(diff.changes.map(({ change, path }) => ({ change, path })), wanted);
    assert.ok(diff.changes[1]!.text!.includes(`\n+${IDEAS[1]}\n`), diff.changes[1]!.text);
    const { patch } = await session.http<TreeDiff>("POST", "/diff", { output: "patch" });
    assert.equal(await session.sh("git apply --check --reverse -", { stdin: patch }), "");
  });

  it("saves what was promoted, by itself", async () => {
    const head = await until("the promoted workspace is saved", async (saw) => {
      const { headSnapshotId } = (await session.workspaces()).workspaces.find(({ active }) => active)!;
      saw(headSnapshotId);
      return headSnapshotId !== forkedFrom && headSnapshotId;
    });
    assert.equal((await session.get(head)).snapshot.trigger, "auto");
  });

  it("closes, and leaves no container but every snapshot", async () => {
    assert.equal((await session.close()).status, "closed");
    assert.deepEqual(world.worker.containers(), []);
    const stored = (await session.list({ includeAuto: true })).snapshots.map(idOf);
    for (const id of [idOf(second), promoted.fromSnapshotId!, idOf(promoted.safetyRef!)]) assert.ok(stored.includes(id), id);
    await world.assertR2Holds(stored);
  });
});
