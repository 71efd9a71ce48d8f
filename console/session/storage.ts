/** How many bytes a session stored over time, from its events: the API says only how many it stores now. */

import type { EventView } from "snapshotter-client";

export interface Stored {
  /** Oldest first. Each value holds until the next point. */
  points: { at: number; bytes: number }[];
  /** Whether the points go back to the session's beginning. */
  complete: boolean;
}

/** Walks back from the present. `events` are newest first. `complete` says whether these are all events of the session. */
export function storedOverTime(bytesNow: number, now: number, events: EventView[], complete: boolean): Stored {
  const sizes = new Map<string, number>();
  for (const { payload } of events) {
    const { backupId, sizeBytes } = payload as { backupId?: string; sizeBytes?: number };
    // The oldest event comes last: it has the original size.
    if (backupId !== undefined && sizeBytes !== undefined) sizes.set(backupId, sizeBytes);
  }
  const points = [{ at: now, bytes: bytesNow }];
  let bytes = bytesNow;
  for (const { kind, at, payload } of events) {
    const { backupId = "", sizeBytes } = payload as { backupId?: string; sizeBytes?: number };
    const size = sizes.get(backupId);
    let added: number | undefined;
    if (kind === "snapshot.created") added = sizeBytes;
    else if (kind === "snapshot.flattened") added = sizeBytes === undefined || size === undefined ? undefined : sizeBytes - size;
    else if (kind === "snapshot.pruned") added = -(sizeBytes ?? 0);
    else if (kind === "snapshot.deleted" || kind === "snapshot.lost") added = size === undefined ? undefined : -size;
    else if (kind !== "snapshot.rebuilt") continue;
    points.push({ at: Date.parse(at), bytes });
    if (added === undefined) return { points: points.reverse(), complete: false };
    bytes = Math.max(0, bytes - added);
  }
  const first = events.at(-1);
  if (first) points.push({ at: Date.parse(first.at), bytes });
  return { points: points.reverse(), complete };
}
