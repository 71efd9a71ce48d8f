/** The console, in a browser, against the Worker and real containers. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectFitsPhone, expectNoViolations, PHONE, useBrowser } from "./browser.ts";
import { Console } from "./console/pages.ts";
import type { LineageNode, ListedSnapshot } from "../../clients/typescript/src/index.ts";
import { headOf, linesOf, placesOf, type Line } from "../../console/session/lineage.ts";
import { storedOverTime } from "../../console/session/storage.ts";
import { TOKEN, until, useWorld } from "./support.ts";

const TOKEN_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const world = useWorld({ vars: { TOKEN_KEYS } });
const browser = useBrowser();

/** Markup, a character that turns text around, and one that takes no room. */
const HOSTILE = "<i>\u202egnp\u200b</i>";

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
    await browser.hasProblem(page, /Content Security Policy|TrustedScript/);
    browser.takeProblems(page);
  });
});

describe("signing in", () => {
  it("is where a browser gets to from the front door", async () => {
    const page = await browser.open(`${world.worker.url}/`);
    await page.getByLabel("Token", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/console");
    assert.equal((await get("/", { accept: "*/*" })).status, 200);
  });

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
    const page = await browser.open(`${world.worker.url}/console`);
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByLabel("Stay signed in").uncheck();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "signing" }).waitFor();
    assert.deepEqual(await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.search]"), [0, 0, "", ""]);
    await session.http("DELETE", `/tokens/${id}`);
    // The page looks for news by itself.
    await page.getByRole("alert").getByText("wrong, expired or revoked").waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);

    await page.evaluate(`location.hash = "#/sessions/signing/timeline"`);
    await page.getByLabel("Token", { exact: true }).fill(TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "signing" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "signing" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  });

  it("follows a link with a token, which leaves the address at once", async () => {
    const page = await browser.open(`${world.worker.url}/console#token=${TOKEN}`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    assert.doesNotMatch(await page.evaluate("location.href"), /token/);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    // In a tab that has the console, only the address changes.
    await page.getByLabel("Token", { exact: true }).waitFor();
    await page.evaluate(`location.hash = "#token=${TOKEN}"`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    assert.doesNotMatch(await page.evaluate("location.href"), /token/);
    await page.goto(`${world.worker.url}/console?other#token=wrong`);
    await page.getByRole("alert").getByText("wrong, expired or revoked").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  });
});

/** A session with turns, snapshots, a rewind and a branch. */
async function lived(id: string) {
  const session = await world.opened(id);
  await session.sh("mkdir src; echo one > src/app.py");
  await session.http("POST", "/turns", { cursor: { message: 2 }, label: "read the code" });
  await session.snapshot({ name: "works", labels: { tests: "pass" }, description: "Before the refactoring." });
  await session.http("PATCH", "/snapshots/works", { pinned: true });
  await session.sh("echo two > src/app.py; echo x > new");
  await session.http("POST", "/turns", { cursor: { message: 4 }, label: HOSTILE });
  await session.branch("works");
  await session.http("POST", "/rewind", { ref: "works" });
  await session.sh("echo three > src/app.py");
  await session.snapshot({ name: `<img src=x onerror="document.title='run'">`, labels: { mark: "<b>\u2067" }, ttlSeconds: 7_200 });
  return session;
}

