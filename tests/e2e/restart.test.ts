/**
 * Kills workerd during calls, in several sessions at different points of the same operation, and starts it again on the
 * same state. Afterwards everything recovers: no row stays in a transient state, and every object in R2 belongs to a
 * snapshot.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SnapshotView, Woken, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { AGENT, envelopeOf, fails, HttpError, idOf, until, useWorld, type Session, refsIn } from "./support.ts";

/** Long enough for the alarm that recovers from a crash, and for a snapshot that continues without its caller. */
const SETTLED_WITHIN_MS = 120_000;
/** 15 MB of incompressible data. */
const FILL = ["python3", "-c", "import os\nfor i in range(150):\n with open(f'f{i}', 'wb') as file: file.write(os.urandom(100_000))"];

describe("workerd is killed", () => {
  const world = useWorld();
  const sessions: Session[] = [];
  const manifests = new Map<Session, string>();
  const snapshots = new Map<Session, SnapshotView>();

  it("with five sessions at work", async () => {
    sessions.push(...(await Promise.all(["a", "b", "c", "d", "e"].map((id) => world.opened(`crash-${id}`, { limits: { maxRunning: 10 }, autosave: false })))));
    for (const session of sessions) {
      await session.sh(FILL);
      manifests.set(session, await session.manifest());
    }
  });

  it("during snapshots: each is there, whole, or not at all", async (t) => {
    // The worst moment lasts some milliseconds: the archive is uploaded, and its record is not. To hit it for certain,
    // we put an archive there for each pending snapshot. The real upload replaces it afterwards.
    const uploaded = async () => {
      const bucket = await world.r2();
      const begun = await Promise.all(sessions.map(async (session) => (await session.list({ includeUnready: true })).snapshots.find(({ state }) => state === "pending")));
      await Promise.all(begun.map((row) => row && bucket.put(`backups/${row.id}/data.sqsh`, "an archive", { onlyIf: { etagDoesNotMatch: "*" } })));
      return begun.some((row) => row);
    };
    await killDuring((session) => session.snapshot({ name: "first" }), 40, uploaded, t);
    for (const session of sessions) {
      await settled(session);
      const { snapshots: details } = await session.list({ includeUnready: true });
      for (const { state } of details) assert.ok(["ready", "failed"].includes(state), `settled, not ${state}`);
    }
    await assertR2HoldsWhatIsListed();
    for (const session of sessions) await assertUsable(session);
    // The name is free if the snapshot failed, and taken if it exists.
    for (const session of sessions) {
      const [existing] = (await session.list()).snapshots;
      if (existing) await fails("CONFLICT", session.snapshot({ name: "first" }));
      snapshots.set(session, existing ? await session.get("first") : await session.snapshot({ name: "first" }));
    }
    await assertR2HoldsWhatIsListed();
  });

  it("during restores: each new workspace is whole and listed, or gone with its container", async (t) => {
    await killDuring((session) => session.restore(snapshots.get(session)!.ref), 200, () => sleep(200, true), t);
    let workspaces = 0;
    for (const session of sessions) {
      await settled(session);
      const listed = (await session.workspaces()).workspaces;
      workspaces += listed.length;
      for (const { ref, kind } of listed.filter(({ kind }) => kind !== "origin")) {
        await session.switch(ref);
        assert.equal(await session.manifest(), manifests.get(session), `the ${kind} workspace is whole`);
      }
      await session.switch({ providerId: "cloudflare-sandbox", ref: { id: session.id } });
      await assertUsable(session);
    }
    // Recovery has ended the containers that belong to no workspace.
    await until("no container without a workspace", () => world.worker.containers().length <= workspaces, SETTLED_WITHIN_MS);
    await assertR2HoldsWhatIsListed();
  });

  it("during tool calls that switch: the active workspace is the old one or the new one", async (t) => {
    const before = new Map<Session, WorkspaceRef>();
    for (const session of sessions) before.set(session, await session.active());
    await killDuring((session) => session.tool("workspace_restore", { ref: "first" }), 200, () => sleep(200, true), t);
    for (const session of sessions) {
      await settled(session);
      const { workspaces, active } = await session.workspaces();
      assert.deepEqual(await session.active(), active);
      const entry = workspaces.find(({ active }) => active);
      assert.deepEqual(entry?.ref, active, "the active workspace is one of them");
      assert.equal(entry?.state, "ready");
      await assertUsable(session);
    }
  });

  it("during deletes: each snapshot is whole or gone", async (t) => {
    await killDuring((session) => session.delete("first", { force: true }), 4, () => sleep(10, true), t);
    for (const session of sessions) {
      await settled(session);
      const view = await session.get(idOf(snapshots.get(session)!)).catch((thrown: unknown) => envelopeOf(thrown).code);
      if (typeof view !== "string") assert.ok(["ready", "deleted"].includes(view.snapshot.state), view.snapshot.state);
    }
    await assertR2HoldsWhatIsListed();
    // Deleting again finishes the deletes that were begun.
    for (const session of sessions) await session.delete(idOf(snapshots.get(session)!), { force: true });
    await world.assertR2Holds([]);
  });

  it("and ownership is as before", async () => {
    const [a, b] = sessions as [Session, Session];
    const { ref } = await a.snapshot();
    await world.worker.restart();
    assert.deepEqual(refsIn(await a.list()), [ref]);
    await fails("SNAPSHOT_NOT_OWNED", b.restore(ref));
    await fails("SNAPSHOT_NOT_OWNED", b.delete(idOf(ref)));
    await fails("WORKSPACE_NOT_OWNED", b.switch(await a.active()));
    const made = await a.restore(ref);
    await a.switch(made);
    await world.worker.restart();
    assert.deepEqual(await a.active(), made, "a switch outlives a restart");
    await assertUsable(a);
    await a.delete(idOf(ref), { force: true });
  });

  /** Starts `work` in all sessions, `apartMs` after each other, and kills workerd once `due` returns true. */
  async function killDuring(
    work: (session: Session) => Promise<unknown>, apartMs: number, due: () => Promise<boolean>, t: { diagnostic(message: string): void },
  ): Promise<void> {
    const calls = [];
    for (const session of sessions) {
      calls.push(work(session).then(() => "answered", (thrown: unknown) => lostOrRefused(thrown)));
      // So the kill hits each session at a different point.
      await sleep(apartMs);
    }
    await until("the moment to kill", due);
    await world.worker.killWorkerd();
    t.diagnostic((await Promise.all(calls)).join(", "));
  }

  /** The caller sees a crash as a broken connection. Any answer must still have the documented shape. */
  function lostOrRefused(thrown: unknown): string {
    return thrown instanceof HttpError ? envelopeOf(thrown).code : "cut off";
  }

  /** Waits until no snapshot and no workspace is in a transient state. */
  async function settled(session: Session): Promise<void> {
    await until(`${session.id} settles`, async () => {
      const { snapshots: details } = await session.list({ includeUnready: true, includeExpired: true });
      const { workspaces } = await session.workspaces();
      return details.every(({ state }) => state !== "pending" && state !== "deleting") && workspaces.every(({ state }) => state === "ready");
    }, SETTLED_WITHIN_MS);
  }

  async function assertR2HoldsWhatIsListed(): Promise<void> {
    const listed = await Promise.all(sessions.map(async (session) => (await session.list()).snapshots));
    await world.assertR2Holds(listed.flat().map(({ id }) => id));
    for (const { id, sizeBytes } of listed.flat()) {
      assert.equal((await world.r2Bytes(`backups/${id}/data.sqsh`)).length, sizeBytes);
    }
  }

  /** The files are unchanged: containers outlive workerd. */
  async function assertUsable(session: Session): Promise<void> {
    assert.equal(await session.manifest(), manifests.get(session));
  }
});

