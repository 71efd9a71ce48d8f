/** Live events: those of the session, which we poll every few seconds, and changes of files, which are streamed. */

import { useEffect, useReducer, useState } from "preact/hooks";
import type { EventView, Session, WatchEvent } from "snapshotter-client";
import { usePolled, type Polled } from "../parts/polled.ts";

/** How many events stay on the page. */
const EVENTS_MAX = 500;

export interface Followed<Event> extends Polled {
  /** Newest first. */
  events: Event[];
}

/** The session's events. `fresh` counts the events since the first answer. */
export function useEvents(api: Session): Followed<EventView> & { fresh: number } {
  const [events, setEvents] = useState<EventView[]>([]);
  const [fresh, setFresh] = useState(0);
  const polled = usePolled(() => {
    let newest = 0;
    setEvents([]);
    setFresh(0);
    return async (signal) => {
      const next = await eventsAfter(api, newest, signal);
      if (signal.aborted) return;
      if (newest > 0) setFresh((before) => before + next.length);
      newest = next[0]?.seq ?? newest;
      if (next.length > 0) setEvents((before) => [...next, ...before].slice(0, EVENTS_MAX));
    };
  }, [api]);
  return { events, fresh, ...polled };
}

/** The events with numbers above `newest`, newest first. The first call gets one page. */
async function eventsAfter(api: Session, newest: number, signal: AbortSignal): Promise<EventView[]> {
  const found: EventView[] = [];
  for await (const page of api.events({ signal }).pages()) {
    const unknown = page.events.filter(({ seq }) => seq > newest);
    found.push(...unknown);
    if (newest === 0 || unknown.length < page.events.length || found.length >= EVENTS_MAX) break;
  }
  return found;
}

/** An event of a watch between its first and last ones. */
export type Change = WatchEvent & { type: "created" | "modified" | "deleted" | "renamed" | "overflow" };

/** Changes of files while `on` is true. */
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
      // A stream that is cut does not say why. If the token is no longer valid, this call signs the user out.
      await api.tools({ signal: ended.signal }).catch(() => {});
      setError(reason);
    });
    return () => ended.abort();
  }, [api, on, round]);
  return { events, error, directories, again: () => again(undefined) };
}
