/**
 * Measures a session's first call with a container from a warm pool. The floor is the same call with the same snapshot,
 * without a pool.
 */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { LookBench } from "./looks.ts";
import { ROUNDS, Times, inTurns, timed } from "./times.ts";
import { MAKE_RANDOM, RANDOM_FILES, RANDOM_TREE } from "./trees.ts";

type PoolList = { pools: { id: string; ready: number }[] };

const GROUP = `a session from a template of ${RANDOM_TREE}`;

export async function measurePools(bench: LookBench): Promise<void> {
  bench.say(GROUP);
  const owner = await bench.opened("pool-owner");
  await owner.output(MAKE_RANDOM);
  const { snapshot } = await owner.snapshot({ name: "template" });
  await owner.request("PATCH", "/snapshots/template", { published: true });
  const pool = { from: snapshot.id, size: 1 };
  const full = async () => {
    for (;;) {
      const { pools } = await owner.operator<PoolList>("GET", "/v1/pools");
      if (pools[0]?.ready === 1) return pools[0].id;
      await sleep(100);
    }
  };
  const whole = new Times();
  const opens = new Times();
  const first = async (id: string, times: number[], config: object, open: number[]) => {
    let session: Awaited<ReturnType<LookBench["opened"]>>;
    times.push(
      await timed(async () => {
        open.push(await timed(async () => (session = await bench.opened(id, config))));
        assert.equal(await session.output("ls | wc -l"), String(RANDOM_FILES));
      }),
    );
    await session!.close();
  };
  // The first open creates the pool.
  await first("pool-first", [], { pool }, []);
  for (let round = 0; round < ROUNDS; round++) {
    await full();
    await inTurns(
      round,
      async () => {
        await first(`pool-warm-${round}`, whole.product, { pool }, opens.product);
        // Filling the pool again must not slow the other side.
        await full();
      },
      () => first(`pool-cold-${round}`, whole.floor, { from: snapshot.id }, opens.floor),
    );
  }
  bench.record(GROUP, "open, from a pool beside from the archive", opens);
  bench.record(GROUP, "open and the first call, likewise", whole);
  await owner.operator("DELETE", `/v1/pools/${await full()}`);
  await owner.close();
}
