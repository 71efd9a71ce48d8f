/** The command line as a process: against the real Worker with containers, and against servers that mean harm. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import type { IncomingMessage } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import type { EventPage, SnapshotPage, WorkspaceList } from "../../entry/snapshotter.d.ts";
import { Terminal, cli, ended, here, home, json, mode, ok, profiles, read, serve, start } from "./command-line.ts";
import { HERE, TOKEN, idOf, until, useWorld } from "./support.ts";

const world = useWorld({ env: { LOADER: { type: "worker-loader" } }, vars: { PREVIEW_HOST: "preview.example.com", MAX_POOL_CONTAINERS: "1", TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` } });

// What others chose must neither control a terminal nor hide in it.
const HOSTILE = "\u001b]0;evil\u0007\u001b[2J\u202etxt.\u2066\u200b\u009b31m";
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

/** A printed line. A spinner may have been on it: then it was erased. */
const line = (text: string) => new RegExp(`(\\n|\\x1b\\[2K)${text}\\r\\n`);

describe("a profile", () => {
  it("is stored for the user alone, once the server knows the token", async () => {
    const wrong = await ended(start(["login", world.worker.url]), "wrong-token\n");
    assert.equal(wrong.code, 5, wrong.stderr);
    assert.match(wrong.stderr, /UNAUTHENTICATED/);
    assert.ok(!fs.existsSync(profiles()));

    const right = await ended(start(["login", world.worker.url]), `${TOKEN}\n`);
    assert.equal(right.code, 0, right.stderr);
    assert.deepEqual([mode(profiles()), mode(path.dirname(profiles()))], ["600", "700"]);
    assert.ok(fs.readFileSync(profiles(), "utf8").includes(TOKEN));
    assert.deepEqual(fs.readdirSync(path.dirname(profiles())), ["profiles.toml"]);
    const listed = JSON.parse((await ended(start(["profiles", "-o", "json"]))).stdout);
    assert.deepEqual(listed, { profiles: [{ name: "default", default: true, url: world.worker.url, session: null }] });
  });

  it("asks for the token on a terminal, without showing it", async () => {
    const terminal = new Terminal(["login", world.worker.url, "--profile", "typed"]);
    await until("it asks", () => terminal.shown.includes("Token for"));
    // The echo is off a moment after the question.
    await sleep(1_000);
    await terminal.type(`${TOKEN}\n`, /stored profile/);
    assert.equal(await terminal.close(), 0);
    assert.ok(!terminal.shown.includes(TOKEN), terminal.shown);
    assert.equal((await ended(start(["logout", "--profile", "typed"]))).code, 0);
    assert.ok(!fs.readFileSync(profiles(), "utf8").includes("typed"));
  });

  it("may have a command for the token, and the environment goes before it", async () => {
    fs.writeFileSync(here("token"), TOKEN);
    const args = ["login", world.worker.url, "--profile", "by-command", "--token-command", `cat ${here("token")}`];
    assert.equal((await ended(start(args))).code, 0);
    assert.equal(fs.readFileSync(profiles(), "utf8").split(TOKEN).length, 2, "only the first profile has the token itself");
    const sessions = ["--profile", "by-command", "operator", "sessions"];
    assert.equal((await ended(start(sessions))).code, 0);
    assert.equal((await ended(start(sessions, { env: { SNAPSHOTTER_TOKEN: "wrong" } }))).code, 5);
    assert.equal((await ended(start(["logout", "--profile", "by-command"]))).code, 0);
  });

  it("never has its token in an argument or in help", async () => {
    await world.opened("argv");
    const child = start(["-s", "argv", "run", "echo here; sleep 30"], { env: { SNAPSHOTTER_TOKEN: TOKEN } });
    await once(child.stdout, "data");
    for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      // Processes come and go.
      const args = fs.existsSync(`/proc/${pid}/comm`) ? read(`/proc/${pid}/cmdline`) : "";
      assert.ok(!args.includes(TOKEN), args);
    }
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "close"), [130, null]);
    const help = await ended(start(["--help"], { env: { SNAPSHOTTER_TOKEN: TOKEN, SNAPSHOTTER_SESSION: "secret-name" } }));
    assert.ok(help.stdout.includes("Exit codes:") && !help.stdout.includes("secret-name"));
  });

  it("sends its token only to its own address, and none in the clear", async () => {
    const plain = await ended(start(["--url", "http://example.com", "-s", "x", "list"]));
    assert.deepEqual([plain.code, /could read the token/.test(plain.stderr)], [2, true], plain.stderr);
    const heard: IncomingMessage[] = [];
    await using server = await serve((request, response) => {
      heard.push(request);
      response.writeHead(302, { location: "https://example.com/" }).end();
    });
    const redirected = await ended(start(["--url", server.url, "-s", "x", "list"]));
    assert.equal(redirected.code, 2, redirected.stderr);
    assert.match(redirected.stderr, /redirects to https:\/\/example\.com/);
    assert.equal(heard.length, 1);
    assert.equal(heard[0]!.headers.authorization, undefined);
  });
});

