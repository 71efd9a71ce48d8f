// Runs every program of examples/ with the clients as they would be published, and checks what it prints.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../tools/local-worker.ts";
import { TOKEN, useWorld } from "./support.ts";

const EXAMPLES = path.join(ROOT, "examples");
const COPY = path.join(ROOT, ".local", "examples");
const world = useWorld({ vars: { TOKEN_KEYS: "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" } });

/** What each example prints. */
const PRINTED: Record<string, RegExp> = {
  "going-back.ts": /^kept: join words by dashes\nwent back: replace spaces: AssertionError by def slug.*\nkept: accept anything\ndef slug\(text\): return "-".join\(str\(text\).*\n$/,
  "best-of-three.ts": /promoted: def ordered\(xs\): return sorted\(xs\)\n$/,
  "template.py": /^(session \d: ready \?\? mine\n){3}$/,
  "turns.ts": /^turn 3, make it sad: \+0 ~0 -1\nturn 2, how long is it\?: \+0 ~0 -0\nturn 1, write a poem: \+1 ~0 -0\n4 messages, the last is 3; roses are red\n$/,
  "mcp.ts": /^\d+ tools, such as .*\nhello from Linux\n$/,
};

async function run(command: string, args: string[]): Promise<string> {
  const env = { ...process.env, SNAPSHOTTER_URL: world.worker.url, SNAPSHOTTER_TOKEN: TOKEN, PYTHONPATH: path.join(ROOT, "clients/python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  const { stdout } = await promisify(execFile)(command, args, { cwd: ROOT, env })
    .catch(({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stdout}${stderr}`));
  return stdout;
}

test("each program is short, listed, and run here", () => {
  const programs = fs.readdirSync(EXAMPLES).filter((file) => /\.(ts|py)$/.test(file));
  assert.deepEqual(programs.sort(), Object.keys(PRINTED).sort());
  const readme = fs.readFileSync(path.join(EXAMPLES, "README.md"), "utf8");
  for (const program of programs) {
    assert.ok(readme.includes(`](${program})`), `${program} is not in examples/README.md`);
    assert.ok(fs.readFileSync(path.join(EXAMPLES, program), "utf8").split("\n").length < 80, program);
  }
});

describe("prints what it should", { concurrency: 2 }, () => {
  // Node.js does not strip types in node_modules, so the client is built.
  before(async () => {
    fs.rmSync(COPY, { recursive: true, force: true });
    fs.cpSync(EXAMPLES, COPY, { recursive: true, filter: (file) => !file.endsWith("node_modules") });
    const installed = path.join(COPY, "node_modules", "snapshotter-client");
    await run("tsc", ["--project", path.join(ROOT, "clients/typescript"), "--outDir", path.join(installed, "dist")]);
    fs.copyFileSync(path.join(ROOT, "clients/typescript/package.json"), path.join(installed, "package.json"));
  });

  for (const [program, printed] of Object.entries(PRINTED)) {
    test(program, async () => {
      const file = path.join(COPY, program);
      const output = program.endsWith(".py") ? await run(path.join(ROOT, "tools/python.sh"), [path.join(ROOT, "clients/python"), file]) : await run("node", [file]);
      assert.match(output, printed);
    });
  }
});
