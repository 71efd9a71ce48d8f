/**
 * Runs the built Worker under workerd with real containers: for the demo, the tests, the benchmark and `make dev`.
 *
 * The bindings come from wrangler.toml, so that the Worker here equals the deployed one. Call this module under
 * `tools/with-engine`, which sets environment variables for the engine and the images.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { isBuiltin } from "node:module";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as esbuild from "esbuild";
import { Log, LogLevel, Miniflare, type MiniflareOptions, type Request as OutboundRequest, type Response as OutboundResponse } from "miniflare";
import { unstable_readConfig as readConfig } from "wrangler";
import { inTime } from "./in-time.ts";

export const ROOT = path.resolve(import.meta.dirname, "..");
const LOCAL = path.join(ROOT, ".local");
/** Time limit of calls to miniflare and docker, which have none of their own. */
const LIMIT_MS = 120_000;

/** Bindings in miniflare's own form: `{ type: "durable-object", worker, exportName }`, `{ type: "r2", name }`, … */
export type Env = Record<string, { type: string; [option: string]: unknown }>;
/** miniflare checks these when it starts. Its types cannot describe values from wrangler.toml. */
type WorkerOptions = { config: object; dev?: object };

/** A second Worker in the same workerd, in TypeScript: an agent that uses the first, or a double for the tests. */
export interface ExtraWorker {
  /** Name for other Workers here, in `worker` of a binding. */
  name: string;
  /**
   * The Worker's source, or for a Rust Worker the output of tools/build.sh, relative to the top of the repository. We
   * bundle it.
   */
  entry: string;
  /** Exported Durable Object classes, each bound to its own name. */
  classes?: string[];
  /** The classes that have containers, configured as wrangler.toml configures `Sandbox`. */
  sandboxes?: string[];
  /** More bindings. `worker` is `"main"` or the name of an extra Worker. */
  env?: Env;
  /** Default: the date in wrangler.toml. */
  compatibilityDate?: string;
  /** Default: none. */
  compatibilityFlags?: string[];
  /** Port of the Worker's own HTTP on 127.0.0.1. */
  port?: number;
}

export interface LocalWorkerOptions {
  /** Which output of `tools/build.sh` to run. Default `"test"`. */
  variant?: "release" | "dev" | "test";
  /** Variables and secrets besides those of wrangler.toml. */
  vars?: Record<string, string>;
  /** More bindings for the Worker. They replace those of wrangler.toml with the same name. */
  env?: Env;
  /** Image of the containers. Default: the workspace image. */
  image?: string;
  extraWorkers?: ExtraWorker[];
  /** Answers requests of the Worker itself to the Internet. Default: the Internet does. */
  outbound?: (request: OutboundRequest) => Promise<OutboundResponse>;
  /** Directory for R2 and Durable Objects. Default: a directory that `stop()` removes. */
  persist?: string;
  /**
   * Using the same name and `persist` again leads to the same objects and containers, within one run of
   * tools/with-engine.
   */
  name?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Whether `inspect` can attach to the Worker's isolate. */
  inspector?: boolean;
  /** The container engine for workerd, in DOCKER_HOST's form. Default: the engine in DOCKER_HOST. */
  engine?: string;
}

export interface Inspector {
  send(method: string): Promise<any>;
  close(): void;
}

export interface LocalWorker {
  /** The URL, without a final slash. It stays the same after `restart` and `killWorkerd`. */
  url: string;
  /** Gives access to bindings from outside: `mf.getR2Bucket("BACKUP_BUCKET")`, … */
  mf: Miniflare;
  /** The name, unique on this machine's engine, unless set. */
  name: string;
  logFile: string;
  /**
   * Ends workerd and starts it again with the same state and the newest build, as a deploy does. Containers stay. `vars`
   * replaces the option.
   */
  restart(vars?: Record<string, string>): Promise<void>;
  /** Simulates a crash: SIGKILL to workerd. Resolves when miniflare has started a new one. Containers stay. */
  killWorkerd(): Promise<void>;
  /** Resident memory of workerd, in bytes. */
  residentBytes(): number;
  /**
   * Connects to the inspector of the Worker's isolate, over the Chrome DevTools protocol. Needs the option `inspector`.
   */
  inspect(): Promise<Inspector>;
  /** Processor time of workerd so far, in seconds. */
  cpuSeconds(): number;
  /** Current process id of workerd. */
  workerdPid(): number;
  /** Names of this Worker's running containers, without the sidecars. */
  containers(): string[];
  /** Ends workerd, and removes this run's containers, and the state if this run made it. */
  stop(): Promise<void>;
}

