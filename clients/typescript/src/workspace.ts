import { NoAnswerError, SnapshotterError } from "./errors.ts";
import type { CommandLine, ErrorBody, ExecResult, Language, WorkspaceRef, operations } from "./generated/openapi.ts";
import { eventsOf } from "./sse.ts";
import { errorOf, type Answer, type Arguments, type Bytes, type CallOptions, type KeyedOptions, type NamedOptions, type OperationId, type PathOf, type Transport } from "./transport.ts";

/** A tool's name. */
export type ToolName = Extract<keyof operations, `workspace_${string}`>;

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
  | { type: "complete"; exitCode: number; result: Omit<ExecResult, "workspaceId"> }
);

/** The most of its output that a command answers with, in bytes. By default a tool answers with what a model can take in. */
const ALL_OUTPUT = 1_048_576;
/** The most milliseconds that a command is waited for. A tool lets it go on in the background after 45 s. */
const TO_THE_END = 3_600_000;

/** The parts of an operation's path after the session. */
export type Rest<Id extends OperationId> = Omit<PathOf<Id>, "session">;
export type Without<Fields, Names extends PropertyKey> = Fields extends unknown ? Omit<Fields, Names> : never;

/**
 * Commands and files: what a session does in its active workspace, and a `Workspace` in its own. The methods have the
 * names of the tools, without `workspace_`. Of a session, the option `workspace` names another workspace by its id; `at`, of the
 * methods that look at files, names a snapshot, a turn or a workspace.
 */
export abstract class InWorkspace {
  readonly #transport: Transport;
  readonly #session: string;
  /** The workspace, if it is not the active one. */
  readonly #where: { workspace?: string };
  /** The same for the methods that look at files. */
  readonly #at: { at?: string };

  constructor(transport: Transport, session: string, workspace?: string) {
    this.#transport = transport;
    this.#session = session;
    this.#where = workspace === undefined ? {} : { workspace };
    this.#at = workspace === undefined ? {} : { at: `workspace:${workspace}` };
  }

  // Commands and code

