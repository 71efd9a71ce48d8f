/** A Worker that is set up wrongly says so, and is never open. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fails, useWorld } from "./support.ts";

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
