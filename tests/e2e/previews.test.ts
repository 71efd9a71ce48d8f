/** Previews: servers in real containers, reached by path and by a host of their own, from programs and from a browser. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import * as path from "node:path";
import { text } from "node:stream/consumers";
import { before, describe, it } from "node:test";
import { WebSocket } from "ws";
import { useBrowser } from "./browser.ts";
import { freePort, originOf as originBelow } from "./preview.ts";
import { fails, TOKEN, until, useWorld, type Session } from "./support.ts";
import { ROOT } from "../../tools/local-worker.ts";

const TOKEN_KEYS = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const PORT = await freePort(12_000);
const PREVIEW_HOST = `preview.localhost:${PORT}`;

const world = useWorld({ port: PORT, vars: { TOKEN_KEYS, PREVIEW_HOST } });
const browser = useBrowser();

type Shared = { id: string; url: string; port: number; workspace: { ref: { id: string } }; expiresAt: string };
type Answer = { status: number; headers: http.IncomingHttpHeaders; text: string };
type Init = { method?: string; headers?: Record<string, string>; body?: string };

/** A request to a host that this machine's resolver may not know. */
async function visit(url: string, { method = "GET", headers = {}, body }: Init = {}): Promise<Answer> {
  const { host, pathname, search } = new URL(url);
  const request = http.request({ host: "127.0.0.1", port: PORT, method, path: `${pathname}${search}`, headers: { host, ...headers } });
  request.end(body);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}

/** The host that exchanges links. */
const LINKS = `http://open.${PREVIEW_HOST}`;
const originOf = (url: string) => originBelow(url, PREVIEW_HOST);

/** The address with a code that a link is exchanged for. */
async function exchanged(url: string): Promise<string> {
  const { hash } = new URL(url);
  const answer = await visit(url.replace(hash, ""), { method: "POST", body: hash.slice(1) });
  assert.equal(answer.status, 200, answer.text);
  assert.ok(!("set-cookie" in answer.headers));
  return (JSON.parse(answer.text) as { url: string }).url;
}

/** What a browser has after it opened a link: the preview's origin and its cookie. */
async function opened(url: string, sent = "SameSite=Lax"): Promise<{ origin: string; cookie: string }> {
  const address = await exchanged(url);
  const { origin } = new URL(address);
  assert.equal(origin, originOf(url));
  const answer = await visit(address);
  assert.deepEqual([answer.status, answer.headers["location"], answer.headers["cache-control"], answer.headers["referrer-policy"]], [303, "/", "no-store", "no-referrer"], answer.text);
  const [set] = answer.headers["set-cookie"]!;
  assert.ok(set!.endsWith(`; Secure; HttpOnly; ${sent}`), set);
  return { origin, cookie: set!.split(";")[0]! };
}

/** The first message or the refusal of a WebSocket. */
async function socket(url: string, headers: Record<string, string>, protocols: string[] = []) {
  const { host, pathname } = new URL(url);
  const connection = new WebSocket(`ws://127.0.0.1:${PORT}${pathname}`, protocols, { headers: { host, ...headers } });
  const [said] = await Promise.race([
    once(connection, "message").then(([data]) => [String(data)]),
    once(connection, "unexpected-response").then(([, response]) => [(response as http.IncomingMessage).statusCode]),
  ]);
  return { connection, said };
}

/** Packages of this checkout, with what they need, as a tar archive of node_modules. */
function packages(...names: string[]): Buffer {
  const found = new Set<string>();
  const add = (name: string): void => {
    const directory = path.join("node_modules", name);
    // One for another system is not installed.
    if (found.has(directory) || !fs.existsSync(path.join(ROOT, directory))) return;
    found.add(directory);
    const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, directory, "package.json"), "utf8"));
    Object.keys({ ...dependencies, ...optionalDependencies }).forEach(add);
  };
  names.forEach(add);
  return execFileSync("tar", ["--create", "--file=-", ...found], { cwd: ROOT, maxBuffer: 1 << 30 });
}

