import type {
  CommandPage, CommandRecord, EventPage, EventView, ListedTool, OperationPage, OperationView, SearchedSnapshot, FoundLine, ListedFiles, SnapshotPage, ListedSnapshot,
  ListedEntry, SnapshotRef, SnapshotSelector, Timeline, TreeSelector, TurnView, WorkspaceRef, WorkspaceSelector,
} from "./generated/openapi.ts";
import { Pages } from "./pages.ts";
import { type Answer, type Arguments, type Bytes, type CallOptions, type KeyedOptions, type NamedOptions, type Transport } from "./transport.ts";
import { InWorkspace, Workspace, workspaceOf, type ToolName, type Without, type WorkspaceName } from "./workspace.ts";

export type ToolOptions = KeyedOptions & { expectedActive?: string | undefined };
/** The input may be left out if all of its fields may be. */
type ToolArguments<Name extends ToolName> =
  object extends Arguments<Name> ? [input?: Arguments<Name>, options?: ToolOptions] : [input: Arguments<Name>, options?: ToolOptions];

/** A snapshot in an address: its id, its name, or its ref. */
export type SnapshotName = string | SnapshotRef;
/**
 * One session: a method for each operation that HTTP has. Options of a call (`signal`, `deadlineMs`, `idempotencyKey`,
 * `operationId`) stand beside its arguments.
 */
export class Session extends InWorkspace {
  readonly name: string;
  readonly #transport: Transport;

  constructor(transport: Transport, name: string) {
    super(transport, name);
    this.#transport = transport;
    this.name = name;
  }

