/**
 * `make screenshots`: takes the pictures of docs/console.md, which show a real Worker with a session that was made for
 * them. They are stored in docs/console/.
 *
 * `node tools/screenshots.ts NAME` takes one picture, with the tests' build, into .local/screenshots/. `operator`
 * starts no container, and takes seconds.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Snapshotter } from "../clients/typescript/src/index.ts";
import { launchBrowser } from "./browser.ts";
import { ROOT, startLocalWorker } from "./local-worker.ts";
import { make, SESSION } from "./screenshots/session.ts";

const NAMES = ["timeline", "watch", "files", "diff", "terminal", "operator"];
const only = process.argv[2];
if (only !== undefined && !NAMES.includes(only)) throw new Error(`there is no picture ${only}; use ${NAMES.join(", ")}`);
const OUT = path.join(ROOT, only === undefined ? "docs/console" : ".local/screenshots");
const TOKEN = "a-token-for-pictures";
/** Larger pictures would make the repository heavy. */
const BYTES_MAX = 150_000;

const worker = await startLocalWorker({ variant: only === undefined ? "dev" : "test", vars: { API_TOKEN: TOKEN } });
const browser = await launchBrowser();
try {
  const client = new Snapshotter({ url: worker.url, token: TOKEN });
  const hasFiles = only !== "operator";
  const works = hasFiles ? (await (await make(client)).session.get("tests-pass")).snapshot.id : "";
  for (const name of ["release-notes", "flaky-tests"]) {
    const other = client.session(name);
    await other.open();
    if (!hasFiles) continue;
    await other.run(`head --bytes ${name.length * 200_000} /dev/urandom > data`);
    await other.snapshot({ name: "start" });
  }
  fs.mkdirSync(OUT, { recursive: true });

  await picture("timeline", `#/sessions/${SESSION}/timeline`, async (page) => {
    await page.getByText("Add up an invoice", { exact: true }).waitFor();
  });
  await picture("watch", `#/sessions/${SESSION}/watch`, async (page) => {
    await page.locator(".change").first().waitFor();
    await page.locator(".tally .added").first().waitFor();
  });
  await picture("files", `#/sessions/${SESSION}/files?in=snapshot:${works}&path=invoices/totals.py&line=10`, async (page) => {
    await page.locator(".marked .hljs-keyword").first().waitFor();
  });
  await picture("diff", `#/sessions/${SESSION}/diff?from=snapshot:${works}&to=workspace:${SESSION}&as=split`, async (page) => {
    await page.getByRole("region", { name: "Changes of invoices/totals.py" }).waitFor();
  });
  await picture("terminal", `#/sessions/${SESSION}/terminal`, async (page) => {
    await page.locator("[data-state=open]").waitFor();
    // The default prompt contains the container's name, which differs each time.
    for (const typed of ["PS1='\\[\\e[32m\\]/workspace\\[\\e[0m\\] $ '; clear", "git status --short", "python3 -Bc 'from tests.test_totals import *; test_total(); print(\"passed\")'", "ls --color -l invoices"]) {
      await page.keyboard.type(`${typed}\n`);
      await page.waitForTimeout(700);
    }
  }, { colorScheme: "dark" });
  await picture("operator", "#/sessions", async (page) => {
    await page.getByText("flaky-tests").first().waitFor();
    while ((await page.getByText("Loading").count()) > 0) await page.waitForTimeout(50);
  });
} finally {
  await browser.close();
  await worker.stop();
}

async function picture(name: string, address: string, ready: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  if (only !== undefined && only !== name) return;
  const context = await browser.newContext({ viewport: { width: 1120, height: 720 }, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await page.goto(`${worker.url}/console${address}`);
  await page.getByLabel("Token", { exact: true }).fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await ready(page);
  // Waits for drawing that begins after the last data has arrived.
  await page.waitForTimeout(500);
  const file = path.join(OUT, `${name}.png`);
  const { length } = await page.screenshot({ path: file });
  if (length > BYTES_MAX) throw new Error(`${file} has ${length} bytes, more than ${BYTES_MAX}`);
  console.log(`${path.relative(ROOT, file)}  ${Math.round(length / 1000)} KB`);
  await context.close();
}
