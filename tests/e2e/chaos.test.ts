/**
 * Something dies at a random moment of a snapshot, a restore, a branch, a rewind, a delete or a prune: workerd, containers,
 * or the container engine itself. After each, everything settles, R2 holds exactly what is listed, the active workspace has
 * the files it had or those of the snapshot it went to, and a snapshot gives back what it was taken of.
 *
 * `make chaos` runs CHAOS_ROUNDS of them (100); `make test` a few, which spare the engine, because other files' containers
 * are on it. CHAOS_SEED repeats a run's choices; what a moment hits is up to the machine.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../tools/local-worker.ts";
import { pick, randomFrom } from "../random.ts";
import { envelopeOf, HttpError, until, useWorld, type Session } from "./support.ts";

const ROUNDS = Number(process.env["CHAOS_ROUNDS"] ?? 4);
const SEED = Number(process.env["CHAOS_SEED"] ?? Math.floor(Math.random() * 1e9));
const SETTLED_WITHIN_MS = 120_000;

/** The engine that tools/with-engine starts, and shares among clones. */
const ENGINE = { socket: "unix:///run/snapshotter/docker.sock", pidFile: "/run/snapshotter/dockerd.pid", users: "/run/snapshotter/users.lock" };

/** Some hundred small files, of which each round changes a few, and one that takes a while to archive. */
const CHANGE = `
import os, random, sys
random.seed(int(sys.argv[1]))
for _ in range(60):
    path = f"d{random.randrange(12)}/f{random.randrange(40)}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if random.random() < 0.2 and os.path.exists(path):
        os.remove(path)
    else:
        with open(path, "wb") as file:
            file.write(os.urandom(random.randrange(20_000)))
with open("large", "wb") as file:
    file.write(os.urandom(8_000_000))
with open("round", "w") as file:
    file.write(sys.argv[1])
`;

type Operation = "snapshot" | "restore" | "branch" | "rewind" | "delete" | "prune";
/** What gives the active workspace a snapshot's files. */
const GOES_BACK: Operation[] = ["restore", "branch", "rewind"];
type Fault = "workerd" | "containers" | "engine";

/** What a session must hold, by what it answered and what was seen. */
interface Expected {
  session: Session;
  /** Manifest of the active workspace. */
  files: string;
  /** Manifest of what its container would wake with. */
  head: string;
  /** Manifests of ready snapshots, by id. */
  snapshots: Map<string, string>;
}

const world = useWorld();
const random = randomFrom(SEED);
const typicalMs = new Map<Operation, number>([["snapshot", 1_500], ["restore", 2_000], ["branch", 2_000], ["rewind", 2_500], ["delete", 60], ["prune", 100]]);

test(`${ROUNDS} rounds of chaos, CHAOS_SEED=${SEED}`, { timeout: 120_000 + ROUNDS * 60_000 }, async (t) => {
  const sessions: Expected[] = [];
  for (const name of ["chaos-a", "chaos-b"]) sessions.push(await begin(name));
  const hits = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const one = pick(random, sessions);
    let operation = pick<Operation>(random, ["snapshot", "snapshot", "restore", "branch", "rewind", "rewind", "delete", "prune"]);
    const fault = pick<Fault>(random, ["workerd", "workerd", "workerd", "containers", "containers", ...(ownsEngine() ? ["engine" as const] : [])]);
    await prepare(one, round);
    // What the workspace would wake with can't be deleted.
    const spare = [...one.snapshots].filter(([, files]) => files !== one.head).map(([id]) => id);
    if (operation === "delete" && spare.length === 0) operation = "snapshot";
    const said = await strike(one, operation, operation === "delete" ? pick(random, spare) : pick(random, [...one.snapshots.keys()]), fault, round);
    hits.set(`${fault} during ${operation}: ${said}`, (hits.get(`${fault} during ${operation}: ${said}`) ?? 0) + 1);
    for (const expected of sessions) await check(expected, round);
    await assertR2(sessions);
  }
  for (const [what, times] of [...hits].sort()) t.diagnostic(`${times} × ${what}`);
});

