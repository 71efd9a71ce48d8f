/**
 * `make screenshots`: the pictures of docs/console.md, of a real Worker with a session that was made for them.
 * They are in docs/console/.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Snapshotter } from "../clients/typescript/src/index.ts";
import { launchBrowser } from "./browser.ts";
import { ROOT, startLocalWorker } from "./local-worker.ts";
import { make, SESSION } from "./screenshots/session.ts";

const OUT = path.join(ROOT, "docs/console");
const TOKEN = "a-token-for-pictures";
/** Larger pictures make the repository heavy. */
const BYTES_MAX = 150_000;

const worker = await startLocalWorker({ variant: "dev", vars: { API_TOKEN: TOKEN } });
const browser = await launchBrowser();
try {
  const client = new Snapshotter({ url: worker.url, token: TOKEN });
  const { session } = await make(client);
  for (const name of ["release-notes", "flaky-tests"]) {
    const other = client.session(name);
    await other.open();
    await other.run(`head --bytes ${name.length * 200_000} /dev/urandom > data`);
    await other.snapshot({ name: "start" });
  }
  const works = (await session.get("tests-pass")).snapshot.id;
  fs.mkdirSync(OUT, { recursive: true });

  await picture("timeline", `#/sessions/${SESSION}/timeline`, async (page) => {
    await page.getByText("Add up an invoice", { exact: true }).waitFor();
  });
  await picture("files", `#/sessions/${SESSION}/files?in=snapshot:${works}&path=invoices/totals.py&line=10`, async (page) => {
    await page.locator(".marked .hljs-keyword").first().waitFor();
  });
  await picture("diff", `#/sessions/${SESSION}/diff?from=snapshot:${works}&to=workspace:${SESSION}&as=split`, async (page) => {
    await page.getByRole("region", { name: "Changes of invoices/totals.py" }).waitFor();
  });
  await picture("terminal", `#/sessions/${SESSION}/terminal`, async (page) => {
    await page.locator("[data-state=open]").waitFor();
    // The prompt has the container's name, which is another one each time.
    for (const typed of ["PS1='\\[\\e[32m\\]/workspace\\[\\e[0m\\] $ '; clear", "git status --short", "python3 -Bc 'from tests.test_totals import *; test_total(); print(\"passed\")'", "ls --color -l invoices"]) {
      await page.keyboard.type(`${typed}\n`);
      await page.waitForTimeout(700);
    }
  }, { colorScheme: "dark" });
  await picture("operator", "#/sessions", async (page) => {
    await page.getByText("flaky-tests").first().waitFor();
    await page.getByText("Loading").waitFor({ state: "detached" });
  });
} finally {
  await browser.close();
  await worker.stop();
}

async function picture(name: string, address: string, ready: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1120, height: 720 }, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await page.goto(`${worker.url}/console${address}`);
  await page.getByLabel("Token", { exact: true }).fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await ready(page);
  // What is drawn after the last of it came.
  await page.waitForTimeout(500);
  const file = path.join(OUT, `${name}.png`);
  const { length } = await page.screenshot({ path: file });
  if (length > BYTES_MAX) throw new Error(`${file} has ${length} bytes, more than ${BYTES_MAX}`);
  console.log(`${path.relative(ROOT, file)}  ${Math.round(length / 1000)} KB`);
  await context.close();
}
