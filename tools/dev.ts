/**
 * `make dev`: runs the Worker on 127.0.0.1, and rebuilds and restarts it when a source changes. Ctrl-C ends it;
 * tools/with-engine then removes its containers. Its state is kept, like a deployment's: saved snapshots are still
 * there the next time, and workspaces wake from them.
 *
 * PORT is the port, by default 8787. AGENT names a Worker that runs beside it, on the next port. For the tests, VARIANT
 * is the build to run and STATE the directory of its state; the defaults are those of `make dev`.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import * as net from "node:net";
import * as path from "node:path";
import { ROOT, startLocalWorker, type ExtraWorker } from "./local-worker.ts";

const LOCAL = path.join(ROOT, ".local");
/** An editor saves in several steps. */
const SETTLE_MS = 200;

const port = Number(process.env["PORT"] || 8787);
const agent = process.env["AGENT"] ? agentIn(path.resolve(process.env["AGENT"])) : undefined;
for (const wanted of [port, ...(agent ? [agent.port] : [])]) await expectFree(wanted);
const variant = process.env["VARIANT"] === "test" ? "test" : "dev";
const token = kept("dev-token", () => randomBytes(24).toString("hex"));
const worker = await startLocalWorker({
  variant,
  port,
  // Both names stay the same each time, because they identify objects and containers.
  name: "worker",
  persist: process.env["STATE"] || path.join(LOCAL, "state", "dev"),
  vars: { PREVIEW_HOST: `localhost:${port}`, API_TOKEN: token, TOKEN_KEYS: kept("dev-token-keys", () => `dev:${randomBytes(32).toString("base64")}`) },
  extraWorkers: agent ? [agent] : [],
});
console.log(`
  ${worker.url}   log: ${path.relative(ROOT, worker.logFile)}
${agent ? `  agent: http://127.0.0.1:${agent.port}\n` : ""}
  ${worker.url}/console#token=${token}   # the console, signed in
  export DOCKER_HOST=${process.env["DOCKER_HOST"]}   # its container engine: docker ps, docker logs
  export URL=${worker.url} TOKEN=${token}
  export SNAPSHOTTER_URL=$URL SNAPSHOTTER_TOKEN=$TOKEN   # for the clients and the command line
  curl -X PUT -d '{}' -H "Authorization: Bearer $TOKEN" "$URL/v1/sessions/demo"   # a session, open from then on
${mcpClients(`${worker.url}/v1/sessions/demo/mcp`)}
`);

/** The settings of docs/mcp.md for each client, for this server. The token stays in its variable. */
function mcpClients(url: string): string {
  const server = (token: string) => ({ workspace: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } });
  const input = { type: "promptString", id: "token", description: "Session token", password: true };
  return `
  For an MCP client, to paste once that session is open. Cursor and Codex need the variable SNAPSHOTTER_TOKEN:
  claude mcp add --transport http workspace "$URL/v1/sessions/demo/mcp" --header "Authorization: Bearer $TOKEN"
  .cursor/mcp.json      ${JSON.stringify({ mcpServers: server("${env:SNAPSHOTTER_TOKEN}") })}
  .vscode/mcp.json      ${JSON.stringify({ inputs: [input], servers: server("${input:token}") })}
  ~/.codex/config.toml  mcp_servers.workspace = { url = "${url}", bearer_token_env_var = "SNAPSHOTTER_TOKEN" }`;
}

let changed = false;
let building: Promise<void> | undefined;
let timer: NodeJS.Timeout | undefined;
watch(path.join(ROOT, "src"), { recursive: true });
watch(path.join(ROOT, "entry"), { recursive: true });
watch(path.join(ROOT, "console"), { recursive: true });
if (agent) watch(path.dirname(agent.entry), {});

function watch(directory: string, options: { recursive?: boolean }): void {
  fs.watch(directory, options, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed = true;
      building ??= rebuild().finally(() => (building = undefined));
    }, SETTLE_MS);
  });
}

/** Builds until no source changes during the build. After a failed build, the last good one keeps running. */
async function rebuild(): Promise<void> {
  while (changed) {
    changed = false;
    const began = Date.now();
    if (await succeeds(path.join(ROOT, "tools/build.sh"), `--${variant}`)) {
      await worker.restart().then(
        () => console.log(`  restarted after ${((Date.now() - began) / 1000).toFixed(1)} s`),
        // For example, the agent's code could not be bundled. The next change triggers another attempt.
        (error: Error) => console.error(`  not restarted: ${error.message}`),
      );
    }
  }
}

function succeeds(command: string, ...args: string[]): Promise<boolean> {
  return new Promise((resolve) => spawn(command, args, { stdio: "inherit" }).on("close", (code) => resolve(code === 0)));
}

/**
 * Its exported classes are Durable Objects, except entrypoints. Each class is bound to its own name; ours is
 * `AGENT_HOST`.
 */
function agentIn(entry: string): ExtraWorker & { port: number } {
  if (!fs.existsSync(entry)) fail(`there is no ${entry}; AGENT names the file of a Worker`);
  const classes = Array.from(fs.readFileSync(entry, "utf8").matchAll(/^export class (\w+)\b(?! extends (?:WorkerEntrypoint|WorkflowEntrypoint)\b)/gm), ([, name]) => name!);
  const env = { AGENT_HOST: { type: "durable-object", worker: "main", exportName: "AgentHost" } };
  // Most agents need this, including those on the `agents` package.
  return { name: "agent", entry, classes, env, compatibilityFlags: ["nodejs_compat"], port: port + 1 };
}

/** This is checked here, because miniflare's message would name an option of another program. */
async function expectFree(wanted: number): Promise<void> {
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65_535) fail(`port ${wanted}: PORT, and the next one for an agent, must be 1 to 65535`);
  const server = net.createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening").catch(() => fail(`port ${wanted} is taken; choose another one: make dev PORT=${port + 10}`));
  server.close();
}

function fail(problem: string): never {
  console.error(`error: ${problem}`);
  process.exit(1);
}

/** Made only once, so that exported variables in a shell, and session tokens, stay valid after a restart. */
function kept(name: string, make: () => string): string {
  const file = path.join(LOCAL, name);
  if (!fs.existsSync(file)) fs.writeFileSync(file, make(), { mode: 0o600 });
  return fs.readFileSync(file, "utf8").trim();
}
