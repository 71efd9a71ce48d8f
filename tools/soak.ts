/**
 * `make soak MINUTES=… SESSIONS=…`: runs sessions in parallel against a Worker on this machine, or against the
 * deployment that URL and TOKEN name. Each session repeats snapshots, rewinds, restores, live forks, sleeps and large
 * archives. After each of these, it compares its files with those that it wrote. At the end, prints latencies, errors
 * and losses. Fails on any loss or error.
 *
 * QUICK=1 moves little data. A session always runs at least one whole cycle, even if that takes longer than MINUTES.
 */

import { randomBytes } from "node:crypto";
import { deploymentFromEnv } from "./client.ts";
import type { LocalWorker } from "./local-worker.ts";
import { Signals } from "./signals.ts";
import { MIB, Report, soakSession } from "./soak/session.ts";

const SESSIONS_MAX = 50;
const MINUTES_MAX = 24 * 60;
const QUICK = process.env["QUICK"] === "1";
const ARCHIVE_BYTES = QUICK ? MIB : 64 * MIB;
const SLEEP_AFTER_SECONDS = QUICK ? 5 : 15;

function numberFrom(name: string, otherwise: number, max: number): number {
  const value = Number(process.env[name] || otherwise);
  if (!(value > 0 && value <= max)) throw new Error(`${name} is ${process.env[name]}; it is a number up to ${max}`);
  return value;
}

/** Returns the exit status. */
async function main(): Promise<number> {
  const signals = new Signals();
  const minutes = numberFrom("MINUTES", 10, MINUTES_MAX);
  const sessions = Math.ceil(numberFrom("SESSIONS", 4, SESSIONS_MAX));
  const named = deploymentFromEnv();
  let worker: LocalWorker | undefined;
  try {
    const token = randomBytes(24).toString("hex");
    // This is imported only here, because a deployment needs no Worker and no engine on this machine.
    worker = named ? undefined : await (await import("./local-worker.ts")).startLocalWorker({ variant: "release", vars: { API_TOKEN: token }, name: "soak" });
    return await soak(named ?? { url: worker!.url, token }, minutes, sessions, signals);
  } finally {
    await worker?.stop();
  }
}

async function soak(deployment: { url: string; token: string }, minutes: number, sessions: number, signals: Signals): Promise<number> {
  const run = randomBytes(4).toString("hex");
  console.log(`soak: ${sessions} sessions, soak-${run}-*, for ${minutes} min at ${deployment.url}; Ctrl-C ends it early`);
  const report = new Report();
  const began = Date.now();
  const ends = began + minutes * 60_000;
  const goOn = () => Date.now() < ends && signals.status === 0;
  const progress = setInterval(() => console.log(`  ${Math.round((Date.now() - began) / 1000)} s: ${report.summary()}`), 30_000);
  const each = Array.from({ length: sessions }, (_, n) =>
    soakSession({ ...deployment, id: `soak-${run}-${n}`, archiveBytes: ARCHIVE_BYTES, sleepAfterSeconds: SLEEP_AFTER_SECONDS, report, goOn }),
  );
  await Promise.all(each);
  clearInterval(progress);
  console.log(report.table());
  console.log(report.failed ? "soak: failed" : "soak: ok");
  return report.failed ? 1 : signals.status;
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(`error: ${error.message}`);
    process.exit(1);
  },
);
