/**
 * The `AgentHost` Durable Object as other Workers see it. Bind it as a Durable Object of another Worker
 * (`class_name = "AgentHost"`, `script_name = "snapshotter"`), name an object after your session, and call:
 *
 * ```ts
 * const host = env.AGENT_HOST.getByName(sessionId) as unknown as AgentHostApi;
 * ```
 *
 * Every method rejects with a {@link SnapshotterError}.
 */

/** Error codes; `docs/errors.md` says when each occurs. */
export type ErrorCode =
  | "INVALID_ARGUMENT" | "UNAUTHENTICATED" | "FORBIDDEN" | "SNAPSHOT_NOT_OWNED" | "WORKSPACE_NOT_OWNED"
  | "CROSS_SESSION_DISABLED" | "NOT_FOUND" | "CONFLICT" | "WORKSPACE_LOST" | "SNAPSHOT_EXPIRED" | "SNAPSHOT_GONE"
  | "PRECONDITION_FAILED" | "TOO_LARGE" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "ABORTED" | "UNSUPPORTED"
  | "BACKUP_FAILED" | "RESTORE_FAILED" | "INTEGRITY" | "NOT_CONFIGURED" | "UNAVAILABLE" | "INTERRUPTED" | "INTERNAL";

/**
 * What a method rejects with. Its own properties reach callers whose compatibility date is 2026-04-21 or later, or
 * that set `enhanced_error_serialization`; for all others the message begins with the code and a colon.
 */
export interface SnapshotterError extends Error {
  name: "SnapshotterError";
  code: ErrorCode;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** What holds now: nothing changed, the effect holds, or not known. */
  outcome: "none" | "committed" | "unknown";
  /** What to do next. */
  hint: string;
  details?: Record<string, unknown>;
}

export interface WorkspaceConfig {
  kind?: "cloudflare-sandbox";
  /** A sandbox that several sessions share; begins with `shared-` and needs `shareAcrossSessions`. */
  id?: string;
  /** Acknowledges that `id` is shared. Default false. */
  shareAcrossSessions?: boolean;
  /** R2 binding for archives. Default `BACKUP_BUCKET`; another one must be listed in `BACKUP_BINDINGS`. */
  backupR2Binding?: string;
  /** Destroy the session's containers on `close`. Default false. */
  destroyOnClose?: boolean;
  /** Idle time before a container stops: seconds, or text such as `"10m"`. Default 10 minutes, at most 6 hours. */
  sleepAfter?: number | string;
  /**
   * Whether the host saves workspaces by itself: before it stops a container that was not used for `sleepAfter`, and every
   * `everyMs` (default 900000, 15 minutes; 1000 to 6 hours) while one is in use. Unchanged files are not uploaded. Beside
   * those that a wake needs, `retention.keepAutosaves` of the automatic snapshots are kept. Default true. May change with
   * each open.
   */
  autosave?: boolean | { everyMs?: number };
  /**
   * The published snapshot of another session that the first workspace begins with: its ref or id. The first open claims
   * it and starts nothing; the first call that uses the workspace brings its files, and says so (`woken`). It must be of
   * `workspaceDir` or a directory above it. `SNAPSHOT_NOT_OWNED` where there is none or it is not published. Absent: an empty workspace. After a
   * close that destroyed it (`destroyOnClose`), the session begins empty: only its first open claims.
   */
  from?: SnapshotSelector;
  /**
   * Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp` or `/var/tmp`. Default `/workspace`.
   */
  workspaceDir?: string;
  /**
   * Directory that a snapshot captures; where `workspaceDir` may lie. Default the workspace. Automatic snapshots are of the
   * larger of the two, or of each where they lie side by side.
   */
  snapshotDir?: string;
  /** Environment of every command. Shown redacted; `{}` takes all away. */
  envVars?: Record<string, string>;
  /** Whether containers reach the Internet. Default true. */
  enableInternet?: boolean;
  /** Size of the container, e.g. `"standard-1"`; where the platform lets the object choose. */
  instanceType?: string;
  /**
   * Modules of the session. Absent: all. Else those that are named and no others: `{ fs: true }` has no shell and no
   * snapshots. It is policy, set by the first open for good: opening with another one is `CONFLICT`.
   */
  capabilities?: {
    fs?: boolean;
    /**
     * With `allowlist`, commands are lists of a program and its arguments, the program is one of these names, and
     * variables that could bring in another program (`PATH`, `LD_*`, …) can't be set. A list is as strong as its weakest
     * program: one that runs others, as `sh`, `env`, `find`, `git` or an interpreter, allows those too.
     */
    shell?: boolean | { allowlist?: string[]; maxDurationMs?: number };
    /** Under an allowlist the interpreters (`python3`, `node`) must be listed. */
    code?: boolean | { languages: ("python" | "javascript")[] };
    snapshot?: boolean | { maxListResults?: number; crossSession?: boolean };
    /** Only what reads can be called: all else answers `FORBIDDEN`. Alone, it applies to all modules. Default false. */
    readOnly?: boolean;
  };
  /**
   * Containers that may run at once (default 4), workspaces (default 20), and rates of all calls (default 6,000 a minute,
   * 1,000 at once) and of snapshots (30 and 30). Beyond a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
   */
  limits?: { maxRunning?: number; maxWorkspaces?: number; calls?: Rate; snapshots?: Rate };
  /** Which snapshots the session keeps. What is absent is the Worker's default (variable `RETENTION`). */
  retention?: RetentionConfig;
}

