/** Checks that docs/openapi.json documents every HTTP response of these tests' Workers: its status and its code. */

import * as fs from "node:fs";
import * as path from "node:path";
import { ROOT } from "../../tools/local-worker.ts";

type Operation = { operationId: string; responses: Record<string, unknown>; "x-error-codes"?: string[] };
type Paths = Record<string, Record<string, Operation>>;

const { paths } = JSON.parse(fs.readFileSync(path.join(ROOT, "docs/openapi.json"), "utf8")) as { paths: Paths };

/** A parameter matches any text between two slashes. */
const TEMPLATES = Object.entries(paths)
  .map(([template, item]) => ({ pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "[^/]*")}$`), item }));

/** Statuses for paths and methods outside the document: refused early, or unknown. */
const OF_NO_ROUTE = [400, 401, 403, 404, 405, 414];

/** The problem with a response, if it has one. */
export function undocumented(method: string, url: URL, status: number, code: string | undefined): string | undefined {
  // The console is a page, and no operation.
  if (method === "OPTIONS" || /\/test-|^\/console(\/|$)/.test(url.pathname)) return undefined;
  const item = TEMPLATES.find(({ pattern }) => pattern.test(url.pathname))?.item;
  const operation = item?.[method.toLowerCase()];
  const answered = `${method} ${url.pathname} answered ${status} ${code ?? ""}`;
  if (!operation) return OF_NO_ROUTE.includes(status) ? undefined : `${answered}, and is no route`;
  if (!(String(status) in operation.responses)) return `${answered}: ${operation.operationId} has no such status`;
  if (code === undefined || operation["x-error-codes"]?.includes(code)) return undefined;
  return `${answered}: ${operation.operationId} has no such code`;
}

/**
 * Checks every response to a `fetch` of this process from those addresses, the MCP SDK's requests too, and reports its
 * problem.
 */
export function watchAnswers(isOurs: (url: URL) => boolean, tell: (problem: string) => void): void {
  const fetched = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await fetched(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    if (!isOurs(url)) return response;
    const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
    const problem = undocumented(method, url, response.status, response.ok ? undefined : await codeOf(response.clone()));
    if (problem !== undefined) tell(problem);
    return response;
  };
}

async function codeOf(response: Response): Promise<string | undefined> {
  const text = await response.text();
  try {
    const code = (JSON.parse(text) as { error?: { code?: unknown } }).error?.code;
    // JSON-RPC's codes are numbers.
    return typeof code === "string" ? code : undefined;
  } catch {
    // The runtime's own text, and not JSON.
    return undefined;
  }
}
