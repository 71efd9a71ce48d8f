/** Warm pools: containers that run with a published snapshot's files before a session is opened. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Response } from "miniflare";
import type { SessionView } from "../../entry/snapshotter.d.ts";
import { envelopeOf, fails, idOf, TOKEN, until, useWorld, type Session } from "./support.ts";

type PoolView = { id: string; snapshotId: string; size: number; allowed: number; ready: number; filling: number; problem?: object };
type PoolList = { limit: number; pools: PoolView[] };

const activeOf = async (session: Session) => ((await session.http("GET", "")) as SessionView).active.ref.id;

describe("a warm pool", () => {
  const LIMIT = 3;
  const SIZE = 2;
  const vars = { MAX_CONCURRENT_STARTS: "2", BUCKET_BINDINGS: "DATA" };
  const withPools = { ...vars, MAX_POOL_CONTAINERS: String(LIMIT) };
  const world = useWorld({ env: { DATA: { type: "r2", name: "DATA" } }, vars: withPools });
  let template: string;

  const pools = () => world.operator<PoolList>("GET", "/v1/pools");

  /** The only pool, once it has as many containers as it may keep. */
  async function full(): Promise<PoolView> {
    for (;;) {
      const { pools: listed } = await pools();
      assert.equal(listed.length, 1);
      const pool = listed[0]!;
      assert.ok(pool.ready + pool.filling <= LIMIT, JSON.stringify(pool));
      assert.equal(pool.problem, undefined, JSON.stringify(pool));
      if (pool.ready === pool.allowed) return pool;
      await sleep(200);
    }
  }

  it("is made by the first open, which is as with from", async () => {
    const owner = await world.opened("owner", { autosave: false });
    await owner.sh("echo from the template > file && mkdir -p deep/er && echo more > deep/er/file");
    template = idOf(await owner.snapshot({ name: "template" }));
    await owner.http("PATCH", "/snapshots/template", { published: true });
    assert.deepEqual(await pools(), { limit: LIMIT, pools: [] });

    const first = await world.opened("first", { autosave: false, pool: { from: template, size: SIZE } });
    assert.equal(await activeOf(first), "first");
    assert.equal(await first.sh("cat file"), "from the template\n");
    const pool = await full();
    assert.deepEqual([pool.snapshotId, pool.size, pool.ready, pool.filling], [template, SIZE, SIZE, 0]);
    assert.equal(world.worker.containers().length, 2 + SIZE);
  });

  it("gives an open a container that runs, with the session's own environment, buckets and services", async () => {
    const before = world.worker.containers().length;
    await (await world.r2("DATA")).put("key", "from a bucket\n");
    const config = {
      autosave: false,
      pool: { from: template, size: SIZE },
      envVars: { MINE: "yes" },
      bucketMounts: [{ bucket: "DATA", mountPath: "/mnt/data", readOnly: true }],
      services: [{ name: "server", command: "echo served > /tmp/served && sleep 600" }],
    };
    const session = await world.opened("second", config);
    const active = await activeOf(session);
    assert.match(active, /^s-pool-[0-9a-z]{26}$/);
    const ran = await session.run("cat file deep/er/file; echo $MINE; until cat /tmp/served; do sleep 0.1; done; curl -sS http://r2.internal/DATA/key");
    assert.equal(ran.stdout, "from the template\nmore\nyes\nserved\nfrom a bucket\n");
    const { kinds } = await told(session.id);
    assert.ok(kinds.indexOf("workspace.claimed") >= 0 && kinds.includes("workspace.woken"), kinds.join());
    await full();
    assert.equal(world.worker.containers().length, before + 1, "the one that it took is replaced");

    // It is the session's: saved, restored, branched, and woken as any other.
    await session.sh("echo changed > file");
    const own = idOf(await session.snapshot({ name: "own" }));
    const restored = await session.restore(own);
    assert.match(restored.ref.id, /^second-restored-/);
    await session.http("DELETE", `/workspaces/${active}/container`);
    assert.equal(await session.sh("cat file"), "changed\n");
    assert.equal((await world.logged(({ event }) => event === "pool.taken")).length, 1);
  });

  it("serves sessions that come at once, each with a container of its own", async () => {
    await full();
    const ids = ["at-once-1", "at-once-2", "at-once-3"];
    const config = { autosave: false, pool: { from: template, size: SIZE } };
    const sessions = await Promise.all(ids.map((id) => world.opened(id, config)));
    assert.deepEqual(await Promise.all(sessions.map((session) => session.sh(`cat file; echo ${session.id} > mine; cat mine`))), ids.map((id) => `from the template\n${id}\n`));
    const active = await Promise.all(sessions.map(activeOf));
    assert.equal(new Set(active).size, ids.length);
    assert.ok(active.filter((id) => id.startsWith("s-pool-")).length >= 1);
    await full();
  });

  it("goes on after a restart of the Worker", async () => {
    await full();
    await world.worker.restart();
    const session = await world.opened("after-restart", { autosave: false, pool: { from: template, size: SIZE } });
    assert.equal(await session.sh("cat file"), "from the template\n");
    await full();
  });

  it("is empty after it is destroyed, and the containers that sessions took stay", async () => {
    const { id } = await full();
    const before = world.worker.containers().length;
    const answer = await world.operator<{ destroyed: number }>("DELETE", `/v1/pools/${id}`);
    assert.deepEqual(answer, { destroyed: SIZE });
    assert.deepEqual(await pools(), { limit: LIMIT, pools: [] });
    assert.equal(world.worker.containers().length, before - SIZE);
    assert.equal(await world.session("at-once-1").sh("cat mine"), "at-once-1\n");
    assert.deepEqual(await world.operator("DELETE", `/v1/pools/${id}`), { destroyed: 0 });
    await assert.rejects(world.operator("DELETE", "/v1/pools/none"), (error) => envelopeOf(error).code === "INVALID_ARGUMENT");
  });

  it("ends when a deploy takes the operator's variable away, and can be destroyed before", async () => {
    await world.opened("again", { autosave: false, pool: { from: template, size: SIZE } });
    const { id } = await full();
    const before = world.worker.containers().length;
    await world.worker.restart({ ...vars, API_TOKEN: TOKEN });
    await fails("NOT_CONFIGURED", world.opened("without", { pool: { from: template, size: SIZE } }));
    const { limit, pools: listed } = await pools();
    assert.equal(limit, 0);
    assert.deepEqual(listed.map((pool) => [pool.id, pool.size, pool.allowed]), [[id, SIZE, 0]]);
    assert.deepEqual(await world.operator("DELETE", `/v1/pools/${id}`), { destroyed: SIZE });
    assert.equal(world.worker.containers().length, before - SIZE);
    await world.worker.restart({ ...withPools, API_TOKEN: TOKEN });
  });

  it("is for published snapshots, and for operators", async () => {
    await world.session("owner").http("PATCH", "/snapshots/template", { published: false });
    await fails("SNAPSHOT_NOT_OWNED", world.opened("late", { pool: { from: template, size: 1 } }));
    assert.deepEqual(await pools(), { limit: LIMIT, pools: [] });
    await assert.rejects(world.operator("GET", "/v1/pools", undefined, "wrong"), (error) => envelopeOf(error).code === "UNAUTHENTICATED");
  });

  async function told(id: string): Promise<{ kinds: string[] }> {
    const { events } = (await world.session(id).http("GET", "/events")) as { events: { kind: string }[] };
    return { kinds: events.map(({ kind }) => kind) };
  }
});