/** Tells what it was asked. `/slow` answers in two parts; a WebSocket tells its headers and repeats messages. */
const SERVER = `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { WebSocketServer } from "ws";
/** A service worker that tells what it saw, and the page that registers it. */
const WORKER = \`
const seen = [];
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.url.endsWith("/seen")) return event.respondWith(new Response(JSON.stringify(seen)));
  seen.push(event.request.url + " from " + event.request.referrer);
});\`;
const SPY = '<!doctype html><title>spy</title><script>navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() => { document.title = "spies"; });</script>';
const server = createServer(async (request, response) => {
  const { method, url, headers } = request;
  if (url === "/slow") {
    response.write("one");
    return setTimeout(() => response.end("two"), 3000);
  }
  if (url === "/spy") return response.writeHead(200, { "content-type": "text/html" }).end(SPY);
  if (url === "/sw.js") return response.writeHead(200, { "content-type": "text/javascript" }).end(WORKER);
  if (url === "/clear") return response.writeHead(200, { "clear-site-data": '"cookies"', "cache-control": "public, max-age=9" }).end("cleared");
  if (url === "/form") return response.writeHead(200, { "content-type": "text/html", "referrer-policy": "no-referrer" }).end('<form method="post" action="/said"><button>Say</button></form>');
  if (url === "/away") return response.writeHead(302, { location: "http://localhost:8000/there?x" }).end();
  if (url === "/page") return response.writeHead(200, { "content-type": "text/html" }).end(readFileSync("page.html"));
  let body = "";
  for await (const chunk of request) body += chunk;
  response.setHeader("set-cookie", ["sid=1; Path=/", "wide=1; Domain=localhost"]);
  response.setHeader("x-snapshotter-port", "mine");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, url, headers, body, mark: readFileSync("mark", "utf8") }));
});
const sockets = new WebSocketServer({ server, handleProtocols: (offered) => offered.has("app") && "app" });
sockets.on("connection", (socket, request) => {
  socket.send(JSON.stringify(request.headers));
  socket.on("message", (data, isBinary) => (String(data) === "bye" ? socket.close(4001, "as asked") : socket.send(data, { binary: isBinary })));
});
server.listen(8000, "0.0.0.0");
`;

const SERVICES = [{ name: "web", command: "while [ ! -f server.mjs ]; do sleep 0.2; done; exec node server.mjs" }];
const bearer = { authorization: `Bearer ${TOKEN}` };

