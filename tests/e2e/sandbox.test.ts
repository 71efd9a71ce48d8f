/** The Sandbox object itself, by RPC, with the names and shapes of `@cloudflare/sandbox` 0.12. */

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import type { ExecResult } from "../../entry/snapshotter.d.ts";
import { AGENT, envelopeOf, fails, until, useWorld } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
type Handle = { id: string; dir: string };
type FileInfo = { name: string; absolutePath: string; relativePath: string; relativePathBase64?: string; type: string; sizeBytes: number; mode: string; modifiedAt: string };

const exec = (id: string, command: string | string[], options: object = {}) => world.sandbox<ExecResult>(id, "exec", command, options);

async function sh(id: string, command: string | string[], options: object = {}): Promise<string> {
  const result = await exec(id, command, options);
  assert.equal(result.exitCode, 0, `${command}: ${result.stderr}`);
  return result.stdout;
}

const key = (id: string, name: "data.sqsh" | "meta.json") => `backups/${id}/${name}`;

describe("the container", () => {
  // Idle from now on; the last test checks its container.
  before(async () => {
    await fails("UNAVAILABLE", exec("main", "true"));
    assert.deepEqual(world.worker.containers(), [], "nothing starts without a configuration");
    for (const id of ["main", "raced", "sleeper"]) await world.sandbox(id, "configure", { enableInternet: false });
    await world.sandbox("sleeper", "configure", { sleepAfterMs: 2_000 });
    await sh("sleeper", "true");
  });

  it("is started once for 20 callers", async () => {
    const before = world.worker.containers().length;
    const answers = await world.agent<{ value?: string; thrown?: object }[]>("together", { object: "sandbox", name: "raced", method: "ensureRunning", args: [], times: 20 });
    assert.equal(new Set(answers.map((answer) => answer.value)).size, 1, JSON.stringify(answers.find(({ thrown }) => thrown)));
    assert.ok(answers[0]!.value);
    assert.equal(world.worker.containers().length, before + 1);
    assert.equal(await world.sandbox("raced", "ensureRunning"), answers[0]!.value, "the same disk");
  });

  it("is not started to be asked whether it runs, and is another one after destroy", async () => {
    assert.equal(await world.sandbox("idle", "isRunning"), false);
    await world.sandbox("idle", "configure", { sleepAfterMs: 60_000, envVars: { A: "1" } });
    assert.equal(await world.sandbox("idle", "isRunning"), false);
    const first = await world.sandbox("raced", "ensureRunning");
    await sh("raced", "mkdir /workspace && echo 1 > /workspace/file");
    await world.sandbox("raced", "destroy");
    assert.equal(await world.sandbox("raced", "isRunning"), false);
    await fails("UNAVAILABLE", world.sandbox("raced", "ensureRunning"));
    await world.sandbox("raced", "configure", { enableInternet: false });
    assert.notEqual(await world.sandbox("raced", "ensureRunning"), first);
    assert.equal((await world.sandbox("raced", "exists", "/workspace/file")).exists, false);
    await fails("WORKSPACE_LOST", exec("raced", "ls", { instanceId: first }));
    await world.sandbox("raced", "destroy");
  });
});

describe("exec", () => {
  it("takes a line for the shell or a list without one, env, cwd, stdin and a time limit", async () => {
    await world.sandbox("main", "configure", { envVars: { BOTH: "configured", ONE: "configured" } });
    assert.equal(await sh("main", "echo $ONE $BOTH $((1 + 1))", { env: { BOTH: "called" } }), "configured called 2\n");
    assert.equal(await sh("main", "echo $IS_SANDBOX; sh -c 'echo $IS_SANDBOX'"), "1\n1\n", "coding agents run as root then");
    assert.equal(await sh("main", "echo \"${IS_SANDBOX-unset}\"", { env: { IS_SANDBOX: "" } }), "\n", "a caller decides");
    assert.equal(await sh("main", ["printf", "%s|", "$ONE", "a b", "*", "", "'"]), "$ONE|a b|*||'|");
    assert.equal(await sh("main", "pwd", { cwd: "/usr/lib" }), "/usr/lib\n");
    assert.equal(await sh("main", ["wc", "-c"], { stdin: "é\n".repeat(100_000) }), "300000\n");
    const slow = await exec("main", ["sleep", "30"], { timeout: 500 });
    assert.deepEqual([slow.exitCode, slow.timedOut], [124, true]);
    const stubborn = await exec("main", "trap '' TERM; sleep 30 & wait; sleep 30", { timeout: 500 });
    assert.deepEqual([stubborn.exitCode, stubborn.timedOut], [124, true]);
    assert.equal((await exec("main", ["false"])).success, false);
    assert.equal((await exec("main", "kill -9 $$")).exitCode, 137);
    assert.equal(await sh("main", "sleep 60 >/dev/null 2>&1 & echo started"), "started\n");
    for (const bad of [7, null, [], [7], { command: "ls" }]) await fails("INVALID_ARGUMENT", world.sandbox("main", "exec", bad));
    for (const bad of [{ timeout: 0 }, { timeout: -1 }, { cwd: "relative" }, { env: { "A=B": "c" } }]) await fails("INVALID_ARGUMENT", world.sandbox("main", "exec", "ls", bad));
  });
});

