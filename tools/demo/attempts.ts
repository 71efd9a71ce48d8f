/**
 * The tour's attempts: three workspaces each try an idea, a test compares them, and the best workspace's changes are
 * kept.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Comparison, LiveForks, Promoted, SnapshotView, TreeDiff } from "../../entry/snapshotter.d.ts";
import type { Session } from "../client.ts";
import { ClaimError, count, expect, type Tour } from "../tour.ts";

/** The text in Python's `calendar` that every attempt replaces. */
const RULE = "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)";
/** Its replacements. Only the last one handles all leap years. */
const IDEAS = ["year % 4 == 0", "year % 4 == 0 and year % 100 != 0", "year & (15 if year % 25 == 0 else 3) == 0"];
const BEST = 2;
/** The text that the active workspace replaces in the same file meanwhile. */
const TITLE = "Calendar printing functions";
const OWN_TITLE = "Calendar printing functions, and a fast isleap()";
/** `datetime` computes leap years independently. */
const TEST =
  "PYTHONHOME=/workspace python3 -Bc 'import calendar, _pydatetime; " +
  "assert all(calendar.isleap(year) == _pydatetime._is_leap(year) for year in range(1, 10_000))'";

/** The session in which the attempts are made. */
export interface Scene {
  session: Session;
  /** The directory of Python's library in the workspace. */
  library: string;
  /** The snapshot from which the active workspace was made. */
  origin: SnapshotView;
  /** The snapshot that the active workspace equals now. */
  base: SnapshotView;
  /** Number of running containers. */
  containers(): Promise<number>;
}

/** Makes three attempts beside the active workspace. Returns the snapshots that were taken for them. */
export async function attempts(tour: Tour, scene: Scene): Promise<SnapshotView[]> {
  const { session, base } = scene;
  const path = `${scene.library}/calendar.py`;
  const { active } = await session.workspaces();
  const edit = (oldText: string, newText: string, workspace: string) =>
    session.tool("workspace_edit_file", { path, oldText, newText, workspace });

  const forks = await tour.step("three attempts, in three workspaces at once", async (say) => {
    const made = await session.tool<LiveForks>("workspace_fork", { count: IDEAS.length });
    expect("they have the files of its last save", made.fromSnapshotId, base.snapshot.id);
    const ids = made.workspaces.map((fork) => ("ref" in fork ? fork.ref.ref.id : fork.error.message));
    await Promise.all([
      ...ids.map((id, at) => edit(RULE, IDEAS[at]!, id)),
      edit(TITLE, OWN_TITLE, active.ref.id),
    ]);
    for (const [at, id] of ids.entries()) say(`${id}: return ${IDEAS[at]}`);
    expect("tools still act on the workspace that they came from", (await session.workspaces()).active, active);
    say(`${active.ref.id}, still active, changes the title of the same file`);
    return ids;
  });

  const best = await tour.step("compared, by a test in each", async (say) => {
    const compared = await session.tool<Comparison>("workspace_compare", { workspaces: forks, command: TEST });
    expect("with the snapshot that all came from", compared.base.snapshotId, base.snapshot.id);
    expect("each changed one file", compared.workspaces.map(({ changes }) => changes), forks.map(() => [{ path, change: "modified" }]));
    expect("the same one", compared.contested, [{ path, workspaceIds: forks }]);
    const passed = compared.workspaces.filter(({ command }) => command && "exitCode" in command && command.exitCode === 0);
    expect("only one passes the test", passed.map(({ workspaceId }) => workspaceId), [forks[BEST]]);
    for (const line of compared.text.trimEnd().split("\n").slice(1, 2 + forks.length)) say(line);
    return forks[BEST]!;
  });

  const promoted = await tour.step("the best one promoted", async (say) => {
    const others = (await session.workspaces()).workspaces.filter(({ kind, active }) => kind !== "origin" && !active);
    const answer = await session.tool<Promoted>("workspace_promote", { from: { workspace: best }, discardOthers: true });
    expect("into the active workspace", answer.ref, active);
    expect("the lines of one file were merged", [answer.mergedFiles, answer.decidedConflicts], [1, []]);
    const content = await session.output(["cat", path]);
    const has = [OWN_TITLE, ...IDEAS].map((text) => content.includes(`${text}\n`));
    expect("it has its own change and the best one's", has, [true, false, false, true]);
    await session.output(TEST);
    say(`${active.ref.id} passes the test, and has its own title`);
    const left = (await session.workspaces()).workspaces.map(({ ref }) => ref);
    expect("all other branches are gone", [answer.discarded, left.length], [others.map(({ ref }) => ref), 2]);
    expect("with their containers", await scene.containers(), 2);
    say(`${count(answer.discarded.length, "other workspace")} destroyed, two are left; safety snapshot ${answer.safetyRef?.ref.backup.id}`);
    return answer;
  });

  await tour.step('what changed since "works"', async (say) => {
    const diff = await session.tool<TreeDiff>("workspace_diff");
    expect("from the snapshot that it was made from", diff.from.snapshotId, scene.origin.snapshot.id);
    const found = diff.changes.map(({ change, path }) => ({ change, path }));
    expect("its own file and the merged one", found, [
      { change: "modified", path },
      { change: "added", path: `${scene.library}/idea.py` },
    ]);
    const lines = diff.changes[0]?.text?.split("\n").filter((line) => /^[-+](?![-+])/.test(line));
    expect("two lines of it", lines?.map((line) => line[0]).join(""), "-+-+");
    for (const { change, path, text } of diff.changes) say(`${change} ${path}: ${lineCounts(text ?? "")}`);
  });

  const view = (id: string) => session.request<SnapshotView>("GET", `/snapshots/${id}`);
  const saved = await headAfter(session, active.ref.id, base.snapshot.id);
  return Promise.all([promoted.fromSnapshotId!, promoted.safetyRef!.ref.backup.id, saved].map(view));
}

const lineCounts = (diff: string): string => {
  const having = (sign: string) => diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return `+${having("+")} −${having("-")} lines`;
};

/** Waits until the host has saved the workspace automatically, as it does after a promotion. Returns the snapshot's id. */
async function headAfter(session: Session, workspace: string, before: string): Promise<string> {
  for (let tries = 0; tries < 300; tries++) {
    const { workspaces } = await session.workspaces();
    const head = workspaces.find(({ ref }) => ref.ref.id === workspace)?.headSnapshotId;
    if (head && head !== before) return head;
    await sleep(100);
  }
  throw new ClaimError("the host saves what was promoted\n  expected: a snapshot\n  got:      none within 30 s");
}
