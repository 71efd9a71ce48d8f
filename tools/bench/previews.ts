/** Measures requests to a server in a container. The floor is a Worker that only passes them on to the same server. */

import assert from "node:assert/strict";
import type { Floor } from "./floor.ts";
import type { LookBench } from "./looks.ts";
import { ROUNDS, Times, atOnce, inTurns, size, timed } from "./times.ts";

const PORT = 8000;
const LARGE_BYTES = size(50_000_000, 1_000_000);
/** As many modules as the page of a small application loads. */
const MODULES = size(100, 10);
const SERVE = `mkdir -p /srv/bench && cd /srv/bench && echo small > small && head -c ${LARGE_BYTES} /dev/zero > large
(setsid python3 -c "
from http.server import *
class Handler(SimpleHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(*_): pass
# By default, five connections may wait to be accepted. The kernel resets the others.
ThreadingHTTPServer.request_queue_size = ${2 * MODULES}
ThreadingHTTPServer(('', ${PORT}), Handler).serve_forever()" > /dev/null 2>&1 &)`;

export async function measurePreviews(bench: LookBench, floor: Floor): Promise<void> {
  bench.say("previews");
  const session = await bench.opened("previews", { previewPorts: [PORT] });
  await session.output(SERVE);
  await floor.call("previews", "start");
  await floor.call("previews", "sh", { command: SERVE });
  const small = async (asked: Promise<Uint8Array>) => assert.equal(Buffer.from(await asked).toString(), "small\n");
  const large = async (asked: Promise<Uint8Array>) => assert.equal((await asked).length, LARGE_BYTES);
  const product = (path: string) => session.visit(PORT, path);
  const prototype = (path: string) => floor.visit("previews", PORT, path);
  // The first requests wait until the servers listen.
  await small(product("small"));
  while (!(await small(prototype("small")).then(() => true, () => false)));
  const calls: [what: string, call: (visit: (path: string) => Promise<Uint8Array>) => Promise<unknown>][] = [
    ["a small file", (visit) => small(visit("small"))],
    [`${MODULES} small files at once`, (visit) => atOnce(MODULES, () => small(visit("small")))],
    [`a file of ${LARGE_BYTES / 1e6} MB`, (visit) => large(visit("large"))],
  ];
  for (const [what, call] of calls) {
    const times = new Times();
    for (let round = 0; round < ROUNDS; round++) {
      await inTurns(
        round,
        async () => times.product.push(await timed(() => call(product))),
        async () => times.floor.push(await timed(() => call(prototype))),
      );
    }
    bench.record("preview", what, times);
  }
  await session.close();
  await floor.call("previews", "destroy");
}
