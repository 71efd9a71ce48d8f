/**
 * Kills something at a random moment of an operation or of a session's alarm: workerd, containers, or the container
 * engine itself. After each, everything recovers. R2 holds exactly the listed snapshots, and what is left of those that
 * it lost. The snapshots that the policy keeps stay, and the others go. The active workspace has its previous files or
 * those of the snapshot that it went to. Each snapshot, full or a layer, restores the files it was taken of. One session
 * persists the machine: what its snapshots and containers have outside the workspace is always of the same time as the
 * files. Turns keep their cursors.
 *
 * `make chaos` runs CHAOS_ROUNDS rounds (100). `make test` runs a few, which spare the engine, because it also has the
 * containers of other test files. CHAOS_SEED repeats a run's choices; the moment of each fault depends on the machine.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LiveForks, Rewound, SnapshotView, Turn } from "../../entry/snapshotter.d.ts";
import { inTime } from "../../tools/in-time.ts";
import { pick, randomFrom } from "../random.ts";
import {
  filesIn, filesOf, KEEP_LAST, note, persistsMachine, settled, SETTLED_WITHIN_MS, treeOf, usable, type Expected, type Known, type View,
} from "./chaos/expected.ts";
import { faults, inflict, takesContainers, type Fault } from "./chaos/faults.ts";
import {
  archivesOfFiles, atRest, begun, BY_ALARM, cursorOf, GOES_BACK, NAMES, OPERATIONS, prepareFor, REWINDS, SWEEP_EVERY_MS, typicalMs, type Aim, type Operation,
} from "./chaos/operations.ts";
import { envelopeOf, HttpError, needsOf, until, useWorld, type Session } from "./support.ts";

const ROUNDS = Number(process.env["CHAOS_ROUNDS"] ?? 4);
const SEED = Number(process.env["CHAOS_SEED"] ?? Math.floor(Math.random() * 1e9));
/**
 * Most rounds take seconds. A round may take minutes, when it waits for a container that is gone and still reported as
 * running.
 */
const ROUND_WITHIN_MS = 600_000;

/**
 * Changes some of a few hundred small files, and sometimes a large file that takes a while to archive: otherwise an
 * incremental snapshot is a layer. With the machine also, often, files outside the workspace.
 */
const CHANGE = `
import os, random, shutil, sys
random.seed(int(sys.argv[1]))
for _ in range(60):
    path = f"d{random.randrange(12)}/f{random.randrange(40)}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if random.random() < 0.2 and os.path.exists(path):
        os.remove(path)
    else:
        with open(path, "wb") as file:
            file.write(os.urandom(random.randrange(20_000)))
if random.random() < 0.4 or not os.path.exists("large"):
    with open("large", "wb") as file:
        file.write(os.urandom(8_000_000))
if sys.argv[2] == "machine":
    if random.random() < 0.6 or not os.path.exists("/etc/chaos"):
        with open("/etc/chaos", "w") as file:
            file.write(sys.argv[1] + "\\n")
        with open("/root/chaos", "wb") as file:
            file.write(os.urandom(1_000_000))
    shutil.copy("/etc/chaos", "machine")
with open("round", "w") as file:
    file.write(sys.argv[1])
`;

/** A round: an operation and the fault that hits it. */
interface Strike extends Aim {
  operation: Operation;
  fault: Fault;
  /** The files that the snapshot was taken of. */
  targetFiles: string;
  /** When the fault comes, as a fraction of the operation's usual time, from 0 to 1. */
  moment: number;
  context: string;
}

/** Lines of the Worker's log to show after a failed round. */
const LOG_LINES_SHOWN = 200;

const world = useWorld({ vars: { TEST_SWEEP_EVERY_MS: String(SWEEP_EVERY_MS) } });
const random = randomFrom(SEED);
let doing = "the first open";

