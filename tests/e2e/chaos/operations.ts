/** The operations that a chaos run strikes: calls, and the work of the session's alarm. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Turn, WorkspaceConfig } from "../../../entry/snapshotter.d.ts";
import type { Session } from "../support.ts";
import { KEEP_AUTOSAVES, KEEP_LAST, persistsMachine, type Expected } from "./expected.ts";

/**
 * `layer`: an incremental snapshot. `turn`: the end of a turn. `back`: a rewind to the end of a turn. `wake`: a
 * workspace whose container was ended wakes. `autosave`: the alarm saves a workspace in use, and applies retention.
 * `sleep`: the alarm saves and stops an idle workspace. `sweep`: the alarm finds that the bucket lost an archive.
 * `prune`: the operator prunes all but the latest.
 */
export type Operation =
  | "snapshot" | "layer" | "turn" | "restore" | "branch" | "rewind" | "back" | "fork" | "pause" | "resume" | "wake" | "autosave" | "sleep"
  | "sweep" | "delete" | "prune";

/** The operations, each repeated by its weight. */
export const OPERATIONS: Operation[] = [
  "snapshot", "layer", "layer", "turn", "turn", "restore", "branch", "rewind", "rewind", "back", "back", "fork", "pause",
  "resume", "wake", "autosave", "autosave", "sleep", "sleep", "sweep", "delete", "prune",
];
/** Operations that give the active workspace a snapshot's files. */
export const GOES_BACK: Operation[] = ["restore", "branch", "rewind", "back"];
/** Operations that rewind the active workspace. */
export const REWINDS: Operation[] = ["rewind", "back"];
/** Operations that take a snapshot with a name. */
export const NAMES: Operation[] = ["snapshot", "layer"];
/** Operations of the alarm, after a call that schedules it. */
export const BY_ALARM: Operation[] = ["autosave", "sleep", "sweep"];

/** Typical duration of each. Calls: updated from the first answered one on. The alarm's work: from its settings. */
export const typicalMs: Record<Operation, number> = {
  snapshot: 1_500, layer: 1_000, turn: 1_000, restore: 2_000, branch: 2_000, rewind: 2_500, back: 2_500, fork: 3_000,
  pause: 1_500, resume: 1_500, wake: 1_500, autosave: 2_000, sleep: 3_000, sweep: 1_500, delete: 60, prune: 100,
};

/** How often the alarm checks that the bucket has the listed snapshots: TEST_SWEEP_EVERY_MS of a test build. */
export const SWEEP_EVERY_MS = 1_000;
const SOON_MS = 1_000;
const NEVER_MS = 6 * 3_600_000;

/** Settings without automatic snapshots: all changes come from the rounds. */
export const atRest = (session: Session): WorkspaceConfig => ({
  ...(persistsMachine(session) && { persist: "machine" }),
  sleepAfter: NEVER_MS / 1_000,
  autosave: { everyMs: NEVER_MS },
  retention: { keepLast: KEEP_LAST, keepAutosaves: KEEP_AUTOSAVES },
  limits: { maxRunning: 12, maxWorkspaces: 20 },
});

/** Prepares the session for an operation. No fault comes here. */
export async function prepareFor(operation: Operation, { session }: Expected): Promise<void> {
  const { ref } = await session.active();
  if (operation === "resume") await session.http("POST", `/workspaces/${ref.id}/pause`);
  if (operation === "wake") await session.http("DELETE", `/workspaces/${ref.id}/container`);
}

/** The place in the conversation at the end of a round. */
export const cursorOf = (round: number) => ({ round });

/** What an operation is about: a snapshot, a turn that ended with it, and a number of workspaces. */
export interface Aim {
  target: string;
  turn?: Turn | undefined;
  count: number;
}

/** Begins an operation. */
export async function begun({ session }: Expected, operation: Operation, { target, turn, count }: Aim, round: number): Promise<unknown> {
  switch (operation) {
    case "snapshot": return session.tool("workspace_snapshot", { name: `r${round}` });
    case "layer": return session.snapshot({ name: `r${round}`, incremental: true });
    case "turn": return session.http("POST", "/turns", { cursor: cursorOf(round) });
    // A turn is found by its number and by its cursor.
    case "back": return session.http("POST", "/rewind", { ref: round % 2 === 0 ? { turn: turn!.number } : { cursor: turn!.cursor } });
    case "restore": return session.tool("workspace_restore", { ref: target });
    case "branch": return session.tool("workspace_branch", { ref: target });
    case "rewind": return session.tool("workspace_rewind", { ref: target });
    case "fork": return session.http("POST", "/forks", { count });
    case "pause": return session.http("POST", `/workspaces/${(await session.active()).ref.id}/pause`);
    case "resume": return session.http("POST", `/workspaces/${(await session.active()).ref.id}/resume`);
    case "wake": return session.tool("workspace_ls");
    case "autosave": return due(session, operation, { ...atRest(session), autosave: { everyMs: SOON_MS } });
    case "sleep": return due(session, operation, { ...atRest(session), sleepAfter: SOON_MS / 1_000 });
    case "sweep": return lose(session, target);
    case "delete": return session.delete(target);
    case "prune": return prune(session);
  }
}

/**
 * Schedules the alarm for soon. We cannot see the alarm work, so the fault comes at some moment of its typical
 * duration.
 */
async function due(session: Session, operation: Operation, config: WorkspaceConfig): Promise<void> {
  await session.open(config);
  await sleep(typicalMs[operation]);
}

/** Deletes the archive of a snapshot's files from the bucket, as a lifecycle rule or a person would. */
async function lose(session: Session, id: string): Promise<void> {
  const archives = (await session.world.r2Keys()).filter((key) => archivesOfFiles(id).includes(key));
  await (await session.world.r2()).delete(archives);
  await sleep(typicalMs.sweep);
}

/** Where the archive of a snapshot's files may be, of a full one and of a layer. */
export const archivesOfFiles = (id: string) => [`backups/${id}/data.sqsh`, `backups/${id}/layer.sqsh`];

/** Prunes a session as an operator does: keeps only the newest snapshot and those that its workspaces need. */
async function prune(session: Session): Promise<void> {
  const rule = { olderThanSeconds: 0, keepLast: 1, session: session.id };
  await session.world.operator("POST", "/v1/prune", { rule });
}
