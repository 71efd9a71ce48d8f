import { WorkerEntrypoint } from "cloudflare:workers";
import { serveBucket } from "./buckets.ts";

/** The properties that bind the entrypoint to a sandbox: src/platform/container/egress.rs. */
type Props = { sandbox: string };

type Verdict = { headers: [string, string][] } | Refused;

type Refused = { refused: string; retryAfterMs?: number };

/**
 * Requests that were refused too often, with the time until which we refuse them without asking. Without this map, each
 * one would cost a request to the sandbox's object.
 */
const refusedUntil = new Map<string, { verdict: Refused; at: number }>();
const REFUSED_KEPT = 1_000;
/** Maximum length of a DNS name, in characters. The parser of URLs accepts longer ones, which would fill our memory. */
const HOSTNAME_MAX = 253;

type Exports = { Sandbox: DurableObjectNamespace };

/**
 * A handler that answers a request in place of a server.
 *
 * Hosts of the Worker itself have handlers in `INTERNAL`. No public host can have such a name.
 */
type Internal = (request: Request, props: Props, env: unknown, ctx: ExecutionContext) => Promise<Response>;
const INTERNAL = new Map<string, Internal>([["r2.internal", serveBucket]]);

/**
 * Receives HTTP and HTTPS requests of a container whose session has a network policy. The sandbox's object decides;
 * this class sends. Only this Worker can bind the class to a sandbox: bindings of other Workers have no `props`.
 */
export class Egress extends WorkerEntrypoint<unknown, Props> {
  override async fetch(request: Request): Promise<Response> {
    const props = this.ctx.props;
    // The policy is checked for exactly the URL that is sent, however the container wrote it.
    const url = new URL(request.url);
    url.username = url.password = "";
    const internal = INTERNAL.get(url.hostname);
    if (internal) return internal(request, props, this.env, this.ctx);
    if (url.hostname.length > HOSTNAME_MAX) return refusal(`host names of more than ${HOSTNAME_MAX} characters are refused\n`);
    // In its answer, the server would repeat the headers that we add.
    if (request.method === "TRACE") return refusal("TRACE is refused: it would show what the Worker adds to a request\n");
    const verdict = await this.#verdict(props.sandbox, url);
    if ("refused" in verdict) return refusal(verdict.refused, verdict.retryAfterMs);
    const headers = new Headers(request.headers);
    // The verdict is for the host in the URL.
    headers.delete("host");
    for (const [name, value] of verdict.headers) headers.set(name, value);
    // The container follows a redirect itself, with a new request, so no secret goes to the redirect's target. The
    // cache is not used, because another session could find there what this one got with its secrets.
    const init: RequestInit = { method: request.method, headers, redirect: "manual", cache: "no-store", body: request.body };
    try {
      return await fetch(new Request(url, init));
    } catch {
      // The runtime's message could contain the URL or headers of the request.
      return new Response(`${url.hostname} does not answer\n`, { status: 502 });
    }
  }

  async #verdict(sandbox: string, url: URL): Promise<Verdict> {
    const { Sandbox } = this.ctx.exports as unknown as Exports;
    const { protocol, hostname, port } = url;
    const key = `${sandbox} ${protocol} ${hostname} ${port}`;
    const known = refusedUntil.get(key);
    if (known && Date.now() < known.at) return known.verdict;
    const asked = { "x-snapshotter-egress": JSON.stringify({ protocol, hostname, port }) };
    const answer = await Sandbox.get(Sandbox.idFromString(sandbox)).fetch("http://egress.sandbox/", { headers: asked });
    if (!answer.ok) return { refused: "this request could not be checked against the session's network policy; try again\n" };
    const verdict: Verdict = await answer.json();
    refusedUntil.delete(key);
    if ("refused" in verdict && verdict.retryAfterMs !== undefined) {
      for (const [other, { at }] of refusedUntil) if (at <= Date.now()) refusedUntil.delete(other);
      const [oldest] = refusedUntil.keys();
      if (oldest !== undefined && refusedUntil.size >= REFUSED_KEPT) refusedUntil.delete(oldest);
      refusedUntil.set(key, { verdict, at: Date.now() + verdict.retryAfterMs });
    }
    return verdict;
  }
}

/** Refuses a request. A program that sends too many refused requests is told to wait: it gets 429 instead of 403. */
function refusal(text: string, retryAfterMs?: number): Response {
  const headers = new Headers({ "x-snapshotter-refused": "network policy" });
  if (retryAfterMs !== undefined) headers.set("retry-after", String(Math.ceil(retryAfterMs / 1_000)));
  return new Response(text, { status: retryAfterMs === undefined ? 403 : 429, headers });
}
