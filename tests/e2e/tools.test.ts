/** The tools that a model calls, in the image they are made for. Rules and odd cases are in tests/machine and tests/session. */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ListedTool } from "../../entry/snapshotter.d.ts";
import { fails, useWorld, type Session } from "./support.ts";

const world = useWorld();

type Found = { path: string; pathBase64?: string };
type Page<K extends string, T> = Record<K, T[]> & { nextCursor?: string };

describe("files", () => {
  let session: Session;
  before(async () => {
    session = await world.opened("files");
    await session.sh(`mkdir -p src/deep node_modules .git && printf 'def one():\\n    return 1\\n\\ndef two():\\n    return 2\\n' > src/a.py &&
      echo 'fn two() {}' > src/deep/b.rs && echo two > node_modules/i.js && echo two > .git/x && echo node_modules > .gitignore &&
      ln -s /etc out && ln -s src alias && printf 'two\\n' > "$(printf 'odd\\nname')" && printf 'two\\n' > "$(printf 'bad\\377')"`);
  });

  it("workspace_edit_file changes one place, or says why not", async () => {
    const edit = (input: object) => session.tool("workspace_edit_file", { path: "src/a.py", ...input });
    assert.deepEqual(await edit({ oldText: "return 1", newText: "return 10" }), { path: "/workspace/src/a.py", replacements: 1, firstLine: 2, workspaceId: "files" });
    const twice = await fails("CONFLICT", edit({ oldText: "return", newText: "yield" }));
    assert.deepEqual(twice.details, { matches: 2, lines: [2, 5] });
    const never = await fails("CONFLICT", edit({ oldText: "return  10", newText: "x" }));
    assert.ok(never.hint);
    assert.equal((await edit({ oldText: "return", newText: "yield", replaceAll: true })).replacements, 2);
    await edit({ oldText: "yield", newText: "return", replaceAll: true });
    assert.match(await session.sh("cat src/a.py"), /return 10\n/);
    await fails("NOT_FOUND", session.tool("workspace_edit_file", { path: "none", oldText: "a", newText: "b" }));
    await session.sh("head -c 9 /dev/zero | tr '\\0' '\\377' > bytes");
    await fails("INVALID_ARGUMENT", session.tool("workspace_edit_file", { path: "bytes", oldText: "a", newText: "b" }));
  });

  it("concurrent edits lose nothing: each is in the file, or was refused", async () => {
    await session.tool("workspace_write_file", { path: "log", content: "start\n" });
    const edits = Array.from({ length: 6 }, (_, i) =>
      session.tool("workspace_edit_file", { path: "log", oldText: "start\n", newText: `start\n${i}\n` }).then(() => i, () => null));
    const made = (await Promise.all(edits)).filter((i) => i !== null);
    assert.ok(made.length > 0);
    const lines = (await session.sh("cat log")).trim().split("\n").slice(1).map(Number).sort();
    assert.deepEqual(lines, made.sort());
  });

  it("workspace_read_file reads parts by lines and by bytes", async () => {
    const read = (input: object) => session.tool("workspace_read_file", { path: "src/a.py", ...input });
    const part = await read({ startLine: 4, lineCount: 1 });
    assert.deepEqual([part.content, part.truncated, part.nextLine], ["def two():\n", true, 5]);
    const rest = await read({ offset: part.nextOffset });
    assert.deepEqual([rest.content, rest.truncated], ["    return 2\n", false]);
    await session.sh("printf '\\211PNG\\r\\n\\032\\n' > picture");
    assert.equal((await session.tool("workspace_read_file", { path: "picture" })).mimeType, "image/png");
    await session.sh("seq 2000000 > long");
    const long = await session.tool("workspace_read_file", { path: "long", startLine: 1000001 });
    assert.ok(long.content.startsWith("1000001\n") && long.content.endsWith("\n") && long.truncated);
    const next = await session.tool("workspace_read_file", { path: "long", startLine: long.nextLine, lineCount: 1 });
    assert.equal(next.content, `${long.nextLine}\n`);
    await fails("TOO_LARGE", session.tool("workspace_read_file", { path: "long" }));
  });

  it("workspace_ls, workspace_glob and workspace_grep find things, in pages, with odd names told", async () => {
    const paths = (page: Found[]) => page.map(({ path }) => path);
    const all = await session.tool<Page<"entries", Found & { type: string }>>("workspace_ls", {});
    assert.equal(all.entries.find(({ path }) => path === "out")?.type, "symlink");
    assert.equal(all.entries.find(({ path }) => path === "bad\ufffd")?.pathBase64, Buffer.from("bad\xff", "latin1").toString("base64"));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<"entries", Found> = await session.tool("workspace_ls", { cursor, limit: 3 });
      seen.push(...paths(page.entries));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, paths(all.entries));

    const glob = (input: object) => session.tool<Page<"files", Found>>("workspace_glob", input);
    assert.deepEqual(paths((await glob({ pattern: "src/**" })).files), ["src/a.py", "src/deep/b.rs"]);
    assert.deepEqual(paths((await glob({ pattern: "*.{js,rs}" })).files), ["src/deep/b.rs"]);
    assert.deepEqual(paths((await glob({ pattern: "*.js", includeIgnored: true })).files), ["node_modules/i.js"]);
    assert.deepEqual(paths((await glob({ pattern: "odd*" })).files), ["odd\nname"]);

    const grep = (input: object) => session.tool<Page<"lines", Found & { line: number; text: string; matches: boolean }>>("workspace_grep", input);
    const two = await grep({ pattern: "two", path: "src" });
    assert.deepEqual(two.lines.map(({ path, line, text }) => `${path}:${line}:${text}`), ["src/a.py:4:def two():", "src/deep/b.rs:1:fn two() {}"]);
    const around = await grep({ pattern: "two()", fixed: true, path: "src/a.py", context: 1 });
    assert.deepEqual(around.lines.map(({ path, line, matches }) => [path, line, matches]), [["src/a.py", 3, false], ["src/a.py", 4, true], ["src/a.py", 5, false]]);
    assert.deepEqual(paths((await grep({ pattern: "^two$" })).lines), ["bad\ufffd", "odd\nname"]);
    const cut = await grep({ pattern: "7", path: "long", limit: 5 });
    assert.equal((await grep({ pattern: "7", path: "long", limit: 1, cursor: cut.nextCursor })).lines[0]!.text, "57");
    await fails("INVALID_ARGUMENT", grep({ pattern: "7", cursor: "never" }));

    // The same of a snapshot, with the files that it has.
    await session.snapshot({ name: "found" });
    await session.sh("rm -rf src");
    const at = "found";
    assert.deepEqual(paths((await glob({ pattern: "src/**", at })).files), ["src/a.py", "src/deep/b.rs"]);
    assert.deepEqual(paths((await grep({ pattern: "two", path: "src", at })).lines), ["src/a.py", "src/deep/b.rs"]);
    assert.deepEqual(paths((await session.tool("workspace_ls", { path: "src", at })).entries), ["src/a.py", "src/deep"]);
    await fails("NOT_FOUND", session.tool("workspace_ls", { path: "src", at: "now" }));
    await session.tool("workspace_rewind", { ref: at });
    const { message } = await fails("INVALID_ARGUMENT", grep({ pattern: "(x" }));
    assert.match(message, /unclosed/);
  });

  it("workspace_stat, workspace_mkdir and workspace_rm", async () => {
    const link = await session.tool("workspace_stat", { path: "out" });
    assert.deepEqual([link.type, link.target], ["symlink", "/etc"]);
    assert.equal((await session.tool("workspace_stat", { path: "." })).type, "directory");
    await session.tool("workspace_mkdir", { path: "new/dir" });
    await session.tool("workspace_mkdir", { path: "new/dir" });
    await session.tool("workspace_write_file", { path: "new/dir/file", content: "x" });
    await fails("INVALID_ARGUMENT", session.tool("workspace_rm", { path: "new" }));
    await session.tool("workspace_rm", { path: "new", recursive: true });
    await fails("NOT_FOUND", session.tool("workspace_stat", { path: "new" }));
    await fails("INVALID_ARGUMENT", session.tool("workspace_rm", { path: ".", recursive: true }));
  });

  it("read back long text as it was written, also where a character lies across two pieces of it", async () => {
    const content = `a${"\u{1f600}".repeat(100_000)}\u00e9`;
    await session.tool("workspace_write_file", { path: "long", content });
    assert.equal((await session.tool("workspace_read_file", { path: "long", maxBytes: 2 * 1024 * 1024 })).content, content);
  });

  it("nothing reaches outside, lexically or through links", async () => {
    for (const path of ["../etc/passwd", "/etc/passwd", "out/passwd", "alias/../../etc/passwd"]) {
      for (const [tool, more] of [["read_file", {}], ["edit_file", { oldText: "root", newText: "x" }], ["grep", { pattern: "root" }],
        ["stat", {}], ["rm", { recursive: true }], ["mkdir", {}], ["ls", {}]] as const) {
        const { message } = await fails("INVALID_ARGUMENT", session.tool(`workspace_${tool}`, { path, ...more }));
        assert.ok(message.includes("/workspace"), `${tool} ${path}: ${message}`);
      }
    }
    await fails("INVALID_ARGUMENT", session.tool("workspace_glob", { pattern: "*", path: "out" }));
    assert.match(await session.sh("cat /etc/passwd"), /^root:/);
  });
});