/** A token bucket: `perMinute` come back, and `burst` are there after a rest. Each 1 to 60,000. */
export interface Rate {
  perMinute: number;
  burst: number;
}

/**
 * Whatever it says, the newest snapshot stays, and so do the newest that was asked for, pinned ones, those that a
 * workspace would wake from and those that are being restored. Counts are 1 to 10,000.
 */
export interface RetentionConfig {
  /** Time to live of a snapshot whose taker names none. 61 to 315360000; default 259200. */
  ttlSeconds?: number;
  /**
   * Keep only so many of the latest snapshots (and what `keepDaily` keeps). Safety snapshots count for themselves, here
   * and there: as many of them are kept.
   */
  keepLast?: number;
  /** Keep only the latest of each of so many days, in UTC, that have one (and what `keepLast` keeps). */
  keepDaily?: number;
  /** Autosaves of each workspace kept beside those that a wake needs, and those that were named. Default 4; 0 is allowed. */
  keepAutosaves?: number;
  /** Snapshots at most. Autosaves make room first, then safety snapshots, then the oldest. */
  maxCount?: number;
  /** Bytes of archives at most. The newest snapshot alone may exceed it. */
  maxBytes?: number;
  /** Seconds between two snapshots that are asked for, else `RATE_LIMITED`. 0 to 86400; default 0. */
  minIntervalSeconds?: number;
  /**
   * Seconds that a workspace which is not active stays unused before it is retired: saved if it runs, and
   * destroyed, with the event `workspace.retired`. Its last save lives a whole `ttlSeconds` from then and is listed. 60 to
   * 315360000; default 604800, a week.
   */
  retireAfterSeconds?: number;
}

/** What came from what: a snapshot is below the workspace it was taken from, a workspace below the snapshot it was made from. */
export interface Lineage {
  /** Depth first. The latest 500 snapshots, without autosaves, and what they came from. */
  nodes: ({ id: string; parent: string | null; depth: number; createdAt: string } & (
    | { type: "workspace"; kind: WorkspaceSummary["kind"]; state: "creating" | "ready" | "destroying" | "destroyed"; status?: WorkspaceSummary["status"]; current: boolean; rewoundTo?: string; fromSnapshotId?: string }
    | { type: "snapshot"; name: string | null; state: SnapshotSummary["state"]; sizeBytes: number | null; trigger: SnapshotSummary["trigger"]; restorable: boolean; unrestorableBecause?: ErrorCode }
  ))[];
  active: WorkspaceRef;
  /** The same for reading, a line each. */
  text: string;
  /** The oldest are left out. */
  truncated: boolean;
}

/** What one page of a rebuild found. */
export interface Rebuilt {
  /** Backups of the bucket that were looked at. */
  examined: number;
  /** Ids of this session's that are in its catalogue again. */
  restored: string[];
  /** In its catalogue already, in whatever state. */
  known: number;
  /** Of other sessions, or of none; left alone. */
  foreign: number;
  /** Archives without a record, and records without an archive; left alone. */
  incomplete: number;
  problems?: { id: string; error: { code: ErrorCode; message: string } }[];
  /** Where to go on; absent: the bucket has been walked. */
  nextCursor?: string;
}

/** What the policy makes of a session's snapshots. */
export interface RetentionReport {
  /** Every default filled in; null: no such rule. */
  policy: {
    ttlSeconds: number;
    keepLast: number | null;
    keepDaily: number | null;
    keepAutosaves: number;
    maxCount: number | null;
    maxBytes: number | null;
    minIntervalSeconds: number;
    retireAfterSeconds: number;
  };
  keptCount: number;
  keptBytes: number;
  /** Of `planRetention`: to delete. Of `retain`: deleted by this call; the alarm does the rest, if there is one. */
  deleteCount: number;
  freedBytes: number;
  /**
   * Those to delete, oldest first; then those that are kept, newest first. At most 1,000. `beingRead`: also where a workspace
   * of another session would wake from it.
   */
  decisions: ({ id: string; sizeBytes: number; createdAt: string } & (
    | { verdict: "keep"; reason: "newest" | "pinned" | "head" | "beingRead" | "rebuilt" | "retired" | "keepLast" | "keepDaily" | "unexpired" }
    | { verdict: "delete"; reason: "expired" | "superseded" | "supersededAutosave" | "maxCount" | "maxBytes" | "operator" }
  ))[];
  truncated: boolean;
  /** A limit that what may not be deleted exceeds alone. */
  exceeded?: "maxCount" | "maxBytes";
  /** RFC 3339; when time alone has the next one deleted. */
  nextDueAt?: string;
}

