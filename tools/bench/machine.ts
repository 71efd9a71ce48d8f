/**
 * A machine with 200 MB of packages: saved, saved again unchanged, and restored into a new container. The floor is the
 * installation of the same packages with apt, from files, in a running container.
 */

import assert from "node:assert/strict";
import type { LookBench } from "./looks.ts";
import { ROUNDS, Times, inTurns, size, timed } from "./times.ts";

const PACKAGES = size(20, 1);
const GROUP = `${PACKAGES * 10} MB of packages`;
/** Each package has 250 files of 40 KB: source files, half of which compress well. */
const BUILD = `set -e
mkdir -p /tmp/packages && cd /tmp/packages && python3 - <<'PY'
import os, random
bytes = random.Random(1)
for n in range(${PACKAGES}):
    top = f"p{n}"
    os.makedirs(f"{top}/DEBIAN"); open(f"{top}/DEBIAN/control", "w").write(
        f"Package: bench-p{n}\\nVersion: 1\\nArchitecture: all\\nMaintainer: x <x@example.com>\\nDescription: bench\\n")
    for f in range(250):
        at = f"{top}/usr/lib/bench/{n}/{f // 25}"
        os.makedirs(at, exist_ok=True)
        open(f"{at}/{f}", "wb").write(bytes.randbytes(20_000) + b"some words " * 1_818)
PY
for n in $(seq 0 ${PACKAGES - 1}); do dpkg-deb -Zgzip --build p$n p$n.deb > /dev/null && rm -r p$n; done`;
const INSTALL = "apt-get install -y -qq /tmp/packages/*.deb > /dev/null 2>&1";
const PURGE = "apt-get purge -y -qq 'bench-p*' > /dev/null 2>&1";

export async function measureMachine(bench: LookBench): Promise<void> {
  const [session, floor] = await Promise.all([bench.opened("machine", { persist: "machine" }), bench.opened("machine-floor")]);
  for (const one of [session, floor]) await one.output(BUILD, { timeoutMs: 300_000 });
  await session.output(`${INSTALL} && sync && sleep 1`, { timeoutMs: 300_000 });
  const saves = new Times();
  const unchanged = new Times();
  const restores = new Times();
  for (let round = 0; round < ROUNDS; round++) {
    bench.say(`${GROUP}: round ${round + 1} of ${ROUNDS}`);
    await session.output(`echo ${round} > file && echo ${round} > /root/changed && sleep 1`);
    const taken = async () => (await session.snapshot({})).snapshot;
    let id = "";
    saves.product.push(await timed(async () => ({ id } = await taken())));
    await session.output(`echo again ${round} > file`);
    unchanged.product.push(await timed(async () => assert.notEqual((await taken()).machine!.id, undefined)));
    await inTurns(
      round,
      async () => {
        let made;
        restores.product.push(await timed(async () => (made = await session.restore(id))));
        await session.destroyWorkspace(made!);
      },
      async () => {
        restores.floor.push(await timed(() => floor.output(INSTALL, { timeoutMs: 300_000 })));
        await floor.output(PURGE, { timeoutMs: 300_000 });
      },
    );
  }
  bench.record(GROUP, "save files and a changed machine", saves);
  bench.record(GROUP, "save files and an unchanged machine", unchanged);
  bench.record(GROUP, "restore into a new sandbox, beside installing", restores);
  await Promise.all([session.close(), floor.close()]);
}
