/** A session's reports of its snapshots: over HTTP, over RPC, in R2's meta.json, and after a restart. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Rebuilt, SnapshotView } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, idOf, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

async function metaOf(id: string): Promise<Record<string, any>> {
  return JSON.parse((await world.r2Bytes(`backups/${id}/meta.json`)).toString());
}

describe("what is said of a snapshot", () => {
  let session: Session;
  let first: SnapshotView;

  it("is changed over HTTP, and R2's record has it", async () => {
    session = await world.opened("catalogue");
    await session.sh("echo one > file");
    first = await session.snapshot({ name: "one", labels: { env: "ci" } });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const edited = await session.http<SnapshotView>("PATCH", "/snapshots/one", {
      name: "uno", description: "la prima", labels: { tests: "pass" }, clear: ["labels.env"], expiresAt,
    });
    assert.deepEqual(edited.snapshot.labels, { tests: "pass" });
    assert.ok(Math.abs(Date.parse(edited.snapshot.expiresAt) - Date.parse(expiresAt)) < 1_000);
    assert.deepEqual(await session.get("uno"), edited);
    await fails("NOT_FOUND", session.get("one"));
    const meta = await metaOf(idOf(first));
    assert.equal(meta["name"], "uno");
    assert.deepEqual([meta["snapshotter"].description, meta["snapshotter"].labels], ["la prima", { tests: "pass" }]);
    assert.equal(Date.parse(meta["createdAt"]) + meta["ttl"] * 1_000, Date.parse(edited.snapshot.expiresAt));
  });

  it("is changed over RPC and by the tool, and outlives a restart", async () => {
    const pinned = await world.rpc<SnapshotView>("catalogue", "updateSnapshot", "uno", { pinned: true });
    assert.equal(pinned.snapshot.pinned, true);
    assert.equal((await metaOf(idOf(first)))["ttl"], 315_360_000);
    const described = await session.tool<SnapshotView>("workspace_update_snapshot", { ref: "uno", name: "", description: null, clear: ["description"] });
    assert.equal(described.snapshot.description, null);
    await world.worker.restart();
    assert.deepEqual(await session.get("uno"), described);
    const made = await session.restore("uno");
    await session.switch(made);
    assert.equal(await session.sh("cat file"), "one\n", "its files were not touched");
  });

  it("finds it", async () => {
    const second = await session.snapshot({ name: "due", labels: { tests: "fail" } });
    const names = async (query: string) => (await session.http<any>("GET", `/snapshots${query}`)).snapshots.map(({ name }: any) => name);
    assert.deepEqual(await names("?labels=tests"), ["due", "uno"]);
    assert.deepEqual(await names("?labels=tests%3Dpass"), ["uno"]);
    assert.deepEqual(await names("?labels=tests&labels=tests%3Dfail"), ["due"]);
    assert.deepEqual(await names("?name=uno&kind=full"), ["uno"]);
    assert.deepEqual(await names(`?createdBefore=${second.snapshot.createdAt}`), ["uno"]);
    assert.deepEqual((await world.rpc("catalogue", "list", { labels: ["tests=fail"] })).snapshots.map(({ name }: any) => name), ["due"]);
    await fails("INVALID_ARGUMENT", session.http("GET", "/snapshots?labels=%3Dx"));
  });

  it("is refused for what is taken, gone or not one's own", async () => {
    const patch = (id: string, edit: object, of = session) => of.http("PATCH", `/snapshots/${id}`, edit);
    await fails("CONFLICT", patch("due", { name: "uno" }));
    await fails("INVALID_ARGUMENT", patch("due", { expiresAt: "soon" }));
    await fails("INVALID_ARGUMENT", patch("due", { state: "ready" }));
    await fails("SNAPSHOT_NOT_OWNED", patch(idOf(first), { name: "mine" }, await world.opened("another")));
    await fails("SNAPSHOT_NOT_OWNED", world.rpc("another", "updateSnapshot", first.ref, { name: "mine" }));
    await patch("due", { name: "uno", replace: true });
    assert.equal((await metaOf(idOf(first)))["name"], null, "the one that lost the name lost it in R2 too");
    await fails("CONFLICT", session.delete(idOf(first)));
    await session.delete(idOf(first), { force: true });
    await fails("SNAPSHOT_GONE", patch(idOf(first), { name: "late" }));
    assert.ok(!(await world.r2Keys()).some((key) => key.includes(idOf(first))));
  });

  it("a record that R2 has lost is written again, edits included", async () => {
    await session.sh("echo record > record");
    const taken = await session.snapshot();
    const before = await metaOf(idOf(taken));
    await (await world.r2()).delete(`backups/${idOf(taken)}/meta.json`);
    await session.http("PATCH", `/snapshots/${idOf(taken)}`, { description: "late" });
    const { snapshotter: { description, ...ours }, ...after } = await metaOf(idOf(taken));
    assert.equal(description, "late");
    assert.deepEqual({ ...after, snapshotter: ours }, before);
    assert.equal((await session.eventsOf("snapshot.repaired")).length, 1);
  });

  it("and where R2 has lost the snapshot, an edit says so and writes nothing", async () => {
    await session.sh("echo lost > record");
    const lost = await session.snapshot();
    for (const object of ["data.sqsh", "meta.json"]) await (await world.r2()).delete(`backups/${idOf(lost)}/${object}`);
    await fails("SNAPSHOT_GONE", session.http("PATCH", `/snapshots/${idOf(lost)}`, { name: "late" }));
    assert.equal((await session.get(idOf(lost))).snapshot.state, "failed");
    assert.ok(!(await world.r2Keys()).some((key) => key.includes(idOf(lost))), "nor is its archive left");
    assert.equal((await session.eventsOf("snapshot.lost")).length, 1);
  });
});

describe("a rebuild", () => {
  it("puts back what the bucket says is the session's own, and nothing else", async () => {
    const session = await world.opened("rebuilt");
    await session.sh("echo precious > file");
    const taken = await session.snapshot({ name: "taken" });
    const stranger = await (await world.opened("stranger")).snapshot();
    // The state after a session's object lost its rows: snapshots are whole in R2, and in no catalogue.
    const lost = "00000000-0000-4000-8000-0000000000aa";
    const bucket = await world.r2();
    const meta = { ...(await metaOf(idOf(taken))), id: lost, name: "lost" };
    await bucket.put(`backups/${lost}/data.sqsh`, await world.r2Bytes(`backups/${idOf(taken)}/data.sqsh`));
    await bucket.put(`backups/${lost}/meta.json`, JSON.stringify(meta));
    await fails("SNAPSHOT_NOT_OWNED", session.restore(lost));
    const restored: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Rebuilt = await session.http("POST", "/rebuild", { limit: 2, ...(cursor && { cursor }) });
      restored.push(...page.restored);
      cursor = page.nextCursor;
    } while (cursor);
    assert.deepEqual(restored, [lost]);
    const again = await world.rpc<Rebuilt>("rebuilt", "rebuild");
    assert.deepEqual([again.restored, again.known], [[], 2]);
    assert.ok(again.foreign >= 1);
    await session.switch(await session.restore("lost"));
    assert.equal(await session.sh("cat file"), "precious\n");
    // The operator rebuilds all sessions at once. For a session that was never opened, the result only names it.
    const [own, nobodys] = ["00000000-0000-4000-8000-0000000000ab", "00000000-0000-4000-8000-0000000000ac"];
    for (const [id, sessionId] of [[own, "stranger"], [nobodys, "never-opened"]] as const) {
      const theirs = await metaOf(idOf(stranger));
      await bucket.put(`backups/${id}/data.sqsh`, await world.r2Bytes(`backups/${idOf(stranger)}/data.sqsh`));
      await bucket.put(`backups/${id}/meta.json`, JSON.stringify({ ...theirs, id, snapshotter: { ...theirs.snapshotter, sessionId } }));
    }
    const walk = async () => {
      const all = { restored: [] as { id: string; session: string }[], unopened: [] as string[] };
      let cursor: string | undefined;
      do {
        const page = await world.operator<typeof all & { nextCursor?: string }>("POST", "/v1/rebuild", { limit: 2, ...(cursor && { cursor }) });
        all.restored.push(...page.restored);
        all.unopened.push(...page.unopened);
        cursor = page.nextCursor;
      } while (cursor);
      return all;
    };
    const walked = await walk();
    assert.deepEqual(walked.restored.map(({ id, session }) => [id, session]), [[own, "stranger"]]);
    assert.deepEqual(walked.unopened, ["never-opened"]);
    assert.deepEqual((await walk()).restored, []);
    await fails("SNAPSHOT_NOT_OWNED", session.restore(stranger.ref));
    assert.deepEqual((await session.list()).snapshots.map(idOf), [idOf(taken), lost], "what comes back is older than what is there");
  });
});