export interface WorkspaceRef {
  providerId: "cloudflare-sandbox";
  /**
   * A DNS label. The first workspace of a session has the session's id where that is one (docs/limits.md says which), else
   * `s-` and a hash of it. `resolve` tells the active one's.
   */
  ref: { id: string };
}

/** A workspace's ref, or the id in it. */
export type WorkspaceSelector = WorkspaceRef | string;

export interface SnapshotRef {
  providerId: "cloudflare-sandbox";
  ref: {
    backup: { id: string; dir: string; [field: string]: unknown };
    /** Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`. */
    originSandboxId: string | null;
  };
}

/** A snapshot's ref, its id, or its name in this session. */
export type SnapshotSelector = SnapshotRef | string;

export interface SnapshotSummary {
  id: string;
  name: string | null;
  description: string | null;
  kind: "full" | null;
  labels: Record<string, string>;
  /** It stays until it is unpinned or deleted, whatever its time to live and the policy say. */
  pinned: boolean;
  /** Other sessions may start workspaces from it. */
  published: boolean;
  /** Who had it taken: a caller; the host, for a wake or a fork; a rewind, before it replaced the files. */
  trigger: "manual" | "auto" | "safety";
  /** `expired`: R2 still holds it, and it can't be restored unless its expiry is moved. */
  state: "pending" | "ready" | "expired" | "deleting" | "deleted" | "failed";
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. A snapshot counts as expired one minute earlier. */
  expiresAt: string;
  sizeBytes: number | null;
  /** The previous snapshot: the workspace's own last one, autosaves included, or the one it was made from or rewound to. */
  parentId: string | null;
  sha256: string | null;
  /** It is listed because it is the last save of a workspace that was retired then, unused. RFC 3339. */
  retiredAt?: string;
  restorable: boolean;
  /** The code that a restore would answer. */
  unrestorableBecause?: ErrorCode;
}

export interface SnapshotView {
  ref: SnapshotRef;
  snapshot: SnapshotSummary;
  /**
   * Of `snapshot`: no file had changed since this one, so it got the name and whatever else was asked for, lives at least as
   * long as a new one would, and nothing was uploaded. A snapshot has one name, one description and one set of labels:
   * where it has other ones already, a new archive is taken.
   */
  unchanged?: boolean;
  /** Of `snapshot`, where the workspace had to be woken for it. */
  woken?: Woken;
}

/**
 * What a workspace woke with. Part of the first answer of `callTool`, `snapshot`, `fork` or `resume` after its container had
 * stopped, as `woken`; the event `workspace.woken` says the same.
 */
export interface Woken {
  workspace: WorkspaceRef;
  /** The snapshot that its files are of; null: none held them, and it began anew. */
  fromSnapshotId: string | null;
  /** When that was taken, RFC 3339. What was changed later is gone, and so are processes. */
  savedAt: string | null;
  ageSeconds: number | null;
  /** Where what lay in the workspace's directory is now. */
  movedAside?: string;
  /** The same in words. */
  message: string;
}

/** A snapshot's `ref`, which every call takes, beside what to know of it. */
export interface ListedSnapshot extends SnapshotSummary {
  ref: SnapshotRef;
}

export interface SnapshotPage {
  snapshots: ListedSnapshot[];
  nextCursor?: string;
  /** Backups whose record cannot be read (crossing only). */
  problems?: { id: string; error: { code: ErrorCode; message: string } }[];
}

export interface SessionView {
  session: string;
  active: WorkspaceRef;
  status: "open" | "closed";
  openedAt: string;
  workspaceDir: string;
  /** As opened; values of `envVars` are `<redacted>`. */
  config: WorkspaceConfig;
  /**
   * Present where a bucket lacks so much of what the session has stored that another bucket is more likely than a loss. Nothing
   * is recorded as lost until the objects are back, or the snapshots are deleted.
   */
  missing?: { binding: string; snapshots: number; since: string; message: string }[];
}

