/** What dies in a chaos run. */

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { ROOT } from "../../../tools/local-worker.ts";
import { until, type World } from "../support.ts";

export type Fault = "workerd" | "containers" | "engine";

/** The engine that tools/with-engine starts, and shares among clones. */
const ENGINE = { socket: "unix:///run/snapshotter/docker.sock", pidFile: "/run/snapshotter/dockerd.pid", users: "/run/snapshotter/users.lock" };

/** Each as often as it is to come. */
export function faults(): Fault[] {
  return ["workerd", "workerd", "workerd", "containers", "containers", ...(ownsEngine() ? ["engine" as const] : [])];
}

/** Whether a fault takes the containers of all sessions with it. They outlive workerd. */
export const takesContainers = (fault: Fault) => fault !== "workerd";

export async function inflict(world: World, fault: Fault): Promise<void> {
  switch (fault) {
    case "workerd": return world.worker.killWorkerd();
    case "containers": return world.removeContainers();
    case "engine":
      await killEngine();
      // workerd does not find out that the network of its containers went with them.
      return world.worker.killWorkerd();
  }
}

/**
 * Whether the engine may be killed: it is one of ours, and nobody else's containers are on it. `make chaos` says that
 * this file runs alone (CHAOS_ALONE), the lock that no other clone's tests do.
 */
function ownsEngine(): boolean {
  if (!process.env["CHAOS_ALONE"] || process.env["DOCKER_HOST"] !== ENGINE.socket) return false;
  const inode = fs.statSync(ENGINE.users).ino;
  return fs.readFileSync("/proc/locks", "utf8").split("\n").filter((line) => line.includes(`:${inode} `)).length === 1;
}

/** SIGKILL; its containers end with it. Started again as for the first user. */
async function killEngine(): Promise<void> {
  const pid = Number(fs.readFileSync(ENGINE.pidFile, "utf8"));
  process.kill(pid, "SIGKILL");
  await until("the engine is gone", () => spawnSync("docker", ["version"], { stdio: "ignore" }).status !== 0);
  const { DOCKER_HOST: _host, SNAPSHOTTER_RUN: _run, ...env } = process.env;
  execFileSync(`${ROOT}/tools/with-engine`, ["true"], { env, stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
}
