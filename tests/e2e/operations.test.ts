/** Calls that are repeated with a key, and calls that outlast their request and their object's stay in memory. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationView } from "../../entry/snapshotter.d.ts";
import { AGENT, fails, TOKEN, until, useWorld, type Session } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

const post = (session: Session, route: string, body: object, headers: Record<string, string>) =>
  fetch(`${world.worker.url}/v1/sessions/${session.id}${route}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(body),
  });

/** Starts a call without waiting for it, and returns the address of its operation. */
async function started(session: Session, route: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await post(session, route, body, { prefer: "respond-async, wait=5", ...headers });
  const operation = (await response.json()) as OperationView;
  assert.equal(response.status, 202, JSON.stringify(operation));
  assert.equal(response.headers.get("preference-applied"), "respond-async");
  assert.equal(response.headers.get("location"), `/v1/sessions/${session.id}/operations/${operation.id}`);
  assert.equal(operation.state, "running");
  return `/operations/${operation.id}`;
}

const look = (session: Session, route: string) => session.http<OperationView>("GET", route);
const ended = (session: Session, route: string) =>
  until("the operation has ended", async () => {
    const operation = await look(session, route);
    return operation.state !== "running" && operation;
  });

describe("a call under a key", () => {
  it("is done once, over HTTP and RPC, at once and after a restart", async () => {
    const session = await world.opened("keyed");
    const key = { "idempotency-key": "one" };
    await session.sh("echo 1 > file");
    const both = await Promise.all([post(session, "/snapshots", { name: "a" }, key), post(session, "/snapshots", { name: "a" }, key)]);
    // The second call finds the first one running, or its answer.
    assert.deepEqual(both.map((response) => response.status).filter((status) => status !== 409)[0], 201);
    const first = await (await post(session, "/snapshots", { name: "a" }, key)).json();
    await world.worker.restart();
    const again = await post(session, "/snapshots", { name: "a" }, key);
    assert.deepEqual([again.status, await again.json()], [201, first]);
    assert.ok(again.headers.get("location")?.startsWith("/v1/sessions/keyed/snapshots/"));
    const { details } = await fails("CONFLICT", session.http("POST", "/snapshots", { name: "b" }, key));
    assert.equal(details?.["field"], "idempotencyKey");
    assert.equal((await session.list()).snapshots.length, 1);

    const append = { command: "echo x >> log; wc -l < log" };
    const counts = [];
    for (const key of ["r1", "r1", "r2"]) {
      counts.push((await world.rpc("keyed", "callTool", "workspace_run", append, { idempotencyKey: key })).stdout.trim());
    }
    assert.deepEqual(counts, ["1", "1", "2"]);
    await fails("INVALID_ARGUMENT", session.http("POST", "/snapshots", {}, { "idempotency-key": "x".repeat(256) }));
    await session.close();
  });
});

describe("a call that is not waited for", () => {
  it("outlasts the time after which an idle object leaves memory", async () => {
    const session = await world.opened("long");
    await session.sh("true");
    const route = await started(session, "/tools/workspace_run", { command: "sleep 25; echo done" });
    // No request comes meanwhile: only its own alarms keep the object in memory.
    await sleep(28_000);
    const operation = await ended(session, route);
    assert.equal(operation.state, "succeeded", JSON.stringify(operation));
    assert.equal((operation.result as { stdout: string }).stdout, "done\n");
    assert.equal((await world.rpc("long", "listOperations")).operations[0].state, "succeeded");
    await session.close();
  });

  it("takes snapshots and makes workspaces, and is cancelled between steps", async () => {
    const session = await world.opened("later");
    await session.sh("head -c 30000000 /dev/urandom > noise");
    const taken = await ended(session, await started(session, "/snapshots", { name: "a" }));
    assert.equal(taken.state, "succeeded");
    assert.deepEqual(await session.get("a"), taken.result);

    const route = await started(session, "/workspaces", { from: "a", kind: "branch" });
    assert.deepEqual(await session.http("POST", `${route}/cancel`), { cancelRequested: true, state: "running" });
    const cancelled = await ended(session, route);
    assert.deepEqual([cancelled.state, cancelled.error?.code], ["cancelled", "ABORTED"]);
    assert.equal((await session.workspaces()).workspaces.length, 1);
    assert.deepEqual(await session.http("POST", `${route}/cancel`), { cancelRequested: false, state: "cancelled" });

    const failed = await ended(session, await started(session, "/workspaces", { from: "none", kind: "branch" }));
    assert.deepEqual([failed.state, failed.error?.code], ["failed", "NOT_FOUND"]);
    await fails("NOT_FOUND", look(session, "/operations/none"));
    await session.close();
  });

  it("is interrupted by a crash, and says what holds", async () => {
    const session = await world.opened("crashed");
    await session.sh("true");
    const route = await started(session, "/tools/workspace_run", { command: "sleep 60" }, { "idempotency-key": "k" });
    await world.worker.killWorkerd();
    const left = await ended(session, route);
    assert.deepEqual([left.state, left.error?.code, left.error?.outcome], ["interrupted", "INTERRUPTED", "unknown"]);
    await fails("INTERRUPTED", session.http("POST", "/tools/workspace_run", { command: "sleep 60" }, { "idempotency-key": "k" }));
    await session.close();
  });
});