export interface WorkspaceSummary {
  ref: WorkspaceRef;
  kind: "origin" | "shared" | "restored" | "branch";
  state: "creating" | "ready" | "destroying";
  /**
   * `running`: it has a container. `stopped`: it has none, because it sleeps or was never used; its next call starts one, with
   * its files. `paused`: it has none, and calls that need one answer `CONFLICT` until `resume`.
   */
  status: "running" | "paused" | "stopped";
  active: boolean;
  /** The snapshot it was made from, or was last rewound to. */
  fromSnapshotId: string | null;
  /** The snapshot it would wake from: the last that its files equalled. */
  headSnapshotId: string | null;
  createdAt: string;
  lastUsedAt: string;
  /** Whether its container runs; `unknown` where its sandbox did not tell. Only with `containers`. */
  container?: "running" | "stopped" | "unknown";
}

/** The answer to a workspace's destruction. */
export interface DestroyedWorkspace {
  /** Always true: destroying one that is gone succeeds. */
  destroyed: boolean;
  /** The snapshot it would have woken from, or null. */
  lastSnapshotId: string | null;
  /** It was used, or active, after its files last equalled that snapshot: what changed then is gone. */
  usedSince: boolean;
}

/** A workspace that is paused. */
export interface Paused {
  /** Its `headSnapshotId` is what it will be resumed with; null: nothing of it was ever saved. */
  workspace: WorkspaceSummary;
}

/** A workspace that is there, with its files. */
export interface Resumed {
  workspace: WorkspaceSummary;
  /** Where it did not run already, or was never used. */
  woken?: Woken;
}

export interface ListWorkspacesOptions {
  /** Also ask of each whether its container runs. Starts none. */
  containers?: boolean;
}

/** How many, and the bytes of their archives. */
export interface Stored {
  count: number;
  bytes: number;
}

/** What a session keeps, by its catalogue. */
export interface SessionUsage {
  session: string;
  /** All snapshots that R2 holds, expired ones included. */
  snapshots: Stored;
  /** Those of them that were taken automatically. */
  automatic: Stored;
  /** Those of them that are pinned. */
  pinned: Stored;
  /** Being taken or deleted; R2 may hold something of them. */
  unfinishedCount: number;
  /** Workspaces that are not destroyed. */
  workspaceCount: number;
  /** When one of them was last used, in RFC 3339; null: there is none. */
  lastUsedAt: string | null;
}

export interface WorkspaceList {
  workspaces: WorkspaceSummary[];
  active: WorkspaceRef;
}

export interface EventPage {
  /** docs/events.md has the kinds and their payloads. */
  events: { seq: number; at: string; kind: string; payload: unknown; warning?: string }[];
  nextCursor?: string;
}

/** A tool for a model, in MCP's terms. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  inputSchema: object;
  outputSchema: object;
}

export interface Cancellable {
  /** Aborted before the call: no work starts. Needs a runtime flag to cross RPC; `operationId` works everywhere. */
  signal?: AbortSignal;
  /** Name to `cancel` the call by. */
  operationId?: string;
}

export interface Repeatable {
  /**
   * 1 to 255 visible ASCII characters. A repetition of the same call under it gets the first one's answer, for 24 hours;
   * another call under it, or one while the first still runs, is `CONFLICT` (the latter with `details.retryAfterMs`). An
   * error that is retryable and left nothing is not remembered. More than 100,000 in 24 hours: `RATE_LIMITED`.
   */
  idempotencyKey?: string;
}

/** A call that is recorded: one with an `idempotencyKey`, or that HTTP answered with 202. Kept for 24 hours. */
export interface OperationView {
  id: string;
  /** An operation's name, or a tool's. */
  op: string;
  state: OperationState;
  /** What it was last about to do. */
  step?: string;
  startedAt: string;
  endedAt?: string;
  /** What the call answered, if it succeeded. Not in lists. */
  result?: unknown;
  error?: { code: ErrorCode; message: string; retryable: boolean; outcome: string; hint?: string; details?: object };
}

/** `interrupted`: the object restarted meanwhile; `error` says what holds. */
export type OperationState = "running" | "succeeded" | "failed" | "interrupted" | "cancelled";

export interface OperationPage {
  operations: OperationView[];
  nextCursor?: string;
}

export interface CancelAnswer {
  /**
   * The call was told: it ends before its next step, or completes where it has none left; a command of `workspace_run` is
   * ended with its process group. Its own answer says which.
   */
  cancelRequested: boolean;
  state: OperationState;
}

export interface Guarded {
  /** Refused with `PRECONDITION_FAILED` where another workspace is active; `details.active` says which. */
  expectedActive?: WorkspaceSelector;
}

