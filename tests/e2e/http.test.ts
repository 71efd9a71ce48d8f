/** HTTP's additions to the operations: the published description, headers, preconditions. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../../tools/local-worker.ts";
import { AGENT, fails, TOKEN, useWorld } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

const raw = (method: string, route: string, headers: Record<string, string> = {}, body?: object) =>
  fetch(`${world.worker.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

describe("the description", () => {
  it("is served to anyone, and is the one in docs/", async () => {
    const response = await fetch(`${world.worker.url}/openapi.json`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(await response.json(), JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")));
    const etag = response.headers.get("etag");
    assert.ok(etag, "it has an ETag");
    const again = await fetch(`${world.worker.url}/openapi.json`, { headers: { "if-none-match": etag } });
    assert.equal(again.status, 304);
    const wasm = fs.readFileSync(path.join(ROOT, ".local/build/test/index_bg.wasm"));
    assert.ok(!wasm.includes('"openapi":"3.1.1"'), "it is not in the WebAssembly");
  });

  it("begins at /, and /health says whether the Worker is configured", async () => {
    const about = await fetch(`${world.worker.url}/`);
    assert.equal(about.status, 200);
    const { name, version, links } = (await about.json()) as { name: string; version: string; links: Record<string, string> };
    assert.equal(name, "snapshotter");
    assert.match(version, /^\d+\.\d+\.\d+$/);
    for (const link of Object.values(links)) assert.equal((await fetch(world.worker.url + link)).status, 200, link);
    assert.deepEqual(await (await fetch(`${world.worker.url}/health`)).json(), { status: "ok" });
  });
});

describe("what there is", () => {
  it("is told alike over HTTP and RPC, null for what is not there", async () => {
    const session = await world.opened("alike");
    await session.sh("echo 1 > file");
    const { ref } = await session.snapshot();
    await session.branch(ref);
    for (const [method, route] of [
      ["describe", ""], ["list", "/snapshots"], ["lineage", "/lineage"], ["listWorkspaces", "/workspaces"], ["planRetention", "/retention"],
    ] as const) {
      const told = await world.rpc("alike", method);
      assert.deepEqual(told, await session.http("GET", route), method);
      if (method !== "describe") assert.match(JSON.stringify(told), /:null/, method);
    }
    await session.close();
  });
});

describe("headers", () => {
  it("say where what was created is, and which workspace is active", async () => {
    const session = await world.opened("headers");
    await session.sh("echo 1 > file");
    const taken = await raw("POST", "/v1/sessions/headers/snapshots", {}, { name: "one" });
    assert.equal(taken.status, 201);
    const found = await raw("GET", taken.headers.get("location")!);
    assert.deepEqual(await found.json(), await taken.json());

    const made = await raw("POST", "/v1/sessions/headers/workspaces", {}, { from: "one", kind: "branch" });
    const { ref } = (await made.json()) as { ref: { ref: { id: string } } };
    assert.deepEqual([made.status, made.headers.get("location")], [201, `/v1/sessions/headers/workspaces/${ref.ref.id}`]);

    const before = (await raw("GET", "/v1/sessions/headers/active-workspace")).headers.get("etag")!;
    const switched = await raw("PUT", "/v1/sessions/headers/active-workspace", { "if-match": before }, { ref });
    assert.deepEqual([switched.status, switched.headers.get("etag")], [200, `"${ref.ref.id}"`]);

    // A client repeats a switch whose answer it did not get.
    const again = await raw("PUT", "/v1/sessions/headers/active-workspace", { "if-match": before }, { ref });
    assert.deepEqual([again.status, again.headers.get("etag")], [200, `"${ref.ref.id}"`]);

    // Meant for the workspace that was active before: the call does nothing.
    for (const [method, route, body] of [
      ["POST", "/snapshots", {}],
      ["POST", "/tools/workspace_run", { command: "rm file" }],
    ] as const) {
      const { details } = await fails("PRECONDITION_FAILED", session.http(method, route, body, { "if-match": before }));
      assert.deepEqual(details, { active: ref });
    }
    await fails("PRECONDITION_FAILED", world.rpc("headers", "callTool", "workspace_run", { command: "rm file" }, { expectedActive: { ...ref, ref: { id: "headers" } } }));
    assert.equal(await session.sh("cat file"), "1\n");
    assert.equal((await session.list()).snapshots.length, 1);
    await session.http("POST", "/snapshots", {}, { "if-match": `"${ref.ref.id}"` });
    await session.close();
  });
});
