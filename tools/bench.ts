/**
 * `make bench`: measures how long operations take, next to a floor: the least time that they could take on this machine
 * now (tools/bench/floor-worker.js). Prints a table and writes JSON to .local/bench/. With --json, prints the JSON
 * instead.
 *
 * A machine's speed changes from minute to minute, so product and floor are measured alternately, and medians compared.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { gzipSync } from "node:zlib";
import type { WorkspaceConfig } from "../entry/snapshotter.d.ts";
import { startFloor, type Floor } from "./bench/floor.ts";
import { measureComparison, measureLooks, type LookBench } from "./bench/looks.ts";
import { measureMachine } from "./bench/machine.ts";
import { measurePools } from "./bench/pools.ts";
import { measurePreviews } from "./bench/previews.ts";
import { json, table, type Cpu, type Measure, type Memory, type Parts, type Report } from "./bench/report.ts";
import { seedSnapshots } from "./bench/seed.ts";
import { MAKE_RANDOM, RANDOM_TREE } from "./bench/trees.ts";
import { measureUnchanged } from "./bench/unchanged.ts";
import { ROUNDS, Times, atOnce, inTurns, size, timed } from "./bench/times.ts";
import { Session } from "./client.ts";
import { ROOT, startLocalWorker, type LocalWorker } from "./local-worker.ts";
import { Signals } from "./signals.ts";

const BRANCHES = size(4, 2);
/** High enough that the machine is the limit, not a quota. */
const LIMITS = { maxRunning: 20, maxWorkspaces: 100 };
const LISTS = [10, size(1_000, 20), size(10_000, 30)];
/** Numbers of snapshots: a small session and a large one. */
const SCALE = [10, size(100_000, 20)] as const;
/** The size of the largest page. */
const PAGE = size(1_000, 15);
const ARCHIVE = size(10 ** 9, 10 ** 7);
/** The largest file that one call reads or writes, and the largest output of a call. */
const FILE = 2 * 2 ** 20;
const OUTPUT = 2 ** 20;
const AT_ONCE = 8;
/** How often a short call is measured in each round. */
const SHORT_CALLS = size(5, 1);
/** The system counts processor time in hundredths of a second, so short calls are repeated. */
const CPU_CALLS = size(20, 1);

/** Trees to save, and the command that makes each in the current directory. Product and floor get the same bytes. */
const TREES = {
  [`random data, ${RANDOM_TREE}`]: MAKE_RANDOM,
  "Python's standard library": `cp -a "$(python3 -c "import sysconfig; print(sysconfig.get_path('stdlib'))")" .`,
};

class Bench {
  readonly #token = randomBytes(24).toString("hex");
  readonly #state = path.join(ROOT, ".local", "state", `${process.env["SNAPSHOTTER_RUN"]}-bench`);
  readonly #measures: Measure[] = [];
  #worker: LocalWorker | undefined;
  #floor: Floor | undefined;

