// The clients install from a clean checkout, into a project of their own, without `make setup`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../tools/local-worker.ts";

const USES = "no url: set SNAPSHOTTER_URL and SNAPSHOTTER_TOKEN";
const here = fs.mkdtempSync(path.join(os.tmpdir(), "snapshotter-installs-"));
const checkout = path.join(here, "snapshotter");
const project = path.join(here, "project");
/** Without what `make setup` adds to PATH. */
const PATH = process.env["PATH"]!.split(path.delimiter).filter((directory) => !directory.endsWith("node_modules/.bin")).join(path.delimiter);

async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PATH, SNAPSHOTTER_URL: "", NODE_PATH: "", PYTHONPATH: "" };
  const { stdout } = await promisify(execFile)(command, args, { cwd: project, env })
    .catch(({ message, stdout }: { message: string; stdout: string }) => assert.fail(`${message}\n${stdout}`));
  return stdout;
}

before(async () => {
  fs.mkdirSync(project);
  // Without one, npm takes the next directory above that has one for the project.
  fs.writeFileSync(path.join(project, "package.json"), '{ "private": true }');
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "clients", "entry", "package.json"], { cwd: ROOT });
  for (const file of stdout.split("\0").filter((file) => file && fs.existsSync(path.join(ROOT, file)))) {
    fs.cpSync(path.join(ROOT, file), path.join(checkout, file));
  }
  assert.ok(!fs.existsSync(path.join(checkout, "node_modules")));
});

after(() => fs.rmSync(here, { recursive: true, force: true }));

test("npm install of clients/typescript builds it", async () => {
  await run("npm", "install", "--prefer-offline", "--no-audit", "--no-fund", path.join(checkout, "clients/typescript"));
  const uses = 'import { Snapshotter } from "snapshotter-client"; try { new Snapshotter() } catch (error) { console.log(error.message) }';
  assert.ok((await run("node", "--input-type=module", "--eval", uses)).startsWith(USES));
  for (const types of ["index.d.ts", "rpc.d.ts"]) assert.ok(fs.existsSync(path.join(project, "node_modules/snapshotter-client/dist", types)), types);
});

test("pip install of clients/python installs it with what it needs", async () => {
  // As the README does: Debian lets nobody install into the system's Python, and has venv in a package of its own.
  await run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", project, path.join(checkout, "clients/python"));
  const uses = "from snapshotter_client import Snapshotter\ntry: Snapshotter()\nexcept ValueError as error: print(error)";
  assert.ok((await run("python3", "-c", uses)).startsWith(USES));
});
