/** Attempts in several workspaces at once, without switching, and the winner's files copied over. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ExecResult, ImportedTar, LiveForks } from "../../entry/snapshotter.d.ts";
import { AGENT, TOKEN, fails, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

const HOME = "beside";
const SLOW = 'printf "$0\n" >mine; sleep 3; cat mine';

describe("three attempts side by side", () => {
  const client = new Client({ name: "side by side", version: "1" });
  let session: Session;
  let forks: string[];

  const mcp = async (name: string, input: Record<string, unknown>): Promise<any> => {
    const result = await client.callTool({ name, arguments: input });
    assert.ok(!result.isError, JSON.stringify(result.content));
    return result.structuredContent;
  };
  const rpc = <T = any>(name: string, input: object) => world.rpc<T>(HOME, "callTool", name, input);
  const surfaces = [rpc, (name: string, input: object) => session.tool(name, input), mcp];

  before(async () => {
    session = await world.opened(HOME);
    await session.sh("echo base > file && echo kept > kept");
    const made = await session.http<LiveForks>("POST", "/forks", { count: 3 });
    forks = made.workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref.ref.id] : []));
    assert.equal(forks.length, 3);
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}/v1/sessions/${HOME}/mcp`), { requestInit }));
  });
  after(() => client.close());

  it("run at once, over each surface, each in its own workspace", async () => {
    const began = Date.now();
    const answers: (ExecResult & { workspaceId: string })[] = await Promise.all(
      forks.map((workspace, at) => surfaces[at]!("workspace_run", { command: ["sh", "-c", SLOW, workspace], workspace })),
    );
    const took = Date.now() - began;
    assert.deepEqual(answers.map(({ workspaceId, stdout }) => [workspaceId, stdout]), forks.map((id) => [id, `${id}\n`]));
    const sum = answers.reduce((sum, { durationMs }) => sum + durationMs, 0);
    assert.ok(took < sum, `${took} ms: one after the other`);
    assert.equal((await session.active()).ref.id, HOME);
    assert.equal(await session.sh("ls"), "file\nkept\n", "nothing was done in the active one");
    const guarded = { "if-match": `"${HOME}"` };
    const read = await session.http<any>("POST", "/tools/workspace_read_file", { path: "mine", at: `workspace:${forks[0]}` }, guarded);
    assert.deepEqual([read.content, read.workspaceId], [`${forks[0]}\n`, forks[0]]);
    await fails("PRECONDITION_FAILED", session.http("POST", "/tools/workspace_ls", { at: `workspace:${forks[0]}` }, { "if-match": `"${forks[0]}"` }));
  });

  it("stream, export, import and watch where they are told", async () => {
    const [first, second] = forks as [string, string];
    const stream = await world.agent<{ events: any[] }>("events", { session: HOME, method: "execStream", args: ["cat mine", { workspace: second }] });
    assert.match(JSON.stringify(stream.events), new RegExp(`${second}\\\\n`));
    const headers = { authorization: `Bearer ${TOKEN}` };
    const archive = (workspace: string, path: string) => `${world.worker.url}/v1/sessions/${HOME}/archive?workspace=${workspace}&path=${path}`;
    const exported = await fetch(archive(second, "."), { headers });
    assert.equal(exported.status, 200);
    const imported = await fetch(archive(first, "from-second"), { method: "PUT", headers, body: await exported.arrayBuffer() });
    assert.equal(((await imported.json()) as ImportedTar).workspaceId, first);
    assert.equal(await session.sh("cat from-second/mine", { workspace: first }), `${second}\n`);
    const watch = { session: HOME, method: "watch", args: [".", { workspace: second }], until: "watching" };
    assert.equal((await world.agent<{ events: any[] }>("events", watch)).events[0].type, "watching");
    const part = (id: string) => `${world.worker.url}/v1/sessions/${HOME}/archive/uploads/u/1?workspace=${id}`;
    const whole = await (await fetch(archive(second, "."), { headers })).arrayBuffer();
    assert.equal((await fetch(part(first), { method: "PUT", headers, body: whole })).status, 200);
    await fails("CONFLICT", session.http("POST", "/archive/uploads/u", { parts: 1, workspace: second }));
    const finished = await session.http<ImportedTar>("POST", "/archive/uploads/u", { parts: 1, workspace: first, path: "in-parts" });
    assert.deepEqual([finished.workspaceId, finished.files], [first, 3]);
    await session.http("DELETE", `/archive/uploads/u?workspace=${first}`);
  });

  it("give the best one's files to the others, and nothing else", async () => {
    const [best, other, third] = forks as [string, string, string];
    await session.sh(
      "mkdir -p src/deep 'odd -n' && echo won > src/deep/a && ln src/deep/a 'odd -n/hard' && ln -s ../kept src/link && " +
      "echo run > src/run && chmod 751 src/run && touch -d @1700000000 src/run && head -c 3000000 /dev/urandom > big && mkfifo src/pipe && echo best > file",
      { workspace: best },
    );
    const paths = ["src", "odd -n", "big", "src/deep/a"];
    const state = (workspace: string) =>
      session.sh("cat src/deep/a; readlink src/link; stat -c '%a %Y' src/run; sha256sum < big; stat -c %h src/deep/a; test src/deep/a -ef 'odd -n/hard'; cat kept", { workspace });
    const won = await state(best);
    const copied = await world.rpc<ImportedTar>(HOME, "copyFromWorkspace", best, paths);
    assert.deepEqual([copied.workspaceId, copied.files, copied.links], [HOME, 4, 1]);
    assert.equal(await state(HOME), won);
    assert.equal(await session.sh("cat file"), "base\n", "what was not named stays");
    const over = await session.http<ImportedTar>("POST", `/workspaces/${best}/copy`, { paths, workspace: other });
    assert.equal(over.workspaceId, other);
    assert.equal(await state(other), won);
    assert.equal((await mcp("workspace_copy_from_workspace", { from: best, paths: ["file"], to: "elsewhere", workspace: third })).workspaceId, third);
    assert.equal(await session.sh("cat elsewhere/file file", { workspace: third }), "best\nbase\n");
    assert.equal((await session.active()).ref.id, HOME);
  });

  it("exchange files in both directions at once", async () => {
    const [one, other] = forks as [string, string];
    await world.removeContainers();
    await session.snapshot();
    const copy = (from: string, to: string, file: string) => session.http<ImportedTar>("POST", `/workspaces/${from}/copy`, { paths: [file], workspace: to });
    const answers = await Promise.all([copy(one, other, "file"), copy(other, one, "file")]);
    assert.deepEqual(answers.map(({ files }) => files), [1, 1], "both slept");
  });

  it("refuse what cannot be copied, and change nothing", async () => {
    const [best, other] = forks as [string, string];
    const before = await session.manifest();
    await fails("NOT_FOUND", session.tool("workspace_copy_from_workspace", { from: best, paths: ["file", "none"] }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_copy_from_workspace", { from: HOME, paths: ["file"] }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_copy_from_workspace", { from: best, paths: ["../etc"] }));
    await session.sh("ln -s /etc etc; rm -rf kept; mkdir kept", { workspace: best });
    await fails("INVALID_ARGUMENT", session.tool("workspace_copy_from_workspace", { from: best, paths: ["etc/passwd"] }));
    await fails("CONFLICT", session.tool("workspace_copy_from_workspace", { from: best, paths: ["file", "kept"] }));
    assert.equal(await session.manifest(), before);
    const stranger = await world.opened("stranger");
    for (const workspace of [best, "none"]) {
      await fails("WORKSPACE_NOT_OWNED", stranger.tool("workspace_ls", { at: `workspace:${workspace}` }));
      await fails("WORKSPACE_NOT_OWNED", stranger.http("POST", `/workspaces/${workspace}/copy`, { paths: ["file"] }));
      await fails("WORKSPACE_NOT_OWNED", world.rpc("stranger", "exportTar", { workspace }));
    }
    await session.http("POST", `/workspaces/${other}/pause`);
    await fails("CONFLICT", session.run("true", { workspace: other }));
    await fails("CONFLICT", session.http("POST", `/workspaces/${other}/copy`, { paths: ["file"] }));
    assert.equal((await session.workspaces()).workspaces.find(({ ref }) => ref.ref.id === other)!.status, "paused");
    await session.http("DELETE", `/workspaces/${best}`);
    await fails("CONFLICT", session.run("true", { workspace: best }));
    await fails("CONFLICT", session.http("POST", `/workspaces/${best}/copy`, { paths: ["file"] }));
  });
});
