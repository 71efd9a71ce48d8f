/** A second Worker, in TypeScript, uses the AgentHost through its published types. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import type { ExecResult, ListedSnapshot, SessionView, SnapshotRef, SnapshotSummary, SnapshotView, ListedTool, WorkspaceRef, WorkspaceSummary } from "../../entry/snapshotter.d.ts";
import { AGENT, HERE, fails, useWorld, refsIn } from "./support.ts";

/** The same Worker with a compatibility date at which only an error's message crosses RPC. */
const OLD = { ...AGENT, name: "old-agent", compatibilityDate: "2026-01-01" };
const world = useWorld({ extraWorkers: [AGENT, OLD] });
const PUBLISHED: ListedTool[] = JSON.parse(fs.readFileSync(path.join(HERE, "../golden/tools.json"), "utf8"));

type Attempt = {
  opened: SessionView; ref: SnapshotRef; snapshot: SnapshotSummary; failed: ExecResult; fork: WorkspaceRef; before: WorkspaceRef; after: WorkspaceRef; ran: ExecResult;
  branch: WorkspaceRef; switched: WorkspaceRef; listed: { snapshots: ListedSnapshot[] }; got: SnapshotView; workspaces: WorkspaceSummary[];
  deleted: boolean; events: string[]; described: SessionView; closed: SessionView;
};

describe("an agent's Durable Object", () => {
  it("runs a session: works, saves, breaks it, goes back, branches, cleans up", async () => {
    const config = { destroyOnClose: true, capabilities: { fs: true, shell: true, snapshot: true } };
    const did = await world.agent<Attempt>("attempt", { session: "scripted", config });
    assert.equal(did.opened.status, "open");
    assert.equal(did.opened.workspaceDir, "/workspace");
    assert.deepEqual(did.ref.ref.originSandboxId, "scripted");
    assert.equal(did.snapshot.description, "it runs");
    assert.equal(Date.parse(did.snapshot.expiresAt) - Date.parse(did.snapshot.createdAt), 3600_000);
    assert.equal(did.failed.exitCode, 1);
    assert.deepEqual(did.before.ref.id, "scripted", "restore alone does not swap");
    assert.deepEqual(did.after, did.fork, "swapRef does");
    assert.equal(did.ran.stdout, "good\n");
    assert.match(did.branch.ref.id, /^scripted-branch-/);
    assert.deepEqual(did.switched, did.branch);
    assert.deepEqual(refsIn(did.listed), [did.ref]);
    assert.deepEqual(did.got, { ref: did.ref, snapshotId: did.snapshot.id, snapshot: did.snapshot });
    assert.deepEqual(did.workspaces.map(({ kind, active }) => [kind, active]), [["origin", false], ["restored", false], ["branch", true]]);
    assert.equal(did.deleted, true);
    assert.deepEqual(did.events.toSorted(), [
      "session.opened", "snapshot.created", "snapshot.deleted", "workspace.branched", "workspace.destroyed", "workspace.restored",
      "workspace.switched", "workspace.switched", "workspace.switched",
    ]);
    assert.deepEqual(did.described.active, did.fork);
    assert.equal(did.closed.status, "closed");
    assert.deepEqual(world.worker.containers(), []);
    await world.assertR2Holds([]);
  });

  it("gets errors with all their properties, or with the code in the message where its date is old", async () => {
    await world.rpc("errors", "open");
    const { message, retryable, outcome } = await fails("SNAPSHOT_NOT_OWNED", world.rpc("errors", "restore", "00000000-0000-4000-8000-000000000000"));
    assert.match(message, /^SNAPSHOT_NOT_OWNED: /);
    assert.deepEqual([retryable, outcome], [false, "none"]);
    for (const [method, args, code] of [
      ["restore", ["00000000-0000-4000-8000-000000000000"], "SNAPSHOT_NOT_OWNED"], ["snapshot", [{ ttlSeconds: 1 }], "INVALID_ARGUMENT"],
      ["callTool", ["workspace_teleport"], "NOT_FOUND"],
    ] as const) {
      const { thrown } = await world.agent<{ thrown: { message: string } }>("call", { object: "host", name: "errors", method, args }, OLD.name);
      assert.match(thrown.message, new RegExp(`^(\\w*Error: )?${code}: `));
    }
  });

  it("can call what the interface names and nothing else", async () => {
    const names = ["free", "call", "alarm2", "rust", "#rust", "settle", "__destroy_into_raw", "__wbg_ptr", "ctx", "env"];
    const answers = await world.agent<Record<string, string>>("reach", { session: "errors", names });
    for (const [name, answer] of Object.entries(answers)) assert.match(answer, /does not implement|not a function|private|not exist/i, `${name}: ${answer}`);
    assert.equal((await world.rpc("errors", "describe")).status, "open");
  });
});