  async run(): Promise<Report> {
    const began = performance.now();
    const loadBefore = load();
    if (loadBefore > 0.5) say(`load is ${loadBefore}: this machine is busy, expect noise`);
    await this.#start();
    this.#floor = await startFloor();
    const memory: Memory[] = [];
    const cpu: Cpu[] = [];
    const parts: Record<string, () => Promise<unknown>> = {
      lists: () => this.#lists(),
      scale: async () => memory.push(...(await this.#scale())),
      starts: () => this.#coldStarts(),
      pools: () => measurePools(this.#lookout()),
      calls: () => this.#calls(),
      previews: () => measurePreviews(this.#lookout(), this.#floor!),
      transfers: async () => {
        for (const [tree, make] of Object.entries(TREES)) await this.#transfers(tree, make);
      },
      unchanged: () => measureUnchanged(this.#lookout()),
      machine: () => measureMachine(this.#lookout()),
      looks: () => measureLooks(this.#lookout()),
      comparison: () => measureComparison(this.#lookout()),
      budgets: async () => {
        const budgets = await this.#budgets();
        memory.unshift(...budgets.memory);
        cpu.push(...budgets.cpu);
      },
      memory: async () => memory.push(...(await this.#memory())),
    };
    const only = process.env["PART"];
    if (only && !(only in parts)) throw new Error(`PART is ${only}; it is one of ${Object.keys(parts).join(", ")}`);
    for (const [name, measure] of Object.entries(parts)) if (!only || name === only) await measure();
    return {
      at: new Date().toISOString(),
      commit: execFileSync("git", ["describe", "--always", "--dirty"], { cwd: ROOT, encoding: "utf8" }).trim(),
      machine: { cpu: os.cpus()[0]?.model ?? "?", cpus: os.availableParallelism(), loadBefore, loadAfter: load() },
      measures: this.#measures,
      memory,
      cpu,
      wasm: wasmSize(),
      tookMs: performance.now() - began,
    };
  }

  async stop(): Promise<void> {
    await this.#floor?.stop();
    await this.#worker?.stop();
    fs.rmSync(this.#state, { recursive: true, force: true });
  }

  /** Starts on the state that an earlier Worker left. */
  async #start(): Promise<void> {
    const vars = { API_TOKEN: this.#token, MAX_POOL_CONTAINERS: "1" };
    this.#worker = await startLocalWorker({ variant: "release", vars, persist: this.#state, name: "bench" });
  }

  async #opened(id: string, config: WorkspaceConfig = {}): Promise<Session> {
    const session = new Session(this.#worker!.url, this.#token, id);
    // Without this, an autosave could begin during a measurement.
    await session.open({ destroyOnClose: true, autosave: false, limits: LIMITS, capabilities: { fs: true, shell: true, code: true, snapshot: { maxListResults: PAGE } }, ...config });
    return session;
  }

  #record(group: string, what: string, productMs: number[], floorMs?: number[], floorPartsMs?: Parts): void {
    if (productMs.length === 0) throw new Error(`${group}, ${what}: nothing was measured`);
    this.#measures.push({ group, what, productMs, ...(floorMs?.length && { floorMs }), ...(floorPartsMs && { floorPartsMs }) });
  }

  async #lists(): Promise<void> {
    say("lists");
    for (const count of LISTS) {
      const session = await this.#opened(`list-${count}`);
      await session.snapshot({ name: "seeded 1" });
      await session.close();
    }
    await this.#worker!.stop();
    for (const count of LISTS) seedSnapshots(this.#state, `list-${count}`, count);
    await this.#start();
    for (const count of LISTS) {
      const session = await this.#opened(`list-${count}`);
      const pages = Math.ceil(count / PAGE);
      const first: number[] = [];
      const all: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        first.push(await timed(() => session.list({ limit: "100" })));
        all.push(await timed(() => listAll(session, count)));
      }
      const of = `list of ${count.toLocaleString("en-US")}`;
      if (count > 100) this.#record("list", `${of}: first page of 100`, first);
      this.#record("list", `${of}: all, in ${pages} page${pages > 1 ? "s" : ""}`, all);
    }
  }

  /** Measures calls of a session with very many snapshots, next to the same calls of a session with few. */
  async #scale(): Promise<Memory[]> {
    const [few, many] = SCALE;
    const sides = [many, few].map((count) => ({ id: `scale-${count}`, count }));
    // A plan shows a thousand snapshots. For a session with fewer, the response would be smaller.
    const plan = { id: `scale-${PAGE}`, count: PAGE };
    say(`${many.toLocaleString("en-US")} snapshots beside ${few}`);
    for (const side of [...sides, plan]) {
      const session = await this.#opened(side.id);
      await session.snapshot({ name: "seeded 1" });
    }
    await this.#worker!.stop();
    for (const side of [...sides, plan]) seedSnapshots(this.#state, side.id, side.count);
    const times = new Map<string, readonly [number[], number[]]>();
    const memory: Memory[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await this.#start();
      // The first calls of the Worker and of the plan's session count for neither side, so they happen before the
      // measurement.
      const planning = new Session(this.#worker!.url, this.#token, plan.id);
      await planning.request("GET", "/retention");
      for (const [at, side] of round % 2 === 0 ? [...sides.entries()] : [...sides.entries()].reverse()) {
        const session = new Session(this.#worker!.url, this.#token, side.id);
        const planned = at === 0 ? session : planning;
        const calls: Record<string, () => Promise<unknown>> = {
          "first call": () => session.request("GET", ""),
          describe: () => session.request("GET", ""),
          "list of 10": () => session.list({ limit: "10" }),
          "retention plan": () => planned.request("GET", "/retention"),
          usage: () => session.request("GET", "/usage"),
          snapshot: () => session.snapshot({ name: `round ${round}` }),
          delete: () => session.delete(`round ${round}`),
        };
        for (const [what, call] of Object.entries(calls)) {
          const cold = what === "first call" && round === 0 && at === 0;
          const run = async () => {
            const ms = await timed(call);
            if (!times.has(what)) times.set(what, [[], []]);
            times.get(what)![at]!.push(ms);
          };
          if (cold) {
            memory.push(await peakMemory(this.#worker!.workerdPid(), `first call beside ${many.toLocaleString("en-US")} snapshots`, run));
          } else {
            await run();
          }
        }
      }
      if (round < ROUNDS - 1) await this.#worker!.stop();
    }
    for (const [what, [product, floor]] of times) this.#record(`${many.toLocaleString("en-US")} snapshots, floor: ${few}`, what, product, floor);
    for (const side of [...sides, plan]) await new Session(this.#worker!.url, this.#token, side.id).close();
    return memory;
  }

  async #coldStarts(): Promise<void> {
    say("cold starts");
    const product: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await inTurns(
        round,
        async () => {
          const session = await this.#opened(`cold-${round}`);
          product.push(await timed(() => session.output("true")));
          await session.close();
        },
        async () => {
          floor.push(await timed(() => this.#floor!.call(`cold-${round}`, "start")));
          await this.#floor!.call(`cold-${round}`, "destroy");
        },
      );
    }
    this.#record("container", "cold start to first command", product, floor);
  }

  /** Measures a call whose command does nothing, next to that command alone. */
  async #calls(): Promise<void> {
    say("calls");
    const session = await this.#opened("calls");
    await session.output("true");
    await this.#floor!.call("calls", "start");
    const product: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < ROUNDS * SHORT_CALLS; round++) {
      await inTurns(
        round,
        async () => product.push(await timed(() => session.tool("workspace_run", { command: "true" }))),
        async () => floor.push(await timed(() => this.#floor!.call("calls", "sh", { command: "true" }))),
      );
    }
    await session.close();
    await this.#floor!.call("calls", "destroy");
    this.#record("container", "a call that runs true", product, floor);
  }

  async #transfers(tree: string, make: string): Promise<void> {
    const session = await this.#opened(`tree-${Object.keys(TREES).indexOf(tree)}`);
    const floor = this.#floor!;
    const dir = "/workspace";
    await session.output(make);
    await floor.call("tree", "start");
    await floor.call("tree", "sh", { command: `mkdir ${dir} && cd ${dir} && ${make}` });

    const times = { snapshot: new Times(), restore: new Times(), branch: new Times(), fork: new Times(), export: new Times(), import: new Times() };
    const deletes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      say(`${tree}: round ${round + 1} of ${ROUNDS}`);
      const name = `round ${round}`;
      const key = `round-${round}`;
      await inTurns(
        round,
        async () => times.snapshot.product.push(await timed(() => session.snapshot({ name }))),
        async () => {
          const mksquashfs = await timed(() => floor.call("tree", "archive", { dir }));
          const sha256 = await floor.call("tree", "load");
          // The product makes R2 check the hash. The report shows this cost, but the floor leaves it out.
          const checked = await timed(() => floor.call("tree", "put", { key, sha256 }));
          const put = await timed(() => floor.call("tree", "put", { key }));
          times.snapshot.floor.push(mksquashfs + put);
          times.snapshot.addParts({ mksquashfs, put, "not counted: put with SHA-256": checked });
        },
      );
      for (const [measured, forks] of [["restore", 1], ["branch", BRANCHES]] as const) {
        await inTurns(
          round,
          async () => {
            const fork = () => (measured === "restore" ? session.restore(name) : session.branch(name));
            times[measured].product.push(await timed(() => atOnce(forks, fork)));
            await this.#destroyForks(session);
          },
          async () => {
            // Each measurement takes new objects, as the product does: an object that had a container before starts the
            // next one faster.
            const object = (n: number) => `${this.#measures.length}-${measured}-${round}-${n}`;
            const fork = async (n: number) => times[measured].addParts(await floor.call(object(n), "restore", { key, dir }));
            times[measured].floor.push(await timed(() => atOnce(forks, fork)));
            await atOnce(forks, (n) => floor.call(object(n), "destroy"));
          },
        );
      }
      // A live fork saves what has changed. The floor saves all of it.
      await session.output(`echo ${round} >forked`);
      await inTurns(
        round,
        async () => {
          times.fork.product.push(await timed(() => session.request("POST", "/forks", { count: BRANCHES })));
          await this.#destroyForks(session);
        },
        async () => {
          const object = (n: number) => `${this.#measures.length}-fork-${round}-${n}`;
          const archive = await timed(() => floor.call("tree", "archive", { dir }));
          await floor.call("tree", "load");
          times.fork.floor.push(archive + (await timed(async () => {
            await floor.call("tree", "put", { key });
            await atOnce(BRANCHES, (n) => floor.call(object(n), "restore", { key, dir }));
          })));
          await atOnce(BRANCHES, (n) => floor.call(object(n), "destroy"));
        },
      );
      deletes.push(await timed(() => session.delete(name)));
      const tar = await session.exportTar();
      await inTurns(
        round,
        async () => times.export.product.push(await timed(() => session.exportTar())),
        async () => times.export.floor.push(await timed(() => floor.exportTar("tree", dir))),
      );
      const imported = "/workspace/imported";
      await inTurns(
        round,
        async () => times.import.product.push(await timed(() => session.importTar(imported, tar))),
        async () => times.import.floor.push(await timed(() => floor.importTar("tree", imported, tar))),
      );
      await session.output(`rm -r ${imported}`);
      await floor.call("tree", "sh", { command: `rm -r ${imported}` });
    }
    await session.close();
    await floor.call("tree", "destroy");

    const record = (what: string, { product, floor, parts }: Times) => this.#record(tree, what, product, floor, parts);
    record("snapshot", times.snapshot);
    record("restore into a new sandbox", times.restore);
    record(`branch ×${BRANCHES} at once`, times.branch);
    record(`live fork ×${BRANCHES}`, times.fork);
    this.#record(tree, "delete", deletes);
    record("archive out, as tar", times.export);
    record("archive in, as tar", times.import);
  }

  /** The context for the functions in tools/bench/looks.ts. */
  #lookout(): LookBench {
    return {
      opened: (id, config) => this.#opened(id, config),
      record: (group, what, { product, floor, parts }) => this.#record(group, what, product, floor, parts),
      say,
    };
  }

  async #destroyForks(session: Session): Promise<void> {
    const { workspaces } = await session.workspaces();
    const forks = workspaces.filter((workspace) => !workspace.active);
    await Promise.all(forks.map((fork) => session.destroyWorkspace(fork.ref)));
  }

  /** Measures the calls with the largest content: processor time of each, and memory of eight at once. */
  async #budgets(): Promise<{ memory: Memory[]; cpu: Cpu[] }> {
    const session = await this.#opened("budgets");
    const text = "a".repeat(FILE);
    const base64 = Buffer.alloc(FILE, 0xc3).toString("base64");
    const write = (path: string) => session.tool("workspace_write_file", { path, content: base64, encoding: "base64" });
    await session.tool("workspace_write_file", { path: "text", content: text });
    await session.output(`mkdir many; cd many; seq 10000 | xargs touch`);
    const edit = (input: object) => session.tool("workspace_edit_file", input).catch(() => {});
    // Lines that almost match: the worst case of a search.
    const missing = `${" a\n".repeat(10_000)}b`;
    await session.output(`yes a | head -c ${FILE} >similar`);
    let turn = 0;
    const calls: [what: string, call: () => Promise<unknown>][] = [
      ["describe", () => session.request("GET", "")],
      ["list of 100", () => session.list({ limit: "100" })],
      ["run of true", () => session.run("true")],
      ["run that prints 1 MiB twice", () => session.run(`yes | head -c ${OUTPUT}; yes | head -c ${OUTPUT} >&2`)],
      ["run that prints 1 MiB of NUL twice", () => session.run(`head -c ${OUTPUT} /dev/zero; head -c ${OUTPUT} /dev/zero >&2`)],
      ["read of 2 MiB of text", () => session.tool("workspace_read_file", { path: "text" })],
      ["read of 2 MiB as base64", () => session.tool("workspace_read_file", { path: "text", encoding: "base64" })],
      ["write of 2 MiB as base64", () => write("written")],
      ["edit of every byte of 2 MiB", () => edit({ path: "text", oldText: turn++ % 2 === 0 ? "a" : "b", newText: turn % 2 === 0 ? "a" : "b", replaceAll: true })],
      ["edit of 2 MiB, text not there", () => edit({ path: "similar", oldText: missing, newText: "" })],
      ["ls of 10,000 entries", () => session.tool("workspace_ls", { path: "many", limit: 10_000 })],
      ["glob of 10,000 entries", () => session.tool("workspace_glob", { pattern: "**", limit: 10_000 })],
      ["grep of 2,000 lines", () => session.tool("workspace_grep", { pattern: "a", path: "similar", limit: 2_000 })],
      ["code with a value of 1 MB", () => session.tool("workspace_run_code", { language: "python", code: "'a' * 1_000_000" })],
      ["code with 3 images of 1 MiB", () => session.tool("workspace_run_code", {
        language: "python",
        code: "import os\nfor n in range(3): open(os.environ['OUTPUT_DIR'] + f'/{n}.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(2 ** 20 - 8))",
      })],
    ];
    const cpu: Cpu[] = [];
    for (const [what, call] of calls) {
      say(`CPU: ${what}`);
      await call();
      const before = this.#worker!.cpuSeconds();
      for (let n = 0; n < CPU_CALLS; n++) await call();
      cpu.push({ what, calls: CPU_CALLS, perCallMs: ((this.#worker!.cpuSeconds() - before) * 1000) / CPU_CALLS });
    }
    const memory: Memory[] = [];
    const pid = this.#worker!.workerdPid();
    const eight: [what: string, call: (n: number) => Promise<unknown>][] = [
      ["reads of 2 MiB", () => session.tool("workspace_read_file", { path: "written" })],
      ["writes of 2 MiB", (n) => write(`written-${n}`)],
      ["edits of 2 MiB", (n) => edit({ path: `written-${n}`, oldText: "a", newText: "b", replaceAll: true })],
    ];
    for (const [what, call] of eight) {
      say(`memory: ${AT_ONCE} ${what}`);
      memory.push(await peakMemory(pid, `${AT_ONCE} ${what} at once`, () => atOnce(AT_ONCE, call)));
    }
    await session.close();
    return { memory, cpu };
  }

  /**
   * Measures how much more memory workerd needs while large content passes through it. workerd also runs miniflare's
   * R2. The first pass grows the heaps of both, as a raw put does. If memory were not flat, the second pass would need
   * as much again.
   */
  async #memory(): Promise<Memory[]> {
    const session = await this.#opened("memory");
    await session.output(`head -c ${ARCHIVE} /dev/urandom >large`);
    const pid = this.#worker!.workerdPid();
    const memory: Memory[] = [];
    for (const time of ["first", "second"]) {
      say(`memory: ${time} large archive`);
      memory.push(await peakMemory(pid, `a ${ARCHIVE / 10 ** 6} MB archive goes to R2, ${time} time`, () => session.snapshot({ name: time })));
      memory.push(await peakMemory(pid, `and comes back, ${time} time`, () => session.restore(time)));
      await this.#destroyForks(session);
      await session.delete(time);
    }
    await session.close();
    return memory;
  }
}

async function listAll(session: Session, expected: number): Promise<void> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const page = await session.list({ limit: String(PAGE), ...(cursor && { cursor }) });
    found += page.snapshots.length;
    cursor = page.nextCursor;
  } while (cursor);
  if (found !== expected) throw new Error(`listed ${found} snapshots instead of ${expected}`);
}

/** The kernel keeps the peak memory of a process. Writing 5 to `clear_refs` resets it to the present value. */
async function peakMemory(pid: number, what: string, call: () => Promise<unknown>): Promise<Memory> {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const baselineBytes = memoryOf(pid, "VmRSS");
  await call();
  return { what, baselineBytes, peakBytes: memoryOf(pid, "VmHWM") };
}

function memoryOf(pid: number, field: string): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status);
  if (!found) throw new Error(`/proc/${pid}/status has no ${field}`);
  return Number(found[1]) * 1024;
}

function wasmSize(): Report["wasm"] {
  const bytes = fs.readFileSync(path.join(ROOT, ".local/build/release/index_bg.wasm"));
  return { rawBytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length };
}

const load = () => Math.round(os.loadavg()[0]! * 100) / 100;

const say = (line: string) => console.error(`  ${line}`);

/** Returns the exit status. */
async function main(): Promise<number> {
  const signals = new Signals();
  const bench = new Bench();
  try {
    const report = await Promise.race([bench.run(), signals.received]);
    const file = path.join(ROOT, ".local", "bench", `${report.at.replaceAll(":", "")}.json`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${json(report)}\n`);
    console.log(process.argv.includes("--json") ? json(report) : `\n${table(report)}\n${path.relative(ROOT, file)}`);
    return 0;
  } catch (thrown) {
    console.error(signals.status !== 0 ? "\nbench: interrupted" : thrown);
    return signals.status || 1;
  } finally {
    await bench.stop();
  }
}

process.exit(await main());