describe("a container is lost", () => {
  const world = useWorld({ extraWorkers: [AGENT] });
  let session: Session;
  const woken = (answer: unknown) => (answer as { woken?: Woken }).woken;

  it("and whatever acts on its files next wakes it first, and says so", async () => {
    session = await world.opened("lost");
    await session.sh("echo precious > file && chmod 640 file && mkdir -p deep/dir && ln -s file link");
    await session.snapshot({ name: "saved" });
    const tree = await session.sh("find . -printf '%P %y %m %T@\n' | sed 's/\\.[0-9]*$//' | sort");
    for (const call of [
      () => session.run("ls"),
      () => session.tool("workspace_read_file", { path: "file" }),
      () => session.tool("workspace_ls"),
      () => session.snapshot(),
      () => session.tool("workspace_snapshot"),
    ]) {
      await session.sh("echo unsaved > unsaved");
      const from = (await session.list()).snapshots[0]!.id;
      await world.removeContainers();
      const told = woken(await call());
      assert.equal(told?.fromSnapshotId, from);
      assert.ok(told.ageSeconds! >= 0 && told.ageSeconds! < 120, JSON.stringify(told));
      assert.match(told.message, /woke/);
      assert.equal(woken(await session.run("true")), undefined, "it is said once");
      assert.equal(await session.sh("find . -printf '%P %y %m %T@\n' | sed 's/\\.[0-9]*$//' | sort"), tree);
    }
    assert.equal((await session.eventsOf("workspace.woken")).length, 5);
  });

  it("and many first calls at once wake it once", async () => {
    await world.removeContainers();
    const before = (await session.eventsOf("workspace.woken")).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => session.run("cat file")));
    assert.ok(answers.every(({ stdout }) => stdout === "precious\n"));
    assert.equal(answers.filter(woken).length, 1);
    assert.equal((await session.eventsOf("workspace.woken")).length, before + 1);
    assert.equal(world.worker.containers().length, 1);
  });

  it("and it wakes after a restart too", async () => {
    await world.removeContainers();
    await world.worker.restart();
    const answer = await session.run("cat file");
    assert.equal(answer.stdout, "precious\n");
    assert.ok(woken(answer)?.fromSnapshotId);
  });

  it("and what lies in its place is moved aside", async () => {
    await world.removeContainers();
    const id = (await session.active()).ref.id;
    await world.sandbox(id, "exec", "mkdir /workspace && echo foreign > /workspace/file");
    const answer = await session.run("cat file");
    assert.equal(answer.stdout, "precious\n");
    const aside = woken(answer)?.movedAside;
    assert.match(aside ?? "", /^\/var\/lib\/snapshotter\/aside-/);
    assert.equal(await session.sh(`cat ${aside}/file`), "foreign\n");
    const event = (await session.eventsOf("workspace.woken")).at(-1);
    assert.equal((event!.payload as { movedAside?: string }).movedAside, aside);
  });

  it("and what it would wake from is not deleted, unless forced", async () => {
    const { ref } = await session.snapshot({ name: "newest" });
    await world.removeContainers();
    await fails("CONFLICT", session.delete("newest"));
    assert.deepEqual(world.worker.containers(), [], "asking starts nothing");
    assert.equal((await session.get("newest")).snapshot.state, "ready");
    assert.equal(woken(await session.run("true"))?.fromSnapshotId, idOf(ref));
    await world.removeContainers();
    await session.delete("newest", { force: true });
    const anew = await session.run("ls -A");
    assert.deepEqual([anew.stdout, woken(anew)?.fromSnapshotId], ["", null]);
    assert.match(woken(anew)!.message, /anew/);
  });

  it("and a head that can't be applied is an error, from which there are two ways on", async () => {
    await session.sh("echo new > file");
    const { ref } = await session.snapshot();
    await (await world.r2()).delete(`backups/${idOf(ref)}/data.sqsh`);
    await world.removeContainers();
    const { hint, details, retryable } = await fails("RESTORE_FAILED", session.run("ls"));
    assert.match(hint ?? "", /startFresh/);
    assert.deepEqual([details?.["because"], retryable], ["SNAPSHOT_GONE", false]);
    await fails("RESTORE_FAILED", session.snapshot());
    for (const method of ["GET", "PUT"]) await fails("RESTORE_FAILED", session.http(method, "/archive"));
    await session.tool("workspace_restore", { ref: "saved" });
    assert.equal(await session.sh("cat file"), "precious\n");
    await session.switch({ providerId: "cloudflare-sandbox", ref: { id: "lost" } });
    await fails("RESTORE_FAILED", session.run("ls"));
    assert.deepEqual((await session.startFresh()).ref.ref.id, "lost");
    assert.equal(await session.sh("ls -A"), "");
    assert.equal((await session.eventsOf("workspace.started_fresh")).length, 1);
    await fails("CONFLICT", session.startFresh());
    await session.sh("echo precious > file");
  });

  it("and an idle object's container outlives it, with its files", async () => {
    const pid = world.worker.containers().sort();
    for (const [className, name] of [["Sandbox", (await session.active()).ref.id], ["AgentHost", session.id]] as const) {
      await world.worker.mf.unsafeEvictDurableObject(world.worker.name, className, { name });
    }
    assert.equal(await session.sh("cat file"), "precious\n");
    assert.deepEqual(world.worker.containers().sort(), pid);
  });
});

describe("the objects are gone while a command runs", () => {
  const world = useWorld();

  it("and its container is neither stopped nor paused before it has ended; what it left running holds nothing", async () => {
    const session = await world.opened("build", { sleepAfter: "2s" });
    await session.sh("true");
    const build = session.run("nohup sleep 600 >/dev/null 2>&1 & echo begun > begun; until test -e go; do sleep 0.2; done; sleep 5; echo built > built", { timeoutMs: 600_000 });
    build.catch(() => {});
    await until("it runs", async () => (await session.run("cat begun")).stdout === "begun\n");
    await world.worker.killWorkerd();
    const before = world.worker.containers();
    assert.equal(before.length, 1);
    await session.describe();
    const { id } = (await session.active()).ref;
    await fails("CONFLICT", session.http("POST", `/workspaces/${id}/pause`));
    await session.sh("touch go");
    // The alarm stops the workspace only after the last command has ended.
    await until("it sleeps", async () => (await session.eventsOf("workspace.slept")).length === 1, 120_000);
    const after = await session.run("cat built");
    assert.equal(after.stdout, "built\n", "the command has ended by itself");
    assert.ok((after as { woken?: Woken }).woken);
  });
});
