/** Shared by the tests of previews. */

import { once } from "node:events";
import { createServer } from "node:net";

/** A free port from this one on. Links name the Worker's port, so it is chosen before the Worker starts. */
export async function freePort(first: number): Promise<number> {
  // Below those that the kernel gives away.
  for (let port = first + (process.pid % 4_000); ; port++) {
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(() => true, () => false);
    server.close();
    if (isFree) return port;
  }
}

/** The origin of a preview, by its link. */
export const originOf = (url: string, previewHost: string) => `http://${new URL(url).pathname.slice(1)}.${previewHost}`;