describe("tools", () => {
  const names = (tools: ListedTool[]) => tools.map(({ name }) => name);

  it("are those of the modules that the session declared", async () => {
    for (const [id, capabilities, listed] of [
      ["files-only", { fs: true }, [
        "describe", "edit_file", "git_checkpoint", "git_checkpoint_delete", "git_checkpoint_diff", "git_checkpoint_list", "git_checkpoint_restore",
        "glob", "grep", "ls", "mkdir", "pause", "read_file", "resume", "rm", "stat", "write_file",
      ]],
      ["shell-only", { shell: true }, ["describe", "logs", "pause", "processes", "resume", "run", "start", "stop"]],
      ["code-only", { code: true }, ["describe", "pause", "resume", "run_code"]],
      ["none", {}, ["describe", "pause", "resume"]],
    ] as const) {
      await world.rpc(id, "open", { capabilities });
      assert.deepEqual(names(await world.rpc<ListedTool[]>(id, "listTools", { tools: "all" })).sort(), listed.map((name) => `workspace_${name}`), id);
      await fails("NOT_FOUND", world.rpc(id, "callTool", "workspace_snapshot"));
    }
    await fails("NOT_FOUND", world.rpc("files-only", "callTool", "workspace_run", { command: "ls" }));
    await fails("NOT_FOUND", world.rpc("shell-only", "callTool", "workspace_read_file", { path: "x" }));
    assert.deepEqual(world.worker.containers(), []);
  });

  it("carry schemas, all four annotations, and allowCrossSession only where it is honoured", async () => {
    await world.rpc("plain", "open", {});
    await world.rpc("crossing", "open", { capabilities: { snapshot: { crossSession: true } } });
    const plain = await world.rpc<ListedTool[]>("plain", "listTools", { tools: "all" });
    const crossing = await world.rpc<ListedTool[]>("crossing", "listTools", { tools: "all" });
    // These are only in sessions that declare them.
    const declared = /_code_contexts?$|_script$/;
    assert.deepEqual(names(plain), names(PUBLISHED).filter((name) => !declared.test(name)));
    for (const tool of [...plain, ...crossing]) {
      assert.match(tool.name, /^workspace_[a-z_]+$/);
      assert.deepEqual(Object.keys(tool.annotations).sort(), ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
      assert.ok(Object.values(tool.annotations).every((hint) => typeof hint === "boolean"));
      for (const schema of [tool.inputSchema, tool.outputSchema]) assert.equal((schema as { type: string }).type, "object");
      assert.ok(tool.description.length > 80, tool.name);
    }
    assert.ok(!JSON.stringify(plain).includes("allowCrossSession"));
    const crossable = [
      "workspace_branch", "workspace_copy_from_snapshot", "workspace_delete_snapshot", "workspace_diff", "workspace_get_snapshot",
      "workspace_glob", "workspace_grep", "workspace_list_snapshots", "workspace_ls", "workspace_promote", "workspace_read_file",
      "workspace_restore", "workspace_rewind", "workspace_stat",
    ];
    assert.deepEqual(names(crossing.filter((tool) => JSON.stringify(tool.inputSchema).includes("allowCrossSession"))).sort(), crossable);
  });
});

describe("20 opens at once", () => {
  it("open one session", async () => {
    const answers = await world.agent<{ value: SessionView }[]>("together", { object: "host", name: "raced", method: "open", args: [{}], times: 20 });
    assert.equal(new Set(answers.map(({ value }) => JSON.stringify(value))).size, 1);
    const { events } = await world.rpc("raced", "listEvents");
    assert.deepEqual(events.map(({ kind }: { kind: string }) => kind), ["session.opened"]);
  });
});
