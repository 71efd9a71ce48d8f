/** The faults of a chaos run. */

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { ROOT } from "../../../tools/local-worker.ts";
import { until, type World } from "../support.ts";

export type Fault = "workerd" | "containers" | "engine";

/** The engine that tools/with-engine starts, and that clones share. */
const ENGINE = { socket: "unix:///run/snapshotter/docker.sock", pidFile: "/run/snapshotter/dockerd.pid", users: "/run/snapshotter/users.lock" };

/** The faults, each repeated by its weight. */
export function faults(): Fault[] {
  return ["workerd", "workerd", "workerd", "containers", "containers", ...(ownsEngine() ? ["engine" as const] : [])];
}

/** Whether a fault ends the containers of all sessions. Containers survive workerd. */
export const takesContainers = (fault: Fault) => fault !== "workerd";

export async function inflict(world: World, fault: Fault): Promise<void> {
  switch (fault) {
    case "workerd": return world.worker.killWorkerd();
    case "containers": return world.removeContainers();
    case "engine":
      await killEngine();
      // workerd does not notice that its containers' network is gone too.
      return world.worker.killWorkerd();
  }
}

/**
 * Whether the engine may be killed: it is our own, and has no containers of others. CHAOS_ALONE, set by `make chaos`,
 * means that this file runs alone; the lock means that no other clone's tests use the engine.
 */
function ownsEngine(): boolean {
  if (!process.env["CHAOS_ALONE"] || process.env["DOCKER_HOST"] !== ENGINE.socket) return false;
  const inode = fs.statSync(ENGINE.users).ino;
  return fs.readFileSync("/proc/locks", "utf8").split("\n").filter((line) => line.includes(`:${inode} `)).length === 1;
}

/** Kills the engine with SIGKILL, and its containers with it. Then starts it again as for its first user. */
async function killEngine(): Promise<void> {
  const pid = Number(fs.readFileSync(ENGINE.pidFile, "utf8"));
  process.kill(pid, "SIGKILL");
  await until("the engine is gone", () => spawnSync("docker", ["version"], { stdio: "ignore" }).status !== 0);
  const { DOCKER_HOST: _host, SNAPSHOTTER_RUN: _run, ...env } = process.env;
  execFileSync(`${ROOT}/tools/with-engine`, ["true"], { env, stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
}