  /** Runs a command to its end, unless `waitMs` is set, and collects its output. A nonzero exit is a result, not an error. */
  run(command: CommandLine, options: Without<Arguments<"workspace_run">, "command"> & KeyedOptions = {}) {
    return this.call("workspace_run", {}, { command, maxOutputBytes: ALL_OUTPUT, waitMs: TO_THE_END, ...this.#where, ...options });
  }
  /**
   * Runs a command and yields its output while it runs; the last event is `complete`. Ending the iteration early, or
   * aborting it, ends the command.
   */
  async *runStream(command: CommandLine, options: Without<Arguments<"runCommand">, "command"> & CallOptions = {}): AsyncGenerator<RunEvent, void> {
    const stream = await this.stream("runCommand", {}, { command, ...this.#where, ...options });
    yield* told(eventsOf(stream) as AsyncGenerator<RunEvent | Failed, void>, "complete", "the command's stream", options);
  }
  /** Runs a piece of code in an interpreter of its own. */
  runCode(language: Language, code: string, options: Without<Arguments<"workspace_run_code">, "language" | "code"> & KeyedOptions = {}) {
    return this.call("workspace_run_code", {}, { language, code, maxOutputBytes: ALL_OUTPUT, ...this.#where, ...options });
  }
  /** Starts a command in the background, under a name by which `logs` and `stop` find it. */
  start(name: string, command: CommandLine, options: Without<Arguments<"startProcess">, "name" | "command"> & CallOptions = {}) {
    return this.call("startProcess", {}, { name, command, ...this.#where, ...options });
  }
  processes(options: Arguments<"listProcesses"> & CallOptions = {}) {
    return this.call("listProcesses", {}, { ...this.#where, ...options });
  }
  /** Reads what a background process printed. To follow it, read from `nextOffset` on with `waitMs`. */
  logs(process: string, options: Arguments<"readProcessLog"> & CallOptions = {}) {
    return this.call("readProcessLog", { process }, { ...this.#where, ...options });
  }
  stop(process: string, options: Arguments<"stopProcess"> & CallOptions = {}) {
    return this.call("stopProcess", { process }, { ...this.#where, ...options });
  }
  /** Starts an interpreter that keeps its variables between calls of `runInCodeContext`. */
  createCodeContext(options: Arguments<"createCodeContext"> & CallOptions) {
    return this.call("createCodeContext", {}, { ...this.#where, ...options });
  }
  listCodeContexts(options: Arguments<"listCodeContexts"> & CallOptions = {}) {
    return this.call("listCodeContexts", {}, { ...this.#where, ...options });
  }
  runInCodeContext(context: string, options: Arguments<"runInCodeContext"> & NamedOptions) {
    return this.call("runInCodeContext", { context }, { ...this.#where, ...options });
  }
  deleteCodeContext(context: string, options: Arguments<"deleteCodeContext"> & CallOptions = {}) {
    return this.call("deleteCodeContext", { context }, { ...this.#where, ...options });
  }
  /**
   * A shell on a terminal, as a WebSocket: binary messages are typed and printed, text messages are JSON, as the operation
   * `openTerminal` describes them. Needs a global `WebSocket`, which Node.js has from version 22 on.
   */
  terminal(options: Arguments<"openTerminal"> = {}): Promise<WebSocket> {
    return this.#transport.socket("openTerminal", { path: { session: this.#session }, fields: { ...this.#where, ...options } });
  }

  // Files

  /** Reads a file, of at most 2 MiB, or a part of it. */
  readFile(path: string, options: Without<Arguments<"workspace_read_file">, "path"> & CallOptions = {}) {
    return this.call("workspace_read_file", {}, { path, ...this.#at, ...options });
  }
  /** Writes a file, and the directories above it. */
  writeFile(path: string, content: string | Uint8Array, options: Without<Arguments<"workspace_write_file">, "path" | "content" | "encoding"> & CallOptions = {}) {
    const file = typeof content === "string" ? { content } : { content: base64(content), encoding: "base64" as const };
    return this.call("workspace_write_file", {}, { path, ...file, ...this.#where, ...options });
  }
  /** Replaces a text in a file. The text must occur once, unless `replaceAll` is set. */
  editFile(path: string, oldText: string, newText: string, options: Without<Arguments<"workspace_edit_file">, "path" | "oldText" | "newText"> & CallOptions = {}) {
    return this.call("workspace_edit_file", {}, { path, oldText, newText, ...this.#where, ...options });
  }
  /** Lists a directory. */
  ls(path = ".", options: Without<Arguments<"workspace_ls">, "path"> & CallOptions = {}) {
    return this.call("workspace_ls", {}, { path, ...this.#at, ...options });
  }
  /** Files whose paths match a pattern, such as `src/*.ts`. */
  glob(pattern: string, options: Without<Arguments<"workspace_glob">, "pattern"> & CallOptions = {}) {
    return this.call("workspace_glob", {}, { pattern, ...this.#at, ...options });
  }
  /** Lines that match a regular expression. */
  grep(pattern: string, options: Without<Arguments<"workspace_grep">, "pattern"> & CallOptions = {}) {
    return this.call("workspace_grep", {}, { pattern, ...this.#at, ...options });
  }
  stat(path: string, options: Without<Arguments<"workspace_stat">, "path"> & CallOptions = {}) {
    return this.call("workspace_stat", {}, { path, ...this.#at, ...options });
  }
  /** Makes a directory, and those above it. */
  mkdir(path: string, options: Without<Arguments<"workspace_mkdir">, "path"> & CallOptions = {}) {
    return this.call("workspace_mkdir", {}, { path, ...this.#where, ...options });
  }
  /** Removes a file, or a directory with `recursive`. */
  rm(path: string, options: Without<Arguments<"workspace_rm">, "path"> & CallOptions = {}) {
    return this.call("workspace_rm", {}, { path, ...this.#where, ...options });
  }
  /**
   * Yields changes of files while it is watched; the first event is `watching`, and the last `ended`, after an hour. Ending
   * the iteration early ends the watch.
   */
  async *watch(options: Arguments<"watchFiles"> & CallOptions = {}): AsyncGenerator<WatchEvent, void> {
    const stream = await this.stream("watchFiles", {}, { ...this.#where, ...options });
    yield* told(eventsOf(stream) as AsyncGenerator<WatchEvent | Failed, void>, "ended", "the watch", options);
  }
  /** Copies files and directories of a snapshot into the workspace, all or none. */
  copyFromSnapshot(options: Arguments<"copyFromSnapshot"> & CallOptions) {
    return this.call("copyFromSnapshot", {}, { ...this.#where, ...options });
  }
  /** Copies files and directories of another workspace into this one, all or none. */
  copyFromWorkspace(from: WorkspaceName, options: Arguments<"copyFromWorkspace"> & CallOptions) {
    return this.call("copyFromWorkspace", { workspace: workspaceOf(from) }, { ...this.#where, ...options });
  }
  /** A directory as a tar archive. A stream that ends is whole. */
  exportTar(options: Arguments<"exportArchive"> & CallOptions = {}) {
    return this.stream("exportArchive", {}, { ...this.#where, ...options });
  }
  /** Extracts a tar archive into a directory, all or nothing. */
  importTar(archive: Bytes, options: Arguments<"importArchive"> & CallOptions = {}) {
    return this.call("importArchive", {}, { ...this.#where, ...options }, archive);
  }
  /** Stores a part of an archive that is too large for one request. `upload` is an id of your choice. */
  storePart(upload: string, part: number, bytes: Bytes, options: Arguments<"storePart"> & CallOptions = {}) {
    return this.call("storePart", { upload, part }, { ...this.#where, ...options }, bytes);
  }
  /** Imports the archive that the parts make up. */
  finishUpload(upload: string, options: Arguments<"finishUpload"> & KeyedOptions) {
    return this.call("finishUpload", { upload }, { ...this.#where, ...options });
  }
  abortUpload(upload: string, options: Arguments<"abortUpload"> & CallOptions = {}) {
    return this.call("abortUpload", { upload }, { ...this.#where, ...options });
  }

  // Git checkpoints: commits beside the repository's own history

  gitCheckpoint(name: string, options: Without<Arguments<"workspace_git_checkpoint">, "name"> & CallOptions = {}) {
    return this.call("workspace_git_checkpoint", {}, { name, ...this.#where, ...options });
  }
  gitCheckpointList(options: Arguments<"workspace_git_checkpoint_list"> & CallOptions = {}) {
    return this.call("workspace_git_checkpoint_list", {}, { ...this.#where, ...options });
  }
  gitCheckpointRestore(name: string, options: Without<Arguments<"workspace_git_checkpoint_restore">, "name"> & CallOptions = {}) {
    return this.call("workspace_git_checkpoint_restore", {}, { name, ...this.#where, ...options });
  }
  gitCheckpointDiff(name: string, options: Without<Arguments<"workspace_git_checkpoint_diff">, "name"> & CallOptions = {}) {
    return this.call("workspace_git_checkpoint_diff", {}, { name, ...this.#where, ...options });
  }
  gitCheckpointDelete(name: string, options: Without<Arguments<"workspace_git_checkpoint_delete">, "name"> & CallOptions = {}) {
    return this.call("workspace_git_checkpoint_delete", {}, { name, ...this.#where, ...options });
  }

  protected call<Id extends OperationId>(id: Id, path: Rest<Id>, fields: Arguments<Id> & KeyedOptions, bytes?: Bytes): Promise<Answer<Id>> {
    return this.#transport.json(id, { path: { session: this.#session, ...path }, fields, ...(bytes && { bytes }) });
  }

  protected stream<Id extends OperationId>(id: Id, path: Rest<Id>, fields: Arguments<Id> & CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(id, { path: { session: this.#session, ...path }, fields });
  }
}

/** One workspace of a session, such as a fork. Its methods act in it, whichever workspace is active. */
export class Workspace extends InWorkspace {
  readonly id: string;

  constructor(transport: Transport, session: string, id: string) {
    super(transport, session, id);
    this.id = id;
  }
}

/** A workspace: its id, its ref, or what `fork` and `workspace` return. */
export type WorkspaceName = string | WorkspaceRef | Workspace;

export function workspaceOf(workspace: WorkspaceName): string {
  if (typeof workspace === "string") return workspace;
  return workspace instanceof Workspace ? workspace.id : workspace.ref.id;
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

/** In pieces, because a function takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
