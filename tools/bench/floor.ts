/** Runs floor-worker.js in its own workerd, so that the product's memory is measured without it. */

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig as readConfig } from "wrangler";
import { ROOT } from "../local-worker.ts";

const SOURCE = path.join(import.meta.dirname, "floor-worker.js");

export interface Floor {
  /** Calls a method of the object with this name. Rejects with the error that the method threw. */
  call<T = unknown>(object: string, op: string, args?: object): Promise<T>;
  exportTar(object: string, dir: string): Promise<Uint8Array>;
  /** Imports into a directory that does not exist yet. */
  importTar(object: string, dir: string, tar: Uint8Array): Promise<void>;
  /** Requests a path of a server in the object's container. */
  visit(object: string, port: number, path: string): Promise<Uint8Array>;
  stop(): Promise<void>;
}

export async function startFloor(): Promise<Floor> {
  // tools/with-engine cleans up after a crash by this prefix.
  const name = `${setting("SNAPSHOTTER_RUN")}-floor`;
  const state = path.join(ROOT, ".local", "state", name);
  const mf = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    log: new Log(LogLevel.NONE),
    resourcePersistencePath: state,
    enableDevRegistry: false,
    telemetry: { enabled: false },
    containerEngine: {
      localDocker: {
        socketPath: setting("DOCKER_HOST"),
        containerEgressInterceptorImage: setting("SIDECAR_IMAGE"),
      },
    },
    workers: [
      {
        config: {
          name,
          compatibilityDate: readConfig({ config: path.join(ROOT, "wrangler.toml") }, { hideWarnings: true }).compatibility_date!,
          compatibilityFlags: ["nodejs_compat"],
          env: {
            FLOOR: { type: "durable-object", worker: name, exportName: "Floor" },
            BUCKET: { type: "r2", name: "floor" },
          },
          exports: {
            Floor: {
              type: "durable-object",
              storage: "sqlite",
              container: { images: [{ name: "workspace", image: setting("WORKSPACE_IMAGE") }] },
            },
          },
          manifest: {
            mainModule: "index.js",
            modulesRoot: ROOT,
            modules: { "index.js": { type: "esm", contents: fs.readFileSync(SOURCE, "utf8") } },
          },
        },
      },
    ],
  });
  const { origin } = await mf.ready;
  const asked = async (what: string, url: string, init?: RequestInit) => {
    const response = await fetch(`${origin}/${url}`, init);
    if (!response.ok) throw new Error(`floor: ${what}: ${(await response.text()).slice(0, 400)}`);
    return response;
  };
  return {
    async call<T>(object: string, op: string, args: object = {}): Promise<T> {
      const response = await asked(`${op} of ${object}`, object, { method: "POST", body: JSON.stringify({ op, ...args }) });
      return (await response.json()) as T;
    },
    async exportTar(object, dir) {
      return (await asked(`tar of ${object}`, `${object}?dir=${dir}`)).bytes();
    },
    async importTar(object, dir, tar) {
      await asked(`tar into ${object}`, `${object}?dir=${dir}`, { method: "PUT", body: tar });
    },
    async visit(object, port, path) {
      return (await asked(`port of ${object}`, `${object}?port=${port}&path=${path}`)).bytes();
    },
    async stop() {
      await mf.dispose();
      const containers = docker("ps", "--all", "--quiet", "--filter", `name=^workerd-${name}-`);
      if (containers.length > 0) docker("rm", "--force", "--volumes", ...containers);
      fs.rmSync(state, { recursive: true, force: true });
    },
  };
}

function docker(...args: string[]): string[] {
  return execFileSync("docker", args, { encoding: "utf8" }).split("\n").filter((line) => line !== "");
}

function setting(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: run this under tools/with-engine`);
  return value;
}
