/** The expected state of a session in a chaos run, from its answers and from observation. */

import assert from "node:assert/strict";
import type { ListedSnapshot, SnapshotSummary, Turn, WorkspaceRef, WorkspaceSummary } from "../../../entry/snapshotter.d.ts";
import { envelopeOf, HttpError, until, type Session } from "../support.ts";

export const SETTLED_WITHIN_MS = 120_000;
/**
 * The policy's counts: how many of the latest manual snapshots to keep, and of each workspace's autosaves that no wake
 * needs.
 */
export const KEEP_LAST = 3;
export const KEEP_AUTOSAVES = 1;

export interface Expected {
  session: Session;
  /** Tree of the active workspace: manifest, and mark of the machine if the session persists that. */
  files: string;
  /** Tree that its container would wake with. */
  head: string;
  /** Ready snapshots by id, oldest first. */
  snapshots: Map<string, Known>;
  /** Snapshots that a workspace would wake from. */
  heads: Set<string>;
  /** Snapshots whose files the bucket lost. What is left of them stays for a week, in case somebody puts the files back. */
  lost: Set<string>;
}

export interface Known {
  id: string;
  trigger: SnapshotSummary["trigger"];
  /** The sandbox that the snapshot was taken of. */
  origin: string | null | undefined;
  /** Tree that it was taken of. */
  files: string;
  /** The last turn that ended with it. */
  turn?: Turn | undefined;
}

/** The visible state of a session. */
export interface View {
  /** Ready snapshots, newest first. */
  snapshots: ListedSnapshot[];
  workspaces: WorkspaceSummary[];
  active: WorkspaceSummary;
  heads: Set<string>;
}

/**
 * Waits until every snapshot and workspace is in a final state, and the alarm has deleted the snapshots that the policy
 * does not keep.
 */
export async function settled(session: Session): Promise<View> {
  return until(`${session.id} settles, and keeps no more than its policy says`, async (saw) => {
    const unready = (await session.list({ limit: 100, includeUnready: true, includeExpired: true, includeAuto: true })).snapshots;
    const { workspaces } = await session.workspaces();
    saw([unready.map(({ id, state }) => [id, state]), workspaces.map(({ ref, state, status }) => [ref.ref.id, state, status])]);
    const between = unready.some(({ state }) => state === "pending" || state === "deleting") || workspaces.some(({ state }) => state !== "ready");
    if (between) return false;
    const snapshots = (await session.list({ limit: 100, includeAuto: true })).snapshots;
    saw(snapshots.map(({ id }) => id));
    const heads = new Set(workspaces.flatMap(({ headSnapshotId }) => headSnapshotId ?? []));
    const kept = keptBy(snapshots.map(shown), heads);
    const active = workspaces.find(({ active }) => active);
    assert.ok(active, "the active workspace is one of them");
    return snapshots.every(({ id }) => kept.has(id)) && { snapshots, workspaces, active, heads };
  }, SETTLED_WITHIN_MS);
}

const shown = ({ id, trigger, ref, turn }: ListedSnapshot) => ({ id, trigger, origin: ref.ref.originSandboxId, turn });

/**
 * The snapshots that the policy keeps, given newest first: the latest one, the heads, and the latest of each kind up to
 * its count.
 */
export function keptBy(snapshots: Pick<Known, "id" | "trigger" | "origin">[], heads: Set<string>, keepSafety = KEEP_LAST): Set<string> {
  const autos = snapshots.filter(({ id, trigger }) => trigger === "auto" && !heads.has(id));
  const asked = snapshots.filter(({ trigger }) => trigger === "manual");
  const safety = snapshots.filter(({ trigger }) => trigger === "safety");
  // No run has more turns than the policy keeps.
  const turns = snapshots.filter(({ trigger }) => trigger === "turn");
  const kept = [
    ...snapshots.slice(0, 1), ...turns, ...asked.slice(0, KEEP_LAST), ...safety.slice(0, keepSafety),
    ...[...Map.groupBy(autos, ({ origin }) => origin).values()].flatMap((own) => own.slice(0, KEEP_AUTOSAVES)),
  ];
  return new Set([...kept.map(({ id }) => id), ...snapshots.map(({ id }) => id).filter((id) => heads.has(id))]);
}

/**
 * Records the listed snapshots. `filesOf` returns the expected files of a new one. A missing snapshot was removed by
 * the operation (`mayGo`), or by the policy at any time since the last call.
 */
