/**
 * The host on a namespace that is not ours: a double of `@cloudflare/sandbox` 0.12 (tests/workers/sdk-sandbox.ts) is bound
 * as SANDBOX. What that class can do works; its errors become ours; what it lacks is UNSUPPORTED.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ErrorCode, SnapshotView } from "../../entry/snapshotter.d.ts";
import { fails, idOf, until, useWorld, type Session } from "./support.ts";

const world = useWorld({
  extraWorkers: [{
    name: "sdk", entry: "tests/workers/sdk-sandbox.ts", classes: ["SdkSandbox"], env: { BACKUP_BUCKET: { type: "r2", name: "BACKUP_BUCKET" } },
  }],
  env: { SANDBOX: { type: "durable-object", worker: "sdk", exportName: "SdkSandbox" } },
});

/** Makes a method of every sandbox fail, sandboxes still to be made included. */
async function withFault<T>(method: string, code: string, during: () => Promise<T>): Promise<T> {
  const bucket = await world.r2();
  await bucket.put(`faults/${method}`, code);
  try {
    return await during();
  } finally {
    await bucket.delete(`faults/${method}`);
  }
}

const read = async (session: Session, path: string) => (await session.tool<{ content: string }>("workspace_read_file", { path })).content;

describe("a session on @cloudflare/sandbox", () => {
  let session: Session;
  let saved: SnapshotView;

  it("configures it in its own words", async () => {
    session = await world.opened("sdk", { sleepAfter: "5m", envVars: { GREETING: "hello" }, capabilities: { fs: true, shell: true, code: true, snapshot: true } });
    const configured = JSON.parse(await session.sh("configured"));
    assert.deepEqual(configured.sandboxName, { name: "sdk", normalizeId: false });
    assert.ok([300, "300", "5m", "300s"].includes(configured.sleepAfter), JSON.stringify(configured));
    assert.equal(JSON.parse(await session.sh("env")).GREETING, "hello");
  });

  it("runs commands, argv quoted for its shell, and reads and writes files", async () => {
    assert.deepEqual(JSON.parse(await session.sh(["args", "a b", "$(c)", "it's", "*", ""].slice(0, 5))), ["a b", "$(c)", "it's", "*"]);
    await session.tool("workspace_write_file", { path: "dir/file", content: "first" });
    assert.equal(await read(session, "dir/file"), "first");
    await fails("NOT_FOUND", session.tool("workspace_read_file", { path: "nothing" }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_read_file", { path: "../etc/passwd" }));
  });

  it("snapshots under the id that the class picked, and keeps its handle whole", async () => {
    saved = await session.tool("workspace_snapshot", { name: "saved" });
    await world.assertR2Holds([idOf(saved)]);
    assert.equal((await session.get("saved")).snapshot.id, idOf(saved));
    assert.deepEqual((await session.list()).snapshots.map(idOf), [idOf(saved)]);
    assert.equal((await session.list({ includeUnready: true })).snapshots.filter(({ state }) => state !== "ready").length, 0);
  });

  it("restores, branches, switches, lists and deletes", async () => {
    await session.tool("workspace_write_file", { path: "dir/file", content: "second" });
    await session.tool("workspace_restore", { ref: saved.ref });
    assert.equal(await read(session, "dir/file"), "first");
    await session.tool("workspace_branch", { ref: "saved" });
    await session.tool("workspace_write_file", { path: "dir/file", content: "third" });
    const { workspaces } = await session.workspaces();
    assert.deepEqual(workspaces.map(({ kind }) => kind), ["origin", "restored", "branch"]);
    for (const [at, content] of [[0, "second"], [1, "first"], [2, "third"]] as const) {
      await session.switch(workspaces[at]!.ref);
      assert.equal(await read(session, "dir/file"), content);
    }
    for (const { ref } of workspaces.slice(1)) {
      await session.switch(workspaces[0]!.ref);
      await session.destroyWorkspace(ref);
    }
    const doomed = await session.snapshot();
    await session.delete(idOf(doomed));
    await world.assertR2Holds([idOf(saved)]);
  });

  it("lists and removes files", async () => {
    for (const name of ["a", "b", "c"]) await session.tool("workspace_write_file", { path: `many/${name}`, content: name });
    const list = async (page = {}) => (await session.tool<{ entries: { path: string }[] }>("workspace_ls", { path: "many", ...page })).entries.map(({ path }) => path);
    assert.deepEqual(await list(), ["many/a", "many/b", "many/c"]);
    assert.deepEqual(await list({ offset: 1, limit: 1 }), ["many/b"]);
    await session.tool("workspace_rm", { path: "many/b" });
    assert.deepEqual(await list(), ["many/a", "many/c"]);
    await fails("NOT_FOUND", session.tool("workspace_read_file", { path: "many/b" }));
  });

  it("UNSUPPORTED: what the class cannot do, or does differently", async () => {
    await fails("UNSUPPORTED", session.run("cat", { stdin: "text" }));
    for (const [tool, input] of [
      ["workspace_run_code", { language: "python", code: "1" }], ["workspace_glob", { pattern: "*" }], ["workspace_grep", { pattern: "x" }], ["workspace_stat", { path: "dir/file" }],
    ] as const) {
      await fails("UNSUPPORTED", session.tool(tool, input)).catch((error: Error) => assert.fail(`${tool}: ${error.message}`));
    }
  });

  it("WORKSPACE_LOST: its disk is another one", async () => {
    const lost = await world.opened("sdk-lost");
    await lost.tool("workspace_write_file", { path: "file", content: "precious" });
    await lost.snapshot({ name: "before" });
    await world.worker.restart(); // The double's files are in memory: they are gone, as with a container.
    await fails("WORKSPACE_LOST", lost.run("ls"));
    await fails("WORKSPACE_LOST", lost.snapshot());
    await lost.tool("workspace_restore", { ref: "before" });
    assert.equal(await read(lost, "file"), "precious");
    await lost.delete("before");
  });
});

describe("its errors", () => {
  let session: Session;
  let saved: SnapshotView;

  it("become ours, without their words", async () => {
    session = await world.opened("faulty", { limits: { maxWorkspaces: 50, maxRunning: 50 } });
    await session.tool("workspace_write_file", { path: "file", content: "1" });
    saved = await session.snapshot();
    const cases: [string, string, ErrorCode, () => Promise<unknown>][] = [
      ["createBackup", "INVALID_BACKUP_CONFIG", "INVALID_ARGUMENT", () => session.snapshot()],
      ["createBackup", "BACKUP_CREATE_FAILED", "BACKUP_FAILED", () => session.snapshot()],
      ["createBackup", "CONTAINER_UNAVAILABLE", "UNAVAILABLE", () => session.snapshot()],
      ["createBackup", "OPERATION_INTERRUPTED", "INTERRUPTED", () => session.snapshot()],
      ["createBackup", "RESET", "INTERRUPTED", () => session.snapshot()],
      ["createBackup", "PLAIN", "INTERNAL", () => session.snapshot()],
      ["restoreBackup", "BACKUP_RESTORE_FAILED", "RESTORE_FAILED", () => session.restore(saved.ref)],
      ["restoreBackup", "BACKUP_NOT_FOUND", "SNAPSHOT_GONE", () => session.restore(saved.ref)],
      ["restoreBackup", "BACKUP_EXPIRED", "SNAPSHOT_EXPIRED", () => session.restore(saved.ref)],
      ["restoreBackup", "CONTAINER_UNAVAILABLE", "UNAVAILABLE", () => session.branch(saved.ref)],
      ["restoreBackup", "SOMETHING_NEW", "INTERNAL", () => session.restore(saved.ref)],
      ["readFile", "FILE_NOT_FOUND", "NOT_FOUND", () => session.tool("workspace_read_file", { path: "file" })],
      ["readFile", "FILE_TOO_LARGE", "TOO_LARGE", () => session.tool("workspace_read_file", { path: "file" })],
      ["readFile", "PLAIN", "INTERNAL", () => session.tool("workspace_read_file", { path: "file" })],
    ];
    for (const [method, theirs, ours, call] of cases) {
      const envelope = await withFault(method, theirs, () => fails(ours, call())).catch((error: Error) => assert.fail(`${method} ${theirs}: ${error.message}`));
      assert.ok(!/internal detail|\.secret/.test(JSON.stringify(envelope)), JSON.stringify(envelope));
      if (ours === "INTERNAL") assert.match(String(envelope.details?.["incidentId"]), /^[0-9a-z-]{8,}$/);
      if (theirs === "RESET") {
        // Its files were in memory. A real container's disk would be as lost.
        await fails("WORKSPACE_LOST", session.run("ls"));
        await session.startFresh();
        await session.tool("workspace_write_file", { path: "file", content: "1" });
      }
    }
  });

  it("an incident is in the log, with the cause that the caller was not told", async () => {
    const { details } = await withFault("readFile", "PLAIN", () => fails("INTERNAL", session.tool("workspace_read_file", { path: "file" })));
    const line = await until("the log", () => world.logLines().find((line) => line["incidentId"] === details?.["incidentId"]));
    assert.deepEqual([line.level, line["outcome"], line["session"]], ["error", "INTERNAL", "faulty"]);
    assert.match(JSON.stringify(line), /an internal detail/);
  });

  it("leave nothing in between: no workspace, no snapshot that never will be", async () => {
    assert.equal((await session.workspaces()).workspaces.length, 1, "failed forks are destroyed");
    const { snapshots: details } = await session.list();
    assert.deepEqual(details.map(({ id }) => id), [idOf(saved)]);
    assert.equal((await session.eventsOf("workspace.failed")).length, 5);
  });

  it("{ success: false } is a failure", async () => {
    await withFault("restoreBackup", "FALSE", () => fails("RESTORE_FAILED", session.restore(saved.ref)));
    assert.equal((await session.workspaces()).workspaces.length, 1);
  });
});
