// Every command and every line of code in the README is run: a README that is not true fails here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT, startLocalWorker, type LocalWorker } from "../../tools/local-worker.ts";

const TOKEN = "readme-token";
const readme = fs.readFileSync(path.join(ROOT, "README.md"), "utf8");
const agent = path.join(ROOT, ".local", "readme-agent.ts");
let worker: LocalWorker;

/** The one block of that language. */
function block(language: string): string {
  const blocks = [...readme.matchAll(new RegExp("```" + language + "\\n(.*?)```", "gs"))];
  assert.equal(blocks.length, 1, `the README has one ${language} block`);
  return blocks[0]![1]!;
}

before(async () => {
  fs.writeFileSync(
    agent,
    `${block("ts").replaceAll("./snapshotter.d.ts", "../entry/snapshotter.d.ts")}
     export default { async fetch(_request: Request, env: any) {
       return new Response(await env.Agent.getByName("a").attempt("readme-agent"));
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
});

test("the TypeScript runs and does what its comments say", async () => {
  const fetcher = await worker.mf.getWorker(`${worker.name}-agent`);
  const response = await fetcher.fetch("http://agent/");
  assert.equal(await response.text(), "works");
});

test("the curl lines run", async () => {
  const commands = block("sh").trimEnd().split("\n");
  const script = commands.map((line) => (line.startsWith("api ") ? line.replace(/ {2,}#.*/, "") + "; echo" : line));
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script.join("\n")], {
    env: { ...process.env, URL: worker.url, TOKEN },
  });
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  const calls = commands.filter((line) => line.startsWith("api "));
  assert.equal(answers.length, calls.length);
  for (const [index, answer] of answers.entries()) assert.ok(!("error" in answer), `${calls[index]}: ${JSON.stringify(answer)}`);
  assert.equal((answers.at(-1) as { status: string }).status, "closed");
});
