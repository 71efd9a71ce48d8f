/** What the console shows of hosts, secrets, buckets and starts, with real containers. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Response } from "miniflare";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";
import { Console } from "./console/pages.ts";
import { idOf, until, useWorld } from "./support.ts";

const VALUE = "Bearer zq-never-shown";
const world = useWorld({
  env: { DATA: { type: "r2", name: "DATA" } },
  vars: { BUCKET_BINDINGS: "DATA", MAX_CONCURRENT_STARTS: "1", MAX_POOL_CONTAINERS: "1" },
  outbound: async () => new Response("reached\n"),
});
const browser = useBrowser();

describe("what containers reach", () => {
  it("is shown with secrets' names, refused hosts and buckets, and without a value", async () => {
    const session = await world.opened("reach", {
      network: { mode: "allowlist", hosts: ["good.example.com", "*.below.example.com"] },
      secrets: { KEY: { hosts: ["good.example.com"], header: "Authorization", value: VALUE } },
      bucketMounts: [{ bucket: "DATA", mountPath: "/mnt/data", prefix: "/2024", readOnly: true }],
    });
    const view = await Console.at(browser, world, "#/sessions/reach/workspaces");
    const { page } = view;
    const reach = page.getByRole("region", { name: "What containers reach" });
    await reach.getByText("these hosts alone, over HTTP and HTTPS: ").waitFor();
    assert.equal(await reach.getByRole("group", { name: "Refused hosts" }).count(), 0);
    assert.deepEqual(world.worker.containers(), [], "to look starts nothing");
    await session.run("curl -sS http://good.example.com; for n in 1 2; do curl -sS http://evil.example.org; done; curl -sS http://other.example.org");
    // The page looks for news by itself.
    await reach.getByRole("row", { name: /^evil\.example\.org 2 times reach / }).waitFor();
    await reach.getByRole("row", { name: /^other\.example\.org 1 time reach / }).waitFor();
    const text = await reach.innerText();
    for (const host of ["good.example.com", "*.below.example.com"]) assert.ok(text.includes(host), host);
    assert.match(text, /KEY, as the header Authorization of requests to\s+good\.example\.com/);
    const { buckets } = await session.tool<{ buckets: { url: string; mount: string }[] }>("workspace_describe");
    assert.ok(text.includes(`DATA below /2024read-only, for S3 clients at ${buckets[0]!.url}; as the directory /mnt/data: ${buckets[0]!.mount}`), text);
    assert.ok(!(await page.content()).includes("never-shown"));
    await expectNoViolations(page);
    await expectFitsPhone(page);

    await session.close();
    await view.goTo("#/sessions/reach/workspaces");
    await reach.getByText(/^DATA below \/2024read-only; as the directory \/mnt\/data$/).waitFor();
    for (const [id, config, told] of [["reach-open", {}, "the Internet"], ["reach-off", { enableInternet: false }, "nothing outside"]] as const) {
      await world.opened(id, config);
      await view.goTo(`#/sessions/${id}/workspaces`);
      await reach.getByText(told, { exact: true }).waitFor();
    }
  });
});

describe("the operator", () => {
  it("sees who waits for a start", async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, (_, nth) => world.opened(`waits-${nth}`, { autosave: false })));
    const view = await Console.at(browser, world, "#/sessions");
    const { page } = view;
    const running = page.getByRole("region", { name: "Running now" });
    const done = Promise.all(sessions.map((session) => session.sh("true")));
    done.catch(() => {});
    const waiting = running.getByText(/^waits to start, place \d$/);
    await until("somebody is seen waiting", async () => {
      await view.button("Look again").click();
      await view.button("Look again").and(page.locator(":enabled")).waitFor();
      return (await waiting.count()) > 0;
    });
    assert.match(await running.innerText(), /[01] of at most 1 container starting\s*[1-7] waiting to start/);
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await done;
    await view.button("Look again").click();
    await running.getByText("0 waiting to start").waitFor();
    assert.equal(await waiting.count(), 0);
  });

  it("sees warm pools, and destroys one", async () => {
    const owner = await world.opened("pool-owner", { autosave: false });
    await owner.sh("echo template > file");
    const template = idOf(await owner.snapshot({ name: "template" }));
    await owner.http("PATCH", "/snapshots/template", { published: true });
    const view = await Console.at(browser, world, "#/sessions");
    const { page } = view;
    const pools = page.getByRole("region", { name: "Warm pools" });
    await pools.getByText("No session was opened with a pool lately. All pools together may keep 1 container.").waitFor();
    await world.opened("pool-user", { autosave: false, pool: { from: template, size: 2 } });
    await until("the pool is full", async () => (await world.operator<{ pools: { ready: number }[] }>("GET", "/v1/pools")).pools[0]!.ready === 1);
    await view.goTo("#/prune");
    await view.goTo("#/sessions");
    await pools.getByText("1 of 1 (2 wanted)").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await view.act("Destroy…", "Destroy");
    await view.told(/The pool is gone, with 1 container\./);
    await pools.getByText("No session was opened with a pool lately.").waitFor();
    assert.deepEqual((await world.operator<{ pools: object[] }>("GET", "/v1/pools")).pools, []);
  });
});
