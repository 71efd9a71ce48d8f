/** The console's terminal, commands and events, in a browser, against real containers. */

import assert from "node:assert/strict";
import { once } from "node:events";
import * as fs from "node:fs";
import * as net from "node:net";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { expectFitsPhone, expectNoViolations, PHONE, useBrowser } from "./browser.ts";
import { TOKEN, until, useWorld, type Session } from "./support.ts";

const TOKEN_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const world = useWorld({ vars: { TOKEN_KEYS, PREVIEW_HOST: "preview.example.com" } });
const browser = useBrowser();

const open = (session: Session, view: string, token = TOKEN, options = {}) => browser.openConsole(world.worker.url, `#/sessions/${session.id}/${view}`, token, options);
const minted = (session: Session, scopes: string[]) => session.http<{ id: string; token: string }>("POST", "/tokens", { scopes });

/** What the terminal shows, one line each. */
const rows = async (page: Page) => (await page.locator(".xterm-rows > div").allTextContents()).join("\n");
const shows = (page: Page, pattern: RegExp) => until(`${pattern} in the terminal`, async (saw) => {
  const text = await rows(page);
  saw(text);
  return pattern.test(text);
}, 60_000);
const start = (page: Page) => page.getByRole("button", { name: "Start it and open a shell" });
/** A container that sleeps is started first. */
const connected = async (page: Page) => {
  await start(page).or(page.locator("[data-state]")).first().waitFor();
  if ((await start(page).count()) > 0) await start(page).click();
  await page.locator("[data-state=open]").waitFor();
};

/** A way to the Worker that can be cut. */
async function wireTo(port: string) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => other.destroy()).pipe(other);
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return { url, cut, [Symbol.dispose]: () => void (cut(), server.close()) };
}

