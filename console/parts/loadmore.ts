import { useEffect, useRef, useState } from "preact/hooks";

export interface LongList<T> {
  items: T[] | undefined;
  error: unknown;
  loading: boolean;
  /** Whether there may be more. */
  more: boolean;
  next: () => void;
}

/** A long list, loaded in steps. Begins anew when `inputs` change, with as many items as were shown before. */
export function useLongList<T>(begin: (signal: AbortSignal) => AsyncGenerator<T, void>, inputs: unknown[], atOnce = 40): LongList<T> {
  const [state, setState] = useState<Omit<LongList<T>, "next">>({ items: undefined, error: undefined, loading: true, more: true });
  const reading = useRef<{ source: AsyncGenerator<T, void>; items: T[]; ended: AbortSignal }>(undefined);

  async function read(count: number): Promise<void> {
    const { source, items, ended } = reading.current!;
    setState((shown) => ({ ...shown, loading: true, error: undefined }));
    try {
      let more = true;
      for (const end = items.length + count; more && items.length < end; ) {
        const { done, value } = await source.next();
        if (done) more = false;
        else items.push(value);
      }
      if (!ended.aborted) setState({ items: [...items], error: undefined, loading: false, more });
    } catch (error) {
      if (!ended.aborted) setState((shown) => ({ ...shown, error, loading: false, more: false }));
    }
  }

  useEffect(() => {
    const ended = new AbortController();
    const shown = reading.current?.items.length ?? 0;
    reading.current = { source: begin(ended.signal), items: [], ended: ended.signal };
    void read(Math.max(shown, atOnce));
    return () => ended.abort();
  }, inputs);

  return { ...state, next: () => void read(atOnce) };
}
