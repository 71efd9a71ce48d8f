/**
 * How much of an isolate callers' content uses: WebAssembly memory, which never shrinks, the heap, and workerd's CPU.
 */

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Inspector } from "../../tools/local-worker.ts";
import { fails, TOKEN, until, useWorld, type Session } from "./support.ts";

// Exposes `gc` to the hook below.
process.env["MINIFLARE_WORKERD_V8_FLAGS"] = "--expose-gc";
const PREVIEW_HOST = "preview.example.com";
const world = useWorld({ inspector: true, vars: { PREVIEW_HOST, TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` } });
const MIB = 2 ** 20;
/** The largest file, and the largest output of a command. */
const LARGEST = 2 * MIB;
const OUTPUT = MIB;
const AT_ONCE = 8;
/** The system counts processor time in hundredths of a second. */
const CPU_CALLS = 5;
/** For all of workerd, and for code that is not optimised. */
const CPU_MAX_SECONDS = 1;
/** The same, for the most that one call may search or match. */
const HOSTILE_MAX_SECONDS = 3;
/** Growth of an isolate above its idle size. An isolate has 128 MB. */
const SINGLE_MAX = 24 * MIB;
const TOGETHER_MAX = 96 * MIB;

/** Also collects garbage. */
async function wasmBytes(): Promise<number> {
  const response = await fetch(`${world.worker.url}/test-memory`);
  return ((await response.json()) as { wasmBytes: number }).wasmBytes;
}

/** Bytes that an isolate keeps alive: we collect garbage before each sample. */
interface Live {
  wasm: number;
  heap: number;
  /** Array buffers and strings outside the heap, without WebAssembly's memory. */
  buffers: number;
}

const sum = ({ wasm, heap, buffers }: Live) => wasm + heap + buffers;

let inspector: Inspector;

/** The largest sample while `call` runs. */
async function peak(call: () => Promise<unknown>): Promise<Live> {
  let most: Live = { wasm: 0, heap: 0, buffers: 0 };
  let over = false;
  const sample = async () => {
    const wasm = await wasmBytes();
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await inspector.send("Runtime.getHeapUsage");
    const now = { wasm, heap: usedSize + embedderHeapUsedSize, buffers: backingStorageSize };
    if (sum(now) > sum(most)) most = now;
  };
  const sampling = (async () => {
    do await sample();
    while (!over);
  })();
  try {
    await call();
  } finally {
    over = true;
    await sampling;
    // WebAssembly's memory never shrinks.
    await sample();
  }
  return most;
}

const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

describe("the memory of an isolate", () => {
  let session: Session;
  let idle: Live;
  const base64 = Buffer.alloc(LARGEST, 0xc3).toString("base64");
  /** Text with two bytes per character in JavaScript. */
  const wide = "a".repeat(LARGEST - 8) + "€";
  const write = (path: string) => session.tool("workspace_write_file", { path, content: base64, encoding: "base64" });
  const writeWide = (path: string) => session.tool("workspace_write_file", { path, content: wide });
  const read = (path: string) => session.tool<{ content: string }>("workspace_read_file", { path });
  const letters = new Map<string, string>();
  /** Replaces every byte of a file that initially holds only the letter a. */
  const swap = (path: string) => {
    const oldText = letters.get(path) ?? "a";
    const newText = oldText === "a" ? "b" : "a";
    letters.set(path, newText);
    return { path, oldText, newText, replaceAll: true };
  };
  const edit = (path: string) => session.tool("workspace_edit_file", swap(path));
  /** Text with two bytes of JSON per byte, and NUL with six. */
  const run = () => session.run(`yes '\\' | head -c ${OUTPUT}; head -c ${OUTPUT} /dev/zero >&2`);
  const runText = () => session.run(`yes '\\' | head -c ${OUTPUT}; yes '\\' | head -c ${OUTPUT} >&2`);
  const value = () => session.tool("workspace_run_code", { language: "python", code: "'a' * 1_000_000" });
  const images = () => session.tool("workspace_run_code", {
    language: "python",
    code: "import os\nfor n in range(3): open(os.environ['OUTPUT_DIR'] + f'/{n}.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(2 ** 20 - 8))",
  });
  const mcp = async (name: string, args: object) => {
    const response = await fetch(`${world.worker.url}/v1/sessions/budgets/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json, text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const text = await response.text();
    assert.ok(response.ok && !text.includes('"isError":true'), text.slice(0, 300));
  };

  before(async () => {
    session = await world.opened("budgets");
    await session.sh(`head -c ${LARGEST} /dev/urandom > bytes; head -c ${LARGEST} /dev/zero | tr '\\0' a > text; printf 'ä' | dd of=text conv=notrunc status=none; { printf '€'; head -c ${LARGEST - 3} text | tail -c +3 | tr 'a' 'c'; } > wide; mkdir many; cd many; seq 10000 | xargs touch`);
    inspector = await world.worker.inspect();
    idle = await peak(async () => {});
    console.log(`idle: WebAssembly ${mib(idle.wasm)}, heap ${mib(idle.heap)}, buffers ${mib(idle.buffers)}`);
  });

  after(() => inspector.close());

  /** Growth above the idle isolate, told and returned where it is too much each time: a sample may come before V8 has let go. */
  async function growth(what: string, call: () => Promise<unknown>, max: number, attempts = 3): Promise<string[]> {
    const most = await peak(call);
    const total = sum(most) - sum(idle);
    const line = `${what}: ${mib(total)} more (WebAssembly ${mib(most.wasm)}, heap ${mib(most.heap)}, buffers ${mib(most.buffers)})`;
    console.log(line);
    if (total <= max) return [];
    return attempts > 1 ? growth(what, call, max, attempts - 1) : [line];
  }

  it("grows by 24 MiB at most for one of the largest calls", async () => {
    const over: string[] = [];
    for (const [what, call] of Object.entries({
      run,
      "run of text": runText,
      "run with stdin": () => session.tool("workspace_run", { command: "cat >/dev/null", stdin: "s".repeat(LARGEST) }),
      "read of text": () => read("text"),
      "read of wide text": () => read("wide"),
      "read of bytes": () => read("bytes"),
      "write of wide text": () => writeWide("written"),
      write: () => write("written"),
      edit: () => edit("text"),
      "MCP read": () => mcp("workspace_read_file", { path: "bytes", maxBytes: 512 * 1024 }),
      "MCP write": () => mcp("workspace_write_file", { path: "written", content: base64, encoding: "base64" }),
      "MCP edit": () => mcp("workspace_edit_file", swap("text")),
      "MCP run": () => mcp("workspace_run", { command: `head -c ${OUTPUT} /dev/zero`, maxOutputBytes: 128 * 1024 }),
      "code's value": value,
      "code's images": images,
      list: () => session.tool("workspace_ls", { path: "many", limit: 10_000 }),
    })) {
      over.push(...(await growth(what, call, SINGLE_MAX)));
    }
    assert.deepEqual(over, []);
  });

  it("grows by 96 MiB at most for eight of them at once, one after the other where they must", async () => {
    const paths = Array.from({ length: AT_ONCE }, (_, n) => `many-${n}`);
    const eight = (call: (path: string) => Promise<unknown>) => () => Promise.all(paths.map(call));
    const over: string[] = [];
    for (const [what, call] of Object.entries({
      runs: eight(run),
      "writes of wide text": eight(writeWide),
      writes: eight(write),
      reads: eight(read),
      "reads of wide text": eight(() => read("wide")),
      edits: eight(edit),
      "MCP writes": eight((path) => mcp("workspace_write_file", { path, content: base64, encoding: "base64" })),
      "codes' images": eight(images),
    })) {
      if (what === "edits") await session.sh(`head -c ${LARGEST} /dev/zero | tr '\\0' a | tee ${paths.join(" ")} large > /dev/null`);
      over.push(...(await growth(`${AT_ONCE} ${what}`, call, TOGETHER_MAX)));
    }
    assert.deepEqual(over, []);
  });

  it("takes bounded CPU for a call with the largest input", async () => {
    await session.sh(`yes a | head -c ${LARGEST} > similar`);
    const over: string[] = [];
    await session.sh(`head -c ${LARGEST} /dev/zero | tr '\\0' a > large`);
    for (const [what, call] of Object.entries({
      write: () => write("written"),
      "run that prints": run,
      "read of text": () => read("large"),
      "read of bytes": () => read("written"),
      "edit of every byte": () => edit("large"),
      "edit of text that is not there": () => fails("CONFLICT", session.tool("workspace_edit_file", { path: "similar", oldText: `${" a\n".repeat(10_000)}b`, newText: "" })),
      "list of 10,000": () => session.tool("workspace_ls", { path: "many", limit: 10_000 }),
      "code's value": value,
      "code's images": images,
      "MCP read": () => mcp("workspace_read_file", { path: "large", maxBytes: 512 * 1024 }),
    })) {
      const before = world.worker.cpuSeconds();
      for (let n = 0; n < CPU_CALLS; n++) await call();
      const seconds = (world.worker.cpuSeconds() - before) / CPU_CALLS;
      console.log(`${what}: ${(seconds * 1000).toFixed(0)} ms of CPU`);
      if (seconds > CPU_MAX_SECONDS) over.push(`${what}: ${seconds} s`);
    }
    assert.deepEqual(over, []);
  });

  it("takes bounded CPU for patterns of a caller or a repository that mean harm", async () => {
    const groups = (count: number) => `${`{${Array.from({ length: 12 }, () => "*a").join(",")}}`.repeat(count)}b`;
    await session.sh(`mkdir hostile && cd hostile && head -c ${LARGEST} /dev/zero | tr '\\0' a > line && fold -w 999 line > lines && touch ${"a".repeat(60)}`);
    const before = await session.snapshot({});
    await session.tool("workspace_write_file", { path: "hostile/.gitignore", content: `${groups(9)}\n`.repeat(50) });
    await session.sh(`touch hostile/${"a".repeat(59)}`);
    const files = `/snapshots/${before.ref.ref.backup.id}/files`;
    const over: string[] = [];
    for (const [what, call] of Object.entries({
      "a regular expression": () => session.http("GET", `${files}/lines?pattern=${encodeURIComponent(".{0,650}\\x01")}`),
      "a regular expression, one line": () => session.http("GET", `${files}/lines?path=hostile/line&pattern=${encodeURIComponent(".{0,650}\\x01")}`),
      "a glob of groups": () => fails("INVALID_ARGUMENT", session.http("GET", `${files}?recursive=true&glob=${encodeURIComponent(groups(9))}`)),
      "a glob of stars": () => session.http("GET", `${files}?recursive=true&glob=${encodeURIComponent(`${"*a".repeat(2_000)}b`)}`),
      "a .gitignore": () => session.http("POST", "/diff", { from: { snapshot: before.ref.ref.backup.id }, output: "list" }),
    })) {
      const begun = world.worker.cpuSeconds();
      await call();
      const seconds = world.worker.cpuSeconds() - begun;
      console.log(`${what}: ${(seconds * 1000).toFixed(0)} ms of CPU`);
      if (seconds > HOSTILE_MAX_SECONDS) over.push(`${what}: ${seconds} s`);
    }
    assert.deepEqual(over, []);
  });

  it("refuses a call that waited too long for room, and says when to come back", async () => {
    await until("a call is refused", async () => {
      // Two bodies that never end fill the budget for bodies, for a minute.
      const slow = Array.from({ length: 2 }, () => {
        const headers = { authorization: `Bearer ${TOKEN}`, "content-length": 3 * MIB };
        const sent = request(`${world.worker.url}/v1/sessions/budgets/tools/workspace_write_file`, { method: "POST", headers });
        sent.on("error", () => {});
        sent.write("{");
        return sent;
      });
      try {
        // The first call may overtake them.
        for (let n = 0; n < 2; n++) {
          const error: unknown = await write("refused").then(() => undefined, (thrown: unknown) => thrown);
          if (error === undefined) continue;
          assert.match(String(error), /RATE_LIMITED.*"retryAfterMs":15000/s);
          // A small call needs no room in the budget. It may be sent on the refused call's connection, which the server
          // closes because nobody reads the rest of that call.
          const small = () => session.sh("echo fine").catch((thrown: unknown) => assert.ok(thrown instanceof TypeError, String(thrown)));
          await until("a small call is answered", async () => (await small()) === "fine\n");
          return true;
        }
        return false;
      } finally {
        for (const sent of slow) sent.destroy();
      }
    });
    await until("there is room again", () => write("written").then(() => true, () => false));
  });

  it("keeps no other session waiting for slow senders, and nobody for strangers", async () => {
    const other = await world.opened("budgets-other");
    await other.sh("true");
    const answers: (number | undefined)[] = [];
    const hold = (path: string, headers: object) => {
      const sent = request(`${world.worker.url}${path}`, { method: "POST", headers: { ...headers, "content-length": 3 * MIB } });
      sent.on("error", () => {}).on("response", ({ statusCode }) => answers.push(statusCode));
      sent.write("{");
      return sent;
    };
    const writeOther = () => other.tool("workspace_write_file", { path: "file", content: base64, encoding: "base64" });
    const link = { host: `open.${PREVIEW_HOST}` };
    const strangers = Array.from({ length: 4 }, () => hold(`/80--${"0".repeat(26)}`, link));
    await until("strangers are answered", () => answers.length === 4);
    assert.deepEqual(new Set(answers), new Set([413]));
    await writeOther();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const slow = Array.from({ length: 3 }, () => hold("/v1/sessions/budgets/tools/workspace_write_file", headers));
    await sleep(1_000);
    await writeOther();
    for (const sent of [...strangers, ...slow]) sent.destroy();
    await until("there is room again", () => write("again").then(() => true, () => false));
  });

  it("keeps the head and the tail of what a command prints where eight others hold the room", async () => {
    const holding = Array.from({ length: AT_ONCE }, (_, n) => session.run(`head -c ${OUTPUT} /dev/zero; touch held-${n}; exec tail -f /dev/null`, { maxOutputBytes: OUTPUT }));
    await until("they have printed", async () => (await session.sh("ls held-* 2>/dev/null | wc -l")) === `${AT_ONCE}\n`);
    const print = () => session.run(`yes | head -c ${OUTPUT}`, { maxOutputBytes: OUTPUT });
    const cut = await print();
    assert.deepEqual([cut.exitCode, cut.stdoutTruncated], [0, true]);
    assert.ok(cut.stdout.length > 2 * 64 * 1024 && cut.stdout.length < 140_000, `64 KiB of the head and of the tail: ${cut.stdout.length}`);
    await session.sh("pkill -x tail");
    for (const held of await Promise.all(holding)) assert.equal(held.stdout.length, OUTPUT);
    assert.equal((await print()).stdout.length, OUTPUT);
  });

  it("refuses an edit that would grow past a file before it is built, and no other call notices", async () => {
    const other = await world.opened("budgets-other");
    await other.sh("true");
    await session.sh(`head -c ${LARGEST} /dev/zero | tr '\\0' a > grows`);
    const before = await wasmBytes();
    const edit = { path: "grows", oldText: "a", newText: "b".repeat(1_000_000), replaceAll: true };
    const [, ran] = await Promise.all([fails("TOO_LARGE", session.tool("workspace_edit_file", edit)), other.sh("echo fine")]);
    assert.equal(ran, "fine\n");
    assert.ok((await wasmBytes()) - before < 24 * MIB);
  });
});