export async function startLocalWorker(options: LocalWorkerOptions = {}): Promise<LocalWorker> {
  // The prefix belongs to the run of tools/with-engine, which uses it to clean up after a crash.
  const name = `${required("SNAPSHOTTER_RUN")}-${options.name ?? randomBytes(3).toString("hex")}`;
  const persist = options.persist ?? path.join(LOCAL, "state", name);
  const logFile = path.join(LOCAL, "log", `${name}.log`);
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.createWriteStream(logFile, { flags: "a" });
  let restarted = () => {};

  const miniflareOptions = async (port: number): Promise<MiniflareOptions> => ({
    host: "127.0.0.1",
    port,
    cf: false,
    log: new FileLog(log),
    handleStructuredLogs: ({ level, message }: { level: string; message: string }) => log.write(`${level} ${message}\n`),
    resourcePersistencePath: persist,
    enableDevRegistry: false,
    telemetry: { enabled: false },
    ...(options.inspector && { inspectorPort: 0 }),
    containerEngine: {
      localDocker: {
        socketPath: options.engine ?? required("DOCKER_HOST"),
        containerEgressInterceptorImage: required("SIDECAR_IMAGE"),
      },
    },
    unsafeRuntimeEnv: { SNAPSHOTTER_WORKER: name },
    unsafeHandleRuntimeRestart: () => restarted(),
    workers: [
      mainWorker(name, options),
      ...(await Promise.all((options.extraWorkers ?? []).map((extra) => extraWorker(name, extra)))),
    ] as MiniflareOptions["workers"],
  });

  const mf = new Miniflare(await miniflareOptions(options.port ?? 0));
  const origin = await inTime(mf.ready, LIMIT_MS, () => "workerd did not start");

  return {
    url: origin.origin,
    mf,
    name,
    logFile,
    async restart(vars) {
      if (vars) options = { ...options, vars };
      await inTime(mf.setOptions(await miniflareOptions(Number(origin.port))), LIMIT_MS, () => "workerd did not start again");
    },
    async inspect() {
      const url = await mf.getInspectorURL();
      url.pathname = `/core:user:${name}`;
      return connectInspector(url);
    },
    cpuSeconds() {
      // User and system time. Linux counts 100 ticks a second.
      const fields = fs.readFileSync(`/proc/${workerdPid(name)}/stat`, "utf8").split(") ")[1]!.split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    residentBytes() {
      const status = fs.readFileSync(`/proc/${workerdPid(name)}/status`, "utf8");
      return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]);
    },
    async killWorkerd() {
      const again = new Promise<void>((resolve) => (restarted = resolve));
      process.kill(workerdPid(name), "SIGKILL");
      await inTime(again, LIMIT_MS, () => "workerd did not start again");
    },
    workerdPid: () => workerdPid(name),
    containers: () => docker("ps", "--filter", `name=${containerPrefix(name)}`, "--format", "{{.Names}}").filter((container) => !container.endsWith("-proxy")),
    async stop() {
      // The rest has to be removed, too. tools/with-engine ends a workerd that is left.
      await inTime(mf.dispose(), LIMIT_MS, () => "miniflare did not end").catch((problem: Error) => console.error(problem.message));
      await removeContainers(name);
      if (options.persist === undefined) fs.rmSync(persist, { recursive: true, force: true });
      log.end();
    },
  };
}

/** The Worker in wrangler.toml, from the output of `tools/build.sh`. */
function mainWorker(name: string, options: LocalWorkerOptions): WorkerOptions {
  const toml = readConfig({ config: path.join(ROOT, "wrangler.toml") }, { hideWarnings: true });
  const containers = containersOf(toml);
  const env: Env = {};
  const exports: Env = {};
  for (const [key, value] of Object.entries({ ...toml.vars, ...options.vars })) {
    env[key] = typeof value === "string" ? { type: "text", value } : { type: "json", value };
  }
  if (toml.assets?.binding) env[toml.assets.binding] = { type: "assets" };
  for (const { binding } of toml.r2_buckets) env[binding] = { type: "r2", name: binding };
  for (const { name: binding, class_name } of toml.durable_objects.bindings) {
    env[binding] = { type: "durable-object", worker: name, exportName: class_name };
    exports[class_name] = { type: "durable-object", storage: "sqlite", ...containerOptions(containers.get(class_name), options.image) };
  }
  Object.assign(env, withFullNames(name, options.env));

  const build = path.join(LOCAL, "build", options.variant ?? "test");
  return {
    config: {
      name,
      compatibilityDate: toml.compatibility_date,
      compatibilityFlags: toml.compatibility_flags,
      env,
      exports,
      ...(toml.assets?.directory && { assets: { directory: path.join(ROOT, toml.assets.directory), runWorkerFirst: true, hasUserWorker: true, htmlHandling: toml.assets.html_handling } }),
      manifest: {
        mainModule: "index.js",
        modulesRoot: build,
        modules: {
          "index.js": { type: "esm", contents: fs.readFileSync(path.join(build, "index.js"), "utf8") },
          "index_bg.wasm": { type: "wasm", contents: new Uint8Array(fs.readFileSync(path.join(build, "index_bg.wasm"))) },
        },
      },
    },
    ...(options.outbound && { dev: { outboundService: { type: "fetcher", handler: options.outbound } } }),
  };
}

type ContainerConfig = { class_name: string; images?: Record<string, unknown> };