test(`${ROUNDS} rounds of chaos, CHAOS_SEED=${SEED}`, { timeout: (ROUNDS + 2) * ROUND_WITHIN_MS }, async (t) => {
  const hits = new Map<string, number>();
  try {
    const sessions = await inRoundTime(Promise.all(["chaos-a", "chaos-b"].map(begin)));
    for (let number = 0; number < ROUNDS; number++) await inRoundTime(round(sessions, number, hits));
    doing = "the last look";
    for (const one of sessions) {
      for (const id of one.snapshots.keys()) await inRoundTime(assertBack(one, id, doing));
    }
  } catch (thrown) {
    t.diagnostic(world.logText().split("\n").slice(-LOG_LINES_SHOWN).join("\n"));
    throw thrown;
  } finally {
    t.diagnostic(`the end was at ${doing}`);
    for (const [what, times] of [...hits].sort()) t.diagnostic(`${times} × ${what}`);
  }
});

/** Each part has its own time limit, however long all parts take together. */
function inRoundTime<T>(part: Promise<T>): Promise<T> {
  return inTime(part, ROUND_WITHIN_MS, () => `CHAOS_SEED=${SEED} did not get past ${doing}`);
}

async function round(sessions: Expected[], number: number, hits: Map<string, number>): Promise<void> {
  const one = pick(random, sessions);
  doing = `the preparation of round ${number}`;
  const struck = await prepare(one, number);
  const { operation, fault } = struck;
  doing = struck.context;
  const beganAt = Date.now();
  const said = await strike(one, struck, number);
  // One after the other, because workerd may have to be killed.
  for (const { session } of sessions) await usable(session, { alone: true });
  await Promise.all(sessions.map(async (expected) => {
    await check(expected, struck.context, expected !== one && takesContainers(fault));
    // The check forgets what the policy deleted in this round.
    if (expected === one) await assertBack(one, pick(random, [...one.snapshots.keys()]), struck.context);
  }));
  await assertR2Holds(sessions);
  const hit = `${fault} during ${operation}: ${said}`;
  hits.set(hit, (hits.get(hit) ?? 0) + 1);
  if (process.env["CHAOS_ALONE"]) console.log(`${struck.context}: ${said}, ${Date.now() - beganAt} ms`);
}

async function begin(name: string): Promise<Expected> {
  const session = world.session(name);
  await session.open(atRest(session));
  await change(session, 0);
  const files = await treeOf(session);
  const { ref, snapshot } = await session.snapshot({ name: "first" });
  const first = { id: snapshot.id, trigger: snapshot.trigger, origin: ref.ref.originSandboxId, files };
  return { session, files, head: files, snapshots: new Map([[first.id, first]]), heads: new Set([first.id]), lost: new Set() };
}

/** R2 holds what is listed, and what is left of lost snapshots. The alarm soon deletes what nothing needs any more. */
async function assertR2Holds(sessions: Expected[]): Promise<void> {
  const ids = sessions.flatMap(({ snapshots, lost }) => [...snapshots.keys(), ...lost]);
  const gone = sessions.flatMap(({ lost }) => [...lost].flatMap(archivesOfFiles));
  await until("R2 holds exactly what the listed snapshots need", async (saw) => {
    const held = await world.r2Keys();
    const needed = (await world.keysOf(ids)).filter((key) => !gone.includes(key));
    saw({ spare: held.filter((key) => !needed.includes(key)), lacking: needed.filter((key) => !held.includes(key)) });
    return held.join() === needed.join();
  }, SETTLED_WITHIN_MS);
}

/** The snapshots that others need an archive of. */
async function needed(one: Expected): Promise<Set<string>> {
  const needs = [...one.snapshots.keys()].map(async (id) => {
    const { snapshotter } = JSON.parse((await world.r2Bytes(`backups/${id}/meta.json`)).toString());
    return needsOf(snapshotter).filter((other) => other !== id);
  });
  return new Set((await Promise.all(needs)).flat());
}

function change(session: Session, round: number): Promise<string> {
  return session.sh(["python3", "-c", CHANGE, String(round), persistsMachine(session) ? "machine" : "workspace"]);
}