export interface SnapshotOptions extends Cancellable, Guarded, Repeatable {
  name?: string;
  description?: string;
  /** 61 to 315360000; default 259200 (3 days); the largest keeps a snapshot until it is deleted. */
  ttlSeconds?: number;
  /** Take the name from the snapshot that has it. */
  replace?: boolean;
  /** At most 32; keys of 63 characters of `A-Za-z0-9._/-`, values of 256. */
  labels?: Record<string, string>;
}

/** What is absent stays as it is. */
export interface SnapshotEdit {
  /** Null removes the name. */
  name?: string | null;
  /** Take the name from the snapshot that has it. */
  replace?: boolean;
  /** Null removes it. */
  description?: string | null;
  /** Labels to set, and with null to remove; others stay. */
  labels?: Record<string, string | null>;
  /** A pinned snapshot stays until it is unpinned or deleted. One that is unpinned has the expiry it had before. */
  pinned?: boolean;
  /**
   * Lets every other session of this Worker start workspaces from it (`open` with `from`, `restore`, `branch`), by its ref
   * or id. False ends that for new ones. No tool sets it.
   */
  published?: boolean;
  /**
   * RFC 3339, at least 61 s from now and at most ten years after `createdAt`; null: until it is deleted. A snapshot lives whole
   * seconds from `createdAt` on: its end is the first of these that is not before this.
   */
  expiresAt?: string | null;
}

export interface CrossableOptions extends Cancellable {
  /**
   * Also reach snapshots of other sessions, where `capabilities.snapshot.crossSession` allows it. A delete asks the session
   * that took it, whose workspaces and readers keep it as they keep it from its own deletes.
   */
  allowCrossSession?: boolean;
}

export interface ForkOptions extends Cancellable, Guarded, Repeatable {
  /** How many workspaces: 1 to 20, default 1; the session's `maxWorkspaces` and `maxRunning` hold. */
  count?: number;
}

/** What a live fork made. */
export interface Forks {
  /** The snapshot they were made from: an automatic one, or the one that the workspace still equals. */
  fromSnapshotId: string;
  /** As many as were asked for. One that could not be made left nothing, and takes nothing from the others. */
  workspaces: ({ ref: WorkspaceRef } | { error: Pick<SnapshotterError, "code" | "message" | "retryable" | "outcome" | "hint" | "details"> })[];
  /** Where the workspace had to be woken for it. */
  woken?: Woken;
}

export interface DeleteOptions extends CrossableOptions {
  /**
   * Also what is pinned or published; what a workspace would wake from that sleeps or is not saved by itself
   * (`autosave: false`): it then begins anew; or what one of another session would wake from, which then can't wake.
   * Without, that is `CONFLICT`. What is being read is never deleted.
   */
  force?: boolean;
}

export interface RewindOptions extends CrossableOptions, Guarded, Repeatable {
  /** Only while this is the workspace's `headSnapshotId`. Else `PRECONDITION_FAILED`; `details.head` is the one it has. */
  expectedHead?: string;
}

/** A workspace that was rewound. */
export interface Rewound {
  /** The workspace; the one it was. */
  ref: WorkspaceRef;
  /** The snapshot that its files are of now. */
  fromSnapshotId: string;
  /** What they were before: rewind or restore to it to get them back. It lives as long as any snapshot, hidden from `list`. */
  safetyRef: SnapshotRef;
  /** Processes that were ended because they used the directory, at most 100. `command` is cut to 200 characters. */
  endedProcesses: { pid: number; command: string }[];
  /** Where the workspace had to be woken for it. */
  woken?: Woken;
}

export interface PageOptions {
  /** Results at most; at least 1. Larger ones than the session's `maxListResults` are cut to it. */
  limit?: number;
  cursor?: string;
}

export interface ListOptions extends PageOptions {
  /** Also expired snapshots. */
  includeExpired?: boolean;
  /** Also those being taken, deleted or failed. */
  includeUnready?: boolean;
  /** Also those that nobody asked for nor named: automatic ones, and what rewinds replaced. */
  includeAuto?: boolean;
  /** Walk the whole bucket, in key order. */
  allowCrossSession?: boolean;
  /** Exactly this name. */
  name?: string;
  /** All of these, at most 8: a key, or `key=value`. */
  labels?: string[];
  kind?: "full";
  /** RFC 3339; made then or later. */
  createdAfter?: string;
  /** RFC 3339; made earlier. */
  createdBefore?: string;
}

/** Options of `execStream`: those of the tool `workspace_run`. */
export interface ExecStreamOptions {
  /** Directory, relative to the workspace. Default its root. */
  cwd?: string;
  /** Variables over the session's. */
  env?: Record<string, string>;
  /** Time limit in milliseconds. Default 120000, at most 3600000 or the session's `maxDurationMs`. */
  timeoutMs?: number;
  /** Text for its standard input, at most 2 MiB. */
  stdin?: string;
}

