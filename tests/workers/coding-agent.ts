/**
 * An agent as its author would write it: a Worker on the `agents` package. Its object reaches a session's `AgentHost`
 * by binding and the types of entry/snapshotter.d.ts, and calls tools as a model would. The model's decisions are
 * scripted here; everything else is real.
 *
 * The task: a quicker `median`. The plan: write it and its tests, snapshot, try something risky, see the tests fail,
 * restore, branch two attempts from the same snapshot, keep the better one.
 */

import { Agent, getAgentByName } from "agents";
import measure from "../fixtures/median/measure.py";
import stats from "../fixtures/median/stats.py";
import sorted from "../fixtures/median/stats_sorted.py";
import stopEarly from "../fixtures/median/stats_stop_early.py";
import tests from "../fixtures/median/test_stats.py";
import type { AgentHostApi, SnapshotRef, WorkspaceRef } from "../../entry/snapshotter.d.ts";

interface Env {
  AGENT_HOST: DurableObjectNamespace;
  CodingAgent: DurableObjectNamespace<CodingAgent>;
}

/** The agent's memory, which survives every restart: the agent can continue from any step. */
interface Memory {
  lastGood?: SnapshotRef;
  attempts: Attempt[];
  kept?: string;
}

interface Attempt {
  name: string;
  workspace: WorkspaceRef;
  verdict: Verdict;
}

/** The program itself reports `comparisons`; fewer are better. */
interface Verdict {
  passed: boolean;
  comparisons: number;
}

const ATTEMPTS = { "stop early": stopEarly, sorted };

export class CodingAgent extends Agent<Env, Memory> {
  override initialState: Memory = { attempts: [] };

  get #host(): DurableObjectStub & AgentHostApi {
    return this.env.AGENT_HOST.getByName(this.name) as DurableObjectStub & AgentHostApi;
  }

  override async onRequest(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json(this.state);
    await this.#host.open({ capabilities: { fs: true, shell: { allowlist: ["python3"] }, snapshot: true } });
    await this.#writeFirstVersion();
    const risk = await this.#takeTheRisk();
    for (const [name, source] of Object.entries(ATTEMPTS)) await this.#attempt(name, source);
    const kept = await this.#keepTheBetter();
    return Response.json({ risk, kept, state: this.state, said: await this.#finish() });
  }

  async #writeFirstVersion(): Promise<void> {
    await this.#tool("workspace_write_file", { path: "stats.py", content: stats });
    await this.#tool("workspace_write_file", { path: "test_stats.py", content: tests });
    await this.#tool("workspace_write_file", { path: "measure.py", content: measure });
    const first = await this.#judge();
    if (!first.passed) throw new Error("the first version fails its tests");
    const { ref } = await this.#tool("workspace_snapshot", { name: "works", description: `${first.comparisons} comparisons` });
    this.setState({ ...this.state, lastGood: ref });
  }

  /** Sorts the caller's own list: a test fails, and the agent goes back. */
  async #takeTheRisk(): Promise<Verdict> {
    await this.#tool("workspace_edit_file", { path: "stats.py", oldText: "ordered = list(numbers)", newText: "ordered = numbers" });
    await this.#tool("workspace_write_file", { path: "notes.txt", content: "copying is a waste" });
    const verdict = await this.#judge();
    if (!verdict.passed) await this.#tool("workspace_restore", { ref: this.state.lastGood });
    return verdict;
  }

  async #attempt(name: string, source: string): Promise<void> {
    const { ref } = await this.#tool("workspace_branch", { ref: "works" });
    await this.#tool("workspace_write_file", { path: "stats.py", content: source });
    const verdict = await this.#judge();
    this.setState({ ...this.state, attempts: [...this.state.attempts, { name, workspace: ref, verdict }] });
  }

  async #keepTheBetter(): Promise<string> {
    const passed = this.state.attempts.filter(({ verdict }) => verdict.passed);
    const [best, ...others] = passed.sort((a, b) => a.verdict.comparisons - b.verdict.comparisons);
    if (!best) throw new Error("no attempt passes");
    await this.#tool("workspace_switch", { ref: best.workspace });
    for (const { workspace } of others) await this.#host.destroyWorkspace(workspace);
    await this.#tool("workspace_snapshot", { name: "better", description: best.name });
    this.setState({ ...this.state, kept: best.name });
    return best.name;
  }

  /** Looks at the final workspace, as a model would. */
  async #finish() {
    const { entries } = await this.#tool("workspace_ls", {});
    const { content } = await this.#tool("workspace_read_file", { path: "stats.py" });
    const { snapshots: listed } = await this.#tool("workspace_list_snapshots", {});
    const { workspaces, active } = await this.#tool("workspace_list_workspaces", {});
    return { entries, content, listed, workspaces, active };
  }

  async #judge(): Promise<Verdict> {
    const tests = await this.#tool("workspace_run", { command: ["python3", "-B", "-m", "unittest", "-q"] });
    const measured = await this.#tool("workspace_run", { command: ["python3", "-B", "measure.py"] });
    return { passed: tests.exitCode === 0, comparisons: Number(measured.stdout) };
  }

  #tool(name: string, input: object): Promise<any> {
    return this.#host.callTool(name, input);
  }
}

export default {
  /** Any path is an agent's name. */
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = await getAgentByName(env.CodingAgent, new URL(request.url).pathname.slice(1));
    return agent.fetch(request);
  },
};