async function begin(name: string): Promise<Expected> {
  // No automatic snapshot comes in between: what is there is what the rounds did.
  const autosave = { everyMs: 6 * 3_600_000 };
  const session = await world.opened(name, { sleepAfter: "6h", autosave, limits: { maxRunning: 12, maxWorkspaces: 20 } });
  await session.sh(["python3", "-c", CHANGE, "0"]);
  const files = await session.manifest();
  const { snapshot } = await session.snapshot({ name: "first" });
  return { session, files, head: files, snapshots: new Map([[snapshot.id, files]]) };
}

/** Changes files, and clears away workspaces and snapshots of earlier rounds. */
async function prepare(one: Expected, round: number): Promise<void> {
  const { session, snapshots } = one;
  for (const { ref, active } of (await session.workspaces()).workspaces) if (!active) await session.destroyWorkspace(ref);
  for (const id of [...snapshots.keys()].slice(0, -3)) {
    // The one that the workspace would wake with can't go.
    if (snapshots.get(id) === one.head) continue;
    await session.delete(id);
    snapshots.delete(id);
  }
  await session.sh(["python3", "-c", CHANGE, String(round + 1)]);
  one.files = await session.manifest();
}

/** Begins the operation, lets the fault happen at some moment of it, and works out what may hold now. */
async function strike(one: Expected, operation: Operation, target: string, fault: Fault, round: number): Promise<string> {
  const { session, snapshots } = one;
  const before = new Set(snapshots.keys());
  // None where only safety snapshots are left.
  const newest = (await session.list({ limit: 1 })).details[0]?.id;
  const began = Date.now();
  const call = begun(session, operation, target, round).then(
    () => "answered",
    // A connection that broke off is what a caller sees of a crash. An answer must still be in the one shape.
    (thrown: unknown) => (thrown instanceof HttpError ? envelopeOf(thrown).code : "cut off"),
  );
  await Promise.race([call, sleep(random() * typicalMs.get(operation)!)]);
  await inflict(fault);
  const said = await call;
  if (said === "answered") typicalMs.set(operation, (typicalMs.get(operation)! + Date.now() - began) / 2);

  await settled(session);
  await until("the session answers again", async () => session.tool("workspace_ls").then(() => true, retryLater), SETTLED_WITHIN_MS);
  const held = await session.manifest();
  const allowed = new Set(fault === "workerd" ? [one.files] : [one.files, one.head]);
  if (GOES_BACK.includes(operation)) allowed.add(snapshots.get(target)!);
  assert.ok(allowed.has(held), `round ${round}: the files after ${fault} during ${operation} (${said}) are none that were there before`);
  if (said === "answered" && GOES_BACK.includes(operation)) assert.equal(held, snapshots.get(target));

  // What a rewind saves before it replaces the files is one of them.
  const listed = (await session.list({ limit: 100, includeAuto: true })).details;
  for (const { id } of listed) if (!before.has(id)) snapshots.set(id, one.files);
  if (operation === "delete" && !listed.some(({ id }) => id === target)) snapshots.delete(target);
  if (operation === "prune") {
    assert.ok(!newest || listed.some(({ id }) => id === newest), `round ${round}: the newest is never pruned`);
    for (const id of before) if (!listed.some((one) => one.id === id)) snapshots.delete(id);
  }
  if (operation === "snapshot" && said === "answered") assert.ok(listed.some(({ name }) => name === `r${round}`), "what was answered is there");
  assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set(snapshots.keys()), `round ${round}: what is listed is what was there`);
  if (held === snapshots.get(target) && GOES_BACK.includes(operation)) one.head = held;
  else if (operation === "snapshot" && listed.some(({ name }) => name === `r${round}`)) one.head = one.files;
  one.files = held;
  return said;
}

