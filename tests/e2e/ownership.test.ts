/** A ref is a name, not a capability: a session can neither reach nor learn of what it did not make. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SnapshotRef, SnapshotView, WorkspaceConfig, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
const CROSSING: WorkspaceConfig = { capabilities: { fs: true, shell: true, snapshot: { crossSession: true } } };
const NOWHERE = "00000000-0000-4000-8000-000000000000";
/** Forged in one run. Natively, tests/session/snapshots/ownership.rs tries 10,000. */
const FORGED = 1_000;

/** Every way to reach a snapshot over HTTP. */
const REACHES: [string, (session: Session, ref: SnapshotRef) => Promise<unknown>][] = [
  ["get", (session, ref) => session.get(idOf(ref))],
  ["restore", (session, ref) => session.restore(ref)],
  ["branch", (session, ref) => session.branch(ref)],
  ["delete", (session, ref) => session.delete(idOf(ref))],
  ["workspace_restore", (session, ref) => session.tool("workspace_restore", { ref })],
  ["workspace_branch", (session, ref) => session.tool("workspace_branch", { ref })],
  ["workspace_rewind", (session, ref) => session.tool("workspace_rewind", { ref })],
  ["workspace_delete_snapshot", (session, ref) => session.tool("workspace_delete_snapshot", { ref })],
];

describe("foreign and forged refs", () => {
  let owner: Session;
  let intruder: Session;
  let theirs: SnapshotView;
  let mine: SnapshotView;
  let made: WorkspaceRef;

  it("are refused in the same words whether or not the snapshot exists", async () => {
    owner = await world.opened("owner");
    await owner.sh("echo secret > file");
    theirs = await owner.snapshot({ name: "private" });
    made = await owner.restore(theirs.ref);
    intruder = await world.opened("intruder", { limits: { calls: { perMinute: 60_000, burst: 60_000 } } });
    await intruder.sh("echo mine > file");
    mine = await intruder.snapshot({ name: "mine" });
    const nothing: SnapshotRef = { ...theirs.ref, ref: { ...theirs.ref.ref, backup: { id: NOWHERE, dir: "/workspace" } } };
    for (const [name, reach] of REACHES) {
      const exists = await fails("SNAPSHOT_NOT_OWNED", reach(intruder, theirs.ref));
      const doesNot = await fails("SNAPSHOT_NOT_OWNED", reach(intruder, nothing));
      assert.deepEqual(exists, doesNot, name);
      assert.ok(!JSON.stringify(exists).includes("owner"), "nor are the owner's ids told");
    }
    await fails("NOT_FOUND", intruder.restore("private"));
    await world.assertR2Holds([idOf(theirs), idOf(mine)]);
  });

  it("are refused where only the id or only the origin is one's own", async () => {
    const { backup } = theirs.ref.ref;
    for (const [ref, what] of [
      [{ ...mine.ref, ref: { backup, originSandboxId: "intruder" } }, "a foreign backup under one's own origin"],
      [{ ...mine.ref, ref: { backup: mine.ref.ref.backup, originSandboxId: "owner" } }, "one's own backup under a foreign origin"],
      [{ ...mine.ref, ref: { backup: mine.ref.ref.backup, originSandboxId: null } }, "one's own backup under none"],
    ] as [SnapshotRef, string][]) {
      for (const [name, reach] of REACHES.filter(([name]) => !["get", "delete"].includes(name))) {
        await fails("SNAPSHOT_NOT_OWNED", reach(intruder, ref)).catch((error: Error) => assert.fail(`${name}, ${what}: ${error.message}`));
      }
      for (const method of ["get", "delete"]) await fails("SNAPSHOT_NOT_OWNED", world.rpc("intruder", method, ref));
    }
    assert.equal((await intruder.get("mine")).snapshot.state, "ready");
  });

  it("carry nothing into the sandbox: the handle that was stored is the one that is used", async () => {
    const backup = { id: idOf(mine), dir: "/home", localBucket: true, evil: { path: "/etc" } };
    const ref = { ...mine.ref, ref: { backup, originSandboxId: "intruder" } };
    const restored = await intruder.restore(ref);
    await intruder.switch(restored);
    assert.equal(await intruder.sh("cat /workspace/file; ls -A /home"), "mine\nagent\n");
    await intruder.switch({ providerId: "cloudflare-sandbox", ref: { id: "intruder" } });
    await intruder.destroyWorkspace(restored);
  });

  it("are refused, all 1,000 of them", async (t) => {
    const seed = Date.now() % 2 ** 31;
    t.diagnostic(`seed ${seed}`);
    const containers = world.worker.containers().length;
    const { answers, unexpected } = await world.agent<{ answers: Record<string, number>; unexpected: string[] }>("forge", {
      session: "intruder", own: mine.ref, foreign: theirs.ref, count: FORGED, seed,
    });
    assert.deepEqual(unexpected, []);
    const { message } = await fails("SNAPSHOT_NOT_OWNED", world.rpc("intruder", "get", NOWHERE));
    for (const answer of Object.keys(answers)) {
      const [kind, words] = [answer.slice(0, answer.indexOf(": ")), answer.slice(answer.indexOf(": ") + 2)];
      if (kind === "mangled") assert.ok(words === "INVALID_ARGUMENT" || words === message || words.startsWith("NOT_FOUND: no snapshot of this session is named "), answer);
      else assert.equal(words, message, "one answer for everything that is not owned");
    }
    assert.equal(Object.values(answers).reduce((sum, count) => sum + count), FORGED);
    assert.equal(Object.keys(answers).length >= 8, true, JSON.stringify(answers));
    assert.equal(world.worker.containers().length, containers, "no container was started for them");
    assert.equal((await intruder.workspaces()).workspaces.length, 1);
    assert.equal((await intruder.get("mine")).snapshot.state, "ready");
    await world.assertR2Holds([idOf(theirs), idOf(mine)]);
  });

  it("of workspaces are refused", async () => {
    for (const id of ["owner", made.ref.id, "shared-x", "intruder-branch-00000000", "intruder-restored-zzzzzzzz"]) {
      const ref: WorkspaceRef = { providerId: "cloudflare-sandbox", ref: { id } };
      await fails("WORKSPACE_NOT_OWNED", intruder.switch(ref));
      await fails("WORKSPACE_NOT_OWNED", intruder.tool("workspace_switch", { ref }));
      await fails("WORKSPACE_NOT_OWNED", intruder.destroyWorkspace(ref));
      await fails("WORKSPACE_NOT_OWNED", world.rpc("intruder", "swapRef", ref));
    }
    const { message } = await fails("INVALID_ARGUMENT", intruder.switch({ providerId: "cloudflare-sandbox", ref: { id: "Intruder" } }));
    assert.match(message, /uppercase/);
    assert.equal((await intruder.active()).ref.id, "intruder");
    await owner.switch(made);
    assert.equal(await owner.sh("cat file"), "secret\n");
  });
});

