// Runs every line of the pages in docs/tasks: a false page fails here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { BINARY, home } from "./command-line.ts";
import { TOKEN, useWorld } from "./support.ts";
import { ROOT } from "../../tools/local-worker.ts";

const PAGES = path.join(ROOT, "docs/tasks");
const world = useWorld({ vars: { PREVIEW_HOST: "preview.example.com", TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}` } });

/** What the lines of each page print: those for a shell, and those of Python. */
const PRINTED: Record<string, { sh: RegExp; python: RegExp }> = {
  "agent-loop": { sh: /workspace_run[^]*"stdout": ?"2\\n"/, python: /^workspace_write_file +\nworkspace_run 1 +\nworkspace_edit_file +\nworkspace_read_file +NOT_FOUND: .*\nworkspace_run 0 +\n1 it adds python3 sum.py 1\n1 it adds python3 sum.py 0\n$/ },
  undo: { sh: /^2 +the second line .*1 modified[^]*\+violets are pink[^]*has the files of[^]*turn 1\nroses are red\n[^]*\nundone: what has changed since the last turn\n/m, python: /^\['roses are red'\] roses are red\n/ },
  attempts: { sh: /exit 1[^]*AssertionError[^]*1 modified[^]*def double\(x\): return x \+ x\n$/, python: /^def double\(x\): return x \+ x\n/ },
  templates: { sh: /\nready\n$/, python: /^ready\n/ },
  previews: { sh: /\nhttps:\/\/open\.preview\.example\.com\/\S*#\S+\nID .*\n\S+ +8000 +preview /, python: /^it works\n\nhttps:\/\/open\.preview\.example\.com\/\S*#\S+\n$/ },
};

async function run(command: string, args: string[]): Promise<string> {
  const env = {
    ...process.env, HOME: home, SNAPSHOTTER_URL: world.worker.url, SNAPSHOTTER_TOKEN: TOKEN, PATH: `${path.dirname(BINARY)}:${process.env["PATH"]}`,
    PYTHONPATH: path.join(ROOT, "clients/python/src"), PYTHONDONTWRITEBYTECODE: "1",
  };
  const { stdout } = await promisify(execFile)(command, args, { cwd: home, env })
    .catch(({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stdout}${stderr}`));
  return stdout;
}

function block(page: string, language: string): string {
  const blocks = [...fs.readFileSync(path.join(PAGES, `${page}.md`), "utf8").matchAll(/```(\w*)\n(.*?)```/gs)];
  const [found, ...more] = blocks.filter(([, of]) => of === language);
  assert.ok(found && more.length === 0 && blocks.length === 2, `${page} has one block in sh and one in python`);
  return found[2]!;
}

test("each page is tried here", () => {
  assert.deepEqual(fs.readdirSync(PAGES).sort(), Object.keys(PRINTED).map((page) => `${page}.md`).sort());
});

describe("the lines of", { concurrency: 2 }, () => {
  for (const [page, printed] of Object.entries(PRINTED)) {
    test(`${page}, in a shell`, async () => {
      assert.match(await run("bash", ["-euo", "pipefail", "-c", block(page, "sh")]), printed.sh);
    });
    test(`${page}, in Python`, async () => {
      assert.match(await run(path.join(ROOT, "tools/python.sh"), [path.join(ROOT, "clients/python"), "-c", block(page, "python")]), printed.python);
    });
  }
});
