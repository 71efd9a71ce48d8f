/** The warm pools, for the operator. */

import type { PoolView } from "snapshotter-client";
import { useAccess } from "../access.ts";
import { useAct } from "./act.tsx";
import { plural, When } from "./format.tsx";
import { Loaded, useLoad } from "./loading.tsx";
import { Id, Text } from "./text.tsx";

/** Shows nothing if the operator allows no pools and none is left from an earlier deploy. */
export function Pools() {
  const { client } = useAccess();
  const act = useAct();
  const list = useLoad(async (signal) => client.pools({ signal }), [client]);
  if (list.value?.limit === 0 && list.value.pools.length === 0) return null;
  const destroy = ({ id, ready, filling }: PoolView) => act({
    title: "Destroy this pool",
    says: <>Destroys {plural(ready + filling, "container")} of the pool. Containers that sessions have taken stay. The next session that is opened with this pool makes it anew.</>,
    verb: "Destroy",
    danger: true,
    run: async (_, { signal }) => {
      const { destroyed } = await client.destroyPool(id, { signal });
      list.again();
      return { message: `The pool is gone, with ${plural(destroyed, "container")}.` };
    },
  });
  return (
    <section aria-labelledby="pools">
      <h2 id="pools">Warm pools</h2>
      <Loaded of={list}>{({ limit, pools }) => pools.length === 0
        ? <p class="soft">No session was opened with a pool lately. All pools together may keep {plural(limit, "container")}.</p>
        : <Table pools={pools} limit={limit} destroy={destroy} />}
      </Loaded>
    </section>
  );
}

function Table({ pools, limit, destroy }: { pools: PoolView[]; limit: number; destroy: (pool: PoolView) => void }) {
  return (
    <div class="scroll" role="group" aria-labelledby="pools" tabIndex={0}>
      <table>
        <caption>All pools together may keep {plural(limit, "container")}.</caption>
        <thead><tr><th scope="col">Snapshot</th><th scope="col">Ready</th><th scope="col">Starting</th><th scope="col">Asked for</th><th scope="col"><span class="visually-hidden">Destroy</span></th></tr></thead>
        <tbody>
          {pools.map((pool) => (
            <tr key={pool.id}>
              <th scope="row"><Id>{pool.snapshotId}</Id>{pool.problem && <p class="soft">The last container did not become ready: <Text>{pool.problem.message}</Text></p>}</th>
              <td>{pool.ready} of {pool.allowed}{pool.allowed < pool.size && ` (${pool.size} wanted)`}</td>
              <td>{pool.filling}</td>
              <td><When at={pool.usedAt} /></td>
              <td><button type="button" class="danger" onClick={() => destroy(pool)}>Destroy…</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
