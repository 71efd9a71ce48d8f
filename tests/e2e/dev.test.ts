// `make dev AGENT=…`, as docs/install.md says: the tool runs, and the agent beside it answers.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as net from "node:net";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { inTime } from "../../tools/in-time.ts";
import { ROOT } from "../../tools/local-worker.ts";

const AGENT = "tests/workers/coding-agent.ts";
const state = fs.mkdtempSync(path.join(ROOT, ".local", "dev-test-"));
let dev: ChildProcess;
let said = "";
let port: number;

/** Two consecutive free ports: one for the Worker, the next for the agent. */
async function twoFreePorts(): Promise<number> {
  for (let first = 20_000 + (process.pid % 10_000); ; first += 2) {
    if ((await isFree(first)) && (await isFree(first + 1))) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(() => true, () => false);
  server.close();
  return free;
}

before(async () => {
  assert.match(fs.readFileSync(path.join(ROOT, "docs/install.md"), "utf8"), /make dev AGENT=/);
  port = await twoFreePorts();
  const env = { ...process.env, PORT: String(port), AGENT, VARIANT: "test", STATE: state };
  dev = spawn(process.execPath, [path.join(ROOT, "tools/dev.ts")], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk;
      if (/^ *curl .*$/m.test(said)) resolve();
    };
    dev.stdout!.on("data", read);
    dev.stderr!.on("data", read);
    dev.on("exit", (status) => reject(new Error(`ended with ${status}: ${said}`)));
  });
  await inTime(ready, 120_000, () => `${said}\nmake dev did not start`);
});

after(async () => {
  if (dev.exitCode === null) {
    const ended = once(dev, "exit");
    dev.kill("SIGINT");
    await inTime(ended, 30_000, () => `${said}\nmake dev did not end at SIGINT`).finally(() => dev.kill("SIGKILL"));
  }
  fs.rmSync(state, { recursive: true, force: true });
});

test("it prints where it is, with which token, and how to reach its engine", async () => {
  assert.ok(said.includes(`export DOCKER_HOST=${process.env["DOCKER_HOST"]}`), said);
  const [, url, token] = /export URL=(\S+) TOKEN=(\S+)/.exec(said) ?? [];
  assert.equal(url, `http://127.0.0.1:${port}`);
  assert.ok(said.includes(`${url}/console#token=${token} `), said);
  assert.ok(said.includes("export SNAPSHOTTER_URL=$URL SNAPSHOTTER_TOKEN=$TOKEN"), said);
  const answer = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
});

test("it prints what docs/mcp.md says for each MCP client, without the token", async () => {
  const [, url, token] = /export URL=(\S+) TOKEN=(\S+)/.exec(said)!;
  const page = fs.readFileSync(path.join(ROOT, "docs/mcp.md"), "utf8");
  const here = (text: string) => text.replaceAll("https://snapshotter.example.com/v1/sessions/my-session", `${url}/v1/sessions/demo`).replaceAll("SESSION_TOKEN", "SNAPSHOTTER_TOKEN");
  const [project, vscode] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, block]) => JSON.parse(here(block!)));
  const printed = (file: string) => JSON.parse(new RegExp(`^ *${file} +(.*)$`, "m").exec(said)![1]!);
  assert.deepEqual(printed("\\.vscode/mcp\\.json"), vscode);
  // Cursor names a variable of the environment otherwise.
  assert.deepEqual(JSON.parse(JSON.stringify(printed("\\.cursor/mcp\\.json")).replace("${env:", "${")), project);
  const codex = /```toml\n\[mcp_servers\.workspace\]\n(.*?)\n(.*?)\n```/s.exec(here(page))!;
  assert.ok(said.includes(`mcp_servers.workspace = { ${codex[1]}, ${codex[2]} }`), said);
  const claude = /^ *(claude mcp add .*)$/m.exec(said)![1]!;
  assert.equal(claude, here(/```\n(claude mcp add [^`]*)```/.exec(page)![1]!).replace(/ \\\n +/, " ").trim().replace("$SNAPSHOTTER_TOKEN", "$TOKEN").replace(`${url}/v1/sessions/demo/mcp`, '"$URL/v1/sessions/demo/mcp"'));
  assert.ok(!said.slice(said.indexOf("For an MCP client")).includes(token!));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json, text/event-stream" };
  assert.ok((await fetch(`${url}/v1/sessions/demo`, { method: "PUT", headers, body: "{}" })).ok);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const answer = await fetch(`${url}/v1/sessions/demo/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) });
  assert.equal(answer.status, 200, await answer.text());
});

test("the agent beside it carries out its plan", async () => {
  assert.ok(said.includes(`agent: http://127.0.0.1:${port + 1}`), said);
  const answer = await fetch(`http://127.0.0.1:${port + 1}/coding`, { method: "POST" });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.equal(JSON.parse(text).kept, "sorted");
});