export async function note(
  one: Expected, view: View, context: string,
  { filesOf, mayGo, keepSafety }: { filesOf?: (id: string) => Promise<string>; mayGo?: (known: Known) => boolean; keepSafety?: number } = {},
): Promise<void> {
  const fresh = view.snapshots.filter(({ id }) => !one.snapshots.has(id)).reverse();
  for (const snapshot of fresh) {
    const { id, trigger } = snapshot;
    assert.ok(filesOf, `${context}: nothing took snapshot ${id} (${trigger})`);
    one.snapshots.set(id, { ...shown(snapshot), files: await filesOf(id) });
  }
  const listed = new Map(view.snapshots.map((snapshot) => [snapshot.id, snapshot]));
  // An autosave that gets a name is no autosave any more.
  for (const known of one.snapshots.values()) {
    const now = listed.get(known.id);
    if (now === undefined) continue;
    known.trigger = now.trigger;
    assert.ok((now.turn?.number ?? 0) >= (known.turn?.number ?? 0), `${context}: snapshot ${known.id} has lost turn ${known.turn?.number}`);
    known.turn = now.turn;
  }
  const alwaysHeads = new Set([...one.heads].filter((id) => view.heads.has(id)));
  const stay = keptBy([...one.snapshots.values()].reverse(), alwaysHeads, keepSafety);
  for (const known of one.snapshots.values()) {
    if (listed.has(known.id)) continue;
    assert.ok(mayGo?.(known) || !stay.has(known.id), `${context}: snapshot ${known.id} (${known.trigger}) is lost`);
    one.snapshots.delete(known.id);
  }
  one.heads = view.heads;
}

/**
 * Resumes the active workspace if it is paused, and waits until calls on it succeed. `alone` means that no other
 * session is busy, so that this may kill workerd.
 */
export async function usable(session: Session, { alone = false } = {}): Promise<void> {
  const { workspaces } = await session.workspaces();
  const paused = workspaces.find(({ active, status }) => active && status === "paused");
  const use = () => (paused ? session.http("POST", `/workspaces/${paused.ref.ref.id}/resume`) : session.tool("workspace_ls"));
  const again = async (thrown: unknown) => retryLater(thrown) || (alone && endGhost(session));
  await until(`${session.id} answers again`, async () => use().then(() => true, again), SETTLED_WITHIN_MS);
}

/**
 * If a container is removed just as it begins a command, workerd may believe for minutes that it runs. Meanwhile calls
 * on it fail. A new workerd sees that it is gone.
 */
async function endGhost(session: Session): Promise<false> {
  const active = (await session.workspaces()).workspaces.find(({ active }) => active)!;
  const { world } = session;
  if (active.status === "running" && !(await world.hasContainer(active.ref))) await world.worker.killWorkerd();
  return false;
}

/** Accepts errors that may pass by themselves. Any other error is a failure. */
function retryLater(thrown: unknown): false {
  if (!(thrown instanceof HttpError)) return false;
  const { code, retryable, message } = envelopeOf(thrown);
  assert.ok(retryable, `${code}: ${message}`);
  return false;
}

/** Whether the snapshots of a session hold the machine, too. */
export const persistsMachine = ({ id }: Session) => id === "chaos-a";

/**
 * The active workspace's files and, if the session persists the machine, the marks outside the workspace. A copy of one
 * of these is in the workspace: both are of one time.
 */
export async function treeOf(session: Session): Promise<string> {
  const files = await session.manifest();
  if (!persistsMachine(session)) return files;
  const marks = await session.run("cat machine /etc/chaos && sha256sum /root/chaos");
  const [inside, outside, other] = marks.stdout.split("\n");
  assert.ok(marks.exitCode === 0 && inside === outside, `files and machine are of different times: ${JSON.stringify(marks)}`);
  return `${files}machine ${outside} ${other}\n`;
}

/** The files in a snapshot. Afterwards the session is back in its previous workspace. */
export async function filesOf(session: Session, id: string): Promise<string> {
  const fork = await session.restore(id);
  const files = await filesIn(session, fork);
  await session.destroyWorkspace(fork);
  return files;
}

/** The files of a workspace that is not the active one. */
export async function filesIn(session: Session, ref: WorkspaceRef): Promise<string> {
  const back = await session.active();
  await session.switch(ref);
  const files = await treeOf(session);
  await session.switch(back);
  return files;
}
