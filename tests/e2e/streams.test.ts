/** Streams from real containers: output of commands, and changes of files, as they happen. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecEvent, WatchEvent } from "../../entry/snapshotter.d.ts";
import { AGENT, RpcError, fails, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
/** Far more than streams and pipes can buffer. */
const MEGABYTES = 50;

type Told<Event> = { events: Event[]; thrown?: RpcError["thrown"] };

/** The events of a stream over RPC: all of them, or up to the first of type `until`. */
async function events<Event = ExecEvent>(session: string, method: string, args: unknown[], until?: string): Promise<Event[]> {
  const { events, thrown } = await world.agent<Told<Event>>("events", { session, method, args, until });
  if (thrown) throw new RpcError(thrown);
  return events;
}

const exec = (session: Session, command: string | string[], options: object = {}, until?: string) =>
  events(session.id, "execStream", [command, options], until);
const told = (events: ExecEvent[], type: "stdout" | "stderr" = "stdout") =>
  events.map((event) => (event.type === type ? event.data : "")).join("");
const runs = async (session: Session, pid: string) => (await session.run(["sh", "-c", "kill -0 $0 2>/dev/null", pid])).exitCode === 0;

describe("a command over RPC", () => {
  it("is told of while it runs, from start to end", async () => {
    const session = await world.opened("told");
    const all = await exec(session, "echo out; sleep 2; echo err >&2; pwd; printf '\\342'; sleep 2; printf '\\202\\254'; exit 3");
    assert.equal(all[0]!.type, "start");
    assert.equal(told(all), "out\n/workspace\n€");
    assert.equal(told(all, "stderr"), "err\n");
    const last = all.at(-1)!;
    assert.ok(last.type === "complete", JSON.stringify(last));
    assert.equal(last.exitCode, 3);
    const times = all.map(({ timestamp }) => Date.parse(timestamp));
    assert.ok(times.at(-1)! - times[1]! > 1500, "each at its time");
    const [line] = await world.logged(({ event, session }) => event === "execStream" && session === "told");
    assert.equal(line!["outcome"], "ok");
  });

  it("keeps the rules of workspace_run", async () => {
    await fails("NOT_FOUND", exec(world.session("never-opened"), "true"));
    const bound = await world.opened("bound", { capabilities: { shell: { allowlist: ["ls", "sleep"], maxDurationMs: 2000 } } });
    await fails("FORBIDDEN", exec(bound, "ls"));
    await fails("FORBIDDEN", exec(bound, ["cat", "x"]));
    await fails("FORBIDDEN", exec(bound, ["ls"], { env: { LD_PRELOAD: "x" } }));
    await fails("INVALID_ARGUMENT", exec(bound, ["ls"], { cwd: "../etc" }));
    await fails("INVALID_ARGUMENT", exec(bound, ["ls"], { cdw: "x" }));
    const limited = (await exec(bound, ["sleep", "60"])).at(-1)!;
    assert.ok(limited.type === "complete" && limited.result.timedOut && limited.exitCode === 124, JSON.stringify(limited));
    await world.opened("reads", { capabilities: { shell: true, readOnly: true } });
    await fails("FORBIDDEN", exec(world.session("reads"), "true"));
    await world.opened("no-shell", { capabilities: { fs: true } });
    await fails("UNSUPPORTED", exec(world.session("no-shell"), "true"));
  });

  it("keeps its container for longer than an idle one is kept", async () => {
    const session = await world.opened("longer", { sleepAfter: "1s" });
    const all = await exec(session, "sleep 6; echo done");
    assert.equal(told(all), "done\n", JSON.stringify(all));
    await until("it sleeps", async () => (await session.eventsOf("workspace.slept")).length > 0, 60_000);
  });

  it("ends with its children when its reader lets go", async () => {
    const session = await world.opened("let-go");
    const begun = await exec(session, "sleep 1000 & echo $!; wait", {}, "stdout");
    const child = told(begun).trim();
    const began = Date.now();
    await until(`process ${child} is gone`, async () => !(await runs(session, child)), 30_000);
    console.log(`# gone after ${Date.now() - began} ms`);
  });

  it("ends when its reader lets go while it prints, and the container works on", async () => {
    const session = await world.opened("let-go-printing");
    const begun = await exec(session, "echo $$; exec yes", {}, "stdout");
    const [child] = told(begun).split("\n");
    await until(`process ${child} is gone`, async () => !(await runs(session, child!)), 30_000);
  });

  it("ends with an error event when the container dies", async () => {
    const session = await world.opened("dies");
    await session.sh("true");
    const reading = exec(session, "touch begun; sleep 100");
    await until("it runs", async () => (await session.run("test -e begun")).success);
    await world.removeContainers();
    const last = (await reading).at(-1)!;
    assert.ok(last.type === "error", JSON.stringify(last));
    assert.deepEqual([last.error.code, last.error.outcome], ["WORKSPACE_LOST", "unknown"]);
  });

  it("is not cut, and is held back by a reader that pauses", { timeout: 300_000 }, async (t) => {
    const session = await world.opened("much");
    // A script that counts the megabytes it could write.
    await session.tool("workspace_write_file", { path: "print.py", content: PRINT });
    const before = residentMb();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentMb())), 100);
    t.after(() => clearInterval(watch));
    const began = Date.now();
    const printed = async () => Number((await session.run("cat printed")).stdout);
    const reading = world.agent<{ bytes: number; last: string }>("sip", {
      session: "much", command: ["python3", "print.py", String(MEGABYTES)], options: { timeoutMs: 280_000 }, after: 2_000_000, pauseMs: 40_000,
    });
    await until("it prints", async () => (await printed()) > 0);
    let paused = 0;
    await until("it stands still while nobody reads", async () => {
      const earlier = paused;
      paused = await printed();
      return paused === earlier || sleep(5_000, false);
    }, 30_000);
    const grown = residentMb() - before;
    const { bytes, last } = await reading;
    console.log(`# ${paused} MB printed and workerd ${grown} MB larger in the pause; ${MEGABYTES} MB in ${Date.now() - began} ms; workerd ${before} -> ${most} MB`);
    assert.ok(paused < 30, `${paused} MB were printed while nobody read`);
    assert.ok(bytes > MEGABYTES * 1_000_000 && /"type":"complete".*"exitCode":0/.test(last), last.slice(-300));
  });
});

