/** Lists that come in pages, each when it is asked for. */

import { useEffect, useReducer, useState } from "preact/hooks";
import { Problem, Waiting } from "../parts/loading.tsx";

export interface Paged<Item> {
  items: Item[];
  /** Asks for the next page, if there is one. */
  more: (() => void) | undefined;
  loading: boolean;
  error: unknown;
  again: () => void;
}

type Page<Item, Cursor> = { items: Item[]; next: Cursor | undefined };

/** Loads the first page, and again when `inputs` change. */
export function usePaged<Item, Cursor>(load: (from: Cursor | undefined, signal: AbortSignal) => Promise<Page<Item, Cursor>>, inputs: unknown[]): Paged<Item> {
  const [{ items, next }, setPage] = useState<Page<Item, Cursor>>({ items: [], next: undefined });
  const [asked, ask] = useState<Cursor>();
  const [{ loading, error }, setState] = useState<{ loading: boolean; error?: unknown }>({ loading: true });
  const [round, again] = useReducer((count: number) => count + 1, 0);
  const get = (from: Cursor | undefined) => {
    const ended = new AbortController();
    setState({ loading: true });
    load(from, ended.signal).then(
      (page) => {
        if (ended.signal.aborted) return;
        setPage((before) => ({ items: from === undefined ? page.items : [...before.items, ...page.items], next: page.next }));
        setState({ loading: false });
      },
      (reason: unknown) => ended.signal.aborted || setState({ loading: false, error: reason }),
    );
    return () => ended.abort();
  };
  useEffect(() => {
    ask(undefined);
    return get(undefined);
  }, [...inputs, round]);
  useEffect(() => (asked === undefined ? undefined : get(asked)), [asked]);
  return { items, more: next === undefined ? undefined : () => ask(next), loading, error, again: () => again(undefined) };
}

/** What follows a list: the next page, or why it is not there. */
export function More({ of: { more, loading, error, again, items }, what }: { of: Paged<unknown>; what: string }) {
  if (error !== undefined) return <Problem error={error} again={again} />;
  if (loading) return <Waiting what={items.length > 0 ? "Loading more…" : "Loading…"} />;
  return more ? <button type="button" class="quiet" onClick={more}>More {what}</button> : null;
}
