/** Exports and imports of whole directories as tar archives, with real containers, over HTTP and RPC. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { request } from "node:http";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ImportedTar } from "../../entry/snapshotter.d.ts";
import { AGENT, HERE, HttpError, fails, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

const url = (session: Session, directory = ".") =>
  `${world.worker.url}/v1/sessions/${session.id}/archive?${new URLSearchParams({ path: directory })}`;
const headers = { authorization: `Bearer ${world.session("any").token}` };

function get(session: Session, directory?: string, signal?: AbortSignal): Promise<Response> {
  return fetch(url(session, directory), { headers, ...(signal && { signal }) });
}

async function put(session: Session, body: string | Uint8Array | Blob | ReadableStream<Uint8Array>, directory?: string): Promise<ImportedTar> {
  const response = await fetch(url(session, directory), { method: "PUT", headers, body, duplex: "half" } as RequestInit);
  const answer = await response.json();
  if (!response.ok) throw new HttpError("PUT archive", response.status, answer);
  return answer as ImportedTar;
}

/** A tar archive, made by this machine's tar, of a directory that `fill` fills. */
function packed(fill: string): Buffer {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "snapshotter-archive-"));
  try {
    execFileSync("sh", ["-c", fill], { cwd: dir });
    return execFileSync("tar", ["--create", "--file=-", "."], { cwd: dir, maxBuffer: 1 << 30 });
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

describe("archives over HTTP", () => {
  it("bring back exactly what they took", async () => {
    const session = await world.opened("tree");
    await session.sh("mkdir t && cd t && mkdir -p 'a b/c' empty && echo 1 >'a b/c/é\\n' && ln -s /etc out && ln 'a b/c/é\\n' same && mkfifo pipe && chmod 750 'a b' && printf x >-n");
    const response = await get(session, "t");
    assert.equal(response.headers.get("content-type"), "application/x-tar");
    const archive = Buffer.from(await response.arrayBuffer());
    const told = await put(session, archive, "u/v");
    assert.deepEqual([told.entries, told.files, told.directories, told.links], [7, 3, 3, 1]);
    // The archive has no pipe. Both directories just changed: one lost the pipe, and the other got the import.
    await session.sh("rm t/pipe && touch -d @0 t u/v");
    assert.equal(await session.manifest("/workspace/u/v"), await session.manifest("/workspace/t"));
    const here = packed("mkdir d; echo hi >d/f; ln -s f d/l");
    assert.equal((await put(session, here)).sizeBytes, 3);
    assert.equal(await session.sh("cat d/l"), "hi\n");
  });

  it("are refused whole where they mean harm", async () => {
    const session = await world.opened("harm");
    await session.sh("mkdir d && echo kept >d/kept && ln -s /etc d/etc");
    const before = await session.manifest();
    // Python writes archives that tar would not.
    const hostile = JSON.parse(execFileSync("python3", [path.join(HERE, "hostile_tar.py")], { encoding: "utf8" })) as Record<string, string>;
    for (const [what, base64] of Object.entries(hostile)) {
      const code = what.startsWith("way ") ? "CONFLICT" : what.startsWith("large ") ? "TOO_LARGE" : "INVALID_ARGUMENT";
      const { message, outcome } = await fails(code, put(session, Buffer.from(base64, "base64"), "d"));
      assert.ok(/evil|\betc: is a|\bkept: is/.test(message) || what.startsWith("broken ") || what.startsWith("large "), `${what}: ${message}`);
      assert.equal(outcome, "none", message);
      assert.equal(await session.manifest(), before, what);
    }
    assert.equal(await session.sh("ls /var/lib/snapshotter | grep -c import || true"), "0\n");
    await fails("INVALID_ARGUMENT", put(session, packed("echo x >evil"), "d/etc"));
    await fails("INVALID_ARGUMENT", put(session, packed("echo x >evil"), "../etc"));
    await fails("INVALID_ARGUMENT", put(session, ""));
    await fails("NOT_FOUND", session.http("GET", "/archive?path=none"));
    await fails("INVALID_ARGUMENT", session.http("GET", "/archive?path=d/etc"));
    await world.opened("only-reads", { capabilities: { fs: true, readOnly: true } });
    await fails("FORBIDDEN", put(world.session("only-reads"), packed("echo x >f")));
    assert.equal((await get(world.session("only-reads"))).status, 200);
  });

  it("that break off on their way change nothing", async () => {
    const session = await world.opened("breaks-off");
    await session.sh("true");
    const archive = packed("head -c 5000000 /dev/urandom >one; head -c 5000000 /dev/urandom >two");
    const half = new ReadableStream({
      async start(controller) {
        controller.enqueue(archive.subarray(0, 6_000_000));
        controller.error(new Error("on purpose"));
      },
    });
    await assert.rejects(put(session, half));
    await until("nothing is left of it", async () => (await session.sh("ls -A . /var/lib/snapshotter")).split("\n").every((name) => !/import|one|two/.test(name)));
  });

  it("of which the connection is dropped leave nothing on the disk", { timeout: 150_000 }, async () => {
    const session = await world.opened("dropped");
    await session.sh("true");
    const { hostname, port } = new URL(world.worker.url);
    const held = async () => Number(await session.sh("cat /var/lib/snapshotter/import-*/archive 2>/dev/null | wc -c"));
    for (const length of ["Content-Length: 1000000000", "Transfer-Encoding: chunked"]) {
      const client = net.connect(Number(port), hostname).on("error", () => {});
      client.write(`PUT /v1/sessions/dropped/archive?path=. HTTP/1.1\r\nHost: here\r\nAuthorization: ${headers.authorization}\r\n${length}\r\n\r\n`);
      const block = Buffer.alloc(1 << 20);
      for (let i = 0; i < 30; i++) client.write(length.startsWith("T") ? Buffer.concat([Buffer.from("100000\r\n"), block, Buffer.from("\r\n")]) : block);
      await until("it arrives", async () => (await held()) > 10_000_000, 30_000);
      client.destroy();
      await until("nothing is left of it", async () => (await session.sh("ls /var/lib/snapshotter | grep -c import || true")) === "0\n", 20_000);
    }
  });

  it("stop when nobody reads them, and break off when the container dies", async () => {
    const session = await world.opened("stops");
    await session.sh("head -c 300000000 /dev/zero >zeros");
    const tars = async () => Number(await session.sh("cat /proc/[0-9]*/comm | grep -c '^tar$' || true"));
    const away = new AbortController();
    const response = await get(session, ".", away.signal);
    const reader = response.body!.getReader();
    await reader.read();
    assert.equal(await tars(), 1);
    away.abort();
    await until("tar is gone", async () => (await tars()) === 0, 30_000);
    const other = (await get(session)).body!.getReader();
    await other.read();
    await world.removeContainers();
    await assert.rejects(async () => {
      while (!(await other.read()).done);
    });
  });

  it("keep their container for longer than an idle one is kept, while they are read", { timeout: 120_000 }, async () => {
    const session = await world.opened("slowly", { sleepAfter: "1s" });
    await session.sh("head -c 60000000 /dev/zero >zeros");
    const reader = (await get(session)).body!.getReader();
    let bytes = (await reader.read()).value!.length;
    await sleep(6_000);
    for (let read = await reader.read(); !read.done; read = await reader.read()) bytes += read.value.length;
    assert.ok(bytes > 60_000_000, `${bytes} bytes`);
    await until("it sleeps", async () => (await session.eventsOf("workspace.slept")).length > 0, 60_000);
  });

  it("are larger than what is held of them in memory", { timeout: 300_000 }, async () => {
    const session = await world.opened("large");
    await session.sh("head -c 300000000 /dev/urandom >random; mkdir in", { timeoutMs: 120_000 });
    const sum = (await session.sh("sha256sum <random", { timeoutMs: 120_000 })).trim();
    const before = world.worker.residentBytes();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, world.worker.residentBytes())), 100);
    const began = Date.now();
    const file = path.join(os.tmpdir(), `snapshotter-archive-${process.pid}.tar`);
    try {
      const response = await get(session);
      await fs.promises.writeFile(file, response.body!);
      const out = Date.now();
      await put(session, await fs.openAsBlob(file), "in");
      console.log(`# 300 MB: out ${out - began} ms, in ${Date.now() - out} ms; workerd ${Math.round(before / 1e6)} -> ${Math.round(most / 1e6)} MB`);
    } finally {
      clearInterval(watch);
      fs.rmSync(file, { force: true });
    }
    assert.equal((await session.sh("sha256sum <in/random", { timeoutMs: 120_000 })).trim(), sum);
    assert.ok(most - before < 250e6, `workerd grew by ${Math.round((most - before) / 1e6)} MB`);
  });
});

