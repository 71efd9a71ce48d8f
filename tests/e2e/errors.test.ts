/**
 * Produces every error code for real, over HTTP and over RPC, in the documented shape.
 *
 * Other files produce these: RATE_LIMITED (access.test.ts), PRECONDITION_FAILED (http.test.ts), INTEGRITY and
 * RESTORE_FAILED (fixtures.test.ts), UNAVAILABLE (configuration.test.ts), FORBIDDEN (tools.test.ts), ownership
 * (ownership.test.ts).
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as http from "node:http";
import { describe, it } from "node:test";
import type { SnapshotView } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, HttpError, idOf, TOKEN, until, useWorld, type Envelope, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT], vars: { BACKUP_BINDINGS: "ABSENT_BUCKET" } });
const SECRET = "hunter2-do-not-log";

/** Any request, without the client that makes only valid ones. */
async function raw(method: string, route: string, init: RequestInit = {}, token: string | null = `Bearer ${TOKEN}`) {
  const headers = { ...(token !== null && { authorization: token }) };
  const response = await fetch(`${world.worker.url}${route}`, { method, ...init, headers });
  const body: unknown = await response.json();
  if (!response.ok) throw new HttpError(`${method} ${route}`, response.status, body);
  return body;
}

/** Sends headers, and perhaps the beginning of a body but never its end, and still waits for the response. */
async function unfinished(headers: Record<string, string>, beginning?: Uint8Array): Promise<never> {
  const request = http.request(`${world.worker.url}/v1/sessions/found`, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  request.flushHeaders();
  if (beginning) request.write(beginning);
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => request.once("response", resolve).once("error", reject));
    let answer = "";
    for await (const chunk of response) answer += chunk;
    throw new HttpError("PUT", response.statusCode ?? 0, JSON.parse(answer));
  } finally {
    request.on("error", () => {}).destroy();
  }
}

