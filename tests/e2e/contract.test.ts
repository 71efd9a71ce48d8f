/**
 * The real container passes the contract suite that its fake passes (tests/sandbox). The other ports' suite is in
 * panic.test.ts.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AGENT, useWorld } from "./support.ts";

const world = useWorld({ extraWorkers: [AGENT] });

describe("the container's contract", () => {
  it("is kept by ctx.container and R2", async () => {
    // In a test build, a Sandbox runs the contract suite on any HTTP request and returns the result.
    const answer = await world.agent<{ status: number; body: string }>("fetchSandbox", { name: "contract" });
    assert.deepEqual(answer, { status: 200, body: "null" });
    assert.deepEqual(await world.r2Keys(), []);
    assert.equal(await world.sandbox("contract", "isRunning"), false);
  });
});
