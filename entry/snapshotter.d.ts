// Made from the operations and their types by `UPDATE_GOLDEN=1 cargo test --lib`.
/**
 * The `AgentHost` Durable Object as other Workers see it. Bind it as a Durable Object of another Worker
 * (`class_name = "AgentHost"`, `script_name = "snapshotter"`), name an object after your session, and call:
 *
 * ```ts
 * const host = env.AGENT_HOST.getByName(sessionId) as unknown as AgentHostApi;
 * ```
 *
 * Every method rejects with a `SnapshotterError`.
 */

/**
 * The error with which methods reject. `docs/errors.md` says when each code occurs. Callers get the error's own
 * properties if their compatibility date is 2026-04-21 or later, or if they set `enhanced_error_serialization`. For all
 * others, the message begins with the code and a colon.
 */
export interface SnapshotterError extends Error, ErrorBody {
  name: "SnapshotterError";
  hint: string;
}

export interface Cancellable {
  /** If aborted before the call, no work starts. Needs a runtime flag to cross RPC; `operationId` works everywhere. */
  signal?: AbortSignal;
  /** A name by which `cancel` can end the call. */
  operationId?: string;
}

export interface Repeatable {
  /**
   * 1 to 255 visible ASCII characters. For 24 hours, a repetition of the call with the same key gets the first answer.
   * A tool that only reads runs again instead. Another call with this key is `CONFLICT`, and so is a repetition while
   * the first call still runs (with `details.retryAfterMs`). A retryable error that changed nothing is not remembered.
   * More than 100,000 keys in 24 hours: `RATE_LIMITED`.
   */
  idempotencyKey?: string;
}

/** Type of an archive. Its first bytes tell how it is compressed. */
export type ArchiveFormat =
  /** A tar archive, plain or compressed with gzip or zstd. */
  | "tar"
  /** A layer of an OCI image, compressed the same ways. Its whiteouts (`.wh.…`) are left out. */
  | "oci-layer";

/** Settings of automatic snapshots. */
export interface Autosave {
  /** Milliseconds between two automatic snapshots of a workspace in use. 1000 to 21600000. Default `900000`. */
  everyMs?: number;
}

/**
 * A directory that snapshots may capture: at or under /workspace, /home, /app, or under /tmp, /var/tmp. At most 4096
 * characters.
 */
export type BackupDir = string;

/**
 * What `createBackup` returns and `restoreBackup` takes.
 *
 * Unknown fields belong to the sandbox that made the backup; we keep them whole and hand them back to it.
 */
export interface BackupHandle {
  /** Directory that the backup captured and is restored to. */
  dir: BackupDir;
  /** Id of the backup. */
  id: BackupId;
  [field: string]: unknown;
}

/** Id of a snapshot: a lowercase UUID v4. */
export type BackupId = string;

/** Options of `branch`. */
export interface BranchOptions extends Cancellable, Repeatable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Make the new workspace active; the default for tools. */
  switch?: boolean;
}

/** Credentials of an S3 service. They are not printed. */
export interface BucketCredentials {
  /** Id of the access key. */
  accessKeyId: SecretValue;
  /**
   * The region that requests are signed for. Default: the one that the endpoint's host names (`s3.eu-west-1.…`), else
   * `us-east-1`.
   */
  region?: string;
  /** Secret of the access key. */
  secretAccessKey: SecretValue;
  /** The token of temporary credentials. */
  sessionToken?: SecretValue;
}

/** A bucket that containers reach. */
export interface BucketMountConfig {
  /**
   * Name of the R2 binding, which the variable `BUCKET_BINDINGS` must list; with `endpoint`, the bucket's name there.
   * At most 64 characters.
   */
  bucket: string;
  /**
   * Credentials for `endpoint`. Without them, requests to it are anonymous. Redacted wherever they are shown. A later
   * open may change them.
   */
  credentials?: BucketCredentials;
  /**
   * Address of another S3 service, which the variable `BUCKET_ENDPOINTS` must list:
   * `https://s3.eu-west-1.amazonaws.com`.
   */
  endpoint?: string;
  /**
   * Directory where the bucket appears, if the container can mount it: an absolute path outside the directories that
   * snapshots hold.
   */
  mountPath: string;
  /** Reach only objects below this path of the bucket, such as `/2024`. Default: all. At most 512 characters. */
  prefix?: string;
  /** Whether it is read-only. Default false. */
  readOnly?: boolean;
}

/** Options of `callTool`. */
export interface CallToolOptions extends Cancellable, Repeatable {
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
}

/** The answer to a cancel. */
export interface Cancelled {
  /**
   * The request was passed on. The call ends before its next step, or completes if it has none left; its own answer
   * says which.
   */
  cancelRequested: boolean;
  /** Its current state. */
  state: OperationState;
}

/** The modules a session may use. */
export interface Capabilities {
  /** Running code. */
  code?:
    /** On with defaults, or off. */
    | boolean
    /** On, with these settings. */
    | CodeCapability;
  /** File tools. */
  fs?: boolean;
  /**
   * Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is declared, this applies to all
   * modules. Default false.
   */
  readOnly?: boolean;
  /** Scripts, which run without a container. They need the binding `LOADER`, and are off unless declared. */
  script?:
    /** On with defaults, or off. */
    | boolean
    /** On, with these settings. */
    | ScriptCapability;
  /** Command tools. */
  shell?:
    /** On with defaults, or off. */
    | boolean
    /** On, with these settings. */
    | ShellCapability;
  /** Snapshot tools. */
  snapshot?:
    /** On with defaults, or off. */
    | boolean
    /** On, with these settings. */
    | SnapshotCapability;
}

/** Number of changes of each kind. */
export interface ChangeCounts {
  /** Paths that differ only in permissions or owner. */
  access: number;
  /** New paths. */
  added: number;
  /** Files with other content, links with other targets, paths of another type. */
  modified: number;
  /** Paths that are gone. */
  removed: number;
  /** Files with another path. */
  renamed: number;
}

/** What happened to a path. */
export type ChangeKind =
  /** It is new. */
  | "added"
  /** It is gone. */
  | "removed"
  /** A file has other content. */
  | "modified"
  /** A file has another path, and the same content. */
  | "renamed"
  /** It is of another type. */
  | "type"
  /** A symbolic link has another target. */
  | "link"
  /** Only its permissions differ. */
  | "mode"
  /** Only its owner differs. */
  | "owner";

/** A changed file or directory. */
export interface Changed {
  /** Whether it is a directory. A link to a directory is not one. */
  directory: boolean;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
}

/** A changed path. */
export interface ChangedPath {
  /** What happened. */
  change: ChangeKind;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
}

/** A value to remove. */
export type Cleared = string;

/** Settings of the code module. */
export interface CodeCapability {
  /** Languages that code may be in. Default: all. */
  languages?: Language[];
  /** Whether there are code contexts, which keep variables between calls. Default false. */
  stateful?: boolean;
}

/** An interpreter that keeps its variables between calls. */
export interface CodeContext {
  /** Its id. */
  context: CodeContextId;
  /** RFC 3339. */
  createdAt: string;
  /** Language of its code. */
  language: Language;
  /** Its memory in MiB. */
  memoryMib: number;
  /** Where. */
  workspaceId: SandboxId;
}

/** An interpreter that keeps its variables between calls. */
export interface CodeContext2 {
  /** Its id. */
  context: CodeContextId;
  /** RFC 3339. */
  createdAt: string;
  /** Language of its code. */
  language: Language;
  /** Its memory in MiB. */
  memoryMib: number;
}

export type CodeContextId = string;

/** Code contexts that run. */
export interface CodeContextList {
  /** The oldest first. */
  contexts: CodeContext2[];
  /** Where. */
  workspaceId: SandboxId;
}

/** An image. */
export interface CodeImage {
  /** Bytes in base64. */
  data: string;
  /** E.g. `image/png`. */
  mimeType: string;
  /** Name of its file. */
  name: string;
}

/** A command: argv, or a string for the shell. */
export type CommandLine =
  /** For `bash -c`, or `sh -c` if the image has no bash. */
  | string
  /** A program and its arguments, without a shell. */
  | string[];

/** How a command ended in one workspace. */
export type CommandOutcome =
  /** It ran. */
  | {
    /** How long it took, in milliseconds. */
    durationMs: number;
    /** Its exit code. */
    exitCode: number;
    /** What to do if hosts were refused, or memory ran out. */
    hint?: string;
    /** Hosts that the network policy refused since it last listed some. */
    refusedHosts?: RefusedHost[];
    /** The end of what it printed to stderr. */
    stderrTail: string;
    /** The end of what it printed to stdout. */
    stdoutTail: string;
    /** It took too long. */
    timedOut: boolean;
  }
  /** It could not run. */
  | {
    /** Why. */
    error: ErrorBody;
  };

/** A page of commands: on the first one those that run, then those that have ended, newest first. */
export interface CommandPage {
  /** The commands. */
  commands: CommandRecord[];
  /** Cursor of the next page, if any. */
  nextCursor?: string;
}

/** A command with the end of what it printed. */
export interface CommandRecord {
  /** When it began, in RFC 3339. */
  at: string;
  /**
   * The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes. Values of environment
   * variables in it are replaced.
   */
  command: CommandLine;
  /** The code context, if it was code in one. */
  context?: CodeContextId;
  /** Milliseconds that it took, or after which it went on in the background. */
  durationMs?: number;
  /**
   * Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background, its caller gave up, or its
   * container ended.
   */
  exitCode?: number;
  /** The language, if it was code. */
  language?: Language;
  /** The background process: the command itself, or the one whose log has its output. */
  process?: ProcessName;
  /** Order within the session: by the time when commands ended. Absent while it runs. */
  seq?: number;
  /** The last 4 KiB, at most, of the stderr that its caller got. */
  stderr: string;
  /** The last 4 KiB, at most, of the stdout that its caller got. */
  stdout: string;
  /** The workspace in which it ran. */
  workspaceId: SandboxId;
}

/** A command, or code, that ran in a workspace, and how it ended. */
export interface CommandView {
  /** When it began, in RFC 3339. */
  at: string;
  /**
   * The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes. Values of environment
   * variables in it are replaced.
   */
  command: CommandLine;
  /** The code context, if it was code in one. */
  context?: CodeContextId;
  /** Milliseconds that it took, or after which it went on in the background. */
  durationMs?: number;
  /**
   * Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background, its caller gave up, or its
   * container ended.
   */
  exitCode?: number;
  /** The language, if it was code. */
  language?: Language;
  /** The background process: the command itself, or the one whose log has its output. */
  process?: ProcessName;
  /** Order within the session: by the time when commands ended. Absent while it runs. */
  seq?: number;
  /** The workspace in which it ran. */
  workspaceId: SandboxId;
}

/** Options of `compare`. */
export interface CompareOptions extends Cancellable {
  /** Snapshot to compare with. Default: the nearest common snapshot of all workspaces. */
  base?: SnapshotSelector;
  /** Command to run afterwards in all workspaces at once, e.g. the tests. */
  command?: CommandLine;
  /** Only paths that match, e.g. *.py. At most 4096 characters. */
  glob?: string;
  /** Maximum changes per workspace. Default 50. 1 to 2000. */
  limit?: number;
  /** Time limit of command in milliseconds. Default 120000. 1 to 3600000. */
  timeoutMs?: number;
  /** Workspaces, 2 to 20, by id. Default: all of the session. */
  workspaces?: WorkspaceSelector[];
}

/** One side of a comparison. */
export interface ComparedTree {
  /** The name of that snapshot. */
  name?: string;
  /** When that snapshot was taken, RFC 3339. A workspace that does not run is compared by its last save. */
  savedAt?: string;
  /** The snapshot whose files were compared. Absent if these are the files of the running workspace, or no files. */
  snapshotId?: BackupId;
  /** The last turn that ended with its files. */
  turn?: Turn;
  /** The workspace. */
  workspaceId?: SandboxId;
}

/** What a workspace changed. */
export interface ComparedWorkspace {
  /** Tools act on it. */
  active: boolean;
  /** The changes, by path. */
  changes: PathChange[];
  /** How the command ended. */
  command?: CommandOutcome;
  /** Number of changes, without ignored files. */
  counts: ChangeCounts;
  /** Why it could not be compared. */
  error?: ErrorBody;
  /** Counts of changes in .git and in ignored files. */
  ignored?: IgnoredChanges[];
  /** The name of that snapshot. */
  name?: string;
  /** Number of files beyond the limit of a call, not compared. They are not listed, and may have changed. */
  notCompared?: number;
  /** When that snapshot was taken, RFC 3339. A workspace that does not run is compared by its last save. */
  savedAt?: string;
  /** The snapshot whose files were compared. Absent if these are the files of the running workspace, or no files. */
  snapshotId?: BackupId;
  /** There are more. */
  truncated: boolean;
  /** The last turn that ended with its files. */
  turn?: Turn;
  /** The workspace. */
  workspaceId?: SandboxId;
}

/** Workspaces, compared. */
export interface Comparison {
  /** The base of the comparison. Without snapshotId: no files. */
  base: ComparedTree;
  /** Files that several workspaces changed; at most `limit`. */
  contested: ContestedFile[];
  /** Number of further such files. Absent: none. */
  moreContested?: number;
  /** The results as a table. */
  text: string;
  /** One result per workspace. */
  workspaces: ComparedWorkspace[];
}

/** Why a path can't be merged. */
export type Conflict =
  /** Both changed the same lines. */
  | "content"
  /** Both changed a file that is not text, or too large to merge. */
  | "binary"
  /** We removed what they changed. */
  | "removedByUs"
  /** They removed what we changed. */
  | "removedByThem"
  /** The path has different types. */
  | "type"
  /** A symbolic link has different targets. */
  | "link"
  /** Its permissions are different. */
  | "mode";

/** What to do about paths that both sides changed. */
export type ConflictPolicy =
  /** Keep ours: the state in the active workspace. */
  | "ours"
  /** Take theirs. */
  | "theirs"
  /** In text files, write both between git's markers. Otherwise keep ours. */
  | "markers";

/** Lines that both sides changed. */
export interface ConflictingLines {
  /** Number of our first line, from 1. */
  line: number;
  /** Our lines, at most 512 bytes of them. */
  ours: string;
  /** Their lines. */
  theirs: string;
}

/** Whether the container of a workspace runs. */
export type ContainerState =
  /** It runs. */
  | "running"
  /** It does not run, or there is none. */
  | "stopped"
  /** The sandbox did not answer. */
  | "unknown";

/** A file that several workspaces changed. */
export interface ContestedFile {
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  /** The workspaces that changed it. */
  workspaceIds: SandboxId[];
}