describe("workspace_run_code", () => {
  it("runs Python and JavaScript, with values, images and tracebacks", async () => {
    const session = await world.opened("code");
    await session.tool("workspace_write_file", { path: "helper.py", content: "ANSWER = 42\n" });
    const run = (language: string, code: string, more: object = {}) => session.tool("workspace_run_code", { language, code, ...more });
    const python = await run("python", "import helper, os\nprint('hi')\nopen(os.environ['OUTPUT_DIR'] + '/a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n')\n{'answer': helper.ANSWER}");
    assert.deepEqual([python.exitCode, python.stdout, python.value], [0, "hi\n", { answer: 42 }], python.stderr);
    assert.deepEqual(python.images, [{ name: "a.png", mimeType: "image/png", data: "iVBORw0KGgo=" }]);
    const failed = await run("python", "1/0");
    assert.equal(failed.exitCode, 1);
    assert.match(failed.stderr, /ZeroDivisionError/);
    const javascript = await run("javascript", "const { EOL } = await import('node:os'); return [EOL, 1];");
    assert.deepEqual([javascript.exitCode, javascript.value], [0, ["\n", 1]], javascript.stderr);
    const endless = await run("javascript", "for (;;) {}", { timeoutMs: 1000 });
    assert.deepEqual([endless.exitCode, endless.timedOut], [124, true]);
    // No files of the runs are left. The entries here belong to the command that lists them.
    assert.equal(await session.sh("ls /var/lib/snapshotter | sed 's/exec-[0-9a-f]*/exec/'"), "exec.err\nexec.group\nexec.news\nexec.out\ninstance\n");
  });
});

