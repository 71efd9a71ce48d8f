/** Attempts in several workspaces: seen, compared, and the best one promoted. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Comparison, LiveForks, Promoted, TreeDiff } from "../../entry/snapshotter.d.ts";
import { AGENT, HttpError, TOKEN, fails, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

const HOME = "attempts";
const PREPARE = [
  "printf 'one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\n' >list.txt",
  "mkdir -p src/deep ignored .git && echo 'ignored/' >.gitignore && echo 1 >ignored/cache && echo ref >.git/HEAD",
  "printf 'a\\0b' >binary && echo same >src/moved && ln -s list.txt link && echo kept >src/deep/kept",
  "seq 1 2000 | xargs -I{} touch src/deep/file-{}",
  // Times well before the snapshot are trusted.
  "find . -exec touch -h -d @1700000000 {} +",
].join(" && ");
/** What the first attempt does. */
const FIRST = [
  "sed -i 's/^one$/ONE/' list.txt && mv src/moved src/renamed && chmod 600 .gitignore && ln -sfn src link",
  "printf 'b\\0c' >binary && rm src/deep/kept && echo 22 >ignored/cache && echo other >.git/HEAD",
  "printf 'new\\n' >\"$(printf 'odd\\033[31m\\nname')\" && mkdir empty",
].join(" && ");