describe("a watch over RPC", () => {
  const watch = (session: Session, path: string, options: object = {}, until?: string) =>
    events<WatchEvent>(session.id, "watch", [path, options], until);
  const watches = (session: Session) =>
    world.logged((line) => line.event === "watch" && line["session"] === session.id);
  const shown = (told: WatchEvent[]) =>
    told.flatMap((event) => ("path" in event ? [`${event.type} ${"from" in event ? `${event.from} -> ` : ""}${event.path}`] : []));
  const isGone = async (session: Session) => (await session.run("cat /proc/[0-9]*/cmdline | grep -c '[i]notify_init1'")).stdout === "0\n";

  it("tells what commands and tools change, in directories made later too, and ends when its reader lets go", async () => {
    const session = await world.opened("watched");
    await session.sh("mkdir -p src node_modules");
    const reading = watch(session, ".", { exclude: ["node_modules"] }, "deleted");
    await watches(session);
    await session.sh("mkdir -p src/new/deep && echo 1 >src/new/deep/a && touch node_modules/x && sleep 2 && mv src/new/deep/a $'src/two\\nlines'");
    await session.tool("workspace_write_file", { path: "src/tool", content: "x" });
    await session.sh("rm src/tool");
    assert.deepEqual(shown(await reading), [
      "created src/new", "created src/new/deep", "created src/new/deep/a", "renamed src/new/deep/a -> src/two\nlines",
      "modified src/tool", "deleted src/tool",
    ]);
    await until("nothing watches", () => isGone(session), 30_000);
  });

  it("keeps the rules of files, and a session that only reads may", async () => {
    const session = await world.opened("watch-reads", { capabilities: { fs: true, shell: true, readOnly: true } });
    const [first] = await watch(session, ".", {}, "watching");
    assert.ok(first?.type === "watching" && first.directories === 1, JSON.stringify(first));
    await fails("INVALID_ARGUMENT", watch(session, "../etc"));
    await fails("INVALID_ARGUMENT", watch(session, ".", { exclude: ["a/b"] }));
    await fails("INVALID_ARGUMENT", watch(session, ".", { exclud: [] }));
    await fails("NOT_FOUND", watch(session, "none"));
    await world.opened("watch-no-files", { capabilities: { shell: true } });
    await fails("UNSUPPORTED", watch(world.session("watch-no-files"), "."));
  });

  it("ends with an error when another workspace becomes the active one, or the container dies", async () => {
    const session = await world.opened("watch-ends");
    await session.snapshot({ name: "one" });
    const branch = await session.branch("one");
    const left = watch(session, ".");
    await watches(session);
    await session.switch(branch);
    const switched = (await left).at(-1)!;
    assert.ok(switched.type === "error" && switched.error.code === "CONFLICT", JSON.stringify(switched));

    await session.sh("true");
    const lost = watch(session, ".");
    await world.logged((line) => line.event === "watch" && line["session"] === session.id, 2);
    await world.removeContainers();
    const last = (await lost).at(-1)!;
    assert.ok(last.type === "error" && last.error.code === "WORKSPACE_LOST", JSON.stringify(last));
  });
});

describe("a command over HTTP", () => {
  const post = (session: Session, body: object, signal?: AbortSignal) =>
    fetch(`${world.worker.url}/v1/sessions/${session.id}/commands`, {
      method: "POST", headers: { authorization: `Bearer ${session.token}` }, body: JSON.stringify(body), ...(signal && { signal }),
    });

  it("is told of as Server-Sent Events, and what is refused as any error", async () => {
    const session = await world.opened("told-http");
    const response = await post(session, { command: "echo out; echo err >&2; exit 3" });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const all = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: "))
      .map((event): ExecEvent => JSON.parse(event.slice("data: ".length)));
    assert.deepEqual([all[0]!.type, told(all), told(all, "stderr"), all.at(-1)!.type], ["start", "out\n", "err\n", "complete"]);
    await fails("INVALID_ARGUMENT", session.http("POST", "/commands", { command: "" }));
    await fails("INVALID_ARGUMENT", session.http("POST", "/commands", { command: "true", cwd: "/etc" }));
  });

  it("ends with its children when the client goes away", async () => {
    const session = await world.opened("goes-away");
    const away = new AbortController();
    const response = await post(session, { command: "sleep 1000 & echo pid $!; wait" }, away.signal);
    let child;
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      child = /pid (\d+)/.exec(chunk)?.[1];
      if (child) break;
    }
    away.abort();
    const began = Date.now();
    await until(`process ${child} is gone`, async () => !(await runs(session, child!)), 30_000);
    console.log(`# gone after ${Date.now() - began} ms`);
  });
});

const PRINT = `
import sys
for count in range(int(sys.argv[1])):
    sys.stdout.buffer.write(b"x" * 1_000_000)
    sys.stdout.flush()
    open("printed", "w").write(str(count + 1))
`;

/** Resident memory of workerd. */
function residentMb(): number {
  return Math.round(world.worker.residentBytes() / 1e6);
}