function begun(session: Session, operation: Operation, target: string, round: number): Promise<unknown> {
  switch (operation) {
    case "snapshot": return session.tool("workspace_snapshot", { name: `r${round}` });
    case "restore": return session.tool("workspace_restore", { ref: target });
    case "branch": return session.tool("workspace_branch", { ref: target });
    case "rewind": return session.tool("workspace_rewind", { ref: target });
    case "delete": return session.delete(target);
    case "prune": return prune(session);
  }
}

/** As an operator sweeps a session: all but the newest snapshot and what its workspaces need. */
async function prune(session: Session): Promise<void> {
  const rule = { olderThanSeconds: 0, keepLast: 1, session: session.id };
  await world.operator("POST", "/v1/prune", { rule });
}

async function inflict(fault: Fault): Promise<void> {
  switch (fault) {
    case "workerd": return world.worker.killWorkerd();
    case "containers": return world.removeContainers();
    case "engine":
      await killEngine();
      // workerd does not find out that the network of its containers went with them.
      return world.worker.killWorkerd();
  }
}

/**
 * Whether the engine may be killed: it is one of ours, and nobody else's containers are on it. `make chaos` says that
 * this file runs alone (CHAOS_ALONE), the lock that no other clone's tests do.
 */
function ownsEngine(): boolean {
  if (!process.env["CHAOS_ALONE"] || process.env["DOCKER_HOST"] !== ENGINE.socket) return false;
  const inode = fs.statSync(ENGINE.users).ino;
  return fs.readFileSync("/proc/locks", "utf8").split("\n").filter((line) => line.includes(`:${inode} `)).length === 1;
}

/** SIGKILL; its containers end with it. Started again as for the first user. */
async function killEngine(): Promise<void> {
  const pid = Number(fs.readFileSync(ENGINE.pidFile, "utf8"));
  process.kill(pid, "SIGKILL");
  await until("the engine is gone", () => spawnSync("docker", ["version"], { stdio: "ignore" }).status !== 0);
  const { DOCKER_HOST: _host, SNAPSHOTTER_RUN: _run, ...env } = process.env;
  execFileSync(`${ROOT}/tools/with-engine`, ["true"], { env, stdio: "ignore" });
}

/** No snapshot and no workspace is in between. */
async function settled(session: Session): Promise<void> {
  await until(`${session.id} settles`, async () => {
    const { details } = await session.list({ includeUnready: true, includeExpired: true });
    const { workspaces } = await session.workspaces();
    return details.every(({ state }) => state !== "pending" && state !== "deleting") && workspaces.every(({ state }) => state === "ready");
  }, SETTLED_WITHIN_MS);
}

/** The active workspace has its files, and one of the snapshots its own. */
async function check(one: Expected, round: number): Promise<void> {
  const { session } = one;
  await until("the session answers", async () => session.tool("workspace_ls").then(() => true, retryLater), SETTLED_WITHIN_MS);
  const held = await session.manifest();
  assert.ok(held === one.files || held === one.head, `round ${round}: ${session.id} has other files than it had`);
  one.files = held;
  const [id, files] = pick(random, [...one.snapshots]);
  const back = await session.active();
  await session.tool("workspace_restore", { ref: id });
  assert.equal(await session.manifest(), files, `round ${round}: snapshot ${id} gives back what it was taken of`);
  const fork = await session.active();
  await session.switch(back);
  await session.destroyWorkspace(fork);
}

async function assertR2(sessions: Expected[]): Promise<void> {
  await world.assertR2Holds(sessions.flatMap(({ snapshots }) => [...snapshots.keys()]));
}

/** What may pass by itself. Anything else is a failure. */
function retryLater(thrown: unknown): false {
  if (!(thrown instanceof HttpError)) return false;
  const { code, retryable, message } = envelopeOf(thrown);
  assert.ok(retryable, `${code}: ${message}`);
  return false;
}