describe("the terminal", () => {
  it("starts no container unasked", async () => {
    const session = await world.opened("terminal-asleep");
    const page = await open(session, "terminal");
    await page.getByText("The workspace is asleep.").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    const status = async () => (await session.workspaces()).workspaces[0]!.status;
    assert.equal(await status(), "stopped");
    await start(page).click();
    await connected(page);
    assert.equal(await status(), "running");
    await session.close();
  });

  it("is typed into, has its size and colours, and is left by the keyboard", async () => {
    const session = await world.opened("terminal");
    const page = await open(session, "terminal");
    await connected(page);
    await page.keyboard.type("stty size; printf '\\e[31mred\\e[0m \\e[38;2;1;2;250mtrue\\e[0m\\n'\n");
    await shows(page, /^red true/m);
    const [lines, columns] = /^(\d+) (\d+)\s*$/m.exec(await rows(page))!.slice(1).map(Number);
    assert.ok(lines! > 15 && columns! > 80, `${lines} ${columns}`);
    // Colours come through constructed style sheets and properties: `style` elements and attributes would break the policy.
    const colour = (text: string) => page.locator(".xterm-rows span", { hasText: new RegExp(`^${text}$`) }).evaluate((span) => (globalThis as any).getComputedStyle(span).color);
    assert.equal(await colour("red"), "rgb(163, 38, 42)");
    assert.equal(await colour("true"), "rgb(1, 2, 250)");
    assert.equal(await page.evaluate("document.querySelectorAll('style').length"), 0);
    await expectNoViolations(page);

    await page.setViewportSize(PHONE);
    let asked = 0;
    await until("the shell has the new size", async () => {
      asked += 1;
      await page.keyboard.type(`clear; echo ${asked}: $(stty size)\n`);
      await shows(page, new RegExp(`^${asked}: \\d+ \\d+`, "m"));
      return !(await rows(page)).includes(` ${columns}`);
    });
    await expectFitsPhone(page);
    await page.keyboard.press("Tab");
    await page.keyboard.press("F6");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Back to the terminal");
    await page.keyboard.press("Enter");
    await page.keyboard.type("\u0015exit 7\n");
    await page.getByText("The shell has ended, with exit code 7.").waitFor();
    await page.getByRole("button", { name: "Open another shell" }).click();
    await connected(page);
  });

  it("is read out to those who want that", async () => {
    const session = await world.opened("terminal");
    const page = await open(session, "terminal");
    await connected(page);
    await page.getByLabel("For screen readers").check();
    await page.getByRole("button", { name: "Back to the terminal" }).click();
    await page.keyboard.type("echo to be re''ad\n");
    await page.locator(".xterm-accessibility").getByText("to be read", { exact: true }).first().waitFor();
    await expectNoViolations(page);
  });

  it("comes back to the same shell when the connection was cut, and takes as much as it can show", async () => {
    const session = await world.opened("terminal-cut");
    using wire = await wireTo(new URL(world.worker.url).port);
    const page = await browser.openConsole(wire.url, `#/sessions/${session.id}/terminal`, TOKEN);
    await connected(page);
    await page.keyboard.type("KEPT=here; seq 400000 | tail -n +1; echo all''=done\n");
    await shows(page, /^all=done/m);
    // Another workspace is active by then.
    const { ref } = await session.snapshot();
    await session.switch(await session.branch(ref));
    wire.cut();
    await page.locator("[data-state=open]", { hasText: "Connected to the same shell again." }).waitFor();
    await page.keyboard.type("clear; echo kept=$KEPT\n");
    await shows(page, /^kept=here/m);
  });

  it("does nothing that what is printed asks for", async () => {
    const session = await world.opened("terminal");
    const page = await open(session, "terminal");
    await connected(page);
    const title = await page.title();
    // Another title, the clipboard, a link, a larger window, text in the other direction, HTML.
    await page.keyboard.type("clear; printf '\\e]0;hacked\\a\\e]52;c;aGFja2Vk\\a\\e]8;;https://evil.example\\alink\\e]8;;\\a\\e[8;99;99t \\u202Eesrever \\u0627 <b>html</b>\\n'\n");
    await shows(page, /^link \uFFFDesrever \u0627 <b>html<\/b>/m);
    assert.equal(await page.title(), title);
    const opened: string[] = [];
    page.context().on("page", (other) => opened.push(other.url()));
    page.on("dialog", (dialog) => {
      opened.push(dialog.message());
      void dialog.dismiss();
    });
    await page.locator(".xterm-rows span", { hasText: /^link$/ }).click({ force: true });
    await page.evaluate("new Promise((done) => setTimeout(done, 500))");
    assert.deepEqual(opened, []);
  });

  it("says why it ends when the token is revoked", async () => {
    const session = await world.opened("terminal");
    const { id, token } = await minted(session, ["read", "write"]);
    const page = await open(session, "terminal", token);
    await connected(page);
    await session.http("DELETE", `/tokens/${id}`);
    await page.getByRole("alert").getByText("wrong, expired or revoked").waitFor();
    await page.getByLabel("Token", { exact: true }).waitFor();
    await expectNoViolations(page);
  });

  it("is not offered to those who may not write", async () => {
    const session = await world.opened("terminal");
    const { token } = await minted(session, ["read"]);
    const page = await open(session, "commands", token);
    await page.getByRole("heading", { name: "In the background" }).waitFor();
    const views = page.getByRole("navigation", { name: "Views" });
    assert.equal(await views.getByRole("link", { name: "Terminal" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: /^(Run|Start)$/ }).count(), 0);
  });

  it("needs no other right than to write", async () => {
    const session = await world.opened("terminal");
    const { token } = await minted(session, ["write"]);
    await connected(await open(session, "terminal", token));
  });
});