describe("looking", () => {
  it("shows how much more a turn changed, and that there are more views", async () => {
    const session = await world.opened("many");
    await session.sh("for n in $(seq 25); do echo $n > file-$n; done");
    await session.http("POST", "/turns", { label: "many files" });
    const view = await Console.at(browser, world, "#/sessions/many/timeline");
    await view.page.getByRole("link", { name: "and 15 more" }).click();
    await view.page.getByRole("heading", { name: "file-25" }).waitFor();
    assert.equal(await view.page.locator(".change").count(), 25);
    await view.page.setViewportSize(PHONE);
    const views = view.page.getByRole("navigation", { name: "Views" });
    const more = async () => (await views.getAttribute("data-more"))!.split(" ");
    await until("there are more views after these", async () => (await more()).includes("after"));
    await view.follow("Events");
    await until("there are more before these", async () => (await more()).includes("before"));
    await expectNoViolations(view.page);
    await session.close();
  });

  it("shows what happened, where it came from, and why it is kept", async () => {
    const session = await lived("looking");
    const view = await Console.at(browser, world, "#/sessions/looking/timeline");
    const { page } = view;
    const past = page.getByRole("region", { name: /20\d\d$/ });
    for (const text of ["Turn 1", "Turn 2", "works", "Before the refactoring.", "tests=pass", "The session was opened"]) await past.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
    await past.getByText(/^Rewound to works; the files before are in Turn 2/).waitFor();
    await past.getByText(/^Branched looking-branch-\w+ from works/).waitFor();
    const entry = past.getByRole("listitem").filter({ hasText: "Before the refactoring." });
    assert.match(await entry.innerText(), /KB\s+pinned\s+kept: a workspace wakes from it/);
    // Its name is also among the folded details of what came after it.
    const hostile = past.getByRole("listitem").filter({ has: page.getByText("onerror").filter({ visible: true }) }).first();
    assert.match(await hostile.innerText(), /expires in 1 hour/);
    assert.match(await past.getByRole("listitem").filter({ hasText: "read the code" }).innerText(), /\+2 added/);
    // What a turn changed leads to its lines, and from there to what was changed since.
    const second = past.getByRole("listitem").filter({ hasText: "~1 modified" }).first();
    await second.getByRole("link", { name: "src/app.py" }).click();
    await page.getByRole("cell", { name: "+two" }).waitFor();
    assert.match(await page.evaluate("document.activeElement.textContent"), /^src\/app\.py/);
    assert.equal(await page.getByRole("heading", { level: 2 }).count(), 2, "new, and src/app.py");
    await page.getByRole("link", { name: "Since then → now" }).click();
    await page.getByRole("cell", { name: "+three" }).waitFor();
    await expectNoViolations(page);
    await page.getByRole("link", { name: "What it changed" }).click();
    await page.getByRole("cell", { name: "-one" }).waitFor();
    await view.follow("Timeline");
    await view.unfold("Turn 2");
    await past.getByRole("link", { name: "Differences of Turn 2" }).click();
    await page.getByRole("cell", { name: "+two" }).waitFor();
    await view.follow("Timeline");

    // Text of others is text, and what can't be seen is shown.
    await past.getByText(`<img src=x onerror="document.title='run'">`).filter({ visible: true }).first().waitFor();
    assert.match(await past.getByRole("listitem").filter({ hasText: "~1 modified" }).first().innerText(), /<i>U\+202EgnpU\+200B<\/i>/);
    assert.equal(await page.locator("img, i").count(), 0);
    assert.match(await page.title(), /^Timeline, looking/);
    await expectNoViolations(page);
    await expectFitsPhone(page);

    await view.follow("Lineage");
    const here = page.locator("[aria-current=location]");
    assert.match(await here.innerText(), /First workspace\s*running\s*you are here/);
    const branch = page.getByRole("list", { name: "Branches from here" });
    await branch.first().waitFor();
    await page.getByText(/^looking-branch-\w+$/).first().waitFor();
    // What nothing came from is there, too, and each branch is where it left.
    const works = page.locator(".node.snapshot").filter({ hasText: "works" }).first();
    assert.match(await works.locator(".branches").innerText(), /Turn 2[^]*looking-branch-/);
    assert.equal(await page.locator(".node.workspace").first().locator(":scope > .branches").count(), 0);
    assert.equal(await page.getByRole("listitem").filter({ hasText: "works" }).first().isVisible(), true);
    await expectNoViolations(page);
    await expectFitsPhone(page);

    // What happens elsewhere appears by itself.
    await view.follow("Timeline");
    await session.http("PATCH", "/snapshots/works", { name: "from elsewhere" });
    await past.getByText("from elsewhere").filter({ visible: true }).first().waitFor();
    await session.close();
  });

  it("shows a long past some at a time", async () => {
    const session = await world.opened("long");
    await session.sh("echo 1 > file");
    await session.snapshot({ name: "first" });
    const made = await session.branch("first");
    const origin = await session.active();
    for (let at = 0; at < 25; at++) {
      await session.switch(made);
      await session.switch(origin);
    }
    const view = await Console.at(browser, world, "#/sessions/long/timeline");
    const entries = view.page.locator(".entry");
    await view.button("Show earlier").waitFor();
    assert.equal(await entries.count(), 40);
    await view.button("Show earlier").click();
    await view.page.getByText("The session was opened").waitFor();
    assert.equal(await entries.count(), 53, "50 switches, a branch, a snapshot, the beginning");
    assert.equal(await view.button("Show earlier").count(), 0);
    await session.close();
  });

  it("offers only what the token allows", async () => {
    const session = await world.opened("scoped");
    await session.sh("echo 1 > file");
    await session.snapshot({ name: "one" });
    const tokenFor = async (...scopes: string[]) => (await session.http<{ token: string }>("POST", "/tokens", { scopes, ttlSeconds: 600 })).token;
    const buttonsOf = async (...scopes: string[]) => {
      const token = await tokenFor(...scopes);
      const view = await Console.at(browser, world, "#/sessions/scoped/timeline", token);
      if (scopes.includes("read")) await view.unfold("one");
      const names = await view.page.locator("main button").allInnerTexts();
      return { view, names };
    };
    const reader = await buttonsOf("read");
    assert.deepEqual(reader.names, ["Download…"]);
    // A session token leads nowhere else.
    await reader.view.goTo("#/sessions/other/timeline");
    await reader.view.page.getByRole("heading", { name: "scoped" }).waitFor();
    await reader.view.goTo("#/prune");
    await reader.view.page.getByRole("heading", { name: "scoped" }).waitFor();
    assert.equal(await reader.view.page.getByRole("button", { name: "Dry run" }).count(), 0);
    assert.deepEqual((await buttonsOf("read", "snapshot")).names, ["Take a snapshot…", "Fork…", "Import…", "Rewind…", "Restore…", "Branch…", "Promote…", "Download…", "Name and labels…", "Pin or unpin…", "Delete…"]);
    assert.deepEqual((await buttonsOf("read", "write")).names, ["Pause…", "Download…"]);
    const closer = await buttonsOf("admin");
    await closer.view.page.getByText("it needs the scope read").waitFor();
    // A closed session takes back what needs a workspace.
    const token = await tokenFor("read", "snapshot");
    await session.close();
    const closed = await Console.at(browser, world, "#/sessions/scoped/timeline", token);
    await closed.page.getByRole("heading", { name: "scoped closed" }).waitFor();
    await closed.unfold("one");
    assert.deepEqual(await closed.page.locator("main button").allInnerTexts(), ["Name and labels…", "Pin or unpin…", "Delete…"]);
    await expectNoViolations(closed.page);
  });

  it("loads a part of the page again that was interrupted", async () => {
    await world.opened("interrupted");
    const view = await Console.open(browser, world);
    let times = 0;
    await view.page.route(/\/(timeline|sessions)-\w+\.js$/, (route) => (times++ === 0 ? route.abort("connectionreset") : route.continue()));
    await view.signIn(TOKEN);
    await view.page.getByRole("heading", { name: "Running now" }).waitFor();
    assert.ok(times >= 2);
    await browser.hasProblem(view.page, /ERR_CONNECTION_RESET/);
    browser.takeProblems(view.page);
  });

  it("works with the keyboard alone", async () => {
    const session = await world.opened("keys");
    await session.sh("echo 1 > file");
    const view = await Console.at(browser, world, "#/sessions/keys/timeline");
    const { page } = view;
    const focused = () => page.evaluate<string>("document.activeElement.innerText || document.activeElement.name || document.activeElement.tagName");
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await page.getByLabel("Token", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type(TOKEN);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "keys" }).waitFor();
    await view.settled();
    await page.evaluate("document.getElementById('main').focus()");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Take a snapshot…");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    assert.equal(await focused(), "name");
    // The focus stays within the dialog, and comes back.
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate("document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)"), true);
    }
    await page.keyboard.press("Escape");
    assert.equal(await focused(), "Take a snapshot…");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await view.told(/^Saved as by keys/);
    assert.equal(await focused(), "Take a snapshot…");
    await session.close();
  });
});

