/**
 * `make dev`: the Worker on 127.0.0.1:8787, built again and restarted when a source changes.
 * Ctrl-C ends it; tools/with-engine then removes its containers and state.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT, startLocalWorker } from "./local-worker.ts";

const PORT = 8787;
/** An editor saves in several steps. */
const SETTLE_MS = 200;

const token = devToken();
const worker = await startLocalWorker({ variant: "dev", port: PORT, vars: { API_TOKEN: token } });
console.log(`
  ${worker.url}   log: ${path.relative(ROOT, worker.logFile)}
  token: ${token}

  curl -X PUT -d '{}' -H 'Authorization: Bearer ${token}' ${worker.url}/v1/sessions/demo
`);

let changed = false;
let building: Promise<void> | undefined;
let timer: NodeJS.Timeout | undefined;
for (const directory of ["src", "entry"]) {
  fs.watch(path.join(ROOT, directory), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed = true;
      building ??= rebuild().finally(() => (building = undefined));
    }, SETTLE_MS);
  });
}

/** Builds until nothing has changed meanwhile. After a failed build the last good one runs on. */
async function rebuild(): Promise<void> {
  while (changed) {
    changed = false;
    const began = Date.now();
    if (await succeeds(path.join(ROOT, "tools/build.sh"), "--dev")) {
      await worker.restart();
      console.log(`  restarted after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
  }
}

function succeeds(command: string, ...args: string[]): Promise<boolean> {
  return new Promise((resolve) => spawn(command, args, { stdio: "inherit" }).on("close", (code) => resolve(code === 0)));
}

/** Kept, so that a shell's variable is still right after a restart. */
function devToken(): string {
  const file = path.join(ROOT, ".local", "dev-token");
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return fs.readFileSync(file, "utf8").trim();
}