describe("names that look like another's", () => {
  it("a session named after another's workspace, or its hashed origin, reaches nothing of it", async () => {
    const { ref: made } = (await world.session("owner").workspaces()).workspaces.find(({ kind }) => kind === "restored")!;
    const hashed = await world.opened("Not.A.Sandbox@Id");
    const origin = (await hashed.active()).ref;
    assert.match(origin.id, /^s-([a-z0-9-]+-)?[0-9a-hjkmnp-tv-z]{26}$/);
    await hashed.sh("echo hashed > file");
    const seen = new Set([made.ref.id, origin.id]);
    for (const id of [made.ref.id, origin.id, "shared-pot", "owner-branch-x", "www", "a".repeat(46), "x".repeat(128)]) {
      const session = await world.opened(id);
      const active = (await session.active()).ref.id;
      assert.match(active, /^s-([a-z0-9-]+-)?[0-9a-hjkmnp-tv-z]{26}$/, id);
      assert.ok(!seen.has(active), `${id} has a sandbox of its own`);
      seen.add(active);
      assert.deepEqual((await session.workspaces()).workspaces.map(({ ref }) => ref.ref.id), [active]);
      assert.deepEqual((await session.list()).snapshots, []);
    }
    for (const id of [made.ref.id, origin.id]) {
      const session = world.session(id);
      assert.equal(await session.sh("ls -A"), "", "not the other's files");
      await fails("WORKSPACE_NOT_OWNED", session.switch({ providerId: "cloudflare-sandbox", ref: { id } }));
      await session.close();
    }
    assert.equal(await hashed.sh("cat file"), "hashed\n");
  });

  it("ids that are none are refused", async () => {
    for (const id of ["", ".", "..", "a b", "a/b", "é", "x".repeat(129), "a\n", "%00"]) {
      if (id !== "" && id !== "." && id !== "..") await fails("INVALID_ARGUMENT", world.session(id).open());
      await fails("INVALID_ARGUMENT", world.rpc(id, "open"));
    }
  });
});

