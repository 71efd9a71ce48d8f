/**
 * `make demo`: the tour. It puts Python's standard library into a workspace, then saves, breaks, restores and branches
 * it, and keeps the best of three attempts, all over HTTP against the real Worker with real containers. It checks every
 * claim, and ends at the first false one.
 *
 * By default, it starts the Worker on this machine. If URL and TOKEN are set, it runs against that deployment, and
 * starts nothing here.
 */

import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SnapshotPage, SnapshotRef, SnapshotView, WorkspaceList, WorkspaceRef } from "../entry/snapshotter.d.ts";
import { attempts } from "./demo/attempts.ts";
import { deploymentFromEnv, HttpError, Session } from "./client.ts";
import type { LocalWorker } from "./local-worker.ts";
import { Signals } from "./signals.ts";
import { ClaimError, Tour, count, expect, expectMatch, size, type Say } from "./tour.ts";

/** Runs Python from the workspace, and prevents it from writing files there. */
const PYTHON_ENV = { PYTHONHOME: "/workspace", PYTHONDONTWRITEBYTECODE: "1" };
/** Prints one line per entry (type, mode, owner, time, name, target), then the hash of each file. */
const MANIFEST =
  String.raw`(find . -printf '%y %m %U:%G %Ts %P %l\n' | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum`;
const COMMIT = "git add --all && git -c user.name=demo -c user.email=demo@example.org commit --quiet --message";

/** How programs fail after the library is broken, one for each kind of damage. */
const PROGRAMS = [
  { run: ["python3", "-c", "import json; json.loads('{}')"], breaks: /^ModuleNotFoundError: No module named 'json'$/m },
  { run: ["python3", "-c", "import textwrap; textwrap.dedent(' x')"], breaks: /^SyntaxError: expected ':'/m },
  { run: ["python3", "-c", "import secrets; secrets.token_hex()"], breaks: /^ImportError: these are not the secrets/m },
  { run: ["runuser", "-u", "agent", "--", "python3", "-c", "import email.message"], breaks: /^ModuleNotFoundError: .*'email.message'/m },
];

const ROOT = path.resolve(import.meta.dirname, "..");
/** Containers that run at once: those of four workspaces and three attempts. */
const MAX_RUNNING = 7;
/** On a real deployment, the tour's snapshots expire soon. */
const REMOTE_TTL_SECONDS = 3600;

const tour = new Tour();

/** The place where the tour runs. */
interface Place {
  url: string;
  token: string;
  session: string;
  /** Lifetime of snapshots, if not the default. */
  ttlSeconds?: number;
  /** Number of running containers. */
  containers(): Promise<number>;
  /** Checks that exactly these snapshots are stored, and complete. */
  holds(views: SnapshotView[], say?: Say): Promise<void>;
}

