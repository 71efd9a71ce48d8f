/**
 * A real Chromium for tests of the console. A page fails its test if it logs an error, breaks its Content-Security-Policy,
 * throws, or asks another host for anything.
 */

import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { launchBrowser } from "../../tools/browser.ts";
import { until } from "./support.ts";

/** How long a page may take for one step on a loaded machine. */
const PATIENCE_MS = 60_000;
/** As containers of other tests come and go, Chromium ends requests that wait for a connection. The console repeats its own. */
const INTERRUPTED = /ERR_NETWORK_CHANGED|interrupted by another navigation to "(chrome-error|about):/;
/** Width of a small phone in CSS pixels. */
export const PHONE = { width: 360, height: 740 };

/** Starts a browser for the tests of a file. After each test it closes the pages, and checks their problems. */
export function useBrowser(): TestBrowser {
  const browser = new TestBrowser();
  before(() => browser.start());
  afterEach(() => browser.closePages());
  after(() => browser.stop());
  return browser;
}

export class TestBrowser {
  #browser: Browser | undefined;
  readonly #problems = new Map<Page, string[]>();

  async start(): Promise<void> {
    this.#browser = await launchBrowser();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  /** A page in a profile of its own, at this address. It may ask other hosts for what has one of these origins. */
  async open(url: string, options: BrowserContextOptions = {}, origins: string[] = []): Promise<Page> {
    assert.ok(this.#browser, "the browser has not started");
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const problems: string[] = [];
    this.#problems.set(page, problems);
    page.on("pageerror", (error) => problems.push(`thrown: ${error.message}`));
    // Chromium logs violations of the policy as errors, too. An answer of the API may be an error.
    page.on("console", (message) => {
      const isAnswer = new URL(message.location().url || url).pathname.startsWith("/v1/");
      if (message.type() === "error" && !isAnswer && !INTERRUPTED.test(message.text())) problems.push(`logged: ${message.text()}`);
    });
    const { origin } = new URL(url);
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (/^https?:$/.test(asked.protocol) && asked.origin !== origin && !origins.includes(asked.origin)) problems.push(`asked another host: ${asked.href}`);
    });
    await load(page, url);
    return page;
  }

  /** The console, at an address like `#/sessions/ID/files`, signed in. */
  async openConsole(worker: string, address: string, token: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.open(`${worker}/console${address}`, options);
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    return page;
  }

  /** The problems of a page so far, for a test that expects them: they don't fail it any more. */
  takeProblems(page: Page): string[] {
    return this.#problems.get(page)!.splice(0);
  }

  /** Waits until a page has a problem. The browser tells of them when it has time. */
  async hasProblem(page: Page, pattern: RegExp): Promise<void> {
    await until(String(pattern), (saw) => {
      const problems = this.#problems.get(page)!;
      saw(problems);
      return problems.some((problem) => pattern.test(problem));
    });
  }

  async closePages(): Promise<void> {
    const found: string[] = [];
    for (const [page, problems] of this.#problems) {
      await page.context().close();
      found.push(...problems);
    }
    this.#problems.clear();
    assert.deepEqual(found, [], "a page had problems");
  }
}

/** Loads the page again if a part of it was interrupted. */
async function load(page: Page, url: string): Promise<void> {
  let isWhole: boolean;
  const watch = (request: Request) => void (isWhole &&= !INTERRUPTED.test(request.failure()?.errorText ?? ""));
  page.on("requestfailed", watch);
  for (let triesLeft = 10; ; triesLeft--) {
    isWhole = true;
    await page.goto(url).catch((error: Error) => {
      if (!INTERRUPTED.test(error.message)) throw error;
      isWhole = false;
    });
    // The browser may tell only later that a script was interrupted.
    isWhole &&= !url.includes("/console") || (await page.evaluate<boolean>("document.body.innerText !== ''"));
    if (isWhole) break;
    assert.ok(triesLeft > 0, `${url} was never loaded whole`);
    // Going to the address at which the page already is would load nothing.
    await page.goto("about:blank").catch(() => {});
  }
  page.off("requestfailed", watch);
}

/** Checks the page as it is now with every rule of axe, in light and in dark. */
export async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // The new colours are there with the next frame; on a busy machine, a moment later.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(drawn), 500)))");
    const { violations } = await new AxeBuilder({ page }).analyze();
    const told = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
    assert.deepEqual(told, [], `axe, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Checks that the page as it is now does not scroll sideways on a phone, and that its tables break no word. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize(PHONE);
  // As text, because the types of these files are those of Node.js.
  const wide = await page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 120))`);
  assert.deepEqual(wide, [], `wider than ${PHONE.width}`);
  // A name has one line: on more than one, its rectangles are more than one.
  const broken = await page.evaluate<string[]>("[...document.querySelectorAll('th .text')].filter((one) => one.getClientRects().length > 1).map((one) => one.outerHTML.slice(0, 120))");
  assert.deepEqual(broken, [], "broken in a table");
  if (before) await page.setViewportSize(before);
}