describe("crossing", () => {
  it("is disabled unless the session's policy allows it, whatever the caller holds", async () => {
    const ref = (await world.session("owner").list()).snapshots[0]!.ref;
    const session = world.session("intruder");
    for (const call of [
      () => session.list({ allowCrossSession: true }),
      () => session.get(idOf(ref), { allowCrossSession: true }),
      () => session.delete(idOf(ref), { allowCrossSession: true }),
      () => session.restore(ref, { allowCrossSession: true }),
      () => session.branch(ref, { allowCrossSession: true }),
      () => session.tool("workspace_restore", { ref, allowCrossSession: true }),
      () => session.tool("workspace_list_snapshots", { allowCrossSession: true }),
      () => world.rpc("intruder", "get", ref, { allowCrossSession: true }),
    ]) {
      await fails("CROSS_SESSION_DISABLED", call());
    }
    assert.deepEqual(await session.eventsOf("session.crossed"), []);
    assert.ok(!JSON.stringify(await session.tools()).includes("allowCrossSession"));
  });

  it("works where it is allowed, and leaves one event and one warning each", async () => {
    const ref = (await world.session("owner").list()).snapshots[0]!.ref;
    const auditor = await world.opened("auditor", CROSSING);
    assert.ok(JSON.stringify(await auditor.tools()).includes("allowCrossSession"));
    await fails("SNAPSHOT_NOT_OWNED", auditor.restore(ref));
    const listed = await auditor.list({ allowCrossSession: true, includeAuto: true });
    assert.deepEqual(listed.snapshots.map(idOf), (await world.r2Keys()).filter((key) => key.endsWith("meta.json")).map((key) => key.split("/")[1]));
    assert.equal(listed.snapshots.find((found) => idOf(found) === idOf(ref))?.ref.ref.originSandboxId, "owner");
    assert.equal((await auditor.get(idOf(ref), { allowCrossSession: true })).snapshot.name, "private");
    await fails("SNAPSHOT_NOT_OWNED", auditor.restore({ ...ref, ref: { ...ref.ref, originSandboxId: "intruder" } }, { allowCrossSession: true }));
    const made = await auditor.restore(ref, { allowCrossSession: true });
    assert.match(made.ref.id, /^auditor-restored-/, "named after the session's own origin");
    await auditor.switch(made);
    assert.equal(await auditor.sh("cat file"), "secret\n");
    const own = await auditor.snapshot({ name: "copy" });
    assert.equal(own.snapshot.parentId, idOf(ref));

    const crossings = (await auditor.eventsOf("session.crossed")).map(({ payload }) => payload as Record<string, unknown>);
    assert.deepEqual(crossings.map(({ operation }) => operation), ["list", "get", "restore"]);
    for (const crossing of crossings.slice(1)) {
      assert.deepEqual({ backupId: crossing["backupId"], originSandboxId: crossing["originSandboxId"] }, { backupId: idOf(ref), originSandboxId: "owner" });
    }
    const warned = await until("the log", () => {
      const lines = world.logLines().filter(({ event, session }) => event === "session.crossed" && session === "auditor");
      return lines.length >= 3 && lines;
    });
    assert.deepEqual(warned.map(({ level, operation }) => [level, operation]), [["warn", "list"], ["warn", "get"], ["warn", "restore"]]);
    assert.ok(warned.slice(1).every((line) => line["backupId"] === idOf(ref)));
    await auditor.delete(idOf(own));
    await auditor.destroyWorkspace(made).catch(() => auditor.close());
  });

  it("deletes what it is pointed at, and the owner sees that it is gone", async () => {
    const owner = world.session("owner");
    await owner.switch({ providerId: "cloudflare-sandbox", ref: { id: "owner" } });
    const doomed = await owner.snapshot();
    const auditor = world.session("auditor");
    await auditor.delete(idOf(doomed), { allowCrossSession: true });
    assert.ok(!(await world.r2Keys()).some((key) => key.includes(idOf(doomed))));
    await fails("SNAPSHOT_GONE", owner.restore(doomed.ref));
    await owner.delete(idOf(doomed));
    assert.ok((await owner.eventsOf("snapshot.deleted")).some(({ payload }) => (payload as { backupId: string }).backupId === idOf(doomed)));
  });

  it("deletes by force only what a workspace of the owner would wake from", async () => {
    const owner = world.session("owner");
    await owner.sh("echo needed > file");
    const needed = idOf(await owner.snapshot());
    await world.removeContainers();
    const auditor = world.session("auditor");
    await fails("CONFLICT", auditor.delete(needed, { allowCrossSession: true }));
    assert.equal(await owner.sh("cat file"), "needed\n", "it wakes");
    await auditor.delete(needed, { allowCrossSession: true, force: true });
    assert.ok(!(await world.r2Keys()).some((key) => key.includes(needed)));
  });
});