describe("files", () => {
  it("are written, read, listed, asked for and deleted, whatever their name", async () => {
    await world.sandbox("main", "mkdir", "/workspace/a/b", { recursive: true });
    await fails("CONFLICT", world.sandbox("main", "mkdir", "/workspace/a/b")).catch(() => fails("INVALID_ARGUMENT", world.sandbox("main", "mkdir", "/workspace/a/b")));
    for (const name of ["plain", "-rf", "$(touch owned)", "new\nline", "a'b\"c", ".hidden"]) {
      const path = `/workspace/a/${name}`;
      await world.sandbox("main", "writeFile", path, `content of ${name}`);
      assert.deepEqual((({ content, encoding }) => ({ content, encoding }))(await world.sandbox("main", "readFile", path)), { content: `content of ${name}`, encoding: "utf-8" });
      assert.equal((await world.sandbox("main", "exists", path)).exists, true);
    }
    await sh("main", ["python3", "-c", "open(b'/workspace/a/\\xff', 'w').close()"]);
    const files = async (options = {}) => (await world.sandbox<{ files: FileInfo[] }>("main", "listFiles", "/workspace/a", options)).files;
    assert.deepEqual((await files()).map(({ name }) => name).sort(), ["$(touch owned)", "-rf", "a'b\"c", "b", "new\nline", "plain", "\ufffd"].sort());
    const all = await files({ includeHidden: true });
    const plain = all.find(({ name }) => name === "plain")!;
    assert.deepEqual({ ...plain, modifiedAt: "" }, { name: "plain", absolutePath: "/workspace/a/plain", relativePath: "plain", type: "file", sizeBytes: 16, mode: "644", modifiedAt: "" });
    assert.ok(all.some(({ name }) => name === ".hidden"));
    assert.equal(all.find(({ relativePathBase64 }) => relativePathBase64)?.relativePathBase64, Buffer.from([0xff]).toString("base64"));
    await sh("main", "touch /workspace/a/b/deep && ln -s plain /workspace/a/link");
    const deep = await files({ recursive: true });
    assert.deepEqual([deep.find(({ relativePath }) => relativePath === "b/deep")?.type, deep.find(({ name }) => name === "link")?.type], ["file", "symlink"]);
    await world.sandbox("main", "deleteFile", "/workspace/a/-rf");
    assert.equal((await world.sandbox("main", "exists", "/workspace/a/-rf")).exists, false);
    assert.equal((await world.sandbox("main", "exists", "/workspace/a/plain")).exists, true);
    await fails("NOT_FOUND", world.sandbox("main", "deleteFile", "/workspace/a/-rf"));
    await fails("NOT_FOUND", world.sandbox("main", "readFile", "/workspace/none"));
    await world.sandbox("main", "deleteFile", "/workspace/a/b").then(() => assert.fail("a directory is no file"), (thrown: unknown) => envelopeOf(thrown));
    assert.equal(await sh("main", "ls /workspace/a/b; ls owned 2>/dev/null || true"), "deep\n");
  });
});