  /** One of its workspaces, by id. This makes no call. */
  workspace(id: string): Workspace {
    return new Workspace(this.#transport, this.name, id);
  }

  /** The address of the session's MCP server. */
  get mcpUrl(): string {
    return `${this.#transport.url}/v1/sessions/${encodeURIComponent(this.name)}/mcp`;
  }

  // The session

  /** Opens the session. Opening it again with an equal configuration does nothing. */
  open(config: Arguments<"openSession"> & CallOptions = {}) {
    return this.call("openSession", {}, config);
  }
  describe(options: CallOptions = {}) {
    return this.call("describeSession", {}, options);
  }
  /** Closes the session. Its snapshots are kept. */
  close(options: CallOptions = {}) {
    return this.call("closeSession", {}, options);
  }
  /** Deletes the session with all that it has, snapshots too. Needs `force`. */
  deleteSession(options: Arguments<"deleteSession"> & CallOptions = {}) {
    return this.call("deleteSession", {}, options);
  }
  usage(options: CallOptions = {}) {
    return this.call("getUsage", {}, options);
  }
  /** The session's events, newest first. */
  events(options: Arguments<"listEvents"> & CallOptions = {}): Pages<EventPage, EventView> {
    return new Pages((cursor) => this.call("listEvents", {}, { ...options, ...cursor }), ({ events }) => events);
  }
  /** The commands and the code that ran last, newest first, each with the end of what it printed. */
  commands(options: Arguments<"listCommands"> & CallOptions = {}): Pages<CommandPage, CommandRecord> {
    return new Pages((cursor) => this.call("listCommands", {}, { ...options, ...cursor }), ({ commands }) => commands);
  }
  /** Puts snapshots back into the catalogue, one page of backups for each call, after the session lost its storage. */
  rebuild(options: Arguments<"rebuildCatalogue"> & CallOptions = {}) {
    return this.call("rebuildCatalogue", {}, options);
  }

  // Tools

  /** The tools that the token may use, in the form that a model takes. */
  async tools(options: Arguments<"listTools"> & CallOptions = {}): Promise<ListedTool[]> {
    return (await this.call("listTools", {}, options)).tools;
  }
  /** Calls a tool. With `expectedActive` only while that workspace, by id, is the active one. */
  callTool<Name extends ToolName>(name: Name, ...[input, options = {}]: ToolArguments<Name>): Promise<Answer<Name>> {
    const { expectedActive, ...call } = options;
    const headers: Record<string, string> = expectedActive === undefined ? {} : { "if-match": `"${expectedActive}"` };
    return this.#transport.json(name, { path: { session: this.name }, fields: { ...(input as object), ...call }, headers, forModel: true });
  }

  // Snapshots

  /** Makes a snapshot of an archive: tar, plain or compressed with gzip or zstd, or a layer of an OCI image. */
  importSnapshot(archive: Bytes, options: Arguments<"importSnapshot"> & CallOptions = {}) {
    return this.call("importSnapshot", {}, options, archive);
  }
  /** Makes a snapshot of an archive in the bucket, such as a backup of the Sandbox SDK 1.0. */
  importBackup(options: Arguments<"importBackup"> & KeyedOptions) {
    return this.call("importBackup", {}, options);
  }
  /** The files of a snapshot as a tar archive compressed with zstd, as the Sandbox SDK 1.0 keeps its backups. */
  exportSnapshot(snapshot: SnapshotName, options: Arguments<"exportSnapshot"> & CallOptions = {}) {
    return this.stream("exportSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Saves the active workspace. Resolves once R2 holds the snapshot. */
  snapshot(options: Arguments<"takeSnapshot"> & KeyedOptions = {}) {
    return this.call("takeSnapshot", {}, options);
  }
  /** The session's snapshots, newest first. */
  list(options: Arguments<"listSnapshots"> & CallOptions = {}): Pages<SnapshotPage, ListedSnapshot> {
    return new Pages((cursor) => this.call("listSnapshots", {}, { ...options, ...cursor }), ({ snapshots }) => snapshots);
  }
  /** Stores a snapshot in the bucket as a backup of the Sandbox SDK 1.0. Returns the record by which the SDK restores it. */
  exportBackup(snapshot: SnapshotName, options: Arguments<"exportBackup"> & NamedOptions = {}) {
    return this.call("exportBackup", { snapshot: snapshotOf(snapshot) }, options);
  }
  get(snapshot: SnapshotName, options: Arguments<"getSnapshot"> & NamedOptions = {}) {
    return this.call("getSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Renames, describes, labels, pins or publishes a snapshot, or changes its expiry. */
  update(snapshot: SnapshotName, edit: Arguments<"updateSnapshot"> & CallOptions) {
    return this.call("updateSnapshot", { snapshot: snapshotOf(snapshot) }, edit);
  }
  /** Deletes a snapshot. Workspaces that were made from it stay. */
  delete(snapshot: SnapshotName, options: Arguments<"deleteSnapshot"> & NamedOptions = {}) {
    return this.call("deleteSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  /** Gives a layer an archive of its whole tree. */
  flatten(snapshot: SnapshotName, options: NamedOptions = {}) {
    return this.call("flattenSnapshot", { snapshot: snapshotOf(snapshot) }, options);
  }
  snapshotEvents(snapshot: SnapshotName, options: Arguments<"listSnapshotEvents"> & CallOptions = {}): Pages<EventPage, EventView> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.call("listSnapshotEvents", path, { ...options, ...cursor }), ({ events }) => events);
  }
  workspaceEvents(workspace: WorkspaceName, options: Arguments<"listWorkspaceEvents"> & CallOptions = {}): Pages<EventPage, EventView> {
    const path = { workspace: workspaceOf(workspace) };
    return new Pages((cursor) => this.call("listWorkspaceEvents", path, { ...options, ...cursor }), ({ events }) => events);
  }
  /** What the retention policy would delete now. */
  planRetention(options: CallOptions = {}) {
    return this.call("planRetention", {}, options);
  }
  /** Applies the retention policy now. */
  retain(options: CallOptions = {}) {
    return this.call("retain", {}, options);
  }

  // Files of a snapshot, read without a container

  listFiles(snapshot: SnapshotName, options: Arguments<"listSnapshotFiles"> & CallOptions = {}): Pages<ListedFiles, ListedEntry> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.call("listSnapshotFiles", path, { ...options, ...cursor }), ({ entries }) => entries);
  }
  statFile(snapshot: SnapshotName, path: string, options: Without<Arguments<"statSnapshotFile">, "path"> & CallOptions = {}) {
    return this.call("statSnapshotFile", { snapshot: snapshotOf(snapshot) }, { path, ...options });
  }
  /** The content of a file of a snapshot. */
  streamFile(snapshot: SnapshotName, path: string, options: Without<Arguments<"downloadSnapshotFile">, "path"> & CallOptions = {}) {
    return this.stream("downloadSnapshotFile", { snapshot: snapshotOf(snapshot) }, { path, ...options });
  }
  /** Lines of a snapshot's files that match a regular expression. */
  searchSnapshot(snapshot: SnapshotName, pattern: string, options: Without<Arguments<"searchSnapshot">, "pattern"> & CallOptions = {}): Pages<SearchedSnapshot, FoundLine> {
    const path = { snapshot: snapshotOf(snapshot) };
    return new Pages((cursor) => this.call("searchSnapshot", path, { pattern, ...options, ...cursor }), ({ lines }) => lines);
  }

  // Going back, and several workspaces

  /** Makes a workspace from a snapshot. The active workspace stays active, unless `switch` is true. */
  restore(from: SnapshotSelector, options: Without<Arguments<"createWorkspace">, "from" | "kind"> & KeyedOptions = {}) {
    return this.call("createWorkspace", {}, { from, kind: "restored", ...options });
  }
  /** As `restore`; the workspace is recorded as an experiment. */
  branch(from: SnapshotSelector, options: Without<Arguments<"createWorkspace">, "from" | "kind"> & KeyedOptions = {}) {
    return this.call("createWorkspace", {}, { from, kind: "branch", ...options });
  }
  /**
   * Makes workspaces with the files that the active one has now. `forks` are those that were made, to work in side by side;
   * `workspaces` also has the error of each that was not.
   */
  async fork(options: Arguments<"forkWorkspace"> & KeyedOptions = {}): Promise<Answer<"forkWorkspace"> & { forks: Workspace[] }> {
    const answer = await this.call("forkWorkspace", {}, options);
    return { ...answer, forks: answer.workspaces.flatMap((made) => ("ref" in made ? [this.workspace(made.workspaceId)] : [])) };
  }
  /** Puts the active workspace back to a snapshot or the end of a turn, in place, after a safety snapshot. */
  rewind(ref: SnapshotSelector, options: Without<Arguments<"rewind">, "ref"> & KeyedOptions = {}) {
    return this.call("rewind", {}, { ref, ...options });
  }
  /**
   * Puts the active workspace back by turns, in place, after a safety snapshot. What has changed since the last turn counts as
   * one: the first undo goes back to that turn's end, or else to the turn before it.
   */
  undo(turns = 1, options: Without<Arguments<"undo">, "turns"> & KeyedOptions = {}) {
    return this.call("undo", {}, { turns, ...options });
  }
  /** Records that a turn of the conversation has ended, with the files that it ended with. */
  saveTurn(options: Arguments<"saveTurn"> & KeyedOptions = {}) {
    return this.call("saveTurn", {}, options);
  }
  /** The turns, newest first, each with what it changed. */
  timeline(options: Arguments<"listTurns"> & CallOptions = {}): Pages<Timeline, TurnView> {
    return new Pages((cursor) => this.call("listTurns", {}, { ...options, ...cursor }), ({ turns }) => turns);
  }
  /** The tree of workspaces and snapshots. */
  lineage(options: CallOptions = {}) {
    return this.call("getLineage", {}, options);
  }
  /** What differs between two snapshots or workspaces; by default what the active workspace has changed since its last turn or snapshot. */
  diff(options: Arguments<"diff"> & CallOptions = {}) {
    return this.call("diff", {}, options);
  }
  /** Compares workspaces, and how a command ends in each. */
  compare({ workspaces, ...options }: Without<Arguments<"compareWorkspaces">, "workspaces"> & { workspaces?: WorkspaceName[] } & CallOptions = {}) {
    return this.call("compareWorkspaces", {}, { ...options, ...(workspaces && { workspaces: workspaces.map(workspaceOf) }) });
  }
  /** Runs JavaScript beside the session, without a container. */
  script(code: string, options: NamedOptions = {}) {
    return this.call("runScript", {}, { code, ...options });
  }
  /** Brings the changes of another workspace, or of a snapshot, into the active workspace. */
  promote(from: TreeSelector | Workspace, options: Without<Arguments<"promote">, "from"> & KeyedOptions = {}) {
    return this.call("promote", {}, { from: from instanceof Workspace ? { workspace: from.id } : from, ...options });
  }
  workspaces(options: Arguments<"listWorkspaces"> & CallOptions = {}) {
    return this.call("listWorkspaces", {}, options);
  }
  async activeWorkspace(options: CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.call("getActiveWorkspace", {}, options)).ref;
  }
  /** Makes another workspace the active one. */
  async switch(ref: WorkspaceSelector | Workspace, options: Without<Arguments<"setActiveWorkspace">, "ref"> & CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.call("setActiveWorkspace", {}, { ref: ref instanceof Workspace ? ref.id : ref, ...options })).ref;
  }
  /** Gives the active workspace, whose container has stopped, a new and empty one. */
  async startFresh(options: CallOptions = {}): Promise<WorkspaceRef> {
    return (await this.call("startFresh", {}, options)).ref;
  }
  /** Saves a workspace and releases its container, until `resume`. */
  pause(workspace: WorkspaceName, options: KeyedOptions = {}) {
    return this.call("pauseWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  resume(workspace: WorkspaceName, options: KeyedOptions = {}) {
    return this.call("resumeWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  /** Destroys a workspace that is not active. Unsaved changes are lost. */
  destroyWorkspace(workspace: WorkspaceName, options: CallOptions = {}) {
    return this.call("destroyWorkspace", { workspace: workspaceOf(workspace) }, options);
  }
  /** Destroys the container of any workspace. Unsaved changes are lost. */
  destroyContainer(workspace: WorkspaceName, options: CallOptions = {}) {
    return this.call("destroyContainer", { workspace: workspaceOf(workspace) }, options);
  }

  // Recorded calls

  operations(options: Arguments<"listOperations"> & CallOptions = {}): Pages<OperationPage, OperationView> {
    return new Pages((cursor) => this.call("listOperations", {}, { ...options, ...cursor }), ({ operations }) => operations);
  }
  operation(operation: string, options: CallOptions = {}) {
    return this.call("getOperation", { operation }, options);
  }
  /** Asks a running call to end before its next step, and ends a command that it runs. */
  cancel(operation: string, options: CallOptions = {}) {
    return this.call("cancelOperation", { operation }, options);
  }

  // Previews

  /** Makes a link to a server of a workspace, for anyone who has it. */
  sharePreview(port: number, options: Omit<Arguments<"sharePreview">, "port"> & CallOptions = {}) {
    return this.call("sharePreview", {}, { ...options, port });
  }
  async previews(options: CallOptions = {}) {
    return (await this.call("listPreviews", {}, options)).previews;
  }
  revokePreview(preview: string, options: CallOptions = {}) {
    return this.call("revokePreview", { preview }, options);
  }

  /** A ticket for one WebSocket of a page at this path of the session, as `/ports/8000/ws`. */
  createTicket(path: string, options: CallOptions = {}) {
    return this.call("createTicket", {}, { ...options, path });
  }

  // Session tokens, for the operator

  createToken(options: Arguments<"createToken"> & KeyedOptions) {
    return this.call("createToken", {}, options);
  }
  async tokens(options: CallOptions = {}) {
    return (await this.call("listTokens", {}, options)).tokens;
  }
  revokeToken(token: string, options: CallOptions = {}) {
    return this.call("revokeToken", { token }, options);
  }
}

const snapshotOf = (snapshot: SnapshotName) => (typeof snapshot === "string" ? snapshot : snapshot.ref.backup.id);