describe("a preview", () => {
  let session: Session;
  let route: string;
  /** A request that waits for a server that does not come. */
  let silent: Promise<Answer>;
  const share = (body: object) => session.http<Shared>("POST", "/previews", body);
  const asked = ({ text }: Answer) => JSON.parse(text) as { method: string; url: string; headers: Record<string, string>; body: string; mark: string };

  before(async () => {
    session = await world.opened("previews", { previewPorts: [8000, 5173], services: SERVICES });
    route = `${world.worker.url}/v1/sessions/previews/ports/8000`;
    await session.http("PUT", "/archive", packages("ws", "vite"), { "content-type": "application/x-tar" });
    await session.tool("workspace_write_file", { path: "mark", content: "origin" });
    await session.tool("workspace_write_file", { path: "server.mjs", content: SERVER });
    silent = visit(route.replace("8000", "5173"), { headers: bearer });
  });

  describe("by path", () => {
    it("reaches a server, and no token or cookie of ours does", async () => {
      const answer = await visit(`${route}/a%20b//c?x=1&y=%2F`, { method: "PATCH", body: "sent", headers: { ...bearer, cookie: "a=b", "x-app": "1", "x-snapshotter-port": "{}" } });
      assert.equal(answer.status, 200, answer.text);
      const { headers, ...request } = asked(answer);
      assert.deepEqual(request, { method: "PATCH", url: "/a%20b//c?x=1&y=%2F", body: "sent", mark: "origin" });
      assert.equal(headers["host"], "localhost:8000");
      assert.equal(headers["x-app"], "1");
      assert.equal(headers["x-forwarded-prefix"], "/v1/sessions/previews/ports/8000");
      assert.equal(headers["x-preview-origin"], world.worker.url);
      assert.ok(!("x-forwarded-host" in headers));
      assert.ok(!answer.text.includes(TOKEN));
      for (const name of ["authorization", "cookie", "x-snapshotter-port"]) assert.ok(!(name in headers), name);
      assert.match(String(answer.headers["content-security-policy"]), /^sandbox (?!.*allow-same-origin)/);
      for (const name of ["set-cookie", "x-snapshotter-port"]) assert.ok(!(name in answer.headers), name);
      assert.equal((await visit(`${route}/away`, { headers: bearer })).headers["location"], "/v1/sessions/previews/ports/8000/there?x");
    });

    it("streams", async () => {
      const request = http.get(`${route}/slow`, { headers: bearer });
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      const beganAt = Date.now();
      assert.equal(String((await once(response, "data"))[0]), "one");
      assert.equal(await text(response), "two");
      assert.ok(Date.now() - beganAt > 1_000, "the first part came with the last");
    });

    it("is a WebSocket, too, with a ticket as a subprotocol", async () => {
      const ticket = async (path = "/ports/8000/ws") => (await session.http<{ ticket: string }>("POST", "/tickets", { path })).ticket;
      const protocols = async (path?: string) => ["snapshotter", `ticket.${await ticket(path)}`];
      const ticketed = await protocols();
      const { connection, said } = await socket(`${route}/ws?x`, {}, ticketed);
      assert.equal(connection.protocol, "snapshotter");
      assert.ok(!String(said).includes("stk1") && !("sec-websocket-protocol" in JSON.parse(String(said))));
      assert.equal((await socket(`${route}/ws`, {}, ticketed)).said, 401, "twice");
      for (const other of ["/ports/8000/other", "/ports/5173/ws", "/terminal", "/workspaces/previews/ports/8000/ws"]) {
        assert.equal((await socket(`${route}/ws`, {}, await protocols(other))).said, 401, other);
      }
      assert.equal((await socket(`${route}/ws`, {}, ["snapshotter", `bearer.${Buffer.from(TOKEN).toString("base64url")}`])).said, 401, "a token in its place");
      // Without a WebSocket it is no ticket.
      assert.equal((await visit(`${route}/ws`, { headers: { "sec-websocket-protocol": (await protocols()).join(", ") } })).status, 401);
      connection.send(Buffer.from([0, 255, 128]));
      const [data, isBinary] = await once(connection, "message");
      assert.deepEqual([[...data], isBinary], [[0, 255, 128], true]);
      connection.send("bye");
      const [code, reason] = await once(connection, "close");
      assert.deepEqual([code, String(reason)], [4001, "as asked"]);
      const app = await socket(`${route}/ws`, {}, [...(await protocols()), "app"]);
      assert.equal(app.connection.protocol, "app");
      app.connection.close();
      assert.equal((await socket(`${route}/ws`, {})).said, 401);
    });

    it("is refused without the scope, for other ports, and where nothing listens", async () => {
      const { token } = await session.http<{ token: string }>("POST", "/tokens", { scopes: ["read"] });
      const code = async (url: string, headers: Record<string, string> = bearer) => JSON.parse((await visit(url, { headers })).text).error.code;
      assert.equal(await code(`${route}/`, { authorization: `Bearer ${token}` }), "FORBIDDEN");
      assert.equal(await code(`${route}/`, { ...bearer, origin: "https://evil.example" }), "FORBIDDEN");
      assert.equal(await code(route.replace("8000", "22")), "FORBIDDEN");
      assert.equal(await code(`${route}/sw.js`, { ...bearer, "service-worker": "script" }), "FORBIDDEN");
      assert.equal(await code(route.replace("8000", "no")), "INVALID_ARGUMENT");
      const answer = await silent;
      assert.equal(answer.status, 409);
      assert.match(answer.text, /no server listens on port 5173/);
      await world.opened("closed-ports");
      await fails("FORBIDDEN", world.session("closed-ports").http("POST", "/previews", { port: 8000 }));
    });
  });

  describe("by host", () => {
    it("is opened by its link, and by nothing else", async () => {
      const shared = await share({ port: 8000 });
      assert.match(shared.url, new RegExp(`^http://open\\.preview\\.localhost:${PORT}/8000--${shared.id}#spv1\\.`));
      const { origin, cookie } = await opened(shared.url);
      const answer = await visit(`${origin}/x?y`, { headers: { cookie: `theirs=1; ${cookie}`, authorization: "Bearer theirs", origin } });
      const { headers, url, mark } = asked(answer);
      assert.deepEqual([url, mark, headers["cookie"], headers["authorization"]], ["/x?y", "origin", "theirs=1", "Bearer theirs"]);
      // All of them name one host, or Next.js, Django or Rails refuse a form.
      assert.deepEqual([headers["host"], headers["origin"], headers["x-preview-origin"]], ["localhost:8000", "http://localhost:8000", origin]);
      for (const name of ["x-forwarded-host", "x-forwarded-proto"]) assert.ok(!(name in headers), name);
      assert.deepEqual(answer.headers["set-cookie"], ["sid=1; Path=/"]);
      assert.ok(!("x-snapshotter-port" in answer.headers) && !answer.text.includes("spv1."));
      assert.equal((await visit(`${origin}/away`, { headers: { cookie } })).headers["location"], `${origin}/there?x`);
      assert.ok(!(await visit(`${origin}/`, { headers: { cookie, ...bearer } })).text.includes(TOKEN));

      // One that a page of another host has set does not lock its visitor out.
      assert.equal((await visit(`${origin}/`, { headers: { cookie: `${cookie}x; ${cookie}` } })).status, 200);
      const cleared = await visit(`${origin}/clear`, { headers: { cookie } });
      assert.deepEqual([cleared.text, cleared.headers["clear-site-data"], cleared.headers["cache-control"]], ["cleared", undefined, "private, max-age=9"]);
      const page = await visit(`${origin}/`, { headers: { accept: "text/html" } });
      assert.equal(page.status, 401);
      assert.match(page.text, /reached by its link/);
      for (const [what, headers] of Object.entries<Record<string, string>>({
        "no cookie": {},
        "a token of the API": bearer,
        "another cookie": { cookie: `${cookie}x` },
        "another preview's page": { cookie, origin: `http://8000--${"0".repeat(26)}.${PREVIEW_HOST}` },
        "another page without CORS": { cookie, "sec-fetch-site": "same-site", "sec-fetch-dest": "script" },
      })) assert.equal((await visit(`${origin}/`, { headers })).status, 401, what);
      const other = await share({ port: 5173 });
      for (const host of [`5173--${shared.id}`, `8000--${other.id}`, "api", `8000--${shared.id}.x`]) {
        const answer = await visit(`http://${host}.${PREVIEW_HOST}/`, { headers: { cookie } });
        assert.ok([401, 404].includes(answer.status), `${host}: ${answer.status}`);
      }
      // The API is not at these hosts.
      assert.equal((await visit(`${origin}/v1/sessions/previews`, { headers: bearer })).status, 401);
    });

    it("has a link that is exchanged elsewhere, for a code that is good once", async () => {
      const [shared, other] = [await share({ port: 8000 }), await share({ port: 8000 })];
      const address = await exchanged(shared.url);
      assert.equal((await visit(address.replace(originOf(shared.url), originOf(other.url)))).status, 401, "another preview's");
      assert.equal((await visit(address, { method: "POST" })).status, 401, "no page");
      assert.equal((await visit(address)).status, 303);
      const again = await visit(address, { headers: { accept: "text/html" } });
      assert.deepEqual([again.status, "set-cookie" in again.headers], [401, false], "twice");
      assert.match(again.text, /once/);
      const [link, claims] = [shared.url.split("#")[0]!, shared.url.split("#")[1]!];
      assert.equal((await visit(`${originOf(shared.url)}/.snapshotter/?${claims}`)).status, 401, "a link is no code");
      const code = async (init: Init, url = link) => (await visit(url, { method: "POST", body: claims, ...init })).status;
      assert.equal(await code({ headers: { origin: LINKS } }), 200);
      assert.equal(await code({ headers: { origin: originOf(shared.url) } }), 404, "a page of the preview");
      assert.equal(await code({ headers: { "sec-fetch-site": "same-site" } }), 404);
      assert.equal(await code({}, other.url.split("#")[0]!), 404, "another preview's link");
      assert.equal(await code({ body: `${claims}x` }), 404);
      assert.equal(await code({ body: address.split("?")[1]! }), 404, "a code is no link");
      for (const [path, headers, status] of [["/", {}, 404], ["/sw.js", {}, 404], ["/.snapshotter/", {}, 404], [new URL(link).pathname, { "service-worker": "script" }, 403]] as const) {
        assert.equal((await visit(`${LINKS}${path}`, { headers })).status, status, path);
      }
      assert.ok(!world.logText().includes("spc1."), "a code is in the log");
    });

    it("ends when it is revoked or expires, in the middle of a WebSocket, too", async () => {
      const [shared, brief] = [await share({ port: 8000 }), await share({ port: 8000, ttlSeconds: 2 })];
      const { origin, cookie } = await opened(shared.url);
      const { connection, said } = await socket(`${origin}/ws`, { cookie, origin });
      assert.ok(!String(said).includes("spv1."));
      assert.equal((await socket(`${origin}/ws`, { cookie, origin: "https://evil.example" })).said, 401);
      const closed = once(connection, "close");
      await session.http("DELETE", `/previews/${shared.id}`);
      assert.equal((await visit(`${origin}/`, { headers: { cookie } })).status, 404);
      await assert.rejects(opened(shared.url), /no such preview/);
      assert.equal((await closed)[0], 1008);
      await until("it has expired", () => opened(brief.url).then(() => false, () => true));
      const { previews } = await session.http<{ previews: Shared[] }>("GET", "/previews");
      assert.ok(previews.every(({ id }) => id !== shared.id && id !== brief.id) && !JSON.stringify(previews).includes("spv1."));
      assert.ok(!world.logText().includes("spv1."), "a link is in the log");
    });

    it("wakes a workspace with its services, and a fork has its own", async () => {
      const { origin, cookie } = await opened((await share({ port: 8000 })).url);
      await session.snapshot({ name: "before" });
      const fork = await session.branch("before");
      await session.tool("workspace_write_file", { path: "mark", content: "fork", workspace: fork.ref.id });
      const forks = await opened((await share({ port: 8000, workspace: fork.ref.id })).url);
      await world.removeContainers();
      const mark = async (one: { origin: string; cookie: string }) => asked(await visit(`${one.origin}/`, { headers: { cookie: one.cookie } })).mark;
      assert.equal(await mark({ origin, cookie }), "origin");
      assert.equal(await mark(forks), "origin", "it woke from its snapshot");
      await session.tool("workspace_write_file", { path: "mark", content: "fork", workspace: fork.ref.id });
      assert.deepEqual([await mark({ origin, cookie }), await mark(forks)], ["origin", "fork"]);
      const byPath = await visit(`${world.worker.url}/v1/sessions/previews/workspaces/previews/ports/8000/`, { headers: bearer });
      assert.equal(asked(byPath).mark, "origin");
    });
  });

  describe("in a browser", () => {
    /** What a hostile page of a server tries. */
    const PAGE = (api: string) => `<!doctype html><title>hostile</title><script>
      const tried = async (work) => { try { return await work(); } catch (error) { return "refused: " + error.name; } };
      (async () => {
        window.found = {
          origin: self.origin,
          storage: await tried(() => sessionStorage.length),
          cookie: await tried(() => document.cookie),
          read: await tried(async () => (await fetch("${api}/v1/sessions/previews", { headers: { authorization: "Bearer x" } })).status),
          post: await tried(async () => (await fetch("${api}/v1/sessions/previews/close", { method: "POST", mode: "no-cors", credentials: "include" })).type),
          console: await tried(async () => (await fetch("${api}/console")).status),
        };
      })();
    </script>`;

    it("can't reach the API with its scripts", async () => {
      await session.tool("workspace_write_file", { path: "page.html", content: PAGE(world.worker.url) });
      const found = async (url: string, headers: Record<string, string> = {}) => {
        const page = await browser.open("about:blank", { extraHTTPHeaders: headers });
        await page.goto(url);
        const found = await page.waitForFunction("window.found").then((handle) => handle.jsonValue());
        browser.takeProblems(page);
        return found as Record<string, unknown>;
      };
      const shared = await share({ port: 8000 });
      const host = originOf(shared.url);
      const opener = await browser.open(shared.url, {}, [host]);
      await opener.waitForURL(`${host}/`);
      await opener.goto(`${host}/page`);
      const byHost = (await opener.waitForFunction("window.found").then((handle) => handle.jsonValue())) as Record<string, unknown>;
      browser.takeProblems(opener);
      assert.deepEqual(byHost, { origin: host, storage: 0, cookie: "sid=1", read: "refused: TypeError", post: "opaque", console: "refused: TypeError" });
      // Not even if a page of the API's own origin could be made of it.
      const byPath = await found(`${route}/page`, bearer);
      assert.equal(byPath["origin"], "null");
      assert.deepEqual([byPath["storage"], byPath["cookie"]], ["refused: SecurityError", "refused: SecurityError"]);
      assert.equal(byPath["console"], "refused: TypeError");
      assert.equal((await session.describe()).status, "open", "what it posted did nothing");
    });

    it("does not show its link to a service worker of the server", async () => {
      const shared = await share({ port: 8000 });
      const host = originOf(shared.url);
      const page = await browser.open(shared.url, {}, [host]);
      await page.waitForURL(`${host}/`);
      await page.goto(`${host}/spy`);
      await page.waitForFunction("document.title === 'spies'");
      await page.goto(shared.url);
      await page.waitForURL(`${host}/`);
      const seen = async () => (await page.evaluate("fetch('/seen').then((answer) => answer.text())")) as string;
      assert.match(await seen(), /\.snapshotter/, "it was not there");
      assert.doesNotMatch(await seen(), /spv1/);
      // A link of an earlier version leads to the preview's own host first.
      await page.goto(`${host}/.snapshotter/${new URL(shared.url).hash}`);
      await page.waitForURL(`${host}/`);
      assert.match(await seen(), /spv1/, "the test could not have seen one");
    });

    it("takes a form of a page without referrers", async () => {
      const shared = await share({ port: 8000 });
      const host = originOf(shared.url);
      const page = await browser.open(shared.url, {}, [host]);
      await page.waitForURL(`${host}/`);
      await page.goto(`${host}/form`);
      await page.getByRole("button").click();
      await page.waitForURL(`${host}/said`);
      assert.match((await page.textContent("body"))!, /"method":"POST"/);
    });

    it("is in frames of listed pages only", async () => {
      const embedder = http.createServer(({ url }, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>app</title><iframe src="${decodeURIComponent(url!.slice(2))}"></iframe>`);
      }).listen(0, "127.0.0.1");
      await once(embedder, "listening");
      try {
        const { port } = embedder.address() as AddressInfo;
        const app = `http://app.localhost:${port}`;
        const [listed, unlisted] = [await share({ port: 8000, frameAncestors: [app] }), await share({ port: 8000 })];
        const { origin, cookie } = await opened(listed.url, "SameSite=None; Partitioned");
        const answer = await visit(`${origin}/`, { headers: { cookie } });
        assert.equal(answer.headers["content-security-policy"], `frame-ancestors 'self' ${app}`);
        const image = { cookie, "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" };
        assert.equal((await visit(`${origin}/`, { headers: image })).status, 401);
        /** Waits until the frame of a page shows the server's answer, or until it has this problem. */
        const framed = async (shared: Shared, page: string, problem?: RegExp) => {
          const opener = await browser.open(`${page}/?${encodeURIComponent(shared.url)}`, {}, [LINKS, originOf(shared.url)]);
          const shows = async () => {
            const texts = opener.frames().slice(1).map((frame) => frame.innerText("body", { timeout: 1_000 }).catch(() => ""));
            return (await Promise.all(texts)).some((text) => text.includes('"mark"'));
          };
          if (!problem) return until("the frame shows it", shows);
          await browser.hasProblem(opener, problem);
          browser.takeProblems(opener);
          assert.ok(!(await shows()), page);
        };
        await framed(listed, app);
        await framed(listed, `http://evil.localhost:${port}`, /frame-ancestors/);
        await framed(unlisted, app, /status of 401/);
      } finally {
        embedder.close();
      }
    });

    it("shows what Vite serves, and each change without a reload", async () => {
      await session.tool("workspace_write_file", { path: "site/index.html", content: '<!doctype html><title>site</title><main></main><script type="module" src="/main.js"></script>' });
      const main = (word: string) => session.tool("workspace_write_file", { path: "site/main.js", content: `document.querySelector("main").textContent = "${word}";\nimport.meta.hot.accept();\n` });
      await main("first");
      await session.tool("workspace_start", { name: "vite", command: ["node", "../node_modules/vite/bin/vite.js", "--host", "0.0.0.0", "--port", "5173", "--strictPort"], cwd: "site" });
      const shared = await share({ port: 5173 });
      const page = await browser.open(shared.url, {}, [originOf(shared.url)]);
      await page.getByText("first").waitFor();
      await page.evaluate("window.kept = true");
      // An update before the page has connected to Vite is lost.
      await until("the page shows it", async () => {
        await main("second");
        return page.getByText("second").waitFor({ timeout: 5_000 }).then(() => true, () => false);
      });
      assert.equal(await page.evaluate("window.kept"), true, "it was reloaded");
    });
  });
});
