/** Starts the system's Chromium without a window. */

import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { chromium, type Browser } from "playwright-core";

export async function launchBrowser(): Promise<Browser> {
  const executablePath = execFileSync(path.join(import.meta.dirname, "browser.sh"), { encoding: "utf8" }).trim();
  // The wrapper scripts of some browsers run programs that our PATH lacks.
  const env = { ...process.env, PATH: process.env["SNAPSHOTTER_HOST_PATH"] ?? process.env["PATH"]! };
  // Chromium refuses to sandbox pages as root.
  return chromium.launch({ executablePath, env, chromiumSandbox: process.getuid?.() !== 0 });
}
