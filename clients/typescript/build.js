// `npm run build`, and part of `npm install` of this directory: compiles src/ into dist/, and adds the types of RPC.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../..");
const DIST = path.join(HERE, "dist");

fs.rmSync(DIST, { recursive: true, force: true });
const [command, ...args] = [...compiler(), "--project", HERE];
// On Windows, npm is a script.
const { status, error } = spawnSync(command, args, { cwd: HERE, stdio: "inherit", shell: process.platform === "win32" });
if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
fs.copyFileSync(path.join(ROOT, "entry/snapshotter.d.ts"), path.join(DIST, "rpc.d.ts"));

/** The repository's own compiler if `make setup` has installed it, or else the same version from the registry. */
function compiler() {
  const installed = path.join(ROOT, "node_modules/typescript/bin/tsc");
  if (fs.existsSync(installed)) return [process.execPath, installed];
  const { devDependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
  return ["npm", "exec", "--yes", `--package=typescript@${devDependencies.typescript}`, "--", "tsc"];
}