/** What was copied. */
export interface CopiedFiles {
  /** Directories. */
  directories: number;
  /** What was not kept. Absent if nothing was lost. */
  dropped?: DroppedByImport;
  /** Entries of the archive. */
  entries: number;
  /** Files, hard links included. */
  files: number;
  /** Symbolic links. */
  links: number;
  /** Bytes in all files. */
  sizeBytes: number;
  /** Sockets, pipes and devices, which are not copied. */
  skipped: number;
  /** Where. */
  workspaceId: SandboxId;
}

/** Options of `copyFromSnapshot`. */
export interface CopyFromSnapshotOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /**
   * Directory of the workspace that receives them; they keep their paths from the snapshot's root. Default: the
   * workspace's root. At most 4096 characters.
   */
  to?: string;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `copyFromWorkspace`. */
export interface CopyFromWorkspaceOptions {
  /** Directory that receives them; they keep their relative paths. Default: the root. At most 4096 characters. */
  to?: string;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `createCodeContext`. */
export interface CreateCodeContextOptions {
  /** Memory limit in MiB. Default 1024. 64 to 65536. */
  memoryMib?: number;
  /** The workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** One snapshot, and whether it stays. */
export type DecisionView = {
  /** RFC 3339. */
  createdAt: string;
  /** Its id. */
  id: BackupId;
  /** Size of its archive. */
  sizeBytes: number;
} & (
  /** It stays. */
  | {
    reason: KeepReason;
    verdict: "keep";
  }
  /** It is deleted. */
  | {
    reason: DeleteReason;
    verdict: "delete";
  }
);

/** Options of `deleteCodeContext`. */
export interface DeleteCodeContextOptions {
  /** The workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `delete`. */
export interface DeleteOptions extends Cancellable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /**
   * Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved automatically would wake
   * from it. That workspace then starts empty.
   */
  force?: boolean;
  /** Remove all its stored bytes. A separate container first makes the layers on it full. */
  purge?: boolean;
}

/** Why a snapshot is deleted. */
export type DeleteReason =
  /** It has expired. */
  | "expired"
  /** No keep rule covers it. */
  | "superseded"
  /** There are later autosaves. */
  | "supersededAutosave"
  /** There are more snapshots than the policy allows. */
  | "maxCount"
  /** The snapshots are larger than the policy allows. */
  | "maxBytes"
  /** An operator's prune rule covers it. */
  | "operator";

/** Options of `deleteSession`. */
export interface DeleteSessionOptions {
  /** Must be true: all workspaces and snapshots of the session are lost. */
  force?: boolean;
}

/** The code context is gone. */
export interface DeletedCodeContext {
  /** Always true. */
  deleted: boolean;
  /** Where. */
  workspaceId: SandboxId;
}

/** The answer to the deletion of a session. */
export interface DeletedSession {
  /** Always true: deleting a session that does not exist succeeds. */
  deleted: boolean;
  /** How many snapshots were deleted. */
  snapshots: number;
  /** How many workspaces were destroyed. */
  workspaces: number;
}

/** The answer to a workspace's destruction. */
export interface DestroyedWorkspace {
  /** Always true, even if the workspace was gone. */
  destroyed: boolean;
  /** The snapshot it would have woken from, or null. */
  lastSnapshotId: BackupId | null;
  /** Whether it was used or active after its files last equalled that snapshot. Changes since then are lost. */
  usedSince: boolean;
}

/** Options of `diff`. */
export interface DiffOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Compare all contents, even of files with equal size and time. */
  content?: boolean;
  /** Lines around each change, default 3. 0 to 100. */
  context?: number;
  /**
   * The older side. Default: the last turn or requested snapshot of the newer side's workspace; automatic saves do not
   * count. The answer names it as from.
   */
  from?: TreeSelector;
  /** Only paths that match, e.g. *.py or src/*.ts. At most 4096 characters. */
  glob?: string;
  /** List changes in .git and in ignored files (.gitignore) too, instead of counting them. */
  includeIgnored?: boolean;
  /** Maximum number of changes. Default 200. 1 to 2000. */
  limit?: number;
  /** Maximum bytes of all texts, or of the patch. Default 32768. 1 to 524288. */
  maxBytes?: number;
  /** Changes to skip: nextOffset of the previous answer. Default `0`. */
  offset?: number;
  /** How to show changed contents. Default `"text"`. */
  output?: DiffOutput;
  /** Only this file, or this directory and everything below it. At most 4096 characters. */
  path?: string;
  /** The newer side. Default: the active workspace. */
  to?: TreeSelector;
}

/** What to show of the contents of changed files. */
export type DiffOutput =
  /** A unified diff with each change. */
  | "text"
  /** One patch for `git apply`. */
  | "patch"
  /** Nothing. */
  | "list";

/** How many entries of an archive lost something in an import. */
export interface DroppedByImport {
  /** Entries with extended attributes other than `user.*`, such as capabilities. */
  attributes: number;
  /** Entries that another user or group than root owned. Root owns them now; a snapshot keeps them. */
  owners: number;
  /** Entries with setuid, setgid or sticky bits. A snapshot keeps sticky bits. */
  specialBits: number;
}

/** Whose turns come before a session's own. */
export interface EarlierTurns {
  /** How to reach these turns. */
  hint: string;
  /** The session that took that snapshot and has the turns. Absent if the snapshot is gone. */
  sessionId?: SessionId;
  /** The snapshot that the session was opened from. */
  snapshotId: BackupId;
  /** The turn that ended with its files. */
  turn?: Turn;
}

/** How file content is carried in JSON. */
export type Encoding =
  /** Text. */
  | "utf-8"
  /** Bytes. */
  | "base64";

/** A process that was ended because it used a directory. */
export interface EndedProcess {
  /** Its command line, at most 200 characters, with `?` for characters that are not printable ASCII. */
  command: string;
  /** Its id in the container. */
  pid: number;
}

/** The fields of a published error. */
export interface ErrorBody {
  /** Stable code. */
  code: ErrorCode;
  /** Machine-readable details. */
  details?: unknown;
  /** What to do next. */
  hint?: string;
  /** For the caller. */
  message: string;
  /** The hint as a template, if it names operations: for programs that have their own names for operations. */
  next?: Instruction;
  /** What the failed call left behind. */
  outcome: Outcome;
  /** Whether the same call may succeed later. */
  retryable: boolean;
}

/** Error codes, stable and published. `docs/errors.md` has their statuses. */
export type ErrorCode =
  /** A value breaks its schema or a rule; the message names the field. */
  | "INVALID_ARGUMENT"
  /** The token is missing or wrong. */
  | "UNAUTHENTICATED"
  /** The token is valid but lacks the scope. */
  | "FORBIDDEN"
  /** The snapshot is not this session's, or does not exist; the answer is the same for both. */
  | "SNAPSHOT_NOT_OWNED"
  /** The workspace is not this session's, or does not exist. */
  | "WORKSPACE_NOT_OWNED"
  /** `allowCrossSession` without the operator's permission. */
  | "CROSS_SESSION_DISABLED"
  /** No such session, file or operation. */
  | "NOT_FOUND"
  /** The state forbids it: name taken, policy changed, being read. */
  | "CONFLICT"
  /** The container ended during the call; the next call wakes the workspace. */
  | "WORKSPACE_LOST"
  /** The snapshot's time to live has passed. */
  | "SNAPSHOT_EXPIRED"
  /** The archive or its `meta.json` is missing from R2. */
  | "SNAPSHOT_GONE"
  /** The active workspace, or the workspace's head, is not the expected one. */
  | "PRECONDITION_FAILED"
  /** A body or result exceeds a documented limit. */
  | "TOO_LARGE"
  /** A limit of the session is reached. */
  | "QUOTA_EXCEEDED"
  /** Too many calls; `details.retryAfterMs` says when to retry. */
  | "RATE_LIMITED"
  /** The caller's signal or `cancel` ended the call. */
  | "ABORTED"
  /** The session lacks the module, or the image cannot do it. */
  | "UNSUPPORTED"
  /** Archive tool or upload failed. */
  | "BACKUP_FAILED"
  /** Download or extraction failed. */
  | "RESTORE_FAILED"
  /** Size or checksum differs from the record. */
  | "INTEGRITY"
  /** A binding, variable or secret is missing; the message says which. */
  | "NOT_CONFIGURED"
  /** Container or R2 does not respond. */
  | "UNAVAILABLE"
  /** The object restarted during the call; the message says what holds now. */
  | "INTERRUPTED"
  /** A bug; `details.incidentId` finds it in the log. */
  | "INTERNAL";

/** A page of events, newest first. */
export interface EventPage {
  /** The events. */
  events: EventView[];
  /** Cursor of the next page, if any. */
  nextCursor?: string;
}

/** A stored event as it is shown. */
export interface EventView {
  /** RFC 3339. */
  at: string;
  /** The kind, or `unknown`. */
  kind: string;
  /** The payload; for an unknown kind, all that is stored. */
  payload: unknown;
  /** Order within the session. */
  seq: number;
  /** Why the kind is `unknown`. */
  warning?: string;
}

/** A limit that can't be met. */
export type Exceeded =
  /** `maxCount`. */
  | "maxCount"
  /** `maxBytes`. */
  | "maxBytes";

/**
 * One event of a running command. The shape of `ExecEvent` in `@cloudflare/sandbox`, except that `error` is this API's
 * error.
 */
export type ExecEvent = {
  /** When it was sent, in RFC 3339. */
  timestamp: string;
} & (
  /** The command runs. Always the first event. */
  | {
    /** The command. */
    command: CommandLine;
    type: "start";
  }
  /** It printed to stdout. */
  | {
    /** Whole characters; bytes that are not UTF-8 are replaced. */
    data: string;
    type: "stdout";
  }
  /** It printed to stderr. */
  | {
    /** Whole characters; bytes that are not UTF-8 are replaced. */
    data: string;
    type: "stderr";
  }
  /** It ended. The last event. */
  | {
    /** Exit code. */
    exitCode: number;
    /** How it ended. Its output is empty, because the stream has sent it. */
    result: ExecResult;
    type: "complete";
  }
  /** It never ran, or its exit is unknown. The last event. */
  | {
    /** Why. */
    error: ErrorBody;
    type: "error";
  }
);

/** Result of `exec`. A nonzero exit is a result, not an error. */
export interface ExecResult {
  /** Milliseconds it took. */
  durationMs: number;
  /** Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`. */
  exitCode: number;
  /** Advice about refused hosts, memory and programs that still run. */
  hint?: string;
  /** Programs that the command left running. */
  leftRunning?: LeftRunning;
  /** Hosts that the network policy refused since it last listed some. */
  refusedHosts?: RefusedHost[];
  /** At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
  stderr: string;
  /** Whether stderr was cut. */
  stderrTruncated: boolean;
  /** At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
  stdout: string;
  /** Whether stdout was cut. */
  stdoutTruncated: boolean;
  /** Whether the exit code is 0. */
  success: boolean;
  /** Whether the time limit ended it. */
  timedOut: boolean;
}

/** Options of `execStream`. */
export interface ExecStreamOptions {
  /** Directory under the workspace to run in. Default: its root. */
  cwd?: string;
  /** Environment variables for this command. */
  env?: Record<string, string>;
  /**
   * Maximum bytes of stdout, and of stderr, to return: the beginning and the end. A tool returns 16384 by default, over
   * MCP 131072 at most; else the first 1048576. 1024 to 1048576.
   */
  maxOutputBytes?: number;
  /** Text for its standard input. */
  stdin?: string;
  /**
   * Milliseconds after which the command is killed; it then has exitCode 124 and timedOut true. Default 120000. 1 to
   * 3600000.
   */
  timeoutMs?: number;
  /**
   * Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes the background process
   * leftRunning.process; timeoutMs still applies. Default: 45000 for a tool; other callers wait until it ends. 1 to
   * 3600000.
   */
  waitMs?: number;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `exportBackup`. */
export interface ExportBackupOptions extends Cancellable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
}

/** Options of `exportSnapshot`. */
export interface ExportSnapshotOptions extends Cancellable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
}

/** Options of `exportTar`. */
export interface ExportTarOptions {
  /** Path under the workspace. Default: its root. */
  path?: string;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Type of a directory entry. */
export type FileType =
  /** Regular file. */
  | "file"
  /** Directory. */
  | "directory"
  /** Symbolic link, not followed. */
  | "symlink"
  /** Anything else. */
  | "other";

/** The format of a backup that is not one of ours. */
export type ForeignFormat =
  /** A tar archive compressed with zstd, as Sandbox SDK 1.0 names it in its records. */
  | "tar+zstd/1";

/** Options of `fork`. */
export interface ForkOptions extends Cancellable, Repeatable {
  /** How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply. 1 to 20. */
  count?: number;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
}

/** One line that `grep` shows. */
export interface FoundLine {
  /** Whether `text` is only the beginning. */
  cut: boolean;
  /** From 1. Absent if the line is so long that its number was cut off. */
  line?: number;
  /** Whether the line matches; otherwise it is near a match. */
  matches: boolean;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  /** The line without its end, at most 500 characters of it; bytes that are not UTF-8 are replaced. */
  text: string;
}

/** A path that was found. */
export interface FoundPath {
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
}

/** Options of `get`. */
export interface GetOptions extends Cancellable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
}

/** The repository at the root of a snapshot's directory, when it was taken. */
export interface GitState {
  /** The branch. Absent if `HEAD` is detached. */
  branch?: string;
  /** Whether nothing was uncommitted, apart from ignored files. */
  clean: boolean;
  /** The commit of `HEAD`. Absent before the first commit. */
  head?: string;
}

/** Options of `grep`. */
export interface GrepOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Lines to show before and after each match. 0 to 20. Default `0`. */
  context?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Treat pattern as literal text. */
  fixed?: boolean;
  /** Only files whose paths match, e.g. *.py. At most 4096 characters. */
  glob?: string;
  /** Ignore case of ASCII letters. */
  ignoreCase?: boolean;
  /** Also files in .git. */
  includeIgnored?: boolean;
  /** Maximum number of lines. 1 to 2000. Default `200`. */
  limit?: number;
  /** Directory or file under the snapshot's root. Default: the root. At most 4096 characters. */
  path?: string;
}

/** A public host, such as api.example.com, or *.example.com for all below one. At most 253 characters. */
export type HostPattern = string;

/** Changes that are only counted. */
export interface IgnoredChanges {
  /** How many changes. */
  counts: ChangeCounts;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
}