describe("the operator", () => {
  it("sees what is stored and runs, and prunes after a dry run", async () => {
    const session = await world.opened("pruned");
    for (const number of [1, 2, 3]) {
      await session.sh(`seq ${number}0000 > file`);
      await session.snapshot({ name: `number ${number}` });
    }
    await until("the session is listed", async () => {
      const { sessions } = await world.operator<{ sessions: { session: string; snapshots: { count: number } }[] }>("GET", "/v1/usage");
      return sessions.some(({ session, snapshots }) => session === "pruned" && snapshots.count === 3);
    });
    const view = await Console.at(browser, world, "#/sessions");
    const { page } = view;
    const row = page.getByRole("region", { name: "Sessions" }).getByRole("row", { name: /^pruned/ });
    assert.match(await row.innerText(), /^pruned\s+\d+(\.\d)? KB\s+3\s+0\s+0\s+1\s/);
    await page.getByRole("region", { name: "Running now" }).getByRole("row", { name: /pruned.*First workspace/ }).waitFor();
    await page.getByRole("region", { name: "Stored over time" }).getByRole("listitem").filter({ hasText: "pruned" }).getByRole("img", { name: /^Between 0 B and .* KB since/ }).waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);

    await view.follow("Prune");
    await page.getByLabel("Number").fill("0");
    await page.getByLabel("Always keep").selectOption("0");
    await page.getByLabel("Only of this session").fill("pruned");
    await view.button("Dry run").click();
    await page.getByRole("status").getByText(/^Would delete 2 backups, .* Staying: 1 needed to wake a workspace/).waitFor();
    assert.equal(await page.getByRole("group", { name: "Would be deleted" }).getByRole("row").count(), 3);
    assert.equal((await session.list()).snapshots.length, 3, "nothing was deleted");
    await expectNoViolations(page);
    await expectFitsPhone(page);

    // Another rule has to be tried first, too.
    await page.getByLabel("Number").fill("1");
    assert.equal(await view.button(/^Delete 2 backups/).count(), 0);
    await page.getByLabel("Number").fill("0");
    await view.button("Dry run").click();
    await view.act(/^Delete 2 backups/, "Delete them", async (dialog) => {
      await dialog.getByText(/2 backups, .* of 1 session .*can't be undone/).waitFor();
      assert.equal(await dialog.getByRole("row").count(), 3);
    });
    await view.told(/^2 backups deleted/);
    assert.deepEqual((await session.list()).snapshots.map(({ name }) => name), ["number 3"]);
    await session.close();
  });
});

