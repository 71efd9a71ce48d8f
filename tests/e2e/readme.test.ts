// Runs every line of code in the README, docs/agents.md and docs/http.md: a false page fails here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { WorkspaceList } from "../../entry/snapshotter.d.ts";
import { ROOT, startLocalWorker, type LocalWorker } from "../../tools/local-worker.ts";

const TOKEN = "readme-token";
const page = (name: string) => fs.readFileSync(path.join(ROOT, name), "utf8");
const agent = path.join(ROOT, ".local", "readme-agent.ts");
const attempts = path.join(ROOT, ".local", "readme-attempts.ts");
const turns = path.join(ROOT, ".local", "readme-turns.ts");
/** More than the containers that may run at once: an attempt must not use up what the next one needs. */
const ATTEMPTS = 5;
let worker: LocalWorker;

/** Declarations that a short example assumes. */
const GIVEN = `import type { AgentHostApi } from "./snapshotter.d.ts";
declare const env: { AGENT_HOST: DurableObjectNamespace };
declare const session: string;
`;

function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp("```" + language + "\\n(.*?)```", "gs"))].map(([, code]) => code!);
}

/** An agent, three attempts, and turns. */
const CODE = blocksOf(page("docs/agents.md"), "ts");

/** The calls, and an archive import in parts. */
const SHELL = blocksOf(page("docs/http.md"), "sh");

async function bash(script: string, cwd: string): Promise<string> {
  const options = { cwd, env: { ...process.env, URL: worker.url, TOKEN } };
  return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], options)).stdout;
}

/**
 * Errors of a call, and of the steps inside it. A schema of `GET /tools` has fields with the same names, but no code.
 */
function errorsIn(answer: string): unknown[] {
  const errors: unknown[] = [];
  JSON.parse(answer, (key, value) => {
    if (key === "error" && typeof value?.code === "string") errors.push(value);
    return value;
  });
  return errors;
}

before(async () => {
  assert.equal(CODE.length, 3, "the page has three ts blocks");
  const [agentCode, attemptsCode, turnsCode] = CODE.map((code) => code.replaceAll("./snapshotter.d.ts", "../entry/snapshotter.d.ts"));
  fs.writeFileSync(attempts, attemptsCode!);
  fs.writeFileSync(turns, turnsCode!);
  fs.writeFileSync(
    agent,
    `${agentCode}
     import { bestOfThree } from "./readme-attempts.ts";
     import { backTo, endTurn } from "./readme-turns.ts";
     async function twoTurns(host: any): Promise<string> {
       await host.open();
       const messages = [];
       for (const text of ["one", "two"]) {
         messages.push(text);
         await host.callTool("workspace_write_file", { path: "said", content: text });
         await endTurn(host, messages);
       }
       const left = await backTo(host, 1, messages);
       const { content } = await host.callTool("workspace_read_file", { path: "said" });
       return JSON.stringify({ left, content });
     }
     export default { async fetch(request: Request, env: any) {
       const session = (name: string) => env.AGENT_HOST.getByName(name);
       const answers: Record<string, () => Promise<string>> = {
         "/": () => env.Agent.getByName("a").attempt("readme-agent"),
         "/attempts": () => bestOfThree(session("readme-attempts")),
         "/turns": () => twoTurns(session("readme-turns")),
       };
       return new Response(await answers[new URL(request.url).pathname]!());
     } };`,
  );
  worker = await startLocalWorker({
    vars: { API_TOKEN: TOKEN },
    extraWorkers: [
      {
        name: "agent",
        entry: path.relative(ROOT, agent),
        classes: ["Agent"],
        env: { AGENT_HOST: { type: "durable-object", worker: "main", exportName: "AgentHost" } },
      },
    ],
  });
});

after(async () => {
  await worker.stop();
  fs.rmSync(agent);
  fs.rmSync(attempts);
  fs.rmSync(turns);
});

