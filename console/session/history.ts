/** A session's history, newest first: snapshots, turns and events. The API lists each of these separately. */

import type { EventView, ListedSnapshot, Session, TurnView } from "snapshotter-client";

export type Entry = { at: string; key: string } & (
  | { type: "snapshot"; snapshot: ListedSnapshot }
  | { type: "turn"; turn: TurnView }
  | { type: "event"; event: EventView }
);

/** Kinds of events that the other two lists do not show anyway. */
const SHOWN = /^(workspace\.(?!claimed)|container\.|session\.(opened|closed|crossed)|snapshot\.(deleted|pruned|failed|lost))/;

/** Reads each list as far as needed. Adds every snapshot on the way to `known`, by its id. */
export function historyOf(api: Session, known: Map<string, ListedSnapshot>, signal: AbortSignal): AsyncGenerator<Entry, void> {
  async function* snapshots(): AsyncGenerator<Entry> {
    for await (const snapshot of api.list({ includeAuto: true, includeExpired: true, includeUnready: true, signal })) {
      known.set(snapshot.id, snapshot);
      // The turn itself stands for this snapshot.
      if (snapshot.trigger === "turn" && snapshot.turn) continue;
      yield { type: "snapshot", at: snapshot.createdAt, key: snapshot.id, snapshot };
    }
  }
  async function* turns(): AsyncGenerator<Entry> {
    for await (const turn of api.timeline({ signal })) yield { type: "turn", at: turn.at, key: `turn-${turn.number}`, turn };
  }
  async function* events(): AsyncGenerator<Entry> {
    for await (const event of api.events({ signal })) {
      if (SHOWN.test(event.kind)) yield { type: "event", at: event.at, key: `event-${event.seq}`, event };
    }
  }
  return newestFirst([snapshots(), turns(), events()]);
}

/** Merges lists that are sorted by time. */
export async function* newestFirst<T extends { at: string }>(lists: AsyncGenerator<T>[]): AsyncGenerator<T, void> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let newest = -1;
    for (const [at, head] of heads.entries()) {
      if (!head.done && (newest < 0 || Date.parse(head.value.at) > Date.parse((heads[newest] as IteratorYieldResult<T>).value.at))) newest = at;
    }
    if (newest < 0) return;
    yield (heads[newest] as IteratorYieldResult<T>).value;
    heads[newest] = await lists[newest]!.next();
  }
}
