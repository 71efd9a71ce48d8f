/** Who may do what: every operation with every scope, over every surface that it can be reached by. */

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Scope } from "../../entry/snapshotter.d.ts";
import { AGENT, envelopeOf, RpcError, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
const SCOPES: Scope[] = ["read", "write", "snapshot", "admin"];
const NOWHERE = { providerId: "cloudflare-sandbox", ref: { id: "nowhere" } } as const;

/**
 * A call of each operation, and what it needs. None of them starts a container: what is allowed fails for another
 * reason, or does nothing.
 */
const OPERATIONS: Record<string, { needs: Scope | "nothing" | "trust"; args: unknown[] }> = {
  open: { needs: "trust", args: [] },
  resolve: { needs: "read", args: [] },
  describe: { needs: "read", args: [] },
  list: { needs: "read", args: [] },
  get: { needs: "read", args: ["none"] },
  listWorkspaces: { needs: "read", args: [] },
  listEvents: { needs: "read", args: [] },
  listTools: { needs: "nothing", args: [] },
  cancel: { needs: "nothing", args: ["none"] },
  startFresh: { needs: "write", args: [] },
  swapRef: { needs: "write", args: [NOWHERE] },
  switch: { needs: "write", args: [NOWHERE] },
  snapshot: { needs: "snapshot", args: [{ name: "00000000-0000-4000-8000-000000000000" }] },
  restore: { needs: "snapshot", args: ["none"] },
  branch: { needs: "snapshot", args: ["none"] },
  delete: { needs: "snapshot", args: ["none"] },
  destroyWorkspace: { needs: "admin", args: [NOWHERE] },
  close: { needs: "admin", args: [] },
};

const TOOLS: Record<string, Scope> = {
  workspace_describe: "read", workspace_list_snapshots: "read", workspace_get_snapshot: "read",
  workspace_list_workspaces: "read", workspace_read_file: "read", workspace_ls: "read", workspace_glob: "read",
  workspace_grep: "read", workspace_stat: "read", workspace_write_file: "write", workspace_edit_file: "write",
  workspace_mkdir: "write", workspace_rm: "write", workspace_run: "write", workspace_run_code: "write",
  workspace_switch: "write", workspace_snapshot: "snapshot", workspace_restore: "snapshot",
  workspace_branch: "snapshot", workspace_delete_snapshot: "snapshot",
};
/** No tool takes it, so that a tool which may be called refuses it before it starts anything. */
const NO_INPUT = { noSuchField: true };

type Answer = { value: unknown } | { thrown: { name: string; message: string; own: Record<string, unknown> } };

const codeOf = (answer: Answer) => ("thrown" in answer ? envelopeOf(new RpcError(answer.thrown)).code : "ok");

describe("who may do what", () => {
  let session: Session;

  // Each of the calls that close it is the last of a test.
  beforeEach(async () => {
    session = await world.opened("matrix");
  });

  it("the tools of the table are the tools there are", async () => {
    assert.deepEqual((await session.tools()).map(({ name }) => name).sort(), Object.keys(TOOLS).sort());
  });

  for (const scope of SCOPES) {
    it(`a handle with ${scope} over RPC reaches just what that allows`, async () => {
      const operations = Object.entries(OPERATIONS);
      const tools = Object.entries(TOOLS);
      const calls = [
        ...operations.map(([method, { args }]) => [method, ...args]),
        ...tools.map(([name]) => ["callTool", name, NO_INPUT]),
      ];
      const answers = await world.agent<Answer[]>("restricted", { session: "matrix", through: [[scope]], calls });
      const cells = [...operations.map(([name, { needs }]) => [name, needs] as const), ...tools];
      for (const [index, [name, needs]] of cells.entries()) {
        const allowed = needs === "nothing" || needs === scope;
        const code = codeOf(answers[index]!);
        assert.equal(code !== "FORBIDDEN", allowed, `${name} with ${scope}: ${code}`);
        if (allowed && name in TOOLS) assert.equal(code, "INVALID_ARGUMENT", name);
      }
      const listed = answers[operations.findIndex(([name]) => name === "listTools")] as { value: { name: string }[] };
      const own = tools.filter(([, needs]) => needs === scope).map(([name]) => name);
      assert.deepEqual(listed.value.map(({ name }) => name).sort(), own.sort(), "only these are shown");
    });
  }

  it("a handle with every scope sets no policy, and one narrowed twice has what both have", async () => {
    const ask = (through: Scope[][], ...calls: unknown[][]) =>
      world.agent<Answer[]>("restricted", { session: "matrix", through, calls }).then((answers) => answers.map(codeOf));
    assert.deepEqual(await ask([SCOPES], ["open"], ["describe"]), ["FORBIDDEN", "ok"]);
    const both: Scope[][] = [["read", "write"], ["write", "snapshot"]];
    assert.deepEqual(
      await ask(both, ["describe"], ["switch", NOWHERE], ["delete", "none"]),
      ["FORBIDDEN", "WORKSPACE_NOT_OWNED", "FORBIDDEN"],
    );
  });

  it("nothing leads out of a handle that only reads", async () => {
    const before = world.worker.containers();
    const answers = await world.agent<Record<string, unknown>>("escape", { session: "matrix" });
    for (const [way, answer] of Object.entries(answers)) {
      assert.match(String(answer), /^FORBIDDEN|^INVALID_ARGUMENT: scopes|not implement|not a function|can't be (?:called|accessed)|no such/i, way);
    }
    assert.equal((await session.describe()).status, "open");
    assert.deepEqual(world.worker.containers(), before, "nothing was started");
  });
});