describe("backups", () => {
  it("hold ignored files, too", async () => {
    await sh("main", `rm -rf /workspace/t; mkdir -p /workspace/t/node_modules/x && cd /workspace/t && git init -q . &&
      printf 'ignored\\n*.tmp\\n' > .gitignore && touch ignored a.tmp node_modules/x/y`);
    const handle = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/t" });
    await sh("main", "rm -rf /workspace/t/*");
    assert.equal((await world.sandbox("main", "restoreBackup", handle)).success, true);
    const found = await sh("main", "find . -path ./.git -prune -o -type f -printf '%P\\n' | LC_ALL=C sort", { cwd: "/workspace/t" });
    assert.deepEqual(found.trim().split("\n"), [".gitignore", "a.tmp", "ignored", "node_modules/x/y"]);
  });

  it("refuse what could not be restored, before anything is written", async () => {
    const keys = await world.r2Keys();
    for (const bad of [
      {}, { dir: "/etc" }, { dir: "/tmp" }, { dir: "/workspace/../etc" }, { dir: "workspace" }, { dir: "/workspace\0" }, { dir: "/workspace", ttl: { $number: "NaN" } },
      { dir: "/workspace", ttl: { $number: "Infinity" } }, { dir: "/workspace", ttl: 60 }, { dir: "/workspace", ttl: -1 }, { dir: "/workspace", name: "a\u0000" },
      { dir: "/workspace", id: "../x" }, { dir: "/workspace", excludes: ["x"] }, { dir: "/workspace", surprise: 1 },
    ]) {
      await fails("INVALID_ARGUMENT", world.sandbox("main", "createBackup", bad)).catch((error: Error) => assert.fail(`${JSON.stringify(bad)}: ${error.message}`));
    }
    await world.sandbox("main", "createBackup", { dir: "/workspace/none" }).then(() => assert.fail("no such directory"), (thrown: unknown) => envelopeOf(thrown));
    await sh("main", "echo > /workspace/file");
    await world.sandbox("main", "createBackup", { dir: "/workspace/file" }).then(() => assert.fail("no directory"), (thrown: unknown) => envelopeOf(thrown));
    assert.deepEqual(await world.r2Keys(), keys);
  });

  it("write the record that 0.12 writes, with the hash of the bytes", async () => {
    const id = randomUUID();
    const handle = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/t", name: "named", ttl: 100, id });
    assert.deepEqual([handle.id, handle.dir], [id, "/workspace/t"]);
    const [archive, meta] = [await world.r2Bytes(key(id, "data.sqsh")), JSON.parse((await world.r2Bytes(key(id, "meta.json"))).toString())];
    assert.deepEqual([meta.id, meta.dir, meta.name, meta.ttl, meta.sizeBytes], [id, "/workspace/t", "named", 100, archive.length]);
    assert.equal(meta.snapshotter, undefined, "without a session it is nobody's, as those of 0.12");
    const snapshotter = { sessionId: "Some.Session", originSandboxId: "main", parentId: id, binding: "BACKUP_BUCKET" };
    const ours = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/t", snapshotter });
    const record = JSON.parse((await world.r2Bytes(key(ours.id, "meta.json"))).toString()).snapshotter;
    const { kind, sessionId, originSandboxId, parentId, sha256 } = record;
    assert.deepEqual({ kind, sessionId, originSandboxId, parentId }, { kind: "full", sessionId: "Some.Session", originSandboxId: "main", parentId: id });
    assert.equal(sha256, createHash("sha256").update(await world.r2Bytes(key(ours.id, "data.sqsh"))).digest("hex"));
    await world.sandbox("main", "createBackup", { dir: "/workspace/t", id }).then(() => assert.fail("an id is used once"), (thrown: unknown) => envelopeOf(thrown));
    assert.equal(await sh("main", "find / -xdev -name '*.sqsh' | wc -l"), "0\n", "no archive stays in the container");
  });

  it("that fail to restore leave the directory as it was", async () => {
    await sh("main", "rm -rf /workspace/r; mkdir -p /workspace/r/sub; echo before > /workspace/r/file; ln -s x /workspace/r/link");
    const snapshotter = { sessionId: "main", originSandboxId: "main", parentId: null, binding: "BACKUP_BUCKET" };
    const handle = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/r", snapshotter });
    await sh("main", "echo after > /workspace/r/file; chmod 700 /workspace/r; echo new > /workspace/r/sub/new");
    const state = () => sh("main", "cd /workspace/r && stat -c '%a %y' . && ls -lAR --time-style=full-iso && cat file sub/new && ls -A /workspace");
    const before = await state();
    const archive = await world.r2Bytes(key(handle.id, "data.sqsh"));
    const bucket = await world.r2();
    const flipped = Buffer.from(archive);
    flipped[archive.length >> 1]! ^= 1;
    for (const [bytes, code] of [[flipped, "INTEGRITY"], [archive.subarray(0, 100), "INTEGRITY"], [null, "SNAPSHOT_GONE"]] as const) {
      if (bytes) await bucket.put(key(handle.id, "data.sqsh"), bytes);
      else await bucket.delete(key(handle.id, "data.sqsh"));
      await fails(code, world.sandbox("main", "restoreBackup", handle));
      assert.equal(await state(), before);
    }
    await bucket.put(key(handle.id, "data.sqsh"), archive);
    await fails("SNAPSHOT_GONE", world.sandbox("main", "restoreBackup", { id: randomUUID(), dir: "/workspace/r" }));
    for (const bad of [{ ...handle, dir: "/etc" }, { ...handle, id: "x" }, {}, null]) {
      await fails("INVALID_ARGUMENT", world.sandbox("main", "restoreBackup", bad));
    }
    assert.equal(await state(), before);
    await world.sandbox("main", "restoreBackup", handle);
    assert.equal(await sh("main", "cat /workspace/r/file; find /workspace/r | sort"), "before\n/workspace/r\n/workspace/r/file\n/workspace/r/link\n/workspace/r/sub\n");
  });

  it("taken while files vanish, shrink and grow are consistent, or BACKUP_FAILED; never silently wrong", async (t) => {
    await sh("main", `rm -rf /workspace/c; mkdir /workspace/c; cd /workspace/c; for i in $(seq 300); do head -c 100000 /dev/urandom > stable$i; done
      cat > /tmp/churn.py <<'END'
import os, random, time
os.chdir("/workspace/c")
while not os.path.exists("/tmp/stop"):
    for i in range(40):
        with open(f"churn{i}", "wb") as file: file.write(bytes([i]) * 400_000)
    for i in range(0, 40, 2): os.truncate(f"churn{i}", 1000)
    for i in range(1, 40, 2): os.remove(f"churn{i}")
END
      nohup python3 /tmp/churn.py >/dev/null 2>&1 &`);
    const outcomes = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      const keys = (await world.r2Keys()).length;
      const outcome = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/c" }).catch((thrown: unknown) => envelopeOf(thrown));
      if ("code" in outcome) {
        assert.equal(outcome.code, "BACKUP_FAILED");
        assert.equal((await world.r2Keys()).length, keys, "nothing is left of it in R2");
      }
      outcomes.push(outcome);
    }
    await sh("main", "touch /tmp/stop; while grep -q '[c]hurn.py' /proc/[0-9]*/cmdline; do sleep 0.1; done; sha256sum /workspace/c/stable* > /tmp/stable");
    t.diagnostic(outcomes.map((outcome) => ("code" in outcome ? outcome.code : "consistent")).join(", "));
    for (const outcome of outcomes) {
      if ("code" in outcome) continue;
      await world.sandbox("main", "restoreBackup", outcome);
      await sh("main", "sha256sum --quiet -c /tmp/stable");
      // Each write repeats one byte, so holes or another write's bytes would show.
      const wrong = await sh("main", ["python3", "-c", `
import glob
for name in glob.glob("/workspace/c/churn*"):
    content = open(name, "rb").read()
    if set(content) - {int(name.split("churn")[1])}: print(name, len(content), set(content))
`]);
      assert.equal(wrong, "");
    }
    await world.sandbox("main", "createBackup", { dir: "/workspace/c" });
  });

  it("are taken one at a time, and restores wait their turn", async () => {
    const calls = await Promise.all([0, 1, 2].map(async (i) => {
      const handle = await world.sandbox<Handle>("main", "createBackup", { dir: "/workspace/t", name: `turn ${i}` });
      return world.sandbox<{ success: boolean }>("main", "restoreBackup", handle);
    }));
    assert.ok(calls.every(({ success }) => success));
    assert.equal(await sh("main", "ls -A /workspace | grep -v -x -e a -e c -e r -e t -e file || true"), "", "nothing is left beside the targets");
  });
});

describe("a container that nobody uses", () => {
  it("stops after its own idle time, and no other does", async () => {
    // A call on the object would count as use.
    await until("one container is left", () => world.worker.containers().length === 1, 60_000);
    assert.equal(await world.sandbox("sleeper", "isRunning"), false);
    assert.equal(await world.sandbox("main", "isRunning"), true);
  });
});