/** Removes workspaces of earlier rounds, changes files, and chooses the next strike. */
async function prepare(one: Expected, round: number): Promise<Strike> {
  const { session } = one;
  const others = (await session.workspaces()).workspaces.filter(({ active }) => !active);
  await Promise.all(others.map(({ ref }) => session.destroyWorkspace(ref)));
  await note(one, await settled(session), `before round ${round}`);
  await change(session, round + 1);
  one.files = await treeOf(session);

  let operation = pick(random, OPERATIONS);
  const fault = pick(random, faults());
  // A snapshot that the workspace would wake from cannot be deleted.
  let spare = [...one.snapshots.keys()].filter((id) => !one.heads.has(id));
  // If the bucket loses what others need, these are lost, too.
  if (operation === "sweep") {
    const others = await needed(one);
    spare = spare.filter((id) => !others.has(id));
  }
  const ended = [...one.snapshots.values()].filter(({ turn }) => turn !== undefined);
  if (operation === "back" && ended.length === 0) operation = "turn";
  const takesOne = operation === "delete" || operation === "sweep";
  if (takesOne && spare.length === 0) operation = "snapshot";
  const targets = operation === "back" ? ended.map(({ id }) => id) : takesOne && spare.length > 0 ? spare : [...one.snapshots.keys()];
  const target = pick(random, targets);
  const context = `round ${round}, ${fault} during ${operation} of ${session.id}`;
  await prepareFor(operation, one);
  if (operation === "resume") one.head = one.files;
  if (operation === "wake") one.files = one.head;
  const { files: targetFiles, turn } = one.snapshots.get(target)!;
  return { operation, fault, target, targetFiles, turn, count: 2 + Math.floor(2 * random()), moment: random(), context };
}

/** Begins the operation, inflicts the fault at some moment of it, and checks the result. */
async function strike(one: Expected, struck: Strike, round: number): Promise<string> {
  const { session } = one;
  const { operation, fault, target, targetFiles, turn, moment, context } = struck;
  let answer: unknown;
  const beganAt = Date.now();
  let endedAt = beganAt;
  const call = begun(one, operation, struck, round).then(
    (value) => {
      [answer, endedAt] = [value, Date.now()];
      return "answered";
    },
    // The caller sees a crash as a broken connection. Any answer must still have the documented shape.
    (thrown: unknown) => (thrown instanceof HttpError ? envelopeOf(thrown).code : "cut off"),
  );
  await Promise.race([call, sleep(moment * typicalMs[operation])]);
  await inflict(world, fault);
  const said = await call;
  if (said === "answered") typicalMs[operation] = (typicalMs[operation] + Math.min(endedAt - beganAt, 5_000)) / 2;

  const lost = takesContainers(fault);
  const goesBack = GOES_BACK.includes(operation);
  if (operation === "sweep") one.lost.add(target);
  if (BY_ALARM.includes(operation)) {
    // A call that was cut off may have had no effect: a client repeats it.
    if (said !== "answered") await begun(one, operation, struck, round);
    await byAlarm(one, struck);
  }
  const view = await settled(session);
  if (operation === "pause" && said === "answered") assert.equal(view.active.status, "paused", context);
  await usable(session, { alone: true });
  const held = await treeOf(session);
  const allowed = new Set([one.files, ...(lost ? [one.head] : []), ...(goesBack ? [targetFiles] : [])]);
  assert.ok(allowed.has(held), `${context} (${said}): the files are none that were there before`);
  if (goesBack && said === "answered") assert.equal(held, targetFiles, context);
  if (operation === "back" && said === "answered") assert.deepEqual((answer as Rewound).turn, turn, `${context}: the turn's place in the conversation`);
  if (operation === "fork") await assertForks(one, view, allowed, answer as LiveForks | undefined, context);

  const fresh = view.snapshots.filter(({ id }) => !one.snapshots.has(id));
  if (operation === "turn") assertTurn(one, view, (answer as SnapshotView | undefined)?.snapshot.turn, round, context);
  if (NAMES.includes(operation) && said === "answered") assert.ok(view.snapshots.some(({ name }) => name === `r${round}`), `${context}: what was answered is there`);
  if (operation === "delete" && said === "answered") assert.ok(view.snapshots.every(({ id }) => id !== target), `${context}: what was deleted is gone`);
  await note(one, view, context, {
    // A new snapshot has the files of the container before the loss, or of the one that woke after it.
    filesOf: async (id) => (lost && held !== one.files && !goesBack ? assertOneOf([one.files, held], await filesOf(session, id), context) : one.files),
    mayGo: mayGo(one, struck),
    // A failed rewind deletes its safety snapshot. Until then, the session had one more than the policy's count.
    ...(REWINDS.includes(operation) && { keepSafety: KEEP_LAST - 1 }),
  });

  if (lost || (goesBack && held === targetFiles)) one.head = held;
  else if (fresh.some(({ trigger }) => trigger !== "safety")) one.head = one.files;
  // A rewind that has replaced the machine's container and then failed: the workspace wakes from the safety snapshot.
  else if (persistsMachine(session) && fresh.some(({ id }) => id === view.active.headSnapshotId)) one.head = one.files;
  one.files = held;
  return said;
}