describe("the door", () => {
  it("UNAUTHENTICATED: without the token nothing answers, not even that a route is none", async () => {
    for (const token of [null, "", "Bearer ", "Bearer wrong", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN}x`, `bearer ${TOKEN.toUpperCase()}`]) {
      for (const [method, route] of [["GET", "/v1/sessions/x"], ["PUT", "/v1/sessions/x"], ["GET", "/nothing"], ["DELETE", "/v1/sessions/x/snapshots/y"]] as const) {
        const { outcome, message } = await fails("UNAUTHENTICATED", raw(method, route, {}, token));
        assert.equal(outcome, "none");
        assert.ok(!message.includes(TOKEN));
      }
    }
    await fails("NOT_FOUND", world.session("x").describe());
  });

  it("NOT_FOUND: routes, sessions, tools, operations, files", async () => {
    for (const [method, route] of [["GET", "/v1"], ["GET", "/v2/sessions/x"], ["GET", "/v1/sessions/x/y"], ["POST", "/v1/sessions/x/snapshots/y/z"]] as const) {
      await fails("NOT_FOUND", raw(method, route));
    }
    // The path exists, but not with this method: the code is the same, and the status is more specific.
    const headers = { authorization: `Bearer ${TOKEN}` };
    const patched = await fetch(`${world.worker.url}/v1/sessions/x`, { method: "PATCH", headers });
    assert.deepEqual([patched.status, patched.headers.get("allow")?.split(", ").sort()], [405, ["DELETE", "GET", "PUT"]]);
    assert.equal(((await patched.json()) as { error: { code: string } }).error.code, "NOT_FOUND");
    for (const method of ["describe", "resolve", "close", "list", "snapshot", "startFresh", "listEvents", "listTools", "listWorkspaces"]) {
      const { message } = await fails("NOT_FOUND", world.rpc("never-opened", method));
      assert.match(message, /open/);
    }
    const session = await world.opened("found");
    await fails("NOT_FOUND", session.tool("workspace_teleport"));
    await fails("NOT_FOUND", session.cancel("no-such-operation"));
    await fails("NOT_FOUND", world.rpc("found", "cancel", "no-such-operation"));
    assert.deepEqual(world.worker.containers(), []);
    await fails("NOT_FOUND", session.tool("workspace_read_file", { path: "no/such/file" }));
  });

  it("TOO_LARGE: bodies, declared or not, and files", async () => {
    const limit = 6 * 1024 * 1024;
    await fails("TOO_LARGE", unfinished({ "content-length": String(limit + 1) }));
    await fails("TOO_LARGE", unfinished({ "transfer-encoding": "chunked" }, Buffer.alloc(limit + 1, " ")));
    const session = world.session("found");
    await session.sh("head -c 2097152 /dev/zero | tr '\\0' x > fits && truncate -s 2097153 large && head -c 2097153 /dev/zero > zeros");
    for (const path of ["large", "zeros"]) await fails("TOO_LARGE", session.tool("workspace_read_file", { path }));
    assert.equal((await session.tool<{ sizeBytes: number }>("workspace_read_file", { path: "fits" })).sizeBytes, 2097152);
    await fails("TOO_LARGE", session.tool("workspace_write_file", { path: "new", content: "y".repeat(2097153) }));
    const bytes = Buffer.alloc(2097152, 0xc3);
    await session.tool("workspace_write_file", { path: "bytes", content: bytes.toString("base64"), encoding: "base64" });
    const back = await session.tool<{ content: string; encoding: string }>("workspace_read_file", { path: "bytes" });
    assert.equal(back.encoding, "base64");
    assert.ok(Buffer.from(back.content, "base64").equals(bytes));
  });
});

describe("INVALID_ARGUMENT names the field, and nothing is done", () => {
  it("over HTTP", async () => {
    const session = await world.opened("invalid");
    for (const [body, says] of [["{", "JSON"], ["[]", "object"], ["null", "object"], ['"x"', "object"], ["\xff", "body"], ['{"ttlSeconds":1e999}', ""]] as const) {
      const { message } = await fails("INVALID_ARGUMENT", session.http("POST", "/snapshots", body));
      assert.ok(message.includes(says), message);
    }
    await fails("INVALID_ARGUMENT", session.http("POST", "/snapshots", Buffer.from([0x7b, 0xff, 0x7d])));
    const cases: [string, string, object, RegExp][] = [
      ["POST", "/snapshots", { ttlSeconds: 60 }, /ttl/i], ["POST", "/snapshots", { ttlSeconds: 315360001 }, /ttl/i],
      ["POST", "/snapshots", { ttlSeconds: 61.5 }, /ttl|integer|float/i], ["POST", "/snapshots", { ttlSeconds: "61" }, /ttl|string/i], ["POST", "/snapshots", { ttlSeconds: -1 }, /ttl|-1/i],
      ["POST", "/snapshots", { name: "" }, /name/], ["POST", "/snapshots", { name: "x".repeat(129) }, /name/], ["POST", "/snapshots", { name: "a\u0007b" }, /name/],
      ["POST", "/snapshots", { name: "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db" }, /name/], ["POST", "/snapshots", { name: 7 }, /name|integer/],
      ["POST", "/snapshots", { description: "x".repeat(1025) }, /description/], ["POST", "/snapshots", { surprise: 1 }, /surprise/],
      ["POST", "/workspaces", {}, /from/], ["POST", "/workspaces", { from: 7, kind: "branch" }, /^from: /], ["POST", "/workspaces", { from: "x", kind: "branch", dir: "/etc" }, /dir/],
      ["POST", "/workspaces", { from: "x" }, /kind/], ["POST", "/workspaces", { from: "x", kind: "origin" }, /origin/], ["GET", "/snapshots?limit=0", {}, /limit/], ["GET", "/events?limit=0", {}, /limit/],
      ["PUT", "/active-workspace", { ref: { providerId: "docker", ref: { id: "invalid" } } }, /docker|providerId/],
      ["PUT", "/active-workspace", { ref: { providerId: "cloudflare-sandbox", ref: { id: "a", extra: 1 } } }, /extra/],
      ["POST", "/tools/workspace_run", {}, /command/], ["POST", "/tools/workspace_run", { command: [] }, /command/], ["POST", "/tools/workspace_run", { command: "" }, /command/],
      ["POST", "/tools/workspace_run", { command: "ls", timeoutMs: 0 }, /timeout/i], ["POST", "/tools/workspace_run", { command: "ls", timeoutMs: 3600001 }, /timeout/i],
      ["POST", "/tools/workspace_run", { command: ["a\0b"] }, /command|NUL/i], ["POST", "/tools/workspace_run", { command: "ls", env: { "A=B": "c" } }, /A=B/],
      ["POST", "/tools/workspace_run", { command: "x".repeat(102401) }, /command/], ["POST", "/tools/workspace_run", { command: "ls", sudo: true }, /sudo/],
      ["POST", "/tools/workspace_write_file", { path: "x", content: "é!", encoding: "base64" }, /base64|content/], ["POST", "/tools/workspace_read_file", { path: "" }, /path/],
      ["POST", "/tools/workspace_read_file", { path: "a\0b" }, /path/], ["POST", "/tools/workspace_read_file", { path: "x".repeat(4097) }, /path/],
      ["GET", "/snapshots?limit=x", {}, /limit/], ["GET", "/snapshots?limit=-1", {}, /limit/], ["GET", "/snapshots?cursor=forged", {}, /cursor/], ["GET", "/events?cursor=%00", {}, /cursor/],
      ["GET", "/snapshots?includeExpired=1", {}, /includeExpired/], ["DELETE", "/workspaces/UPPER", {}, /uppercase/],
    ];
    for (const [method, route, body, says] of cases) {
      const what = `${method} ${route} ${JSON.stringify(body).slice(0, 100)}`;
      const envelope = await fails("INVALID_ARGUMENT", session.http(method, route, method === "GET" ? undefined : body))
        .catch((error: Error) => assert.fail(`${what}: ${error.message}`));
      assert.match(envelope.message, says, what);
      assert.deepEqual([envelope.outcome, envelope.retryable], ["none", false], what);
    }
    assert.deepEqual(await world.r2Keys(), []);
    assert.deepEqual((await session.list({ includeUnready: true })).snapshots, []);
  });

  it("over RPC, where there is NaN", async () => {
    for (const number of ["NaN", "Infinity", "-Infinity", "60", "-0.5"]) {
      await fails("INVALID_ARGUMENT", world.rpc("invalid", "snapshot", { ttlSeconds: { $number: number } }));
      await fails("INVALID_ARGUMENT", world.rpc("invalid", "callTool", "workspace_snapshot", { ttlSeconds: { $number: number } }));
      await fails("INVALID_ARGUMENT", world.rpc(`odd${number.length}`, "open", { limits: { maxRunning: { $number: number === "60" ? "0" : number } } }));
    }
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "list", { limit: { $number: "NaN" } }));
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "restore", { providerId: "cloudflare-sandbox" }));
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "restore"));
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "callTool", 7));
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "open", { workspaceDir: "/etc" }));
    await fails("INVALID_ARGUMENT", world.rpc("invalid", "open", { backupR2Binding: "API_TOKEN" }));
    assert.deepEqual(await world.r2Keys(), []);
  });
});

describe("the state of things", () => {
  let session: Session;

  it("CONFLICT: a name that is taken, an active workspace to destroy, a session that is closed", async () => {
    session = await world.opened("state", { limits: { maxRunning: 1, maxWorkspaces: 3 } });
    await session.sh("echo 1 > file");
    await session.snapshot({ name: "taken" });
    await fails("CONFLICT", session.snapshot({ name: "taken" }));
    await fails("CONFLICT", world.rpc("state", "snapshot", { name: "taken" }));
    await fails("CONFLICT", session.destroyWorkspace(await session.active()));
    assert.equal(await session.sh("cat file"), "1\n");
    const closed = await world.opened("closed");
    await closed.close();
    for (const call of [() => closed.run("ls"), () => closed.snapshot(), () => world.rpc("closed", "startFresh")]) await fails("CONFLICT", call());
  });

  it("QUOTA_EXCEEDED: containers, and workspaces", async () => {
    const { message } = await fails("QUOTA_EXCEEDED", session.restore("taken"));
    assert.match(message, /1/);
    await fails("QUOTA_EXCEEDED", world.rpc("state", "branch", "taken"));
    assert.equal((await session.workspaces()).workspaces.length, 1);
    const small = await world.opened("small", { limits: { maxWorkspaces: 1 } });
    await small.sh("true");
    await small.snapshot({ name: "only" });
    await fails("QUOTA_EXCEEDED", small.restore("only"));
    await small.close();
  });

  it("ABORTED: before it starts, and while it runs", async () => {
    const cut = await world.agent<{ thrown?: { message: string } }>("aborted", { session: "state" });
    assert.ok(cut.thrown, "an aborted signal stops the call, wherever it is noticed");
    const large = await world.opened("large", { limits: { maxRunning: 2 } });
    await large.sh("head -c 40000000 /dev/urandom > noise");
    const { ref } = await large.snapshot();
    // Over HTTP, over RPC, and as a tool, which would also switch.
    for (const call of [
      () => large.http("POST", "/workspaces", { from: ref, kind: "restored" }, { "operation-id": "op" }),
      () => world.rpc("large", "branch", ref, { operationId: "op" }),
      () => world.rpc("large", "callTool", "workspace_restore", { ref }, { operationId: "op" }),
    ]) {
      const running = fails("ABORTED", call());
      await until("the operation is known", () => large.cancel("op").then(() => true, () => false));
      await running;
      assert.deepEqual((await large.workspaces()).workspaces.map(({ ref }) => ref.ref.id), ["large"], "nothing is left of it");
    }
    assert.equal((await large.active()).ref.id, "large");
    await fails("NOT_FOUND", large.cancel("op"));
    await large.close();
  });

  it("WORKSPACE_LOST, over both", async () => {
    const shared = await world.opened("sharing", { id: "shared-lost", shareAcrossSessions: true });
    await shared.sh("true");
    await world.removeContainers();
    await fails("WORKSPACE_LOST", shared.run("ls"));
    await fails("WORKSPACE_LOST", world.rpc("sharing", "callTool", "workspace_run", { command: "ls" }));
  });

  it("SNAPSHOT_GONE and SNAPSHOT_EXPIRED, over both", async () => {
    const fresh = await world.opened("fading");
    await fresh.sh("echo 1 > file");
    const [gone, brief] = [await fresh.snapshot({ name: "gone" }), await fresh.snapshot({ name: "brief", ttlSeconds: 61 })];
    await (await world.r2()).delete(`backups/${idOf(gone)}/data.sqsh`);
    await fails("SNAPSHOT_GONE", fresh.restore(gone.ref));
    await fails("SNAPSHOT_GONE", world.rpc("fading", "restore", gone.ref));
    await until("it expires", async () => (await fresh.list()).snapshots.every(({ name }) => name !== "brief"));
    await fails("SNAPSHOT_EXPIRED", fresh.restore(brief.ref));
    await fails("SNAPSHOT_EXPIRED", world.rpc("fading", "branch", brief.ref));
    await fresh.sh("echo 2 > file");
    const again = await fresh.snapshot({ name: "brief" });
    assert.notEqual(idOf(again), idOf(brief), "an expired snapshot does not keep its name");
    await fresh.close();
  });

  it("BACKUP_FAILED and UNSUPPORTED: an archive tool that fails, or that the image lacks", async () => {
    const session = await world.opened("toolless");
    await session.sh("cp /usr/bin/mksquashfs /tmp/kept && printf '#!/bin/sh\\necho in its own words >&2; exit 1\\n' > /usr/bin/mksquashfs");
    const { message, outcome } = await fails("BACKUP_FAILED", session.snapshot());
    assert.deepEqual([outcome, message.includes("/var/lib")], ["none", false], message);
    await fails("BACKUP_FAILED", world.rpc("toolless", "snapshot"));
    await session.sh("rm /usr/bin/mksquashfs");
    await fails("UNSUPPORTED", session.tool("workspace_snapshot"));
    await fails("UNSUPPORTED", world.rpc("toolless", "snapshot"));
    assert.deepEqual((await session.list()).snapshots, []);
    await session.sh("install -m 755 /tmp/kept /usr/bin/mksquashfs");
    await session.snapshot({ name: "works again" });
    await session.close();
  });

  it("NOT_CONFIGURED: a bucket that is listed and not bound", async () => {
    const session = await world.opened("bucketless", { backupR2Binding: "ABSENT_BUCKET" });
    await session.sh("echo 1 > file");
    assert.match((await fails("NOT_CONFIGURED", session.snapshot())).message, /ABSENT_BUCKET/);
    assert.match((await fails("NOT_CONFIGURED", world.rpc("bucketless", "snapshot"))).message, /ABSENT_BUCKET/);
    assert.ok(!(await session.list({ includeUnready: true })).snapshots.some(({ state }) => state === "pending"));
  });
});

describe("what to do next", () => {
  it("is said in the words of the surface that was called", async () => {
    const session = await world.opened("words");
    const ref = { providerId: "cloudflare-sandbox", ref: { id: "not-mine" } };
    const next = { text: "list this session's workspaces with {listWorkspaces}" };
    for (const [says, call] of [
      ["GET /v1/sessions/{session}/workspaces", () => session.http("PUT", "/active-workspace", { ref })],
      ["listWorkspaces()", () => world.rpc("words", "switch", ref)],
      ["workspace_list_workspaces", () => session.tool("workspace_switch", { ref })],
      ["workspace_list_workspaces", () => world.rpc("words", "callTool", "workspace_switch", { ref })],
    ] as const) {
      const error = await fails("WORKSPACE_NOT_OWNED", call());
      assert.deepEqual([error.hint, error.next], [`list this session's workspaces with ${says}`, next]);
    }
    const from = "POST /v1/sessions/{session}/tools/workspace_ls";
    const started = session.http("POST", "/processes", { name: "server", command: "sleep 1", cwd: "absent" });
    const { hint } = await fails("NOT_FOUND", started);
    assert.ok(hint!.endsWith(`or see what exists with ${from}`), hint);
  });

  it("is said within an answer, too", async () => {
    const session = world.session("words");
    const key = { "idempotency-key": "late" };
    await assert.rejects(session.http("POST", "/rewind", { ref: "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db" }, key));
    const { operations } = await session.http<{ operations: { id: string }[] }>("GET", "/operations");
    const { error } = await session.http<{ error: Envelope }>("GET", `/operations/${operations[0]!.id}`);
    assert.match(error.hint!, / GET \/v1\/sessions\/\{session\}\/snapshots[; ]/);
    const told = await world.rpc<{ error: Envelope }>("words", "getOperation", operations[0]!.id);
    assert.match(told.error.hint!, / list\(\)[; ]/);
  });
});