// Most of them wait: for containers, streams and retries.
const IN_ORDER = { concurrency: 1 };
describe("a command", { concurrency: 4 }, () => {
  describe("snapshots and workspaces", IN_ORDER, () => {
    const session = "cli-snapshots";

    it("are made, listed and changed", async () => {
      assert.match(await ok(session, "open", "--sleep-after", "30m"), /session cli-snapshots is open/);
      const described = await ok(session, "describe");
      assert.match(described, /^opened +\d{4}-.* \(.*\)$/m);
      assert.match(described, new RegExp(`^active workspace +${session}$`, "m"));
      assert.match(described, /^snapshots live +\d+ d$/m);
      assert.match(described, /^ +sleepAfter +1800s$/m);
      await ok(session, "run", "echo one > file");
      const taken = await json(session, "snapshot", "works", "-d", "it works", "--label", "tests=pass", "--ttl", "7d");
      assert.deepEqual([taken.snapshot.name, taken.snapshot.labels], ["works", { tests: "pass" }]);
      const page = await world.session(session).list();
      assert.deepEqual(await json<SnapshotPage>(session, "list"), page, "as the API answers");
      const [, row] = (await ok(session, "list")).trim().split("\n");
      assert.match(row!, new RegExp(`^works  ${idOf(taken.ref)}  \\S+ kB +\\S.* +in \\d d +manual +tests=pass$`));
      assert.match(await ok(session, "show", "works"), /description +it works/);
      await ok(session, "update", "works", "--pin", "--label", "by=me", "--unlabel", "tests", "--name", "good");
      const { snapshot } = await world.session(session).get("good");
      assert.deepEqual([snapshot.pinned, snapshot.labels], [true, { by: "me" }]);
      const pinned = await cli(session, "delete", "good");
      assert.deepEqual([pinned.code, pinned.stdout], [4, ""]);
      assert.match(pinned.stderr, /^error: .*\(CONFLICT\)\n  hint: .+\n$/s);
      const other = await cli(session, "switch", "not-mine");
      assert.match(other.stderr, /\n  hint: list this session's workspaces with `snapshotter workspaces`\n$/);
      assert.match(await ok(session, "show", "good", "--history"), /snapshot\.created/);
      assert.match(await ok(session, "usage"), /pinned +1 \(/);
      assert.match(await ok(session, "retention"), /keep +\S+$/m);
    });

    it("are gone back to, branched and compared", async () => {
      await ok(session, "run", "echo two > file");
      assert.equal((await cli(session, "diff", "good", "--exit-code")).code, 1);
      assert.match(await ok(session, "diff", "good"), /modified file\n.*\n-one\n\+two\n/s);
      assert.match(await ok(session, "diff", "good", "--patch"), /^diff --git a\/file b\/file\n/);
      await ok(session, "rewind", "good");
      assert.equal(await ok(session, "cat", "file"), "one\n");
      const made = (await json(session, "branch", "good")).ref.ref.id;
      await ok(session, "run", "-w", made, "echo three > file");
      const compared = await ok(session, "compare", "-c", "grep -q three file");
      assert.match(compared, new RegExp(`^${made} .*exit 0`, "m"));
      await ok(session, "run", "echo four > file");
      const failed = await ok(session, "compare", "-c", "echo looked; grep nothing file || { echo not there >&2; exit 3; }");
      assert.match(failed, new RegExp(`\n${made}: exit 3\nlooked\nnot there\n`));
      assert.match(await ok(session, "diff", "good", made), /^modified file$/m);
      const conflict = await cli(session, "promote", made);
      assert.deepEqual([conflict.code, /conflict \(content\): file/.test(conflict.stderr)], [4, true], conflict.stderr);
      await ok(session, "promote", `workspace:${made}`, "--on-conflict", "theirs");
      assert.equal(await ok(session, "cat", "file"), "three\n");
      assert.match(await ok(session, "lineage"), /<- you are here/);
      // The promoted files are still being saved, which shows in the list.
      await until("both lists are equal", async () =>
        isDeepStrictEqual(await json<WorkspaceList>(session, "workspaces"), await world.session(session).workspaces()));
      await ok(session, "switch", made);
      assert.match(await ok(session, "workspaces"), new RegExp(`^\\* +${made} `, "m"));
      await ok(session, "switch", session);
      await ok(session, "pause", `workspace:${made}`);
      await ok(session, "resume", made);
      assert.match(await ok(session, "destroy", made), /is destroyed/);
      const restored = await ok(session, "restore", "good", "--switch");
      assert.match(restored, /active from now on/);
      await ok(session, "switch", session);
      assert.match(await ok(session, "fork", "-n", "1"), /^workspace \S+\n$/);
    });

    it("are named by turns, too", async () => {
      await ok(session, "run", "echo turn > file");
      assert.match(await ok(session, "turn", "first", "--cursor", '{"message":7}'), /^turn 1, /);
      assert.equal((await cli(session, "run", "echo later > file; echo printed; echo told >&2; exit 7")).code, 7);
      assert.match(await ok(session, "timeline"), /^1 +first .* \{"message":7\} /m);
      const history = await ok(session, "history");
      const [, number] = /^(\d+) .* exit 7 +echo later > file; echo printed/m.exec(history) ?? [history];
      assert.equal(await ok(session, "history", number!), "echo later > file; echo printed; echo told >&2; exit 7\nprinted\ntold\n");
      assert.equal((await cli(session, "history", "99999")).code, 2);
      assert.equal(await ok(session, "cat", "-S", "turn:1", "file"), "turn\n");
      assert.match(await ok(session, "rewind", "--dry-run", "turn:1"), /would get the files of .*\nmodified +file\n/);
      assert.match(await ok(session, "undo", "--dry-run"), /^modified +file\n.*undone: what has changed since the last turn\n/ms);
      assert.equal(await ok(session, "cat", "file"), "later\n", "a dry run changes nothing");
      assert.match(await ok(session, "undo"), /has the files of .*\nundone: what has changed since the last turn\n/);
      assert.equal(await ok(session, "cat", "file"), "turn\n");
      await ok(session, "run", "echo later > file");
      assert.match(await ok(session, "rewind", "turn:1"), /end of turn 1, cursor \{"message":7\}/);
      assert.equal(await ok(session, "cat", "-S", "latest", "file"), "turn\n");
      const none = await cli(session, "cat", "-S", "turn:9", "file");
      assert.deepEqual([none.code, /NOT_FOUND/.test(none.stderr)], [3, true], none.stderr);
    });

    it("are deleted and closed", async () => {
      await ok(session, "delete", "--force", "good");
      assert.match(await ok(session, "show", "good"), /^state +deleted, not restorable/m);
      const gone = await cli(session, "restore", "good");
      assert.deepEqual([gone.code, /SNAPSHOT_GONE/.test(gone.stderr)], [3, true], gone.stderr);
      assert.match((await ended(start(["close", session]))).stdout, /is closed/);
      const refused = await cli(session, "delete-session");
      assert.deepEqual([refused.code, /force/.test(refused.stderr)], [2, true], refused.stderr);
      await ok(session, "delete-session", "--force");
      assert.equal((await cli(session, "describe")).code, 3);
    });
  });

  describe("run", IN_ORDER, () => {
    const session = "cli-run";
    before(() => world.opened(session));

    it("passes output, input and the exit code on", async () => {
      const both = await cli(session, "run", "echo out; echo err >&2; exit 7");
      assert.deepEqual(both, { code: 7, signal: null, stdout: "out\n", stderr: "err\n" });
      assert.equal(await ok(session, "run", "printf", "%s|", "a b", "-o", "$HOME"), "a b|-o|$HOME|");
      assert.equal((await cli(session, "run", "kill -9 $$")).code, 137);
      const timed = await cli(session, "run", "--timeout", "1", "sleep 30");
      assert.deepEqual([timed.code, /time limit/.test(timed.stderr)], [124, true]);
      const late = await cli(session, "run", "sleep 30", "--timeout", "1s");
      assert.deepEqual([late.code, /time limit/.test(late.stderr)], [124, true], late.stderr);
      const refused = await cli(session, "run", "sleep 30", "--timeuot", "1s");
      assert.deepEqual([refused.code, /one command for the shell/.test(refused.stderr)], [2, true], refused.stderr);
      const program = await cli(session, "run", "ls", "--timeout", "1s");
      assert.match(program.stderr, /ls got --timeout as its own argument: options of `run` go before the program/);
      const fed = await ended(start(["-s", session, "run", "-i", "-e", "NAME=value", "-C", ".", "cat; echo $NAME"]), "typed ü\n");
      assert.equal(fed.stdout, "typed ü\nvalue\n");
      const events = (await ok(session, "-o", "json", "run", "echo one")).trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(events.map(({ type }) => type), ["start", "stdout", "complete"]);
    });

    it("ends the command with itself", async () => {
      const interrupted = async (signal: "SIGINT" | "SIGTERM", code: number) => {
        const child = start(["-s", session, "run", "echo $$; sleep 1000"]);
        const [said] = await once(child.stdout, "data");
        const closed = once(child, "close");
        child.kill(signal);
        assert.deepEqual(await closed, [code, null]);
        const pid = String(said).trim();
        await until(`process ${pid} is gone`, async () => !(await world.session(session).run(["sh", "-c", "kill -0 $0 2>/dev/null", pid])).success, 30_000);
      };
      await Promise.all([interrupted("SIGINT", 130), interrupted("SIGTERM", 143)]);
      // Whoever reads our output has gone.
      const child = start(["-s", session, "run", "yes"]);
      await once(child.stdout, "data");
      child.stdout.destroy();
      assert.deepEqual(await once(child, "exit"), [141, null]);
    });

    it("starts, follows and stops background processes", async () => {
      await ok(session, "start", "server", "for i in 1 2 3; do echo line $i; sleep 0.5; done; exit 3");
      assert.equal(await ok(session, "logs", "--follow", "server"), "line 1\nline 2\nline 3\n");
      await ok(session, "start", "sleeper", "sleep", "1000");
      assert.match(await ok(session, "processes"), /^sleeper +running .*sleep 1000$/m);
      assert.match(await ok(session, "stop", "sleeper"), /^process sleeper ended/);
      assert.match(await ok(session, "processes"), /^server +ended +3 /m);
    });
  });

  describe("code", IN_ORDER, () => {
    const session = "cli-code";
    const piped = (code: string, ...args: string[]) => ended(start(["-s", session, ...args]), code);
    before(() => world.opened(session, { capabilities: { fs: true, shell: true, snapshot: true, code: { stateful: true }, script: { maxDurationMs: 60_000 } } }));

    it("runs beside the session as a script", async () => {
      fs.writeFileSync(here("script.js"), 'console.log("looked"); await workspace.write_file({ path: "by-script", content: "1" }); return { n: [1, "x"] };');
      assert.deepEqual(await cli(session, "script", "script.js"), { code: 0, signal: null, stdout: '{"n":[1,"x"]}\n', stderr: "looked\n" });
      assert.equal(await ok(session, "cat", "by-script"), "1");
      assert.deepEqual(await piped("return 10n", "script", "-"), { code: 0, signal: null, stdout: "10\n", stderr: "" });
      assert.deepEqual(await piped("", "script"), { code: 0, signal: null, stdout: "", stderr: "" });
      const failed = await piped(`console.log("before${HOSTILE}"); throw new Error("bad${HOSTILE}")`, "script");
      assert.deepEqual([failed.code, failed.stdout], [1, ""]);
      assert.match(failed.stderr, /^before.*\nError: bad.*\n +at .*script\.js:1/s);
      assert.ok(!CONTROLS.test(failed.stderr), JSON.stringify(failed.stderr));
      const asJson = await piped("throw new Error('bad')", "-o", "json", "script");
      assert.deepEqual([asJson.code, asJson.stderr], [1, ""]);
      assert.match(JSON.parse(asJson.stdout).error, /^Error: bad/);
      const absent = await cli(session, "script", "absent.js");
      assert.deepEqual([absent.code, /absent\.js/.test(absent.stderr)], [1, true], absent.stderr);
    });

    it("keeps its variables in a context", async () => {
      const context = (await ok(session, "contexts", "create", "python", "--memory", "512")).trim();
      assert.match(context, /^[0-9a-z]{26}$/);
      assert.match(await ok(session, "contexts", "list"), new RegExp(`^ID .*\n${context} +python +512 MiB `));
      assert.equal((await json(session, "contexts", "list")).contexts[0].context, context);
      fs.writeFileSync(here("code.py"), "import sys\nx = 41\nprint('out', end='')\nprint('err', file=sys.stderr)\nx + 1\n");
      assert.deepEqual(await cli(session, "contexts", "run", context, "code.py"), { code: 0, signal: null, stdout: "out\n42\n", stderr: "err\n" });
      assert.equal((await piped("{1}", "contexts", "run", context)).stdout, "{1}\n", "a set is no JSON");
      const failed = await piped("1 / 0", "contexts", "run", context, "-");
      assert.deepEqual([failed.code, failed.stdout, /ZeroDivisionError/.test(failed.stderr)], [1, "", true], failed.stderr);
      const late = await piped("while True: pass", "contexts", "run", context, "--timeout", "1");
      assert.deepEqual([late.code, /time limit/.test(late.stderr)], [124, true], late.stderr);
      const asJson = await piped("x", "-o", "json", "contexts", "run", context);
      assert.equal(JSON.parse(asJson.stdout).value, 41);
      const exited = await piped("import os; os._exit(7)", "contexts", "run", context);
      assert.deepEqual([exited.code, /context and its variables are gone/.test(exited.stderr)], [7, true], exited.stderr);
      const gone = await piped("x", "contexts", "run", context);
      assert.deepEqual([gone.code, /snapshotter contexts create/.test(gone.stderr)], [3, true], gone.stderr);
      const other = (await ok(session, "contexts", "create", "javascript")).trim();
      assert.match(await ok(session, "contexts", "delete", other), /is gone/);
      assert.deepEqual((await json(session, "contexts", "list")).contexts, []);
      assert.equal((await cli(session, "contexts", "create", "cobol")).code, 2);
    });

    it("ends with Ctrl-C, and its context stays", async () => {
      const context = (await ok(session, "contexts", "create", "python")).trim();
      const began = async () => (await cli(session, "cat", "began")).code === 0;
      const interrupted = async (code: string, ...args: string[]) => {
        const child = start(["-s", session, ...args]);
        child.stdin.end(code);
        await until("it runs", began, 30_000);
        const closed = once(child, "close");
        child.kill("SIGINT");
        assert.deepEqual(await closed, [130, null]);
        const removed = await cli(session, "run", "rm began");
        assert.equal(removed.code, 0, removed.stderr);
        return removed;
      };
      const removed = await interrupted("kept = 'kept'; open('began', 'w').close()\nwhile True: pass", "contexts", "run", context);
      // The code takes the interrupt a moment later.
      const free = () => piped("kept", "contexts", "run", context).then((ran) => (/CONFLICT/.test(ran.stderr) ? undefined : ran));
      const { stderr, ...rest } = await until("the context is free", free, 30_000);
      assert.deepEqual(rest, { code: 0, signal: null, stdout: '"kept"\n' });
      // Python had printed that it was interrupted. The next command says so, whichever that is.
      assert.match(removed.stderr + stderr, /^the caller of an earlier command gave up, so the command was ended; the log of background process aborted-[0-9a-f]{8} has what it printed\n$/);
      const script = 'await workspace.write_file({ path: "began", content: "" }); await new Promise((done) => setTimeout(done, 50_000));';
      const beganAt = Date.now();
      await interrupted(script, "script");
      assert.ok(Date.now() - beganAt < 40_000, "the script was not ended");
    });
  });

  describe("files", IN_ORDER, () => {
    const session = "cli-files";
    before(() => world.opened(session));
    /** All but the times of directories: those are when their files were unpacked. */
    const tree = (directory: string) =>
      execFileSync("python3", [path.join(HERE, "manifest.py"), directory], { encoding: "utf8" }).replaceAll(/^(d \d+ \d+ \d+ -) \d+/gm, "$1");

    it("go there and back unchanged", async () => {
      execFileSync("sh", ["-c", "mkdir -p 'in/a b/empty' && cd in && echo 1 >'a b/é' && ln -s /etc/passwd link && head -c 3000000 /dev/urandom >noise && chmod 750 'a b' && touch -d @1700000000 'a b/é'"], { cwd: home });
      assert.match(await ok(session, "put", "in"), /^put 2 files, 2 directories and 1 link \(3\.0 MB\)/);
      await ok(session, "get", "in", "out");
      assert.equal(tree(here("out")), tree(here("in")));
      const again = await cli(session, "get", "in", "out");
      assert.deepEqual([again.code, /exists/.test(again.stderr)], [2, true]);
      fs.writeFileSync(here("out/noise"), "changed");
      await ok(session, "get", "in", "out", "--force");
      assert.deepEqual(fs.readFileSync(here("out/noise")), fs.readFileSync(here("in/noise")));
      await ok(session, "put", "in/noise", "deep/file");
      await ok(session, "get", "deep/file");
      assert.deepEqual([fs.readFileSync(here("file")).length, mode(here("file"))], [3_000_000, "644"]);
      assert.ok(!fs.readdirSync(home).some((name) => name.startsWith(".snapshotter-get-")));
    });

    it("go in parts, and on after an interruption", async () => {
      const noise = here("large/noise");
      execFileSync("sh", ["-c", "mkdir large && head -c 24000000 /dev/urandom >large/noise"], { cwd: home });
      const args = ["-s", session, "put", "large", "--part-bytes", "500000"];
      const uploads = here(".local/state/snapshotter/uploads");
      const first = start(args);
      let said = "";
      first.stderr.on("data", (text) => (said += text));
      const arrived = () => {
        const [state] = fs.existsSync(uploads) ? fs.readdirSync(uploads).filter((name) => name.startsWith("cli-")) : [];
        const text = state ? read(path.join(uploads, state)) : "";
        return text === "" ? 0 : Object.keys(JSON.parse(text).arrived).length;
      };
      await until("some parts have arrived", () => arrived() >= 6, 30_000);
      first.kill("SIGKILL");
      await once(first, "close");
      assert.match(said, /upload cli-[0-9a-f]{32}: if it is interrupted, repeat the command/);
      assert.equal(mode(uploads), "700");
      const before = arrived();
      assert.ok(before < 48, `all ${before} parts had arrived`);
      // One that has arrived is of other bytes now, so it is sent again.
      const changed = fs.openSync(noise, "r+");
      fs.writeSync(changed, "changed", 600_000);
      fs.closeSync(changed);
      const second = await ended(start(args));
      assert.equal(second.code, 0, second.stderr);
      assert.match(second.stderr, /going on with upload cli-/);
      const parts = world.logLines().filter((line) => line.event === "storePart" && line["session"] === session).length;
      // There are 49. One was on its way when we killed the first attempt. The one with our change is new, and the first,
      // which has the file's time.
      assert.ok(parts <= 49 + 3, `${parts} parts were sent, ${before} before the interruption`);
      assert.deepEqual(fs.readdirSync(uploads), []);
      const sum = execFileSync("sha256sum", [noise], { encoding: "utf8" }).split(" ")[0];
      assert.equal((await ok(session, "run", "sha256sum large/noise")).split(" ")[0], sum);
    });

    it("are sent again when the container with their parts has ended", async () => {
      const args = ["put", "large", "again", "--part-bytes", "2000000", "--upload", "mine"];
      await ok(session, "open");
      const first = start(["-s", session, ...args]);
      const state = here(".local/state/snapshotter/uploads/mine.json");
      await until("a part has arrived", () => fs.existsSync(state), 30_000);
      first.kill("SIGKILL");
      await once(first, "close");
      await ok(session, "snapshot");
      await ok(session, "destroy", "--container", session);
      const second = await cli(session, ...args);
      assert.equal(second.code, 0, second.stderr);
      assert.match(second.stderr, /sending everything again/);
      assert.equal(await ok(session, "run", "cmp large/noise again/noise && echo same"), "same\n");
      assert.match(await ok(session, "put", "large", "--upload", "other", "--abandon"), /is given up/);
    });

    it("are listed, searched and copied, of a snapshot too", async () => {
      await ok(session, "run", "mkdir src; printf 'a\\tfound\\n' >src/x.py; echo other >src/.hidden");
      await ok(session, "snapshot", "files");
      for (const at of [[], ["-S", "files"]]) {
        assert.match(await ok(session, "ls", ...at, "src"), /^file +644 +8 B .* src\/x\.py$/m);
        assert.ok(!(await ok(session, "ls", ...at, "src")).includes("hidden"));
        assert.match(await ok(session, "ls", "-a", ...at, "src"), /hidden/);
        assert.equal(await ok(session, "grep", ...at, "fo+und", "src"), "src/x.py:1:a\tfound\n");
        assert.equal((await cli(session, "grep", ...at, "absent", "src")).code, 1);
        assert.equal(await ok(session, "cat", ...at, "src/x.py"), "a\tfound\n");
      }
      await ok(session, "run", "rm -r src");
      assert.match(await ok(session, "cp", "-S", "files", "src/x.py", "--to", "back"), /^copied 1 file,/);
      assert.equal(await ok(session, "cat", "back/src/x.py"), "a\tfound\n");
      const [fork] = (await json(session, "fork")).workspaces;
      await ok(session, "run", "-w", fork.ref.ref.id, "echo forked > of-fork");
      await ok(session, "cp", "--from", fork.ref.ref.id, "of-fork");
      assert.equal(await ok(session, "cat", "of-fork"), "forked\n");
      await ok(session, "get", "-S", "files", "src/x.py", "x.py");
      assert.equal(read(here("x.py")), "a\tfound\n");
      assert.deepEqual(await json(session, "tools", "call", "workspace_stat", '{"path":"of-fork"}'), await world.session(session).tool("workspace_stat", { path: "of-fork" }));
    });
  });

  describe("archives of snapshots", IN_ORDER, () => {
    const session = "cli-archives";
    const listed = (name: string) => ok(session, "ls", "-a", "-R", "-S", name).then((rows) => rows.trim().split("\n").slice(1).map((row) => row.split(" ").at(-1)));
    before(() => world.opened(session, { capabilities: { fs: true, shell: true, snapshot: { crossSession: true } } }));

    it("are exported, and imported as snapshots", async () => {
      await ok(session, "run", "mkdir d && echo content >d/f && ln -s f d/l");
      await ok(session, "snapshot", "one");
      const out = await ok(session, "export", "one");
      const bytes = fs.readFileSync(here("one.tar.zst"));
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      assert.match(out, new RegExp(`^exported into one\\.tar\\.zst, \\S+ k?B, SHA-256 ${sha256}\n$`));
      assert.equal(mode(here("one.tar.zst")), "644");
      const names = execFileSync("tar", ["--list", "--file=-"], { input: zstdDecompressSync(bytes), encoding: "utf8" });
      assert.deepEqual(names.trim().split("\n").sort(), ["./", "d/", "d/f", "d/l"]);
      const again = await cli(session, "export", "one");
      assert.deepEqual([again.code, /--force/.test(again.stderr)], [2, true], again.stderr);
      fs.writeFileSync(here("one.tar.zst"), "mine");
      const forced = await json(session, "export", "one", "one.tar.zst", "--force");
      assert.deepEqual(forced, { file: "one.tar.zst", size: bytes.length, sha256, format: "tar+zstd/1" });

      assert.match(await ok(session, "import", "one.tar.zst", "-n", "two", "-d", "of one", "--ttl", "1d", "--sha256", sha256), /^snapshot \S+, \S+ k?B\n$/);
      const { snapshot } = await world.session(session).get("two");
      assert.deepEqual([snapshot.trigger, snapshot.description], ["import", "of one"]);
      assert.equal(Date.parse(snapshot.expiresAt) - Date.parse(snapshot.createdAt), 86_400_000);
      assert.equal(await ok(session, "cat", "-S", "two", "d/l"), "content\n");
      const damaged = await cli(session, "import", "one.tar.zst", "--sha256", "0".repeat(64));
      assert.deepEqual([damaged.code, /INTEGRITY/.test(damaged.stderr)], [1, true], damaged.stderr);
      const taken = await cli(session, "import", "one.tar.zst", "-n", "two");
      assert.deepEqual([taken.code, /CONFLICT/.test(taken.stderr)], [4, true], taken.stderr);
      const replaced = await json(session, "import", "one.tar.zst", "-n", "two", "--replace");
      assert.equal(replaced.snapshot.name, "two");
      assert.notEqual(replaced.snapshot.id, snapshot.id);
    });

    it("are layers of images, too", async () => {
      const layers = JSON.parse(execFileSync("python3", [path.join(HERE, "layer_tar.py")], { encoding: "utf8" })) as Record<string, string>;
      fs.writeFileSync(here("layer.tar"), Buffer.from(layers["layer"]!, "base64"));
      await ok(session, "import", "layer.tar", "--layer", "-n", "layer");
      assert.deepEqual(await listed("layer"), ["etc", "etc/kept", "opt", "opt/tool"]);
      await ok(session, "import", "layer.tar", "-n", "plain");
      assert.ok((await listed("plain")).includes("etc/.wh.gone"));
    });

    it("go to the bucket as backups of the Sandbox SDK, and come back", async () => {
      const record = JSON.parse(await ok(session, "export", "one", "--to-bucket"));
      const key = `backups/${record.id}.tar.zst`;
      assert.deepEqual([record.size, record.format], [(await world.r2Bytes(key)).length, "tar+zstd/1"]);
      assert.deepEqual(await json(session, "export", "one", "--to-bucket"), record);
      await ok(session, "import", "--backup", record.id, "-n", "by-id", "--sha256", record.sha256);
      await ok(session, "import", "--key", key, "-n", "by-key");
      for (const name of ["by-id", "by-key"]) assert.equal(await ok(session, "cat", "-S", name, "d/f"), "content\n", name);
      const absent = await cli(session, "import", "--key", "backups/none");
      assert.deepEqual([absent.code, /SNAPSHOT_GONE/.test(absent.stderr)], [3, true], absent.stderr);
      assert.equal((await cli(session, "import", "one.tar.zst", "--key", key)).code, 2);
      await world.opened("cli-strict");
      const strict = await cli("cli-strict", "import", "--key", key);
      assert.deepEqual([strict.code, /CROSS_SESSION_DISABLED/.test(strict.stderr)], [5, true], strict.stderr);
    });

    it("keep containers warm, once one is published", async () => {
      const id = idOf(await world.session(session).get("one"));
      await ok(session, "update", "one", "--publish");
      fs.writeFileSync(here("pool.json"), JSON.stringify({ pool: { from: id, size: 2 } }));
      await ok("", "open", "cli-pool", "--config", "pool.json");
      assert.equal(await ok("cli-pool", "cat", "d/f"), "content\n");
      const row = new RegExp(`^(\\S+) +${id} +1 of 2 +1 +0 .*\nall pools may keep 1 container\n$`, "m");
      const pools = await until("the pool is full", async () => row.exec(await ok("", "operator", "pools")));
      assert.equal((await json("", "operator", "pools")).pools[0].id, pools[1]);
      assert.match(await ok("", "operator", "destroy-pool", pools[1]!), /^destroyed 1 container\n$/);
      assert.match(await ok("", "operator", "pools"), /^all pools may keep 1 container\n$/);
    });
  });

  describe("access", IN_ORDER, () => {
    it("is given and taken by tokens", async () => {
      await world.opened("cli-tokens");
      const created = await cli("cli-tokens", "tokens", "create", "read", "--ttl", "1h", "-d", "for a test");
      const token = created.stdout.trim();
      assert.match(token, /^sst1\./);
      assert.ok(!created.stderr.includes(token));
      const as = (...args: string[]) => ended(start(["-s", "cli-tokens", ...args], { env: { SNAPSHOTTER_TOKEN: token } }));
      assert.equal((await as("list")).code, 0);
      const refused = await as("run", "true");
      assert.deepEqual([refused.code, /FORBIDDEN/.test(refused.stderr)], [5, true], refused.stderr);
      assert.match((await as("doctor")).stdout, /^ok +scopes +read; /m);
      const { id } = (await json("cli-tokens", "tokens", "list")).tokens[0];
      assert.match(await ok("cli-tokens", "tokens", "list"), new RegExp(`^${id}  read .* for a test$`, "m"));
      await ok("cli-tokens", "tokens", "revoke", id);
      const revoked = await as("-o", "json", "list");
      assert.equal(revoked.code, 5);
      assert.equal(JSON.parse(revoked.stderr).error.code, "UNAUTHENTICATED");
    });

    it("to a server is given and taken by previews", async () => {
      await ok("", "open", "cli-preview", "--preview-port", "80", "--preview-port", "5173");
      const shared = await cli("cli-preview", "preview", "share", "5173", "--ttl", "1h");
      assert.match(shared.stdout, /^https:\/\/open\.preview\.example\.com\/5173--\w{26}#spv1\.\S+\n$/, shared.stderr);
      const { id } = (await json("cli-preview", "preview", "list")).previews[0];
      assert.match(await ok("cli-preview", "preview", "list"), new RegExp(`^${id} +5173 +cli-preview `, "m"));
      await ok("cli-preview", "preview", "revoke", id);
      assert.deepEqual((await json("cli-preview", "preview", "list")).previews, []);
      const refused = await cli("cli-preview", "preview", "share", "22");
      assert.deepEqual([refused.code, /previewPorts/.test(refused.stderr)], [5, true], refused.stderr);
    });

    it("of the operator reaches all sessions", async () => {
      const session = await world.opened("cli-pruned");
      await session.sh("echo kept > file");
      for (const name of ["one", "two"]) await session.snapshot({ name });
      await until("the session is listed", async () => /^cli-pruned /m.test(await ok("", "operator", "sessions")));
      assert.match(await ok("", "operator", "workspaces", "--running"), /^cli-pruned +\* +cli-pruned .* running /m);
      assert.match(await ok("", "operator", "usage"), /^cli-pruned +2 \(/m);
      assert.match(await ok("", "operator", "destroy-pool", "0".repeat(26)), /destroyed 0 containers/);
      await ok("", "operator", "events");
      assert.match(await ok("", "operator", "metrics"), /^# TYPE /m);
      const rule = ["operator", "prune", "--older-than", "0", "--only-session", "--keep-last", "1"];
      const dry = await cli("cli-pruned", ...rule);
      assert.match(dry.stdout, /^would delete \S+ of session cli-pruned, /m);
      assert.match(dry.stderr, /nothing was deleted/);
      assert.equal((await session.list()).snapshots.length, 2);
      const asked = new Terminal(["-s", "cli-pruned", ...rule]);
      await asked.type("", /Delete this backup .* Type yes/);
      await asked.type("no\n", /nothing was deleted/);
      assert.equal(await asked.close(), 0);
      assert.equal((await session.list()).snapshots.length, 2);
      assert.match(await ok("cli-pruned", ...rule, "--yes"), /^deleted /m);
      assert.equal((await session.list()).snapshots.length, 1);
    });
  });

  describe("errors", IN_ORDER, () => {
    it("have an exit code for each class, and one shape", async () => {
      await world.opened("cli-limited", { limits: { snapshots: { perMinute: 1, burst: 1 } } });
      await ok("cli-limited", "snapshot");
      const cases: [string[], number, string | undefined][] = [
        [["-s", "cli-limited", "snapshot"], 6, "RATE_LIMITED"],
        [["-s", "cli-never-opened", "list"], 3, "NOT_FOUND"],
        [["-s", "cli-limited", "list", "--limit", "0"], 2, "INVALID_ARGUMENT"],
        [["-s", "cli-limited", "restore", "absent"], 3, "NOT_FOUND"],
        [["-s", "cli-limited", "delete", ".."], 2, "CLI_USAGE"],
        [["--url", "http://127.0.0.1:1", "-s", "x", "list"], 7, "CLI_NETWORK"],
        [["--profile", "absent", "list"], 2, "CLI_USAGE"],
        [["list"], 2, "CLI_USAGE"],
      ];
      for (const [args, code, name] of cases) {
        const result = await ended(start(["-o", "json", ...args]));
        assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
        assert.equal(result.stdout, "");
        assert.equal(JSON.parse(result.stderr).error.code, name, result.stderr);
        const shown = await ended(start(args));
        assert.match(shown.stderr, name!.startsWith("CLI_") ? /^error: .+\n$/ : /^error: .+ \([A-Z_]+\)\n  hint: .+\n$/, shown.stderr);
      }
      assert.equal((await ended(start(["no-such-command"]))).code, 2);
      const unread = await ended(start(["-o", "json", "list", "--no-such-option"]));
      assert.deepEqual([unread.code, JSON.parse(unread.stderr).error.code], [2, "CLI_USAGE"]);
      assert.equal((await ended(start(["-s", "cli-limited", "-q", "usage"]))).stderr, "");
    });

    it("are found by the doctor, with what to do", async () => {
      await world.opened("cli-doctor");
      const good = await cli("cli-doctor", "doctor");
      assert.equal(good.code, 0, good.stdout);
      assert.match(good.stdout, /^ok +round trip +\d+ ms$/m);
      assert.ok(!good.stdout.includes("FAIL"));
      const failing = async (args: string[], env: Record<string, string>, expected: RegExp) => {
        const bad = await ended(start([...args, "doctor"], { env }));
        assert.equal(bad.code, 1, bad.stdout);
        assert.match(bad.stdout, expected);
      };
      await failing(["-s", "cli-doctor"], { SNAPSHOTTER_TOKEN: "wrong" }, /^FAIL +token .*UNAUTHENTICATED.*\n +\S/m);
      await failing(["--url", "http://127.0.0.1:1"], {}, /^FAIL +connection .*\n +check the address/m);
      await failing(["--url", "ftp://x"], {}, /^FAIL +settings /m);
      // As after `login`: nothing is wrong, and the next step is said.
      const next = async (args: string[], expected: RegExp) => {
        const fine = await ended(start([...args, "doctor"]));
        assert.equal(fine.code, 0, fine.stdout);
        assert.match(fine.stdout, expected);
      };
      await next([], /^ok +session +none is chosen yet\n +open one: snapshotter open NAME --default/m);
      await next(["-s", "cli-absent"], /^ok +session +"cli-absent" is not open yet\n +make it: snapshotter open cli-absent$/m);
      fs.chmodSync(profiles(), 0o644);
      await failing(["-s", "cli-doctor"], {}, /^FAIL +profile file .*\n +chmod 600/m);
      fs.chmodSync(profiles(), 0o600);
      await using server = await serve((_, response) => {
        response.setHeader("date", "Thu, 01 Jan 2026 00:00:00 GMT").end(JSON.stringify({ name: "snapshotter", version: "9.9.9" }));
      });
      await failing(["--url", server.url], {}, /^FAIL +version +\S+ here, 9\.9\.9 on the server\n.*\nFAIL +clock +\d+ s ahead/m);
      const checks = (await json("cli-doctor", "doctor")).checks;
      assert.ok(checks.every(({ ok }: { ok: boolean }) => ok) && checks.length > 7);
    });
  });

  describe("events", IN_ORDER, () => {
    it("are followed as they happen, each once", async () => {
      const session = await world.opened("cli-events");
      const child = start(["-s", session.id, "-o", "json", "events", "--follow"]);
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
      const events = () => said.split("\n").slice(0, -1).map((line) => JSON.parse(line) as EventPage["events"][number]);
      await until("the first event", () => events().some(({ kind }) => kind === "session.opened"));
      await session.snapshot({ name: "seen" });
      await session.snapshot({ name: "seen-too" });
      await until("both snapshots", () => events().filter(({ kind }) => kind === "snapshot.created").length === 2);
      child.kill("SIGINT");
      assert.deepEqual(await once(child, "close"), [null, "SIGINT"]);
      const all = (await session.events()).events;
      assert.deepEqual(events(), all.toReversed());
      assert.deepEqual(await json("cli-events", "events"), { events: all });
      assert.match(await ok("cli-events", "events", "--limit", "1"), /^SEQ .*\n\d+ /);
    });
  });

  describe("hostile names and servers", IN_ORDER, () => {
    it("do not control the terminal", async () => {
      const session = await world.opened("cli-hostile");
      await session.tool("workspace_write_file", { path: `x${HOSTILE}`, content: `needle${HOSTILE}\n` });
      // The server refuses control characters in names, not directions.
      await session.snapshot({ name: "bidi\u202eeman", description: "\u2066x" });
      const commands = [["ls"], ["ls", "-S", "bidi\u202eeman"], ["diff"], ["diff", "--list"], ["grep", "needle"], ["list"], ["show", "bidi\u202eeman"], ["lineage"]];
      for (const args of commands) {
        const out = await ok("cli-hostile", ...args);
        assert.ok(!CONTROLS.test(out), `${args.join(" ")}: ${JSON.stringify(out)}`);
        const terminal = new Terminal(["-s", "cli-hostile", "-q", ...args], { NO_COLOR: "1" });
        assert.equal(await terminal.close(), 0, terminal.shown);
        assert.ok(!CONTROLS.test(terminal.shown.replaceAll("\r\n", "\n")), `${args.join(" ")}: ${JSON.stringify(terminal.shown)}`);
      }
      assert.match(await ok("cli-hostile", "ls"), /x\\u\{1b\}\]0;evil/);
      const onTerminal = new Terminal(["-s", "cli-hostile", "-q", "-o", "json", "list"]);
      await onTerminal.close();
      assert.ok(!CONTROLS.test(onTerminal.shown.replaceAll("\r\n", "\n")), onTerminal.shown);
      assert.deepEqual(JSON.parse(onTerminal.shown), await session.list());
      // A program gets contents as they are; a terminal gets them escaped, unless --raw is given.
      assert.equal(await ok("cli-hostile", "cat", `x${HOSTILE}`), `needle${HOSTILE}\n`);
      await session.tool("workspace_start", { name: "hostile", command: `cat x*; echo ended` });
      await until("it has printed", async () => /ended/.test(await ok("cli-hostile", "logs", "hostile")));
      for (const args of [["cat", `x${HOSTILE}`], ["logs", "hostile"], ["run", "cat x*; cat x* >&2"]]) {
        const escaped = new Terminal(["-s", "cli-hostile", "-q", ...args], { NO_COLOR: "1" });
        assert.equal(await escaped.close(), 0, escaped.shown);
        assert.ok(!CONTROLS.test(escaped.shown.replaceAll("\r\n", "\n")), `${args.join(" ")}: ${JSON.stringify(escaped.shown)}`);
        assert.match(escaped.shown, /needle\\u\{1b\}/);
        const raw = new Terminal(["-s", "cli-hostile", "-q", "--raw", ...args], { NO_COLOR: "1" });
        assert.equal(await raw.close(), 0, raw.shown);
        assert.ok(raw.shown.includes("\u001b]0;evil"), JSON.stringify(raw.shown));
      }
      const error = await cli("cli-hostile", "cat", `absent${HOSTILE}`);
      assert.ok(error.code !== 0 && !CONTROLS.test(error.stderr), JSON.stringify(error));
    });

    it("get colours only on a terminal that wants them", async () => {
      const shown = async (env: Record<string, string>) => {
        const terminal = new Terminal(["-s", "cli-hostile", "-q", "list"], env);
        assert.equal(await terminal.close(), 0, terminal.shown);
        return terminal.shown;
      };
      assert.match(await shown({}), /\u001b\[1m/);
      assert.ok(!(await shown({ NO_COLOR: "1" })).includes("\u001b"));
      assert.ok(!(await ok("cli-hostile", "list")).includes("\u001b"));
    });

    it("do not unpack an archive elsewhere", async () => {
      const archives = JSON.parse(execFileSync("python3", [path.join(HERE, "hostile_tar.py")], { encoding: "utf8" })) as Record<string, string>;
      let archive = Buffer.alloc(0);
      await using server = await serve((request, response) => {
        if (request.url!.endsWith("/tools/workspace_stat")) response.end(JSON.stringify({ type: "directory" }));
        else response.end(archive);
      });
      fs.mkdirSync(here("jail"));
      fs.writeFileSync(here("jail/kept"), "kept");
      let refused = 0;
      for (const [what, base64] of Object.entries(archives)) {
        archive = Buffer.from(base64, "base64");
        const got = await ended(start(["--url", server.url, "-s", "x", "get", "d", "d"], { cwd: here("jail") }));
        refused += got.code === 0 ? 0 : 1;
        const left = fs.readdirSync(here("jail")).filter((name) => name !== "d");
        assert.deepEqual(left, ["kept"], what);
        assert.equal(read(here("jail/kept")), "kept", what);
        assert.ok(!fs.existsSync("/tmp/evil") && !fs.existsSync("/evil"), what);
        assert.ok(!CONTROLS.test(got.stderr), got.stderr);
        fs.rmSync(here("jail/d"), { recursive: true, force: true });
      }
      assert.ok(refused > 5, `${refused} of ${Object.keys(archives).length} refused`);
    });

    it("break off, and leave nothing half", async () => {
      const archive = execFileSync("tar", ["--create", "--file=-", "--directory", HERE, "cli.test.ts"]);
      await using server = await serve((request, response) => {
        if (request.url!.endsWith("/tools/workspace_stat")) response.end(JSON.stringify({ type: "directory" }));
        else response.write(archive.subarray(0, 5_000), () => request.socket.destroy());
      });
      const broken = await ended(start(["--url", server.url, "-s", "x", "get", "d", "broken"]));
      assert.deepEqual([broken.code, /broke off/.test(broken.stderr)], [7, true], broken.stderr);
      assert.ok(!fs.readdirSync(home).some((name) => name === "broken" || name.startsWith(".snapshotter-get-")));
    });

    it("are told from a Snapshotter", async () => {
      let answer = (_: IncomingMessage) => [502, "<html>bad gateway</html>"] as [number, string];
      await using server = await serve((request, response) => {
        const [status, body] = answer(request);
        response.writeHead(status).end(body);
      });
      const list = () => ended(start(["--url", server.url, "-s", "x", "list"]));
      assert.equal((await list()).code, 7);
      answer = () => [200, '{"no":"snapshots"}'];
      assert.deepEqual([(await list()).code, /not as this version expects/.test((await list()).stderr)], [1, true]);
      answer = () => [200, "not json"];
      assert.equal((await list()).code, 1);
    });

    it("lose an answer, and get the call again under the same key", async () => {
      const keys: (string | undefined)[] = [];
      const commands: string[] = [];
      await using server = await serve((request, response) => {
        if (request.url!.endsWith("/commands")) {
          commands.push(request.method!);
          request.socket.destroy();
          return;
        }
        keys.push(request.headers["idempotency-key"] as string);
        if (keys.length === 1) {
          request.socket.destroy();
        } else if (keys.length === 2) {
          response.writeHead(200, { "content-length": 100 });
          response.write('{"snapshot":', () => request.socket.destroy());
        } else if (keys.length === 3) {
          const details = { retryAfterMs: 200 };
          response.writeHead(409).end(JSON.stringify({ error: { code: "CONFLICT", message: "it runs", retryable: true, outcome: "none", details } }));
        } else {
          const snapshot = { id: "i", name: null, createdAt: "", expiresAt: "", trigger: "manual", state: "ready", restorable: true, pinned: false, published: false, labels: {} };
          response.end(JSON.stringify({ snapshot }));
        }
      });
      const taken = await ended(start(["--url", server.url, "-s", "x", "snapshot"]));
      assert.equal(taken.code, 0, taken.stderr);
      assert.deepEqual(keys, Array(4).fill(keys[0]));
      assert.match(keys[0]!, /^cli-[0-9a-f]{32}$/);
      // A command would run twice.
      assert.equal((await ended(start(["--url", server.url, "-s", "x", "run", "true"]))).code, 7);
      assert.equal(commands.length, 1);
    });
  });

  it("watches files, whatever their names are", async () => {
    const session = await world.opened("cli-watch");
    await session.sh("mkdir -p node_modules deep");
    const child = start(["-s", "cli-watch", "watch", "-x", "node_modules"]);
    let [shown, noted] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => (shown += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (noted += text));
    await until("it watches", () => /watching \d+ directories/.test(noted));
    await session.sh("echo 1 > node_modules/no; echo 1 > deep/new; mv deep/new deep/moved; echo 1 > $'evil\\e[2J'");
    await until("the changes are shown", () => /deep\/new → deep\/moved[^]*evil/.test(shown));
    assert.ok(!CONTROLS.test(shown) && !shown.includes("node_modules"), JSON.stringify(shown));
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "close"), [130, null]);
    const missing = await cli("cli-watch", "watch", "no-such-directory");
    assert.deepEqual([missing.code, /NOT_FOUND/.test(missing.stderr)], [3, true], missing.stderr);
  });

  describe("the shell", IN_ORDER, () => {
    it("is a terminal: its size, Ctrl-C, the exit code", async () => {
      await world.opened("cli-shell");
      const terminal = new Terminal(["-s", "cli-shell", "shell"]);
      await terminal.type("", /# $/);
      await terminal.type("stty size; echo two=$((1+1))\r", /40 200\r\n.*two=2\r\n/s);
      await terminal.type("sleep 1000\r", /sleep 1000/);
      await until("it sleeps", async () => (await ok("cli-shell", "run", "ps -ef")).includes("sleep 1000"));
      await terminal.type("\u0003", /# $/);
      await terminal.type("head -c 3000000 /dev/zero | tr '\\0' x; echo all=$((1+1))\r", /all=2\r\n/);
      terminal.child.stdin.write("exit 3\r");
      assert.equal(await terminal.close(), 3);
      const piped = await ended(start(["-s", "cli-shell", "shell"]));
      assert.deepEqual([piped.code, /snapshotter run/.test(piped.stderr)], [2, true], piped.stderr);
      const refused = new Terminal(["-s", "no-such-session", "shell"]);
      assert.equal(await refused.close(), 3, refused.shown);
      assert.match(refused.shown, /NOT_FOUND/);
    });

    it("comes back to the same shell when the connection breaks", async () => {
      const { hostname, port } = new URL(world.worker.url);
      const passed = new Set<Socket>();
      const proxy = createServer((from) => {
        const to = connect(Number(port), hostname);
        for (const socket of [from, to]) passed.add(socket.on("error", () => {}));
        from.pipe(to).pipe(from);
      }).listen(0, "127.0.0.1");
      await once(proxy, "listening");
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const terminal = new Terminal(["--url", url, "-s", "cli-shell", "shell"], { SNAPSHOTTER_TOKEN: TOKEN });
      await terminal.type("", /# $/);
      await terminal.type("KEPT=here; echo begun=$KEPT\r", /begun=here/);
      // Another workspace is active by then.
      const other = world.session("cli-shell");
      await other.switch(await other.branch((await other.snapshot()).ref));
      for (const socket of passed) socket.destroy();
      await terminal.type("", /coming back to the shell/);
      await until("it is back", async () => (await terminal.type("echo still=$KEPT\r", /still=\$?\w+\r\n/), /still=here/.test(terminal.shown)));
      terminal.child.stdin.write("exit\r");
      assert.equal(await terminal.close(), 0, terminal.shown);
      proxy.close();
    });
  });

  describe("the prompt", IN_ORDER, () => {
    it("runs lines, completes names, and outlives Ctrl-C", async () => {
      const session = await world.opened("cli-repl");
      await session.sh("echo old > file");
      await session.snapshot({ name: "before-all" });
      const first = await session.active();
      const terminal = new Terminal(["-s", "cli-repl", "repl"]);
      await terminal.type("", /cli-repl.*> /s);
      await terminal.type("echo new > file; cat file\r", line("new"));
      await terminal.type("/rewi\tbefo\t", /before-all/);
      await terminal.type("\r", /has the files of/);
      await terminal.type("cat file\r", line("old"));
      await terminal.type("/snapshot second\r", /snapshot "second"/);
      await terminal.type("/snapshots\r", /before-all/);
      await terminal.type("echo started; sleep 1000\r", line("started"));
      await terminal.type("\u0003", /exit code 130/);
      await until("the command is gone", async () => !(await session.run("pgrep -f '[s]leep 1000'")).success, 30_000);
      await terminal.type("/branch\r", /active from now on/);
      await terminal.type("mkdir deep; echo made; sleep 1\r", line("made"));
      // Typed while that runs.
      await terminal.type("cd deep\r", /\/workspace\/deep/);
      await terminal.type("pwd\r", line("/workspace/deep"));
      await terminal.type("/diff\r", /added +deep/);
      // After another caller's switch, lines still run where the prompt says.
      const branch = await session.active();
      await session.switch(first);
      await terminal.type("pwd\r", line("/workspace/deep"));
      await session.switch(branch);
      await terminal.type("/switch cli-repl\r", /workspace cli-repl is active/);
      await terminal.type("/timeline\r", /none/);
      await terminal.type("/help\r", /run later commands there/);
      await terminal.type("/nonsense\r", /there is no \/nonsense/);
      terminal.child.stdin.write("\u0004");
      assert.equal(await terminal.close(), 0);
      const history = here(".local/state/snapshotter/history");
      assert.equal(mode(history), "600");
      assert.match(read(history), /^cat file$/m);
      assert.equal((await session.active()).ref.id, "cli-repl");
    });

    it("reads its lines from a pipe, too", async () => {
      const piped = await ended(start(["-s", "cli-repl", "repl"]), "echo one\n/snapshot third\nexit 5\n");
      assert.deepEqual([piped.code, piped.stdout.split("\n")[0]], [5, "one"], piped.stderr);
      assert.match(piped.stdout, /snapshot "third"/);
    });
  });

  describe("help", IN_ORDER, () => {
    it("is there for shells and for man", async () => {
      const script = (await ended(start(["completions", "bash"]))).stdout;
      execFileSync("bash", ["-n"], { input: script });
      assert.match(script, /--on-conflict/);
      for (const shell of ["zsh", "fish"]) assert.match((await ended(start(["completions", shell]))).stdout, /snapshotter/);
      assert.match((await ended(start(["man"]))).stdout, /conflict with the present state/);
      assert.equal((await ended(start(["man", here("man")]))).code, 0);
      assert.ok(fs.existsSync(here("man/snapshotter-run.1")));
      const bare = await ended(start([]));
      assert.equal(bare.code, 2);
      assert.match(bare.stderr, /^Begin:\n  login +\S.*\n[^]*^Go back:\n  rewind +[^]*^Options of all commands:\n/m);
      const help = await ended(start(["--help"]));
      assert.deepEqual([help.code, help.stdout.split("\n").includes("Go back:")], [0, true]);
    });
  });
});