describe("archives in parts", () => {
  const parts = (session: Session, upload: string, part?: number) =>
    `${world.worker.url}/v1/sessions/${session.id}/archive/uploads/${upload}${part === undefined ? "" : `/${part}`}`;
  const answered = async (what: string, response: Response): Promise<any> => {
    const answer = await response.json();
    if (!response.ok) throw new HttpError(what, response.status, answer);
    return answer;
  };
  const send = async (session: Session, upload: string, part: number, body: Uint8Array) =>
    answered("PUT part", await fetch(parts(session, upload, part), { method: "PUT", headers, body } as RequestInit));
  /** Sends the headers of a part and no body: the refusal comes before it, and a client that is still sending may not read it. */
  const announce = (session: Session, upload: string, part: number, bytes: number) =>
    new Promise((resolve, reject) => {
      const sent = request(parts(session, upload, part), { method: "PUT", headers: { ...headers, "content-length": bytes } });
      sent.on("error", reject).on("response", (response) => {
        const answer = new Response(Readable.toWeb(response) as ReadableStream, { status: response.statusCode! });
        resolve(answered("PUT part", answer).finally(() => sent.destroy()));
      });
      sent.flushHeaders();
    });
  const finish = async (session: Session, upload: string, body: object, more: Record<string, string> = {}) =>
    answered("POST upload", await fetch(parts(session, upload), { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) }));
  const abort = async (session: Session, upload: string) => answered("DELETE upload", await fetch(parts(session, upload), { method: "DELETE", headers }));
  const cut = (archive: Buffer, size: number) => Array.from({ length: Math.ceil(archive.length / size) }, (_, i) => archive.subarray(i * size, (i + 1) * size));

  it("make the same tree as one that is whole", async () => {
    const session = await world.opened("parts");
    const archive = packed("mkdir -p a/b empty; head -c 3000000 /dev/urandom >a/b/f; ln -s f a/b/l; ln a/b/f a/same; chmod 750 a");
    const pieces = cut(archive, 1_000_003);
    assert.equal(pieces.length, 4);
    const sha256 = createHash("sha256").update(archive).digest("hex");
    await put(session, archive, "whole");
    for (const part of [4, 2, 1]) assert.deepEqual(await send(session, "u-1", part, pieces[part - 1]!), { part, sizeBytes: pieces[part - 1]!.length, workspaceId: "parts" });
    const missing = await fails("CONFLICT", finish(session, "u-1", { parts: 4, path: "in/parts" }));
    assert.match(missing.message, /missing: 3$/);
    await send(session, "u-1", 3, Buffer.from("another"));
    await fails("INVALID_ARGUMENT", finish(session, "u-1", { parts: 4, path: "in/parts", sha256 }));
    await send(session, "u-1", 3, pieces[2]!);
    await fails("CONFLICT", finish(session, "u-1", { parts: 3 }));
    const key = { "idempotency-key": "once" };
    const told = await finish(session, "u-1", { parts: 4, path: "in/parts", sha256 }, key);
    assert.deepEqual(await finish(session, "u-1", { parts: 4, path: "in/parts", sha256 }, key), told);
    await session.sh("touch -d @0 whole in/parts");
    assert.equal(await session.manifest("/workspace/in/parts"), await session.manifest("/workspace/whole"));
    assert.equal(await session.sh("ls /var/lib/snapshotter | grep -cE 'import|upload' || true"), "0\n");
    await fails("CONFLICT", finish(session, "u-1", { parts: 4, path: "in/parts", sha256 }));
  });

  it("can be given up, and say what is wrong", async () => {
    const session = await world.opened("given-up");
    await send(session, "u", 1, Buffer.from("x"));
    assert.deepEqual(await abort(session, "u"), { aborted: true, workspaceId: "given-up" });
    assert.deepEqual(await abort(session, "u"), { aborted: true, workspaceId: "given-up" });
    assert.equal(await session.sh("ls /var/lib/snapshotter | grep -c upload || true"), "0\n");
    await fails("CONFLICT", finish(session, "u", { parts: 1 }));
    await fails("INVALID_ARGUMENT", send(session, "u", 0, Buffer.from("x")));
    await fails("INVALID_ARGUMENT", send(session, "u", 1001, Buffer.from("x")));
    await fails("INVALID_ARGUMENT", send(session, "u*", 1, Buffer.from("x")));
    await fails("INVALID_ARGUMENT", send(session, "u", 1, Buffer.alloc(0)));
    await fails("INVALID_ARGUMENT", finish(session, "u", { parts: 1, sha256: "x" }));
    await fails("TOO_LARGE", announce(session, "u", 1, 100 * 1024 * 1024 + 1));
    // Without a length, a part that broke off looks like a whole one.
    const unknown = new ReadableStream({ start: (controller) => (controller.enqueue(Buffer.from("x")), controller.close()) });
    await fails("INVALID_ARGUMENT", fetch(parts(session, "u", 1), { method: "PUT", headers, body: unknown, duplex: "half" } as RequestInit).then((response) => answered("PUT part", response)));
    await world.opened("parts-read", { capabilities: { fs: true, readOnly: true } });
    await fails("FORBIDDEN", send(world.session("parts-read"), "u", 1, Buffer.from("x")));
  });

  it("are gone with their container, and can be sent again", async () => {
    const session = await world.opened("parts-ended");
    const archive = packed("head -c 100000 /dev/urandom >f");
    const [first, second] = cut(archive, 60_000) as [Buffer, Buffer];
    await send(session, "u", 1, first);
    await session.http("DELETE", `/workspaces/${session.id}/container`);
    await send(session, "u", 2, second);
    assert.match((await fails("CONFLICT", finish(session, "u", { parts: 2 }))).message, /missing: 1$/);
    await send(session, "u", 1, first);
    assert.equal((await finish(session, "u", { parts: 2 })).sizeBytes, 100_000);
  });

  it("are stored whole or not at all", { timeout: 90_000 }, async () => {
    const session = await world.opened("parts-dropped");
    await session.sh("true");
    const { hostname, port } = new URL(world.worker.url);
    const client = net.connect(Number(port), hostname).on("error", () => {});
    client.write(`PUT /v1/sessions/parts-dropped/archive/uploads/u/1 HTTP/1.1\r\nHost: here\r\nAuthorization: ${headers.authorization}\r\nContent-Length: 50000000\r\n\r\n`);
    client.write(Buffer.alloc(20_000_000));
    await until("it arrives", async () => Number(await session.sh("cat /var/lib/snapshotter/import-*/part 2>/dev/null | wc -c")) > 10_000_000, 30_000);
    client.destroy();
    await until("nothing is left of it", async () => (await session.sh("ls /var/lib/snapshotter | grep -c import || true")) === "0\n", 20_000);
    assert.match((await fails("CONFLICT", finish(session, "u", { parts: 1 }))).message, /missing: 1|no part/);
  });
});

describe("archives over RPC", () => {
  it("pass from one session to another", async () => {
    const from = await world.opened("from");
    await from.sh("mkdir d && head -c 3000000 /dev/urandom >d/f && ln -s f d/l");
    await world.opened("to");
    const told = await world.agent<ImportedTar>("carry", { from: "from", to: "to", path: "d" });
    assert.deepEqual([told.files, told.links, told.sizeBytes], [1, 1, 3_000_000]);
    const tree = (session: Session) => session.sh("cd d && sha256sum f && readlink l");
    assert.equal(await tree(world.session("to")), await tree(from));
    await fails("INVALID_ARGUMENT", world.rpc("to", "importTar", "no stream"));
    await fails("NOT_FOUND", world.rpc("to", "exportTar", { path: "none" }));
  });
});
