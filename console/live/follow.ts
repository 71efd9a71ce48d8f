/** Events as they happen: those of the session, which are asked for every few seconds, and changes of files, which are streamed. */

import { useEffect, useReducer, useState } from "preact/hooks";
import type { EventView, Session, WatchEvent } from "snapshotter-client";

const ASK_EVERY_MS = 3_000;
/** What stays on the page. */
const EVENTS_MAX = 500;

export interface Followed<Event> {
  /** Newest first. */
  events: Event[];
  /** Why no more come. */
  error: unknown;
  again: () => void;
}

/** Also `fresh`: those that came since the first answer. */
export function useEvents(api: Session): Followed<EventView> & { fresh: number } {
  const [events, setEvents] = useState<EventView[]>([]);
  const [fresh, setFresh] = useState(0);
  const [error, setError] = useState<unknown>();
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let newest = 0;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      try {
        if (!document.hidden) {
          const next = await eventsAfter(api, newest, signal);
          if (newest > 0) setFresh((before) => before + next.length);
          newest = next[0]?.seq ?? newest;
          if (next.length > 0) setEvents((before) => [...next, ...before].slice(0, EVENTS_MAX));
        }
        if (!signal.aborted) timer = setTimeout(ask, ASK_EVERY_MS);
      } catch (reason) {
        if (!signal.aborted) setError(reason);
      }
    };
    setError(undefined);
    setEvents([]);
    setFresh(0);
    void ask();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [api, round]);
  return { events, fresh, error, again: () => again(undefined) };
}

/** The events with higher numbers, newest first; of the first call, one page. */
async function eventsAfter(api: Session, newest: number, signal: AbortSignal): Promise<EventView[]> {
  const found: EventView[] = [];
  for await (const page of api.events({ signal }).pages()) {
    const unknown = page.events.filter(({ seq }) => seq > newest);
    found.push(...unknown);
    if (newest === 0 || unknown.length < page.events.length || found.length >= EVENTS_MAX) break;
  }
  return found;
}

/** What a watch tells after its first event and before its last. */
export type Change = WatchEvent & { type: "created" | "modified" | "deleted" | "renamed" | "overflow" };

/** Changes of files, while `on`. */
export function useWatch(api: Session, on: boolean): Followed<Change> & { directories: number | undefined } {
  const [events, setEvents] = useState<Change[]>([]);
  const [directories, setDirectories] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    setDirectories(undefined);
    setError(undefined);
    if (!on) return;
    const ended = new AbortController();
    const watch = async () => {
      for await (const event of api.watch({ exclude: [".git", "node_modules"], signal: ended.signal })) {
        if (event.type === "watching") setDirectories(event.directories);
        else if (event.type !== "ended") setEvents((before) => [event as Change, ...before].slice(0, EVENTS_MAX));
      }
      throw new Error("The watch has ended: it lasts an hour.");
    };
    watch().catch(async (reason: unknown) => {
      if (ended.signal.aborted) return;
      // A stream that is cut does not say why. If the token is no longer valid, this call signs out.
      await api.tools({ signal: ended.signal }).catch(() => {});
      setError(reason);
    });
    return () => ended.abort();
  }, [api, on, round]);
  return { events, error, directories, again: () => again(undefined) };
}