test("the README's ten lines work from the first to the last", async () => {
  const [[install, ...moreShell], [code, ...moreCode]] = ["sh", "python"].map((language) => blocksOf(page("README.md"), language)) as [string[], string[]];
  assert.deepEqual([...moreShell, ...moreCode], []);
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "snapshotter-readme-"));
  try {
    // pip builds in the directory that it installs from.
    fs.cpSync(path.join(ROOT, "clients/python"), path.join(directory, "clients/python"), { recursive: true });
    fs.writeFileSync(path.join(directory, "lines.py"), code!);
    const env = { ...process.env, SNAPSHOTTER_URL: worker.url, SNAPSHOTTER_TOKEN: TOKEN };
    const script = `${install!.trimEnd()} < "${directory}/lines.py"`;
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: directory, env });
    assert.equal(stdout.trim().split("\n").at(-1), "works");
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test("the TypeScript runs and does what its comments say", async () => {
  const fetcher = await worker.mf.getWorker(`${worker.name}-agent`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = await fetcher.fetch("http://agent/");
    assert.equal(await response.text(), "works", `attempt ${attempt}`);
  }
});

test("three attempts leave the active workspace with the best one's file, and no other workspace", async () => {
  const fetcher = await worker.mf.getWorker(`${worker.name}-agent`);
  for (let attempt = 0; attempt < 2; attempt++) {
    const response = await fetcher.fetch("http://agent/attempts");
    assert.equal(await response.text(), "def double(x): return x + x\n", `attempt ${attempt}`);
  }
  const session = `${worker.url}/v1/sessions/readme-attempts`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { workspaces } = (await (await fetch(`${session}/workspaces`, { headers })).json()) as WorkspaceList;
  assert.deepEqual(workspaces.map(({ kind, active }) => ({ kind, active })), [{ kind: "origin", active: true }]);
  const closed = await fetch(`${session}/close`, { method: "POST", headers });
  assert.equal(closed.status, 200);
});

test("a turn brings back its files and its messages", async () => {
  const fetcher = await worker.mf.getWorker(`${worker.name}-agent`);
  const response = await fetcher.fetch("http://agent/turns");
  assert.deepEqual(await response.json(), { left: ["one"], content: "one" });
});

test("the TypeScript of all pages has the published types", async () => {
  const directory = path.join(ROOT, ".local", "documented");
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory);
  const pages = ["README.md", ...fs.globSync("docs/**/*.md", { cwd: ROOT })];
  const blocks = pages.flatMap((page) => blocksOf(fs.readFileSync(path.join(ROOT, page), "utf8"), "ts"));
  assert.ok(blocks.length >= 3, "README.md and docs/access.md have some");
  for (const [index, code] of blocks.entries()) {
    const whole = code.startsWith("import ") ? code : GIVEN + code;
    fs.writeFileSync(path.join(directory, `${index}.ts`), whole.replaceAll("./snapshotter.d.ts", "../../entry/snapshotter.d.ts"));
  }
  // Adds a library with `Symbol.dispose`: without it tsc does not check the value of a `using`.
  const config = { extends: "../../tsconfig.worker.json", compilerOptions: { lib: ["esnext"] }, include: ["*.ts"], exclude: [] };
  fs.writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(config));
  await promisify(execFile)("tsc", ["--project", directory]).catch(({ stdout }: { stdout: string }) => assert.fail(stdout));
});

test("the curl lines run", async () => {
  const commands = SHELL[0]!.trimEnd().split("\n");
  const script = commands.map((line) => (line.startsWith("api ") ? line.replace(/ {2,}#.*/, "") + "; echo" : line));
  const stdout = await bash(script.join("\n"), ROOT);
  const lines = stdout.trim().split("\n");
  const calls = commands.filter((line) => line.startsWith("api "));
  assert.equal(lines.length, calls.length);
  for (const [index, line] of lines.entries()) assert.deepEqual(errorsIn(line), [], calls[index]);
  assert.equal((JSON.parse(lines.at(-1)!) as { status: string }).status, "closed");
});

test("an archive goes in by its parts", async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  assert.equal((await fetch(`${worker.url}/v1/sessions/my-session`, { method: "PUT", headers, body: "{}" })).status, 200);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "snapshotter-parts-"));
  try {
    fs.mkdirSync(path.join(dir, "data"));
    fs.writeFileSync(path.join(dir, "data", "file"), "content");
    const lines = (await bash(SHELL[1]!, dir)).trim().split("}{").length;
    assert.equal(lines, 2, "one part, and the end");
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
  const read = await fetch(`${worker.url}/v1/sessions/my-session/tools/workspace_run`, {
    method: "POST", headers, body: JSON.stringify({ command: "cat data/file" }),
  });
  assert.equal(((await read.json()) as { stdout: string }).stdout, "content");
});
