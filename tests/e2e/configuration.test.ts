/** A misconfigured Worker reports it, and is never open to everyone. */

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { fails, until, useWorld } from "./support.ts";

for (const [how, token] of [["without API_TOKEN", null], ["with an empty API_TOKEN", ""]] as const) {
  describe(how, () => {
    const world = useWorld({}, token);

    it("answers NOT_CONFIGURED to everyone", async () => {
      for (const presented of [null, "", "undefined", "null", "anything"]) {
        const session = world.session("x", presented);
        for (const call of [() => session.open(), () => session.describe(), () => session.list()]) {
          const { message, hint } = await fails("NOT_CONFIGURED", call());
          assert.match(message, /API_TOKEN/);
          assert.match(hint ?? "", /wrangler secret put/);
        }
      }
    });
  });
}

describe("with an image that does not exist", () => {
  const image = process.env["WORKSPACE_IMAGE"];
  before(() => {
    process.env["WORKSPACE_IMAGE"] = "snapshotter-no-such-image:0";
  });
  const world = useWorld();

  it("answers UNAVAILABLE, keeps the platform's words to the log, and works once there is one", async () => {
    process.env["WORKSPACE_IMAGE"] = image;
    const session = await world.opened("imageless");
    const { message, retryable } = await fails("UNAVAILABLE", session.run("true"));
    assert.ok(!message.includes("no-such-image"), message);
    assert.equal(retryable, true);
    assert.deepEqual((await session.list()).snapshots, []);
    assert.equal((await session.workspaces()).workspaces.length, 1);
    // workerd's message. Cloudflare's would say more.
    await until("the log", () => /"cause":"Container failed to start/.test(world.logText()));
    await world.worker.restart(); // With the right image.
    assert.equal(await session.sh("echo works"), "works\n");
  });
});
