/**
 * Measures snapshots of workspaces in which nothing has changed, and turns that changed eight files. The floor is a
 * full snapshot of the same workspace after a change of one file, which archives everything. The part "true" is the
 * time that any command takes.
 */

import assert from "node:assert/strict";
import type { LookBench } from "./looks.ts";
import { ROUNDS, Times, inTurns, timed } from "./times.ts";
import { MAKE_RANDOM, MAKE_SMALL, RANDOM_TREE, SMALL_TREE } from "./trees.ts";

const TREES = { [RANDOM_TREE]: MAKE_RANDOM, [SMALL_TREE]: MAKE_SMALL };
/** Files that were open a moment ago can't count as unchanged. */
const SETTLE = "sync; sleep 1";

export async function measureUnchanged(bench: LookBench): Promise<void> {
  for (const [at, [tree, make]] of Object.entries(TREES).entries()) {
    const session = await bench.opened(`unchanged-${at}`);
    await session.output(`${make}; ${SETTLE}`, { timeoutMs: 300_000 });
    await session.snapshot({ name: "first" });
    const times = new Times();
    const turns = new Times();
    for (let round = 0; round < ROUNDS; round++) {
      bench.say(`${tree}, unchanged: round ${round + 1} of ${ROUNDS}`);
      await inTurns(
        round,
        async () => {
          times.product.push(await timed(async () => assert.ok((await session.snapshot({})).unchanged)));
          times.addParts({ true: await timed(() => session.output("true")) });
        },
        async () => {
          await session.output(`echo ${round} >changed`);
          times.floor.push(await timed(async () => assert.ok(!(await session.snapshot({})).unchanged)));
        },
      );
      await session.output(`for n in 1 2 3 4 5 6 7 8; do echo ${round} $n >changed-$n; done`);
      turns.product.push(await timed(async () => {
        const { snapshot } = await session.saveTurn({ round });
        assert.equal(snapshot.kind, "layer");
        assert.ok(snapshot.sizeBytes! <= 3 * 8 * 4096, `${snapshot.sizeBytes} bytes for eight files`);
      }));
      // A full snapshot can't count as unchanged after a layer.
      await session.snapshot({});
    }
    turns.floor.push(...times.floor);
    bench.record("snapshots", `${tree}, unchanged`, times);
    bench.record("snapshots", `${tree}, a turn that changed 8 files`, turns);
    await session.close();
  }
}
