/** Looking into snapshots while no container runs, over every surface, and copying files back out of one. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { AGENT, TOKEN, fails, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

/** A response to a request for a file of the snapshot "one". */
async function file(session: Session, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = `${world.worker.url}/v1/sessions/${session.id}/snapshots/one/files/content?path=${encodeURIComponent(path)}`;
  return fetch(url, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
}

describe("a snapshot of a paused workspace", () => {
  let session: Session;
  let big: string;
  before(async () => {
    session = await world.opened("looking");
    const made = "mkdir src && printf 'def main():\\n  pass\\n' > src/main.py && ln -s src/main.py link && ln -s /etc/passwd out && printf x > 'a b'";
    big = await session.sh(`${made} && head -c 3000000 /dev/urandom > big && sha256sum < big`);
    await session.snapshot({ name: "one" });
    const { ref } = await session.active();
    await session.http("POST", `/workspaces/${ref.id}/pause`);
    assert.ok(!(await world.hasContainer(await session.active())));
  });

  it("is listed, read and searched without a container", async () => {
    const { entries } = await session.http<{ entries: { path: string }[] }>("GET", "/snapshots/one/files?recursive=true");
    assert.deepEqual(entries.map(({ path }) => path), ["a b", "big", "link", "out", "src", "src/main.py"]);
    const read = await world.rpc(session.id, "readFile", "one", "link", { lineCount: 1 });
    assert.equal(read.content, "def main():\n");
    const { lines, notSearched } = await session.http<any>("GET", "/snapshots/one/files/lines?pattern=main%5C(");
    assert.deepEqual([lines[0].path, lines[0].line, notSearched.tooLarge], ["src/main.py", 1, 1]);
    await fails("INVALID_ARGUMENT", session.tool("workspace_read_file", { at: "one", path: "out" }));
    assert.ok(!(await world.hasContainer(await session.active())), "it still sleeps");
  });

  it("gives its files as streams, whole or in ranges, and not again to who has them", async () => {
    const whole = await file(session, "big");
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get("content-length"), "3000000");
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(createHash("sha256").update(bytes).digest("hex"), big.split(" ")[0]);
    const etag = whole.headers.get("etag")!;
    for (const [range, from, to] of [["bytes=10-19", 10, 20], ["bytes=2999990-", 2_999_990, 3_000_000], ["bytes=-5", 2_999_995, 3_000_000]] as const) {
      const part = await file(session, "big", { range });
      assert.equal(part.status, 206, range);
      assert.equal(part.headers.get("content-range"), `bytes ${from}-${to - 1}/3000000`);
      assert.equal(part.headers.get("content-length"), String(to - from));
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(from, to));
    }
    const past = await file(session, "big", { range: "bytes=3000000-" });
    assert.deepEqual([past.status, past.headers.get("content-range")], [416, "bytes */3000000"]);
    for (const range of ["bytes=0-1,3-4", "lines=1-2", "bytes=5-3"]) assert.equal((await file(session, "big", { range })).status, 200, range);
    assert.equal((await file(session, "big", { "if-none-match": `"other", W/${etag}` })).status, 304);
    assert.equal((await file(session, "big", { "if-none-match": '"other"' })).status, 200);
    const text = await file(session, "src/main.py");
    assert.deepEqual([text.headers.get("content-disposition"), text.headers.get("x-content-type-options")], ["attachment", "nosniff"]);
    assert.notEqual(text.headers.get("etag"), etag);
    assert.equal((await file(session, "none")).status, 404);
    assert.equal(await world.agent("text", { session: session.id, method: "streamFile", args: ["one", "a b", { offset: 0 }] }), "x");
    assert.ok(!(await world.hasContainer(await session.active())), "it still sleeps");
  });

  it("is no other session's to look at", async () => {
    const other = await world.opened("onlooker");
    const { snapshot } = await session.http<any>("GET", "/snapshots/one");
    for (const [tool, input] of [
      ["workspace_ls", {}], ["workspace_read_file", { path: "link" }], ["workspace_grep", { pattern: "a" }],
      ["workspace_copy_from_snapshot", { ref: snapshot.id, paths: ["src"] }],
    ] as const) {
      await fails("SNAPSHOT_NOT_OWNED", other.tool(tool, "ref" in input ? input : { at: snapshot.id, ...input }));
    }
  });
});

describe("files of a snapshot", () => {
  it("come back into the workspace, and nothing else changes", async () => {
    const session = await world.opened("copying");
    await session.sh("mkdir -p src/deep && echo 1 > src/deep/a && ln src/deep/a src/deep/hard && ln -s a src/deep/link && echo run > src/run && chmod 755 src/run && head -c 3000000 /dev/urandom > big && touch -d @1700000000 src/run");
    await session.snapshot({ name: "one" });
    const state = () => session.sh("sha256sum < big; cat src/deep/a src/deep/hard; readlink src/deep/link; stat -c '%a %Y' src/run");
    const before = await state();
    await session.sh("rm -r src/deep big; echo 2 > src/run; echo new > src/new; echo kept > kept");
    const copied = await session.tool("workspace_copy_from_snapshot", { ref: "one", paths: ["src", "big"] });
    assert.ok(copied.files >= 3, JSON.stringify(copied));
    assert.equal(await state(), before);
    assert.equal(await session.sh("cat src/new kept; stat -c %h src/deep/a"), "new\nkept\n2\n");
    await fails("NOT_FOUND", session.tool("workspace_copy_from_snapshot", { ref: "one", paths: ["src", "none"] }));
    await session.http("POST", "/copy", { ref: "one", paths: ["src/run"], to: "elsewhere" });
    assert.equal(await session.sh("cat elsewhere/src/run"), "run\n");
  });

  it("never lead a copy out of the workspace", async () => {
    const session = await world.opened("planted");
    await session.sh("mkdir dir && echo theirs > dir/file");
    await session.snapshot({ name: "one" });
    await session.sh("rm -r dir && mkdir /tmp/outside && ln -s /tmp/outside dir");
    await session.tool("workspace_copy_from_snapshot", { ref: "one", paths: ["dir"] }).catch(() => undefined);
    assert.equal(await session.sh("ls /tmp/outside"), "");
  });
});