/** Options of `importBackup`. */
export interface ImportBackupOptions extends Cancellable, Repeatable {
  /** Must be true: the object is not the session's. Each such call is recorded. */
  allowCrossSession?: boolean;
  /** Description. At most 1024 characters. */
  description?: string;
  /** Type of the archive. Its first bytes tell how it is compressed. */
  format?: ArchiveFormat;
  /** Id of a backup of Sandbox SDK 1.0. Either this or `key`. */
  id?: BackupId;
  /** Key of an archive in the session's bucket. At most 1024 characters. */
  key?: string;
  /** Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256. */
  labels?: Labels;
  /** Name within the session. At most 128 characters. */
  name?: string;
  /** Take the name from a snapshot that has it. */
  replace?: boolean;
  /** SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. If it differs: `INTEGRITY`. */
  sha256?: string;
  /** Time to live in seconds. */
  ttlSeconds?: Ttl;
}

/** Options of `importSnapshot`. */
export interface ImportSnapshotOptions extends Cancellable {
  /** Description. At most 1024 characters. */
  description?: string;
  /** Type of the archive. Its first bytes tell how it is compressed. */
  format?: ArchiveFormat;
  /** Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256. */
  labels?: Labels;
  /** Name within the session. At most 128 characters. */
  name?: string;
  /** Take the name from a snapshot that has it. */
  replace?: boolean;
  /** SHA-256 of the archive as it is sent, 64 lowercase hex digits. If it differs: `INTEGRITY`. */
  sha256?: string;
  /** Time to live in seconds. */
  ttlSeconds?: Ttl;
}

/** Options of `importTar`. */
export interface ImportTarOptions {
  /** Path under the workspace. Default: its root. */
  path?: string;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Result of `importTar`. */
export interface ImportedTar {
  /** Directories. */
  directories: number;
  /** What was not kept. Absent if nothing was lost. */
  dropped?: DroppedByImport;
  /** Entries of the archive. */
  entries: number;
  /** Files, hard links included. */
  files: number;
  /** Symbolic links. */
  links: number;
  /** Bytes in all files. */
  sizeBytes: number;
  /** Where. */
  workspaceId: SandboxId;
}

/** An instruction for the caller, as a template: each caller fills in its own names of operations. */
export interface Instruction {
  /** The sentence's arguments. */
  arguments?: Record<string, string>;
  /** A sentence. `{name}` stands for the operation with this `operationId`, or for the argument of this name. */
  text: string;
}

/** Why a snapshot is kept. */
export type KeepReason =
  /** It is the session's latest snapshot, or its latest requested one. */
  | "newest"
  /** Its session pinned it. */
  | "pinned"
  /** A workspace would wake from it. */
  | "head"
  /** A workspace is being made from it. */
  | "beingRead"
  /** A rebuild put it back less than a week ago. */
  | "rebuilt"
  /** It is the last save of a retired workspace, and has not expired. */
  | "retired"
  /** It is among the latest that `keepLast` keeps. */
  | "keepLast"
  /** It is the latest of its day. */
  | "keepDaily"
  /** It has not expired, and no rule deletes it. */
  | "unexpired";

/** At most 32. */
export type Labels = Record<string, string>;

/** A language of `workspace_run_code`. */
export type Language =
  /** Python 3. */
  | "python"
  /** JavaScript, run by Node.js. */
  | "javascript";

/** A program that outlives the command that started it. */
export interface LeftProgram {
  /** Beginning of its command. */
  command: string;
  /** Its process id in the container. */
  pid: number;
}

/** Programs that a command started and that outlive it. */
export interface LeftRunning {
  /**
   * The background process whose log has what they print from now on. Absent if that output is dropped, or goes where
   * the command sent it.
   */
  process?: ProcessName;
  /** The first 5 of them. */
  programs: LeftProgram[];
}

/** The tree of a session's workspaces and snapshots. */
export interface Lineage {
  /** The workspace that tools act on. */
  active: WorkspaceRef;
  /** Its id. */
  activeWorkspaceId: SandboxId;
  /** Depth first: each place follows its parent. */
  nodes: LineageNode[];
  /** The tree as text, one line per place. */
  text: string;
  /** Whether the oldest places are omitted. */
  truncated: boolean;
}

/** One place of the tree. */
export type LineageNode = {
  /** RFC 3339. */
  createdAt: string;
  /** Steps from the root. */
  depth: number;
  /** Its sandbox id or backup id. */
  id: string;
  /** Id of the place that this came from, earlier in the list. */
  parent: string | null;
} & (
  /** A workspace. */
  | {
    /** Tools act on it: you are here. */
    current: boolean;
    /** The snapshot of another session that its files came from. */
    fromSnapshotId?: BackupId;
    /** How it came to be. */
    kind: WorkspaceKind;
    /** The snapshot that it was last rewound to, if its files descend from that. */
    rewoundTo?: BackupId;
    /** State. A destroyed one is shown if something came from it. */
    state: WorkspaceState;
    /** Whether it can be used as it is; absent for a destroyed one. */
    status?: WorkspaceStatus;
    type: "workspace";
  }
  /** A snapshot. */
  | {
    /** Name, or null. */
    name: string | null;
    /** Whether a restore can be started now. */
    restorable: boolean;
    /** Size of its archive, or null. */
    sizeBytes: number | null;
    /** State. One that is gone is shown if something came from it. */
    state: ShownState;
    /** Why it was taken. */
    trigger: SnapshotTrigger;
    /** The last turn that ended with its files. */
    turn?: Turn;
    type: "snapshot";
    /** The code that a restore would fail with. */
    unrestorableBecause?: ErrorCode;
  }
);

/** Options of `listCodeContexts`. */
export interface ListCodeContextsOptions {
  /** The workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `listCommands`. */
export interface ListCommandsOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** Options of `listEvents`. */
export interface ListEventsOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** Options of `listFiles`. */
export interface ListFilesOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Only paths that match, e.g. *.py or src/*.ts. At most 4096 characters. */
  glob?: string;
  /** Also list names that begin with a dot. Default `true`. */
  includeHidden?: boolean;
  /** Maximum number of entries. 1 to 10000. Default `1000`. */
  limit?: number;
  /** Directory under the snapshot's root. Default: the root. At most 4096 characters. */
  path?: string;
  /** Also list its directories' contents. */
  recursive?: boolean;
}

/** Options of `listOperations`. */
export interface ListOperationsOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** Options of `list`. */
export interface ListOptions {
  /** Walk the whole bucket, in key order. */
  allowCrossSession?: boolean;
  /** Made at this time or later, in RFC 3339. */
  createdAfter?: string;
  /** Made before this time, in RFC 3339. */
  createdBefore?: string;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Also automatic snapshots, those of turns, and safety snapshots. */
  includeAuto?: boolean;
  /** Also expired snapshots. */
  includeExpired?: boolean;
  /** Also snapshots that are being taken or deleted, are deleted, or failed. */
  includeUnready?: boolean;
  /** Only this kind of archive. */
  kind?: SnapshotKind;
  /** Only snapshots with all of these labels: a key, or `key=value`. At most 8. */
  labels?: string[];
  /** Results at most; at least 1. Never more than the session's `maxListResults`. */
  limit?: number;
  /** Only the snapshot with exactly this name. */
  name?: string;
}

/** A backup whose record cannot be read. */
export interface ListProblem {
  /** Why. */
  error: ErrorBody;
  /** Its id. */
  id: BackupId;
}

/** Options of `listProcesses`. */
export interface ListProcessesOptions {
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `listSnapshotEvents`. */
export interface ListSnapshotEventsOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** Options of `listTools`. */
export interface ListToolsOptions {
  /** Which tools: core, all, or names. Default: those that the session's configuration selects, else core. */
  tools?: ToolSelection;
}

/** Options of `listWorkspaceEvents`. */
export interface ListWorkspaceEventsOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** Options of `listWorkspaces`. */
export interface ListWorkspacesOptions {
  /** Also ask each workspace whether its container runs. Starts none. */
  containers?: boolean;
}

/** One entry of a directory. */
export interface ListedEntry {
  /** Permission bits in octal. */
  mode: string;
  /** RFC 3339. */
  modifiedAt: string;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  /** Size in bytes. */
  sizeBytes: number;
  /** Type. */
  type: FileType;
}

/** A page of entries. */
export interface ListedFiles {
  /** By path. Directories of a snapshot have size 0. */
  entries: ListedEntry[];
  /** Cursor of the next page, if any. */
  nextCursor?: string;
}

/** A snapshot of a list. */
export interface ListedSnapshot {
  /**
   * How many paths in its archive had a modification time before 1970 or after 2106. An archive can't hold such times:
   * most of these paths got the nearest possible one.
   */
  clampedTimes?: number;
  /** RFC 3339. */
  createdAt: string;
  /** Description, or null. */
  description: string | null;
  /** What an import of an archive did not keep. Absent if nothing was lost. */
  dropped?: DroppedByImport;
  /** RFC 3339. A snapshot counts as expired one minute earlier. */
  expiresAt: string;
  /** Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first. */
  format?: ForeignFormat;
  /** The git repository at the root of its directory, if there was one. */
  git?: GitState;
  /** Id. */
  id: BackupId;
  /** Kind of archive; null while it is being taken, and for a backup of `@cloudflare/sandbox`. */
  kind: SnapshotKind | null;
  /** Labels. */
  labels: Labels;
  /**
   * The machine that was saved with it, if the session persists machines: all differences from the image outside its
   * directory.
   */
  machine?: MachinePart;
  /** Name, or null. */
  name: string | null;
  /**
   * The previous snapshot, or null: the workspace's own last one, autosaves included, or the one it was made from or
   * rewound to.
   */
  parentId: BackupId | null;
  /** Whether it stays until it is unpinned or deleted. */
  pinned: boolean;
  /** Whether other sessions may start workspaces from it. */
  published: boolean;
  /** Its ref. */
  ref: SnapshotRef;
  /** Whether a restore can be started now. */
  restorable: boolean;
  /** When its workspace was retired, in RFC 3339. It is listed because it is that workspace's last save. */
  retiredAt?: string;
  /** The call that took it, by the name of the operation or tool, or the rule: `autosave`. */
  savedBy?: string;
  /** SHA-256 of the archive, or null if none was recorded. */
  sha256: string | null;
  /** Size of the archive in bytes, or null while it is being taken. */
  sizeBytes: number | null;
  /** Its id. */
  snapshotId: BackupId;
  /** State. */
  state: ShownState;
  /** Why it was taken. */
  trigger: SnapshotTrigger;
  /** The last turn that ended with its files, if one did. */
  turn?: Turn;
  /** The code that a restore would fail with. */
  unrestorableBecause?: ErrorCode;
}

/** A tool as it is listed. */
export interface ListedTool {
  /** The hints of MCP. */
  annotations: ToolHints;
  /** For the model: when to use it, what it leaves alone, what to call next. */
  description: string;
  /** JSON Schema of the input. */
  inputSchema: unknown;
  /** Name to call it by. */
  name: string;
  /** JSON Schema of the output: its fields, without their contents. */
  outputSchema: unknown;
  /** For people. */
  title: string;
}

/** One workspace of a live fork. */
export type LiveFork =
  /** It was made. */
  | {
    /** Its ref. */
    ref: WorkspaceRef;
    /** Its id. */
    workspaceId: SandboxId;
  }
  /** It was not made, and nothing is left of it. */
  | {
    /** Why. */
    error: ErrorBody;
  };

/** The workspaces that a live fork made. */
export interface LiveForks {
  /** The snapshot they were made from; an earlier snapshot if no file changed. */
  fromSnapshotId: BackupId;
  /** The turn that ended with these files. */
  turn?: Turn;
  /** The snapshots it woke from, if it was asleep. */
  woken?: Woken;
  /** One result for each requested workspace. */
  workspaces: LiveFork[];
}

/** What identifies an image. */
export interface MachineImage {
  /** The platform's name for it, if it has one. */
  name?: string;
  /** SHA-256 of the list of its files, lowercase hexadecimal. */
  sha256: string;
}

/** The archive of a machine. Snapshots between which the machine did not change share one. */
export interface MachinePart {
  /** The snapshot that has the archive: this one, or an earlier one. */
  id: BackupId;
  /** The image that it differs from. */
  image: MachineImage;
  /** Whether the bucket has lost the archive. The snapshot's files are all there. */
  lost?: boolean;
  /** SHA-256 of the archive, lowercase hexadecimal. */
  sha256: string;
  /** Size of the archive in bytes. */
  sizeBytes: number;
}

/** A path that both sides changed in ways that exclude each other. */
export interface MergeConflict {
  /** Why it can't be merged. */
  conflict: Conflict;
  /** The first lines in conflict. */
  lines?: ConflictingLines[];
  /** What the active workspace did to it. */
  ours?: ChangeKind;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  /** What the other side did to it. */
  theirs?: ChangeKind;
}

/** A bucket that lacks snapshots. */
export interface MissingView {
  /** The bucket's binding. */
  binding: string;
  /** The same as text, with advice. */
  message: string;
  /** RFC 3339. */
  since: string;
  /** Snapshots that the last check did not find. */
  snapshots: number;
}

/** What containers may reach. */
export interface NetworkConfig {
  /** For mode `allowlist`: public hosts such as `example.com`, or `*.example.com` for all hosts below it. At most 200. */
  hosts?: HostPattern[];
  /** `open`: the Internet. `off`: nothing. `allowlist`: `hosts` alone, over HTTP and HTTPS. */
  mode: NetworkMode;
  /**
   * Lets a session whose mode is not `open` have `previewPorts`: a preview's page runs in its visitor's browser, which
   * reaches the Internet. Default false.
   */
  previews?: boolean;
}

/** What containers may reach. */
export type NetworkMode =
  /** The Internet. */
  | "open"
  /** Nothing. */
  | "off"
  /** `hosts`, over HTTP and HTTPS, and nothing else. */
  | "allowlist";

/** Why a change has no text. */
export type NoText =
  /** The content is not text. */
  | "binary"
  /** The file is larger than 1 MiB. */
  | "tooLarge"
  /** maxBytes leaves no room. */
  | "noRoom"
  /** `git apply` takes no patch of such a path. */
  | "refused";

/** What a search passed over. */
export interface NotSearched {
  /** Number of files that are not text. */
  binary: number;
  /** Number of .git directories. */
  git: number;
  /** Number of lines that are too long for so costly a pattern. */
  longLines?: number;
  /** Number of files larger than 2 MiB. */
  tooLarge: number;
  /** The first 20 of these files. */
  tooLargeFiles?: FoundPath[];
}

/** Name of a call, by which it is cancelled. */
export type OperationId = string;

/** A page of recorded calls, newest first. */
export interface OperationPage {
  /** Cursor of the next page, if any. */
  nextCursor?: string;
  /** The calls. */
  operations: OperationView[];
}

/** The state of a call. */
export type OperationState =
  /** It runs, or is being recovered after a restart. */
  | "running"
  /** It has a result. */
  | "succeeded"
  /** It has an error. */
  | "failed"
  /** The object restarted while it ran; the error says what holds. */
  | "interrupted"
  /** Its caller gave up. */
  | "cancelled";

/** A recorded call as it is shown. */
export interface OperationView {
  /** RFC 3339, once it has ended. */
  endedAt?: string;
  /** Why it failed. */
  error?: ErrorBody;
  /** Its name. */
  id: OperationId;
  /** Name of the operation or tool. */
  op: string;
  /** What the call answered, if it succeeded. */
  result?: unknown;
  /** RFC 3339. */
  startedAt: string;
  /** Its state. */
  state: OperationState;
  /** The step that it last began. */
  step?: string;
}

/** What a failed call has left behind. */
export type Outcome =
  /** Nothing has changed. */
  | "none"
  /** The effect holds although the call failed. */
  | "committed"
  /** Not known here; the message says how to find out. */
  | "unknown";

/** A changed path. */
export interface PathChange {
  /** What happened. */
  change: ChangeKind;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
}

/** A workspace that is paused. */
export interface Paused {
  /** Its current state. */
  workspace: WorkspaceSummary;
}

/** Value of `persist`. */
export type Persist =
  /** The directory of the workspace. */
  | "workspace"
  /** Also all differences from the image outside that directory. */
  | "machine";

/** What would change in the files of the active workspace. */
export interface PlannedChanges {
  /** All changes, without ignored files. */
  counts: ChangeCounts;
  /** Counts of changes in .git and in ignored files. */
  ignored?: IgnoredChanges[];
  /** The first changed paths, at most 200. */
  paths: ChangedPath[];
}

/** Containers that are kept started, with the files of a published snapshot. */
export interface PoolConfig {
  /** The published snapshot: its ref or id. */
  from: SnapshotSelector;
  /**
   * How many containers the pool keeps for the next sessions. The last open decides for all sessions that share the
   * pool. 1 to 100.
   */
  size: number;
}

/** Id of a preview, by which it is revoked. No secret. */
export type PreviewId = string;

/** Previews of a session. */
export interface PreviewList {
  /** All valid previews, newest first. */
  previews: PreviewView[];
}

/** A preview as it is shown: never with its link. */
export interface PreviewView {
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. */
  expiresAt: string;
  /** Id to revoke it by. Not secret. */
  id: PreviewId;
  /** The port in the container. 0 to 65535. */
  port: number;
  /** The workspace. */
  workspace: WorkspaceRef;
  /** Its id. */
  workspaceId: SandboxId;
}

/** Background processes, in the order of their names. */
export interface ProcessList {
  /** Running processes, and the last that ended. */
  processes: ProcessView2[];
  /** Where. */
  workspaceId: SandboxId;
}

/** A part of what a background process printed. */
export interface ProcessLog {
  /** Offset of the next read. */
  nextOffset: number;
  /** Offset of the text. Later than requested if the log no longer has that part. */
  offset: number;
  /** The process. */
  process: ProcessView2;
  /** stdout and stderr; bytes that are not UTF-8 are replaced. */
  text: string;
  /** Where. */
  workspaceId: SandboxId;
}

export type ProcessName = string;

/** State of a background process. */
export type ProcessState =
  /** It runs. */
  | "running"
  /** It has ended. */
  | "ended";

/** A background process. */
export interface ProcessView {
  /** Beginning of its command. */
  command: string;
  /** RFC 3339, or null. */
  endedAt: string | null;
  /** Exit code. Null while it runs, and if it was killed with its supervisor. */
  exitCode: number | null;
  /** In the answer of its start: when it will end without being stopped. Later: that it ended because memory ran out. */
  hint?: string;
  /** Whether it has ended but a program that it started still runs. */
  leftRunning?: boolean;
  /** Bytes printed so far. */
  logBytes: number;
  /** Its name. */
  name: ProcessName;
  /** RFC 3339. */
  startedAt: string;
  /** State. */
  state: ProcessState;
  /** Where. */
  workspaceId: SandboxId;
}

/** A background process. */
export interface ProcessView2 {
  /** Beginning of its command. */
  command: string;
  /** RFC 3339, or null. */
  endedAt: string | null;
  /** Exit code. Null while it runs, and if it was killed with its supervisor. */
  exitCode: number | null;
  /** In the answer of its start: when it will end without being stopped. Later: that it ended because memory ran out. */
  hint?: string;
  /** Whether it has ended but a program that it started still runs. */
  leftRunning?: boolean;
  /** Bytes printed so far. */
  logBytes: number;
  /** Its name. */
  name: ProcessName;
  /** RFC 3339. */
  startedAt: string;
  /** State. */
  state: ProcessState;
}

/** How to bring changes over. */
export type PromoteMode =
  /** Merge them with what the active workspace changed itself. */
  | "merge"
  /** Give the active workspace exactly the other's files. */
  | "replace";

/** Options of `promote`. */
export interface PromoteOptions extends Cancellable, Repeatable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** The snapshot that both came from. Default: the nearest one. */
  base?: SnapshotSelector;
  /** Destroy the session's other branches afterwards. */
  discardOthers?: boolean;
  /** Change nothing; return what would change. */
  dryRun?: boolean;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
  /**
   * Also bring over files that a .gitignore of the other side ignores, and caches such as __pycache__. With mode
   * replace, everything is brought over anyway.
   */
  includeIgnored?: boolean;
  /** Merge them with changes made here, or replace all files here. Default `"merge"`. */
  mode?: PromoteMode;
  /** What to do about paths that both sides changed differently. Default: refuse, and list them. */
  onConflict?: ConflictPolicy;
}

/** Changes that were brought over. */
export interface Promoted {
  /** The snapshot that both came from. Absent: none is common to both, or all files were replaced. */
  baseSnapshotId?: BackupId;
  /** Whether any file was changed. */
  changed: boolean;
  /** What would change in the files. Only in a dry run. */
  changes?: PlannedChanges;
  /** Undecided conflicts. Only in a dry run: a promotion would be refused. */
  conflicts?: MergeConflict[];
  /** Counts of changes by a merge. Line-merged files count as modified. */
  counts: ChangeCounts;
  /** Conflicts that onConflict decided. */
  decidedConflicts: MergeConflict[];
  /** Workspaces that were destroyed. */
  discarded: WorkspaceRef[];
  /** A dry run: nothing was changed. The other fields say what a promotion would do now. */
  dryRun?: boolean;
  /** Processes that were ended. Only if all files were replaced. */
  endedProcesses: EndedProcess[];
  /**
   * The snapshot whose changes these are. For a workspace, the one that saved it. Absent in a dry run for a workspace
   * that runs.
   */
  fromSnapshotId?: BackupId;
  /** Paths not changed here. Git repositories that both changed, and ignored files in conflict. */
  kept: string[];
  /**
   * Changes not brought over: in files that a .gitignore of the other side ignores, or in a cache such as __pycache__.
   * includeIgnored brings them over.
   */
  leftOut?: IgnoredChanges[];
  /** Files whose lines were merged. */
  mergedFiles: number;
  /**
   * Number of files beyond the limit of a call, not compared. If the other side changed them, those changes were not
   * brought over.
   */
  notCompared?: number;
  /** Its ref. */
  ref: WorkspaceRef;
  /** The safety snapshot: the files before the change. Absent if nothing was changed, as in a dry run. */
  safetyRef?: SnapshotRef;
  /** Its id. */
  safetySnapshotId?: BackupId;
  /** The snapshots it woke from, if it was asleep. */
  woken?: Woken;
  /** Its id. */
  workspaceId: SandboxId;
}

/** The provider that each ref of this service names. */
export type ProviderId =
  /** Containers on Cloudflare, archives in R2. */
  | "cloudflare-sandbox";

/** Value of `kind`. */
export type ProviderKind =
  /** The only kind. */
  | "cloudflare-sandbox";

/** Result of code in a code context. Code that fails is a result, not an error. */
export interface RanInContext {
  /** Why the context ended during this call. Absent while it runs on. */
  contextEnded?: string;
  /** Milliseconds it took. */
  durationMs: number;
  /** Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`. */
  exitCode: number;
  /** Advice about refused hosts, memory and programs that still run. */
  hint?: string;
  /** Images that the code saved in its output directory. */
  images: CodeImage[];
  /** Programs that the command left running. */
  leftRunning?: LeftRunning;
  /** Files there that are not returned: too large, too many, or not images. */
  omitted: string[];
  /** Hosts that the network policy refused since it last listed some. */
  refusedHosts?: RefusedHost[];
  /** At most 1 MiB of stderr; bytes that are not UTF-8 are replaced. */
  stderr: string;
  /** Whether stderr was cut. */
  stderrTruncated: boolean;
  /** At most 1 MiB of stdout; bytes that are not UTF-8 are replaced. */
  stdout: string;
  /** Whether stdout was cut. */
  stdoutTruncated: boolean;
  /** Whether the exit code is 0. */
  success: boolean;
  /** Whether the time limit ended it. */
  timedOut: boolean;
  /** Value of the last line, if JSON can express it. */
  value?: unknown;
  /** The value as the language prints it, if JSON can't express it. */
  valueText?: string;
  /** Where. */
  workspaceId: SandboxId;
}

/** A rate, and how many calls may come at once. */
export interface Rate {
  /** Calls that may come at once, after a pause. 1 to 60000. */
  burst: number;
  /** Calls a minute. 1 to 60000. */
  perMinute: number;
}

/** Options of `readFile`. */
export interface ReadFileOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Return text or base64. Default: text, if the content is text. */
  encoding?: Encoding;
  /** Maximum lines to read. Default: as many as fit. At least 1. */
  lineCount?: number;
  /** Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288. 1 to 2097152. */
  maxBytes?: number;
  /** First byte to read, from 0. Not together with startLine or lineCount. */
  offset?: number;
  /** First line to read, from 1. At least 1. */
  startLine?: number;
}

