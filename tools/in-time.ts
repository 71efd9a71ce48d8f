/** Time limits for calls that may hang. */

import { setTimeout as sleep } from "node:timers/promises";

/**
 * Settles like `part`, or rejects with `problem` after `withinMs` ms. After that, `part` continues, but nothing waits
 * for it.
 */
export async function inTime<T>(part: Promise<T>, withinMs: number, problem: () => string): Promise<T> {
  const done = new AbortController();
  const tooLate = sleep(withinMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`${problem()} within ${withinMs / 1_000} s`);
  });
  tooLate.catch(() => {});
  return Promise.race([part, tooLate]).finally(() => done.abort());
}
