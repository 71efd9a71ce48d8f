/** The browser of the other tests notices what they rely on it to notice. */

import assert from "node:assert/strict";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { expectFitsPhone, expectNoViolations, useBrowser } from "./browser.ts";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src *; require-trusted-types-for 'script'";
const page = (body: string) => `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><main><h1>A page</h1>${body}</main></html>`;
const ANSWERS: Record<string, [type: string, body: string]> = {
  "/good": ["text/html", page("<p>Some text.</p>")],
  "/inline": ["text/html", page("<script>document.title = 'ran'</script><p style='color: red'>Some text.</p>")],
  "/script.js": ["text/javascript", "console.error('an error'); fetch('http://127.0.0.1:9/').catch(() => {}); document.body.innerHTML = '<b>x</b>'"],
  "/script": ["text/html", page("<script src='/script.js'></script>")],
  "/pale.css": ["text/css", "@media (prefers-color-scheme: dark) { p { color: #555; background: #444 } }"],
  "/pale": ["text/html", page("<link rel='stylesheet' href='/pale.css'><p>Some text.</p>")],
  "/wide.css": ["text/css", "p { width: 500px }"],
  "/wide": ["text/html", page("<link rel='stylesheet' href='/wide.css'><p>Some text.</p>")],
};

const server = http.createServer(({ url = "" }, response) => {
  const [type, body] = ANSWERS[url] ?? ["text/plain", ""];
  response.writeHead(url in ANSWERS ? 200 : 404, { "content-type": type, "content-security-policy": POLICY }).end(body);
});
before(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)));
after(() => server.close());
const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

const browser = useBrowser();

describe("the browser", () => {
  it("has nothing to say about a good page", async () => {
    const page = await browser.open(at("/good"));
    await expectNoViolations(page);
    await expectFitsPhone(page);
    assert.deepEqual(browser.takeProblems(page), []);
  });

  it("notices what a page's policy blocks", async () => {
    const page = await browser.open(at("/inline"));
    assert.equal(await page.title(), "A page");
    await browser.hasProblem(page, /inline script.*script-src/);
    await browser.hasProblem(page, /inline style.*style-src/);
    browser.takeProblems(page);
  });

  it("notices errors, other hosts and untrusted HTML", async () => {
    const page = await browser.open(at("/script"));
    for (const expected of [/^logged: an error$/, /^asked another host: http:\/\/127\.0\.0\.1:9\/$/, /^logged: Failed to load resource/, /^thrown: .*TrustedHTML/]) {
      await browser.hasProblem(page, expected);
    }
    browser.takeProblems(page);
  });

  it("fails a test whose page had problems", async () => {
    await browser.hasProblem(await browser.open(at("/script")), /an error/);
    await assert.rejects(browser.closePages(), /an error/);
  });

  it("notices what people can't read, in the dark too, and what is too wide", async () => {
    await assert.rejects(expectNoViolations(await browser.open(at("/pale"))), /dark[^]*color-contrast/);
    await assert.rejects(expectFitsPhone(await browser.open(at("/wide"))), /<p>Some text/);
  });
});
