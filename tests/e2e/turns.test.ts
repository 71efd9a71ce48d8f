/** Turns: files and conversation, back to any of them together. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SnapshotView, Timeline } from "../../entry/snapshotter.d.ts";
import { idOf, useWorld, type Session } from "./support.ts";

const world = useWorld({
  extraWorkers: [
    {
      name: "rewinding-agent",
      entry: "tests/workers/rewinding-agent.ts",
      classes: ["RewindingAgent"],
      compatibilityFlags: ["nodejs_compat"],
      env: { AGENT_HOST: { type: "durable-object", worker: "main", exportName: "AgentHost" } },
    },
  ],
});

async function ask(name: string, wish: object): Promise<any> {
  const worker = await world.worker.mf.getWorker(`${world.worker.name}-rewinding-agent`);
  const response = await worker.fetch(`http://agent/${name}`, { method: "POST", body: JSON.stringify(wish) });
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  return response.json();
}

const saveTurn = (session: Session, cursor: unknown) => session.http<SnapshotView>("POST", "/turns", { cursor });
const timeline = (session: Session) => session.http<Timeline>("GET", "/turns");

describe("an agent that saves each turn", () => {
  const said = [
    "echo one > file && echo one",
    "mkdir -p src && echo code > src/main && pip --version > /dev/null 2>&1; rm file && echo two",
    "echo nothing to do",
    "echo two > file && chmod 600 file && echo four",
  ];
  const trees: string[] = [];

  it("numbers its turns and says what each changed", async () => {
    for (const [at, text] of said.entries()) {
      assert.equal(await ask("rewinding", { say: text }), at + 1);
      trees.push(await world.session("rewinding").manifest());
    }
    const { turns } = await ask("rewinding", { timeline: true });
    assert.deepEqual(turns.map(({ number, label }: { number: number; label: string }) => [number, label]), [4, 3, 2, 1].map((at) => [at, said[at - 1]]));
    const changed = turns.map(({ changes }: any) => changes.paths?.map((one: { path: string; change: string }) => `${one.change} ${one.path}`) ?? []);
    assert.deepEqual(changed, [["added file"], [], ["removed file", "added src", "added src/main"], ["added file"]]);
    assert.equal(turns[1].snapshotId, turns[2].snapshotId, "a turn without changes uploads nothing");
  });

  it("goes back to any of them, files and messages together", async () => {
    for (const turn of [2, 4, 1, 3]) {
      const messages = await ask("rewinding", { backTo: turn });
      const users = messages.filter(({ role }: { role: string }) => role === "user");
      assert.deepEqual(users.map(({ text }: { text: string }) => text), said.slice(0, turn));
      assert.equal(await world.session("rewinding").manifest(), trees[turn - 1], `turn ${turn}`);
    }
  });

  it("does so after a restart, and goes on from there", async () => {
    await world.worker.restart();
    await ask("rewinding", { backTo: 1 });
    assert.equal(await world.session("rewinding").manifest(), trees[0]);
    assert.equal(await ask("rewinding", { say: "echo again >> file" }), 5);
    const { turns } = await ask("rewinding", { timeline: true });
    assert.deepEqual(turns[0].changes.counts, { added: 0, removed: 0, modified: 1, renamed: 0, access: 0 });
    await ask("rewinding", { backTo: 4 });
    assert.equal(await world.session("rewinding").manifest(), trees[3]);
  });
});

describe("a turn", () => {
  it("is a layer with its cursor in meta.json, and is found by number and by cursor", async () => {
    const session = await world.opened("turns", { retention: { keepTurns: 2 } });
    await session.sh("head -c 2000000 /dev/urandom > random && echo 1 > file");
    const full = await saveTurn(session, { message: "m1" });
    await session.sh("echo 2 > file");
    const layer = await saveTurn(session, { message: "m2" });
    assert.deepEqual([full.snapshot.kind, layer.snapshot.kind, layer.snapshot.trigger], ["full", "layer", "turn"]);
    const stored = await (await world.r2()).get(`backups/${idOf(layer)}/meta.json`);
    const meta = JSON.parse(await stored!.text());
    assert.deepEqual(meta.snapshotter.turn, { number: 2, cursor: { message: "m2" } });
    await session.http("POST", "/rewind", { ref: { cursor: { message: "m1" } } });
    assert.equal(await session.sh("cat file"), "1\n");
    await session.http("POST", "/rewind", { ref: { turn: 2 } });
    assert.equal(await session.sh("cat file"), "2\n");
    const branched = await session.http<any>("POST", "/workspaces", { from: { turn: 1 }, kind: "branch" });
    assert.deepEqual(branched.turn, { number: 1, cursor: { message: "m1" } });
  });

  it("makes way for later ones, of which the latest stay", async () => {
    const session = world.session("turns");
    await session.sh("echo 3 > file");
    await saveTurn(session, { message: "m3" });
    assert.deepEqual((await timeline(session)).turns.map(({ number }) => number), [3, 2]);
    assert.deepEqual((await session.list()).snapshots, []);
    const { snapshots } = await session.list({ includeAuto: true });
    assert.deepEqual(snapshots.map(({ trigger }) => trigger), ["turn", "turn", "auto"]);
    const layers = await session.list({ includeAuto: true, kind: "layer" });
    assert.deepEqual(layers.snapshots.map(({ id }) => id), snapshots.slice(0, 2).map(({ id }) => id));
  });
});
