/** Sends one operation's request: its address, headers, retries, time limit and errors. */

import { NoAnswerError, SnapshotterError, TimedOutError, UnexpectedAnswerError, say } from "./errors.ts";
import { ERRORS, InvalidArgumentError } from "./generated/errors.ts";
import type { ErrorBody, operations } from "./generated/openapi.ts";
import { ROUTES, type Route } from "./generated/operations.ts";

export interface ClientOptions {
  /** The deployment's address, as https://snapshotter.example.com. Default: the variable SNAPSHOTTER_URL. */
  url?: string | URL;
  /** The operator's token or a session's. Default: the variable SNAPSHOTTER_TOKEN, unless SNAPSHOTTER_URL is another address. */
  token?: string;
  /** Time limit of each call in milliseconds, retries included. Default ten minutes. */
  deadlineMs?: number;
  /** How often a call is repeated after a network failure, if that is safe. Default 3. */
  retries?: number;
  /** Replaces the global `fetch`. With a service binding: `env.SNAPSHOTTER.fetch.bind(env.SNAPSHOTTER)`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, and cancels its work if it can be cancelled. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time limit in milliseconds, retries included. Of a stream: until it begins. Default: the client's. */
  deadlineMs?: number | undefined;
}

/** Options of a call that can be cancelled by name. */
export interface NamedOptions extends CallOptions {
  /** Name to `cancel` the call by. */
  operationId?: string | undefined;
}

/** Options of a call that answers a repetition with its first answer. */
export interface KeyedOptions extends NamedOptions {
  /** Default: a new one for each call. Give your own to repeat the call from another process. */
  idempotencyKey?: string | undefined;
}

export type OperationId = keyof operations;

type Json<Content> = Content extends { content: { "application/json": infer Body } } ? Body : never;
type ParametersIn<Id extends OperationId, In extends "path" | "query"> = NonNullable<operations[Id]["parameters"][In]>;

/** What an operation answers. */
export type Answer<Id extends OperationId> = Json<operations[Id]["responses"][keyof operations[Id]["responses"]]>;
/** The parts of an operation's path. */
export type PathOf<Id extends OperationId> = ParametersIn<Id, "path">;
/** The arguments of an operation: the fields of its JSON body, or its query. */
export type Arguments<Id extends OperationId> =
  Json<NonNullable<operations[Id]["requestBody"]>> extends infer Body ? ([Body] extends [never] ? Query<Id> : Body) : never;
type Query<Id extends OperationId> = [ParametersIn<Id, "query">] extends [never] ? unknown : ParametersIn<Id, "query">;

/** What an archive is sent from. Browsers send a stream only over HTTP/2, and some not at all. */
export type Bytes = Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

interface Call {
  path: Record<string, string | number>;
  /** Arguments, with the call's options beside them. */
  fields: object & KeyedOptions;
  bytes?: Bytes;
  headers?: Record<string, string>;
  /** Its caller chooses the tool, as a model does: hints name tools. */
  forModel?: boolean;
}

/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** The end of an address by a snapshot's id. */
const ID = /\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Bounds of the pause before a repetition. */
const PAUSE_MS = { first: 200, longest: 5_000 };

export class Transport {
  readonly url: string;
  readonly #token: string;
  readonly #deadlineMs: number;
  readonly #retries: number;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;

  constructor({ url, token, deadlineMs = 600_000, retries = 3, fetch = (...args) => globalThis.fetch(...args) }: ClientOptions) {
    const known = variable("SNAPSHOTTER_URL");
    const address = url === undefined ? known : addressOf(url);
    if (address === undefined) throw new TypeError("no url: set SNAPSHOTTER_URL and SNAPSHOTTER_TOKEN, as `make dev` prints them, or give url and token");
    this.url = address;
    if (!/^https?:\/\/[^/]/.test(this.url)) throw new TypeError(`url is "${this.url}"; it is the deployment's address, as https://snapshotter.example.com`);
    // The environment's token belongs to the environment's address.
    const secret = token ?? (known === undefined || this.url === known ? variable("SNAPSHOTTER_TOKEN") : undefined);
    if (secret === undefined) throw new TypeError(`no token for ${this.url}: set SNAPSHOTTER_TOKEN, or give token`);
    this.#token = secret;
    this.#deadlineMs = deadlineMs;
    this.#retries = retries;
    this.#fetch = fetch;
  }

