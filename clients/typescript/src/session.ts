import { NoAnswerError, SnapshotterError } from "./errors.ts";
import type {
  CommandLine, EventPage, EventView, ExecResult, ListedTool, OperationPage, OperationView, SearchedSnapshot, FoundLine, SnapshotFilePage, SnapshotPage,
  ListedSnapshot, ListedEntry, SnapshotRef, SnapshotSelector, Timeline, TreeSelector, TurnView, WorkspaceRef, WorkspaceSelector, operations, ErrorBody,
} from "./generated/openapi.ts";
import { Pages } from "./pages.ts";
import { eventsOf } from "./sse.ts";
import {
  errorOf, type Answer, type Arguments, type Bytes, type CallOptions, type KeyedOptions, type NamedOptions, type OperationId, type PathOf, type Transport,
} from "./transport.ts";

/** A tool's name. */
export type ToolName = Extract<keyof operations, `workspace_${string}`>;

export type ToolOptions = KeyedOptions & { expectedActive?: string | undefined };
/** The input may be left out if all of its fields may be. */
type ToolArguments<Name extends ToolName> =
  object extends Arguments<Name> ? [input?: Arguments<Name>, options?: ToolOptions] : [input: Arguments<Name>, options?: ToolOptions];

/** A snapshot in an address: its id, its name, or its ref. */
export type SnapshotName = string | SnapshotRef;
/** A workspace in an address: its id or its ref. */
export type WorkspaceName = string | WorkspaceRef;

interface Changed {
  /** Relative to the workspace. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  directory: boolean;
}

/** An event of a watch. */
export type WatchEvent = { timestamp: string } & (
  | { type: "watching"; directories: number }
  | ({ type: "created" | "modified" | "deleted" } & Changed)
  | ({ type: "renamed"; from: string; fromBase64?: string } & Changed)
  | { type: "overflow" | "ended" }
);

/** An event of a command whose output is streamed. */
export type RunEvent = { timestamp: string } & (
  | { type: "start"; command: CommandLine }
  | { type: "stdout"; data: string }
  | { type: "stderr"; data: string }
  | { type: "complete"; exitCode: number; result: Omit<ExecResult, "workspace"> }
);

/** The parts of an operation's path after the session. */
type Rest<Id extends OperationId> = Omit<PathOf<Id>, "session">;
type Without<Fields, Names extends PropertyKey> = Fields extends unknown ? Omit<Fields, Names> : never;

/**
 * One session: a method for each operation that HTTP has. Options of a call (`signal`, `deadlineMs`, `idempotencyKey`,
 * `operationId`) stand beside its arguments.
 */
export class Session {
  readonly name: string;
  readonly #transport: Transport;

  constructor(transport: Transport, name: string) {
    this.#transport = transport;
    this.name = name;
  }

  /** The address of the session's MCP server. */
  get mcpUrl(): string {
    return `${this.#transport.url}/v1/sessions/${encodeURIComponent(this.name)}/mcp`;
  }

  // The session