describe("a warm pool of sessions with a network policy", () => {
  /** Requests that reached the stand-in for the Internet's servers. */
  const reached: { host: string; key: string | undefined }[] = [];
  const world = useWorld({
    vars: { MAX_POOL_CONTAINERS: "2" },
    outbound: (request) => {
      const { hostname } = new URL(request.url);
      reached.push({ host: hostname, key: request.headers.get("x-key") ?? undefined });
      return Promise.resolve(new Response(`${hostname} answers\n`));
    },
  });
  const value = () => `zq${randomBytes(12).toString("hex")}zq`;
  const policyOf = (host: string, key: string) => ({
    network: { mode: "allowlist" as const, hosts: [host] },
    secrets: { KEY: { hosts: [host], header: "x-key", value: key } },
  });
  let template: string;

  /** The containers that the pools keep, once they have as many as they may. */
  async function warm(taken: Set<string>): Promise<string[]> {
    return until("the pools are full", async () => {
      const { pools } = await world.operator<PoolList>("GET", "/v1/pools");
      const containers = world.worker.containers().filter((name) => !taken.has(name));
      return pools.every(({ ready, allowed }) => ready === allowed) && containers.length === pools.length && containers;
    });
  }

  /** What programs in a container reach, without the session's calls: HTTP, HTTPS, an address, another port, and a name. */
  async function probe(container: string): Promise<string> {
    const script = `for url in http://one.example.com https://one.example.com http://two.example.com https://two.example.com http://1.2.3.4 https://1.2.3.4; do curl -sk -m 5 $url; done
      timeout 5 bash -c 'exec 3<>/dev/tcp/1.2.3.4/22; echo x >&3; cat <&3' 2>/dev/null
      timeout 5 getent hosts one.example.com >/dev/null && echo resolved
      curl -s -m 5 http://r2.internal/; true`;
    const { stdout } = await promisify(execFile)("docker", ["exec", container, "bash", "-c", script]);
    return stdout;
  }

  it("has containers that reach nothing until they are taken, and then what their session may", async () => {
    const owner = await world.opened("owner", { autosave: false });
    await owner.sh("echo from the template > file");
    template = idOf(await owner.snapshot({ name: "template" }));
    await owner.http("PATCH", "/snapshots/template", { published: true });
    const pool = { from: template, size: 1 };
    const taken = new Set(world.worker.containers());
    // Its first open makes the pool, and starts no container.
    await world.opened("maker", { autosave: false, pool, ...policyOf("one.example.com", value()) });

    // Both sessions need the same container, whatever their hosts and secrets are.
    for (const [id, host, other] of [["one", "one.example.com", "two.example.com"], ["two", "two.example.com", "one.example.com"]] as const) {
      const [container] = await warm(taken);
      taken.add(container!);
      assert.equal(await probe(container!), "");
      assert.equal(reached.length, 0);

      const key = value();
      const session = await world.opened(id, { autosave: false, pool, ...policyOf(host, key) });
      assert.match(await activeOf(session), /^s-pool-/);
      const asked = await session.run(`cat file; curl -sS https://${host}; for s in http https; do curl -sS $s://${other}; done; curl -s -m 5 -k https://1.2.3.4; env`);
      assert.ok(asked.stdout.startsWith(`from the template\n${host} answers\n${other} is refused`), asked.stdout);
      assert.doesNotMatch(asked.stdout, new RegExp(`${other} answers|${key}`));
      assert.deepEqual(asked.refusedHosts, [{ host: other, count: 2 }]);
      assert.deepEqual(reached.splice(0), [{ host, key }]);
      // That container was the warm one, and what found nothing before now finds the host.
      const found = await probe(container!);
      assert.ok(found.includes(`${host} answers\n`) && !found.includes(`${other} answers`), found);
      assert.deepEqual([...new Set(reached.splice(0).map((request) => request.host))], [host]);
      assert.doesNotMatch(world.logText(), new RegExp(key));
    }
  });

  it("has containers on the open Internet for sessions of mode open, which get their own secrets there", async () => {
    const { pools: [closed] } = await world.operator<PoolList>("GET", "/v1/pools");
    await world.operator("DELETE", `/v1/pools/${closed!.id}`);
    const taken = new Set(world.worker.containers());
    const pool = { from: template, size: 1 };
    const secrets = (key: string) => ({ KEY: { hosts: ["one.example.com"], header: "x-key", value: key } });
    reached.splice(0);
    await world.opened("open-maker", { autosave: false, pool, secrets: secrets(value()) });
    await warm(taken);
    const key = value();
    const session = await world.opened("open-taker", { autosave: false, pool, secrets: secrets(key) });
    assert.match(await activeOf(session), /^s-pool-/);
    assert.equal(await session.sh("curl -sS https://one.example.com"), "one.example.com answers\n");
    assert.deepEqual(reached.splice(0), [{ host: "one.example.com", key }]);
  });
});

describe("a Worker without warm pools", () => {
  const world = useWorld();

  it("refuses a session that asks for one, and says what to do", async () => {
    const { hint } = await fails("NOT_CONFIGURED", world.opened("second", { pool: { from: "3f0b8a52-7c1d-4e9f-8a6b-0c2d4e6f8a10", size: 1 } }));
    assert.match(hint!, /MAX_POOL_CONTAINERS/);
    assert.deepEqual(await world.operator("GET", "/v1/pools"), { limit: 0, pools: [] });
  });
});