async function demo(place: Place): Promise<void> {
  const session = new Session(place.url, place.token, place.session);
  const idOf = (ref: SnapshotRef) => ref.ref.backup.id;

  const origin = await tour.step("open a session", async (say) => {
    const stranger = new Session(place.url, "guessed", place.session);
    const refusal = await refusalOf(stranger.open({}));
    expect("a wrong token is refused", refusal.code, "UNAUTHENTICATED");
    const retention = place.ttlSeconds && { ttlSeconds: place.ttlSeconds };
    const view = await session.open({ destroyOnClose: true, limits: { maxRunning: MAX_RUNNING }, ...(retention && { retention }) });
    const tools = await session.tools();
    const uses = ["workspace_run", "workspace_snapshot", "workspace_restore", "workspace_branch", "workspace_switch",
      "workspace_fork", "workspace_compare", "workspace_promote", "workspace_diff"];
    expect("of the tools that this tour uses, offered", uses.filter((use) => tools.some(({ name }) => name === use)), uses);
    expect("opening starts no container", await place.containers(), 0);
    say(`session ${view.session}, sandbox ${view.active.ref.id}, ${count(tools.length, "tool")}, no container yet; a wrong token gets ${refusal.code}`);
    return view.active;
  });

  await tour.step("the first command starts its container", async (say) => {
    const system = await session.output(". /etc/os-release; echo $PRETTY_NAME, $(python3 --version), $(git --version)");
    expect("one container runs", await place.containers(), 1);
    say(system);
  });

  const library = await tour.step("copy Python's standard library in, git init, commit", async (say) => {
    const stdlib = await session.output(["python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
    await session.output(`mkdir lib && cp -a ${stdlib} lib/ && git init --quiet --initial-branch main && ${COMMIT} 'As it came'`);
    const files = Number(await session.output("git ls-files | wc -l"));
    const all = Number(await session.output("find . -type f | wc -l"));
    const bytes = Number(await session.output("du --summarize --bytes . | cut -f 1"));
    expect("there are thousands of files", all > 2_000, true);
    await everythingRuns(session);
    say(`${count(files, "file")} of ${stdlib} in commit ${await session.output("git log -1 --format='%h “%s”'")}`);
    say(`${count(all, "file")}, ${size(bytes)} in /workspace; Python runs from there`);
    return `lib/${stdlib.split("/").at(-1)}`;
  });
  const manifest = await session.output(MANIFEST);

  const works = await tour.step('snapshot it as "works"', async (say) => {
    const view = await session.tool<SnapshotView>("workspace_snapshot", { name: "works", description: "The library as it came" });
    const lifetime = place.ttlSeconds ?? 30 * 86_400;
    expect(`its lifetime is ${lifetime} s`, Date.parse(view.snapshot.expiresAt) - Date.parse(view.snapshot.createdAt), lifetime * 1_000);
    await place.holds([view], say);
    say(`ref ${JSON.stringify(view.ref)}`);
    return view;
  });

  const damaged = await tour.step("break it: delete, edit, add, change modes", async (say) => {
    const deleted = Number(await session.output(`git ls-files ${library}/json | wc -l`));
    await session.output(`set -e; cd ${library}
      rm -r json
      sed -i 's/^def dedent(text):/def dedent(text)/' textwrap.py
      mkdir secrets && echo 'raise ImportError("these are not the secrets")' >secrets/__init__.py
      for i in $(seq 300); do echo $i >/workspace/junk-$i; done
      chmod -R go-rwx email && chmod +x os.py`);
    const status = await gitStatus(session);
    expect("git sees the damage", status, `${deleted} deleted, 2 modified (1 in its mode), 301 untracked`);
    say(`git status: ${status}`);
    return status;
  });

  const damage = await tour.step("the damage, by running Python", (say) => everythingIsBroken(session, say));

  const restored = await tour.step('restore "works"', async (say) => {
    const { ref } = await session.tool<{ ref: WorkspaceRef }>("workspace_restore", { ref: "works" });
    expectMatch("it is a new workspace of this session", ref.ref.id, new RegExp(`^${origin.ref.id}-restored-[0-9a-z]{8}$`));
    expect("tools act on it from now on", (await workspaces(session)).active, ref);
    say(`a new sandbox, ${ref.ref.id}; tools act on it from now on`);
    return ref;
  });

  await tour.step("in the new workspace all is as it was", async (say) => {
    expect("every entry is as it was saved", await session.output(MANIFEST), manifest);
    say(`every name, mode, owner, time, link and byte is the same: manifest ${manifest.slice(0, 16)}…`);
    await everythingRuns(session);
    say("the four programs run");
    expect("git finds nothing changed", await session.output("git status --porcelain"), "");
    expect("git finds nothing damaged", await session.output("git fsck --full 2>&1"), "");
    say("git status --porcelain: empty; git fsck: no complaint");
    expect("what was added is gone", await session.output(`ls -d ${library}/secrets junk-* 2>/dev/null | wc -l`), "0");
    say("the 301 files that were added are gone");
  });

  await tour.step("switch back: the old workspace is still broken", async (say) => {
    await switchTo(session, origin);
    expect("Python fails as before", await everythingIsBroken(session), damage);
    expect("git sees the same damage", await gitStatus(session), damaged);
    say(`${origin.ref.id}: the four programs fail as before; git status: ${damaged}`);
    await switchTo(session, restored);
  });

  const branches = await tour.step("branch twice, and let the branches diverge", async (say) => {
    const made: { ref: WorkspaceRef; snapshot: SnapshotView; idea: string }[] = [];
    for (const idea of ["tabs", "spaces"]) {
      const { ref } = await session.tool<{ ref: WorkspaceRef }>("workspace_branch", { ref: works.ref });
      expectMatch("it is a branch of this session", ref.ref.id, new RegExp(`^${origin.ref.id}-branch-[0-9a-z]{8}$`));
      await session.tool("workspace_write_file", { path: `${library}/idea.py`, content: `NAME = ${JSON.stringify(idea)}\n` });
      await session.output(`${COMMIT} 'Try ${idea}'`);
      const snapshot = await session.tool<SnapshotView>("workspace_snapshot", { name: idea });
      expect("its parent is the snapshot it came from", snapshot.snapshot.parentId, idOf(works.ref));
      say(`${ref.ref.id}: ${await session.output("git log -1 --format='%h “%s” after %p'")}, saved as "${idea}"`);
      made.push({ ref, snapshot, idea });
    }
    return made;
  });

  await tour.step("switch between them", async (say) => {
    for (const { ref, idea } of [...branches, ...branches]) {
      await switchTo(session, ref);
      const { content } = await session.tool<{ content: string }>("workspace_read_file", { path: `${library}/idea.py` });
      expect("each branch has its own file", content, `NAME = ${JSON.stringify(idea)}\n`);
      const said = await session.output(["python3", "-c", "import idea; print(idea.NAME)"], { env: PYTHON_ENV });
      expect("and Python runs it", said, idea);
    }
    for (const { ref, idea } of branches) say(`${ref.ref.id}: python3 -c 'import idea; print(idea.NAME)' → ${idea}`);
    await switchTo(session, restored);
    expect("the workspace they did not come from has none", (await session.run(`ls ${library}/idea.py`)).success, false);
  });

  await tour.step("list snapshots and workspaces", async (say) => {
    const page = await session.tool<SnapshotPage>("workspace_list_snapshots");
    expect("newest first", page.snapshots.map((snapshot) => snapshot.name), ["spaces", "tabs", "works"]);
    for (const { id, name, sizeBytes, parentId } of page.snapshots) {
      say(`${id}  ${name?.padEnd(6)}  ${size(sizeBytes)}${parentId ? `  from ${parentId.slice(0, 8)}…` : ""}`);
    }
    const { workspaces: all, active } = await workspaces(session);
    expect("four workspaces", all.map((workspace) => workspace.kind), ["origin", "restored", "branch", "branch"]);
    expect("in four containers", await place.containers(), 4);
    for (const { ref, kind } of all) say(`${ref.ref.id.padEnd(36)}  ${kind}${ref.ref.id === active.ref.id ? ", active" : ""}`);
  });

  const [tabs, spaces] = branches as [(typeof branches)[0], (typeof branches)[0]];
  await tour.step('delete "tabs"', async (say) => {
    for (const time of ["once", "twice"]) {
      const answer = await session.tool("workspace_delete_snapshot", { ref: tabs.snapshot.ref });
      expect(`deleting ${time} succeeds`, answer, { deleted: true });
    }
    const refusal = await refusalOf(session.tool("workspace_restore", { ref: tabs.snapshot.ref }));
    expect("it cannot be restored any more", refusal.code, "SNAPSHOT_GONE");
    await switchTo(session, tabs.ref);
    expect("its workspace lives on", await session.output("git log -1 --format=%s"), "Try tabs");
    say(`deleting it again succeeds too; restoring it answers ${refusal.code}; the branch itself lives on`);
  });

  // The head of this workspace is gone. The session does not wait for the next autosave.
  const saved = await tour.step("its workspace is saved anew, by itself", async (say) => {
    const view = await automatic(session);
    expect("it is of the deleted one's workspace", view.ref.ref.originSandboxId, tabs.ref.ref.id);
    say(`${view.snapshot.id}, which is not listed unless asked for`);
    return view;
  });

  const left = [works, spaces.snapshot, saved];
  await tour.step("exactly what should be left is stored", (say) => place.holds(left, say));

  left.push(...(await attempts(tour, { session, library, origin: works, base: saved, containers: place.containers })));

  await tour.step("close the session", async (say) => {
    await session.close();
    expect("no container is left", await place.containers(), 0);
    await place.holds(left);
    say("its two containers are gone, its snapshots are kept");
  });
}

/** The active workspace's Python runs all programs. */
async function everythingRuns(session: Session): Promise<void> {
  for (const { run } of PROGRAMS) await session.output(run, { env: PYTHON_ENV });
}

/** Every program fails, each for the expected reason. Returns Python's messages. */
async function everythingIsBroken(session: Session, say?: Say): Promise<string[]> {
  const lastWords: string[] = [];
  for (const { run, breaks } of PROGRAMS) {
    const result = await session.run(run, { env: PYTHON_ENV });
    expect(`${run.at(-1)} fails`, result.exitCode, 1);
    expectMatch(`${run.at(-1)} says why`, result.stderr, breaks);
    const words = result.stderr.trimEnd().split("\n").at(-1) ?? "";
    say?.(`${run[0] === "runuser" ? "as agent: " : ""}${run.at(-1)?.split(";")[0]} → ${words}`);
    lastWords.push(words);
  }
  return lastWords;
}

/** The changes that git finds, as text. */
async function gitStatus(session: Session): Promise<string> {
  const lines = (await session.output("git status --porcelain --untracked-files=all")).split("\n");
  const having = (mark: string) => lines.filter((line) => line.trim().startsWith(mark)).length;
  const modes = (await session.output("git diff --summary")).split("\n").filter((line) => line.includes("mode change"));
  return `${having("D")} deleted, ${having("M")} modified (${modes.length} in its mode), ${having("?")} untracked`;
}

async function workspaces(session: Session): Promise<WorkspaceList> {
  return session.tool("workspace_list_workspaces");
}

async function switchTo(session: Session, ref: WorkspaceRef): Promise<void> {
  expect("the tool answers with it", await session.tool("workspace_switch", { ref }), { ref, workspaceId: ref.ref.id });
}

/** The first automatic snapshot. */
async function automatic(session: Session): Promise<SnapshotView> {
  for (let tries = 0; tries < 300; tries++) {
    const saved = (await session.stored()).find(({ snapshot }) => snapshot.trigger === "auto" && snapshot.state === "ready");
    if (saved) return saved;
    await sleep(100);
  }
  throw new ClaimError("the host saves by itself\n  expected: a snapshot\n  got:      none within 30 s");
}

/** The archive's name in R2. Automatic snapshots are layers if possible. */
const archiveOf = ({ kind }: { kind: string | null }) => (kind === "layer" ? "layer.sqsh" : "data.sqsh");

/** R2 holds both objects of each of these snapshots, with the recorded bytes, and nothing else. */
async function r2Holds(worker: LocalWorker, views: SnapshotView[], say?: Say): Promise<void> {
  const bucket = await worker.mf.getR2Bucket("BACKUP_BUCKET");
  const { objects, truncated } = await bucket.list();
  expect("the bucket fits on one page", truncated, false);
  const keys = views.flatMap(({ snapshot }) => [`backups/${snapshot.id}/${archiveOf(snapshot)}`, `backups/${snapshot.id}/meta.json`]);
  expect("R2 holds these objects and no other", objects.map((object) => object.key).sort(), keys.sort());
  for (const { snapshot } of views) {
    const archive = await bucket.get(`backups/${snapshot.id}/${archiveOf(snapshot)}`);
    const bytes = Buffer.from(await archive!.arrayBuffer());
    expect("the archive has its recorded size", bytes.length, snapshot.sizeBytes);
    expect("the archive has its recorded SHA-256", createHash("sha256").update(bytes).digest("hex"), snapshot.sha256);
    const meta = await bucket.get(`backups/${snapshot.id}/meta.json`);
    const { name, sizeBytes } = JSON.parse(await meta!.text());
    expect("meta.json says the same", { name, sizeBytes }, { name: snapshot.name, sizeBytes: snapshot.sizeBytes });
    say?.(`backups/${snapshot.id}/  ${archiveOf(snapshot)} ${size(bytes.length)}, meta.json  ${name === null ? "no name" : JSON.stringify(name)}`);
    say?.(`  sha256 ${snapshot.sha256?.slice(0, 16)}…, the one recorded`);
  }
}

async function refusalOf(call: Promise<unknown>): Promise<HttpError> {
  const thrown = await call.then(() => undefined, (reason: unknown) => reason);
  if (thrown === undefined) throw new ClaimError("the call is refused\n  expected: an error\n  got:      success");
  if (thrown instanceof HttpError) return thrown;
  throw thrown;
}

/** The Worker on this machine. The checks ask its engine and its bucket directly, not the product. */
function here(worker: LocalWorker, token: string): Place {
  return {
    url: worker.url,
    token,
    session: "tour",
    containers: async () => worker.containers().length,
    holds: (views, say) => r2Holds(worker, views, say),
  };
}

/** A deployment. Its engine and bucket are out of reach, so the checks use the session's own answers. */
function there(deployment: { url: string; token: string }): Place {
  const id = `tour-${randomBytes(4).toString("hex")}`;
  const session = new Session(deployment.url, deployment.token, id);
  return {
    ...deployment,
    session: id,
    ttlSeconds: REMOTE_TTL_SECONDS,
    async containers() {
      const { workspaces: all } = await session.workspaces();
      return all.filter(({ status }) => status === "running").length;
    },
    async holds(views, say) {
      const stored = await session.stored();
      expect("these snapshots are listed and no other", stored.map(({ snapshot }) => snapshot.id).sort(), views.map(({ snapshot }) => snapshot.id).sort());
      for (const { snapshot } of stored) {
        expect("it is ready", snapshot.state, "ready");
        say?.(`backups/${snapshot.id}/  ${archiveOf(snapshot)} ${size(snapshot.sizeBytes)}  ${JSON.stringify(snapshot.name)}`);
        say?.(`  sha256 ${snapshot.sha256?.slice(0, 16)}…`);
      }
    },
  };
}

/** Ends everything that the tour started, and checks that it has ended. */
async function leaveNothing(worker: LocalWorker): Promise<void> {
  const workerd = worker.workerdPid();
  await worker.stop();
  expect("no container is left", worker.containers(), []);
  expect("workerd has ended", fs.existsSync(`/proc/${workerd}`), false);
  expect("its state is gone", fs.existsSync(path.join(ROOT, ".local", "state", worker.name)), false);
}

/** Runs the tour on this machine. */
async function demoHere(signals: Signals): Promise<void> {
  // This is imported only here, because it needs miniflare and an engine.
  const { startLocalWorker } = await import("./local-worker.ts");
  const token = randomBytes(24).toString("hex");
  const worker = await startLocalWorker({ variant: "release", vars: { API_TOKEN: token } });
  try {
    await Promise.race([demo(here(worker, token)), signals.received]);
    await tour.step("leave nothing running", async (say) => {
      await leaveNothing(worker);
      say("no container, no workerd, no state");
    });
  } catch (thrown) {
    console.error(`log: ${path.relative(ROOT, worker.logFile)}`);
    await worker.stop();
    throw thrown;
  }
}

/** Runs the tour on a deployment. At the end, in any case, it closes its session, which ends the containers. */
async function demoThere(deployment: { url: string; token: string }, signals: Signals): Promise<void> {
  const place = there(deployment);
  console.log(`session ${place.session} at ${place.url}`);
  try {
    await Promise.race([demo(place), signals.received]);
  } catch (thrown) {
    await new Session(place.url, place.token, place.session).close().catch(() => console.error(`not closed: ${place.session}`));
    throw thrown;
  }
  console.log(`\nIts snapshots expire within ${REMOTE_TTL_SECONDS / 60} minutes.`);
}

/** Returns the exit status. */
async function main(): Promise<number> {
  const signals = new Signals();
  try {
    const deployment = deploymentFromEnv();
    await (deployment ? demoThere(deployment, signals) : demoHere(signals));
    console.log("\ndemo: ok");
    return 0;
  } catch (thrown) {
    if (signals.status !== 0) console.error("\ndemo: interrupted");
    else console.error(thrown instanceof ClaimError ? `\ndemo: this does not hold: ${thrown.message}` : thrown);
    return signals.status || 1;
  }
}

process.exit(await main());