  /** Calls an operation that answers JSON. */
  json<Id extends OperationId>(id: Id, request: Call): Promise<Answer<Id>> {
    return this.#send(id, request, async (response, name) => {
      const text = await response.text();
      try {
        return JSON.parse(text) as Answer<Id>;
      } catch {
        throw new UnexpectedAnswerError(name, response.status, text);
      }
    });
  }

  /** Calls an operation that answers a stream. */
  stream(id: OperationId, request: Call): Promise<ReadableStream<Uint8Array>> {
    return this.#send(id, request, async ({ body }) => body ?? new Blob([]).stream());
  }

  /** Opens the WebSocket of an operation. A page can't set headers, and logs show subprotocols, so a ticket stands for the token. */
  async socket(id: OperationId, request: Call): Promise<WebSocket> {
    const { url } = this.#prepare(ROUTES[id], request);
    const path = ROUTES[id].path.replace("/v1/sessions/{session}", "");
    const fields = { path };
    const { ticket } = await this.json("createTicket", { path: request.path, fields });
    const socket = new WebSocket(url.replace(/^http/, "ws"), ["snapshotter", `ticket.${ticket}`]);
    socket.binaryType = "arraybuffer";
    return socket;
  }

  async #send<T>(id: OperationId, request: Call, read: (response: Response, name: string) => Promise<T>): Promise<T> {
    const route = ROUTES[id];
    const { signal, deadlineMs = this.#deadlineMs } = request.fields;
    const { url, init, operationId } = this.#prepare(route, request);
    const isRepetition = request.fields.idempotencyKey !== undefined;
    const name = `${route.method} ${new URL(url).pathname}`;
    // After an edit or a delete, a name may mean another snapshot, or none. A stream of bytes can be sent only once.
    const isChange = route.method === "PATCH" || route.method === "DELETE";
    const isSame = isChange && route.path.endsWith("/snapshots/{snapshot}") ? ID.test(name) : route.method !== "POST";
    const isSafe = (isSame && !(request.bytes instanceof ReadableStream)) || route.keyed;

    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new TimedOutError(name, deadlineMs)), Math.min(deadlineMs, TIMER_MAX_MS));
    // The signal also aborts a stream that is being read; the time limit is over by then.
    const ended = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      for (let failures = 0; ; ) {
        const answer = await this.#attempt(name, url, { ...init, signal: ended }, read, request.forModel);
        if (!(answer instanceof SnapshotterError)) return answer;
        // The first request under this key still runs: the one whose answer was lost, or that of another process.
        const stillRuns = (failures > 0 || isRepetition) && answer.code === "CONFLICT" && answer.retryAfterMs !== undefined;
        const wasLost = answer.code === "NO_ANSWER" || (answer.code === "UNEXPECTED_ANSWER" && answer.retryable);
        if (!stillRuns && (!wasLost || !isSafe || failures >= this.#retries)) throw answer;
        if (wasLost) failures += 1;
        const pauseMs = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** failures) * (0.5 + Math.random() / 2);
        await pause(answer.retryAfterMs ?? pauseMs, ended);
      }
    } catch (error) {
      if (!ended.aborted) throw error;
      // The end of its connection does not end the call.
      if (operationId !== undefined) this.#cancel(request, operationId);
      throw ended.reason;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns errors, and throws only if the call was aborted. */
  async #attempt<T>(name: string, url: string, init: RequestInit, read: (response: Response, name: string) => Promise<T>, forModel = false): Promise<T | SnapshotterError> {
    try {
      const response = await this.#fetch(url, init);
      if (response.ok) return await read(response, name);
      const text = await response.text();
      // A page sees neither a redirect's status nor its target.
      if ((response.type as string) !== "opaqueredirect" && Math.trunc(response.status / 100) !== 3) return errorFrom(name, response.status, text, forModel);
      return new UnexpectedAnswerError(name, response.status, `a redirect to ${response.headers.get("location") ?? "another address"}`);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      return error instanceof SnapshotterError ? error : new NoAnswerError(name, error);
    }
  }

  #prepare(route: Route, { path, fields, bytes, headers }: Call) {
    const { signal: _, deadlineMs: __, idempotencyKey = crypto.randomUUID(), operationId: named, ...rest } = fields;
    // Named, a call can be cancelled. A repetition without a key could meet the name in use, so reads and deletes have none.
    const operationId = named ?? (route.named && route.method === "POST" ? crypto.randomUUID() : undefined);
    const url = new URL(this.url + route.path.replaceAll(/\{(\w+)\}/g, (_, part: string) => segment(part, path[part])));
    const init: RequestInit & { duplex?: "half" } = {
      method: route.method,
      // No call answers with a redirect. One from between could send arguments elsewhere, or make a POST a GET.
      redirect: "manual",
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(route.keyed && { "idempotency-key": idempotencyKey }),
        ...(operationId !== undefined && { "operation-id": operationId }),
        ...(route.json && { "content-type": "application/json" }),
        ...headers,
      },
    };
    if (route.json) {
      init.body = JSON.stringify(rest);
    } else {
      for (const [name, value] of Object.entries(rest)) {
        for (const one of [value].flat()) if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
      }
      if (bytes) init.body = bytes as NonNullable<RequestInit["body"]>;
      if (bytes instanceof ReadableStream) init.duplex = "half";
    }
    return { url: url.href, init, operationId };
  }

  /** The caller is not interested in the outcome any more. */
  #cancel({ path }: Call, operation: string): void {
    this.json("cancelOperation", { path: { ...path, operation }, fields: { deadlineMs: 10_000 } }).catch(() => {});
  }
}

