/** How the tests use the console: by what a person reads and a screen reader says. */

import assert from "node:assert/strict";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { TestBrowser } from "../browser.ts";
import { TOKEN, type World } from "../support.ts";

export class Console {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** The page for signing in. */
  static async open(browser: TestBrowser, world: World, options: BrowserContextOptions = {}): Promise<Console> {
    return new Console(await browser.open(`${world.worker.url}/console`, options));
  }

  /** A view, signed in. */
  static async at(browser: TestBrowser, world: World, hash: string, token = TOKEN): Promise<Console> {
    const console = await Console.open(browser, world);
    await console.signIn(token);
    await console.button("Sign out").waitFor();
    await console.goTo(hash);
    return console;
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel("Token", { exact: true }).fill(token);
    await this.page.getByRole("button", { name: "Sign in" }).click();
  }

  async goTo(hash: string): Promise<void> {
    // The address changes before the page does. The console's own listener came first.
    await this.page.evaluate((hash) => new Promise<void>((moved) => {
      const window = globalThis as any;
      if (new URL(hash, window.location.href).hash === window.location.hash) return moved();
      window.addEventListener("hashchange", () => moved(), { once: true });
      window.location.hash = hash;
    }), hash);
    await this.settled();
  }

  /** Goes to another view of the same session by its link. */
  async follow(name: string): Promise<void> {
    const link = this.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
    await link.click();
    await link.and(this.page.locator("[aria-current=page]")).waitFor();
    await this.settled();
  }

  /** Waits until nothing is loading. */
  async settled(): Promise<void> {
    await this.page.locator("main").waitFor();
    await this.page.locator(".waiting").first().waitFor({ state: "detached" });
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole("button", { name });
  }

  /** Opens the details of one place of the timeline or the lineage. */
  async unfold(title: string): Promise<void> {
    const summary = this.page.locator("summary", { hasText: new RegExp(` (of|on) ${title}$`) }).first();
    if ((await summary.locator("..").getAttribute("open")) === null) await summary.click();
  }

  /** Opens an action's dialog, fills it in, and confirms it. */
  async act(button: string | RegExp, verb: string, fill: (dialog: Locator) => Promise<void> = async () => {}): Promise<Locator> {
    await this.button(button).first().click();
    const dialog = this.page.getByRole("dialog");
    await dialog.waitFor();
    await fill(dialog);
    await dialog.getByRole("button", { name: verb, exact: true }).click();
    return dialog;
  }

  /** Waits for the notice of an action, which must have succeeded. */
  async told(text: RegExp): Promise<void> {
    const problem = this.page.getByRole("alert");
    await this.result.getByText(text).or(problem).first().waitFor();
    assert.deepEqual(await problem.allInnerTexts(), []);
    assert.equal(await this.page.getByRole("dialog").count(), 0, "the dialog is closed");
    await this.settled();
  }

  /** Waits until the dialog says why its action failed. */
  async failed(code: string): Promise<Locator> {
    const problem = this.page.getByRole("dialog").getByRole("alert");
    await problem.getByText(code, { exact: true }).waitFor();
    return problem;
  }

  async undo(text: RegExp): Promise<void> {
    await this.result.getByRole("button", { name: /^(Undo|Redo)/ }).click();
    await this.told(text);
  }

  get result(): Locator {
    return this.page.getByRole("region", { name: "Result" });
  }
}
