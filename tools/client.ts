/** A session over HTTP with a bearer token, as an agent's program would use it. */

import type {
  ExecResult, SessionView, SnapshotPage, SnapshotSelector, SnapshotView, ListedTool, WorkspaceConfig, WorkspaceList, WorkspaceRef,
} from "../entry/snapshotter.d.ts";

export interface RunOptions {
  env?: Record<string, string>;
  timeoutMs?: number;
}

/**
 * The deployment that URL and TOKEN name, or undefined if neither is set. The token stays out of every command line.
 */
export function deploymentFromEnv(): { url: string; token: string } | undefined {
  const { URL: url, TOKEN: token } = process.env;
  if (!url && !token) return undefined;
  if (!url || !token) throw new Error("set both URL (https://…, without a path) and TOKEN (the deployment's API_TOKEN), or neither");
  if (!/^https?:\/\/[^/]+\/?$/.test(url)) throw new Error(`URL is ${url}; it is the deployment's address without a path, as https://snapshotter.example.com`);
  return { url: url.replace(/\/$/, ""), token };
}

/** A response that is not a success. `code` is the product's error code, if the response has its error shape. */
export class HttpError extends Error {
  readonly code: string | undefined;

  constructor(request: string, status: number, body: string) {
    super(`${request} answered ${status}: ${body}`);
    this.code = /"code":"([A-Z_]+)"/.exec(body)?.[1];
  }
}

export class Session {
  readonly #root: string;
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string, id: string) {
    this.#root = url;
    this.#url = `${url}/v1/sessions/${encodeURIComponent(id)}`;
    this.#token = token;
  }

  async request<T>(method: string, route: string, body?: object): Promise<T> {
    const response = await this.#ask(method, route, body && JSON.stringify(body));
    return (await response.json()) as T;
  }

  /** A request to a route across sessions. */
  async operator<T>(method: string, route: string): Promise<T> {
    const response = await this.#ask(method, route, undefined, this.#root);
    return (await response.json()) as T;
  }

  async #ask(method: string, route: string, body?: string | Uint8Array, url = this.#url): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(url + route, { method, headers, ...(body !== undefined && { body }) });
    if (!response.ok) throw new HttpError(`${method} ${route || "/"}`, response.status, await response.text());
    return response;
  }

  /** The answer of a server in the active workspace's container. */
  async visit(port: number, path: string): Promise<Uint8Array> {
    return (await this.#ask("GET", `/ports/${port}/${path}`)).bytes();
  }

  open(config: WorkspaceConfig): Promise<SessionView> {
    return this.request("PUT", "", config);
  }

  close(): Promise<SessionView> {
    return this.request("POST", "/close");
  }

  async tools(): Promise<ListedTool[]> {
    return (await this.request<{ tools: ListedTool[] }>("GET", "/tools?tools=all")).tools;
  }

  tool<T>(name: string, input: object = {}): Promise<T> {
    return this.request("POST", `/tools/${name}`, input);
  }

  /** Runs a command. A string goes to the container's shell. */
  run(command: string | string[], options: RunOptions = {}): Promise<ExecResult> {
    return this.tool("workspace_run", { command, ...options });
  }

  /** The output of a command that must succeed, without its final newline. */
  async output(command: string | string[], options: RunOptions = {}): Promise<string> {
    const result = await this.run(command, options);
    if (!result.success) throw new Error(`${command}: exit status ${result.exitCode}: ${result.stderr}`);
    return result.stdout.trimEnd();
  }

  snapshot(options: { name?: string; description?: string; incremental?: boolean } = {}): Promise<SnapshotView> {
    return this.request("POST", "/snapshots", options);
  }

  /** Ends a turn of the conversation. */
  saveTurn(cursor: unknown): Promise<SnapshotView> {
    return this.request("POST", "/turns", { cursor });
  }

  /** Makes a workspace and, unlike the tool, leaves the active one active. */
  async restore(ref: SnapshotSelector): Promise<WorkspaceRef> {
    return (await this.request<{ ref: WorkspaceRef }>("POST", "/workspaces", { from: ref, kind: "restored" })).ref;
  }

  async branch(ref: SnapshotSelector): Promise<WorkspaceRef> {
    return (await this.request<{ ref: WorkspaceRef }>("POST", "/workspaces", { from: ref, kind: "branch" })).ref;
  }

  /** The content of a snapshot's file. */
  async fileOf(snapshot: string, path: string): Promise<Uint8Array> {
    return (await this.#ask("GET", `/snapshots/${encodeURIComponent(snapshot)}/files/content?${new URLSearchParams({ path })}`)).bytes();
  }

  list(query: Record<string, string>): Promise<SnapshotPage> {
    return this.request("GET", `/snapshots?${new URLSearchParams(query)}`);
  }

  /** All stored snapshots, including automatic ones. Only the first page. */
  async stored(): Promise<SnapshotView[]> {
    const { snapshots } = await this.list({ includeAuto: "true" });
    return snapshots.map(({ ref, snapshotId, ...snapshot }) => ({ ref, snapshotId, snapshot }));
  }

  /** Deletes a snapshot, even one that a workspace would wake from. */
  async delete(snapshot: string): Promise<void> {
    await this.request("DELETE", `/snapshots/${encodeURIComponent(snapshot)}?force=true`);
  }

  async exportTar(path = "."): Promise<Uint8Array> {
    return (await this.#ask("GET", `/archive?${new URLSearchParams({ path })}`)).bytes();
  }

  async importTar(path: string, tar: Uint8Array): Promise<void> {
    await this.#ask("PUT", `/archive?${new URLSearchParams({ path })}`, tar);
  }

  workspaces(): Promise<WorkspaceList> {
    return this.request("GET", "/workspaces");
  }

  async destroyWorkspace(ref: WorkspaceRef): Promise<void> {
    await this.request("DELETE", `/workspaces/${ref.ref.id}`);
  }
}
