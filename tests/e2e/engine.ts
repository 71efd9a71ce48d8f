/** A proxy between workerd and the container engine, which can interrupt when a command is about to begin. */

import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { after, before } from "node:test";

export interface EngineBetween {
  /** Address for workerd. */
  readonly host: string;
  /** Runs once, after a command was created in a container and before it starts. */
  beforeStart?: () => Promise<void> | void;
  /** Closes the connection of that request, as Docker does with one that is idle for 5 minutes. */
  hangUp?: () => void;
}

export function useEngineBetween(): EngineBetween {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "engine-"));
  const socket = path.join(dir, "s");
  const between: EngineBetween = { host: `unix://${socket}` };
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const engine = net.connect({ path: process.env["DOCKER_HOST"]!.slice("unix://".length), allowHalfOpen: true });
    for (const [one, other] of [[client, engine], [engine, client]] as const) one.on("error", () => other.destroy()).on("close", () => other.destroy());
    engine.pipe(client);
    // workerd opens a connection for each request.
    client.once("data", async (head) => {
      client.pause();
      const { beforeStart } = between;
      if (beforeStart && /^POST \/exec\/\w+\/start /.test(head.toString("latin1"))) {
        delete between.beforeStart;
        between.hangUp = () => client.end();
        await beforeStart();
      }
      engine.write(head);
      client.pipe(engine);
    });
  });
  before(() => new Promise<void>((resolve) => server.listen(socket, resolve)));
  after(() => {
    // workerd may still be ending; its connections end with it.
    server.close();
    fs.rmSync(dir, { recursive: true, force: true });
  });
  return between;
}