describe("policy", () => {
  const names = (tools: ListedTool[]) => tools.map(({ name }) => name);

  it("a tool returns the head and the tail of long output over HTTP, too, and a program may ask for all of it", async () => {
    const session = await world.opened("long-output");
    const run = (more: object) => session.tool<{ stdout: string; stdoutTruncated: boolean }>("workspace_run", { command: "seq 1 100000", ...more });
    const { stdout, stdoutTruncated } = await run({});
    assert.ok(stdoutTruncated && stdout.length < 17_000 && stdout.startsWith("1\n2\n") && stdout.endsWith("\n100000\n"), `${stdout.length}`);
    assert.equal((await run({ maxOutputBytes: 1_048_576 })).stdout.length, 588_895);
  });

  it("a read-only session lists and serves what reads", async () => {
    const session = await world.opened("read-only", { capabilities: { readOnly: true } });
    const tools = await session.tools();
    assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint));
    assert.ok(names(tools).includes("workspace_grep"));
    assert.deepEqual((await session.tool("workspace_ls")).entries, []);
    await fails("FORBIDDEN", session.run("ls"));
    await fails("FORBIDDEN", session.snapshot());
    await fails("FORBIDDEN", session.tool("workspace_write_file", { path: "a", content: "" }));
  });

  it("under an allowlist only listed programs run", async () => {
    const shell = { allowlist: ["ls", "cat"], maxDurationMs: 10_000 };
    await fails("INVALID_ARGUMENT", world.session("no-code").open({ capabilities: { shell, code: true } }));
    const session = await world.opened("listed", { capabilities: { fs: true, shell } });
    assert.equal((await session.run(["cat", "/etc/hostname"])).exitCode, 0);
    await session.tool("workspace_write_file", { path: "ls", content: "#!/bin/sh\necho owned\n" });
    const refused: [string | string[], object][] = [["ls", {}], [["ls; id"], {}], [["/bin/ls"], {}], [["./ls"], {}], [["sh", "-c", "id"], {}],
      [["ls"], { env: { PATH: "/workspace" } }], [["ls"], { env: { LD_PRELOAD: "/workspace/x.so" } }]];
    for (const [command, more] of refused) {
      const { hint } = await fails("FORBIDDEN", session.run(command, more));
      assert.ok(hint);
    }
    const output = (await session.run(["ls", "$(id)", ";", "id"])).stderr;
    assert.ok(output.includes("$(id)"), "arguments are arguments");
  });

  it("workspace_describe tells where a restore has led", async () => {
    const session = await world.opened("lost-and-found");
    await session.sh("echo one > file");
    const { snapshot } = await session.snapshot({ name: "one" });
    await session.tool("workspace_restore", { ref: "one" });
    const here = await session.tool("workspace_describe");
    assert.deepEqual([here.workspace.kind, here.parentSnapshot.id, here.workspaceDir], ["restored", snapshot.id, "/workspace"]);
    assert.equal((await session.tool("workspace_get_snapshot", { ref: "one" })).snapshot.id, snapshot.id);
    assert.equal((await session.tool("workspace_read_file", { path: "file" })).content, "one\n");
  });
});
