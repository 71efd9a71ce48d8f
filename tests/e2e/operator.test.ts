/** The operator's work across sessions: list sessions and their usage, end running workspaces, prune old snapshots. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionUsage } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, idOf, TOKEN, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT], vars: { BACKUP_BINDINGS: "OTHER_BUCKET" }, env: { OTHER_BUCKET: { type: "r2", name: "other" } } });

type Listed = { sessions: { session: string; registeredAt: string }[]; nextCursor?: string };
type Workspaces = { workspaces: { session: string; ref: { ref: { id: string } }; active: boolean; container: string }[]; problems: unknown[]; nextCursor?: string };
type Usage = { sessions: SessionUsage[]; total: { count: number; sizeBytes: number }; problems: unknown[]; nextCursor?: string };
type Pruned = {
  dryRun: boolean; examinedCount: number; freedBytes: number; kept: Record<string, number>; problems: unknown[]; nextCursor?: string;
  deleted: { id: string; binding: string; session: string | null; ownerless: string | null; sizeBytes: number }[];
};

const listed = async () => (await world.operator<Listed>("GET", "/v1/sessions")).sessions.map(({ session }) => session);
const running = async () => (await world.operator<Workspaces>("GET", "/v1/workspaces?running=true")).workspaces.map(({ ref }) => ref.ref.id).sort();

/** All pages of a prune, with a small page size. */
async function prune(rule: object, more: object = {}): Promise<Pruned> {
  const all: Pruned = { dryRun: false, examinedCount: 0, freedBytes: 0, kept: {}, problems: [], deleted: [] };
  let cursor: string | undefined;
  do {
    const page = await world.operator<Pruned>("POST", "/v1/prune", { rule, limit: 2, ...(cursor && { cursor }), ...more });
    all.examinedCount += page.examinedCount;
    all.freedBytes += page.freedBytes;
    all.deleted.push(...page.deleted);
    all.problems.push(...page.problems);
    for (const [because, count] of Object.entries(page.kept)) all.kept[because] = (all.kept[because] ?? 0) + count;
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

describe("the operator", () => {
  let [a, b]: Session[] = [];

  it("finds every session that was opened, by HTTP or RPC, page by page, and after a restart", async () => {
    assert.deepEqual(await listed(), []);
    [a, b] = [await world.opened("a"), await world.opened("b")];
    await world.rpc("c", "open", {});
    await until("they are listed", async () => (await listed()).length === 3);
    const first = await world.operator<Listed>("GET", "/v1/sessions?limit=2");
    assert.deepEqual(first.sessions.map(({ session }) => session), ["a", "b"]);
    assert.ok(Date.now() - Date.parse(first.sessions[0]!.registeredAt) < 60_000);
    const second = await world.operator<Listed>("GET", `/v1/sessions?limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([second.sessions.map(({ session }) => session), second.nextCursor], [["c"], undefined]);
    await world.worker.restart();
    assert.deepEqual(await listed(), ["a", "b", "c"]);
    await fails("INVALID_ARGUMENT", world.operator("GET", "/v1/sessions?cursor=e30"));
    await fails("INVALID_ARGUMENT", world.operator("GET", "/v1/sessions?surprise=1"));
  });

  it("sees which containers run, in which session, and starts none by looking", async () => {
    assert.deepEqual(await running(), []);
    await Promise.all([a!.sh("echo one > file"), b!.sh("echo two > file")]);
    assert.deepEqual(await running(), ["a", "b"]);
    const { workspaces, problems } = await world.operator<Workspaces>("GET", "/v1/workspaces");
    assert.deepEqual(workspaces.map(({ session, container, active }) => [session, container, active]), [["a", "running", true], ["b", "running", true], ["c", "stopped", true]]);
    assert.deepEqual(problems, []);
    assert.equal(world.worker.containers().length, 2);
  });

  it("destroys the container of an active workspace, amid a command, and the workspace wakes with what was saved", async () => {
    await a!.snapshot({ name: "saved" });
    await a!.sh("echo not saved > file");
    const ended = a!.run("touch begun; sleep 300", { timeoutMs: 400_000 }).then(() => "done", () => "ended");
    await until("it runs", async () => (await a!.run(["test", "-e", "begun"])).exitCode === 0);
    assert.deepEqual(await a!.http("DELETE", "/workspaces/a/container"), { destroyed: true });
    assert.equal(await ended, "ended");
    assert.deepEqual(await running(), ["b"]);
    assert.equal(world.worker.containers().length, 1);
    assert.equal(await a!.sh("cat file"), "one\n");
    assert.deepEqual((await a!.eventsOf("container.destroyed")).map(({ payload }) => (payload as { sandboxId: string }).sandboxId), ["a"]);
    assert.deepEqual(await a!.http("DELETE", "/workspaces/a/container"), { destroyed: true });
    await fails("WORKSPACE_NOT_OWNED", a!.http("DELETE", "/workspaces/b/container"));
    await world.rpc("b", "destroyContainer", { providerId: "cloudflare-sandbox", ref: { id: "b" } });
    assert.deepEqual(await running(), []);
    assert.deepEqual(world.worker.containers(), []);
  });

  it("sees what each session keeps, as the bucket has it", async () => {
    await b!.sh("head -c 100000 /dev/urandom > noise");
    await b!.snapshot({ name: "noise" });
    await a!.sh("echo later > file");
    await a!.snapshot({ name: "later" });
    const { sessions, total, problems } = await world.operator<Usage>("GET", "/v1/usage");
    assert.deepEqual(problems, []);
    assert.deepEqual(sessions.map(({ session, snapshots, workspaceCount }) => [session, snapshots.count, workspaceCount]), [["a", 2, 1], ["b", 1, 1], ["c", 0, 1]]);
    const sizes = await Promise.all((await world.r2Keys()).filter((key) => key.endsWith("data.sqsh")).map(async (key) => (await world.r2Bytes(key)).length));
    assert.deepEqual(total, { count: 3, sizeBytes: sizes.reduce((sum, size) => sum + size) });
    assert.deepEqual(await world.rpc("b", "usage"), sessions[1]);
  });

  it("prunes by a rule: what is pinned, latest or needed for a wake stays, and a dry run tells it before", async () => {
    // So neither of them is the snapshot that the workspace would wake from.
    await a!.sh("echo last > file");
    const head = idOf(await a!.snapshot({ name: "last" }));
    await a!.http("PATCH", "/snapshots/later", { pinned: true });
    const [saved, later] = [idOf(await a!.get("saved")), idOf(await a!.get("later"))];
    const noise = idOf(await b!.get("noise"));
    const all = { olderThanSeconds: 0, keepLast: 0 };
    const young = await prune({ olderThanSeconds: 3_600 });
    assert.deepEqual([young.deleted, young.kept], [[], { tooYoung: 4 }]);
    const before = await world.r2Keys();
    const planned = await prune(all, { dryRun: true });
    assert.deepEqual(planned.deleted.map(({ id, session, ownerless }) => [id, session, ownerless]), [[saved, "a", null]]);
    assert.deepEqual(await world.r2Keys(), before);
    const pruned = await prune(all);
    assert.deepEqual([pruned.deleted, pruned.kept, pruned.freedBytes], [planned.deleted, { head: 2, pinned: 1 }, planned.freedBytes]);
    await world.assertR2Holds([head, later, noise]);
    await fails("SNAPSHOT_GONE", a!.restore(saved));
    assert.deepEqual((await a!.eventsOf("snapshot.pruned")).map(({ payload }) => payload), [{ backupId: saved, reason: "operator", sizeBytes: planned.freedBytes }]);
    assert.equal((await world.logged(({ event, level }) => event === "snapshot.pruned" && level === "warn")).length, 1);
    assert.equal(await a!.sh("cat file"), "last\n");
  });

  it("prunes what no catalogue has only by its kind, in every bucket, with a line and an event", async () => {
    const legacy = "0c3f2f9e-58a7-4f65-9c0d-3d1c43b7a001";
    const [incomplete, lost] = ["0c3f2f9e-58a7-4f65-9c0d-3d1c43b7a002", "0c3f2f9e-58a7-4f65-9c0d-3d1c43b7a003"];
    const meta = (id: string, more = {}) => JSON.stringify({ id, dir: "/workspace", name: null, sizeBytes: 7, ttl: 259_200, createdAt: "2026-01-01T00:00:00.000Z", ...more });
    const [bucket, other] = [await world.r2(), await world.r2("OTHER_BUCKET")];
    for (const [id, record] of [[legacy, meta(legacy)], [lost, meta(lost, { snapshotter: { version: 1, kind: "full", sessionId: "gone", originSandboxId: "gone", parentId: null, sha256: "0".repeat(64) } })]] as const) {
      await (id === legacy ? other : bucket).put(`backups/${id}/meta.json`, record);
      await (id === legacy ? other : bucket).put(`backups/${id}/data.sqsh`, "archive");
    }
    await bucket.put(`backups/${incomplete}/data.sqsh`, "half");
    const before = await world.r2Keys();
    const rule = { olderThanSeconds: 0 };
    assert.equal((await prune(rule)).kept["ownerless"], 3);
    const pruned = await prune({ ...rule, ownerless: ["legacy", "lost", "incomplete"] });
    const told = pruned.deleted.map(({ id, binding, session, ownerless, sizeBytes }) => [id, binding, session, ownerless, sizeBytes]);
    assert.deepEqual(told, [[lost, "BACKUP_BUCKET", "gone", "lost", 7], [legacy, "OTHER_BUCKET", null, "legacy", 7]]);
    assert.deepEqual(await world.r2Keys(), before.filter((key) => !key.includes(lost)), "what was uploaded today may be under way");
    assert.deepEqual(await world.r2Keys("OTHER_BUCKET"), []);
    const { events } = await world.operator<{ events: { kind: string; payload: { backupId: string } }[] }>("GET", "/v1/events");
    assert.deepEqual(events.map(({ kind, payload }) => [kind, payload.backupId]), [["backup.pruned", legacy], ["backup.pruned", lost]]);
    assert.equal((await world.logged(({ event, level }) => event === "backup.pruned" && level === "warn", 2)).length, 2);
    await bucket.delete(`backups/${incomplete}/data.sqsh`);
  });

  it("is the only one who may", async () => {
    for (const [method, route] of [["GET", "/v1/sessions"], ["GET", "/v1/workspaces"], ["GET", "/v1/usage"], ["POST", "/v1/prune"], ["POST", "/v1/rebuild"], ["GET", "/v1/events"], ["GET", "/v1/metrics"]] as const) {
      await fails("UNAUTHENTICATED", world.operator(method, route, undefined, `${TOKEN}x`));
      await fails("UNAUTHENTICATED", world.operator(method, route, undefined, null));
    }
  });
});