describe("three attempts", () => {
  const client = new Client({ name: "attempts", version: "1" });
  let session: Session;
  let forks: [string, string];

  const mcp = async <T>(name: string, input: Record<string, unknown>): Promise<T> => {
    const result = await client.callTool({ name, arguments: input });
    assert.ok(!result.isError, JSON.stringify(result.content));
    return result.structuredContent as T;
  };
  const told = (diff: TreeDiff) => diff.changes.map(({ change, path }) => `${change} ${path}`);
  const at = (workspace: string) => ({ workspace });

  before(async () => {
    session = await world.opened(HOME, { sleepAfter: "1h" });
    await session.sh(PREPARE);
    await session.snapshot({ name: "base" });
    const made = await session.http<LiveForks>("POST", "/forks", { count: 2 });
    const ids = made.workspaces.flatMap((fork) => ("ref" in fork ? [fork.ref.ref.id] : []));
    assert.equal(ids.length, 2);
    forks = ids as [string, string];
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${world.worker.url}/v1/sessions/${HOME}/mcp`), { requestInit }));
  });
  after(() => client.close());

  it("show nothing before they begin, and all that they changed", async () => {
    for (const workspace of [HOME, ...forks]) {
      const same = await session.http<TreeDiff>("POST", "/diff", { from: { snapshot: "base" }, to: at(workspace), output: "list" });
      assert.deepEqual(told(same), [], workspace);
    }
    await session.sh(FIRST, { workspace: forks[0] });
    const expected = [
      "mode .gitignore", "modified binary", "added empty", "link link", "modified list.txt",
      "added odd\u001b[31m\nname", "removed src/deep/kept", "renamed src/renamed",
    ];
    const asked = { to: at(forks[0]) };
    for (const diff of [
      await session.http<TreeDiff>("POST", "/diff", asked),
      await world.rpc<TreeDiff>(HOME, "diff", asked),
      await mcp<TreeDiff>("workspace_diff", asked),
    ]) {
      assert.deepEqual(told(diff), expected);
      assert.deepEqual(diff.to, { workspaceId: forks[0] });
      assert.match(diff.changes[4]!.text!, /^@@ -1,4 \+1,4 @@\n-one\n\+ONE\n two\n/);
      assert.equal(diff.changes[1]!.noText, "binary");
      assert.deepEqual(diff.ignored!.map(({ path, counts }) => [path, counts.modified]), [[".git", 1], ["ignored", 1]]);
    }
    const back = await session.http<TreeDiff>("POST", "/diff", { from: at(forks[0]), to: at(HOME), output: "list" });
    assert.equal(back.counts.added, 1, "src/deep/kept");
    assert.equal(back.changes.length, expected.length);
  });

  it("give a patch that git applies", async () => {
    const asked = { to: at(forks[0]), output: "patch", maxBytes: 100_000 };
    const { patch, truncated } = await session.http<TreeDiff>("POST", "/diff", asked);
    assert.equal(truncated, false);
    await session.tool("workspace_write_file", { path: "../tmp.patch", content: "" }).catch(() => undefined);
    await session.tool("workspace_write_file", { path: "p.patch", content: patch!, workspace: forks[1] });
    await session.sh("git apply p.patch && rm p.patch", { workspace: forks[1] });
    const left = await session.http<TreeDiff>("POST", "/diff", { from: at(forks[0]), to: at(forks[1]), output: "list" });
    // A patch holds no empty directories and no permissions beside the executable bit.
    assert.deepEqual(told(left), ["mode .gitignore", "removed empty"]);
    await session.sh("git checkout -q 2>/dev/null; rm -rf src list.txt binary link .gitignore .git ignored odd*", { workspace: forks[1] });
    await world.rpc(HOME, "callTool", "workspace_switch", { ref: forks[1] });
    await session.tool("workspace_rewind", { ref: "base" });
    await world.rpc(HOME, "callTool", "workspace_switch", { ref: HOME });
    const clean = await session.http<TreeDiff>("POST", "/diff", { from: { snapshot: "base" }, to: at(forks[1]), output: "list" });
    assert.deepEqual(told(clean), []);
  });

  it("are compared while they sleep, and nothing is started", async () => {
    await session.http("POST", `/workspaces/${forks[0]}/pause`);
    const running = world.worker.containers().length;
    const diff = await session.http<TreeDiff>("POST", "/diff", { to: at(forks[0]), output: "list" });
    assert.ok(diff.to.snapshotId && diff.to.savedAt, "by its last save");
    assert.equal(diff.changes.length, 8);
    assert.equal(world.worker.containers().length, running);
    await session.http("POST", `/workspaces/${forks[0]}/resume`);
  });

  it("are compared with each other, and a command tells which works", async () => {
    await session.sh("sed -i 's/^one$/uno/; s/^seven$/SEVEN/' list.txt", { workspace: forks[1] });
    const asked = { command: "grep -q ONE list.txt || { echo no >&2; exit 3; }" };
    for (const found of [
      await session.http<Comparison>("POST", "/compare", asked),
      await world.rpc<Comparison>(HOME, "compare", asked),
      await mcp<Comparison>("workspace_compare", asked),
    ]) {
      const row = (id: string) => found.workspaces.find(({ workspaceId }) => workspaceId === id)!;
      const outcome = (id: string) => row(id).command as { exitCode: number; stderrTail: string };
      assert.deepEqual([HOME, ...forks].map((id) => outcome(id).exitCode), [3, 0, 3]);
      assert.equal(outcome(HOME).stderrTail, "no\n");
      assert.equal(row(HOME).counts.modified, 0);
      assert.deepEqual([row(forks[1]).counts.modified, row(forks[0]).counts.renamed], [1, 1]);
      assert.deepEqual(found.contested.map(({ path }) => path), ["list.txt"]);
      assert.match(found.text, new RegExp(`${forks[0]} .*exit 0 in`));
    }
    await fails("INVALID_ARGUMENT", session.http("POST", "/compare", { workspaces: [HOME] }));
    await fails("WORKSPACE_NOT_OWNED", session.http("POST", "/compare", { workspaces: [HOME, "stranger"] }));
  });

  it("conflict loudly, and then change nothing", async () => {
    await session.sh("sed -i 's/^one$/eins/; s/^seven$/sieben/' list.txt && echo mine >mine");
    const before = await session.manifest();
    const refused = await session.http<never>("POST", "/promote", { from: at(forks[1]) }).then(
      () => assert.fail("it was promoted"),
      (error: HttpError) => error,
    );
    assert.match(JSON.stringify(refused), /CONFLICT/);
    const { conflicts } = (refused as any).details ?? (refused as any).body?.error?.details ?? {};
    assert.equal(conflicts[0].path, "list.txt");
    assert.deepEqual([conflicts[0].lines[0].ours, conflicts[0].lines[0].theirs], ["eins\n", "uno\n"]);
    assert.equal(await session.manifest(), before);
  });

  it("are merged by lines, and undone by the safety snapshot", async () => {
    await session.sh("sed -i 's/^eins$/one/' list.txt");
    const before = await session.manifest();
    const promoted = await mcp<Promoted>("workspace_promote", { from: at(forks[0]) });
    assert.deepEqual([promoted.changed, promoted.mergedFiles, promoted.discarded], [true, 1, []]);
    assert.equal(await session.sh("cat list.txt mine src/renamed; readlink link; stat -c %a .gitignore; cat ignored/cache .git/HEAD; ls -d odd* empty src/moved src/deep/kept 2>/dev/null | cat -v"),
      "ONE\ntwo\nthree\nfour\nfive\nsix\nsieben\nmine\nsame\nsrc\n600\n1\nother\nempty\nodd^[[31m\nname\n");
    const again = await session.http<Promoted>("POST", "/promote", { from: at(forks[0]) });
    assert.deepEqual([again.changed, again.safetyRef], [false, undefined]);
    assert.match(JSON.stringify(await session.eventsOf("workspace.promoted")), new RegExp(promoted.fromSnapshotId!));
    await session.tool("workspace_rewind", { ref: promoted.safetyRef });
    assert.equal(await session.manifest(), before);
  });

  it("replace all, and the others go", async () => {
    const theirs = await session.sh("find . -type f | sort | xargs -d '\\n' sha256sum | sha256sum", { workspace: forks[1] });
    const promoted = await world.rpc<Promoted>(HOME, "promote", at(forks[1]), { mode: "replace", discardOthers: true });
    assert.equal(await session.sh("find . -type f | sort | xargs -d '\\n' sha256sum | sha256sum"), theirs);
    assert.deepEqual(promoted.discarded.map(({ ref }) => ref.id).sort(), [...forks].sort());
    assert.deepEqual((await session.workspaces()).workspaces.map(({ ref }) => ref.ref.id), [HOME]);
    await fails("CONFLICT", session.http("POST", "/promote", { from: at(forks[1]) }));
  });
});

/** `tar`, `rsync`, `cp -p`, `touch -r` and `unzip` change files so. */
describe("a change that keeps a file's size and time", () => {
  const KEEPING = (digit: number) => `cp -p src/f /tmp/kept && sed -i s/[0-9]/${digit}/ src/f && touch -r /tmp/kept src/f`;
  let session: Session;
  const fork = async () => {
    const { workspaces } = await session.http<LiveForks>("POST", "/forks", { count: 1 });
    return workspaces.flatMap((made) => ("ref" in made ? [made.ref.ref.id] : []))[0]!;
  };

  before(async () => {
    session = await world.opened("hidden", { sleepAfter: "1h" });
    await session.sh("mkdir src && echo value=1 >src/f && touch -d 2026-01-01 src/f");
    await session.snapshot({ name: "base" });
  });

  it("is seen, brought over, and not destroyed with its fork", async () => {
    const workspace = await fork();
    await session.sh(`${KEEPING(2)} && echo new >src/new`, { workspace });
    const diff = await session.http<TreeDiff>("POST", "/diff", { from: { snapshot: "base" }, to: { workspace } });
    assert.deepEqual(diff.changes.map(({ change, path }) => `${change} ${path}`), ["modified src/f", "added src/new"]);
    const { workspaces } = await session.http<Comparison>("POST", "/compare", {});
    assert.equal(workspaces.find(({ workspaceId }) => workspaceId === workspace)!.counts.modified, 1);
    const promoted = await session.tool<Promoted>("workspace_promote", { from: { workspace }, discardOthers: true });
    assert.deepEqual([promoted.counts.modified, promoted.counts.added, promoted.discarded.length], [1, 1, 1]);
    assert.equal(await session.sh("cat src/f"), "value=2\n");
  });

  it("of ours is a conflict with a change of theirs", async () => {
    await session.snapshot({ name: "second" });
    const workspace = await fork();
    await session.sh("echo value=9 >src/f", { workspace });
    await session.sh(KEEPING(5));
    await fails("CONFLICT", session.tool("workspace_promote", { from: { workspace } }));
    assert.equal(await session.sh("cat src/f"), "value=5\n");
  });

  it("between snapshots of one chain is seen, too", async () => {
    // A layer is not larger than half of what it lies on.
    await session.sh("head -c 300000 /dev/urandom >large");
    const before = await session.snapshot();
    await session.sh(KEEPING(7));
    const after = await session.snapshot({ incremental: true });
    const diff = await session.http<TreeDiff>("POST", "/diff", { from: { snapshot: before.ref.ref.backup.id }, to: { snapshot: after.ref.ref.backup.id } });
    assert.equal(diff.counts.modified, 1);
  });
});
