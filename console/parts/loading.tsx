/** Loads what a view shows. Meanwhile says so, and shows the error if loading fails. */

import type { ComponentChildren } from "preact";
import { useEffect, useReducer, useState } from "preact/hooks";
import { SnapshotterError, say } from "snapshotter-client";
import { Text } from "./text.tsx";

export interface Load<T> {
  value: T | undefined;
  error: unknown;
  /** True also while the value is loaded again. */
  loading: boolean;
  again: () => void;
}

/** Calls `load` when `inputs` change. Keeps the previous value until then. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Load<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown; loading: boolean }>({ loading: true });
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ended = new AbortController();
    setState(({ value }) => ({ ...(value !== undefined && { value }), loading: true }));
    load(ended.signal).then(
      (value) => ended.signal.aborted || setState({ value, loading: false }),
      (error: unknown) => ended.signal.aborted || setState({ error, loading: false }),
    );
    return () => ended.abort();
  }, [...inputs, round]);
  return { value: state.value, error: state.error, loading: state.loading, again: () => again(undefined) };
}

/** Shows the loaded value, the error, or that the value is still loading. */
export function Loaded<T>({ of, children }: { of: Load<T>; children: (value: T) => ComponentChildren }) {
  if (of.error !== undefined) return <Problem error={of.error} again={of.again} />;
  if (of.value === undefined) return <Waiting />;
  return <>{children(of.value)}</>;
}

export const Waiting = ({ what = "Loading…" }: { what?: string }) => <p class="waiting" role="status">{what}</p>;

/** An error, with a hint about what to do. */
export function Problem({ error, again }: { error: unknown; again?: () => void }) {
  const { message, hint, code } = partsOf(error);
  return (
    <div class="problem" role="alert">
      <p><Text>{message}</Text></p>
      {hint && <p class="hint"><Text>{hint}</Text></p>}
      <p class="foot">{code && <code>{code}</code>} {again && <button type="button" onClick={again}>Try again</button>}</p>
    </div>
  );
}

/** The name of an operation in plain words: `workspace_read_file` is “read file”. */
const plain = (operation: string) => `“${operation.replace(/^workspace_/, "").replaceAll("_", " ").replaceAll(/[A-Z]/g, " $&").toLowerCase()}”`;

export function partsOf(error: unknown): { message: string; hint?: string; code?: string } {
  if (error instanceof SnapshotterError) {
    const hint = error.next ? say(error.next, plain) : error.hint;
    return { message: error.message.replace(`${error.code}: `, ""), hint, code: error.code };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
