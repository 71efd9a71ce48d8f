/**
 * Measures looks into snapshots and workspaces. The floor is the same look into workspaces that are first made from the
 * snapshots: boots, restores and the command. So a ratio of 0.033 means 30 times faster.
 *
 * A look leaves what it has read in a cache, so before each look, a read of other bytes fills the cache.
 */

import assert from "node:assert/strict";
import type { Comparison, ListedFiles, TreeDiff, WorkspaceConfig, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import type { Session } from "../client.ts";
import { ROUNDS, Times, inTurns, timed } from "./times.ts";
import { DIRECTORIES, MAKE_RANDOM, MAKE_SMALL, RANDOM_FILES, RANDOM_TREE, SMALL_TREE } from "./trees.ts";

export interface LookBench {
  opened(id: string, config?: WorkspaceConfig): Promise<Session>;
  record(group: string, what: string, times: Times): void;
  say(line: string): void;
}

/** Twice ARCHIVE_CACHE_BYTES. */
const FILLER_BYTES = 16 * 2 ** 20;
/** Longer than the period before a snapshot whose changed files a comparison has to read. */
const SETTLE = "sleep 3";
/** Number of forks, beside the workspace from which they are made. */
const FORKS = 2;
/** Lists a tree in the form that a comparison needs, small enough for a command's output. */
const LISTING = "find . -printf '%y %m %U %G %s %T@ %P\\n' | sort | gzip -1 | base64 -w0";

interface Tree {
  group: string;
  /** Commands for the current directory. */
  make: string;
  /** Changes 1 % of the files, spread over the whole tree. */
  edit: string;
  changes: number;
  file: string;
}

const TREES: Tree[] = [
  {
    group: `looks into ${RANDOM_TREE}`,
    make: MAKE_RANDOM,
    edit: "for file in *50; do echo changed >>$file; done",
    changes: RANDOM_FILES / 100,
    file: "050",
  },
  {
    group: `looks into ${SMALL_TREE}`,
    make: MAKE_SMALL,
    edit: "for file in */50.py; do echo '# changed' >>$file; done",
    changes: DIRECTORIES,
    file: "003/45.py",
  },
];

export async function measureLooks(bench: LookBench): Promise<void> {
  const filler = await bench.opened("look-filler");
  await filler.output(`head -c ${FILLER_BYTES} /dev/urandom >filler`);
  await filler.snapshot({ name: "filler" });
  for (const [at, tree] of TREES.entries()) await measureTree(bench, tree, await bench.opened(`look-${at}`), () => filler.fileOf("filler", "filler"));
  await filler.close();
}

async function measureTree(bench: LookBench, tree: Tree, session: Session, fillCache: () => Promise<unknown>): Promise<void> {
  await session.output(`${tree.make} && ${SETTLE}`, { timeoutMs: 300_000 });
  await session.snapshot({ name: "old" });
  await session.output(["bash", "-c", `${tree.edit}; ${SETTLE}`]);
  await session.snapshot({ name: "new" });

  const diff = async (output: string) => {
    const found = await session.request<TreeDiff>("POST", "/diff", { from: { snapshot: "old" }, to: { snapshot: "new" }, output });
    assert.equal(found.counts.modified, tree.changes);
  };
  const listing = (workspace: string) => session.tool<{ stdout: string }>("workspace_run", { command: LISTING, workspace });
  const looks: Record<string, { product: () => Promise<unknown>; floor: (olds: string, news: string) => Promise<unknown>; both?: boolean }> = {
    ls: {
      product: () => session.request<ListedFiles>("GET", "/snapshots/new/files"),
      floor: (_, workspace) => session.tool("workspace_ls", { path: ".", at: workspace }),
    },
    "read of one file": {
      product: () => session.fileOf("new", tree.file),
      floor: (_, workspace) => session.tool("workspace_read_file", { path: tree.file, encoding: "base64", at: workspace }),
    },
    "diff, 1 % changed: list": {
      product: () => diff("list"),
      floor: (...both) => Promise.all(both.map(listing)),
      both: true,
    },
    "diff, 1 % changed: texts": {
      product: () => diff("text"),
      floor: (...both) => Promise.all(both.map(listing)),
      both: true,
    },
  };
  const times = Object.fromEntries(Object.keys(looks).map((what) => [what, new Times()]));
  for (let round = 0; round < ROUNDS; round++) {
    bench.say(`${tree.group}: round ${round + 1} of ${ROUNDS}`);
    await inTurns(
      round,
      async () => {
        for (const [what, { product }] of Object.entries(looks)) {
          await fillCache();
          // A call that reads no archive waits for work that the download above still does afterwards.
          await session.request("GET", "");
          times[what]!.product.push(await timed(product));
        }
      },
      async () => {
        const made: WorkspaceRef[] = [];
        const restore = async (name: string) => made.push(await session.restore(name));
        const one = await timed(() => restore("new"));
        // The second workspace boots beside the first, so a look that needs both waits for the slower boot.
        const two = Math.max(one, await timed(() => restore("old")));
        const [news, olds] = made.map(({ ref }) => ref.id);
        for (const [what, { floor, both }] of Object.entries(looks)) {
          const restored = both ? two : one;
          const look = await timed(() => floor(olds!, news!));
          times[what]!.floor.push(restored + look);
          times[what]!.addParts({ "boot and restore": restored, look });
        }
        for (const ref of made) await session.destroyWorkspace(ref);
      },
    );
  }
  for (const [what, measured] of Object.entries(times)) bench.record(tree.group, what, measured);
  await session.close();
}

/** Compares three running workspaces. The floor lists their files, all at once. */
export async function measureComparison(bench: LookBench): Promise<void> {
  const session = await bench.opened("look-compare");
  await session.output(`${MAKE_SMALL} && ${SETTLE}`, { timeoutMs: 300_000 });
  await session.request("POST", "/forks", { count: FORKS });
  const { workspaces } = await session.workspaces();
  const ids = workspaces.map(({ ref }) => ref.ref.id);
  for (const [at, workspace] of ids.entries()) {
    await session.tool("workspace_run", { command: `for n in 1 2 3; do echo '# ${at}' >>00$n/0${at}.py; done; echo new >new-${at}`, workspace });
  }
  const times = new Times();
  for (let round = 0; round < ROUNDS; round++) {
    bench.say(`comparison: round ${round + 1} of ${ROUNDS}`);
    await inTurns(
      round,
      async () => times.product.push(await timed(async () => {
        const { workspaces } = await session.request<Comparison>("POST", "/compare", {});
        assert.deepEqual(workspaces.map(({ counts }) => [counts.modified, counts.added]), ids.map(() => [3, 1]));
      })),
      async () => times.floor.push(await timed(() => Promise.all(ids.map((workspace) => session.tool("workspace_run", { command: LISTING, workspace }))))),
    );
  }
  bench.record(`${SMALL_TREE} each`, `comparison of ${ids.length} running workspaces`, times);
  await session.close();
}