describe("commands and paths", () => {
  let session: Session;

  it("exits, output, time limits and truncation are results, not errors", async () => {
    session = await world.opened("commands", { envVars: { SECRET, PLAIN: "from the session" } });
    const failed = await session.run("echo out; echo err >&2; exit 3");
    assert.deepEqual([failed.success, failed.exitCode, failed.stdout, failed.stderr, failed.timedOut], [false, 3, "out\n", "err\n", false]);
    const slow = await session.run("echo begun; sleep 60", { timeoutMs: 2000 });
    assert.deepEqual([slow.exitCode, slow.timedOut, slow.success, slow.stdout], [124, true, false, "begun\n"]);
    assert.ok(slow.durationMs < 10_000, `${slow.durationMs} ms`);
    assert.equal((await session.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c '[s]leep 60'")).stdout, "0\n", "it was killed");
    const limit = 1024 * 1024;
    const full = await session.run(`head -c ${limit} /dev/zero | tr '\\0' a; head -c ${limit + 1} /dev/zero | tr '\\0' b >&2`, { maxOutputBytes: limit });
    assert.deepEqual([full.stdout.length, full.stdoutTruncated, full.stderrTruncated], [limit, false, true]);
    const endless = await session.run("yes | head -c 50000000", { timeoutMs: 20_000, maxOutputBytes: limit });
    assert.deepEqual([endless.exitCode, endless.stdoutTruncated], [0, true]);
    // What is left out is said in its place.
    for (const { length } of [full.stderr, endless.stdout]) assert.ok(length >= limit && length < limit + 200, `${length}`);
    assert.equal((await session.run("printf '\\377ok'")).stdout, "\ufffdok");
    assert.equal(await session.sh(["cat"], { stdin: "to stdin\n" }), "to stdin\n");
    assert.equal(await session.sh("echo $PLAIN $OWN; pwd", { env: { OWN: "of the command" }, cwd: "." }), "from the session of the command\n/workspace\n");
    assert.equal((await session.run(["no-such-program"])).exitCode, 127);
  });

  it("nothing in a name is a command", async () => {
    for (const name of ["$(touch /tmp/owned)", "`touch /tmp/owned`", "; touch /tmp/owned", "a\nb; touch /tmp/owned", "' ; touch /tmp/owned ; '", "-rf", "--", "$HOME", "~", "*", "a\\", "\""]) {
      await session.tool("workspace_write_file", { path: name, content: name });
      assert.equal((await session.tool<{ content: string }>("workspace_read_file", { path: name })).content, name);
    }
    assert.equal(await session.sh(["echo", "$(touch /tmp/owned)", ";", "*"]), "$(touch /tmp/owned) ; *\n");
    assert.equal((await session.run("ls /tmp/owned")).exitCode, 2);
    assert.equal(await session.sh("ls -A | wc -l"), "13\n", "one of the names has two lines");
  });

  it("no path leaves the workspace, by dots or by links", async () => {
    await session.sh("ln -s /etc out; ln -s /etc/passwd passwd; ln -s / root; ln -s ../.. up; mkdir -p in; ln -s ../in in/back; ln -s /workspace/in absolute");
    for (const path of ["../etc/passwd", "/etc/passwd", "in/../../etc/passwd", "out/passwd", "passwd", "root/etc/passwd", "up/etc/passwd", "in/back/../../../etc/passwd", "/workspace/../etc/passwd", "/workspacex/file"]) {
      await fails("INVALID_ARGUMENT", session.tool("workspace_read_file", { path })).catch((error: Error) => assert.fail(`read ${path}: ${error.message}`));
      await fails("INVALID_ARGUMENT", session.tool("workspace_write_file", { path, content: "0wned-by-test" })).catch((error: Error) => assert.fail(`write ${path}: ${error.message}`));
    }
    await fails("INVALID_ARGUMENT", session.tool("workspace_write_file", { path: "out/new", content: "0wned-by-test" }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_write_file", { path: "root/tmp/deep/new", content: "0wned-by-test" }));
    await fails("INVALID_ARGUMENT", session.run("pwd", { cwd: "../.." }));
    assert.equal((await session.run("grep -r 0wned-by-test /etc /tmp 2>/dev/null; ls /tmp/deep")).stdout, "");
    await session.tool("workspace_write_file", { path: "in/back/ok", content: "inside" });
    assert.equal((await session.tool<{ content: string }>("workspace_read_file", { path: "absolute/ok" })).content, "inside");
    assert.equal((await session.tool<{ path: string }>("workspace_write_file", { path: "/workspace/new/dir/file", content: "" })).path, "/workspace/new/dir/file");
  });

  it("secrets stay where they belong", async () => {
    const env = await session.sh("env; cat /proc/1/environ; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'");
    assert.ok(env.includes(SECRET), "the command has what it was given");
    assert.ok(!env.includes(TOKEN) && !env.includes("API_TOKEN"));
    const described = await session.describe();
    assert.deepEqual(described.config.envVars, { SECRET: "<redacted>", PLAIN: "<redacted>" });
    const { config } = await world.rpc<typeof described>("commands", "describe");
    assert.deepEqual(config.envVars, described.config.envVars);
    const { ref } = await session.snapshot();
    for (const shown of [JSON.stringify(await session.events()), (await world.r2Bytes(`backups/${idOf(ref)}/meta.json`)).toString()]) assert.ok(!shown.includes(SECRET));
    const inspected = execFileSync("docker", ["inspect", ...world.worker.containers()], { encoding: "utf8" });
    assert.ok(!inspected.includes(TOKEN));
    const lines = await until("the log", () => {
      const lines = world.logLines().filter(({ session }) => session === "commands");
      return lines.some(({ event }) => event === "snapshot") && lines;
    });
    const text = JSON.stringify(lines);
    assert.ok(!text.includes(SECRET) && !text.includes("from the session") && !text.includes("touch /tmp/owned"), "neither secrets nor content");
    for (const line of lines.filter(({ durationMs }) => durationMs !== undefined)) {
      assert.ok(typeof line["outcome"] === "string" && typeof line["durationMs"] === "number", JSON.stringify(line));
    }
  });
});

describe("a sandbox that fails as none of ours does", () => {
  const world = useWorld({
    extraWorkers: [AGENT, {
      name: "faulty", entry: "tests/workers/faulty-sandbox.ts", classes: ["FaultySandbox"], sandboxes: ["FaultySandbox"],
      env: { BACKUP_BUCKET: { type: "r2", name: "BACKUP_BUCKET" } },
    }],
    env: { SANDBOX: { type: "durable-object", worker: "faulty", exportName: "FaultySandbox" } },
  });
  let session: Session;
  let saved: SnapshotView;

  /** Makes a method of every sandbox fail, also of sandboxes that are made later. */
  async function withFault<T>(method: string, kind: "RESET" | "PLAIN", during: () => Promise<T>): Promise<T> {
    const bucket = await world.r2();
    await bucket.put(`faults/${method}`, kind);
    try {
      return await during();
    } finally {
      await bucket.delete(`faults/${method}`);
    }
  }

  it("INTERNAL: the caller is told an incident, and the log its cause", async () => {
    session = await world.opened("faulty", { limits: { maxWorkspaces: 50, maxRunning: 50 } });
    await session.sh("echo 1 > file");
    saved = await session.snapshot({ name: "saved" });
    const read = ["workspace_read_file", { path: "file" }] as const;
    for (const [method, call] of [
      ["readFile", () => session.tool(...read)],
      ["readFile", () => world.rpc("faulty", "callTool", ...read)],
      ["createBackup", () => session.snapshot()],
      ["restoreBackup", () => session.restore(saved.ref)],
      ["restoreBackup", () => world.rpc("faulty", "branch", saved.ref)],
    ] as const) {
      const envelope = await withFault(method, "PLAIN", () => fails("INTERNAL", call())).catch((error: Error) => assert.fail(`${method}: ${error.message}`));
      assert.ok(!/internal detail|\.secret/.test(JSON.stringify(envelope)), JSON.stringify(envelope));
      const incident = envelope.details?.["incidentId"];
      assert.match(String(incident), /^[0-9a-z-]{8,}$/);
      const line = await until("the log", () => world.logLines().find((line) => line["incidentId"] === incident));
      assert.deepEqual([line.level, line["outcome"], line["session"]], ["error", "INTERNAL", "faulty"]);
      assert.match(JSON.stringify(line), /an internal detail/);
    }
  });

  it("INTERRUPTED: its object restarts under the call", async () => {
    for (const [method, call] of [
      ["createBackup", () => session.snapshot()],
      ["createBackup", () => world.rpc("faulty", "snapshot")],
      ["restoreBackup", () => session.restore(saved.ref)],
      ["readFile", () => session.tool("workspace_read_file", { path: "file" })],
    ] as const) {
      await withFault(method, "RESET", () => fails("INTERRUPTED", call())).catch((error: Error) => assert.fail(`${method}: ${error.message}`));
      assert.equal(await session.sh("cat file"), "1\n");
    }
  });

  it("leaves nothing in between: no workspace, no snapshot that never will be", async () => {
    assert.equal((await session.workspaces()).workspaces.length, 1, "failed restores and branches are destroyed");
    assert.equal((await session.eventsOf("workspace.failed")).length, 3);
    await until("what was begun is settled", async () => {
      const { snapshots } = await session.list({ includeUnready: true });
      return snapshots.every(({ id, state }) => state === "failed" || id === idOf(saved));
    });
    await world.assertR2Holds([idOf(saved)]);
  });
});