describe("commands", () => {
  it("show their output while they run, and can be stopped", async () => {
    const session = await world.opened("commands");
    const page = await open(session, "commands");
    const run = page.getByRole("button", { name: "Run", exact: true });
    await page.getByLabel("Command").first().fill("echo '<b>out</b>'; printf 'a\\e[31mb\\n' >&2; exec sleep 1000");
    await page.keyboard.press("Enter");
    const output = page.getByRole("log", { name: /^Output of echo/ });
    await output.getByText("<b>out</b>").waitFor();
    await output.locator(".stderr", { hasText: "aU+001B[31mb" }).waitFor();
    assert.equal(await run.isDisabled(), true);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Stopped.").waitFor();
    await until("the command has ended", async () => !(await session.sh("ps -ef")).includes("sleep 1000"));
    await page.getByLabel("Command").first().fill("exit 3");
    await page.keyboard.press("Enter");
    await page.getByText("It ended with exit code 3.").waitFor();
  });

  it("run in the background, and their logs are followed", async () => {
    const session = await world.opened("commands");
    const page = await open(session, "commands");
    await page.getByLabel("Name").fill("ticker");
    await page.getByLabel("Command").last().fill("for n in 1 2 3; do echo tick $n; sleep 1; done; exec sleep 1000");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("log", { name: "Output of ticker" }).getByText("tick 3").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await page.getByRole("button", { name: "Stop ticker" }).click();
    await page.getByText(/^ended/).waitFor();
    await page.getByLabel("Name").fill("ticker");
    await page.getByLabel("Command").last().fill("exit");
  });
});

describe("previews", () => {
  it("are shared by a link that is shown once, and revoked", async () => {
    const session = await world.opened("previews", { previewPorts: [8000] });
    const page = await open(session, "previews");
    await page.getByText("No link leads here now.").waitFor();
    await page.getByRole("button", { name: "Share port 8000" }).click();
    await page.getByRole("dialog").getByText("Whoever has the link sees the server").waitFor();
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = page.getByRole("link", { name: "Open the preview" });
    await link.waitFor();
    assert.match((await link.getAttribute("href"))!, /^https:\/\/open\.preview\.example\.com\/.*#/);
    assert.equal(await page.getByLabel("Link, shown only now").inputValue(), await link.getAttribute("href"));
    await page.getByRole("row", { name: /^8000 previews / }).waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
    await page.getByRole("button", { name: "Revoke: port 8000 of previews" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No link leads here now.").waitFor();
    assert.equal(await link.count(), 0);
    const { token } = await minted(session, ["read"]);
    const reader = await open(session, "previews", token);
    await reader.getByText("Allowed: 8000.").waitFor();
    await world.opened("previews-none");
    const none = await open(world.session("previews-none"), "previews");
    await none.getByText("snapshotter open previews-none --preview-port 8000").waitFor();
  });
});

describe("events", () => {
  it("of every kind are told in words", () => {
    const words = fs.readFileSync("console/session/event.tsx", "utf8");
    for (const line of fs.readFileSync("tests/golden/events.txt", "utf8").trim().split("\n")) {
      assert.ok(words.includes(`case "${line.split(" ")[0]}":`), line);
    }
  });

  it("appear as they happen, those of the session and changes of files", async () => {
    const session = await world.opened("events");
    const page = await open(session, "events");
    await page.getByText("The session was opened").waitFor();
    await page.getByText("The workspace is asleep. Watching files starts its container").waitFor();
    await page.getByRole("button", { name: "Start it" }).click();
    await page.getByRole("button", { name: "Watch files" }).click();
    await page.getByText(/^Watching 1 directory/).waitFor();
    await session.sh("touch '<i>made'; mv '<i>made' \"$(printf 'moved\\342\\200\\256')\"");
    const changes = page.getByRole("list", { name: "Changes of files, newest first" });
    await changes.getByText("<i>made").first().waitFor();
    await changes.getByText("U+202E").waitFor();
    await session.snapshot({ name: "one" });
    await page.getByText(/^1 new event, the last one: Took one, [\d.]+ KB$/).waitFor();
    // Its fields are there for who wants them.
    await page.locator("summary", { hasText: "snapshot.created" }).click();
    await page.getByText("originSandboxId").waitFor();
    await expectNoViolations(page);
    await expectFitsPhone(page);
  });

  it("end with a clear message when the token is revoked", async () => {
    const session = await world.opened("events");
    const { id, token } = await minted(session, ["read"]);
    const page = await open(session, "events", token);
    await page.getByRole("button", { name: "Watch files" }).click();
    await page.getByText(/^Watching/).waitFor();
    await session.http("DELETE", `/tokens/${id}`);
    await page.getByRole("alert").getByText(/revoked/).first().waitFor();
    await page.getByLabel("Token", { exact: true }).waitFor();
  });
});
