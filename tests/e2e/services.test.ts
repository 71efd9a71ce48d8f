/** Services: commands of the configuration that run again wherever a container is new. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ErrorBody, LiveForks, ProcessView, Rewound, WorkspaceRef } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });
const PORT = 8765;
const SERVICES = [
  { name: "web", command: ["python3", "-u", "-m", "http.server", `${PORT}`] },
  { name: "broken", command: 'date +%s%N >> /tmp/began; echo "no database"; exit 3', cwd: "app" },
];

type ServiceView = { name: string; process: ProcessView | null; log: string | null; error?: ErrorBody };

/** What the server answers, once it listens. */
async function served(session: Session, options: object = {}): Promise<string> {
  const command = `curl -sf --retry 20 --retry-delay 1 --retry-connrefused http://127.0.0.1:${PORT}/app/page`;
  return session.sh(command, options);
}

async function shown(session: Session): Promise<ServiceView[]> {
  return (await session.tool<{ services: ServiceView[] }>("workspace_describe")).services;
}

/** How often the service that ends at once has begun in the present container. */
async function beginnings(session: Session, options: object = {}): Promise<number> {
  return Number(await session.sh("cat /tmp/began 2>/dev/null | wc -l", options));
}

describe("the services of a session", () => {
  let session: Session;

  it("run from its first command on", async () => {
    session = await world.opened("served", { services: SERVICES, sleepAfter: "10m" });
    assert.deepEqual((await shown(session)).map(({ name, process }) => [name, process]), [["web", null], ["broken", null]]);
    assert.deepEqual(world.worker.containers(), [], "a description starts no container");
    // The directory of the second one is not there yet, and no call fails for it.
    await session.sh("mkdir app && echo one > app/page");
    assert.equal(await served(session), "one\n");
    const [web, broken] = await shown(session);
    assert.equal(web!.process!.state, "running");
    assert.match(web!.log!, /GET \/app\/page/);
    assert.equal(broken!.process, null);
    assert.equal(broken!.error!.code, "NOT_FOUND");
    assert.equal((await world.logged(({ event }) => event === "service.failed")).length, 1);
  });

  it("run again when it wakes, and what ends at once is left alone", async () => {
    await session.snapshot({ name: "one" });
    await world.removeContainers();
    assert.equal(await served(session), "one\n");
    const broken = await until("it has ended", async () => (await shown(session)).find(({ process }) => process?.state === "ended"));
    assert.deepEqual([broken.name, broken.process!.exitCode, broken.log], ["broken", 3, "no database\n"]);
    for (let call = 0; call < 3; call++) assert.equal(await beginnings(session), 1);
  });

  it("run in restored and forked workspaces", async () => {
    const restored = await session.restore("one");
    const forked = (await session.http<LiveForks>("POST", "/forks", {})).workspaces[0] as { ref: WorkspaceRef };
    for (const { ref: { id } } of [restored, forked.ref]) {
      // Not of the first call that uses it: it ran before.
      const listed = await world.sandbox(id, "listProcesses", {});
      assert.deepEqual(listed.processes.map(({ name }: { name: string }) => name).sort(), ["broken", "web"]);
      assert.equal(await served(session, { workspace: id }), "one\n");
      await until("it begins", async () => (await beginnings(session, { workspace: id })) === 1);
    }
    await session.destroyWorkspace(restored);
    await session.destroyWorkspace(forked.ref);
  });

  it("run again after a rewind, which ends those that use the files", async () => {
    await session.sh("echo two > app/page");
    assert.equal(await served(session), "two\n");
    const before = (await shown(session))[0]!.process!;
    const { endedProcesses } = await session.http<Rewound>("POST", "/rewind", { ref: "one" });
    assert.match(JSON.stringify(endedProcesses), /http\.server/);
    assert.equal(await served(session), "one\n");
    const after = (await shown(session))[0]!.process!;
    assert.equal(after.state, "running");
    assert.ok(Date.parse(after.startedAt) > Date.parse(before.startedAt), `${before.startedAt}, ${after.startedAt}`);
    await until("it begins again", async () => (await beginnings(session)) === 2);
  });

  it("and one that was stopped stays stopped, even for a new object", async () => {
    await session.tool("workspace_stop", { name: "web" });
    await world.worker.restart();
    await session.sh("true");
    assert.deepEqual((await shown(session)).map(({ process }) => process!.state), ["ended", "ended"]);
    assert.equal(await beginnings(session), 2);
  });

  it("change with a later open, which obeys the policy", async () => {
    await session.open({ services: [{ name: "other", command: "echo \"$GREETING\"; sleep 300" }], envVars: { GREETING: "hello" } });
    await session.sh("true");
    const [other, ...rest] = await until("it has printed", async () => {
      const services = await shown(session);
      return services[0]!.log ? services : undefined;
    });
    assert.deepEqual([other!.process!.state, other!.log, rest], ["running", "hello\n", []]);
    const strict = world.session("strict");
    const shell = { allowlist: ["python3"] };
    const refused = await fails("FORBIDDEN", strict.open({ services: SERVICES, capabilities: { shell } }));
    assert.match(refused.message, /^services: broken: command: /);
    await fails("INVALID_ARGUMENT", strict.open({ services: SERVICES, capabilities: { readOnly: true } }));
    await strict.open({ services: SERVICES.slice(0, 1), capabilities: { shell } });
  });
});