/** Snapshots that the operation itself removes, besides those that the policy deletes. */
function mayGo({ snapshots, heads }: Expected, { operation, target }: Strike): (known: Known) => boolean {
  if (operation === "delete" || operation === "sweep") return ({ id }) => id === target;
  // The operator's rule keeps the latest of each kind.
  const latest = new Map([...snapshots.values()].map(({ id, trigger }) => [trigger, id]));
  return ({ id, trigger }) => operation === "prune" && latest.get(trigger) !== id && !heads.has(id);
}

function assertOneOf(allowed: string[], files: string, context: string): string {
  assert.ok(allowed.includes(files), `${context}: a snapshot was taken of other files than there were`);
  return files;
}

/** The alarm's work gets done, even after workerd was killed. A lost container is not saved. */
async function byAlarm(one: Expected, { operation, fault, target, context }: Strike): Promise<void> {
  const { session } = one;
  if (operation === "sweep") {
    await until(`${context}: what the bucket lost is listed no more`, async () => (await settled(session)).snapshots.every(({ id }) => id !== target), SETTLED_WITHIN_MS);
    return;
  }
  if (!takesContainers(fault)) {
    await until(`${context}: done`, async () => {
      const active = (await session.workspaces()).workspaces.find(({ active }) => active)!;
      const head = one.snapshots.get(active.headSnapshotId!);
      const saved = head === undefined || head.files === one.files;
      return saved && (operation !== "sleep" || active.status === "stopped");
    }, SETTLED_WITHIN_MS);
  }
  await session.open(atRest(session));
}

/** A turn that was answered is carried by its snapshot, with its cursor. One that was cut off may be. No other is new. */
function assertTurn({ snapshots }: Expected, view: View, answered: Turn | undefined, round: number, context: string): void {
  const fresh = view.snapshots.flatMap(({ id, turn }) => (turn && turn.number !== snapshots.get(id)?.turn?.number ? [turn] : []));
  assert.ok(fresh.length <= 1 && fresh.length >= (answered ? 1 : 0), `${context}: new turns are ${JSON.stringify(fresh)}`);
  for (const turn of fresh) assert.deepEqual(turn, answered ?? { number: turn.number, cursor: cursorOf(round) }, context);
}

/** Each workspace from a live fork has files that the origin had, and every fork in the answer exists. */
async function assertForks(one: Expected, { workspaces }: View, allowed: Set<string>, answer: LiveForks | undefined, context: string): Promise<void> {
  const made = workspaces.filter(({ active }) => !active).map(({ ref }) => ref);
  for (const fork of answer?.workspaces ?? []) {
    if ("ref" in fork) assert.ok(made.some(({ ref }) => ref.id === fork.ref.ref.id), `${context}: a fork that was answered is there`);
  }
  for (const ref of made) assert.ok(allowed.has(await filesIn(one.session, ref)), `${context}: a fork has other files`);
}

/** The active workspace has its previous files or, if its container was lost, those of its last save. */
async function check(one: Expected, context: string, lost: boolean): Promise<void> {
  const { session } = one;
  const view = await settled(session);
  await note(one, view, context);
  assert.equal(one.snapshots.get(view.active.headSnapshotId!)?.files, one.head, `${context}: ${session.id} would wake with what it was last saved with`);
  await usable(session);
  if (lost) one.files = one.head;
  assert.equal(await treeOf(session), one.files, `${context}: ${session.id} has other files than it had`);
}

async function assertBack(one: Expected, id: string, context: string): Promise<void> {
  assert.equal(await filesOf(one.session, id), one.snapshots.get(id)!.files, `${context}: snapshot ${id} gives back what it was taken of`);
}