const containersOf = (toml: { containers?: unknown }) =>
  new Map((toml.containers as ContainerConfig[]).map((container) => [container.class_name, container]));

/** Replaces every image in the configuration by the workspace image on this machine, or by `image`. */
function containerOptions(container: ContainerConfig | undefined, image = required("WORKSPACE_IMAGE")) {
  if (container === undefined) return {};
  const named = Object.keys(container.images ?? {}).map((name) => ({ name, image }));
  return { container: named.length > 0 ? { images: named } : { imageName: image } };
}

async function extraWorker(main: string, extra: ExtraWorker): Promise<WorkerOptions> {
  const name = fullName(main, extra.name);
  const toml = readConfig({ config: path.join(ROOT, "wrangler.toml") }, { hideWarnings: true });
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.resolve(ROOT, extra.entry)],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*", "node:*"],
    alias: { "snapshotter-wasm": path.join(LOCAL, "wasm", "test", "index.js") },
    plugins: [nodeBuiltins],
    loader: { ".wasm": "copy", ".py": "text" },
    assetNames: "[name]",
    outdir: ".",
    entryNames: "index",
  });
  const modules = Object.fromEntries(
    outputFiles.map(({ path: file, contents }) => [
      path.basename(file),
      file.endsWith(".wasm") ? { type: "wasm", contents } : { type: "esm", contents: Buffer.from(contents).toString() },
    ]),
  );
  const env: Env = { ...withFullNames(main, extra.env) };
  const exports: Env = {};
  for (const exportName of extra.classes ?? []) {
    env[exportName] = { type: "durable-object", worker: name, exportName };
    const container = extra.sandboxes?.includes(exportName) && containerOptions(containersOf(toml).get("Sandbox"));
    exports[exportName] = { type: "durable-object", storage: "sqlite", ...container };
  }
  return {
    config: {
      name,
      compatibilityDate: extra.compatibilityDate ?? toml.compatibility_date,
      compatibilityFlags: extra.compatibilityFlags ?? [],
      env,
      exports,
      manifest: { mainModule: "index.js", modulesRoot: ROOT, modules },
    },
    ...(extra.port !== undefined && { dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: extra.port }] } }),
  };
}

/** Turns `require("path")` in a Node package into an import that workerd supports under `nodejs_compat`. */
const nodeBuiltins: esbuild.Plugin = {
  name: "node-builtins",
  setup(build) {
    build.onResolve({ filter: /^[a-z_/]+$/ }, ({ path: name }) => (isBuiltin(name) ? { path: name, namespace: "node-builtin" } : undefined));
    build.onLoad({ filter: /.*/, namespace: "node-builtin" }, ({ path: name }) => ({ contents: `export * from "node:${name}";` }));
  },
};

/** Workers in one workerd know each other by names that are also unique on the engine. */
const fullName = (main: string, name: string) => (name === "main" ? main : `${main}-${name}`);

function withFullNames(main: string, env: Env = {}): Env {
  return Object.fromEntries(
    Object.entries(env).map(([key, binding]) => [
      key,
      typeof binding["worker"] === "string" ? { ...binding, worker: fullName(main, binding["worker"]) } : binding,
    ]),
  );
}

/** workerd names a container after its Worker, class and object. Docker matches names by regular expression. */
const containerPrefix = (name: string) => `^workerd-${name}-`;

/** docker reports an error for a container that another process is removing, such as a workerd that just ended. */
async function removeContainers(name: string): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    const left = docker("ps", "--all", "--quiet", "--filter", `name=${containerPrefix(name)}`);
    if (left.length === 0) return;
    try {
      docker("rm", "--force", "--volumes", ...left);
    } catch (error) {
      if (triesLeft === 0) throw error;
      await sleep(200);
    }
  }
}

function docker(...args: string[]): string[] {
  return execFileSync("docker", args, { encoding: "utf8", timeout: LIMIT_MS }).split("\n").filter((line) => line !== "");
}

async function connectInspector(url: URL): Promise<Inspector> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
    waiting.delete(id!);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  return {
    send: (method) => new Promise((resolve) => {
      waiting.set(++last, resolve);
      socket.send(JSON.stringify({ id: last, method }));
    }),
    close: () => socket.close(),
  };
}

/** Finds workerd by a variable in its environment, because this process may have several workerd children. */
function workerdPid(name: string): number {
  const children = fs.readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const pid = children.find((child) => {
    const environ = fs.readFileSync(`/proc/${child}/environ`, "utf8");
    return environ.split("\0").includes(`SNAPSHOTTER_WORKER=${name}`);
  });
  if (pid === undefined) throw new Error(`no workerd of ${name} is running`);
  return Number(pid);
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === "") throw new Error(`${variable} is not set: run this under tools/with-engine`);
  return value;
}

/** Writes miniflare's own messages next to workerd's log. */
class FileLog extends Log {
  readonly #file: fs.WriteStream;

  constructor(file: fs.WriteStream) {
    super(LogLevel.INFO);
    this.#file = file;
  }

  protected override log(message: string): void {
    this.#file.write(`${message}\n`);
  }
}