export interface WatchOptions {
  /** Also all directories below, and those made later. Default true. */
  recursive?: boolean;
  /** Globs of names, not of paths, that are passed over with all that is in them: `[".git", "node_modules"]`. At most 64. */
  exclude?: string[];
}

/**
 * What `watch` tells. Paths begin at the workspace's root; `pathBase64` is there where one is not UTF-8. What happens within
 * about 100 ms is told together, and repeated changes of one path once. What is found in a new directory may be told as
 * `created` twice.
 */
export type WatchEvent = { timestamp: string } & (
  | { type: "watching"; directories: number }
  /** `modified`: its content, mode, owner or times; also what a file tool wrote, new or not. */
  | { type: "created" | "modified" | "deleted"; path: string; pathBase64?: string; directory: boolean }
  /** Out of what is watched is `deleted`, into it `created`. */
  | { type: "renamed"; from: string; fromBase64?: string; path: string; pathBase64?: string; directory: boolean }
  /** More changed than was read: some of it was lost. Look at the files; what happens from now on is told. */
  | { type: "overflow" }
  /** It has lasted an hour: watch again. The last. */
  | { type: "ended" }
  /** It can't go on. The last. */
  | { type: "error"; error: Pick<SnapshotterError, "code" | "message" | "retryable" | "outcome" | "hint" | "details"> }
);

export interface ArchiveOptions {
  /** Directory, relative to the workspace. Default its root. */
  path?: string;
}

/** What an import brought. */
export interface ImportedTar {
  entries: number;
  /** Hard links counted. */
  files: number;
  directories: number;
  /** Symbolic links. */
  links: number;
  /** Of all files. */
  bytes: number;
}

/** The result of a command, as of `workspace_run`. */
export interface ExecResult {
  success: boolean;
  /** 124 where the time limit ended it. */
  exitCode: number;
  stdout: string;
  stderr: string;
  stdoutTruncated: boolean;
  stderrTruncated: boolean;
  timedOut: boolean;
  /** Milliseconds. */
  duration: number;
}

/**
 * An event of `execStream`: first `start`, last `complete` or `error`. The shape of `ExecEvent` in
 * `@cloudflare/sandbox`, but that `error` is the one shape of errors.
 */
export type ExecEvent = { /** RFC 3339. */ timestamp: string } & (
  | { type: "start"; command: string | string[] }
  /** Whole characters; what is not UTF-8 is replaced. */
  | { type: "stdout" | "stderr"; data: string }
  /** The output in `result` is empty: it was told already. */
  | { type: "complete"; exitCode: number; result: ExecResult }
  /** How the command ended is not known, or it never ran. */
  | { type: "error"; error: Pick<SnapshotterError, "code" | "message" | "retryable" | "outcome" | "hint" | "details"> }
);

/**
 * What a caller may do: `read` looks, `write` changes files, runs commands, switches, pauses and resumes, `snapshot` takes, restores,
 * branches and deletes, `admin` closes and destroys. None implies another; docs/capabilities.md has the table.
 */
export type Scope = "read" | "write" | "snapshot" | "admin";

