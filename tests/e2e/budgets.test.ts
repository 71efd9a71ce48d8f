/** What callers' content takes of an isolate: of WebAssembly memory, which never shrinks, and of workerd's CPU. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fails, TOKEN, useWorld, type Session } from "./support.ts";

const world = useWorld({ inspector: true });
const MIB = 2 ** 20;
/** The largest file, and the largest output of a command. */
const LARGEST = 4 * MIB;
const OUTPUT = MIB;
const AT_ONCE = 8;
/** Processor time is counted in hundredths of a second. */
const CPU_CALLS = 5;
/** Of all of workerd, for code that is not optimised: what is deployed takes a fraction. */
const CPU_MAX_SECONDS = 4;
/** Of an isolate's 128 MB. */
const SINGLE_MAX = 24 * MIB;
const TOGETHER_MAX = 48 * MIB;

async function wasmBytes(): Promise<number> {
  const response = await fetch(`${world.worker.url}/test-memory`);
  return ((await response.json()) as { wasmBytes: number }).wasmBytes;
}

/**
 * WebAssembly memory after `call`, and the most that samples of the JavaScript heap showed meanwhile. The latter is told and
 * not required: most of it is garbage that a local workerd, which sets no limit, is in no hurry to collect.
 */
async function peak(call: () => Promise<unknown>): Promise<{ wasm: number; heap: number }> {
  const inspector = await world.worker.inspect();
  let heap = 0;
  let over = false;
  const sampling = (async () => {
    while (!over) {
      const { usedSize, backingStorageSize } = await inspector.send("Runtime.getHeapUsage");
      heap = Math.max(heap, usedSize + backingStorageSize);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    await call();
  } finally {
    over = true;
    await sampling.finally(() => inspector.close());
  }
  return { wasm: await wasmBytes(), heap };
}

const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

describe("the memory of an isolate", () => {
  let session: Session;
  const base64 = Buffer.alloc(LARGEST, 0xc3).toString("base64");
  const write = (path: string) => session.tool("workspace_write_file", { path, content: base64, encoding: "base64" });
  const read = (path: string) => session.tool<{ content: string }>("workspace_read_file", { path });
  const edit = (path: string) => session.tool("workspace_edit_file", { path, oldText: "a", newText: "b", replaceAll: true });
  /** Text, of which each byte is two in JSON, and NUL, of which each is six. */
  const run = () => session.run(`yes '\\' | head -c ${OUTPUT}; head -c ${OUTPUT} /dev/zero >&2`);
  const runText = () => session.run(`yes '\\' | head -c ${OUTPUT}; yes '\\' | head -c ${OUTPUT} >&2`);

  it("takes one of the largest calls in 24 MiB of WebAssembly memory", async () => {
    session = await world.opened("budgets");
    await session.sh(`head -c ${LARGEST} /dev/urandom > bytes; head -c ${LARGEST} /dev/zero | tr '\\0' a > text; printf 'ä' | dd of=text conv=notrunc status=none`);
    const over: string[] = [];
    for (const [what, call] of Object.entries({
      run,
      "read of text": () => read("text"),
      "read of bytes": () => read("bytes"),
      write: () => write("written"),
      edit: () => edit("text"),
    })) {
      const before = await wasmBytes();
      const idle = await peak(async () => {});
      const { wasm, heap } = await peak(call);
      const line = `${what}: WebAssembly ${mib(before)} → ${mib(wasm)}, JavaScript ${mib(idle.heap)} → ${mib(heap)}`;
      console.log(line);
      if (wasm - before > SINGLE_MAX) over.push(line);
    }
    assert.deepEqual(over, []);
  });

  it("takes eight of them at once in 48 MiB of it, one after the other where it must", async () => {
    const paths = Array.from({ length: AT_ONCE }, (_, n) => `many-${n}`);
    const eight = (call: (path: string) => Promise<unknown>) => () => Promise.all(paths.map(call));
    const over: string[] = [];
    for (const [what, call] of Object.entries({ runs: eight(runText), writes: eight(write), reads: eight(read), edits: eight(edit) })) {
      if (what === "edits") await session.sh(`head -c ${LARGEST} /dev/zero | tr '\\0' a | tee ${paths.join(" ")} large > /dev/null`);
      const { wasm, heap } = await peak(call);
      const line = `${AT_ONCE} ${what}: WebAssembly ${mib(wasm)}, JavaScript up to ${mib(heap)}`;
      console.log(line);
      if (wasm > TOGETHER_MAX) over.push(line);
    }
    assert.deepEqual(over, []);
  });

  it("takes bounded CPU for a call with the largest input", async () => {
    await session.sh(`mkdir rows && cd rows && seq 1000 | xargs touch`);
    await session.sh(`yes a | head -c ${LARGEST} > similar`);
    const mcp = async (name: string, args: object) => {
      const response = await fetch(`${world.worker.url}/v1/sessions/budgets/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, accept: "application/json, text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
      });
      assert.ok((await response.text()).length > 512 * 1024, String(response.status));
    };
    const over: string[] = [];
    for (const [what, call] of Object.entries({
      write: () => write("written"),
      "read of text": () => read("large"),
      "read of bytes": () => read("written"),
      "edit of text that is not there": () => fails("CONFLICT", session.tool("workspace_edit_file", { path: "similar", oldText: `${" a\n".repeat(10_000)}b`, newText: "" })),
      "list of 1000": () => session.tool("workspace_ls", { path: "rows", limit: 1_000 }),
      "MCP read": () => mcp("workspace_read_file", { path: "large", length: 512 * 1024 }),
    })) {
      const before = world.worker.cpuSeconds();
      for (let n = 0; n < CPU_CALLS; n++) await call();
      const seconds = (world.worker.cpuSeconds() - before) / CPU_CALLS;
      console.log(`${what}: ${(seconds * 1000).toFixed(0)} ms of CPU`);
      if (seconds > CPU_MAX_SECONDS) over.push(`${what}: ${seconds} s`);
    }
    assert.deepEqual(over, []);
  });

  it("refuses an edit that would grow past a file before it is built, and no other call notices", async () => {
    const other = await world.opened("budgets-other");
    await other.sh("true");
    const before = await wasmBytes();
    const edit = { path: "large", oldText: "a", newText: "b".repeat(1_000_000), replaceAll: true };
    const [, ran] = await Promise.all([fails("TOO_LARGE", session.tool("workspace_edit_file", edit)), other.sh("echo fine")]);
    assert.equal(ran, "fine\n");
    assert.ok((await wasmBytes()) - before < SINGLE_MAX);
  });
});