  /** Opens the session. Opening it again with an equal configuration does nothing. */
  open(config: Arguments<"openSession"> & CallOptions = {}) {
    return this.#call("openSession", {}, config);
  }
  describe(options: CallOptions = {}) {
    return this.#call("describeSession", {}, options);
  }
  /** Closes the session. Its snapshots are kept. */
  close(options: CallOptions = {}) {
    return this.#call("closeSession", {}, options);
  }
  usage(options: CallOptions = {}) {
    return this.#call("getUsage", {}, options);
  }
  /** The session's events, newest first. */
  events(options: Arguments<"listEvents"> & CallOptions = {}): Pages<EventPage, EventView> {
    return new Pages((cursor) => this.#call("listEvents", {}, { ...options, ...cursor }), ({ events }) => events);
  }
  /** Puts snapshots back into the catalogue, one page of backups for each call, after the session lost its storage. */
  rebuild(options: Arguments<"rebuildCatalogue"> & CallOptions = {}) {
    return this.#call("rebuildCatalogue", {}, options);
  }

  // Tools

  /** The tools that the token may use, in the form that a model takes. */
  async tools(options: CallOptions = {}): Promise<ListedTool[]> {
    return (await this.#call("listTools", {}, options)).tools;
  }
  /** Calls a tool. With `expectedActive` only while that workspace, by id, is the active one. */
  callTool<Name extends ToolName>(name: Name, ...[input, options = {}]: ToolArguments<Name>): Promise<Answer<Name>> {
    const { expectedActive, ...call } = options;
    const headers: Record<string, string> = expectedActive === undefined ? {} : { "if-match": `"${expectedActive}"` };
    return this.#transport.json(name, { path: { session: this.name }, fields: { ...(input as object), ...call }, headers, forModel: true });
  }

  // Commands and files of a workspace, by default the active one

  /** Runs a command and collects its output. A nonzero exit is a result, not an error. */
  run(command: CommandLine, options: Without<Arguments<"workspace_run">, "command"> & KeyedOptions = {}) {
    return this.#call("workspace_run", {}, { command, ...options });
  }
  /**
   * Runs a command and yields its output while it runs; the last event is `complete`. Ending the iteration early, or
   * aborting it, ends the command.
   */
  async *runStream(command: CommandLine, options: Without<Arguments<"runCommand">, "command"> & CallOptions = {}): AsyncGenerator<RunEvent, void> {
    const stream = await this.#stream("runCommand", {}, { command, ...options });
    yield* told(eventsOf(stream) as AsyncGenerator<RunEvent | Failed, void>, "complete", "the command's stream", options);
  }
  /**
   * Yields changes of files while it is watched; the first event is `watching`, and the last `ended`, after an hour. Ending
   * the iteration early ends the watch.
   */
  async *watch(options: Arguments<"watchFiles"> & CallOptions = {}): AsyncGenerator<WatchEvent, void> {
    const stream = await this.#stream("watchFiles", {}, options);
    yield* told(eventsOf(stream) as AsyncGenerator<WatchEvent | Failed, void>, "ended", "the watch", options);
  }
  /** Reads a file of a workspace, of at most 2 MiB, or a part of it. */
  readFile(path: string, options: Without<Arguments<"workspace_read_file">, "path"> & CallOptions = {}) {
    return this.#call("workspace_read_file", {}, { path, ...options });
  }
  /** Writes a file of a workspace. */
  writeFile(path: string, content: string | Uint8Array, options: Without<Arguments<"workspace_write_file">, "path" | "content" | "encoding"> & CallOptions = {}) {
    const file = typeof content === "string" ? { content } : { content: base64(content), encoding: "base64" as const };
    return this.#call("workspace_write_file", {}, { path, ...file, ...options });
  }
  /** Starts a command in the background. */
  startProcess(options: Arguments<"startProcess"> & CallOptions) {
    return this.#call("startProcess", {}, options);
  }
  processes(options: Arguments<"listProcesses"> & CallOptions = {}) {
    return this.#call("listProcesses", {}, options);
  }
  /** Reads what a background process printed. To follow it, read from `nextOffset` on with `waitMs`. */
  processLog(process: string, options: Arguments<"readProcessLog"> & CallOptions = {}) {
    return this.#call("readProcessLog", { process }, options);
  }
  stopProcess(process: string, options: Arguments<"stopProcess"> & CallOptions = {}) {
    return this.#call("stopProcess", { process }, options);
  }
  /** Starts an interpreter that keeps its variables between calls of `runInCodeContext`. */
  createCodeContext(options: Arguments<"createCodeContext"> & CallOptions) {
    return this.#call("createCodeContext", {}, options);
  }
  codeContexts(options: Arguments<"listCodeContexts"> & CallOptions = {}) {
    return this.#call("listCodeContexts", {}, options);
  }
  runInCodeContext(context: string, options: Arguments<"runInCodeContext"> & NamedOptions) {
    return this.#call("runInCodeContext", { context }, options);
  }
  deleteCodeContext(context: string, options: Arguments<"deleteCodeContext"> & CallOptions = {}) {
    return this.#call("deleteCodeContext", { context }, options);
  }
  /**
   * A shell on a terminal, as a WebSocket: binary messages are typed and printed, text messages are JSON, as the operation
   * `openTerminal` describes them. Needs a global `WebSocket`, which Node.js has from version 22 on.
   */
  terminal(options: Arguments<"openTerminal"> = {}): Promise<WebSocket> {
    return this.#transport.socket("openTerminal", { path: { session: this.name }, fields: options });
  }
  /** A directory of a workspace as a tar archive. A stream that ends is whole. */
  exportTar(options: Arguments<"exportArchive"> & CallOptions = {}) {
    return this.#stream("exportArchive", {}, options);
  }
  /** Extracts a tar archive into a directory of a workspace, all or nothing. */
  importTar(archive: Bytes, options: Arguments<"importArchive"> & CallOptions = {}) {
    return this.#call("importArchive", {}, options, archive);
  }
  /** Stores a part of an archive that is too large for one request. `upload` is an id of your choice. */
  storePart(upload: string, part: number, bytes: Bytes, options: Arguments<"storePart"> & CallOptions = {}) {
    return this.#call("storePart", { upload, part }, options, bytes);
  }
  /** Imports the archive that the parts make up. */
  finishUpload(upload: string, options: Arguments<"finishUpload"> & KeyedOptions) {
    return this.#call("finishUpload", { upload }, options);
  }
  abortUpload(upload: string, options: Arguments<"abortUpload"> & CallOptions = {}) {
    return this.#call("abortUpload", { upload }, options);
  }

  // Snapshots

  /** Makes a snapshot of an archive: tar, plain or compressed with gzip or zstd, or a layer of an OCI image. */
  importSnapshot(archive: Bytes, options: Arguments<"importSnapshot"> & CallOptions = {}) {
    return this.#call("importSnapshot", {}, options, archive);
  }
  /** Makes a snapshot of an archive in the bucket, such as a backup of the Sandbox SDK 1.0. */
  importBackup(options: Arguments<"importBackup"> & KeyedOptions) {
    return this.#call("importBackup", {}, options);
  }
  /** The files of a snapshot as a tar archive compressed with zstd, as the Sandbox SDK 1.0 keeps its backups. */
  exportSnapshot(snapshot: SnapshotName, options: Arguments<"exportSnapshot"> & CallOptions = {}) {
    return this.#stream("exportSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Saves the active workspace. Resolves once R2 holds the snapshot. */
  snapshot(options: Arguments<"takeSnapshot"> & KeyedOptions = {}) {
    return this.#call("takeSnapshot", {}, options);
  }
  /** The session's snapshots, newest first. */
  list(options: Arguments<"listSnapshots"> & CallOptions = {}): Pages<SnapshotPage, ListedSnapshot> {
    return new Pages((cursor) => this.#call("listSnapshots", {}, { ...options, ...cursor }), ({ snapshots }) => snapshots);
  }
  /** Stores a snapshot in the bucket as a backup of the Sandbox SDK 1.0. Returns the record by which the SDK restores it. */
  exportBackup(snapshot: SnapshotName, options: Arguments<"exportBackup"> & NamedOptions = {}) {
    return this.#call("exportBackup", { snapshot: snapshotOf(snapshot) }, options);
  }
  get(snapshot: SnapshotName, options: Arguments<"getSnapshot"> & NamedOptions = {}) {
    return this.#call("getSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Renames, describes, labels, pins or publishes a snapshot, or changes its expiry. */
  update(snapshot: SnapshotName, edit: Arguments<"updateSnapshot"> & CallOptions) {
    return this.#call("updateSnapshot", { snapshot: snapshotOf(snapshot) }, edit);
  }
  /** Deletes a snapshot. Workspaces that were made from it stay. */
  delete(snapshot: SnapshotName, options: Arguments<"deleteSnapshot"> & NamedOptions = {}) {
    return this.#call("deleteSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Gives a layer an archive of its whole tree. */
  flatten(snapshot: SnapshotName, options: NamedOptions = {}) {
    return this.#call("flattenSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  snapshotEvents(snapshot: SnapshotName, options: Arguments<"listSnapshotEvents"> & CallOptions = {}): Pages<EventPage, EventView> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.#call("listSnapshotEvents", path, { ...options, ...cursor }), ({ events }) => events);
  }
  /** What the retention policy would delete now. */
  planRetention(options: CallOptions = {}) {
    return this.#call("planRetention", {}, options);
  }
  /** Applies the retention policy now. */
  retain(options: CallOptions = {}) {
    return this.#call("retain", {}, options);
  }

  // Files of a snapshot, read without a container

  listFiles(snapshot: SnapshotName, options: Arguments<"listSnapshotFiles"> & CallOptions = {}): Pages<SnapshotFilePage, ListedEntry> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.#call("listSnapshotFiles", path, { ...options, ...cursor }), ({ entries }) => entries);
  }
  statFile(snapshot: SnapshotName, path: string, options: Without<Arguments<"statSnapshotFile">, "path"> & CallOptions = {}) {
    return this.#call("statSnapshotFile", { snapshot: snapshotOf(snapshot) }, { path, ...options });
  }
  /** The content of a file of a snapshot. */
  streamFile(snapshot: SnapshotName, path: string, options: Without<Arguments<"downloadSnapshotFile">, "path"> & CallOptions = {}) {
    return this.#stream("downloadSnapshotFile", { snapshot: snapshotOf(snapshot) }, { path, ...options });
  }
  /** Lines of a snapshot's files that match a regular expression. */
  grep(snapshot: SnapshotName, pattern: string, options: Without<Arguments<"searchSnapshot">, "pattern"> & CallOptions = {}): Pages<SearchedSnapshot, FoundLine> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.#call("searchSnapshot", path, { pattern, ...options, ...cursor }), ({ lines }) => lines);
  }
  /** Copies files and directories of a snapshot into a workspace, all or none. */
  copyFromSnapshot(options: Arguments<"copyFromSnapshot"> & CallOptions) {
    return this.#call("copyFromSnapshot", {}, options);
  }

  // Going back, and several workspaces

  /** Makes a workspace from a snapshot. The active workspace stays active: `switch` changes it. */
  restore(from: SnapshotSelector, options: Without<Arguments<"createWorkspace">, "from" | "kind"> & KeyedOptions = {}) {
    return this.#call("createWorkspace", {}, { from, kind: "restored", ...options });
  }
  /** As `restore`; the workspace is recorded as an experiment. */
  branch(from: SnapshotSelector, options: Without<Arguments<"createWorkspace">, "from" | "kind"> & KeyedOptions = {}) {
    return this.#call("createWorkspace", {}, { from, kind: "branch", ...options });
  }
  /** Makes workspaces with the files that the active one has now. */
  fork(options: Arguments<"forkWorkspace"> & KeyedOptions = {}) {
    return this.#call("forkWorkspace", {}, options);
  }
  /** Puts the active workspace back to a snapshot or the end of a turn, in place, after a safety snapshot. */
  rewind(ref: SnapshotSelector, options: Without<Arguments<"rewind">, "ref"> & KeyedOptions = {}) {
    return this.#call("rewind", {}, { ref, ...options });
  }
  /** Records that a turn of the conversation has ended, with the files that it ended with. */
  saveTurn(options: Arguments<"saveTurn"> & KeyedOptions = {}) {
    return this.#call("saveTurn", {}, options);
  }
  /** The turns, newest first, each with what it changed. */
  timeline(options: Arguments<"listTurns"> & CallOptions = {}): Pages<Timeline, TurnView> {
    return new Pages((cursor) => this.#call("listTurns", {}, { ...options, ...cursor }), ({ turns }) => turns);
  }
  /** The tree of workspaces and snapshots. */
  lineage(options: CallOptions = {}) {
    return this.#call("getLineage", {}, options);
  }
  /** What differs between two snapshots or workspaces; by default what the active workspace has changed. */
  diff(options: Arguments<"diff"> & CallOptions = {}) {
    return this.#call("diff", {}, options);
  }
  /** Compares workspaces, and how a command ends in each. */
  compare(options: Arguments<"compareWorkspaces"> & CallOptions = {}) {
    return this.#call("compareWorkspaces", {}, options);
  }
  /** Runs JavaScript beside the session, without a container. */
  script(code: string, options: NamedOptions = {}) {
    return this.#call("runScript", {}, { code, ...options });
  }
  /** Brings the changes of another workspace, or of a snapshot, into the active workspace. */
  promote(from: TreeSelector, options: Without<Arguments<"promote">, "from"> & KeyedOptions = {}) {
    return this.#call("promote", {}, { from, ...options });
  }
  workspaces(options: Arguments<"listWorkspaces"> & CallOptions = {}) {
    return this.#call("listWorkspaces", {}, options);
  }
  async activeWorkspace(options: CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.#call("getActiveWorkspace", {}, options)).ref;
  }
  /** Makes another workspace the active one. */
  async switch(ref: WorkspaceSelector, options: Without<Arguments<"setActiveWorkspace">, "ref"> & CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.#call("setActiveWorkspace", {}, { ref, ...options })).ref;
  }
  /** Gives the active workspace, whose container has stopped, a new and empty one. */
  async startFresh(options: CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.#call("startFresh", {}, options)).ref;
  }
  /** Saves a workspace and releases its container, until `resume`. */
  pause(workspace: WorkspaceName, options: KeyedOptions = {}) {
    return this.#call("pauseWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  resume(workspace: WorkspaceName, options: KeyedOptions = {}) {
    return this.#call("resumeWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  /** Destroys a workspace that is not active. Unsaved changes are lost. */
  destroyWorkspace(workspace: WorkspaceName, options: CallOptions = {}) {
    return this.#call("destroyWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  /** Destroys the container of any workspace. Unsaved changes are lost. */
  destroyContainer(workspace: WorkspaceName, options: CallOptions = {}) {
    return this.#call("destroyContainer", { workspace: workspaceOf(workspace) }, options);
  }
  /** Copies files and directories of a workspace into another one, all or none. */
  copyFromWorkspace(from: WorkspaceName, options: Arguments<"copyFromWorkspace"> & CallOptions) {
    return this.#call("copyFromWorkspace", { workspace: workspaceOf(from) }, options);
  }

  // Recorded calls

  operations(options: Arguments<"listOperations"> & CallOptions = {}): Pages<OperationPage, OperationView> {
    return new Pages((cursor) => this.#call("listOperations", {}, { ...options, ...cursor }), ({ operations }) => operations);
  }
  operation(operation: string, options: CallOptions = {}) {
    return this.#call("getOperation", { operation }, options);
  }
  /** Asks a running call to end before its next step, and ends a command that it runs. */
  cancel(operation: string, options: CallOptions = {}) {
    return this.#call("cancelOperation", { operation }, options);
  }

  // Previews

  /** Makes a link to a server of a workspace, for anyone who has it. */
  sharePreview(port: number, options: Omit<Arguments<"sharePreview">, "port"> & CallOptions = {}) {
    return this.#call("sharePreview", {}, { ...options, port });
  }
  async previews(options: CallOptions = {}) {
    return (await this.#call("listPreviews", {}, options)).previews;
  }
  revokePreview(preview: string, options: CallOptions = {}) {
    return this.#call("revokePreview", { preview }, options);
  }

  /** A ticket for one WebSocket of a page at this path of the session, as `/ports/8000/ws`. */
  createTicket(path: string, options: CallOptions = {}) {
    return this.#call("createTicket", {}, { ...options, path });
  }

  // Session tokens, for the operator

  createToken(options: Arguments<"createToken"> & KeyedOptions) {
    return this.#call("createToken", {}, options);
  }
  async tokens(options: CallOptions = {}) {
    return (await this.#call("listTokens", {}, options)).tokens;
  }
  revokeToken(token: string, options: CallOptions = {}) {
    return this.#call("revokeToken", { token }, options);
  }

  #call<Id extends OperationId>(id: Id, path: Rest<Id>, fields: Arguments<Id> & KeyedOptions, bytes?: Bytes): Promise<Answer<Id>> {
    return this.#transport.json(id, { path: { session: this.name, ...path }, fields, ...(bytes && { bytes }) });
  }

  #stream<Id extends OperationId>(id: Id, path: Rest<Id>, fields: Arguments<Id> & CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(id, { path: { session: this.name, ...path }, fields });
  }
}

type Failed = { type: "error"; error: ErrorBody };

/** The events of a stream, whose last event is `end`, or an error. */
async function* told<Event extends { type: string }>(
  events: AsyncGenerator<Event | Failed, void>,
  end: string,
  name: string,
  { signal }: CallOptions,
): AsyncGenerator<Event, void> {
  let last: string | undefined;
  try {
    for await (const event of events) {
      last = event.type;
      if (isFailed(event)) throw errorOf(event.error);
      yield event;
    }
  } catch (error) {
    if (error instanceof SnapshotterError || signal?.aborted) throw error;
    throw new NoAnswerError(name, error);
  }
  if (last !== end) throw new NoAnswerError(name, `it ended without \`${end}\``);
}

const isFailed = (event: { type: string }): event is Failed => event.type === "error";

const snapshotOf = (snapshot: SnapshotName) => (typeof snapshot === "string" ? snapshot : snapshot.ref.backup.id);
const workspaceOf = (workspace: WorkspaceName) => (typeof workspace === "string" ? workspace : workspace.ref.id);

/** In pieces, because a function takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
