/** The console, in a browser, against the Worker and real containers. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";
import { TOKEN, useWorld } from "./support.ts";

const TOKEN_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const world = useWorld({ vars: { TOKEN_KEYS } });
const browser = useBrowser();

const get = (route: string, headers: Record<string, string> = {}, method = "GET") => fetch(`${world.worker.url}${route}`, { method, headers, redirect: "manual" });

describe("the page", () => {
  it("comes with its policy, and its files may be kept for ever", async () => {
    const page = await get("/console");
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type")!, /^text\/html/);
    assert.equal(page.headers.get("cache-control"), "no-cache");
    const html = await page.text();
    assert.equal(await (await get("/console/")).text(), html);
    const known = await get("/console", { "if-none-match": page.headers.get("etag")! });
    assert.deepEqual([known.status, known.headers.get("cache-control")], [304, "no-cache"]);

    const files = [...html.matchAll(/"(\/console\/[^"]+)"/g)].map(([, file]) => file!);
    assert.equal(files.length, 3, html);
    for (const file of files) {
      const response = await get(file);
      assert.equal(response.status, 200, file);
      assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.match(response.headers.get("content-type")!, file.endsWith(".js") ? /javascript/ : /css|svg/);
      await response.body?.cancel();
      for (const [name, value] of [["x-content-type-options", "nosniff"], ["referrer-policy", "no-referrer"], ["cross-origin-opener-policy", "same-origin"], ["cross-origin-resource-policy", "same-origin"]]) {
        assert.deepEqual([response.headers.get(name!), page.headers.get(name!)], [value, value], `${name} of ${file}`);
      }
      assert.equal(response.headers.get("content-security-policy"), page.headers.get("content-security-policy"));
    }
    assert.doesNotMatch(page.headers.get("content-security-policy")!, /unsafe|\*|http/);
  });

  it("has no other files", async () => {
    for (const path of ["/console/none.js", "/console/a/b", "/console/..%2fopenapi.json", "/console/%2e%2e%2fopenapi.json", "/console/%00"]) {
      const response = await get(path);
      const { error } = (await response.json()) as { error: { code: string } };
      assert.deepEqual([response.status, error.code], [404, "NOT_FOUND"], path);
    }
    assert.equal((await get("/console/../v1/sessions")).status, 401, "that is the API");
    const posted = await get("/console", {}, "POST");
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
  });

  it("may call its own origin, and no other page may", async () => {
    const { origin, port } = new URL(world.worker.url);
    const call = (from: string, token = TOKEN) => get("/v1/sessions", { origin: from, authorization: `Bearer ${token}` });
    const own = await call(origin);
    assert.deepEqual([own.status, own.headers.get("access-control-allow-origin")], [200, null]);
    assert.equal((await call(origin, "")).status, 401, "an origin is no token");
    for (const other of ["null", `http://localhost:${port}`, `https://127.0.0.1:${port}`, "http://127.0.0.1", `${origin}/`, `${origin}.evil.example`]) {
      assert.equal((await call(other)).status, 403, other);
    }
  });

  it("runs no script but its own", async () => {
    const page = await browser.open(`${world.worker.url}/console`);
    const ran = await page.evaluate<unknown[]>(`(async () => {
      const script = document.createElement("script");
      try { script.textContent = "window.ran = 1"; } catch {}
      document.body.append(script);
      let parsed = true;
      try { document.body.insertAdjacentHTML("beforeend", "<b>parsed</b>"); } catch { parsed = false; }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [window.ran ?? null, parsed];
    })()`);
    assert.deepEqual(ran, [null, false]);
    assert.match(browser.takeProblems(page).join("\n"), /Content Security Policy|TrustedScript/);
  });
});

describe("signing in", () => {
  const signIn = async (token: string, options = {}) => {
    const page = await browser.open(`${world.worker.url}/console`, options);
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    return page;
  };

  it("takes no wrong token", async () => {
    const page = await browser.open(`${world.worker.url}/console`);
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await page.getByLabel("Token", { exact: true }).fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("wrong, expired or revoked").waitFor();
    await expectNoViolations(page);
  });

  it("keeps the token in the tab at most, and a revoked one leads back", async () => {
    const session = await world.opened("signing");
    const { token, id } = await session.http<{ token: string; id: string }>("POST", "/tokens", { scopes: ["read"], ttlSeconds: 600 });
    const page = await signIn(token);
    await page.getByRole("heading", { name: "signing" }).waitFor();
    assert.deepEqual(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.search]"), [0, 0, "", ""]);
    await session.http("DELETE", `/tokens/${id}`);
    await page.evaluate(`location.hash = "#/sessions/signing/lineage"`);
    await page.reload();
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("wrong, expired or revoked").waitFor();

    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await page.getByLabel("Stay signed in").check();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "signing" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "signing" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  });
});
