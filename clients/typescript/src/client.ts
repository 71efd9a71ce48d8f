import type { EventView, ListedSession, OperatorEventPage, SessionList, SessionUsage, SessionWorkspace, UsagePage, WorkspacePage } from "./generated/openapi.ts";
import { Pages } from "./pages.ts";
import { Session } from "./session.ts";
import { Transport, type Answer, type Arguments, type CallOptions, type ClientOptions, type OperationId } from "./transport.ts";

/** A deployment of Snapshotter. Its own methods are the operator's, across sessions, except `about` and `health`. */
export class Snapshotter {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  /** A session by its name. This makes no call: `open` does. */
  session(name: string): Session {
    return new Session(this.#transport, name);
  }

  about(options: CallOptions = {}) {
    return this.#call("about", options);
  }
  /** Whether the Worker is configured. */
  health(options: CallOptions = {}) {
    return this.#call("health", options);
  }
  /** Every session that was ever opened. */
  sessions(options: Arguments<"listSessions"> & CallOptions = {}): Pages<SessionList, ListedSession> {
    return new Pages((cursor) => this.#call("listSessions", { ...options, ...cursor }), ({ sessions }) => sessions);
  }
  workspaces(options: Arguments<"listAllWorkspaces"> & CallOptions = {}): Pages<WorkspacePage, SessionWorkspace> {
    return new Pages((cursor) => this.#call("listAllWorkspaces", { ...options, ...cursor }), ({ workspaces }) => workspaces);
  }
  /** The warm pools, and how many containers are ready in each. */
  pools(options: CallOptions = {}) {
    return this.#call("listPools", options);
  }
  /** Destroys a warm pool and its containers, without those that sessions have taken. */
  destroyPool(pool: string, options: CallOptions = {}) {
    return this.#call("destroyPool", options, { pool });
  }
  /** What each session keeps. Each page has the total of its sessions. */
  usage(options: Arguments<"listUsage"> & CallOptions = {}): Pages<UsagePage, SessionUsage> {
    return new Pages((cursor) => this.#call("listUsage", { ...options, ...cursor }), ({ sessions }) => sessions);
  }
  /** The operator's events, which belong to no session. */
  events(options: Arguments<"listOperatorEvents"> & CallOptions = {}): Pages<OperatorEventPage, EventView> {
    return new Pages((cursor) => this.#call("listOperatorEvents", { ...options, ...cursor }), ({ events }) => events);
  }
  /** What was counted, in the text format that Prometheus reads. */
  async metrics(options: CallOptions = {}): Promise<string> {
    return new Response(await this.#transport.stream("getMetrics", { path: {}, fields: options })).text();
  }
  /** Deletes backups by a rule, one page for each call: call it with `nextCursor` until there is none. */
  prune(options: Arguments<"prune"> & CallOptions) {
    return this.#call("prune", options);
  }
  /** Rebuilds the catalogues of sessions that lost their storage, one page for each call. */
  rebuild(options: Arguments<"rebuildAll"> & CallOptions = {}) {
    return this.#call("rebuildAll", options);
  }

  #call<Id extends OperationId>(id: Id, fields: Arguments<Id> & CallOptions, path: Record<string, string> = {}): Promise<Answer<Id>> {
    return this.#transport.json(id, { path, fields });
  }
}
