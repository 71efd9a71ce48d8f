/** A tour: numbered steps with their times and output, and claims that must hold. */

import { isDeepStrictEqual, styleText } from "node:util";

const WIDTH = 78;

/** A false claim. */
export class ClaimError extends Error {}

/** Checks that a value is the one that the tour claims. */
export function expect<T>(claim: string, actual: T, wanted: T): void {
  if (isDeepStrictEqual(actual, wanted)) return;
  throw new ClaimError(`${claim}\n  expected: ${JSON.stringify(wanted)}\n  got:      ${JSON.stringify(actual)}`);
}

/** Checks that a text matches the tour's claim. */
export function expectMatch(claim: string, actual: string, wanted: RegExp): void {
  if (wanted.test(actual)) return;
  throw new ClaimError(`${claim}\n  expected: ${wanted}\n  got:      ${JSON.stringify(actual)}`);
}

/** Adds a line to a step's output. */
export type Say = (line: string) => void;

export class Tour {
  #number = 0;

  /** Runs a step, then prints it with its time and its output. */
  async step<T>(title: string, run: (say: Say) => Promise<T>): Promise<T> {
    const head = `${String(++this.#number).padStart(2)}  ${title}`;
    if (process.stdout.isTTY) process.stdout.write(`${head} …`);
    const lines: string[] = [];
    const began = performance.now();
    let time = "failed";
    try {
      const result = await run((line) => lines.push(line));
      time = seconds(performance.now() - began);
      return result;
    } finally {
      const dots = ".".repeat(Math.max(3, WIDTH - head.length - time.length - 2));
      console.log(`${process.stdout.isTTY ? "\r" : ""}${styleText("bold", head)} ${styleText("dim", dots)} ${time}`);
      for (const line of lines) console.log(`    ${line}`);
    }
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

export const size = (bytes: number | null): string =>
  bytes === null ? "?" : bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

export const count = (n: number, thing: string): string => `${n.toLocaleString("en-US")} ${thing}${n === 1 ? "" : "s"}`;