const addressOf = (url: string | URL) => String(url).replace(/\/+$/, "");

/** A variable of the environment, where the platform has one. */
function variable(name: "SNAPSHOTTER_URL" | "SNAPSHOTTER_TOKEN"): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  if (!value) return undefined;
  return name === "SNAPSHOTTER_URL" ? addressOf(value) : value;
}

/** An address would lose these segments, and name something else. */
function segment(part: string, value: string | number | undefined): string {
  const text = String(value ?? "");
  if (!["", ".", ".."].includes(text)) return encodeURIComponent(text);
  const [message, hint] = [`${part} can't be ${JSON.stringify(text)} in an address`, "Name it by its id."];
  throw new InvalidArgumentError({ code: "INVALID_ARGUMENT", message, hint, retryable: false, outcome: "none" });
}

/** The error that an answer's text describes. */
function errorFrom(name: string, status: number, text: string, forModel: boolean): SnapshotterError {
  try {
    const { error } = JSON.parse(text) as { error: ErrorBody };
    if (typeof error.code === "string") return errorOf(error, status, forModel);
  } catch {
    // No JSON of ours.
  }
  return new UnexpectedAnswerError(name, status, text);
}

/**
 * The error of an answer's field: of a fork that was not made, or a recorded call that failed. Its hint names methods of
 * `Session`; for a model, it names tools.
 */
export function errorOf(body: ErrorBody, status?: number, forModel = false): SnapshotterError {
  const fields = body.next && !forModel ? { ...body, hint: say(body.next) } : body;
  // A newer Worker may have more codes.
  return new (ERRORS[body.code] ?? SnapshotterError)(fields, status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
