/** Git checkpoints, over every surface, and what becomes of them. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AGENT, TOKEN, fails, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

/** Calls a tool over one surface. */
type CallTool = (name: string, input: Record<string, unknown>) => Promise<any>;

/** Changes files, and goes back. The user's repository is not touched. */
async function goBack(session: Session, call: CallTool): Promise<void> {
  await session.sh("git init -qb main && echo '*.log' >.gitignore && echo 1 >a && echo log >x.log && git add . && git -c user.name=a -c user.email=a@example.org commit -qm one && echo staged >a && git add a");
  const state = () => session.sh("git status --porcelain --branch; git log --oneline --all --not --glob=refs/sandbox; git stash list; cat a");
  const before = await state();
  const taken = await call("workspace_git_checkpoint", { name: "works", description: "all tests pass" });
  assert.deepEqual([taken.name, taken.files, taken.madeRepository], ["works", 2, false]);
  assert.equal((await session.sh("git rev-parse refs/sandbox/snapshots/works")).trim(), taken.commit);

  await session.sh("echo 2 >a; mkdir -p new/deep; echo n >new/deep/n; echo log 2 >x.log");
  const diff = await call("workspace_git_checkpoint_diff", { name: "works" });
  assert.match(diff.diff, /^-staged\n\+2$/m);
  assert.deepEqual([diff.filesChanged, diff.insertions, diff.deletions, diff.truncated], [2, 2, 1, false]);
  const restored = await call("workspace_git_checkpoint_restore", { name: "works" });
  assert.deepEqual(restored.changes, [{ path: "a", change: "modified" }, { path: "new/deep/n", change: "deleted" }]);
  assert.equal(await state(), before);
  assert.equal(await session.sh("ls; cat x.log"), "a\nx.log\nlog 2\n");

  await call("workspace_git_checkpoint", { name: "later" });
  const { gitCheckpoints } = await call("workspace_git_checkpoint_list", {});
  assert.deepEqual(gitCheckpoints.map(({ name, description }: any) => [name, description]), [["later", undefined], ["works", "all tests pass"]]);
  assert.equal((await call("workspace_git_checkpoint_delete", { name: "later" })).deleted, true);
  assert.equal((await call("workspace_git_checkpoint_delete", { name: "later" })).deleted, true);
}

describe("a git checkpoint", () => {
  const client = new Client({ name: "checkpoints", version: "1" });
  before(async () => {
    await world.opened("over-mcp");
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}/v1/sessions/over-mcp/mcp`), { requestInit }));
  });
  after(() => client.close());

  it("is gone back to over HTTP", async () => {
    const session = await world.opened("over-http");
    await goBack(session, (name, input) => session.tool(name, input));
  });

  it("is gone back to over RPC", async () => {
    await goBack(await world.opened("over-rpc"), (name, input) => world.rpc("over-rpc", "callTool", name, input));
  });

  it("is gone back to over MCP", async () => {
    await goBack(world.session("over-mcp"), async (name, input) => {
      const result = await client.callTool({ name, arguments: input });
      assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
      return result.structuredContent;
    });
  });

  it("says what is wrong", async () => {
    const session = await world.opened("refused");
    await fails("NOT_FOUND", session.tool("workspace_git_checkpoint_restore", { name: "none" }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_git_checkpoint", { name: "../x" }));
    await session.tool("workspace_git_checkpoint", { name: "one" });
    await fails("CONFLICT", session.tool("workspace_git_checkpoint", { name: "one" }));
    await session.tool("workspace_git_checkpoint", { name: "one", replace: true });
    await session.sh("mkdir dir");
    await fails("UNSUPPORTED", session.tool("workspace_git_checkpoint", { name: "one", path: "dir" }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_git_checkpoint", { name: "one", path: "../home" }));
  });

  it("is in a snapshot of its workspace", async () => {
    const session = await world.opened("kept");
    await session.sh("echo 1 >a");
    const { madeRepository } = await session.tool("workspace_git_checkpoint", { name: "one" });
    assert.ok(madeRepository);
    const { snapshot } = await session.tool("workspace_snapshot", { name: "all" });
    assert.deepEqual(snapshot.git, { branch: "main", clean: false });
    await session.sh("git add a && git -c user.name=a -c user.email=a@example.org commit -qm one");
    const committed = (await session.tool("workspace_snapshot", { name: "committed" })).snapshot;
    assert.deepEqual(committed.git, { head: (await session.sh("git rev-parse HEAD")).trim(), branch: "main", clean: true });
    await session.sh("rm -rf .git; echo 2 >a");
    await fails("NOT_FOUND", session.tool("workspace_git_checkpoint_restore", { name: "one" }));
    await session.tool("workspace_rewind", { ref: "all" });
    await session.sh("echo 3 >a");
    await session.tool("workspace_git_checkpoint_restore", { name: "one" });
    assert.equal(await session.sh("cat a"), "1\n");
  });
});
