/** Measures times. */

import { performance } from "node:perf_hooks";
import type { Parts } from "./report.ts";

/** QUICK=1 runs every part once on little data, to check that the benchmark works. Its figures mean nothing. */
const QUICK = process.env["QUICK"] === "1";

/** A size in the benchmark: the full one, or with QUICK the smallest one with which the part still runs. */
export const size = (full: number, quick: number): number => (QUICK ? quick : full);

/** How often product and floor are measured. */
export const ROUNDS = size(5, 1);

/** Times of one operation, in milliseconds. */
export class Times {
  readonly product: number[] = [];
  readonly floor: number[] = [];
  readonly parts: Parts = {};

  addParts(parts: Record<string, number>): void {
    for (const [part, ms] of Object.entries(parts)) (this.parts[part] ??= []).push(ms);
  }
}

/** Alternates which side goes first, because the first may find a colder machine. */
export async function inTurns(round: number, product: () => Promise<unknown>, floor: () => Promise<unknown>): Promise<void> {
  for (const run of round % 2 === 0 ? [product, floor] : [floor, product]) await run();
}

export const atOnce = <T>(count: number, call: (n: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, n) => call(n)));

/** Duration of a call in milliseconds. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await call();
  return performance.now() - began;
}
