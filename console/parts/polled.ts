import { useEffect, useReducer, useState } from "preact/hooks";

const ASK_EVERY_MS = 3_000;

export interface Polled {
  /** The error that ended the polling. */
  error: unknown;
  again: () => void;
}

/** Asks every few seconds while the page is looked at. `begin` makes the question, for each beginning a new one. */
export function usePolled(begin: () => (signal: AbortSignal) => Promise<void>, inputs: unknown[]): Polled {
  const [error, setError] = useState<unknown>();
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const ask = begin();
    let timer: ReturnType<typeof setTimeout>;
    const poll = async () => {
      try {
        if (!document.hidden) await ask(signal);
        if (!signal.aborted) timer = setTimeout(poll, ASK_EVERY_MS);
      } catch (reason) {
        if (!signal.aborted) setError(reason);
      }
    };
    setError(undefined);
    void poll();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [...inputs, round]);
  return { error, again: () => again(undefined) };
}
