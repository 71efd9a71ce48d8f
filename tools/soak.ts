/**
 * `make soak URL=… TOKEN=… MINUTES=… SESSIONS=…`: runs sessions in parallel against a deployment, or against `make
 * dev`. Each repeats snapshots, rewinds, restores, live forks, sleeps and large archives. After each, it compares its
 * files with those it wrote. Ends with latencies, errors and losses; fails on any loss or error.
 */

import { randomBytes } from "node:crypto";
import { deploymentFromEnv } from "./client.ts";
import { Signals } from "./signals.ts";
import { MIB, Report, soakSession } from "./soak/session.ts";

const SESSIONS_MAX = 50;
const MINUTES_MAX = 24 * 60;

function numberFrom(name: string, otherwise: number, max: number): number {
  const value = Number(process.env[name] || otherwise);
  if (!(value > 0 && value <= max)) throw new Error(`${name} is ${process.env[name]}; it is a number up to ${max}`);
  return value;
}

/** Returns the exit status. */
async function main(): Promise<number> {
  const signals = new Signals();
  const deployment = deploymentFromEnv();
  if (!deployment) throw new Error("set URL and TOKEN to a deployment's; `make dev` prints those of one on this machine");
  const minutes = numberFrom("MINUTES", 10, MINUTES_MAX);
  const sessions = Math.ceil(numberFrom("SESSIONS", 4, SESSIONS_MAX));
  const run = randomBytes(4).toString("hex");
  console.log(`soak: ${sessions} sessions, soak-${run}-*, for ${minutes} min at ${deployment.url}; Ctrl-C ends it early`);
  const report = new Report();
  const began = Date.now();
  const ends = began + minutes * 60_000;
  const goOn = () => Date.now() < ends && signals.status === 0;
  const progress = setInterval(() => console.log(`  ${Math.round((Date.now() - began) / 1000)} s: ${report.summary()}`), 30_000);
  const each = Array.from({ length: sessions }, (_, n) =>
    soakSession({ ...deployment, id: `soak-${run}-${n}`, archiveBytes: 64 * MIB, sleepAfterSeconds: 15, report, goOn }),
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