/** A session. Each method answers `FORBIDDEN` where the caller's scopes don't allow it. */
export interface SessionApi {
  /**
   * Opens the session; again with an equal config does nothing. Starts no container. A later open may change `envVars`,
   * `sleepAfter`, `autosave` and `destroyOnClose`; what it leaves out stays, and so do values of `envVars` that are
   * `<redacted>`. `CONFLICT` for any other change, which `details.fields` names, and while a destroying close goes on.
   */
  open(config?: WorkspaceConfig): Promise<SessionView>;
  /** The active workspace of an open session. */
  resolve(): Promise<WorkspaceRef>;
  /** The session as it was opened, also once it is closed. `NOT_FOUND` before the first `open`. Starts no container. */
  describe(): Promise<SessionView>;
  /** Closes the session; its snapshots are kept. */
  close(): Promise<SessionView>;
  /**
   * Gives the active workspace, whose container has stopped, a fresh and empty one instead of waking or resuming it. While
   * its files are there: `CONFLICT`.
   */
  startFresh(): Promise<WorkspaceRef>;
  /**
   * Saves the active workspace. Resolves only once R2 holds it. `RATE_LIMITED` (`details.retryAfterMs`) and
   * `QUOTA_EXCEEDED` by the retention policy.
   */
  snapshot(options?: SnapshotOptions): Promise<SnapshotView>;
  /**
   * Makes a new workspace from a snapshot, of this session or published by another. Does not make it active: `switch` or
   * `swapRef` does.
   */
  restore(ref: SnapshotSelector, options?: CrossableOptions & Repeatable): Promise<WorkspaceRef>;
  /** The same, recorded as an experiment. */
  branch(ref: SnapshotSelector, options?: CrossableOptions & Repeatable): Promise<WorkspaceRef>;
  /**
   * Makes workspaces with the active one's files as they are now, recorded as experiments. It is saved first, if it has
   * changed; it stays active, and is not touched. Rejects where none could be begun: `QUOTA_EXCEEDED`, or what a save
   * answers; else each has its own result.
   */
  fork(options?: ForkOptions): Promise<Forks>;
  /**
   * Puts the active workspace back to a snapshot, of this session or published by another, in place, after a snapshot of what
   * it has. On any failure it is as it was.
   * Calls that come meanwhile wait; those that are in it already have 10 s to end, else `CONFLICT`, as for a shared
   * workspace. Processes that use the directory are ended: TERM, and after 5 s KILL. `UNSUPPORTED` where the directory can't
   * be renamed (part of the image, a mount).
   */
  rewind(ref: SnapshotSelector, options?: RewindOptions): Promise<Rewound>;
  /** Snapshots, newest first, by pages; `UNSUPPORTED` without the snapshot module. Starts no container. */
  list(options?: ListOptions): Promise<SnapshotPage>;
  /** One snapshot, in whatever state. What is not the session's, or not there: `SNAPSHOT_NOT_OWNED`. Starts no container. */
  get(ref: SnapshotSelector, options?: CrossableOptions): Promise<SnapshotView>;
  /** Idempotent for this session's own snapshots. Workspaces made from it are left alone. */
  delete(ref: SnapshotSelector, options?: DeleteOptions): Promise<void>;
  /**
   * Renames, describes, labels, pins, publishes or re-dates one of this session's own snapshots. `CONFLICT` for a taken name or
   * while it is being taken; `SNAPSHOT_GONE` if R2 does not have it any more.
   */
  updateSnapshot(ref: SnapshotSelector, edit: SnapshotEdit): Promise<SnapshotView>;
  /** The events that name one of this session's own snapshots, newest first, by pages. */
  listSnapshotEvents(ref: SnapshotSelector, options?: PageOptions): Promise<EventPage>;
  /** Shows the tree of workspaces and snapshots, the current place marked. */
  lineage(): Promise<Lineage>;
  /**
   * Puts this session's snapshots back into its catalogue from what the bucket's records say, after its object lost its
   * storage. Open the session first, with the configuration it had. One page of at most 100 backups a call; again does
   * nothing more.
   */
  rebuild(options?: PageOptions): Promise<Rebuilt>;
  /** Shows what the retention policy would delete now, and what that frees. Changes nothing. */
  planRetention(): Promise<RetentionReport>;
  /** Deletes that now, at most 100 at once. By itself, the alarm does it within 30 s of a snapshot, and as they expire. */
  retain(): Promise<RetentionReport>;
  /** Makes another workspace of this session the active one, durably. */
  swapRef(ref: WorkspaceSelector, options?: Guarded): Promise<void>;
  /** The same, returning it. */
  switch(ref: WorkspaceSelector, options?: Guarded): Promise<WorkspaceRef>;
  /** All workspaces, oldest first, and which is active. Starts no container. */
  listWorkspaces(options?: ListWorkspacesOptions): Promise<WorkspaceList>;
  /**
   * Saves a workspace, by default the active one, whether it is to be saved by itself or not (`autosave`), and releases its
   * container: it costs its storage alone until `resume`, and does not count for `maxRunning`. Files that have not changed
   * are not uploaded. Processes end with the container; streams of `watch` break off. Until it is resumed,
   * calls that need its container answer `CONFLICT`; it can be switched to and from, restored from and destroyed, and time
   * alone does not retire it. Pausing a paused one succeeds.
   *
   * Calls that are in it have 10 s to end, else `CONFLICT` (retryable), as while `execStream` tells of a command or an archive
   * is exported, and for a shared workspace. If it can't be saved (`BACKUP_FAILED` and others), it is not paused and runs on. It counts as a
   * snapshot for `limits.snapshots`.
   */
  pause(ref?: WorkspaceSelector, options?: Cancellable & Repeatable): Promise<Paused>;
  /**
   * Brings a workspace back, by default the active one: with every file it had, in a container that runs. Processes are not
   * brought back. One that sleeps is woken, one that runs is left as it is. If it fails (`RESTORE_FAILED`, `QUOTA_EXCEEDED`,
   * `UNAVAILABLE`), a paused one is paused as before; `startFresh` or a restore goes on without it.
   */
  resume(ref?: WorkspaceSelector, options?: Cancellable & Repeatable): Promise<Resumed>;
  /**
   * Destroys a workspace that is not active. Its snapshots are kept, and its last autosave lives a whole time to live from
   * then. What was not saved is gone: the answer says if there may have been any.
   */
  destroyWorkspace(ref: WorkspaceSelector): Promise<DestroyedWorkspace>;
  /**
   * Destroys the container of a workspace, the active one's too, at once and whatever runs in it; of a closed session too.
   * The workspace stays: used again, it wakes with the files it was last saved with, or empty where it never was. What
   * was not saved is gone. Only for callers without restriction.
   */
  destroyContainer(ref: WorkspaceSelector): Promise<void>;
  /** What the session keeps: counts and bytes. Asks R2 nothing. */
  usage(): Promise<SessionUsage>;
  /** What happened, newest first, by pages. */
  listEvents(options?: PageOptions): Promise<EventPage>;
  /** The tools that this session has and this caller may call, for a model. */
  listTools(): Promise<Tool[]>;
  /**
   * Calls a tool. A workspace whose container had stopped wakes first: `woken` in the answer. `workspace_restore` and
   * `workspace_branch` make the new workspace active.
   */
  callTool(name: string, input?: object, options?: Cancellable & Guarded & Repeatable): Promise<any>;
  /**
   * Runs a command in the active workspace and tells what it prints while it runs: Server-Sent Events, each an
   * {@link ExecEvent} as JSON, as `parseSSEStream` of `@cloudflare/sandbox` reads them. Output is not cut, and flows as
   * fast as it is read. Under the rules of `workspace_run`; what they refuse rejects. Cancelling the stream ends the
   * command and all of its process group; that its reader is gone is noticed within seconds. While it is read, the
   * container does not stop.
   */
  execStream(command: string | string[], options?: ExecStreamOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Tells what changes in a directory of the active workspace (default: its root) and below it, while it changes:
   * Server-Sent Events, each a {@link WatchEvent} as JSON. Resolves once all that happens from then on is told. Cancelling
   * the stream ends it; that its reader is gone is noticed within seconds. It does not count as use: the workspace is
   * stopped when nobody uses it, and the last event is an error then (`WORKSPACE_LOST`), as it is when another workspace
   * becomes the active one (`CONFLICT`), or when the directory is removed or moved (`NOT_FOUND`). After an hour it ends with
   * the event `ended`.
   *
   * Paths as for file tools; symbolic links are not followed. Rejects with `TOO_LARGE` for more than 20,000 directories,
   * `QUOTA_EXCEEDED` for more than 16 watches of a workspace, and `UNSUPPORTED` where the image has no Python 3.
   */
  watch(path?: string, options?: WatchOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * The tree below a directory of the active workspace as a tar archive (GNU format): files, directories and symbolic
   * links, which are not followed. A stream that ends is whole; one that can't be finished breaks off, so its reader
   * rejects. Files that change meanwhile may be in it as they were at any moment; one that shrinks breaks it off. While it
   * is read, the container does not stop.
   */
  exportTar(options?: ArchiveOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Puts the files of a tar archive, not compressed, into a directory of the active workspace, which is made. Each file
   * replaces what has its name at once; directories are merged. Files belong to root; modes are kept but for setuid,
   * setgid and sticky bits. An archive of at most 4 GiB and 500,000 entries, with as many bytes in its files.
   *
   * Refused whole, with the entry named and nothing changed: names that are absolute or have `..`, hard links to what is
   * not in the archive, entries behind a symbolic link (in the archive or in the workspace), and what is no file,
   * directory or link; also an archive that is broken or cut off. `CONFLICT` where a directory and something else
   * have the same name.
   */
  importTar(stream: ReadableStream<Uint8Array>, options?: ArchiveOptions): Promise<ImportedTar>;
  /** Asks a running call to end before its next step, and ends a command that it runs. */
  cancel(operationId: string): Promise<CancelAnswer>;
  /** What became of a recorded call. */
  getOperation(operationId: string): Promise<OperationView>;
  /** Recorded calls, newest first, without their results. */
  listOperations(options?: PageOptions): Promise<OperationPage>;
  /**
   * The same session with only these scopes, and without `open`: to pass on to code that is trusted less. Of a
   * restricted handle it can only narrow. Dispose of it as of any stub (`using`).
   */
  restricted(scopes: Scope[]): Promise<RestrictedHost> | RestrictedHost;
  /** `restricted(["read"])`: looks at everything and changes nothing. */
  asReadOnly(): Promise<RestrictedHost> | RestrictedHost;
}

/** What `AgentHost` itself is: unrestricted. */
export interface AgentHostApi extends SessionApi {}

/** A handle with fewer scopes. Its `open` answers `FORBIDDEN`. */
export interface RestrictedHost extends SessionApi, Disposable {}
