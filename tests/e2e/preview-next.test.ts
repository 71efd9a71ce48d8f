/** A page of the real Next.js behind a preview: a form whose server action compares the hosts that it is told. */

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { useBrowser } from "./browser.ts";
import { freePort, originOf } from "./preview.ts";
import { useWorld } from "./support.ts";
import { ROOT } from "../../tools/local-worker.ts";

const PORT = await freePort(20_000);
const PREVIEW_HOST = `preview.localhost:${PORT}`;
const world = useWorld({ port: PORT, vars: { TOKEN_KEYS: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", PREVIEW_HOST } });
const browser = useBrowser();

const APP: Record<string, string> = {
  "package.json": JSON.stringify({
    private: true,
    dependencies: { next: "16.4.6", react: "19.2.0", "react-dom": "19.2.0" },
    // Only for images, and large.
    overrides: { sharp: "npm:ms@2.1.3" },
  }),
  "next.config.mjs": `export default { output: "standalone", outputFileTracingRoot: import.meta.dirname };`,
  "app/layout.js": `export default ({ children }) => <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;`,
  "app/page.js": `
import { cookies } from "next/headers";
import { redirect } from "next/navigation";
async function say(form) {
  "use server";
  (await cookies()).set("said", String(form.get("word")));
  redirect("/said");
}
export default () => <form action={say}><input name="word" aria-label="Word" /><button>Say</button></form>;`,
  "app/said/page.js": `
import { cookies } from "next/headers";
export default async () => <h1>Said {(await cookies()).get("said")?.value}</h1>;`,
};

/** The server that Next.js builds of the app. It is built once and kept. */
async function built(): Promise<string> {
  const key = createHash("sha256").update(JSON.stringify(APP)).digest("hex").slice(0, 16);
  const kept = path.join(ROOT, ".local/cache", `next-${key}`);
  if (fs.existsSync(kept)) return kept;
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  const at = fs.mkdtempSync(path.join(ROOT, ".local/cache/next-"));
  try {
    for (const [name, text] of Object.entries(APP)) {
      fs.mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
      fs.writeFileSync(path.join(at, name), text);
    }
    const run = (file: string, ...args: string[]) => promisify(execFile)(file, args, { cwd: at, env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" } });
    await run("npm", "install", "--no-audit", "--no-fund", "--silent");
    await run(path.join(at, "node_modules/.bin/next"), "build");
    const standalone = path.join(at, ".next/standalone");
    fs.renameSync(path.join(at, ".next/static"), path.join(standalone, ".next/static"));
    fs.renameSync(standalone, kept);
  } finally {
    fs.rmSync(at, { recursive: true, force: true });
  }
  return kept;
}

describe("a page of Next.js", () => {
  let server: string;
  before(async () => void (server = await built()));

  for (const javaScriptEnabled of [true, false]) {
    it(`posts its form, ${javaScriptEnabled ? "by its script" : "without scripts"}`, async () => {
      const session = await world.opened(`next-${javaScriptEnabled}`, { previewPorts: [3000] });
      const archive = execFileSync("tar", ["--create", "--file=-", "--directory", server, "."], { maxBuffer: 1 << 30 });
      await session.http("PUT", "/archive", archive, { "content-type": "application/x-tar" });
      await session.tool("workspace_start", { name: "web", command: "HOSTNAME=0.0.0.0 PORT=3000 exec node server.js" });
      const { url } = await session.http<{ url: string }>("POST", "/previews", { port: 3000 });
      const origin = originOf(url, PREVIEW_HOST);
      // The page that exchanges the link is a script.
      const page = await browser.open(url, {}, [origin]);
      await page.waitForURL(`${origin}/`);
      const context = await page.context().storageState();
      const visitor = await browser.open(`${origin}/`, { javaScriptEnabled, storageState: context });
      await visitor.getByLabel("Word").fill("hello");
      await visitor.getByRole("button", { name: "Say" }).click();
      await visitor.getByRole("heading", { name: "Said hello" }).waitFor();
      assert.equal(visitor.url(), `${origin}/said`);
    });
  }
});