describe("a shared sandbox", () => {
  const SHARED: WorkspaceConfig = { id: "shared-pot", shareAcrossSessions: true, destroyOnClose: true };

  it("is one for all who say that they share it, each with workspaces and snapshots of its own", async () => {
    const [one, two] = [await world.opened("one", SHARED), await world.opened("two", SHARED)];
    await one.sh("echo from one > file");
    assert.equal(await two.sh("cat file"), "from one\n");
    const { ref } = await one.snapshot();
    assert.equal(ref.ref.originSandboxId, "shared-pot");
    await fails("SNAPSHOT_NOT_OWNED", two.restore(ref));
    const made = await one.restore(ref);
    assert.match(made.ref.id, /^one-restored-/);
    await fails("WORKSPACE_NOT_OWNED", two.switch(made));
    await one.close();
    assert.equal(await two.sh("cat file"), "from one\n", "closing does not destroy it");
    const opens = await until("the log", () => {
      const lines = world.logLines().filter((line) => line.level === "warn" && JSON.stringify(line).includes("shared-pot") && /open|shared/.test(line.event));
      return new Set(lines.map(({ session }) => session)).size >= 2 && lines;
    });
    assert.deepEqual(opens.map(({ session }) => session).sort(), ["one", "two"], "each open is one warning");
  });

  it("needs to be asked for in so many words", async () => {
    const session = world.session("three");
    assert.match((await fails("INVALID_ARGUMENT", session.open({ id: "shared-pot" }))).message, /shareAcrossSessions/);
    assert.match((await fails("INVALID_ARGUMENT", session.open({ id: "owner", shareAcrossSessions: true }))).message, /shared-/);
    await fails("NOT_FOUND", session.describe());
  });
});

describe("policy", () => {
  it("is set by the first open: the same again does nothing, another is a conflict", async () => {
    const config: WorkspaceConfig = { ...CROSSING, envVars: { A: "b" }, limits: { maxRunning: 2 } };
    const session = await world.opened("policy", config);
    const before = await session.describe();
    assert.deepEqual(await session.open(config), before);
    assert.equal((await session.eventsOf("session.opened")).length, 1);
    for (const changed of [
      { ...config, capabilities: { fs: true, shell: true, snapshot: true } },
      { ...config, limits: { maxRunning: 50 } },
      { ...config, enableInternet: false },
      { ...config, id: "shared-pot", shareAcrossSessions: true },
      { ...config, capabilities: { ...config.capabilities, shell: { maxDurationMs: 1000 } } },
    ] as WorkspaceConfig[]) {
      await fails("CONFLICT", session.open(changed));
      await fails("CONFLICT", world.rpc("policy", "open", changed));
    }
    assert.deepEqual(await session.describe(), before);
    await session.close();
    await fails("CONFLICT", session.open({ ...config, limits: { maxRunning: 50 } }));
    assert.equal((await session.open(config)).status, "open", "a closed session opens again");
  });
});