/** Result of `readFile`. */
export interface ReadFileResult {
  /** Content in `encoding`. */
  content: string;
  /** Encoding of `content`. */
  encoding: Encoding;
  /** Media type, found by the first bytes, or else by the name. */
  mimeType?: string;
  /** Number of the next line, from 1, if lines were read and `content` ends with a whole line. */
  nextLine?: number;
  /** Offset of the next read. */
  nextOffset?: number;
  /** Offset of `content` in the file, in bytes. */
  offset: number;
  /** Size of the whole file in bytes. */
  sizeBytes: number;
  /** Whether the file continues after `content`. */
  truncated: boolean;
}

/** Options of `readProcessLog`. */
export interface ReadProcessLogOptions {
  /** Default 16384. 1024 to 131072. */
  maxBytes?: number;
  /** Which process. */
  name: ProcessName;
  /** nextOffset of the last read. Default: the last maxBytes are read. */
  offset?: number;
  /** Milliseconds to wait for output after offset. Default 0. 0 to 30000. */
  waitMs?: number;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `rebuild`. */
export interface RebuildOptions {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Maximum number of results. */
  limit?: number;
}

/** What one page of a rebuild found. */
export interface Rebuilt {
  /** Backups of the bucket that were looked at. */
  examined: number;
  /** Backups of other sessions, or of none; left alone. */
  foreign: number;
  /** Archives without a commit record, and records without an archive; left alone. */
  incomplete: number;
  /** Backups that its catalogue already had, in any state. */
  known: number;
  /** Where the next page begins. Absent once the bucket has been walked. */
  nextCursor?: string;
  /** Backups whose record cannot be read. */
  problems?: ListProblem[];
  /** Backups of this session that are in its catalogue again. */
  restored: BackupId[];
}

/** A host that a policy has refused. */
export interface RefusedHost {
  /** How many requests were refused. */
  count: number;
  /** As the request named it. */
  host: string;
}

/** Options of `restore`. */
export interface RestoreOptions extends Cancellable, Repeatable {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Make the new workspace active; the default for tools. */
  switch?: boolean;
}

/** A workspace that runs, with its files. */
export interface Resumed {
  /** The snapshots it woke from; absent if it was running. */
  woken?: Woken;
  /** Its current state. */
  workspace: WorkspaceSummary;
}

/**
 * A retention policy as a session's configuration, or the Worker's variable `RETENTION`, declares it. Absent fields
 * have their defaults.
 */
export interface RetentionConfig {
  /** How many autosaves of each workspace to keep, beside named ones and those that a wake needs. Default 4. 0 to 10000. */
  keepAutosaves?: number;
  /**
   * Keeps only the latest snapshot of each day (UTC), for this many days, beside those that `keepLast` keeps. 1 to
   * 10000.
   */
  keepDaily?: number;
  /**
   * Keeps only this many of the latest requested snapshots, and as many safety snapshots, beside those that `keepDaily`
   * keeps. 1 to 10000.
   */
  keepLast?: number;
  /** Number of latest turns to keep, in all workspaces together. Default 50. 1 to 10000. */
  keepTurns?: number;
  /** Maximum bytes of archives. The newest snapshot alone may exceed it. 1 to 9007199254740991. */
  maxBytes?: number;
  /**
   * Maximum number of snapshots. Autosaves are deleted first, then safety snapshots, then those of turns, then the
   * oldest. 1 to 10000.
   */
  maxCount?: number;
  /** Seconds between two requested snapshots; sooner is `RATE_LIMITED`. Default 0. 0 to 86400. */
  minIntervalSeconds?: number;
  /**
   * Seconds after which an unused workspace that is not active is retired: saved if it runs, and destroyed. Its last
   * save then lives for `ttlSeconds` from that time and is listed. Default 604800, a week. 60 to 315360000.
   */
  retireAfterSeconds?: number;
  /**
   * Time to live of a snapshot whose caller sets none, in seconds. Default: turns and requested snapshots live 30 days
   * after the session's last use, and all others 259200.
   */
  ttlSeconds?: Ttl;
}

/** A policy as it is shown. */
export interface RetentionPolicyView {
  /** How many autosaves of each workspace are kept, beside those that a wake needs. */
  keepAutosaves: number;
  /** Also the latest snapshot of each day, for this many days. */
  keepDaily: number | null;
  /** Only this many of the latest snapshots are kept. */
  keepLast: number | null;
  /** How many turns are kept. */
  keepTurns: number;
  /** Maximum bytes. */
  maxBytes: number | null;
  /** Maximum number of snapshots. */
  maxCount: number | null;
  /** Seconds between two requested snapshots. */
  minIntervalSeconds: number;
  /** Seconds after which an unused workspace that is not active is retired. */
  retireAfterSeconds: number;
  /**
   * Time to live of automatic and safety snapshots. If it was set, also of other snapshots whose caller sets none;
   * otherwise those live 30 days after the session's last use.
   */
  ttlSeconds: number;
}

/** What the policy does with the session's snapshots. */
export interface RetentionReport {
  /**
   * Each snapshot and its verdict: those to delete first, oldest first; then those that are kept, newest first. At most
   * 1,000.
   */
  decisions: DecisionView[];
  /**
   * Number of snapshots to delete, at most 1,000: if it is 1,000, there may be more. After `retain`, the number that
   * were deleted.
   */
  deleteCount: number;
  /** A limit that is still exceeded once all snapshots that may be deleted are gone. */
  exceeded?: Exceeded;
  /** Bytes of the deleted archives. */
  freedBytes: number;
  /** Bytes of the kept archives. */
  keptBytes: number;
  /** Snapshots that are kept, beside those that are counted as deleted. */
  keptCount: number;
  /** When the next snapshot is deleted if only time passes, in RFC 3339. */
  nextDueAt?: string;
  /** The policy, every default filled in. */
  policy: RetentionPolicyView;
  /** Whether there are more than are shown. */
  truncated: boolean;
}

/** The answer to a revocation. */
export interface Revoked {
  /** Always true: revoking what is gone succeeds. */
  revoked: boolean;
}

/** Options of `rewind`. */
export interface RewindOptions extends Cancellable, Repeatable {
  /** Also reach snapshots of other sessions. */
  allowCrossSession?: boolean;
  /** Change nothing; return what would change. */
  dryRun?: boolean;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
  /**
   * Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`; `details.head` is the
   * current one.
   */
  expectedHead?: BackupId;
}

/** A workspace that was rewound. */
export interface Rewound {
  /** What would change in the files. Only in a dry run. */
  changes?: PlannedChanges;
  /** A dry run: nothing was changed. The other fields say what a rewind would do now. */
  dryRun?: boolean;
  /**
   * Background processes that were ended and not started again, by the names that workspace_start gave them. A preview
   * of a server among them shows an old page until it is started again.
   */
  endedBackground?: ProcessName[];
  /** Processes that were ended because they used the directory, at most 100. */
  endedProcesses: EndedProcess[];
  /** The snapshot whose files the workspace now has. */
  fromSnapshotId: BackupId;
  /** What to do about ended processes that were not started again. */
  hint?: string;
  /** Whether the bucket lost the machine saved with these files: the workspace keeps its current machine. */
  machineLost?: boolean;
  /** Its ref. */
  ref: WorkspaceRef;
  /** Background processes that were started again: services of the session, and processes started with restart. */
  restarted?: ProcessName[];
  /** The safety snapshot: the files before the change. Absent if nothing was changed, as in a dry run. */
  safetyRef?: SnapshotRef;
  /** Its id. */
  safetySnapshotId?: BackupId;
  /** The turn that ended with these files; if several did, the requested one. */
  turn?: Turn;
  /** What an undo reverted. */
  undone?: Undone;
  /** The snapshots it woke from, if it was asleep. */
  woken?: Woken;
  /** Its id. */
  workspaceId: SandboxId;
}

/** Options of `runInCodeContext`. */
export interface RunInCodeContextOptions extends Cancellable {
  /** As for workspace_run_code. 1024 to 1048576. */
  maxOutputBytes?: number;
  /** Milliseconds after which the code is interrupted: exitCode 124. Default 120000. 1 to 3600000. */
  timeoutMs?: number;
  /** The workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Name of a sandbox, which holds one workspace. */
export type SandboxId = string;

/** Options of `saveTurn`. */
export interface SaveTurnOptions extends Cancellable, Repeatable {
  /**
   * The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the last message, for example.
   * Each call that brings the files back returns it.
   */
  cursor?: TurnCursor;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
  /** What to call the turn, for readers of the timeline. At most 128 characters. */
  label?: string;
}

/** A kind of access. No scope implies another. */
export type Scope =
  /** Look at the session, its snapshots, workspaces, events, tools and files. */
  | "read"
  /** Change files, run commands and code, choose the workspace to act on, pause and resume workspaces. */
  | "write"
  /** Take, edit and delete snapshots; restore, branch, live fork and rewind. */
  | "snapshot"
  /** Close the session, destroy a workspace. */
  | "admin";

/** Settings of the script module. */
export interface ScriptCapability {
  /** Milliseconds that a script may run. Default 5000. 1 to 60000. */
  maxDurationMs?: number;
  /** Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`. */
  network?: ScriptNetwork;
}

/** Whether scripts reach the Internet. */
export type ScriptNetwork =
  /** They reach nothing but the session. */
  | "off"
  /** They reach the Internet as the Worker does. */
  | "allow";

/** How a script ended. */
export interface ScriptResult {
  /** Number of tool calls. */
  calls: number;
  /** How long it ran, in milliseconds. */
  durationMs: number;
  /** Why it failed, with the stack. */
  error?: string;
  /** Console output. */
  logs: string;
  /** Whether its time limit ended it. */
  timedOut: boolean;
  /** The value that it returned, if JSON can express it. */
  value?: unknown;
  /** Otherwise the value as text. */
  valueText?: string;
}

/** The record of a backup of the SDK, as its `restore` takes it. */
export interface SdkBackupRecord {
  /** The directory that was saved. The SDK restores to it unless its caller names another. */
  dir: BackupDir;
  /** Its format. */
  format: ForeignFormat;
  /** Its id. The object's key is `<prefix><id>.tar.zst`. */
  id: BackupId;
  /** The snapshot's name. */
  name?: string;
  /** SHA-256 of the object, lowercase hexadecimal. */
  sha256: string;
  /** Size of the object in bytes. */
  size: number;
}

/** A page of lines of a snapshot's files. */
export interface SearchedSnapshot {
  /** By path, from the snapshot's root, then by line. */
  lines: FoundLine[];
  /** Where the next page begins, if not all has been searched. */
  nextCursor?: string;
  /** What this page passed over. */
  notSearched: NotSearched;
  /** Files that this page searched. */
  searchedFiles: number;
}

/** A header that requests to some hosts get on their way out. */
export interface Secret {
  /** The header's name. It replaces one that the container sends. At most 64 characters. */
  header: string;
  /**
   * The only hosts that get it: `api.example.com`, or `*.example.com` for all hosts below it. Over HTTPS only, unless
   * the host begins with `http://`. At most 16.
   */
  hosts: SecretHost[];
  /** The header's whole value, such as `Bearer …`. Redacted wherever it is shown. */
  value: SecretValue;
}

/**
 * A host as in `network.hosts`. With http:// in front, requests without TLS get the secret, and those with TLS do not.
 * At most 260 characters.
 */
export type SecretHost = string;

/** A secret's value. It is not printed. At most 8192 characters. */
export type SecretValue = string;

/** A command that runs in the background of each workspace. */
export interface ServiceConfig {
  /** Shell command, or program and arguments. Shown to callers: secrets belong in `envVars`. */
  command: CommandLine;
  /** Directory under the workspace to run in. Default: its root. */
  cwd?: string;
  /** The name of its process. */
  name: ProcessName;
}

/** Name of a session. */
export type SessionId = string;

/** How much one session may have at once. */
export interface SessionLimits {
  /** All calls, however they come. Default 6,000 a minute, 1,000 at once. */
  calls?: Rate;
  /** Containers that may run at once. Default 4. 1 to 100. */
  maxRunning?: number;
  /** Workspaces. Default 20. 1 to 100. */
  maxWorkspaces?: number;
  /** Calls that take a snapshot. Default 30 a minute, 30 at once. */
  snapshots?: Rate;
}

/** Whether a session takes work. */
export type SessionStatus =
  /** It takes work. */
  | "open"
  /** Only its snapshots can be listed, read and deleted. */
  | "closed";

/** What a session keeps, by its catalogue. */
export interface SessionUsage {
  /** Snapshots that were taken automatically. */
  automatic: Stored;
  /** Deleted snapshots whose archives other snapshots still need. */
  held: Stored;
  /** When a workspace was last used, in RFC 3339; null without workspaces. */
  lastUsedAt: string | null;
  /** Pinned snapshots. */
  pinned: Stored;
  /** The session. */
  session: SessionId;
  /** All snapshots that R2 holds, expired ones included. */
  snapshots: Stored;
  /** Number of snapshots being taken or deleted; R2 may hold parts of them. */
  unfinishedCount: number;
  /** Workspaces that are not destroyed. */
  workspaceCount: number;
}

/** A session as it is shown. Values of `envVars` are hidden. */
export interface SessionView {
  /** The workspace that tools act on. */
  active: WorkspaceRef;
  /** Its id. */
  activeWorkspaceId: SandboxId;
  /** The configuration that it was opened with, redacted. */
  config: WorkspaceConfig;
  /** Buckets that lack so many listed snapshots that their loss is not recorded. */
  missing?: MissingView[];
  /** RFC 3339; the first open. */
  openedAt: string;
  /** Its id. */
  session: SessionId;
  /** `open` or `closed`. */
  status: SessionStatus;
  /** The directory that file paths are relative to. */
  workspaceDir: string;
}

/** Options of `sharePreview`. */
export interface SharePreviewOptions {
  /** Origins of the pages that may embed the preview in a frame, as `https://app.example.com`. Default none. At most 8. */
  frameAncestors?: string[];
  /** The port in the container; one of the session's `previewPorts`. 1 to 65535. */
  port: number;
  /**
   * How long the link is good, in seconds. Default one day, at most 30, and no longer than the caller's own token. 1 to
   * 2592000.
   */
  ttlSeconds?: number;
  /** Whose container: a workspace's id. Default: the active one. The preview stays with it. */
  workspace?: WorkspaceSelector;
}

/** A fresh preview. */
export interface SharedPreview {
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. */
  expiresAt: string;
  /** Id to revoke it by. Not secret. */
  id: PreviewId;
  /** The port in the container. 0 to 65535. */
  port: number;
  /**
   * The link. Anyone who has it can use the server until it expires or is revoked. It is returned only here, and stored
   * nowhere.
   */
  url: string;
  /** The workspace. */
  workspace: WorkspaceRef;
  /** Its id. */
  workspaceId: SandboxId;
}

/** Settings of the shell module. */
export interface ShellCapability {
  /**
   * Programs that commands may run, as lists of a program and its arguments. Variables that could bring in another
   * program (`PATH`, `LD_*`, …) can't be set then. A program that runs others (`sh`, `env`, `find`, `git`, an
   * interpreter) allows those too. Absent: any program, and shell text. At most 256.
   */
  allowlist?: string[];
  /** Longest time one command may take, in milliseconds. 1 to 3600000. */
  maxDurationMs?: number;
}

/** A changed path. */
export interface ShownChange {
  /** What happened. */
  change: ChangeKind;
  /** Permission bits in octal, if they changed. */
  mode?: string;
  /** Why its content is not shown, or is not in the patch. */
  noText?: NoText;
  /** Permission bits before, if they changed. */
  oldMode?: string;
  /** Owner and group before. */
  oldOwner?: string;
  /** Size of the file before, if it changed. */
  oldSizeBytes?: number;
  /** Target before, if it changed. */
  oldTarget?: string;
  /** Type before, if it changed. */
  oldType?: FileType;
  /** Owner and group, if they changed: `UID:GID`. */
  owner?: string;
  /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
  path: string;
  /** The bytes of `path` in base64, if they are not UTF-8. */
  pathBase64?: string;
  /** Where a renamed file was. */
  renamedFrom?: FoundPath;
  /** Size of a file in bytes. */
  sizeBytes?: number;
  /** Target of a symbolic link. */
  target?: string;
  /** Unified diff. Bytes that are not UTF-8 are replaced. */
  text?: string;
  /** Type; for a removed path, the type that it had. */
  type: FileType;
  /** Its content was not compared, because one call can't compare so much: it may be the same. */
  uncertain?: boolean;
}

/** The state as it is shown: what is stored, and whether its time is up. */
export type ShownState =
  /** Being taken. */
  | "pending"
  /** R2 holds it. */
  | "ready"
  /** R2 still holds it, and it cannot be restored any more. */
  | "expired"
  /** Being deleted. */
  | "deleting"
  /** Gone. */
  | "deleted"
  /** Was not taken, or was lost. */
  | "failed";

/** Idle time before a container stops: seconds, or text such as "10m"; 1 second to 6 hours. */
export type SleepAfter =
  /** 1 to 21600. */
  | number
  | string;

/** Settings of the snapshot module. */
export interface SnapshotCapability {
  /** Whether `allowCrossSession` is honoured. */
  crossSession?: boolean;
  /** Largest page of `list`. 1 to 1000. */
  maxListResults?: number;
}

/** Changes to a snapshot. Absent fields stay as they are. Values that `clear` lists are removed first. */
export interface SnapshotEdit {
  /**
   * Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or `expiresAt` to keep it until it
   * is deleted.
   */
  clear?: Cleared[];
  /** Description. At most 1024 characters. */
  description?: string;
  /**
   * When it expires, in RFC 3339: at least 61 s from now, and at most ten years after it was taken. A snapshot lives
   * whole seconds, so its end is up to one second later.
   */
  expiresAt?: string;
  /** Labels to set. Others stay. */
  labels?: Labels;
  /** Name within the session. At most 128 characters. */
  name?: string;
  /**
   * Whether it stays until it is unpinned or deleted, whatever its time to live and the policy say. Once it is
   * unpinned, it has its earlier expiry again.
   */
  pinned?: boolean;
  /** Whether other sessions may start workspaces from it, by its ref or id. No tool sets it. */
  published?: boolean;
  /** Take the name from a snapshot that has it. */
  replace?: boolean;
}

/** Kind of a backup's archive. `meta.json` names the kind, so that a reader that cannot apply it refuses it by name. */
export type SnapshotKind =
  /** The whole directory. */
  | "full"
  /** What changed against its base. */
  | "layer";

/** Options of `snapshot`. */
export interface SnapshotOptions extends Cancellable, Repeatable {
  /** Description. At most 1024 characters. */
  description?: string;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
  /**
   * Store only what has changed since the workspace's last snapshot: a snapshot of kind `layer`. Default: the session's
   * `incremental`.
   */
  incremental?: boolean;
  /** Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256. */
  labels?: Labels;
  /** Name within the session. At most 128 characters. */
  name?: string;
  /** Take the name from a snapshot that has it. */
  replace?: boolean;
  /** Time to live in seconds. */
  ttlSeconds?: Ttl;
}

/** A page of snapshots. */
export interface SnapshotPage {
  /** Cursor of the next page, if any. */
  nextCursor?: string;
  /** Backups with unreadable records (crossing only). */
  problems?: ListProblem[];
  /** Snapshots with their refs and data. */
  snapshots: ListedSnapshot[];
}

/** Names a snapshot. Unknown fields are refused, except in `backup`. */
export interface SnapshotRef {
  /** Always `cloudflare-sandbox`. */
  providerId: ProviderId;
  /** The payload. */
  ref: SnapshotRefPayload;
}

/** Payload of a `SnapshotRef`. */
export interface SnapshotRefPayload {
  /** The backup. Fields that a caller adds are accepted and not used. */
  backup: BackupHandle;
  /** Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`, which does not say. */
  originSandboxId?: SandboxId | null;
}

/** Which snapshot: its name or id, turn:3, latest or head; or its ref, or a turn as an object. */
export type SnapshotSelector =
  /** At most 128 characters. */
  | string
  | SnapshotRef
  | TurnSelector;

/** A snapshot's data, beside its ref. */
export interface SnapshotSummary {
  /**
   * How many paths in its archive had a modification time before 1970 or after 2106. An archive can't hold such times:
   * most of these paths got the nearest possible one.
   */
  clampedTimes?: number;
  /** RFC 3339. */
  createdAt: string;
  /** Description, or null. */
  description: string | null;
  /** What an import of an archive did not keep. Absent if nothing was lost. */
  dropped?: DroppedByImport;
  /** RFC 3339. A snapshot counts as expired one minute earlier. */
  expiresAt: string;
  /** Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first. */
  format?: ForeignFormat;
  /** The git repository at the root of its directory, if there was one. */
  git?: GitState;
  /** Id. */
  id: BackupId;
  /** Kind of archive; null while it is being taken, and for a backup of `@cloudflare/sandbox`. */
  kind: SnapshotKind | null;
  /** Labels. */
  labels: Labels;
  /**
   * The machine that was saved with it, if the session persists machines: all differences from the image outside its
   * directory.
   */
  machine?: MachinePart;
  /** Name, or null. */
  name: string | null;
  /**
   * The previous snapshot, or null: the workspace's own last one, autosaves included, or the one it was made from or
   * rewound to.
   */
  parentId: BackupId | null;
  /** Whether it stays until it is unpinned or deleted. */
  pinned: boolean;
  /** Whether other sessions may start workspaces from it. */
  published: boolean;
  /** Whether a restore can be started now. */
  restorable: boolean;
  /** When its workspace was retired, in RFC 3339. It is listed because it is that workspace's last save. */
  retiredAt?: string;
  /** The call that took it, by the name of the operation or tool, or the rule: `autosave`. */
  savedBy?: string;
  /** SHA-256 of the archive, or null if none was recorded. */
  sha256: string | null;
  /** Size of the archive in bytes, or null while it is being taken. */
  sizeBytes: number | null;
  /** State. */
  state: ShownState;
  /** Why it was taken. */
  trigger: SnapshotTrigger;
  /** The last turn that ended with its files, if one did. */
  turn?: Turn;
  /** The code that a restore would fail with. */
  unrestorableBecause?: ErrorCode;
}

/** Why a snapshot was taken. */
export type SnapshotTrigger =
  /** A caller asked for it. */
  | "manual"
  /** The host took it, so that a workspace can wake or be forked. Retention removes these first. */
  | "auto"
  /** A rewind or promotion saved the files that it was about to replace. */
  | "safety"
  /** A turn of the conversation ended. `keepTurns` says how many stay. */
  | "turn"
  /** A caller imported its files from an archive; no workspace had them. */
  | "import";

/** A snapshot. */
export interface SnapshotView {
  /** Its ref. */
  ref: SnapshotRef;
  /** Its data. */
  snapshot: SnapshotSummary;
  /** Its id. */
  snapshotId: BackupId;
  /**
   * Nothing had changed, so this is an earlier snapshot. It now has the requested name and other fields; nothing was
   * uploaded.
   */
  unchanged?: boolean;
  /** The snapshots it woke from, if it was asleep. */
  woken?: Woken;
}

/** Options of `startProcess`. */
export interface StartProcessOptions {
  /** Shell command, or program and arguments. */
  command: CommandLine;
  /** Directory under the workspace to run in. Default: its root. */
  cwd?: string;
  /** Environment variables for this command. */
  env?: Record<string, string>;
  /** Name of the process. */
  name: ProcessName;
  /**
   * Start it again after a rewind that ended it, and in each later container of the workspace, until it is stopped or
   * started without restart.
   */
  restart?: boolean;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** Options of `statFile`. */
export interface StatFileOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
}

/** What is there. */
export interface StatView {
  /** Group, by number. */
  gid: number;
  /** Permission bits in octal, e.g. `644`. */
  mode: string;
  /** RFC 3339. */
  modifiedAt: string;
  /** Absolute path. */
  path: string;
  /** Size in bytes. */
  sizeBytes: number;
  /** Target of a symbolic link; it may not exist. */
  target?: string;
  /** The bytes of `target` in base64, if they are not UTF-8. */
  targetBase64?: string;
  /** Type. */
  type: FileType;
  /** Owner, by number. */
  uid: number;
}

/** Options of `stopProcess`. */
export interface StopProcessOptions {
  /** Which process. */
  name: ProcessName;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** A number of snapshots, and the size of their archives. */
export interface Stored {
  /** Number of snapshots. */
  count: number;
  /** Size of their archives. */
  sizeBytes: number;
}

/** Options of `streamFile`. */
export interface StreamFileOptions {
  /** Also reach other sessions' snapshots; each such call is recorded. */
  allowCrossSession?: boolean;
  /** Maximum bytes. Default: all from offset on. At least 1. */
  maxBytes?: number;
  /** First byte, from 0. */
  offset?: number;
  /** Read this many bytes at the end of the file. Not together with offset or maxBytes. At least 1. */
  suffixBytes?: number;
}

/** Options of `swapRef`. */
export interface SwapRefOptions {
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
}

/** Options of `switch`. */
export interface SwitchOptions {
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
}

/** A page of turns. */
export interface Timeline {
  /** The last 10 commands that began during the turn, in the order they ended. */
  commands: CommandView[];
  /** On the last page, if the session was opened from another session's snapshot: the turns before these. */
  earlier?: EarlierTurns;
  /** Number of commands before these. Absent: none. */
  earlierCommands?: number;
  /** Cursor of the next page, if any. */
  nextCursor?: string;
  /** Newest first. */
  turns: TurnView[];
}

/** Options of `timeline`. */
export interface TimelineOptions {
  /** nextCursor of the previous page. */
  cursor?: string;
  /** Maximum number of turns, at most 100. Default 20. At least 1. */
  limit?: number;
}

/** The hints of MCP. An absent hint would mean destructive, or open-world. */
export interface ToolHints {
  /** It may remove or replace something. */
  destructiveHint: boolean;
  /** A repetition changes nothing more. */
  idempotentHint: boolean;
  /** It may reach the Internet. */
  openWorldHint: boolean;
  /** It changes nothing. */
  readOnlyHint: boolean;
}

/** Tools that a model is shown: core, all, comma-separated names, or a list of names. */
export type ToolSelection = string | string[];

/** What differs between two trees. */
export interface TreeDiff {
  /** By path. */
  changes: ShownChange[];
  /** All changes, listed or not, without ignored files. */
  counts: ChangeCounts;
  /** The older side. */
  from: ComparedTree;
  /** Counts of changes in .git and in ignored files. */
  ignored?: IgnoredChanges[];
  /** `offset` of the rest. */
  nextOffset?: number;
  /** Number of files beyond the limit of a call, not compared. They are not listed, and may have changed. */
  notCompared?: number;
  /** The patch. It contains the listed changes. */
  patch?: string;
  /** The patch in base64, if it is not UTF-8. */
  patchBase64?: string;
  /** The newer side. */
  to: ComparedTree;
  /** Whether texts or parts of the patch are omitted because of maxBytes. */
  truncated: boolean;
}

/**
 * A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as
 * it is); or an object.
 */
export type TreeSelector = SnapshotSelector | WorkspaceRef | {
  snapshot: SnapshotSelector;
} | {
  workspace: WorkspaceSelector;
};

/**
 * Seconds until the snapshot expires. Default: 30 days after the session's last use; 315360000 keeps it until it is
 * deleted. 61 to 315360000.
 */
export type Ttl = number;

/** A turn, as its snapshot shows it. */
export interface Turn {
  /** Its place in the conversation, as given to `saveTurn`. */
  cursor?: TurnCursor;
  /** What the caller calls it. */
  label?: string;
  /** Its number in the session. Numbers grow, and may have gaps. */
  number: number;
}

/** What a turn changed against the files before it. Changes in .git and in ignored files do not count. */
export interface TurnChanges {
  /** Number of changes of each kind. Absent: too many paths changed to compare them in one call. */
  counts?: ChangeCounts;
  /** The first changed paths, at most 10. */
  paths?: ChangedPath[];
}

/** A place in the conversation: the caller's own JSON, which only the caller reads. */
export type TurnCursor = unknown;

/** A turn of this session, by its number, or the newest one with this cursor. */
export type TurnSelector = {
  /** If that turn has expired or is gone: the newest one before it. */
  atOrBefore?: boolean;
  turn: number;
} | {
  /** If that turn has expired or is gone: the newest one before it. */
  atOrBefore?: boolean;
  cursor: TurnCursor;
};

/** A turn of the timeline. */
export interface TurnView {
  /** When it ended, in RFC 3339. */
  at: string;
  /** The snapshot of the files that it began with: `changes` are against these. Absent if it began with none. */
  beforeSnapshotId?: BackupId;
  /**
   * What it changed against the files before it. Absent if those are gone, and for a turn that this call had no time to
   * compare: call again.
   */
  changes?: TurnChanges;
  /** The last 10 commands that began during the turn, in the order they ended. */
  commands: CommandView[];
  /** Its place in the conversation, as given to `saveTurn`. */
  cursor?: TurnCursor;
  /** Number of commands before these. Absent: none. */
  earlierCommands?: number;
  /** What the caller calls it. */
  label?: string;
  /** Its number in the session. Numbers grow, and may have gaps. */
  number: number;
  /** Whether a rewind to it can be started now. */
  restorable: boolean;
  /** The snapshot of the files that it ended with. */
  snapshotId: BackupId;
  /** The workspace that was active. */
  workspaceId: SandboxId;
}

/** Options of `undo`. */
export interface UndoOptions extends Cancellable, Repeatable {
  /** Change nothing; return what would change. */
  dryRun?: boolean;
  /** Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active` is the active one. */
  expectedActive?: WorkspaceSelector;
  /**
   * Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`; `details.head` is the
   * current one.
   */
  expectedHead?: BackupId;
}

/** What an undo reverted. */
export interface Undone {
  /** The numbers of the turns, the last one first. Turns that changed no file are not listed. */
  turns: number[];
  /** Whether files had changed since the last turn. They count as one turn. */
  unsaved: boolean;
}

/**
 * One event of a watch. Changes within about 100 ms come together, and repeated changes of one path come once. The
 * contents of a new directory may be reported as `created` twice.
 */
export type WatchEvent = {
  /** When it was sent, in RFC 3339. */
  timestamp: string;
} & (
  /** The watch reports every change from now on. Always the first event. */
  | {
    /** Number of watched directories. */
    directories: number;
    type: "watching";
  }
  /** A file or directory was created. */
  | Changed & {
    type: "created";
  }
  /** Its content, mode, owner or times changed, or a file tool wrote it, new or not. */
  | Changed & {
    type: "modified";
  }
  /** It was deleted, or moved out of the watched directory. */
  | Changed & {
    type: "deleted";
  }
  /** It was renamed. */
  | {
    /** Whether it is a directory. A link to a directory is not one. */
    directory: boolean;
    /** The old path. */
    from: string;
    /** The bytes of `from` in base64, if they are not UTF-8. */
    fromBase64?: string;
    /** Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8 are replaced. */
    path: string;
    /** The bytes of `path` in base64, if they are not UTF-8. */
    pathBase64?: string;
    type: "renamed";
  }
  /** Changes were lost: look at the files. The watch reports every change from now on. */
  | {
    type: "overflow";
  }
  /** The watch reached its time limit of an hour: watch again. The last event. */
  | {
    type: "ended";
  }
  /** The watch failed. The last event. */
  | {
    /** Why. */
    error: ErrorBody;
    type: "error";
  }
);

/** Options of `watch`. */
export interface WatchOptions {
  /** Globs of names, not of paths, to skip with their contents: `[".git", "node_modules"]`. At most 64. */
  exclude?: string[];
  /** Also watch all directories below it, and those made later. Default true. */
  recursive?: boolean;
  /** A workspace's id. Default: the active one. */
  workspace?: WorkspaceSelector;
}

/** What a workspace woke with. */
export interface Woken {
  /** How old that snapshot was at the wake, in seconds, or null. */
  ageSeconds: number | null;
  /** The snapshot that its files came from, or null if it began empty. */
  fromSnapshotId: BackupId | null;
  /** The same as text. */
  message: string;
  /** Where files that were already in the workspace's directory were moved. */
  movedAside?: string;
  /** When that snapshot was taken, in RFC 3339, or null. */
  savedAt: string | null;
  /** The workspace. */
  workspace: WorkspaceRef;
  /** Its id. */
  workspaceId: SandboxId;
}

/** The provider configuration as a caller sends it. Every field is optional. */
export interface WorkspaceConfig {
  /**
   * Whether the host saves workspaces by itself: before it stops an idle container, and every `everyMs` while one is in
   * use. Unchanged files are not uploaded. Default true.
   */
  autosave?:
    /** On with defaults, or off. */
    | boolean
    /** On, with these settings. */
    | Autosave;
  /**
   * Name of the R2 binding for archives. Default `BACKUP_BUCKET`; another one must be listed in the variable
   * `BACKUP_BINDINGS`.
   */
  backupR2Binding?: string;
  /**
   * Buckets that containers reach, with any S3 client, at `http://r2.internal`. No credential is in the container. At
   * most 16.
   */
  bucketMounts?: BucketMountConfig[];
  /**
   * Modules of the session. Default: all. If set, only those that it names: `{"fs": true}` has no shell and no
   * snapshots. The first open decides; opening with others is `CONFLICT`.
   */
  capabilities?: Capabilities;
  /** Whether `close` destroys the session's containers. Default false. */
  destroyOnClose?: boolean;
  /** An older form of `network`: true is mode `open`, false is `off`. Set only one of the two. */
  enableInternet?: boolean;
  /** Environment of every command. Redacted wherever it is shown; `{}` removes all. At most 256. */
  envVars?: Record<string, string>;
  /**
   * With `machine`: whether a machine is also restored onto another image than it was saved on. Default false:
   * `CONFLICT`.
   */
  forceImage?: boolean;
  /**
   * The published snapshot of another session that the first workspace begins with: its ref or id. The first open
   * claims it and starts nothing; the first call that uses the workspace brings its files. It must be of `workspaceDir`
   * or a directory above it. With `crossSession`, also a backup of Sandbox SDK 1.0: that call makes a snapshot of it.
   * Absent: an empty workspace.
   */
  from?: SnapshotSelector;
  /** A sandbox that several sessions share. It begins with `shared-` and needs `shareAcrossSessions`. */
  id?: SandboxId;
  /**
   * Whether snapshots that callers take store only what has changed since the last one: those of kind `layer`.
   * Automatic snapshots and those of turns may always be layers. Default false: `full`, which `@cloudflare/sandbox`
   * 0.12 can restore, too.
   */
  incremental?: boolean;
  /** Size of the container, e.g. `standard-1`, where the platform lets the object choose. */
  instanceType?: string;
  /**
   * Whether a background process keeps its container running after `sleepAfter`, for up to 5 h 50 min after the last
   * use. Services don't. Needs `autosave`. Default false.
   */
  keepAwake?: boolean;
  /** `cloudflare-sandbox`, for callers that send a provider kind. */
  kind?: ProviderKind;
  /**
   * How many containers and workspaces the session may have, and how many calls. Beyond a rate: `RATE_LIMITED`, with
   * `details.retryAfterMs`.
   */
  limits?: SessionLimits;
  /** What containers reach. Default: the Internet. */
  network?: NetworkConfig;
  /**
   * What a snapshot holds: `workspace`, the default, only its directory; `machine` also all differences from the image
   * outside it, such as installed packages.
   */
  persist?: Persist;
  /**
   * Like `from`, but takes the first workspace from a warm pool if the pool has a ready container with these files.
   * Otherwise opens as `from` does, and fills the pool for later sessions. Needs the operator's variable
   * `MAX_POOL_CONTAINERS`.
   */
  pool?: PoolConfig;
  /**
   * Ports that previews may reach: servers in the containers, over HTTP and WebSockets. Default none. A later open may
   * change them; `[]` removes all. At most 16.
   */
  previewPorts?: number[];
  /** Which snapshots the session keeps; the variable `RETENTION` has the defaults. */
  retention?: RetentionConfig;
  /**
   * Headers with credentials, by name, that requests get on their way out. Containers never have them. A later open may
   * change them; `{}` removes all. At most 32.
   */
  secrets?: Record<string, Secret>;
  /**
   * Commands that run in the background of each workspace: started when it is first used, restored, branched or forked,
   * after a wake and after a rewind. A service that ends is not started again until then. A later open may change the
   * list; those that run go on. `[]` removes all. At most 8.
   */
  services?: ServiceConfig[];
  /** Acknowledges that `id` is shared. */
  shareAcrossSessions?: boolean;
  /** Idle time before a container stops: seconds, or text such as `"10m"`. Default 10 minutes, at most 6 hours. */
  sleepAfter?: SleepAfter;
  /** Directory that a snapshot captures; `workspaceDir` may lie in it. Default: the workspace. */
  snapshotDir?: BackupDir;
  /**
   * Tools that a model is shown: `core`, the default, for daily work; `all`; or a list of names. Tools that are not
   * shown can be called all the same.
   */
  tools?: ToolSelection;
  /**
   * Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp` or `/var/tmp`. Default
   * `/workspace`.
   */
  workspaceDir?: BackupDir;
}

/** How a workspace came to be. */
export type WorkspaceKind =
  /** The session's first. */
  | "origin"
  /** Shared with other sessions; never destroyed by one. */
  | "shared"
  /** Made by a restore. */
  | "restored"
  /** Made by a branch or a live fork. */
  | "branch";

/** The session's workspaces. */
export interface WorkspaceList {
  /** The workspace that tools act on. */
  active: WorkspaceRef;
  /** Its id. */
  activeWorkspaceId: SandboxId;
  /** Oldest first. */
  workspaces: WorkspaceSummary[];
}

/** Names a workspace. */
export interface WorkspaceRef {
  /** Always `cloudflare-sandbox`. */
  providerId: ProviderId;
  /** The payload. */
  ref: WorkspaceRefPayload;
}

/** Payload of a `WorkspaceRef`. */
export interface WorkspaceRefPayload {
  /** The sandbox that holds the workspace. */
  id: SandboxId;
}

/** Which workspace: its id (workspace:ID, too), or its ref. */
export type WorkspaceSelector = SandboxId | string | WorkspaceRef;

/** Where a workspace is in its life. Persisted before each effect. */
export type WorkspaceState =
  /** A new workspace whose files are being put in place. */
  | "creating"
  /** Usable. */
  | "ready"
  /** Its container is being destroyed. */
  | "destroying"
  /** Gone. Its row is kept: the session still owns the snapshots that came from it. */
  | "destroyed";

/** Whether a workspace can be used as it is. */
export type WorkspaceStatus =
  /** It has a container. */
  | "running"
  /** It has none, and calls that need one are refused until it is resumed. */
  | "paused"
  /** It has none: it sleeps, or was never used. Its next call starts one. */
  | "stopped";

/** A workspace, as it is shown. */
export interface WorkspaceSummary {
  /** Whether tools act on it. */
  active: boolean;
  /** Whether its container runs; only if requested. */
  container?: ContainerState;
  /** RFC 3339. */
  createdAt: string;
  /** Snapshot that it was made from or last rewound to, or null. */
  fromSnapshotId: BackupId | null;
  /** Snapshot that it would wake from, or null: the last one that its files equalled. */
  headSnapshotId: BackupId | null;
  /** How it came to be. */
  kind: WorkspaceKind;
  /** RFC 3339. */
  lastUsedAt: string;
  /** Its ref. */
  ref: WorkspaceRef;
  /** State. */
  state: WorkspaceState;
  /** Whether it can be used as it is. */
  status: WorkspaceStatus;
  /** Its id. */
  workspaceId: SandboxId;
}

/** A session. A method rejects with `FORBIDDEN` if the caller's scopes don't allow it. */
export interface SessionApi {
  /**
   * Opens the session. Opening it again with an equal configuration does nothing. Starts no container. A later open may
   * change `envVars`, `secrets`, `services`, `previewPorts`, `sleepAfter`, `keepAwake`, `autosave`, `tools`,
   * `destroyOnClose`, `forceImage`, `credentials` of buckets and the `size` of a pool. Fields that it leaves out keep
   * their values, and so do values that are `<redacted>`. Any other change is `CONFLICT`, with the fields in
   * `details.fields`; so is an open while a close destroys the session's workspaces.
   */
  open(config?: WorkspaceConfig): Promise<SessionView>;
  /** Returns the active workspace of an open session. */
  resolve(): Promise<WorkspaceRef>;
  /**
   * Returns the session as it was opened, even after it was closed. `NOT_FOUND` before the first `open`. Starts no
   * container.
   */
  describe(): Promise<SessionView>;
  /**
   * Closes the session. Its workspaces are saved and their containers end, or are destroyed with `destroyOnClose`. Its
   * snapshots are kept.
   */
  close(): Promise<SessionView>;
  /**
   * Deletes the session: its workspaces with what they have not saved, its snapshots, pinned and published ones too,
   * its tokens, previews, events and configuration. Needs `force`. A later `open` begins anew. Deleting a session that
   * does not exist succeeds.
   */
  deleteSession(options?: DeleteSessionOptions): Promise<DeletedSession>;
  /** Returns what the session keeps: counts and bytes, from the catalogue. */
  usage(): Promise<SessionUsage>;
  /** Lists the session's events, newest first. */
  listEvents(options?: ListEventsOptions): Promise<EventPage>;
  /**
   * Lists the tools of the session that the caller may use, in the form that a model takes. By default those of daily
   * work; `tools: "all"` lists the others too, which can be called all the same.
   */
  listTools(options?: ListToolsOptions): Promise<ListedTool[]>;
  /**
   * Calls a tool. If the workspace's container has stopped, the workspace wakes first, and the answer has `woken`.
   * `workspace_restore` and `workspace_branch` make the new workspace active.
   */
  callTool(name: string, input?: Record<string, any>, options?: CallToolOptions): Promise<Record<string, any>>;
  /**
   * Saves the active workspace. Resolves once R2 holds the snapshot. The retention policy can refuse it with
   * `RATE_LIMITED` (`details.retryAfterMs`) or `QUOTA_EXCEEDED`.
   */
  snapshot(options?: SnapshotOptions): Promise<SnapshotView>;
  /** Lists snapshots, newest first. `UNSUPPORTED` without the snapshot module. Starts no container. */
  list(options?: ListOptions): Promise<SnapshotPage>;
  /** Lists the events that name one of this session's own snapshots, newest first. */
  listSnapshotEvents(ref: SnapshotSelector, options?: ListSnapshotEventsOptions): Promise<EventPage>;
  /** Returns the tree of workspaces and snapshots, with the active workspace marked. */
  lineage(): Promise<Lineage>;
  /**
   * Returns one snapshot, in any state. `SNAPSHOT_NOT_OWNED` if it does not exist or belongs to another session. Starts
   * no container.
   */
  get(ref: SnapshotSelector, options?: GetOptions): Promise<SnapshotView>;
  /**
   * Renames, describes, labels, pins or publishes one of this session's own snapshots, or changes its expiry.
   * `CONFLICT` if the name is taken or the snapshot is still being taken; `SNAPSHOT_GONE` if R2 no longer has it.
   */
  updateSnapshot(ref: SnapshotSelector, edit?: SnapshotEdit): Promise<SnapshotView>;
  /** Deletes a snapshot. Deleting one of this session's again succeeds. Workspaces that were made from it stay. */
  delete(ref: SnapshotSelector, options?: DeleteOptions): Promise<void>;
  /**
   * Makes a layer full: it gets an archive of its whole tree, needs no other archive any more, and can be restored by
   * `@cloudflare/sandbox`. Answers at once if the snapshot is full. A separate container, in which no command ever ran,
   * makes the archive; no workspace wakes. Both trees are compared before anything changes: `INTEGRITY` if they differ,
   * `TOO_LARGE` past 1 GiB of files. Layers on the snapshot stay layers, with shorter chains. Counts as a snapshot for
   * `limits.snapshots`.
   *
   * `CONFLICT` while it or a layer on it is being taken, deleted or read.
   */
  flatten(ref: SnapshotSelector, options?: Cancellable): Promise<SnapshotView>;
  /**
   * Makes a snapshot of the files of an archive: tar, plain or compressed with gzip or zstd, or a layer of an OCI image
   * (`format: "oci-layer"`), whose whiteouts are left out. Resolves once R2 holds the snapshot. A separate container,
   * in which no command ever ran, does the work; no workspace wakes.
   *
   * Owners, modes, links, times in seconds and extended attributes `user.…` are kept; setuid and setgid bits and
   * other attributes are not: `dropped` counts the entries that had them. The archive is refused as a whole, with the
   * entry named, as `importTar` refuses it. At most 16 GiB as it arrives, uncompressed and in files, and 500,000
   * entries. Counts as a snapshot for `limits.snapshots`.
   */
  importSnapshot(stream: ReadableStream<Uint8Array>, options?: ImportSnapshotOptions): Promise<SnapshotView>;
  /**
   * Makes a snapshot of an archive in the session's bucket: a backup of Sandbox SDK 1.0 by its id, or any archive that
   * `importSnapshot` accepts, by its key. Needs `allowCrossSession`: the object is not the session's.
   */
  importBackup(options?: ImportBackupOptions): Promise<SnapshotView>;
  /**
   * Returns the files of a snapshot as a tar archive in pax format, compressed with zstd, as Sandbox SDK 1.0 keeps its
   * backups: directories, files and links with owners, modes and times. First, a separate container, in which no
   * command ever ran, makes the whole archive; no workspace wakes. A stream that ends is whole. Over HTTP its SHA-256
   * is in the headers `ETag` and `Repr-Digest`.
   */
  exportSnapshot(ref: SnapshotSelector, options?: ExportSnapshotOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Stores the archive of `exportSnapshot` in the session's bucket, as a backup of Sandbox SDK 1.0, and returns the
   * record that its `DirectoryBackup.restore` takes, with size and SHA-256. The SDK's prefix must be that of the
   * variable `SDK_BACKUPS_PREFIX`. Needs `allowCrossSession`: the object is not the session's. At most 4 GiB. Repeating
   * it stores the same object.
   */
  exportBackup(ref: SnapshotSelector, options?: ExportBackupOptions): Promise<SdkBackupRecord>;
  /**
   * Records that a turn of the conversation has ended, with the active workspace's files. They are saved if they have
   * changed since the last save, if possible as a layer; if not, nothing is uploaded and `unchanged` is true.
   * `snapshot.turn` has the turn's number. Each snapshot that a turn ended with carries its cursor, also in
   * `meta.json`. The retention policy's `keepTurns` says how many turns stay, and its `minIntervalSeconds` does not
   * apply to them.
   */
  saveTurn(options?: SaveTurnOptions): Promise<SnapshotView>;
  /**
   * Lists turns, newest first, each with what it changed. A turn is compared with the files before it when it is first
   * listed. Starts no container.
   */
  timeline(options?: TimelineOptions): Promise<Timeline>;
  /**
   * Lists a directory of a snapshot, by default its root, in the order of paths. Reads the archive in the bucket, and
   * starts no container.
   */
  listFiles(ref: SnapshotSelector, options?: ListFilesOptions): Promise<ListedFiles>;
  /**
   * Reads a file of a snapshot, at most 2 MiB at once, or a part of it. `streamFile` reads larger ones. Starts no
   * container.
   */
  readFile(ref: SnapshotSelector, path: string, options?: ReadFileOptions): Promise<ReadFileResult>;
  /** Returns the content of a file of a snapshot, of any size. Starts no container. */
  streamFile(ref: SnapshotSelector, path: string, options?: StreamFileOptions): Promise<ReadableStream<Uint8Array>>;
  /** Looks at a path of a snapshot, without following a symbolic link. */
  statFile(ref: SnapshotSelector, path?: string, options?: StatFileOptions): Promise<StatView>;
  /** Finds lines in files of a snapshot, and says what it did not search. Starts no container. */
  grep(ref: SnapshotSelector, pattern: string, options?: GrepOptions): Promise<SearchedSnapshot>;
  /**
   * Copies files and directories of a snapshot into a workspace, all or none. Files replace files of the same name, and
   * directories are merged. Everything else stays.
   */
  copyFromSnapshot(ref: SnapshotSelector, paths: string[], options?: CopyFromSnapshotOptions): Promise<CopiedFiles>;
  /**
   * Shows what differs between two snapshots or workspaces, by default what the active workspace has changed since its
   * last turn or snapshot: counts, the list of changes, and unified diffs or a patch for `git apply`. Automatic saves
   * do not count as its last snapshot. Running workspaces are compared as they are now, others as last saved; the
   * answer names both sides. Starts no container.
   *
   * Contents are read only where size, time or permissions differ, unless `content` is set. Extended attributes and
   * hard links are not compared.
   */
  diff(options?: DiffOptions): Promise<TreeDiff>;
  /**
   * Compares workspaces of the session, by default all, with the nearest snapshot that all came from. Returns the
   * changes of each, and the files that several changed, as JSON and as a table. A command can run in each afterwards,
   * all at once; workspaces that sleep wake for it. A workspace that can't be compared, or can't run the command, has
   * its own error.
   */
  compare(options?: CompareOptions): Promise<Comparison>;
  /**
   * Brings the changes of another workspace, or of a snapshot, into the active workspace. `merge` compares both with
   * the snapshot that they came from: what only one changed is kept, text files that both changed are merged by lines
   * as git does. Everything is decided before anything is written; a conflict changes nothing, unless `onConflict`
   * decides it. `replace` gives the workspace exactly the other's files, as a rewind does.
   *
   * A safety snapshot is taken first. If the call breaks off while it writes, the workspace is put back to it. A `.git`
   * that both changed, and ignored files in conflict, stay as they are in the active workspace. Hard links and extended
   * attributes of merged files are not kept.
   *
   * With `dryRun`, nothing is changed or saved, and the answer says what would be: `changes`, and `conflicts`.
   */
  promote(from: TreeSelector, options?: PromoteOptions): Promise<Promoted>;
  /**
   * Makes a new workspace from a snapshot of this session, or from one that another session published. The active
   * workspace stays as it is, and stays active unless `switch` is true.
   */
  restore(ref: SnapshotSelector, options?: RestoreOptions): Promise<WorkspaceRef>;
  /** Makes a new workspace as `restore` does, and records it as an experiment. */
  branch(ref: SnapshotSelector, options?: BranchOptions): Promise<WorkspaceRef>;
  /**
   * Makes workspaces with the files that the active one has now, and records them as experiments. The active workspace
   * is saved first if it has changed. It stays active and is not touched. Each workspace has its own result; the call
   * rejects only if none could be begun, with `QUOTA_EXCEEDED` or an error of the save.
   */
  fork(options?: ForkOptions): Promise<LiveForks>;
  /**
   * Gives the active workspace, whose container has stopped, a new and empty one instead of waking or resuming it. A
   * workspace that runs, but has lost its directory, gets an empty one in its container. `CONFLICT` while a container
   * still has its files.
   */
  startFresh(): Promise<WorkspaceRef>;
  /**
   * Puts the active workspace back to a snapshot of this session, or to one that another session published. It takes a
   * snapshot of the present files first, then replaces them in place. If it fails, the workspace is as it was. With
   * `dryRun`, nothing is changed, and the answer says what would be.
   *
   * Calls that come meanwhile wait. Calls that already use the workspace have 10 s to end; otherwise, and for a shared
   * workspace, the answer is `CONFLICT`. Processes that use the directory are ended with TERM, and 5 s later with KILL.
   * `UNSUPPORTED` if the directory can't be renamed because it is a mount or part of the image.
   */
  rewind(ref: SnapshotSelector, options?: RewindOptions): Promise<Rewound>;
  /**
   * Puts the active workspace back by turns, one by default. It does all that a rewind does. If files have changed
   * since the last turn, the first undo goes back to that turn's end; else to the turn before it. Turns that changed no
   * file do not count, nor do changes of ignored files. `NOT_FOUND` if fewer turns can be undone. To undo it, rewind to
   * `safetyRef`.
   */
  undo(turns?: number, options?: UndoOptions): Promise<Rewound>;
  /** Makes another workspace of this session the active one, and returns it. */
  switch(ref: WorkspaceSelector, options?: SwitchOptions): Promise<WorkspaceRef>;
  /** Makes another workspace of this session the active one. */
  swapRef(ref: WorkspaceSelector, options?: SwapRefOptions): Promise<void>;
  /** Lists all workspaces, oldest first, and says which is active. Starts no container. */
  listWorkspaces(options?: ListWorkspacesOptions): Promise<WorkspaceList>;
  /** Lists the events about one workspace of this session, newest first, and of the snapshots taken from it. */
  listWorkspaceEvents(ref: WorkspaceSelector, options?: ListWorkspaceEventsOptions): Promise<EventPage>;
  /**
   * Copies files and directories of a workspace into another one, by default the active one, all or none. Files replace
   * files of the same name, and directories are merged. Everything else stays. Modes, times and links are kept, as by
   * `exportTar` and `importTar`.
   */
  copyFromWorkspace(from: WorkspaceSelector, paths: string[], options?: CopyFromWorkspaceOptions): Promise<ImportedTar>;
  /**
   * Saves a workspace, by default the active one, and releases its container. It is saved even with `autosave: false`;
   * files that have not changed are not uploaded. Until `resume` it costs only its storage and does not count for
   * `maxRunning`. Calls that need its container answer `CONFLICT`. It can still be switched to, restored from and
   * destroyed, and it is not retired for being unused. Pausing a paused workspace succeeds.
   *
   * Processes end with the container, and so do streams of `watch`. Calls that use the workspace have 10 s to end.
   * `CONFLICT`, retryable, if they don't, while `execStream` or `exportTar` is being read, and for a shared workspace.
   * If the save fails (`BACKUP_FAILED` and others), the workspace runs on. A pause counts as a snapshot for
   * `limits.snapshots`.
   */
  pause(ref?: WorkspaceSelector, options?: Cancellable & Repeatable): Promise<Paused>;
  /**
   * Brings a workspace back, by default the active one, with every file it had, in a container that runs. Processes do
   * not come back. A sleeping workspace wakes; a running one stays as it is. If it fails (`RESTORE_FAILED`,
   * `QUOTA_EXCEEDED`, `UNAVAILABLE`), a paused workspace stays paused; go on with `startFresh` or a restore.
   */
  resume(ref?: WorkspaceSelector, options?: Cancellable & Repeatable): Promise<Resumed>;
  /**
   * Destroys a workspace that is not active. Its snapshots are kept, and its last autosave lives for its whole time to
   * live from then on. Unsaved changes are lost; the answer says whether there may be any.
   */
  destroyWorkspace(ref: WorkspaceSelector): Promise<DestroyedWorkspace>;
  /**
   * Destroys the container of any workspace, the active one included, with everything that runs in it; also in a closed
   * session. The workspace stays, and wakes with the files of its last save, or empty if it was never saved. Unsaved
   * changes are lost. Only for callers without restriction.
   */
  destroyContainer(ref: WorkspaceSelector): Promise<void>;
  /**
   * Runs a command in a workspace and streams its output while it runs: Server-Sent Events, each an `ExecEvent` as
   * JSON, in the form that `parseSSEStream` of `@cloudflare/sandbox` reads. It sends the whole output, as fast as it is
   * read. The rules of `workspace_run` apply; the call rejects if they refuse the command. Cancelling the stream ends
   * the command with its process group; a reader that goes away does the same within seconds. The container does not
   * stop while the stream is read.
   */
  execStream(command: CommandLine, options?: ExecStreamOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Lists the commands and the code that ran last in the session's workspaces, newest first: how each ended, and the
   * last 4 KiB of its stdout and of its stderr. On the first page, those that run come first. The last 200 that ended
   * are remembered. Values of environment variables are redacted everywhere. Starts no container.
   */
  listCommands(options?: ListCommandsOptions): Promise<CommandPage>;
  runScript(code: string, options?: Cancellable): Promise<ScriptResult>;
  /**
   * Reports changes in a directory of a workspace, by default its root, and below it: Server-Sent Events, each a
   * `WatchEvent` as JSON. Resolves once the watch has begun: it reports every later change. Cancelling the stream ends
   * the watch; a reader that goes away does the same within seconds.
   *
   * A watch does not count as use, so an unused workspace is stopped. The last event is then the error
   * `WORKSPACE_LOST`. It is `CONFLICT` when another workspace becomes active, unless `workspace` names the watched one,
   * and `NOT_FOUND` when the directory is removed or moved. After an hour the last event is `ended`.
   *
   * Paths are as for file tools; symbolic links are not followed. `TOO_LARGE` for more than 20,000 directories,
   * `QUOTA_EXCEEDED` for more than 16 watches of a workspace, `UNSUPPORTED` if the image has no Python 3.
   */
  watch(path?: string, options?: WatchOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Starts an interpreter that keeps its variables between calls of `runInCodeContext`. `QUOTA_EXCEEDED` while 8 run.
   * It ends with the container, after 30 minutes without a call, and by a rewind; no snapshot holds it.
   */
  createCodeContext(language: Language, options?: CreateCodeContextOptions): Promise<CodeContext>;
  /** Lists the code contexts of a workspace that run, the oldest first. Starts no container. */
  listCodeContexts(options?: ListCodeContextsOptions): Promise<CodeContextList>;
  /**
   * Runs code in a code context and waits for it. Code that fails is a result. At its time limit, or when the call is
   * cancelled, the code is interrupted; if it does not react within 3 s, the context ends, and `contextEnded` says so.
   * `CONFLICT` if the context runs another call; `NOT_FOUND` if it has ended, as it does with its container.
   */
  runInCodeContext(context: CodeContextId, code: string, options?: RunInCodeContextOptions): Promise<RanInContext>;
  /**
   * Ends a code context and what its code has started, by TERM, and by KILL after 5 s. Ending a context that is gone
   * succeeds. Starts no container.
   */
  deleteCodeContext(context: CodeContextId, options?: DeleteCodeContextOptions): Promise<DeletedCodeContext>;
  /**
   * Starts a command in the background of a workspace, by the rules of `execStream`. `CONFLICT` if a process of this
   * name runs, `QUOTA_EXCEEDED` while 16 run. It ends with the container, and no snapshot holds it. A rewind ends it if
   * it uses files of the workspace.
   */
  startProcess(options?: StartProcessOptions): Promise<ProcessView>;
  /**
   * Lists the background processes of a workspace: those that run, and the last 16 that have ended. Starts no
   * container.
   */
  listProcesses(options?: ListProcessesOptions): Promise<ProcessList>;
  /**
   * Reads what a background process printed: stdout and stderr, in order. Without `offset`, the last bytes. To follow
   * it, read from `nextOffset` on with `waitMs`. The last 4 to 8 MiB are kept; `offset` in the answer is later than
   * requested if that part was dropped.
   */
  readProcessLog(options?: ReadProcessLogOptions): Promise<ProcessLog>;
  /**
   * Ends a background process and all of its process group, by TERM, and by KILL after 5 s. Resolves once it has ended.
   * Its log stays until its name is used again.
   */
  stopProcess(options?: StopProcessOptions): Promise<ProcessView>;
  /**
   * Makes a link to a server of a workspace, for anyone who has it, until it expires or is revoked. Starts no
   * container.
   */
  sharePreview(options?: SharePreviewOptions): Promise<SharedPreview>;
  /** Lists the valid previews, without their links. */
  listPreviews(): Promise<PreviewList>;
  /** Revokes a preview's link. */
  revokePreview(preview: PreviewId): Promise<Revoked>;
  /**
   * Returns a directory of a workspace as a tar archive in GNU format: files, directories and symbolic links, which are
   * not followed. A stream that ends is whole; if the archive can't be finished, the stream fails. A file that changes
   * meanwhile may have content of any moment; a file that shrinks fails the stream. The container does not stop while
   * the stream is read.
   */
  exportTar(options?: ExportTarOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Extracts an uncompressed tar archive into a directory of a workspace, which is made if it does not exist. Each file
   * replaces the one of its name at once; directories are merged. Files belong to root and keep their modes, without
   * setuid, setgid and sticky bits, and their attributes `user.*`; `dropped` counts the entries that lost something. At
   * most 4 GiB, 500,000 entries, and 4 GiB in files.
   *
   * The archive is refused as a whole, with the entry named and nothing changed, for: names that are absolute or
   * contain `..`, hard links to files outside the archive, entries behind a symbolic link in the archive or the
   * workspace, entries other than files, directories and links, and an archive that is broken or cut off. `CONFLICT` if
   * a directory and something else have the same name.
   */
  importTar(stream: ReadableStream<Uint8Array>, options?: ImportTarOptions): Promise<ImportedTar>;
  /** Asks a running call to end before its next step, and ends a command that it runs. */
  cancel(operationId: OperationId): Promise<Cancelled>;
  /** Returns the state of a recorded call, and its result. */
  getOperation(operationId: OperationId): Promise<OperationView>;
  /** Lists recorded calls, newest first, without their results. */
  listOperations(options?: ListOperationsOptions): Promise<OperationPage>;
  /**
   * Puts this session's snapshots back into its catalogue from the records in the bucket, after its object lost its
   * storage. Open the session first, with the configuration it had. Each call reads one page of at most 100 backups;
   * reading one again changes nothing.
   */
  rebuild(options?: RebuildOptions): Promise<Rebuilt>;
  /** Returns what the retention policy would delete now, and how much space this would free. Changes nothing. */
  planRetention(): Promise<RetentionReport>;
  /**
   * Applies the retention policy now: at most 100 deletions at once. The alarm does it within 30 s of a snapshot, and
   * when snapshots expire.
   */
  retain(): Promise<RetentionReport>;
  /**
   * The same session with only these scopes, and without `open`, for code that is trusted less. A restricted handle can
   * only be restricted further. Dispose of the handle like any stub (`using`).
   */
  restricted(scopes: Scope[]): Promise<RestrictedHost> | RestrictedHost;
  /** `restricted(["read"])`: can read everything and change nothing. */
  asReadOnly(): Promise<RestrictedHost> | RestrictedHost;
}

/** The interface of `AgentHost` itself, which is unrestricted. */
export interface AgentHostApi extends SessionApi {}

/** A session with fewer scopes. */
export interface RestrictedHost extends SessionApi, Disposable {}