describe("the lineage", () => {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;
  const snapshot = (id: string, minute: number, parentId: string | null, workspace = "a", trigger = "turn") =>
    ({ id, createdAt: at(minute), parentId, trigger, state: "ready", name: null, ref: { ref: { originSandboxId: workspace } } }) as unknown as ListedSnapshot;
  const workspace = (id: string, minute: number, parent: string | null, current = false) => ({ type: "workspace", id, parent, createdAt: at(minute), current, depth: 0 }) as unknown as LineageNode;
  const shape = (line: Line): unknown[] => line.places.map(({ node, branches }) => (branches.length > 0 ? [node.id, ...branches.map(shape)] : node.id));

  it("has every turn in its row, and what left a row where it left", () => {
    const listed = [
      snapshot("t1", 1, null), snapshot("auto", 2, "t1", "a", "auto"), snapshot("t2", 3, "auto"), snapshot("t3", 4, "t2"),
      // After a rewind to the second turn.
      snapshot("t4", 6, "t2"), snapshot("b1", 7, "t1", "b"),
    ];
    const places = placesOf([workspace("a", 0, null, true), workspace("b", 5, "t1")], listed);
    assert.deepEqual(linesOf(places, headOf("t4", places, listed)).map(shape), [["a", ["t1", ["b", "b1"]], ["t2", ["t3"]], "t4"]]);
    // An automatic save stands for the turn before it.
    assert.equal(headOf("auto", places, listed), "t1");
  });
});

describe("how much was stored", () => {
  const at = (day: number) => `2026-01-0${day}T00:00:00Z`;
  const event = (day: number, kind: string, payload: object) => ({ seq: day, at: at(day), kind, payload });

  it("is told from the events, back from the present", () => {
    const events = [
      event(6, "snapshot.pruned", { backupId: "b", sizeBytes: 30 }),
      event(5, "snapshot.deleted", { backupId: "a" }),
      event(4, "workspace.slept", {}),
      event(3, "snapshot.flattened", { backupId: "c", sizeBytes: 50 }),
      event(2, "snapshot.created", { backupId: "c", sizeBytes: 20 }),
      event(1, "snapshot.created", { backupId: "b", sizeBytes: 30 }),
    ];
    const made = event(0, "snapshot.created", { backupId: "a", sizeBytes: 10 });
    const now = Date.parse(at(7));
    const whole = storedOverTime(50, now, [...events, { ...made, at: "2025-12-31T00:00:00Z" }], true);
    assert.equal(whole.complete, true);
    assert.deepEqual(whole.points.map(({ bytes }) => bytes), [0, 10, 40, 60, 90, 80, 50, 50]);
    // Without the first event nobody knows how large what was deleted was.
    const part = storedOverTime(50, now, events, true);
    assert.equal(part.complete, false);
    assert.deepEqual(part.points.map(({ bytes }) => bytes), [80, 50, 50]);
  });
});
