# Made from docs/openapi.json by clients/generate.sh.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

ArchiveFormat: TypeAlias = Literal['tar', 'oci-layer']
"""
Type of an archive. Its first bytes tell how it is compressed.
"""


class Autosave(TypedDict):
    """
    Settings of automatic snapshots.
    """

    everyMs: NotRequired[int]
    """
    Milliseconds between two automatic snapshots of a workspace in use.
    """


class AutosaveAnswer(TypedDict):
    """
    Settings of automatic snapshots.
    """

    everyMs: int
    """
    Milliseconds between two automatic snapshots of a workspace in use.
    """


BackupDir: TypeAlias = str
"""
A directory that snapshots may capture: at or under /workspace, /home, /app, or under /tmp, /var/tmp.
"""


BackupId: TypeAlias = str
"""
Id of a snapshot: a lowercase UUID v4.
"""


class ChangeCounts(TypedDict):
    """
    Number of changes of each kind.
    """

    access: int
    """
    Paths that differ only in permissions or owner.
    """
    added: int
    """
    New paths.
    """
    modified: int
    """
    Files with other content, links with other targets, paths of another type.
    """
    removed: int
    """
    Paths that are gone.
    """
    renamed: int
    """
    Files with another path.
    """


ChangeKind: TypeAlias = Literal['added', 'removed', 'modified', 'renamed', 'type', 'link', 'mode', 'owner']
"""
What happened to a path.
"""


class ChangedPath(TypedDict):
    """
    A changed path.
    """

    change: ChangeKind
    """
    What happened.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """


Cleared: TypeAlias = str
"""
A value to remove.
"""


CodeContextId: TypeAlias = str


class CodeImage(TypedDict):
    """
    An image.
    """

    data: str
    """
    Bytes in base64.
    """
    mimeType: str
    """
    E.g. `image/png`.
    """
    name: str
    """
    Name of its file.
    """


CommandLine: TypeAlias = str | list[str]
"""
A command: argv, or a string for the shell.
"""


Conflict: TypeAlias = Literal['content', 'binary', 'removedByUs', 'removedByThem', 'type', 'link', 'mode']
"""
Why a path can't be merged.
"""


ConflictPolicy: TypeAlias = Literal['ours', 'theirs', 'markers']
"""
What to do about paths that both sides changed.
"""


class ConflictingLines(TypedDict):
    """
    Lines that both sides changed.
    """

    line: int
    """
    Number of our first line, from 1.
    """
    ours: str
    """
    Our lines, at most 512 bytes of them.
    """
    theirs: str
    """
    Their lines.
    """


ContainerState: TypeAlias = Literal['running', 'stopped', 'unknown']
"""
Whether the container of a workspace runs.
"""


class CreatedTicket(TypedDict):
    """
    A fresh ticket.
    """

    expiresAt: str
    """
    Half a minute from now. RFC 3339.
    """
    ticket: str
    """
    The ticket. The WebSocket offers the subprotocols `snapshotter` and `ticket.` with this
    text after it.
    """


DeleteReason: TypeAlias = Literal['expired', 'superseded', 'supersededAutosave', 'maxCount', 'maxBytes', 'operator']
"""
Why a snapshot is deleted.
"""


class Deleted(TypedDict):
    """
    The answer to a delete.
    """

    deleted: bool
    """
    Always true, even if the snapshot was gone.
    """


class DeletedSession(TypedDict):
    """
    The answer to the deletion of a session.
    """

    deleted: bool
    """
    Always true: deleting a session that does not exist succeeds.
    """
    snapshots: int
    """
    How many snapshots were deleted.
    """
    workspaces: int
    """
    How many workspaces were destroyed.
    """


class Destroyed(TypedDict):
    """
    The answer to a container's destruction.
    """

    destroyed: bool
    """
    Always true.
    """


class DestroyedPool(TypedDict):
    """
    A pool that was destroyed.
    """

    destroyed: int
    """
    How many containers were destroyed.
    """


class DestroyedWorkspace(TypedDict):
    """
    The answer to a workspace's destruction.
    """

    destroyed: bool
    """
    Always true, even if the workspace was gone.
    """
    lastSnapshotId: BackupId | None
    """
    The snapshot it would have woken from, or null.
    """
    usedSince: bool
    """
    Whether it was used or active after its files last equalled that snapshot. Changes since
    then are lost.
    """


DiffOutput: TypeAlias = Literal['text', 'patch', 'list']
"""
What to show of the contents of changed files.
"""


class DroppedByImport(TypedDict):
    """
    How many entries of an archive lost something in an import.
    """

    attributes: int
    """
    Entries with extended attributes other than `user.*`, such as capabilities.
    """
    owners: int
    """
    Entries that another user or group than root owned. Root owns them now; a snapshot keeps
    them.
    """
    specialBits: int
    """
    Entries with setuid, setgid or sticky bits. A snapshot keeps sticky bits.
    """


Encoding: TypeAlias = Literal['utf-8', 'base64']
"""
How file content is carried in JSON.
"""


class EndedProcess(TypedDict):
    """
    A process that was ended because it used a directory.
    """

    command: str
    """
    Its command line, at most 200 characters, with `?` for characters that are not printable
    ASCII.
    """
    pid: int
    """
    Its id in the container.
    """


ErrorCode: TypeAlias = Literal['INVALID_ARGUMENT', 'UNAUTHENTICATED', 'FORBIDDEN', 'SNAPSHOT_NOT_OWNED', 'WORKSPACE_NOT_OWNED', 'CROSS_SESSION_DISABLED', 'NOT_FOUND', 'CONFLICT', 'WORKSPACE_LOST', 'SNAPSHOT_EXPIRED', 'SNAPSHOT_GONE', 'PRECONDITION_FAILED', 'TOO_LARGE', 'QUOTA_EXCEEDED', 'RATE_LIMITED', 'ABORTED', 'UNSUPPORTED', 'BACKUP_FAILED', 'RESTORE_FAILED', 'INTEGRITY', 'NOT_CONFIGURED', 'UNAVAILABLE', 'INTERRUPTED', 'INTERNAL']
"""
Error codes, stable and published. `docs/errors.md` has their statuses.
"""


class EventView(TypedDict):
    """
    A stored event as it is shown.
    """

    at: str
    """
    RFC 3339.
    """
    kind: str
    """
    The kind, or `unknown`.
    """
    payload: Any
    """
    The payload; for an unknown kind, all that is stored.
    """
    seq: int
    """
    Order within the session.
    """
    warning: NotRequired[str | None]
    """
    Why the kind is `unknown`.
    """


Exceeded: TypeAlias = Literal['maxCount', 'maxBytes']
"""
A limit that can't be met.
"""


FileType: TypeAlias = Literal['file', 'directory', 'symlink', 'other']
"""
Type of a directory entry.
"""


ForeignFormat: TypeAlias = Literal['tar+zstd/1']
"""
The format of a backup that is not one of ours.
"""


class FoundLine(TypedDict):
    """
    One line that `grep` shows.
    """

    cut: bool
    """
    Whether `text` is only the beginning.
    """
    line: NotRequired[int | None]
    """
    From 1. Absent if the line is so long that its number was cut off.
    """
    matches: bool
    """
    Whether the line matches; otherwise it is near a match.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """
    text: str
    """
    The line without its end, at most 500 characters of it; bytes that are
    not UTF-8 are replaced.
    """


class FoundPath(TypedDict):
    """
    A path that was found.
    """

    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """


GitCheckpointName: TypeAlias = str


class GitState(TypedDict):
    """
    The repository at the root of a snapshot's directory, when it was taken.
    """

    branch: NotRequired[str | None]
    """
    The branch. Absent if `HEAD` is detached.
    """
    clean: bool
    """
    Whether nothing was uncommitted, apart from ignored files.
    """
    head: NotRequired[str | None]
    """
    The commit of `HEAD`. Absent before the first commit.
    """


class Health(TypedDict):
    """
    The answer to `GET /health`.
    """

    status: str
    """
    Always `ok`: anything else is an error.
    """


HostPattern: TypeAlias = str
"""
A public host, such as api.example.com, or *.example.com for all below one.
"""


IdempotencyKey: TypeAlias = str
"""
A name for the request. For 24 hours, a repetition with the same name gets the first answer; a tool that only reads runs again.
"""


class IgnoredChanges(TypedDict):
    """
    Changes that are only counted.
    """

    counts: ChangeCounts
    """
    How many changes.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """


class Instruction(TypedDict):
    """
    An instruction for the caller, as a template: each caller fills in its own names of operations.
    """

    arguments: NotRequired[dict[str, str]]
    """
    The sentence's arguments.
    """
    text: str
    """
    A sentence. `{name}` stands for the operation with this `operationId`, or for the
    argument of this name.
    """


KeepReason: TypeAlias = Literal['newest', 'pinned', 'head', 'beingRead', 'rebuilt', 'retired', 'keepLast', 'keepDaily', 'unexpired']
"""
Why a snapshot is kept.
"""


Labels: TypeAlias = dict[str, str]


Language: TypeAlias = Literal['python', 'javascript']
"""
A language of `workspace_run_code`.
"""


class LeftProgram(TypedDict):
    """
    A program that outlives the command that started it.
    """

    command: str
    """
    Beginning of its command.
    """
    pid: int
    """
    Its process id in the container.
    """


class Links(TypedDict):
    """
    Paths that need no token.
    """

    health: str
    """
    Whether the Worker is configured.
    """
    openapi: str
    """
    The description of every route.
    """


class ListInput(TypedDict):
    allowCrossSession: NotRequired[bool]
    """
    List the whole bucket, snapshots of other sessions too. Each such call is
    recorded.
    """
    createdAfter: NotRequired[str | None]
    """
    Only snapshots made at this time or later, in RFC 3339.
    """
    createdBefore: NotRequired[str | None]
    """
    Only snapshots made before this time, in RFC 3339.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous page.
    """
    includeAuto: NotRequired[bool]
    """
    Also list snapshots of turns, automatic snapshots (workspaces wake from them) and safety
    snapshots (files that a rewind or promotion replaced).
    """
    includeExpired: NotRequired[bool]
    """
    Also list expired snapshots; they can't be restored.
    """
    labels: NotRequired[list[str]]
    """
    Only snapshots with all of these labels: a key, or key=value.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of results; at most the session's maximum, by default
    100.
    """
    name: NotRequired[str | None]
    """
    Only the snapshot with this name.
    """


class ListedEntry(TypedDict):
    """
    One entry of a directory.
    """

    mode: str
    """
    Permission bits in octal.
    """
    modifiedAt: str
    """
    RFC 3339.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """
    sizeBytes: int
    """
    Size in bytes.
    """
    type: FileType
    """
    Type.
    """


class ListedFiles(TypedDict):
    """
    A page of entries.
    """

    entries: list[ListedEntry]
    """
    By path. Directories of a snapshot have size 0.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """


class ListedGitCheckpoint(TypedDict):
    """
    A git checkpoint in a list.
    """

    commit: str
    """
    Its commit.
    """
    createdAt: str
    """
    RFC 3339.
    """
    description: NotRequired[str | None]
    """
    Description, if it has one.
    """
    name: GitCheckpointName
    """
    Its name.
    """


class LiveForkInput(TypedDict):
    count: NotRequired[int | None]
    """
    How many workspaces.
    """


class MachineImage(TypedDict):
    """
    What identifies an image.
    """

    name: NotRequired[str | None]
    """
    The platform's name for it, if it has one.
    """
    sha256: str
    """
    SHA-256 of the list of its files, lowercase hexadecimal.
    """


class MachinePart(TypedDict):
    """
    The archive of a machine. Snapshots between which the machine did not change share one.
    """

    id: BackupId
    """
    The snapshot that has the archive: this one, or an earlier one.
    """
    image: MachineImage
    """
    The image that it differs from.
    """
    lost: NotRequired[bool]
    """
    Whether the bucket has lost the archive. The snapshot's files are all there.
    """
    sha256: str
    """
    SHA-256 of the archive, lowercase hexadecimal.
    """
    sizeBytes: int
    """
    Size of the archive in bytes.
    """


class MergeConflict(TypedDict):
    """
    A path that both sides changed in ways that exclude each other.
    """

    conflict: Conflict
    """
    Why it can't be merged.
    """
    lines: NotRequired[list[ConflictingLines]]
    """
    The first lines in conflict.
    """
    ours: NotRequired[ChangeKind | None]
    """
    What the active workspace did to it.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """
    theirs: NotRequired[ChangeKind | None]
    """
    What the other side did to it.
    """


class MissingView(TypedDict):
    """
    A bucket that lacks snapshots.
    """

    binding: str
    """
    The bucket's binding.
    """
    message: str
    """
    The same as text, with advice.
    """
    since: str
    """
    RFC 3339.
    """
    snapshots: int
    """
    Snapshots that the last check did not find.
    """


class ModulesView(TypedDict):
    """
    The modules of a session.
    """

    allowedPrograms: NotRequired[list[str] | None]
    """
    The only programs that may run, or null for any.
    """
    codeContexts: NotRequired[bool]
    """
    Whether there are code contexts.
    """
    codeLanguages: list[Language]
    """
    Languages that code may be run in.
    """
    fs: bool
    """
    File tools.
    """
    readOnly: bool
    """
    Only what reads is allowed.
    """
    script: NotRequired[bool]
    """
    Scripts may run.
    """
    shell: bool
    """
    Command tools.
    """
    snapshot: bool
    """
    Snapshot tools.
    """


MountState: TypeAlias = Literal['MOUNTED', 'STOPPED', 'UNSUPPORTED', 'FAILED']
"""
Whether a bucket is a directory of the container.
"""


NetworkMode: TypeAlias = Literal['open', 'off', 'allowlist']
"""
What containers may reach.
"""


class NoArgs(TypedDict):
    """
    An operation without arguments.
    """


NoText: TypeAlias = Literal['binary', 'tooLarge', 'noRoom', 'refused']
"""
Why a change has no text.
"""


class NotSearched(TypedDict):
    """
    What a search passed over.
    """

    binary: int
    """
    Number of files that are not text.
    """
    git: int
    """
    Number of .git directories.
    """
    longLines: NotRequired[int]
    """
    Number of lines that are too long for so costly a pattern.
    """
    tooLarge: int
    """
    Number of files larger than 2 MiB.
    """
    tooLargeFiles: NotRequired[list[FoundPath]]
    """
    The first 20 of these files.
    """


OperationId: TypeAlias = str
"""
Name of a call, by which it is cancelled.
"""


OperationState: TypeAlias = Literal['running', 'succeeded', 'failed', 'interrupted', 'cancelled']
"""
The state of a call.
"""


class OperatorEventPage(TypedDict):
    """
    A page of events, newest first.
    """

    events: list[EventView]
    """
    The events.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """


Outcome: TypeAlias = Literal['none', 'committed', 'unknown']
"""
What a failed call has left behind.
"""


Ownerless: TypeAlias = Literal['legacy', 'incomplete', 'lost']
"""
Why no catalogue has a backup.
"""


class PageArgs(TypedDict):
    """
    Arguments of a plain list.
    """

    cursor: NotRequired[str | None]
    """
    `nextCursor` of the previous page.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of results.
    """


PartNumber: TypeAlias = int


class PathChange(TypedDict):
    """
    A changed path.
    """

    change: ChangeKind
    """
    What happened.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """


PathChange2: TypeAlias = Literal['added', 'modified', 'deleted']
"""
What a restore did to a path.
"""


Persist: TypeAlias = Literal['workspace', 'machine']
"""
Value of `persist`.
"""


class PlannedChanges(TypedDict):
    """
    What would change in the files of the active workspace.
    """

    counts: ChangeCounts
    """
    All changes, without ignored files.
    """
    ignored: NotRequired[list[IgnoredChanges]]
    """
    Counts of changes in .git and in ignored files.
    """
    paths: list[ChangedPath]
    """
    The first changed paths, at most 200.
    """


PoolId: TypeAlias = str
"""
Id of a warm pool.
"""


PreviewId: TypeAlias = str
"""
Id of a preview, by which it is revoked. No secret.
"""


ProcessName: TypeAlias = str


ProcessState: TypeAlias = Literal['running', 'ended']
"""
State of a background process.
"""


class ProcessView(TypedDict):
    """
    A background process.
    """

    command: str
    """
    Beginning of its command.
    """
    endedAt: str | None
    """
    RFC 3339, or null.
    """
    exitCode: int | None
    """
    Exit code. Null while it runs, and if it was killed with its supervisor.
    """
    hint: NotRequired[str | None]
    """
    In the answer of its start: when it will end without being stopped. Later: that it ended
    because memory ran out.
    """
    leftRunning: NotRequired[bool]
    """
    Whether it has ended but a program that it started still runs.
    """
    logBytes: int
    """
    Bytes printed so far.
    """
    name: ProcessName
    """
    Its name.
    """
    startedAt: str
    """
    RFC 3339.
    """
    state: ProcessState
    """
    State.
    """


PromoteMode: TypeAlias = Literal['merge', 'replace']
"""
How to bring changes over.
"""


ProviderId: TypeAlias = Literal['cloudflare-sandbox']
"""
The provider that each ref of this service names.
"""


ProviderKind: TypeAlias = Literal['cloudflare-sandbox']
"""
Value of `kind`.
"""


class Rate(TypedDict):
    """
    A rate, and how many calls may come at once.
    """

    burst: int
    """
    Calls that may come at once, after a pause.
    """
    perMinute: int
    """
    Calls a minute.
    """


class RefusedHost(TypedDict):
    """
    A host that a policy has refused.
    """

    count: int
    """
    How many requests were refused.
    """
    host: str
    """
    As the request named it.
    """


RestoreKind: TypeAlias = Literal['restored', 'branch']
"""
Why a workspace was made. The two differ only in the suffix and in the event log.
"""


class RetentionPolicyView(TypedDict):
    """
    A policy as it is shown.
    """

    keepAutosaves: int
    """
    How many autosaves of each workspace are kept, beside those that a wake needs.
    """
    keepDaily: int | None
    """
    Also the latest snapshot of each day, for this many days.
    """
    keepLast: int | None
    """
    Only this many of the latest snapshots are kept.
    """
    keepTurns: int
    """
    How many turns are kept.
    """
    maxBytes: int | None
    """
    Maximum bytes.
    """
    maxCount: int | None
    """
    Maximum number of snapshots.
    """
    minIntervalSeconds: int
    """
    Seconds between two requested snapshots.
    """
    retireAfterSeconds: int
    """
    Seconds after which an unused workspace that is not active is retired.
    """
    ttlSeconds: int
    """
    Time to live of automatic and safety snapshots. If it was set, also of other snapshots whose
    caller sets none; otherwise those live 30 days after the session's last use.
    """


class Revoked(TypedDict):
    """
    The answer to a revocation.
    """

    revoked: bool
    """
    Always true: revoking what is gone succeeds.
    """


SandboxId: TypeAlias = str
"""
Name of a sandbox, which holds one workspace.
"""


Scope: TypeAlias = Literal['read', 'write', 'snapshot', 'admin']
"""
A kind of access. No scope implies another.
"""


Scopes: TypeAlias = list[Scope]
"""
Scopes that a caller has, in a fixed order, each once.
"""


ScriptNetwork: TypeAlias = Literal['off', 'allow']
"""
Whether scripts reach the Internet.
"""


class ScriptRequest(TypedDict):
    """
    A script to run.
    """

    code: str
    """
    Body of an async function.
    """


class ScriptResult(TypedDict):
    """
    How a script ended.
    """

    calls: int
    """
    Number of tool calls.
    """
    durationMs: int
    """
    How long it ran, in milliseconds.
    """
    error: NotRequired[str | None]
    """
    Why it failed, with the stack.
    """
    logs: str
    """
    Console output.
    """
    timedOut: bool
    """
    Whether its time limit ended it.
    """
    value: NotRequired[Any]
    """
    The value that it returned, if JSON can express it.
    """
    valueText: NotRequired[str | None]
    """
    Otherwise the value as text.
    """


class SdkBackupRecord(TypedDict):
    """
    The record of a backup of the SDK, as its `restore` takes it.
    """

    dir: BackupDir
    """
    The directory that was saved. The SDK restores to it unless its caller names another.
    """
    format: ForeignFormat
    """
    Its format.
    """
    id: BackupId
    """
    Its id. The object's key is `<prefix><id>.tar.zst`.
    """
    name: NotRequired[str | None]
    """
    The snapshot's name.
    """
    sha256: str
    """
    SHA-256 of the object, lowercase hexadecimal.
    """
    size: int
    """
    Size of the object in bytes.
    """


class SearchedSnapshot(TypedDict):
    """
    A page of lines of a snapshot's files.
    """

    lines: list[FoundLine]
    """
    By path, from the snapshot's root, then by line.
    """
    nextCursor: NotRequired[str | None]
    """
    Where the next page begins, if not all has been searched.
    """
    notSearched: NotSearched
    """
    What this page passed over.
    """
    searchedFiles: int
    """
    Files that this page searched.
    """


SecretHost: TypeAlias = str
"""
A host as in `network.hosts`. With http:// in front, requests without TLS get the secret, and those with TLS do not.
"""


SecretValue: TypeAlias = str
"""
A secret's value. It is not printed.
"""


class SeenFoundFileList(TypedDict):
    """
    A page of files.
    """

    files: list[FoundPath]
    """
    Sorted by path; paths are relative to the workspace's root.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    snapshotId: NotRequired[BackupId]
    """
    The snapshot that has the files.
    """
    workspaceId: NotRequired[SandboxId]
    """
    The workspace that has the files.
    """


class SeenFoundLineList(TypedDict):
    """
    A page of lines.
    """

    lines: list[FoundLine]
    """
    Sorted by path and line; paths are relative to the workspace's root.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    notSearched: NotRequired[NotSearched | None]
    """
    In a snapshot: counts of what this page skipped.
    """
    snapshotId: NotRequired[BackupId]
    """
    The snapshot that has the files.
    """
    workspaceId: NotRequired[SandboxId]
    """
    The workspace that has the files.
    """


class SeenListedFiles(TypedDict):
    """
    A page of entries.
    """

    entries: list[ListedEntry]
    """
    By path. Directories of a snapshot have size 0.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    snapshotId: NotRequired[BackupId]
    """
    The snapshot that has the files.
    """
    workspaceId: NotRequired[SandboxId]
    """
    The workspace that has the files.
    """


class SeenReadFileResult(TypedDict):
    """
    Result of `readFile`.
    """

    content: str
    """
    Content in `encoding`.
    """
    encoding: Encoding
    """
    Encoding of `content`. Default utf-8.
    """
    mimeType: NotRequired[str | None]
    """
    Media type, found by the first bytes, or else by the name.
    """
    nextLine: NotRequired[int | None]
    """
    Number of the next line, from 1, if lines were read and `content` ends with a whole line.
    """
    nextOffset: NotRequired[int | None]
    """
    Offset of the next read.
    """
    offset: int
    """
    Offset of `content` in the file, in bytes.
    """
    sizeBytes: int
    """
    Size of the whole file in bytes.
    """
    snapshotId: NotRequired[BackupId]
    """
    The snapshot that has the files.
    """
    truncated: bool
    """
    Whether the file continues after `content`.
    """
    workspaceId: NotRequired[SandboxId]
    """
    The workspace that has the files.
    """


class SeenStatView(TypedDict):
    """
    What is there.
    """

    gid: int
    """
    Group, by number.
    """
    mode: str
    """
    Permission bits in octal, e.g. `644`.
    """
    modifiedAt: str
    """
    RFC 3339.
    """
    path: str
    """
    Absolute path.
    """
    sizeBytes: int
    """
    Size in bytes.
    """
    snapshotId: NotRequired[BackupId]
    """
    The snapshot that has the files.
    """
    target: NotRequired[str | None]
    """
    Target of a symbolic link; it may not exist.
    """
    targetBase64: NotRequired[str | None]
    """
    The bytes of `target` in base64, if they are not UTF-8.
    """
    type: FileType
    """
    Type.
    """
    uid: int
    """
    Owner, by number.
    """
    workspaceId: NotRequired[SandboxId]
    """
    The workspace that has the files.
    """


class ServiceConfig(TypedDict):
    """
    A command that runs in the background of each workspace.
    """

    command: CommandLine
    """
    Shell command, or program and arguments. Shown to callers: secrets belong in
    `envVars`.
    """
    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    name: ProcessName
    """
    The name of its process.
    """


SessionId: TypeAlias = str
"""
Name of a session.
"""


class SessionLimits(TypedDict):
    """
    How much one session may have at once.
    """

    calls: NotRequired[Rate | None]
    """
    All calls, however they come. Default 6,000 a minute, 1,000 at once.
    """
    maxRunning: NotRequired[int | None]
    """
    Containers that may run at once. Default 4.
    """
    maxWorkspaces: NotRequired[int | None]
    """
    Workspaces. Default 20.
    """
    snapshots: NotRequired[Rate | None]
    """
    Calls that take a snapshot. Default 30 a minute, 30 at once.
    """


SessionStatus: TypeAlias = Literal['open', 'closed']
"""
Whether a session takes work.
"""


AllowlistItem: TypeAlias = str


class ShellCapability(TypedDict):
    """
    Settings of the shell module.
    """

    allowlist: NotRequired[list[AllowlistItem] | None]
    """
    Programs that commands may run, as lists of a program and its arguments. Variables
    that could bring in another program (`PATH`, `LD_*`, …) can't be set then. A program
    that runs others (`sh`, `env`, `find`, `git`, an interpreter) allows those too.
    Absent: any program, and shell text.
    """
    maxDurationMs: NotRequired[int | None]
    """
    Longest time one command may take, in milliseconds.
    """


class ShownChange(TypedDict):
    """
    A changed path.
    """

    change: ChangeKind
    """
    What happened.
    """
    mode: NotRequired[str | None]
    """
    Permission bits in octal, if they changed.
    """
    noText: NotRequired[NoText | None]
    """
    Why its content is not shown, or is not in the patch.
    """
    oldMode: NotRequired[str | None]
    """
    Permission bits before, if they changed.
    """
    oldOwner: NotRequired[str | None]
    """
    Owner and group before.
    """
    oldSizeBytes: NotRequired[int | None]
    """
    Size of the file before, if it changed.
    """
    oldTarget: NotRequired[str | None]
    """
    Target before, if it changed.
    """
    oldType: NotRequired[FileType | None]
    """
    Type before, if it changed.
    """
    owner: NotRequired[str | None]
    """
    Owner and group, if they changed: `UID:GID`.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """
    renamedFrom: NotRequired[FoundPath | None]
    """
    Where a renamed file was.
    """
    sizeBytes: NotRequired[int | None]
    """
    Size of a file in bytes.
    """
    target: NotRequired[str | None]
    """
    Target of a symbolic link.
    """
    text: NotRequired[str | None]
    """
    Unified diff. Bytes that are not UTF-8 are replaced.
    """
    type: FileType
    """
    Type; for a removed path, the type that it had.
    """
    uncertain: NotRequired[bool]
    """
    Its content was not compared, because one call can't compare so much: it may be the same.
    """


ShownState: TypeAlias = Literal['pending', 'ready', 'expired', 'deleting', 'deleted', 'failed']
"""
The state as it is shown: what is stored, and whether its time is up.
"""


SleepAfter: TypeAlias = int | str
"""
Idle time before a container stops: seconds, or text such as "10m"; 1 second to 6 hours.
"""


class SnapshotCapability(TypedDict):
    """
    Settings of the snapshot module.
    """

    crossSession: NotRequired[bool]
    """
    Whether `allowCrossSession` is honoured.
    """
    maxListResults: NotRequired[int | None]
    """
    Largest page of `list`.
    """


class SnapshotCapabilityAnswer(TypedDict):
    """
    Settings of the snapshot module.
    """

    crossSession: bool
    """
    Whether `allowCrossSession` is honoured.
    """
    maxListResults: NotRequired[int | None]
    """
    Largest page of `list`.
    """


class SnapshotEdit(TypedDict):
    """
    Changes to a snapshot. Absent fields stay as they are. Values that `clear` lists are removed
    first.
    """

    clear: NotRequired[list[Cleared]]
    """
    Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or
    `expiresAt` to keep it until it is deleted.
    """
    description: NotRequired[str | None]
    """
    Description.
    """
    expiresAt: NotRequired[str | None]
    """
    When it expires, in RFC 3339: at least 61 s from now, and at most ten years after it
    was taken. A snapshot lives whole seconds, so its end is up to one second later.
    """
    labels: NotRequired[Labels]
    """
    Labels to set. Others stay.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    pinned: NotRequired[bool | None]
    """
    Whether it stays until it is unpinned or deleted, whatever its time to live and the policy
    say. Once it is unpinned, it has its earlier expiry again.
    """
    published: NotRequired[bool | None]
    """
    Whether other sessions may start workspaces from it, by its ref or id. No tool sets
    it.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """


SnapshotKind: TypeAlias = Literal['full', 'layer']
"""
Kind of a backup's archive. `meta.json` names the kind, so that a reader that cannot apply it
refuses it by name.
"""


SnapshotTrigger: TypeAlias = Literal['manual', 'auto', 'safety', 'turn', 'import']
"""
Why a snapshot was taken.
"""


class StartCounts(TypedDict):
    """
    Containers of all sessions and warm pools that start now or wait to start. A container that a
    pool starts is no workspace yet, so it is not listed.
    """

    limit: int
    """
    How many may start at once: `MAX_CONCURRENT_STARTS`.
    """
    starting: int
    """
    How many start now.
    """
    waiting: int
    """
    How many wait.
    """


class StatView(TypedDict):
    """
    What is there.
    """

    gid: int
    """
    Group, by number.
    """
    mode: str
    """
    Permission bits in octal, e.g. `644`.
    """
    modifiedAt: str
    """
    RFC 3339.
    """
    path: str
    """
    Absolute path.
    """
    sizeBytes: int
    """
    Size in bytes.
    """
    target: NotRequired[str | None]
    """
    Target of a symbolic link; it may not exist.
    """
    targetBase64: NotRequired[str | None]
    """
    The bytes of `target` in base64, if they are not UTF-8.
    """
    type: FileType
    """
    Type.
    """
    uid: int
    """
    Owner, by number.
    """


class Stored(TypedDict):
    """
    A number of snapshots, and the size of their archives.
    """

    count: int
    """
    Number of snapshots.
    """
    sizeBytes: int
    """
    Size of their archives.
    """


class StoredPart(TypedDict):
    """
    A part that is stored.
    """

    part: PartNumber
    """
    Its number.
    """
    sizeBytes: int
    """
    Size in bytes.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class TakenGitCheckpoint(TypedDict):
    """
    Result of `takeGitCheckpoint`.
    """

    commit: str
    """
    Its commit.
    """
    files: int
    """
    Number of its files.
    """
    madeRepository: bool
    """
    Whether the repository is new.
    """
    name: GitCheckpointName
    """
    Its name.
    """
    nested: NotRequired[list[FoundPath]]
    """
    Nested repositories, left alone; the first 20.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class TicketRequest(TypedDict):
    """
    A ticket to make.
    """

    path: str
    """
    The WebSocket's path below the session, as it is in the address, without a query:
    `/terminal`, or a server's path such as `/ports/8000/ws`.
    """


class TimelineRequest(TypedDict):
    """
    Which turns to list.
    """

    cursor: NotRequired[str | None]
    """
    nextCursor of the previous page.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of turns, at most 100. Default 20.
    """


TokenId: TypeAlias = str
"""
Id of a session token, by which it is revoked. No secret.
"""


class TokenRequest(TypedDict):
    """
    A token to make.
    """

    description: NotRequired[str | None]
    """
    What it is for; shown in the list.
    """
    scopes: Scopes
    """
    What it allows: one scope at least.
    """
    ttlSeconds: NotRequired[int | None]
    """
    How long it is good, in seconds. Default one day, at most 90.
    """


class TokenView(TypedDict):
    """
    A token as it is shown: never with its text.
    """

    createdAt: str
    """
    RFC 3339.
    """
    description: str | None
    """
    What it is for.
    """
    expiresAt: str
    """
    RFC 3339.
    """
    id: TokenId
    """
    Id to revoke it by. Not secret.
    """
    scopes: Scopes
    """
    What it allows.
    """


class ToolHints(TypedDict):
    """
    The hints of MCP. An absent hint would mean destructive, or open-world.
    """

    destructiveHint: bool
    """
    It may remove or replace something.
    """
    idempotentHint: bool
    """
    A repetition changes nothing more.
    """
    openWorldHint: bool
    """
    It may reach the Internet.
    """
    readOnlyHint: bool
    """
    It changes nothing.
    """


ToolSelectionItem: TypeAlias = str


ToolSelection: TypeAlias = str | list[ToolSelectionItem]
"""
Tools that a model is shown: core, all, comma-separated names, or a list of names.
"""


Ttl: TypeAlias = int
"""
Seconds until the snapshot expires. Default: 30 days after the session's last use; 315360000 keeps it until it is deleted.
"""


class TurnChanges(TypedDict):
    """
    What a turn changed against the files before it. Changes in .git and in ignored
    files do not count.
    """

    counts: NotRequired[ChangeCounts | None]
    """
    Number of changes of each kind. Absent: too many paths changed to compare them in
    one call.
    """
    paths: NotRequired[list[ChangedPath]]
    """
    The first changed paths, at most 10.
    """


TurnCursor: TypeAlias = Any
"""
A place in the conversation: the caller's own JSON, which only the caller reads.
"""


class TurnSelector1(TypedDict):
    """
    A turn of this session, by its number, or the newest one with this cursor.
    """

    atOrBefore: NotRequired[bool]
    """
    If that turn has expired or is gone: the newest one before it.
    """
    turn: int


class TurnSelector2(TypedDict):
    """
    A turn of this session, by its number, or the newest one with this cursor.
    """

    atOrBefore: NotRequired[bool]
    """
    If that turn has expired or is gone: the newest one before it.
    """
    cursor: TurnCursor


TurnSelector: TypeAlias = TurnSelector1 | TurnSelector2
"""
A turn of this session, by its number, or the newest one with this cursor.
"""


class Undone(TypedDict):
    """
    What an undo reverted.
    """

    turns: list[int]
    """
    The numbers of the turns, the last one first. Turns that changed no file are not listed.
    """
    unsaved: bool
    """
    Whether files had changed since the last turn. They count as one turn.
    """


UploadId: TypeAlias = str
"""
Name that the caller gives to the upload.
"""


class WaitingToStart(TypedDict):
    """
    A container that waits to start.
    """

    place: int
    """
    Its place among all that wait, from 1.
    """
    since: str
    """
    When it began to wait, in RFC 3339.
    """


PreviewPort: TypeAlias = int


WorkspaceKind: TypeAlias = Literal['origin', 'shared', 'restored', 'branch']
"""
How a workspace came to be.
"""


class WorkspaceLimits(TypedDict):
    """
    Limits that a model runs into.
    """

    commandOutputMaxBytes: int
    """
    Bytes of stdout, and of stderr, that are answered.
    """
    commandTimeoutMaxMs: int
    """
    Longest time that a command can ask for, in milliseconds.
    """
    commandTimeoutMs: int
    """
    Default time limit of a command, in milliseconds.
    """
    fileMaxBytes: int
    """
    Largest file read or written in one call, in bytes.
    """
    maxRunning: int
    """
    Containers that may run at once.
    """
    maxWorkspaces: int
    """
    Workspaces that may exist at once.
    """


class WorkspaceRefPayload(TypedDict):
    """
    Payload of a [`WorkspaceRef`].
    """

    id: SandboxId
    """
    The sandbox that holds the workspace.
    """


WorkspaceState: TypeAlias = Literal['creating', 'ready', 'destroying', 'destroyed']
"""
Where a workspace is in its life. Persisted before each effect.
"""


WorkspaceStatus: TypeAlias = Literal['running', 'paused', 'stopped']
"""
Whether a workspace can be used as it is.
"""


class WrittenFile(TypedDict):
    """
    The answer to a write.
    """

    path: str
    """
    Absolute path.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class AbortUploadOptions(TypedDict):
    """
    Keyword arguments of `abortUpload`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class AboutOptions(TypedDict):
    """
    Keyword arguments of `about`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CancelOperationOptions(TypedDict):
    """
    Keyword arguments of `cancelOperation`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CloseSessionOptions(TypedDict):
    """
    Keyword arguments of `closeSession`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CopyFromWorkspaceRequired(TypedDict):
    paths: list[str]
    """
    Files and directories under the workspace's root, 1 to 100.
    """


class CreateCodeContextRequired(TypedDict):
    language: Language
    """
    Language of its code.
    """


class CreateTicketOptions(TypedDict):
    """
    Keyword arguments of `createTicket`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CreateTicketRequired(TypedDict):
    path: str
    """
    The WebSocket's path below the session, as it is in the address, without a query:
    `/terminal`, or a server's path such as `/ports/8000/ws`.
    """


class CreateTokenOptions(TypedDict):
    """
    Keyword arguments of `createToken`.
    """

    description: NotRequired[str | None]
    """
    What it is for; shown in the list.
    """
    ttlSeconds: NotRequired[int | None]
    """
    How long it is good, in seconds. Default one day, at most 90.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """


class CreateTokenRequired(TypedDict):
    scopes: Scopes
    """
    What it allows: one scope at least.
    """


class CreateWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `createWorkspace`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions.
    """
    switch: NotRequired[bool]
    """
    Make it the active workspace.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class DeleteCodeContextOptions(TypedDict):
    """
    Keyword arguments of `deleteCodeContext`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DeleteSessionOptions(TypedDict):
    """
    Keyword arguments of `deleteSession`.
    """

    force: NotRequired[bool]
    """
    Must be true: all workspaces and snapshots of the session are lost.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DeleteSnapshotOptions(TypedDict):
    """
    Keyword arguments of `deleteSnapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    force: NotRequired[bool]
    """
    Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved automatically would wake from it. That workspace then starts empty.
    """
    purge: NotRequired[bool]
    """
    Remove all its stored bytes. A separate container first makes the layers on it full.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class DescribeSessionOptions(TypedDict):
    """
    Keyword arguments of `describeSession`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DestroyContainerOptions(TypedDict):
    """
    Keyword arguments of `destroyContainer`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DestroyPoolOptions(TypedDict):
    """
    Keyword arguments of `destroyPool`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DestroyWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `destroyWorkspace`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DownloadSnapshotFileOptions(TypedDict):
    """
    Keyword arguments of `downloadSnapshotFile`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class DownloadSnapshotFileRequired(TypedDict):
    path: str
    """
    Path relative to the snapshot's root. Default: the root.
    """


class ExportArchiveOptions(TypedDict):
    """
    Keyword arguments of `exportArchive`.
    """

    path: NotRequired[str]
    """
    Directory, relative to the workspace. Default: its root.
    """
    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ExportBackupOptions(TypedDict):
    """
    Keyword arguments of `exportBackup`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class ExportSnapshotOptions(TypedDict):
    """
    Keyword arguments of `exportSnapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class FinishUploadRequired(TypedDict):
    parts: PartNumber
    """
    Number of parts, 1 to 1,000.
    """


class FlattenSnapshotOptions(TypedDict):
    """
    Keyword arguments of `flattenSnapshot`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class GetActiveWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `getActiveWorkspace`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class GetLineageOptions(TypedDict):
    """
    Keyword arguments of `getLineage`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class GetMetricsOptions(TypedDict):
    """
    Keyword arguments of `getMetrics`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class GetOpenApiOptions(TypedDict):
    """
    Keyword arguments of `getOpenApi`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class GetOperationOptions(TypedDict):
    """
    Keyword arguments of `getOperation`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class GetSnapshotOptions(TypedDict):
    """
    Keyword arguments of `getSnapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class GetUsageOptions(TypedDict):
    """
    Keyword arguments of `getUsage`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class HealthOptions(TypedDict):
    """
    Keyword arguments of `health`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ImportArchiveOptions(TypedDict):
    """
    Keyword arguments of `importArchive`.
    """

    path: NotRequired[str]
    """
    Directory, relative to the workspace. Default: its root.
    """
    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ImportBackupOptions(TypedDict):
    """
    Keyword arguments of `importBackup`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Must be true: the object is not the session's. Each such call is recorded.
    """
    description: NotRequired[str | None]
    """
    Description.
    """
    format: NotRequired[ArchiveFormat]
    """
    Type of the archive. Its first bytes tell how it is compressed.
    """
    id: NotRequired[BackupId | None]
    """
    Id of a backup of Sandbox SDK 1.0. Either this or `key`.
    """
    key: NotRequired[str | None]
    """
    Key of an archive in the session's bucket.
    """
    labels: NotRequired[Labels]
    """
    Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. If it
    differs: `INTEGRITY`.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Time to live in seconds.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class ImportSnapshotOptions(TypedDict):
    """
    Keyword arguments of `importSnapshot`.
    """

    name: NotRequired[str]
    """
    Name within the session.
    """
    description: NotRequired[str]
    """
    Description.
    """
    ttlSeconds: NotRequired[int]
    """
    Time to live.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    format: NotRequired[Literal['tar', 'oci-layer']]
    """
    Type of the archive. Default: tar. Its first bytes tell how it is compressed.
    """
    sha256: NotRequired[str]
    """
    SHA-256 of the body, 64 lowercase hex digits. If it differs: INTEGRITY.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class ListAllWorkspacesOptions(TypedDict):
    """
    Keyword arguments of `listAllWorkspaces`.
    """

    limit: NotRequired[int]
    """
    Maximum sessions per page. Default and maximum: 50.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    running: NotRequired[bool]
    """
    Only workspaces whose container runs, waits to start or does not answer.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListCodeContextsOptions(TypedDict):
    """
    Keyword arguments of `listCodeContexts`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListCommandsOptions(TypedDict):
    """
    Keyword arguments of `listCommands`.
    """

    limit: NotRequired[int]
    """
    Maximum commands per page. Default and maximum: 50.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListEventsOptions(TypedDict):
    """
    Keyword arguments of `listEvents`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: the session's maxListResults, else 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListOperationsOptions(TypedDict):
    """
    Keyword arguments of `listOperations`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: the session's maxListResults, else 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListOperatorEventsOptions(TypedDict):
    """
    Keyword arguments of `listOperatorEvents`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: 1,000 sessions, or 100 events.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListPoolsOptions(TypedDict):
    """
    Keyword arguments of `listPools`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListPreviewsOptions(TypedDict):
    """
    Keyword arguments of `listPreviews`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListProcessesOptions(TypedDict):
    """
    Keyword arguments of `listProcesses`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListSessionsOptions(TypedDict):
    """
    Keyword arguments of `listSessions`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: 1,000 sessions, or 100 events.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListSnapshotEventsOptions(TypedDict):
    """
    Keyword arguments of `listSnapshotEvents`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: the session's maxListResults, else 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListSnapshotFilesOptions(TypedDict):
    """
    Keyword arguments of `listSnapshotFiles`.
    """

    path: NotRequired[str]
    """
    Path relative to the snapshot's root. Default: the root.
    """
    recursive: NotRequired[bool]
    """
    Also list the directories' contents.
    """
    glob: NotRequired[str]
    """
    Only paths that match, e.g. *.py or src/*.ts.
    """
    limit: NotRequired[int]
    """
    Maximum entries per page. Default: 1000.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListSnapshotsOptions(TypedDict):
    """
    Keyword arguments of `listSnapshots`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: the session's maxListResults, else 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    includeExpired: NotRequired[bool]
    """
    Also expired snapshots.
    """
    includeUnready: NotRequired[bool]
    """
    Also snapshots that are being taken or deleted, are deleted, or failed.
    """
    includeAuto: NotRequired[bool]
    """
    Also automatic snapshots, those of turns, and safety snapshots.
    """
    allowCrossSession: NotRequired[bool]
    """
    List the whole bucket, in key order, if the policy allows it.
    """
    name: NotRequired[str]
    """
    Only the snapshot with exactly this name.
    """
    labels: NotRequired[list[str]]
    """
    A label: a key, or key=value. If it is given more than once, all must match.
    """
    kind: NotRequired[Literal['full', 'layer']]
    """
    Only this kind of archive: full or layer.
    """
    createdAfter: NotRequired[str]
    """
    Made at this time or later, in RFC 3339.
    """
    createdBefore: NotRequired[str]
    """
    Made before this time, in RFC 3339.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListTokensOptions(TypedDict):
    """
    Keyword arguments of `listTokens`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListToolsOptions(TypedDict):
    """
    Keyword arguments of `listTools`.
    """

    tools: NotRequired[str]
    """
    core, all, or comma-separated names. Default: the tools that the configuration selects, else core.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListTurnsOptions(TypedDict):
    """
    Keyword arguments of `listTurns`.
    """

    limit: NotRequired[int]
    """
    Maximum turns per page. Default 20, at most 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListUsageOptions(TypedDict):
    """
    Keyword arguments of `listUsage`.
    """

    limit: NotRequired[int]
    """
    Maximum sessions per page. Default and maximum: 50.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListWorkspaceEventsOptions(TypedDict):
    """
    Keyword arguments of `listWorkspaceEvents`.
    """

    limit: NotRequired[int]
    """
    Maximum results per page. Default and maximum: the session's maxListResults, else 100.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ListWorkspacesOptions(TypedDict):
    """
    Keyword arguments of `listWorkspaces`.
    """

    containers: NotRequired[bool]
    """
    Also report whether each container runs.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class McpOptions(TypedDict):
    """
    Keyword arguments of `mcp`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class PauseWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `pauseWorkspace`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class PlanRetentionOptions(TypedDict):
    """
    Keyword arguments of `planRetention`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class PruneOptions(TypedDict):
    """
    Keyword arguments of `prune`.
    """

    cursor: NotRequired[str | None]
    """
    `nextCursor` of the previous call.
    """
    dryRun: NotRequired[bool]
    """
    Delete nothing, and report what would be deleted.
    """
    limit: NotRequired[int | None]
    """
    Backups to examine at most. Default and maximum: 100.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ReadProcessLogOptions(TypedDict):
    """
    Keyword arguments of `readProcessLog`.
    """

    offset: NotRequired[int]
    """
    nextOffset of the last read. Default: the last maxBytes are read.
    """
    maxBytes: NotRequired[int]
    """
    Maximum bytes to read. Default 16384.
    """
    waitMs: NotRequired[int]
    """
    Milliseconds to wait for output after offset. Default 0.
    """
    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RebuildAllOptions(TypedDict):
    """
    Keyword arguments of `rebuildAll`.
    """

    cursor: NotRequired[str | None]
    """
    `nextCursor` of the previous page.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of results.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RebuildCatalogueOptions(TypedDict):
    """
    Keyword arguments of `rebuildCatalogue`.
    """

    cursor: NotRequired[str | None]
    """
    `nextCursor` of the previous page.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of results.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class ResumeWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `resumeWorkspace`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class RetainOptions(TypedDict):
    """
    Keyword arguments of `retain`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RevokePreviewOptions(TypedDict):
    """
    Keyword arguments of `revokePreview`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RevokeTokenOptions(TypedDict):
    """
    Keyword arguments of `revokeToken`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RunCommandRequired(TypedDict):
    command: CommandLine
    """
    Shell command, or program and arguments.
    """


class RunInCodeContextRequired(TypedDict):
    code: str
    """
    At most 1 MiB.
    """


class RunScriptOptions(TypedDict):
    """
    Keyword arguments of `runScript`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class RunScriptRequired(TypedDict):
    code: str
    """
    Body of an async function.
    """


class SearchSnapshotOptions(TypedDict):
    """
    Keyword arguments of `searchSnapshot`.
    """

    path: NotRequired[str]
    """
    Path relative to the snapshot's root. Default: the root.
    """
    fixed: NotRequired[bool]
    """
    Treat pattern as literal text.
    """
    ignoreCase: NotRequired[bool]
    """
    Ignore case of ASCII letters.
    """
    glob: NotRequired[str]
    """
    Only files whose paths match, e.g. *.py.
    """
    context: NotRequired[int]
    """
    Lines to show before and after each match.
    """
    includeIgnored: NotRequired[bool]
    """
    Also files in .git.
    """
    limit: NotRequired[int]
    """
    Maximum lines per page. Default: 200.
    """
    cursor: NotRequired[str]
    """
    nextCursor of the previous page.
    """
    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class SearchSnapshotRequired(TypedDict):
    pattern: str
    """
    Regular expression; with fixed, the text itself. Required.
    """


class SharePreviewRequired(TypedDict):
    port: int
    """
    The port in the container; one of the session's `previewPorts`.
    """


class StartFreshOptions(TypedDict):
    """
    Keyword arguments of `startFresh`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class StartProcessRequired(TypedDict):
    name: ProcessName
    """
    Name of the process.
    """
    command: CommandLine
    """
    Shell command, or program and arguments.
    """


class StatSnapshotFileOptions(TypedDict):
    """
    Keyword arguments of `statSnapshotFile`.
    """

    path: NotRequired[str]
    """
    Path relative to the snapshot's root. Default: the root.
    """
    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions, where the session's policy allows it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class StopProcessOptions(TypedDict):
    """
    Keyword arguments of `stopProcess`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class StorePartOptions(TypedDict):
    """
    Keyword arguments of `storePart`.
    """

    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class UpdateSnapshotOptions(TypedDict):
    """
    Keyword arguments of `updateSnapshot`.
    """

    clear: NotRequired[list[Cleared]]
    """
    Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or
    `expiresAt` to keep it until it is deleted.
    """
    description: NotRequired[str | None]
    """
    Description.
    """
    expiresAt: NotRequired[str | None]
    """
    When it expires, in RFC 3339: at least 61 s from now, and at most ten years after it
    was taken. A snapshot lives whole seconds, so its end is up to one second later.
    """
    labels: NotRequired[Labels]
    """
    Labels to set. Others stay.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    pinned: NotRequired[bool | None]
    """
    Whether it stays until it is unpinned or deleted, whatever its time to live and the policy
    say. Once it is unpinned, it has its earlier expiry again.
    """
    published: NotRequired[bool | None]
    """
    Whether other sessions may start workspaces from it, by its ref or id. No tool sets
    it.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class WatchFilesOptions(TypedDict):
    """
    Keyword arguments of `watchFiles`.
    """

    path: NotRequired[str]
    """
    Directory, relative to the workspace. Default: its root.
    """
    recursive: NotRequired[bool]
    """
    Also watch all directories below it, and those made later. Default true.
    """
    exclude: NotRequired[list[str]]
    """
    A glob of names to skip with their contents, such as node_modules; may be repeated.
    """
    workspace: NotRequired[str]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class WorkspaceBranchOptions(TypedDict):
    """
    Keyword arguments of `workspace_branch`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    switch: NotRequired[bool | None]
    """
    Make the new workspace active; the default for tools.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceCreateCodeContextRequired(TypedDict):
    language: Language
    """
    Language of its code.
    """


class WorkspaceDeleteCodeContextRequired(TypedDict):
    context: CodeContextId
    """
    Which context.
    """


class WorkspaceDeleteSnapshotOptions(TypedDict):
    """
    Keyword arguments of `workspace_delete_snapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    force: NotRequired[bool]
    """
    Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved
    automatically would wake from it. That workspace then starts empty.
    """
    purge: NotRequired[bool]
    """
    Remove all its stored bytes. A separate container first makes the layers on it full.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceDescribeOptions(TypedDict):
    """
    Keyword arguments of `workspace_describe`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceDestroyOptions(TypedDict):
    """
    Keyword arguments of `workspace_destroy`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceEditFileRequired(TypedDict):
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """
    oldText: str
    """
    Exact text in the file.
    """
    newText: str
    """
    Replacement text; empty to delete.
    """


class WorkspaceForkOptions(TypedDict):
    """
    Keyword arguments of `workspace_fork`.
    """

    count: NotRequired[int | None]
    """
    How many workspaces.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGetSnapshotOptions(TypedDict):
    """
    Keyword arguments of `workspace_get_snapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointRequired(TypedDict):
    name: GitCheckpointName
    """
    Name, e.g. before-refactor.
    """


class WorkspaceGitCheckpointDeleteRequired(TypedDict):
    name: GitCheckpointName
    """
    Its name.
    """


class WorkspaceGitCheckpointDiffRequired(TypedDict):
    name: GitCheckpointName
    """
    Its name.
    """


class WorkspaceGitCheckpointRestoreRequired(TypedDict):
    name: GitCheckpointName
    """
    Its name.
    """


class WorkspaceGlobRequired(TypedDict):
    pattern: str
    """
    Glob, e.g. *.py or src/*.{ts,tsx}; ** matches any depth.
    """


class WorkspaceGrepRequired(TypedDict):
    pattern: str
    """
    Regular expression, e.g. fn \\w+_file, or, with fixed, the literal text.
    """


class WorkspaceLineageOptions(TypedDict):
    """
    Keyword arguments of `workspace_lineage`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceListSnapshotsOptions(TypedDict):
    """
    Keyword arguments of `workspace_list_snapshots`.
    """

    allowCrossSession: NotRequired[bool]
    """
    List the whole bucket, snapshots of other sessions too. Each such call is
    recorded.
    """
    createdAfter: NotRequired[str | None]
    """
    Only snapshots made at this time or later, in RFC 3339.
    """
    createdBefore: NotRequired[str | None]
    """
    Only snapshots made before this time, in RFC 3339.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous page.
    """
    includeAuto: NotRequired[bool]
    """
    Also list snapshots of turns, automatic snapshots (workspaces wake from them) and safety
    snapshots (files that a rewind or promotion replaced).
    """
    includeExpired: NotRequired[bool]
    """
    Also list expired snapshots; they can't be restored.
    """
    labels: NotRequired[list[str]]
    """
    Only snapshots with all of these labels: a key, or key=value.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of results; at most the session's maximum, by default
    100.
    """
    name: NotRequired[str | None]
    """
    Only the snapshot with this name.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceListWorkspacesOptions(TypedDict):
    """
    Keyword arguments of `workspace_list_workspaces`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceLogsRequired(TypedDict):
    name: ProcessName
    """
    Which process.
    """


class WorkspaceLsRequired(TypedDict):
    path: str
    """
    Directory under the workspace. Default: its root.
    """


class WorkspaceMkdirRequired(TypedDict):
    path: str
    """
    Directory under the workspace, e.g. src/new.
    """


class WorkspacePromoteOptions(TypedDict):
    """
    Keyword arguments of `workspace_promote`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    discardOthers: NotRequired[bool]
    """
    Destroy all other branches afterwards.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    includeIgnored: NotRequired[bool]
    """
    Also bring over files that a .gitignore of the other side ignores, and caches such as
    __pycache__.
    """
    mode: NotRequired[PromoteMode]
    """
    Merge them with changes made here, or replace all files here. Default merge.
    """
    onConflict: NotRequired[ConflictPolicy | None]
    """
    What to do about paths that both sides changed differently. Default: refuse, and list them.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceReadFileRequired(TypedDict):
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """


class WorkspaceRestoreOptions(TypedDict):
    """
    Keyword arguments of `workspace_restore`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    switch: NotRequired[bool | None]
    """
    Make the new workspace active; the default for tools.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRmRequired(TypedDict):
    path: str
    """
    Path under the workspace, e.g. src/old.py.
    """


class WorkspaceRunRequired(TypedDict):
    command: CommandLine
    """
    Shell command, or program and arguments.
    """


class WorkspaceRunCodeRequired(TypedDict):
    language: Language
    """
    Language of the code.
    """
    code: str
    """
    The program, at most 1 MiB.
    """


class WorkspaceRunInCodeContextRequired(TypedDict):
    context: CodeContextId
    """
    Which context.
    """
    code: str
    """
    At most 1 MiB.
    """


class WorkspaceSaveTurnOptions(TypedDict):
    """
    Keyword arguments of `workspace_save_turn`.
    """

    cursor: NotRequired[TurnCursor | None]
    """
    The place in the conversation, as any JSON, at most 4096 bytes.
    """
    label: NotRequired[str | None]
    """
    What happened in the turn, in a few words.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceScriptOptions(TypedDict):
    """
    Keyword arguments of `workspace_script`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceScriptRequired(TypedDict):
    code: str
    """
    Body of an async function.
    """


class WorkspaceSnapshotOptions(TypedDict):
    """
    Keyword arguments of `workspace_snapshot`.
    """

    description: NotRequired[str | None]
    """
    Description of this state, shown in lists.
    """
    labels: NotRequired[Labels]
    """
    Short keys (`A-Z a-z 0-9 . _ / -`) and values to find it by, each as key=value,
    e.g. tests=pass.
    """
    name: NotRequired[str | None]
    """
    Short name to restore by, unique within this session. Must not look like a
    UUID.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Seconds until the snapshot expires. Default: 30 days after the last use; 315360000 keeps
    it until it is deleted.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceStartRequired(TypedDict):
    name: ProcessName
    """
    Name of the process.
    """
    command: CommandLine
    """
    Shell command, or program and arguments.
    """


class WorkspaceStatRequired(TypedDict):
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """


class WorkspaceStopRequired(TypedDict):
    name: ProcessName
    """
    Which process.
    """


class WorkspaceSwitchOptions(TypedDict):
    """
    Keyword arguments of `workspace_switch`.
    """

    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceTimelineOptions(TypedDict):
    """
    Keyword arguments of `workspace_timeline`.
    """

    cursor: NotRequired[str | None]
    """
    nextCursor of the previous page.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of turns, at most 100. Default 20.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceUpdateSnapshotOptions(TypedDict):
    """
    Keyword arguments of `workspace_update_snapshot`.
    """

    clear: NotRequired[list[Cleared]]
    """
    Values to remove: name, description, labels, labels.KEY for one, or expiresAt to
    keep it until it is deleted.
    """
    description: NotRequired[str | None]
    """
    New description.
    """
    expiresAt: NotRequired[str | None]
    """
    When it expires, in RFC 3339, at least 61 seconds from now.
    """
    labels: NotRequired[Labels]
    """
    Labels to set, each as key=value. Others stay.
    """
    name: NotRequired[str | None]
    """
    New name, unique within this session; must not look like a UUID.
    """
    pinned: NotRequired[bool | None]
    """
    Whether to keep it regardless of its expiry.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceWriteFileRequired(TypedDict):
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """
    content: str
    """
    The whole content.
    """


class AbortedUpload(TypedDict):
    """
    An upload whose parts are gone.
    """

    aborted: bool
    """
    Always true.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class About(TypedDict):
    """
    The answer to `GET /`.
    """

    links: Links
    """
    Where to continue.
    """
    name: str
    """
    The product's name.
    """
    summary: str
    """
    A one-line description.
    """
    version: str
    """
    Its version.
    """


class BackupHandle(TypedDict):
    """
    What `createBackup` returns and `restoreBackup` takes.

    Unknown fields belong to the sandbox that made the backup; we keep them whole and hand them back
    to it.
    """

    dir: BackupDir
    """
    Directory that the backup captured and is restored to.
    """
    id: BackupId
    """
    Id of the backup.
    """


class BucketCredentials(TypedDict):
    """
    Credentials of an S3 service. They are not printed.
    """

    accessKeyId: SecretValue
    """
    Id of the access key.
    """
    region: NotRequired[str | None]
    """
    The region that requests are signed for. Default: the one that the endpoint's host names
    (`s3.eu-west-1.…`), else `us-east-1`.
    """
    secretAccessKey: SecretValue
    """
    Secret of the access key.
    """
    sessionToken: NotRequired[SecretValue | None]
    """
    The token of temporary credentials.
    """


class BucketMountConfig(TypedDict):
    """
    A bucket that containers reach.
    """

    bucket: str
    """
    Name of the R2 binding, which the variable `BUCKET_BINDINGS` must list; with `endpoint`, the
    bucket's name there.
    """
    credentials: NotRequired[BucketCredentials | None]
    """
    Credentials for `endpoint`. Without them, requests to it are anonymous. Redacted wherever
    they are shown. A later open may change them.
    """
    endpoint: NotRequired[str | None]
    """
    Address of another S3 service, which the variable `BUCKET_ENDPOINTS` must list:
    `https://s3.eu-west-1.amazonaws.com`.
    """
    mountPath: str
    """
    Directory where the bucket appears, if the container can mount it: an absolute path outside
    the directories that snapshots hold.
    """
    prefix: NotRequired[str | None]
    """
    Reach only objects below this path of the bucket, such as `/2024`. Default: all.
    """
    readOnly: NotRequired[bool]
    """
    Whether it is read-only. Default false.
    """


class BucketView(TypedDict):
    """
    A bucket that the workspace reaches.
    """

    bucket: str
    """
    Its name for S3 clients.
    """
    mount: MountState
    """
    Whether the bucket is mounted.
    """
    mountPath: str
    """
    Directory where the bucket appears, if `mount` is `MOUNTED`.
    """
    mountProblem: NotRequired[str | None]
    """
    Why mounting failed.
    """
    readOnly: bool
    """
    Whether it is read-only.
    """
    url: str
    """
    Address at which S3 clients reach the bucket.
    """


class Cancelled(TypedDict):
    """
    The answer to a cancel.
    """

    cancelRequested: bool
    """
    The request was passed on. The call ends before its next step, or
    completes if it has none left; its own answer says which.
    """
    state: OperationState
    """
    Its current state.
    """


class ChangedPath2(TypedDict):
    """
    A path that a restore changed.
    """

    change: PathChange2
    """
    What happened to it.
    """
    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """


class CodeCapability(TypedDict):
    """
    Settings of the code module.
    """

    languages: NotRequired[list[Language]]
    """
    Languages that code may be in. Default: all.
    """
    stateful: NotRequired[bool]
    """
    Whether there are code contexts, which keep variables between calls. Default false.
    """


class CodeCapabilityAnswer(TypedDict):
    """
    Settings of the code module.
    """

    languages: list[Language]
    """
    Languages that code may be in. Default: all.
    """
    stateful: NotRequired[bool]
    """
    Whether there are code contexts, which keep variables between calls. Default false.
    """


class CodeContext(TypedDict):
    """
    An interpreter that keeps its variables between calls.
    """

    context: CodeContextId
    """
    Its id.
    """
    createdAt: str
    """
    RFC 3339.
    """
    language: Language
    """
    Language of its code.
    """
    memoryMib: int
    """
    Its memory in MiB.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class CodeContext2(TypedDict):
    """
    An interpreter that keeps its variables between calls.
    """

    context: CodeContextId
    """
    Its id.
    """
    createdAt: str
    """
    RFC 3339.
    """
    language: Language
    """
    Language of its code.
    """
    memoryMib: int
    """
    Its memory in MiB.
    """


class CodeContextList(TypedDict):
    """
    Code contexts that run.
    """

    contexts: list[CodeContext2]
    """
    The oldest first.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class CommandOutcome1(TypedDict):
    """
    It ran.
    """

    durationMs: int
    """
    How long it took, in milliseconds.
    """
    exitCode: int
    """
    Its exit code.
    """
    hint: NotRequired[str | None]
    """
    What to do if hosts were refused, or memory ran out.
    """
    refusedHosts: NotRequired[list[RefusedHost]]
    """
    Hosts that the network policy refused since it last listed some.
    """
    stderrTail: str
    """
    The end of what it printed to stderr.
    """
    stdoutTail: str
    """
    The end of what it printed to stdout.
    """
    timedOut: bool
    """
    It took too long.
    """


class CommandRecord(TypedDict):
    """
    A command with the end of what it printed.
    """

    at: str
    """
    When it began, in RFC 3339.
    """
    command: CommandLine
    """
    The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes.
    Values of environment variables in it are replaced.
    """
    context: NotRequired[CodeContextId | None]
    """
    The code context, if it was code in one.
    """
    durationMs: NotRequired[int | None]
    """
    Milliseconds that it took, or after which it went on in the background.
    """
    exitCode: NotRequired[int | None]
    """
    Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background,
    its caller gave up, or its container ended.
    """
    language: NotRequired[Language | None]
    """
    The language, if it was code.
    """
    process: NotRequired[ProcessName | None]
    """
    The background process: the command itself, or the one whose log has its output.
    """
    seq: NotRequired[int | None]
    """
    Order within the session: by the time when commands ended. Absent while it runs.
    """
    stderr: str
    """
    The last 4 KiB, at most, of the stderr that its caller got.
    """
    stdout: str
    """
    The last 4 KiB, at most, of the stdout that its caller got.
    """
    workspaceId: SandboxId
    """
    The workspace in which it ran.
    """


class CommandView(TypedDict):
    """
    A command, or code, that ran in a workspace, and how it ended.
    """

    at: str
    """
    When it began, in RFC 3339.
    """
    command: CommandLine
    """
    The command, or the code: at most its first 2 KiB, in the timeline its first 200 bytes.
    Values of environment variables in it are replaced.
    """
    context: NotRequired[CodeContextId | None]
    """
    The code context, if it was code in one.
    """
    durationMs: NotRequired[int | None]
    """
    Milliseconds that it took, or after which it went on in the background.
    """
    exitCode: NotRequired[int | None]
    """
    Exit code; 124: the time limit ended it. Absent: it runs, it went on in the background,
    its caller gave up, or its container ended.
    """
    language: NotRequired[Language | None]
    """
    The language, if it was code.
    """
    process: NotRequired[ProcessName | None]
    """
    The background process: the command itself, or the one whose log has its output.
    """
    seq: NotRequired[int | None]
    """
    Order within the session: by the time when commands ended. Absent while it runs.
    """
    workspaceId: SandboxId
    """
    The workspace in which it ran.
    """


class ContestedFile(TypedDict):
    """
    A file that several workspaces changed.
    """

    path: str
    """
    Path from the searched directory; empty if one file was searched. Bytes that are not UTF-8
    are replaced.
    """
    pathBase64: NotRequired[str | None]
    """
    The bytes of `path` in base64, if they are not UTF-8.
    """
    workspaceIds: list[SandboxId]
    """
    The workspaces that changed it.
    """


class CopiedFiles(TypedDict):
    """
    What was copied.
    """

    directories: int
    """
    Directories.
    """
    dropped: NotRequired[DroppedByImport | None]
    """
    What was not kept. Absent if nothing was lost.
    """
    entries: int
    """
    Entries of the archive.
    """
    files: int
    """
    Files, hard links included.
    """
    links: int
    """
    Symbolic links.
    """
    sizeBytes: int
    """
    Bytes in all files.
    """
    skipped: int
    """
    Sockets, pipes and devices, which are not copied.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class CreatedToken(TypedDict):
    """
    A fresh token.
    """

    createdAt: str
    """
    RFC 3339.
    """
    description: str | None
    """
    What it is for.
    """
    expiresAt: str
    """
    RFC 3339.
    """
    id: TokenId
    """
    Id to revoke it by. Not secret.
    """
    scopes: Scopes
    """
    What it allows.
    """
    token: str
    """
    The bearer token. It is returned only here, and stored nowhere.
    """


class DecisionView1(TypedDict):
    """
    It stays.
    """

    createdAt: str
    """
    RFC 3339.
    """
    id: BackupId
    """
    Its id.
    """
    sizeBytes: int
    """
    Size of its archive.
    """
    reason: KeepReason
    verdict: Literal['keep']


class DecisionView2(TypedDict):
    """
    It is deleted.
    """

    createdAt: str
    """
    RFC 3339.
    """
    id: BackupId
    """
    Its id.
    """
    sizeBytes: int
    """
    Size of its archive.
    """
    reason: DeleteReason
    verdict: Literal['delete']


DecisionView: TypeAlias = DecisionView1 | DecisionView2
"""
One snapshot, and whether it stays.
"""


class DeletedCodeContext(TypedDict):
    """
    The code context is gone.
    """

    deleted: bool
    """
    Always true.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class DeletedGitCheckpoint(TypedDict):
    """
    The answer to the deletion of a git checkpoint.
    """

    deleted: bool
    """
    Always true, even if there was none.
    """
    heldBytes: NotRequired[int | None]
    """
    Bytes that only this git checkpoint had. They stay in the repository, and in snapshots,
    until git removes them.
    """
    hint: NotRequired[str | None]
    """
    How to remove these bytes, if more than 1 MB.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class EditedFile(TypedDict):
    """
    The answer to an edit.
    """

    firstLine: int
    """
    Line of the first replacement, from 1.
    """
    path: str
    """
    Absolute path.
    """
    replacements: int
    """
    Number of replacements.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class ErrorBody(TypedDict):
    """
    The fields of a published error.
    """

    code: ErrorCode
    """
    Stable code.
    """
    details: NotRequired[Any]
    """
    Machine-readable details.
    """
    hint: NotRequired[str | None]
    """
    What to do next.
    """
    message: str
    """
    For the caller.
    """
    next: NotRequired[Instruction | None]
    """
    The hint as a template, if it names operations: for programs that have their own names for
    operations.
    """
    outcome: Outcome
    """
    What the failed call left behind.
    """
    retryable: bool
    """
    Whether the same call may succeed later.
    """


class ErrorEnvelope(TypedDict):
    """
    The error object of every surface.
    """

    error: ErrorBody
    """
    The error itself.
    """


class EventPage(TypedDict):
    """
    A page of events, newest first.
    """

    events: list[EventView]
    """
    The events.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """


class GitCheckpointDiff(TypedDict):
    """
    Result of `diffGitCheckpoint`.
    """

    commit: str
    """
    Its commit.
    """
    deletions: int
    """
    Number of deleted lines.
    """
    diff: str
    """
    Unified diff. Bytes that are not UTF-8 are replaced.
    """
    filesChanged: int
    """
    Number of files that differ.
    """
    insertions: int
    """
    Number of added lines.
    """
    nested: NotRequired[list[FoundPath]]
    """
    Nested repositories, left alone; the first 20.
    """
    truncated: bool
    """
    Whether `diff` is only the beginning.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class GitCheckpointList(TypedDict):
    """
    Result of `listGitCheckpoints`.
    """

    gitCheckpoints: list[ListedGitCheckpoint]
    """
    Newest first; at most 200.
    """
    truncated: bool
    """
    Whether there are more.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class ImportBackupArgs(TypedDict):
    """
    Arguments of `importBackup`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Must be true: the object is not the session's. Each such call is recorded.
    """
    description: NotRequired[str | None]
    """
    Description.
    """
    format: NotRequired[ArchiveFormat]
    """
    Type of the archive. Its first bytes tell how it is compressed.
    """
    id: NotRequired[BackupId | None]
    """
    Id of a backup of Sandbox SDK 1.0. Either this or `key`.
    """
    key: NotRequired[str | None]
    """
    Key of an archive in the session's bucket.
    """
    labels: NotRequired[Labels]
    """
    Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the object, 64 lowercase hex digits: `sha256` of the SDK's record. If it
    differs: `INTEGRITY`.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Time to live in seconds.
    """


class ImportedTar(TypedDict):
    """
    Result of `importTar`.
    """

    directories: int
    """
    Directories.
    """
    dropped: NotRequired[DroppedByImport | None]
    """
    What was not kept. Absent if nothing was lost.
    """
    entries: int
    """
    Entries of the archive.
    """
    files: int
    """
    Files, hard links included.
    """
    links: int
    """
    Symbolic links.
    """
    sizeBytes: int
    """
    Bytes in all files.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class LeftRunning(TypedDict):
    """
    Programs that a command started and that outlive it.
    """

    process: NotRequired[ProcessName | None]
    """
    The background process whose log has what they print from now on. Absent if that output is
    dropped, or goes where the command sent it.
    """
    programs: list[LeftProgram]
    """
    The first 5 of them.
    """


class LineageNode1(TypedDict):
    """
    A workspace.
    """

    createdAt: str
    """
    RFC 3339.
    """
    depth: int
    """
    Steps from the root.
    """
    id: str
    """
    Its sandbox id or backup id.
    """
    parent: str | None
    """
    Id of the place that this came from, earlier in the list.
    """
    current: bool
    """
    Tools act on it: you are here.
    """
    fromSnapshotId: NotRequired[BackupId | None]
    """
    The snapshot of another session that its files came from.
    """
    kind: WorkspaceKind
    """
    How it came to be.
    """
    rewoundTo: NotRequired[BackupId | None]
    """
    The snapshot that it was last rewound to, if its files descend from that.
    """
    state: WorkspaceState
    """
    State. A destroyed one is shown if something came from it.
    """
    status: NotRequired[WorkspaceStatus | None]
    """
    Whether it can be used as it is; absent for a destroyed one.
    """
    type: Literal['workspace']


class ListProblem(TypedDict):
    """
    A backup whose record cannot be read.
    """

    error: ErrorBody
    """
    Why.
    """
    id: BackupId
    """
    Its id.
    """


class ListedSession(TypedDict):
    """
    A session that the directory lists.
    """

    registeredAt: str
    """
    When it was first listed, in RFC 3339: shortly after its first open, or after
    its next call if it is older than the directory.
    """
    session: SessionId
    """
    Its id.
    """


class ListedTool(TypedDict):
    """
    A tool as it is listed.
    """

    annotations: ToolHints
    """
    The hints of MCP.
    """
    description: str
    """
    For the model: when to use it, what it leaves alone, what to call next.
    """
    inputSchema: Any
    """
    JSON Schema of the input.
    """
    name: str
    """
    Name to call it by.
    """
    outputSchema: Any
    """
    JSON Schema of the output: its fields, without their contents.
    """
    title: str
    """
    For people.
    """


class LiveFork2(TypedDict):
    """
    It was not made, and nothing is left of it.
    """

    error: ErrorBody
    """
    Why.
    """


class MadeDir(TypedDict):
    """
    The directory that exists now.
    """

    path: str
    """
    Absolute path.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class NetworkConfig(TypedDict):
    """
    What containers may reach.
    """

    hosts: NotRequired[list[HostPattern]]
    """
    For mode `allowlist`: public hosts such as `example.com`, or `*.example.com` for all hosts
    below it.
    """
    mode: NetworkMode
    """
    `open`: the Internet. `off`: nothing. `allowlist`: `hosts` alone, over HTTP and HTTPS.
    """
    previews: NotRequired[bool | None]
    """
    Lets a session whose mode is not `open` have `previewPorts`: a preview's page runs in its
    visitor's browser, which reaches the Internet. Default false.
    """


class OperationView(TypedDict):
    """
    A recorded call as it is shown.
    """

    endedAt: NotRequired[str | None]
    """
    RFC 3339, once it has ended.
    """
    error: NotRequired[ErrorBody | None]
    """
    Why it failed.
    """
    id: OperationId
    """
    Its name.
    """
    op: str
    """
    Name of the operation or tool.
    """
    result: NotRequired[Any]
    """
    What the call answered, if it succeeded.
    """
    startedAt: str
    """
    RFC 3339.
    """
    state: OperationState
    """
    Its state.
    """
    step: NotRequired[str | None]
    """
    The step that it last began.
    """


class PoolView(TypedDict):
    """
    A pool, as it is shown.
    """

    allowed: int
    """
    How many containers it may keep: all pools share `MAX_POOL_CONTAINERS`.
    """
    filling: int
    """
    How many are starting.
    """
    id: PoolId
    """
    Its id.
    """
    problem: NotRequired[ErrorBody | None]
    """
    Why the last container did not become ready. Absent once one became ready.
    """
    ready: int
    """
    How many containers sessions could take now.
    """
    size: int
    """
    How many containers the last open asked it to keep.
    """
    snapshotId: BackupId
    """
    The snapshot whose files its containers have.
    """
    usedAt: str
    """
    When a session last asked for a container, in RFC 3339.
    """


class ProcessList(TypedDict):
    """
    Background processes, in the order of their names.
    """

    processes: list[ProcessView]
    """
    Running processes, and the last that ended.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class ProcessLog(TypedDict):
    """
    A part of what a background process printed.
    """

    nextOffset: int
    """
    Offset of the next read.
    """
    offset: int
    """
    Offset of the text. Later than requested if the log no longer has that part.
    """
    process: ProcessView
    """
    The process.
    """
    text: str
    """
    stdout and stderr; bytes that are not UTF-8 are replaced.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class ProcessView2(TypedDict):
    """
    A background process.
    """

    command: str
    """
    Beginning of its command.
    """
    endedAt: str | None
    """
    RFC 3339, or null.
    """
    exitCode: int | None
    """
    Exit code. Null while it runs, and if it was killed with its supervisor.
    """
    hint: NotRequired[str | None]
    """
    In the answer of its start: when it will end without being stopped. Later: that it ended
    because memory ran out.
    """
    leftRunning: NotRequired[bool]
    """
    Whether it has ended but a program that it started still runs.
    """
    logBytes: int
    """
    Bytes printed so far.
    """
    name: ProcessName
    """
    Its name.
    """
    startedAt: str
    """
    RFC 3339.
    """
    state: ProcessState
    """
    State.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class PruneProblem(TypedDict):
    """
    A backup that could not be judged or deleted.
    """

    error: ErrorBody
    """
    Why.
    """
    id: BackupId
    """
    Its id.
    """
    session: SessionId | None
    """
    The session that its record names, if any.
    """


class PruneRule(TypedDict):
    """
    Which backups to delete. All its conditions must hold.
    """

    keepLast: NotRequired[int]
    """
    How many of the latest snapshots of each trigger to keep in each session.
    """
    olderThanSeconds: int
    """
    Only backups made at least this many seconds ago. 0: of any age.
    """
    ownerless: NotRequired[list[Ownerless]]
    """
    Also backups of these kinds, which no session's catalogue has. Only their
    age protects them.
    """
    session: NotRequired[SessionId | None]
    """
    Only backups of this session.
    """
    trigger: NotRequired[SnapshotTrigger | None]
    """
    Only snapshots that were taken for this reason.
    """


class PrunedBackup(TypedDict):
    """
    A backup that was deleted.
    """

    binding: str
    """
    The R2 binding that it was found by.
    """
    id: BackupId
    """
    Its id.
    """
    ownerless: Ownerless | None
    """
    Why no catalogue had it; null if one did.
    """
    session: SessionId | None
    """
    The session that its record names, if any.
    """
    sizeBytes: int
    """
    Size of its archive.
    """


class RanInContext(TypedDict):
    """
    Result of code in a code context. Code that fails is a result, not an error.
    """

    contextEnded: NotRequired[str | None]
    """
    Why the context ended during this call. Absent while it runs on.
    """
    durationMs: int
    """
    Milliseconds it took.
    """
    exitCode: int
    """
    Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
    """
    hint: NotRequired[str | None]
    """
    Advice about refused hosts, memory and programs that still run.
    """
    images: list[CodeImage]
    """
    Images that the code saved in its output directory.
    """
    leftRunning: NotRequired[LeftRunning | None]
    """
    Programs that the command left running.
    """
    omitted: list[str]
    """
    Files there that are not returned: too large, too many, or not images.
    """
    refusedHosts: NotRequired[list[RefusedHost]]
    """
    Hosts that the network policy refused since it last listed some.
    """
    stderr: str
    """
    At most 1 MiB of stderr; bytes that are not UTF-8 are replaced.
    """
    stderrTruncated: bool
    """
    Whether stderr was cut.
    """
    stdout: str
    """
    At most 1 MiB of stdout; bytes that are not UTF-8 are replaced.
    """
    stdoutTruncated: bool
    """
    Whether stdout was cut.
    """
    success: bool
    """
    Whether the exit code is 0.
    """
    timedOut: bool
    """
    Whether the time limit ended it.
    """
    value: NotRequired[Any]
    """
    Value of the last line, if JSON can express it.
    """
    valueText: NotRequired[str | None]
    """
    The value as the language prints it, if JSON can't express it.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class RebuildProblem(TypedDict):
    """
    A backup that could not be looked at or put back.
    """

    error: ErrorBody
    """
    Why.
    """
    id: BackupId
    """
    Its id.
    """
    session: SessionId | None
    """
    The session that its record names, if any.
    """


class Rebuilt(TypedDict):
    """
    What one page of a rebuild found.
    """

    examined: int
    """
    Backups of the bucket that were looked at.
    """
    foreign: int
    """
    Backups of other sessions, or of none; left alone.
    """
    incomplete: int
    """
    Archives without a commit record, and records without an archive; left alone.
    """
    known: int
    """
    Backups that its catalogue already had, in any state.
    """
    nextCursor: NotRequired[str | None]
    """
    Where the next page begins. Absent once the bucket has been walked.
    """
    problems: NotRequired[list[ListProblem]]
    """
    Backups whose record cannot be read.
    """
    restored: list[BackupId]
    """
    Backups of this session that are in its catalogue again.
    """


class Removed(TypedDict):
    """
    What was removed.
    """

    path: str
    """
    Absolute path that was removed.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class RestoredBackup(TypedDict):
    """
    A backup that is in its session's catalogue again.
    """

    binding: str
    """
    The R2 binding that it was found by.
    """
    id: BackupId
    """
    Its id.
    """
    session: SessionId
    """
    Its session.
    """


class RestoredGitCheckpoint(TypedDict):
    """
    Result of `restoreGitCheckpoint`.
    """

    changedCount: int
    """
    Number of all changed paths.
    """
    changes: list[ChangedPath2]
    """
    Changed paths; at most 200.
    """
    commit: str
    """
    Its commit.
    """
    nested: NotRequired[list[FoundPath]]
    """
    Nested repositories, left alone; the first 20.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class RetentionConfig(TypedDict):
    """
    A retention policy as a session's configuration, or the Worker's variable
    `RETENTION`, declares it. Absent fields have their defaults.
    """

    keepAutosaves: NotRequired[int | None]
    """
    How many autosaves of each workspace to keep, beside named ones and those that a wake needs.
    Default 4.
    """
    keepDaily: NotRequired[int | None]
    """
    Keeps only the latest snapshot of each day (UTC), for this many days, beside those that
    `keepLast` keeps.
    """
    keepLast: NotRequired[int | None]
    """
    Keeps only this many of the latest requested snapshots, and as many safety snapshots, beside
    those that `keepDaily` keeps.
    """
    keepTurns: NotRequired[int | None]
    """
    Number of latest turns to keep, in all workspaces together. Default 50.
    """
    maxBytes: NotRequired[int | None]
    """
    Maximum bytes of archives. The newest snapshot alone may exceed it.
    """
    maxCount: NotRequired[int | None]
    """
    Maximum number of snapshots. Autosaves are deleted first, then safety snapshots, then those
    of turns, then the oldest.
    """
    minIntervalSeconds: NotRequired[int | None]
    """
    Seconds between two requested snapshots; sooner is `RATE_LIMITED`. Default 0.
    """
    retireAfterSeconds: NotRequired[int | None]
    """
    Seconds after which an unused workspace that is not active is retired: saved if it runs, and
    destroyed. Its last save then lives for `ttlSeconds` from that time and is listed. Default
    604800, a week.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Time to live of a snapshot whose caller sets none, in seconds. Default: turns and requested
    snapshots live 30 days after the session's last use, and all others 259200.
    """


class RetentionReport(TypedDict):
    """
    What the policy does with the session's snapshots.
    """

    decisions: list[DecisionView]
    """
    Each snapshot and its verdict: those to delete first, oldest first; then
    those that are kept, newest first. At most 1,000.
    """
    deleteCount: int
    """
    Number of snapshots to delete, at most 1,000: if it is 1,000, there may be more. After
    `retain`, the number that were deleted.
    """
    exceeded: NotRequired[Exceeded | None]
    """
    A limit that is still exceeded once all snapshots that may be deleted are gone.
    """
    freedBytes: int
    """
    Bytes of the deleted archives.
    """
    keptBytes: int
    """
    Bytes of the kept archives.
    """
    keptCount: int
    """
    Snapshots that are kept, beside those that are counted as deleted.
    """
    nextDueAt: NotRequired[str | None]
    """
    When the next snapshot is deleted if only time passes, in RFC 3339.
    """
    policy: RetentionPolicyView
    """
    The policy, every default filled in.
    """
    truncated: bool
    """
    Whether there are more than are shown.
    """


class RunCodeResult(TypedDict):
    """
    Result of `runCode`. Code that fails is a result, not an error.
    """

    durationMs: int
    """
    Milliseconds it took.
    """
    exitCode: int
    """
    Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
    """
    hint: NotRequired[str | None]
    """
    Advice about refused hosts, memory and programs that still run.
    """
    images: list[CodeImage]
    """
    Images that the code saved in its output directory.
    """
    leftRunning: NotRequired[LeftRunning | None]
    """
    Programs that the command left running.
    """
    omitted: list[str]
    """
    Files there that are not returned: too large, too many, or not images.
    """
    refusedHosts: NotRequired[list[RefusedHost]]
    """
    Hosts that the network policy refused since it last listed some.
    """
    stderr: str
    """
    At most 1 MiB of stderr; bytes that are not UTF-8 are replaced.
    """
    stderrTruncated: bool
    """
    Whether stderr was cut.
    """
    stdout: str
    """
    At most 1 MiB of stdout; bytes that are not UTF-8 are replaced.
    """
    stdoutTruncated: bool
    """
    Whether stdout was cut.
    """
    success: bool
    """
    Whether the exit code is 0.
    """
    timedOut: bool
    """
    Whether the time limit ended it.
    """
    value: NotRequired[Any]
    """
    Value of the last line, if JSON can express it.
    """
    valueText: NotRequired[str | None]
    """
    The value as the language prints it, if JSON can't express it.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class SaveTurnInput(TypedDict):
    cursor: NotRequired[TurnCursor | None]
    """
    The place in the conversation, as any JSON, at most 4096 bytes.
    """
    label: NotRequired[str | None]
    """
    What happened in the turn, in a few words.
    """


class ScriptCapability(TypedDict):
    """
    Settings of the script module.
    """

    maxDurationMs: NotRequired[int]
    """
    Milliseconds that a script may run. Default 5000.
    """
    network: NotRequired[ScriptNetwork]
    """
    Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`.
    """


class ScriptCapabilityAnswer(TypedDict):
    """
    Settings of the script module.
    """

    maxDurationMs: int
    """
    Milliseconds that a script may run. Default 5000.
    """
    network: ScriptNetwork
    """
    Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`.
    """


class Secret(TypedDict):
    """
    A header that requests to some hosts get on their way out.
    """

    header: str
    """
    The header's name. It replaces one that the container sends.
    """
    hosts: list[SecretHost]
    """
    The only hosts that get it: `api.example.com`, or `*.example.com` for all hosts below it.
    Over HTTPS only, unless the host begins with `http://`.
    """
    value: SecretValue
    """
    The header's whole value, such as `Bearer …`. Redacted wherever it is shown.
    """


class ServiceView(TypedDict):
    """
    A service, as the active workspace has it.
    """

    error: NotRequired[ErrorBody | None]
    """
    Why it could not be started or looked at.
    """
    log: str | None
    """
    The last KiB that it printed, or null.
    """
    name: ProcessName
    """
    Its name.
    """
    process: ProcessView | None
    """
    Its process. Null if no container runs, or if it has not been started in this one.
    """


class SessionList(TypedDict):
    """
    Sessions, in the order of their ids.
    """

    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    sessions: list[ListedSession]
    """
    The sessions.
    """


class SessionProblem(TypedDict):
    """
    A session whose object did not answer.
    """

    error: ErrorBody
    """
    Why.
    """
    session: SessionId
    """
    The session.
    """


class SessionUsage(TypedDict):
    """
    What a session keeps, by its catalogue.
    """

    automatic: Stored
    """
    Snapshots that were taken automatically.
    """
    held: Stored
    """
    Deleted snapshots whose archives other snapshots still need.
    """
    lastUsedAt: str | None
    """
    When a workspace was last used, in RFC 3339; null without workspaces.
    """
    pinned: Stored
    """
    Pinned snapshots.
    """
    session: SessionId
    """
    The session.
    """
    snapshots: Stored
    """
    All snapshots that R2 holds, expired ones included.
    """
    unfinishedCount: int
    """
    Number of snapshots being taken or deleted; R2 may hold parts of them.
    """
    workspaceCount: int
    """
    Workspaces that are not destroyed.
    """


class SnapshotInput(TypedDict):
    description: NotRequired[str | None]
    """
    Description of this state, shown in lists.
    """
    labels: NotRequired[Labels]
    """
    Short keys (`A-Z a-z 0-9 . _ / -`) and values to find it by, each as key=value,
    e.g. tests=pass.
    """
    name: NotRequired[str | None]
    """
    Short name to restore by, unique within this session. Must not look like a
    UUID.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Seconds until the snapshot expires. Default: 30 days after the last use; 315360000 keeps
    it until it is deleted.
    """


class SnapshotRefPayload(TypedDict):
    """
    Payload of a [`SnapshotRef`].
    """

    backup: BackupHandle
    """
    The backup. Fields that a caller adds are accepted and not used.
    """
    originSandboxId: NotRequired[SandboxId | None]
    """
    Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
    which does not say.
    """


class SnapshotRefPayloadAnswer(TypedDict):
    """
    Payload of a [`SnapshotRef`].
    """

    backup: BackupHandle
    """
    The backup. Fields that a caller adds are accepted and not used.
    """
    originSandboxId: SandboxId | None
    """
    Sandbox the snapshot was taken from; null for a backup of `@cloudflare/sandbox`,
    which does not say.
    """


class TokenList(TypedDict):
    """
    Tokens of a session.
    """

    tokens: list[TokenView]
    """
    All valid tokens, newest first.
    """


class ToolList(TypedDict):
    """
    The tools of a session.
    """

    tools: list[ListedTool]
    """
    In the order of the catalogue.
    """


class Turn(TypedDict):
    """
    A turn, as its snapshot shows it.
    """

    cursor: NotRequired[TurnCursor | None]
    """
    Its place in the conversation, as given to `saveTurn`.
    """
    label: NotRequired[str | None]
    """
    What the caller calls it.
    """
    number: int
    """
    Its number in the session. Numbers grow, and may have gaps.
    """


class TurnView(TypedDict):
    """
    A turn of the timeline.
    """

    at: str
    """
    When it ended, in RFC 3339.
    """
    beforeSnapshotId: NotRequired[BackupId | None]
    """
    The snapshot of the files that it began with: `changes` are against these. Absent if it
    began with none.
    """
    changes: NotRequired[TurnChanges | None]
    """
    What it changed against the files before it. Absent if those are gone, and for a turn
    that this call had no time to compare: call again.
    """
    commands: list[CommandView]
    """
    The last 10 commands that began during the turn, in the order they ended.
    """
    cursor: NotRequired[TurnCursor | None]
    """
    Its place in the conversation, as given to `saveTurn`.
    """
    earlierCommands: NotRequired[int | None]
    """
    Number of commands before these. Absent: none.
    """
    label: NotRequired[str | None]
    """
    What the caller calls it.
    """
    number: int
    """
    Its number in the session. Numbers grow, and may have gaps.
    """
    restorable: bool
    """
    Whether a rewind to it can be started now.
    """
    snapshotId: BackupId
    """
    The snapshot of the files that it ended with.
    """
    workspaceId: SandboxId
    """
    The workspace that was active.
    """


class UsagePage(TypedDict):
    """
    What some sessions keep.
    """

    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    problems: list[SessionProblem]
    """
    Sessions whose objects could not be asked.
    """
    sessions: list[SessionUsage]
    """
    In the order of their ids.
    """
    total: Stored
    """
    All snapshots of the sessions of this page.
    """


class WorkspaceRef(TypedDict):
    """
    Names a workspace.
    """

    providerId: ProviderId
    """
    Always `cloudflare-sandbox`.
    """
    ref: WorkspaceRefPayload
    """
    The payload.
    """


WorkspaceSelector: TypeAlias = SandboxId | str | WorkspaceRef
"""
Which workspace: its id (workspace:ID, too), or its ref.
"""


class WorkspaceSummary(TypedDict):
    """
    A workspace, as it is shown.
    """

    active: bool
    """
    Whether tools act on it.
    """
    container: NotRequired[ContainerState | None]
    """
    Whether its container runs; only if requested.
    """
    createdAt: str
    """
    RFC 3339.
    """
    fromSnapshotId: BackupId | None
    """
    Snapshot that it was made from or last rewound to, or null.
    """
    headSnapshotId: BackupId | None
    """
    Snapshot that it would wake from, or null: the last one that its files equalled.
    """
    kind: WorkspaceKind
    """
    How it came to be.
    """
    lastUsedAt: str
    """
    RFC 3339.
    """
    ref: WorkspaceRef
    """
    Its ref.
    """
    state: WorkspaceState
    """
    State.
    """
    status: WorkspaceStatus
    """
    Whether it can be used as it is.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class WorkspaceTarget(TypedDict):
    """
    Arguments of an operation on one workspace.
    """

    ref: WorkspaceSelector
    """
    The workspace: its ref, or its id.
    """


class WriteFileRequest(TypedDict):
    """
    A file to write.
    """

    content: str
    """
    The whole content.
    """
    encoding: NotRequired[Encoding]
    """
    Encoding of content; base64 for bytes. Default utf-8.
    """
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class CopyFromSnapshotOptions(TypedDict):
    """
    Keyword arguments of `copyFromSnapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    to: NotRequired[str]
    """
    Directory of the workspace that receives them; they keep their paths from the snapshot's
    root. Default: the workspace's root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CopyFromWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `copyFromWorkspace`.
    """

    to: NotRequired[str]
    """
    Directory to put them into, under their paths from the root. Default: the other workspace's
    root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CreateCodeContextOptions(TypedDict):
    """
    Keyword arguments of `createCodeContext`.
    """

    memoryMib: NotRequired[int | None]
    """
    Memory limit in MiB. Default 1024.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class FinishUploadOptions(TypedDict):
    """
    Keyword arguments of `finishUpload`.
    """

    path: NotRequired[str]
    """
    Directory, relative to the workspace. Default: its root.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the whole archive, 64 lowercase hex digits. An archive with
    another hash is refused.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class ForkWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `forkWorkspace`.
    """

    count: NotRequired[int | None]
    """
    How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class PruneRequired(TypedDict):
    rule: PruneRule
    """
    Which backups to delete.
    """


class RewindOptions(TypedDict):
    """
    Keyword arguments of `rewind`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    `details.head` is the current one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class RunCommandOptions(TypedDict):
    """
    Keyword arguments of `runCommand`.
    """

    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    """
    stdin: NotRequired[str | None]
    """
    Text for its standard input.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the command is killed; it then has exitCode 124 and
    timedOut true. Default 120000.
    """
    waitMs: NotRequired[int | None]
    """
    Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes
    the background process leftRunning.process; timeoutMs still applies. Default: 45000 for a
    tool; other callers wait until it ends.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class RunInCodeContextOptions(TypedDict):
    """
    Keyword arguments of `runInCodeContext`.
    """

    maxOutputBytes: NotRequired[int | None]
    """
    As for workspace_run_code.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class SaveTurnOptions(TypedDict):
    """
    Keyword arguments of `saveTurn`.
    """

    cursor: NotRequired[TurnCursor | None]
    """
    The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the last
    message, for example. Each call that brings the files back returns it.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    label: NotRequired[str | None]
    """
    What to call the turn, for readers of the timeline.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class SetActiveWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `setActiveWorkspace`.
    """

    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class SetActiveWorkspaceRequired(TypedDict):
    ref: WorkspaceSelector
    """
    The workspace to switch to.
    """


class SharePreviewOptions(TypedDict):
    """
    Keyword arguments of `sharePreview`.
    """

    frameAncestors: NotRequired[list[str]]
    """
    Origins of the pages that may embed the preview in a frame, as `https://app.example.com`.
    Default none.
    """
    ttlSeconds: NotRequired[int | None]
    """
    How long the link is good, in seconds. Default one day, at most 30, and no longer than
    the caller's own token.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    Whose container: a workspace's id. Default: the active one. The preview stays with it.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class StartProcessOptions(TypedDict):
    """
    Keyword arguments of `startProcess`.
    """

    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    restart: NotRequired[bool]
    """
    Start it again after a rewind that ended it, and in each later container of the workspace,
    until it is stopped or started without restart.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class TakeSnapshotOptions(TypedDict):
    """
    Keyword arguments of `takeSnapshot`.
    """

    description: NotRequired[str | None]
    """
    Description.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`;
    `details.active` is the active one.
    """
    incremental: NotRequired[bool | None]
    """
    Store only what has changed since the workspace's last snapshot: a snapshot of kind
    `layer`. Default: the session's `incremental`.
    """
    labels: NotRequired[Labels]
    """
    Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Time to live in seconds.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class UndoOptions(TypedDict):
    """
    Keyword arguments of `undo`.
    """

    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    `details.head` is the current one.
    """
    turns: NotRequired[int]
    """
    How many turns to go back, default 1. Changes since the last turn count as one turn.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


class WorkspaceCopyFromSnapshotOptions(TypedDict):
    """
    Keyword arguments of `workspace_copy_from_snapshot`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    to: NotRequired[str]
    """
    Directory of the workspace that receives them; they keep their paths from the snapshot's
    root. Default: the workspace's root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceCopyFromWorkspaceOptions(TypedDict):
    """
    Keyword arguments of `workspace_copy_from_workspace`.
    """

    to: NotRequired[str]
    """
    Directory that receives them; they keep their relative paths. Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


WorkspaceCopyFromWorkspaceRequired = TypedDict(
    'WorkspaceCopyFromWorkspaceRequired',
    {
        'from': WorkspaceSelector,
        'paths': list[str],
    },
)


class WorkspaceCreateCodeContextOptions(TypedDict):
    """
    Keyword arguments of `workspace_create_code_context`.
    """

    memoryMib: NotRequired[int | None]
    """
    Memory limit in MiB. Default 1024.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceDeleteCodeContextOptions(TypedDict):
    """
    Keyword arguments of `workspace_delete_code_context`.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceDestroyRequired(TypedDict):
    ref: WorkspaceSelector
    """
    The workspace: its ref, or its id.
    """


class WorkspaceEditFileOptions(TypedDict):
    """
    Keyword arguments of `workspace_edit_file`.
    """

    replaceAll: NotRequired[bool]
    """
    Replace every occurrence of oldText.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointOptions(TypedDict):
    """
    Keyword arguments of `workspace_git_checkpoint`.
    """

    description: NotRequired[str | None]
    """
    Description.
    """
    path: NotRequired[str]
    """
    Default: the root.
    """
    replace: NotRequired[bool]
    """
    Replace a git checkpoint of this name; otherwise the call fails with CONFLICT.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointDeleteOptions(TypedDict):
    """
    Keyword arguments of `workspace_git_checkpoint_delete`.
    """

    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointDiffOptions(TypedDict):
    """
    Keyword arguments of `workspace_git_checkpoint_diff`.
    """

    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointListOptions(TypedDict):
    """
    Keyword arguments of `workspace_git_checkpoint_list`.
    """

    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGitCheckpointRestoreOptions(TypedDict):
    """
    Keyword arguments of `workspace_git_checkpoint_restore`.
    """

    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceListCodeContextsOptions(TypedDict):
    """
    Keyword arguments of `workspace_list_code_contexts`.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceLogsOptions(TypedDict):
    """
    Keyword arguments of `workspace_logs`.
    """

    maxBytes: NotRequired[int | None]
    """
    Default 16384.
    """
    offset: NotRequired[int | None]
    """
    nextOffset of the last read. Default: the last maxBytes are read.
    """
    waitMs: NotRequired[int | None]
    """
    Milliseconds to wait for output after offset. Default 0.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceMkdirOptions(TypedDict):
    """
    Keyword arguments of `workspace_mkdir`.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspacePauseOptions(TypedDict):
    """
    Keyword arguments of `workspace_pause`.
    """

    ref: NotRequired[WorkspaceSelector | None]
    """
    The workspace: its ref, or its id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceProcessesOptions(TypedDict):
    """
    Keyword arguments of `workspace_processes`.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceResumeOptions(TypedDict):
    """
    Keyword arguments of `workspace_resume`.
    """

    ref: NotRequired[WorkspaceSelector | None]
    """
    The workspace: its ref, or its id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRmOptions(TypedDict):
    """
    Keyword arguments of `workspace_rm`.
    """

    recursive: NotRequired[bool]
    """
    Also a directory, with all its content.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRunOptions(TypedDict):
    """
    Keyword arguments of `workspace_run`.
    """

    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    """
    stdin: NotRequired[str | None]
    """
    Text for its standard input.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the command is killed; it then has exitCode 124 and
    timedOut true. Default 120000.
    """
    waitMs: NotRequired[int | None]
    """
    Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes
    the background process leftRunning.process; timeoutMs still applies. Default: 45000 for a
    tool; other callers wait until it ends.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRunCodeOptions(TypedDict):
    """
    Keyword arguments of `workspace_run_code`.
    """

    maxOutputBytes: NotRequired[int | None]
    """
    Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which it is killed; it then has exitCode 124 and timedOut
    true. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRunInCodeContextOptions(TypedDict):
    """
    Keyword arguments of `workspace_run_in_code_context`.
    """

    maxOutputBytes: NotRequired[int | None]
    """
    As for workspace_run_code.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceStartOptions(TypedDict):
    """
    Keyword arguments of `workspace_start`.
    """

    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    restart: NotRequired[bool]
    """
    Start it again after a rewind that ended it, and in each later container of the workspace,
    until it is stopped or started without restart.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceStopOptions(TypedDict):
    """
    Keyword arguments of `workspace_stop`.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceSwitchRequired(TypedDict):
    ref: WorkspaceSelector
    """
    The workspace: its ref, or its id.
    """


class WorkspaceWriteFileOptions(TypedDict):
    """
    Keyword arguments of `workspace_write_file`.
    """

    encoding: NotRequired[Encoding]
    """
    Encoding of content; base64 for bytes. Default utf-8.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class Capabilities(TypedDict):
    """
    The modules a session may use.
    """

    code: NotRequired[bool | CodeCapability]
    """
    Running code.
    """
    fs: NotRequired[bool]
    """
    File tools.
    """
    readOnly: NotRequired[bool]
    """
    Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is
    declared, this applies to all modules. Default false.
    """
    script: NotRequired[bool | ScriptCapability]
    """
    Scripts, which run without a container. They need the binding `LOADER`, and are
    off unless declared.
    """
    shell: NotRequired[bool | ShellCapability]
    """
    Command tools. Default false.
    """
    snapshot: NotRequired[bool | SnapshotCapability]
    """
    Snapshot tools. Default false.
    """


class CapabilitiesAnswer(TypedDict):
    """
    The modules a session may use.
    """

    code: NotRequired[bool | CodeCapability]
    """
    Running code.
    """
    fs: bool
    """
    File tools.
    """
    readOnly: NotRequired[bool]
    """
    Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is
    declared, this applies to all modules. Default false.
    """
    script: NotRequired[bool | ScriptCapability]
    """
    Scripts, which run without a container. They need the binding `LOADER`, and are
    off unless declared.
    """
    shell: bool | ShellCapability
    """
    Command tools. Default false.
    """
    snapshot: bool | SnapshotCapability
    """
    Snapshot tools. Default false.
    """


class CodeForContext(TypedDict):
    """
    Code to run in a code context.
    """

    code: str
    """
    At most 1 MiB.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    As for workspace_run_code.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """


class CommandOutcome2(TypedDict):
    """
    It could not run.
    """

    error: ErrorBody
    """
    Why.
    """


CommandOutcome: TypeAlias = CommandOutcome1 | CommandOutcome2
"""
How a command ended in one workspace.
"""


class CommandPage(TypedDict):
    """
    A page of commands: on the first one those that run, then those that have ended, newest first.
    """

    commands: list[CommandRecord]
    """
    The commands.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """


class ComparedTree(TypedDict):
    """
    One side of a comparison.
    """

    name: NotRequired[str | None]
    """
    The name of that snapshot.
    """
    savedAt: NotRequired[str | None]
    """
    When that snapshot was taken, RFC 3339. A workspace that does not run is
    compared by its last save.
    """
    snapshotId: NotRequired[BackupId | None]
    """
    The snapshot whose files were compared. Absent if these are the files of the running
    workspace, or no files.
    """
    turn: NotRequired[Turn | None]
    """
    The last turn that ended with its files.
    """
    workspaceId: NotRequired[SandboxId | None]
    """
    The workspace.
    """


class ComparedWorkspace(TypedDict):
    """
    What a workspace changed.
    """

    active: bool
    """
    Tools act on it.
    """
    changes: list[PathChange]
    """
    The changes, by path.
    """
    command: NotRequired[CommandOutcome | None]
    """
    How the command ended.
    """
    counts: ChangeCounts
    """
    Number of changes, without ignored files.
    """
    error: NotRequired[ErrorBody | None]
    """
    Why it could not be compared.
    """
    ignored: NotRequired[list[IgnoredChanges]]
    """
    Counts of changes in .git and in ignored files.
    """
    name: NotRequired[str | None]
    """
    The name of that snapshot.
    """
    notCompared: NotRequired[int]
    """
    Number of files beyond the limit of a call, not compared. They are not listed, and may have
    changed.
    """
    savedAt: NotRequired[str | None]
    """
    When that snapshot was taken, RFC 3339. A workspace that does not run is
    compared by its last save.
    """
    snapshotId: NotRequired[BackupId | None]
    """
    The snapshot whose files were compared. Absent if these are the files of the running
    workspace, or no files.
    """
    truncated: bool
    """
    There are more.
    """
    turn: NotRequired[Turn | None]
    """
    The last turn that ended with its files.
    """
    workspaceId: NotRequired[SandboxId | None]
    """
    The workspace.
    """


class Comparison(TypedDict):
    """
    Workspaces, compared.
    """

    base: ComparedTree
    """
    The base of the comparison. Without snapshotId: no files.
    """
    contested: list[ContestedFile]
    """
    Files that several workspaces changed; at most `limit`.
    """
    moreContested: NotRequired[int | None]
    """
    Number of further such files. Absent: none.
    """
    text: str
    """
    The results as a table.
    """
    workspaces: list[ComparedWorkspace]
    """
    One result per workspace.
    """


CopyFromWorkspace = TypedDict(
    'CopyFromWorkspace',
    {
        'from': WorkspaceSelector,
        'paths': list[str],
        'to': NotRequired[str],
        'workspace': NotRequired[WorkspaceSelector | None],
    },
)


class CopyPaths(TypedDict):
    """
    What to copy from a workspace, and where to.
    """

    paths: list[str]
    """
    Files and directories under the workspace's root, 1 to 100.
    """
    to: NotRequired[str]
    """
    Directory to put them into, under their paths from the root. Default: the other workspace's
    root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class CreateCodeContextRequest(TypedDict):
    """
    A code context to create.
    """

    language: Language
    """
    Language of its code.
    """
    memoryMib: NotRequired[int | None]
    """
    Memory limit in MiB. Default 1024.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """


class DeleteCodeContextRequest(TypedDict):
    """
    The code context to end.
    """

    context: CodeContextId
    """
    Which context.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """


class EarlierTurns(TypedDict):
    """
    Whose turns come before a session's own.
    """

    hint: str
    """
    How to reach these turns.
    """
    sessionId: NotRequired[SessionId | None]
    """
    The session that took that snapshot and has the turns. Absent if the snapshot is gone.
    """
    snapshotId: BackupId
    """
    The snapshot that the session was opened from.
    """
    turn: NotRequired[Turn | None]
    """
    The turn that ended with its files.
    """


class EditFileRequest(TypedDict):
    """
    An edit of a text file.
    """

    newText: str
    """
    Replacement text; empty to delete.
    """
    oldText: str
    """
    Exact text in the file.
    """
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """
    replaceAll: NotRequired[bool]
    """
    Replace every occurrence of oldText.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class ExecResult(TypedDict):
    """
    Result of `exec`. A nonzero exit is a result, not an error.
    """

    durationMs: int
    """
    Milliseconds it took.
    """
    exitCode: int
    """
    Exit code; 124: ended by its time limit; -1: still running as `leftRunning.process`.
    """
    hint: NotRequired[str | None]
    """
    Advice about refused hosts, memory and programs that still run.
    """
    leftRunning: NotRequired[LeftRunning | None]
    """
    Programs that the command left running.
    """
    refusedHosts: NotRequired[list[RefusedHost]]
    """
    Hosts that the network policy refused since it last listed some.
    """
    stderr: str
    """
    At most 1 MiB of stderr; bytes that are not UTF-8 are replaced.
    """
    stderrTruncated: bool
    """
    Whether stderr was cut.
    """
    stdout: str
    """
    At most 1 MiB of stdout; bytes that are not UTF-8 are replaced.
    """
    stdoutTruncated: bool
    """
    Whether stdout was cut.
    """
    success: bool
    """
    Whether the exit code is 0.
    """
    timedOut: bool
    """
    Whether the time limit ended it.
    """
    workspaceId: SandboxId
    """
    Where.
    """


class FinishUpload(TypedDict):
    """
    The end of an upload: its parts, and where their files go.
    """

    parts: PartNumber
    """
    Number of parts, 1 to 1,000.
    """
    path: NotRequired[str]
    """
    Directory, relative to the workspace. Default: its root.
    """
    sha256: NotRequired[str | None]
    """
    SHA-256 of the whole archive, 64 lowercase hex digits. An archive with
    another hash is refused.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class GitCheckpointTarget(TypedDict):
    """
    One git checkpoint.
    """

    name: GitCheckpointName
    """
    Its name.
    """
    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class LineageNode2(TypedDict):
    """
    A snapshot.
    """

    createdAt: str
    """
    RFC 3339.
    """
    depth: int
    """
    Steps from the root.
    """
    id: str
    """
    Its sandbox id or backup id.
    """
    parent: str | None
    """
    Id of the place that this came from, earlier in the list.
    """
    name: str | None
    """
    Name, or null.
    """
    restorable: bool
    """
    Whether a restore can be started now.
    """
    sizeBytes: int | None
    """
    Size of its archive, or null.
    """
    state: ShownState
    """
    State. One that is gone is shown if something came from it.
    """
    trigger: SnapshotTrigger
    """
    Why it was taken.
    """
    turn: NotRequired[Turn | None]
    """
    The last turn that ended with its files.
    """
    type: Literal['snapshot']
    unrestorableBecause: NotRequired[ErrorCode | None]
    """
    The code that a restore would fail with.
    """


LineageNode: TypeAlias = LineageNode1 | LineageNode2
"""
One place of the tree.
"""


class ListCodeContextsRequest(TypedDict):
    """
    Whose code contexts to list.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """


class ListGitCheckpointsRequest(TypedDict):
    """
    Which to list.
    """

    path: NotRequired[str]
    """
    Default: the root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class ListProcessesRequest(TypedDict):
    """
    Whose processes to list.
    """

    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class LiveFork1(TypedDict):
    """
    It was made.
    """

    ref: WorkspaceRef
    """
    Its ref.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


LiveFork: TypeAlias = LiveFork1 | LiveFork2
"""
One workspace of a live fork.
"""


class LiveForkArgs(TypedDict):
    """
    Arguments of `fork`.
    """

    count: NotRequired[int | None]
    """
    How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """


class MadeWorkspace(TypedDict):
    """
    The workspace that a restore or a branch made.
    """

    machineLost: NotRequired[bool]
    """
    Whether the bucket lost the saved machine: the rest of the container has only the image's
    own files.
    """
    ref: WorkspaceRef
    """
    Its ref.
    """
    turn: NotRequired[Turn | None]
    """
    The turn that ended with its files.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class MakeDirRequest(TypedDict):
    """
    A directory to make.
    """

    path: str
    """
    Directory under the workspace, e.g. src/new.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class NamedWorkspace(TypedDict):
    """
    A workspace by its ref.
    """

    ref: WorkspaceRef
    """
    Its ref.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class OperationPage(TypedDict):
    """
    A page of recorded calls, newest first.
    """

    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    operations: list[OperationView]
    """
    The calls.
    """


class PauseArgs(TypedDict):
    """
    Arguments of `pause` and `resume`.
    """

    ref: NotRequired[WorkspaceSelector | None]
    """
    The workspace: its ref, or its id. Default: the active one.
    """


class Paused(TypedDict):
    """
    A workspace that is paused.
    """

    workspace: WorkspaceSummary
    """
    Its current state.
    """


class PoolList(TypedDict):
    """
    All pools.
    """

    limit: int
    """
    How many containers all pools may keep: `MAX_POOL_CONTAINERS`.
    """
    pools: list[PoolView]
    """
    The pools, most recently used first.
    """


class PreviewView(TypedDict):
    """
    A preview as it is shown: never with its link.
    """

    createdAt: str
    """
    RFC 3339.
    """
    expiresAt: str
    """
    RFC 3339.
    """
    id: PreviewId
    """
    Id to revoke it by. Not secret.
    """
    port: int
    """
    The port in the container.
    """
    workspace: WorkspaceRef
    """
    The workspace.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class PrunePage(TypedDict):
    """
    A page of a prune.
    """

    deleted: list[PrunedBackup]
    """
    Deleted backups.
    """
    dryRun: bool
    """
    Whether this only says what would be deleted.
    """
    examinedCount: int
    """
    Backups examined.
    """
    freedBytes: int
    """
    Bytes of the deleted archives.
    """
    kept: dict[str, int]
    """
    How many stay, by reason.
    """
    nextCursor: NotRequired[str | None]
    """
    Where the next page begins. Absent once every bucket has been walked.
    """
    problems: list[PruneProblem]
    """
    Backups that could not be judged or deleted. The next walk tries again.
    """


class PruneRequest(TypedDict):
    """
    What to prune, and how far to go.
    """

    cursor: NotRequired[str | None]
    """
    `nextCursor` of the previous call.
    """
    dryRun: NotRequired[bool]
    """
    Delete nothing, and report what would be deleted.
    """
    limit: NotRequired[int | None]
    """
    Backups to examine at most. Default and maximum: 100.
    """
    rule: PruneRule
    """
    Which backups to delete.
    """


class ReadLogRequest(TypedDict):
    """
    What to read of a process's output.
    """

    maxBytes: NotRequired[int | None]
    """
    Default 16384.
    """
    name: ProcessName
    """
    Which process.
    """
    offset: NotRequired[int | None]
    """
    nextOffset of the last read. Default: the last maxBytes are read.
    """
    waitMs: NotRequired[int | None]
    """
    Milliseconds to wait for output after offset. Default 0.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class RebuildPage(TypedDict):
    """
    A page of a rebuild of all sessions.
    """

    examinedCount: int
    """
    Backups examined.
    """
    knownCount: int
    """
    Backups that their sessions' catalogues already had, in any state.
    """
    leftAloneCount: int
    """
    Backups left alone: of no session, incomplete, or of a session with another bucket.
    """
    nextCursor: NotRequired[str | None]
    """
    Where the next page begins. Absent once every bucket has been walked.
    """
    problems: list[RebuildProblem]
    """
    Backups that could not be read or put back. The next walk tries again.
    """
    restored: list[RestoredBackup]
    """
    Backups that are in their sessions' catalogues again.
    """
    unopened: list[SessionId]
    """
    Sessions with backups on this page that were never opened, or have lost
    their storage. Open them, and rebuild again.
    """


class RemoveRequest(TypedDict):
    """
    What to remove.
    """

    path: str
    """
    Path under the workspace, e.g. src/old.py.
    """
    recursive: NotRequired[bool]
    """
    Also a directory, with all its content.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class RunCodeRequest(TypedDict):
    """
    Code to run.
    """

    code: str
    """
    The program, at most 1 MiB.
    """
    language: Language
    """
    Language of the code.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which it is killed; it then has exitCode 124 and timedOut
    true. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class RunInCodeContextRequest(TypedDict):
    """
    Code to run in a code context.
    """

    code: str
    """
    At most 1 MiB.
    """
    context: CodeContextId
    """
    Which context.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    As for workspace_run_code.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the code is interrupted: exitCode 124. Default 120000.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    The workspace's id. Default: the active one.
    """


class RunRequest(TypedDict):
    """
    A command for a workspace.
    """

    command: CommandLine
    """
    Shell command, or program and arguments.
    """
    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    maxOutputBytes: NotRequired[int | None]
    """
    Maximum bytes of stdout, and of stderr, to return: the beginning and the end.
    A tool returns 16384 by default, over MCP 131072 at most; else the first 1048576.
    """
    stdin: NotRequired[str | None]
    """
    Text for its standard input.
    """
    timeoutMs: NotRequired[int | None]
    """
    Milliseconds after which the command is killed; it then has exitCode 124 and
    timedOut true. Default 120000.
    """
    waitMs: NotRequired[int | None]
    """
    Milliseconds to wait for the command. If it still runs then, it has exitCode -1 and becomes
    the background process leftRunning.process; timeoutMs still applies. Default: 45000 for a
    tool; other callers wait until it ends.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class SaveTurnArgs(TypedDict):
    """
    Arguments of `saveTurn`.
    """

    cursor: NotRequired[TurnCursor | None]
    """
    The place in the conversation, as JSON of your own, at most 4096 bytes: the id of the last
    message, for example. Each call that brings the files back returns it.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    label: NotRequired[str | None]
    """
    What to call the turn, for readers of the timeline.
    """


class SessionWorkspace(TypedDict):
    """
    A workspace and its session.
    """

    active: bool
    """
    Whether tools act on it.
    """
    container: NotRequired[ContainerState | None]
    """
    Whether its container runs; only if requested.
    """
    createdAt: str
    """
    RFC 3339.
    """
    fromSnapshotId: BackupId | None
    """
    Snapshot that it was made from or last rewound to, or null.
    """
    headSnapshotId: BackupId | None
    """
    Snapshot that it would wake from, or null: the last one that its files equalled.
    """
    kind: WorkspaceKind
    """
    How it came to be.
    """
    lastUsedAt: str
    """
    RFC 3339.
    """
    ref: WorkspaceRef
    """
    Its ref.
    """
    session: SessionId
    """
    Its session.
    """
    state: WorkspaceState
    """
    State.
    """
    status: WorkspaceStatus
    """
    Whether it can be used as it is.
    """
    waitingToStart: NotRequired[WaitingToStart | None]
    """
    Its container waits to start, because `MAX_CONCURRENT_STARTS` containers are already
    starting.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class ShareRequest(TypedDict):
    """
    A preview to make.
    """

    frameAncestors: NotRequired[list[str]]
    """
    Origins of the pages that may embed the preview in a frame, as `https://app.example.com`.
    Default none.
    """
    port: int
    """
    The port in the container; one of the session's `previewPorts`.
    """
    ttlSeconds: NotRequired[int | None]
    """
    How long the link is good, in seconds. Default one day, at most 30, and no longer than
    the caller's own token.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    Whose container: a workspace's id. Default: the active one. The preview stays with it.
    """


class SharedPreview(TypedDict):
    """
    A fresh preview.
    """

    createdAt: str
    """
    RFC 3339.
    """
    expiresAt: str
    """
    RFC 3339.
    """
    id: PreviewId
    """
    Id to revoke it by. Not secret.
    """
    port: int
    """
    The port in the container.
    """
    url: str
    """
    The link. Anyone who has it can use the server until it expires or is revoked. It is
    returned only here, and stored nowhere.
    """
    workspace: WorkspaceRef
    """
    The workspace.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class SnapshotArgs(TypedDict):
    """
    Arguments of `snapshot`.
    """

    description: NotRequired[str | None]
    """
    Description.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`;
    `details.active` is the active one.
    """
    incremental: NotRequired[bool | None]
    """
    Store only what has changed since the workspace's last snapshot: a snapshot of kind
    `layer`. Default: the session's `incremental`.
    """
    labels: NotRequired[Labels]
    """
    Keys of 63 characters of `A-Z a-z 0-9 . _ / -`, values of 256.
    """
    name: NotRequired[str | None]
    """
    Name within the session.
    """
    replace: NotRequired[bool]
    """
    Take the name from a snapshot that has it.
    """
    ttlSeconds: NotRequired[Ttl | None]
    """
    Time to live in seconds.
    """


class SnapshotRef(TypedDict):
    """
    Names a snapshot. Unknown fields are refused, except in `backup`.
    """

    providerId: ProviderId
    """
    Always `cloudflare-sandbox`.
    """
    ref: SnapshotRefPayload
    """
    The payload.
    """


SnapshotSelector: TypeAlias = str | SnapshotRef | TurnSelector
"""
Which snapshot: its name or id, turn:3, latest or head; or its ref, or a turn as an object.
"""


class SnapshotSummary(TypedDict):
    """
    A snapshot's data, beside its ref.
    """

    clampedTimes: NotRequired[int | None]
    """
    How many paths in its archive had a modification time before 1970 or after 2106. An archive
    can't hold such times: most of these paths got the nearest possible one.
    """
    createdAt: str
    """
    RFC 3339.
    """
    description: str | None
    """
    Description, or null.
    """
    dropped: NotRequired[DroppedByImport | None]
    """
    What an import of an archive did not keep. Absent if nothing was lost.
    """
    expiresAt: str
    """
    RFC 3339. A snapshot counts as expired one minute earlier.
    """
    format: NotRequired[ForeignFormat | None]
    """
    Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first.
    """
    git: NotRequired[GitState | None]
    """
    The git repository at the root of its directory, if there was one.
    """
    id: BackupId
    """
    Id.
    """
    kind: SnapshotKind | None
    """
    Kind of archive; null while it is being taken, and for a backup of
    `@cloudflare/sandbox`.
    """
    labels: Labels
    """
    Labels.
    """
    machine: NotRequired[MachinePart | None]
    """
    The machine that was saved with it, if the session persists machines: all differences from
    the image outside its directory.
    """
    name: str | None
    """
    Name, or null.
    """
    parentId: BackupId | None
    """
    The previous snapshot, or null: the workspace's own last one, autosaves
    included, or the one it was made from or rewound to.
    """
    pinned: bool
    """
    Whether it stays until it is unpinned or deleted.
    """
    published: bool
    """
    Whether other sessions may start workspaces from it.
    """
    restorable: bool
    """
    Whether a restore can be started now.
    """
    retiredAt: NotRequired[str | None]
    """
    When its workspace was retired, in RFC 3339. It is listed because it is that
    workspace's last save.
    """
    savedBy: NotRequired[str | None]
    """
    The call that took it, by the name of the operation or tool, or the rule: `autosave`.
    """
    sha256: str | None
    """
    SHA-256 of the archive, or null if none was recorded.
    """
    sizeBytes: int | None
    """
    Size of the archive in bytes, or null while it is being taken.
    """
    state: ShownState
    """
    State.
    """
    trigger: SnapshotTrigger
    """
    Why it was taken. Default manual.
    """
    turn: NotRequired[Turn | None]
    """
    The last turn that ended with its files, if one did.
    """
    unrestorableBecause: NotRequired[ErrorCode | None]
    """
    The code that a restore would fail with.
    """


class SnapshotTarget(TypedDict):
    """
    Arguments of an operation on one snapshot.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class StartRequest(TypedDict):
    """
    A command to run in the background.
    """

    command: CommandLine
    """
    Shell command, or program and arguments.
    """
    cwd: NotRequired[str | None]
    """
    Directory under the workspace to run in. Default: its root.
    """
    env: NotRequired[dict[str, str]]
    """
    Environment variables for this command.
    """
    name: ProcessName
    """
    Name of the process.
    """
    restart: NotRequired[bool]
    """
    Start it again after a rewind that ended it, and in each later container of the workspace,
    until it is stopped or started without restart.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class StopRequest(TypedDict):
    """
    Which process to end.
    """

    name: ProcessName
    """
    Which process.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class SwitchArgs(TypedDict):
    """
    Arguments of `switch` and `swapRef`.
    """

    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    ref: WorkspaceSelector
    """
    The workspace to switch to.
    """


class TakeGitCheckpointRequest(TypedDict):
    """
    What to take.
    """

    description: NotRequired[str | None]
    """
    Description.
    """
    name: GitCheckpointName
    """
    Name, e.g. before-refactor.
    """
    path: NotRequired[str]
    """
    Default: the root.
    """
    replace: NotRequired[bool]
    """
    Replace a git checkpoint of this name; otherwise the call fails with CONFLICT.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


class Timeline(TypedDict):
    """
    A page of turns.
    """

    commands: list[CommandView]
    """
    The last 10 commands that began during the turn, in the order they ended.
    """
    earlier: NotRequired[EarlierTurns | None]
    """
    On the last page, if the session was opened from another session's snapshot: the turns
    before these.
    """
    earlierCommands: NotRequired[int | None]
    """
    Number of commands before these. Absent: none.
    """
    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    turns: list[TurnView]
    """
    Newest first.
    """


TreeDiff = TypedDict(
    'TreeDiff',
    {
        'changes': list[ShownChange],
        'counts': ChangeCounts,
        'from': ComparedTree,
        'ignored': NotRequired[list[IgnoredChanges]],
        'nextOffset': NotRequired[int | None],
        'notCompared': NotRequired[int],
        'patch': NotRequired[str | None],
        'patchBase64': NotRequired[str | None],
        'to': ComparedTree,
        'truncated': bool,
    },
)


class TreeSelector1(TypedDict):
    """
    A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object.
    """

    snapshot: SnapshotSelector


class TreeSelector2(TypedDict):
    """
    A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object.
    """

    workspace: WorkspaceSelector


TreeSelector: TypeAlias = SnapshotSelector | WorkspaceRef | TreeSelector1 | TreeSelector2
"""
A snapshot, a turn or a workspace: a name or id, turn:3, latest, head, workspace:ID, or now (the active workspace as it is); or an object.
"""


class UndoArgs(TypedDict):
    """
    Arguments of `undo`.
    """

    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    `details.head` is the current one.
    """
    turns: NotRequired[int]
    """
    How many turns to go back, default 1. Changes since the last turn count as one turn.
    """


class UpdateInput(TypedDict):
    """
    A snapshot and the changes to make. Tools can neither publish a snapshot nor take another one's
    name.
    """

    clear: NotRequired[list[Cleared]]
    """
    Values to remove: name, description, labels, labels.KEY for one, or expiresAt to
    keep it until it is deleted.
    """
    description: NotRequired[str | None]
    """
    New description.
    """
    expiresAt: NotRequired[str | None]
    """
    When it expires, in RFC 3339, at least 61 seconds from now.
    """
    labels: NotRequired[Labels]
    """
    Labels to set, each as key=value. Others stay.
    """
    name: NotRequired[str | None]
    """
    New name, unique within this session; must not look like a UUID.
    """
    pinned: NotRequired[bool | None]
    """
    Whether to keep it regardless of its expiry.
    """
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class Woken(TypedDict):
    """
    What a workspace woke with.
    """

    ageSeconds: int | None
    """
    How old that snapshot was at the wake, in seconds, or null.
    """
    fromSnapshotId: BackupId | None
    """
    The snapshot that its files came from, or null if it began empty.
    """
    message: str
    """
    The same as text.
    """
    movedAside: NotRequired[str | None]
    """
    Where files that were already in the workspace's directory were moved.
    """
    savedAt: str | None
    """
    When that snapshot was taken, in RFC 3339, or null.
    """
    workspace: WorkspaceRef
    """
    The workspace.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class WorkspaceList(TypedDict):
    """
    The session's workspaces.
    """

    active: WorkspaceRef
    """
    The workspace that tools act on.
    """
    activeWorkspaceId: SandboxId
    """
    Its id.
    """
    workspaces: list[WorkspaceSummary]
    """
    Oldest first.
    """


class WorkspacePage(TypedDict):
    """
    Workspaces of some sessions.
    """

    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    problems: list[SessionProblem]
    """
    Sessions whose objects could not be asked.
    """
    starts: NotRequired[StartCounts | None]
    """
    Containers that start or wait to start, in all sessions. Absent if starts are not limited,
    or if the queue of starts does not answer.
    """
    workspaces: list[SessionWorkspace]
    """
    In the order of their sessions' ids, and oldest first in each. A page may be empty without
    being the last.
    """


class WorkspaceView(TypedDict):
    """
    The active workspace and what may be done in it.
    """

    buckets: NotRequired[list[BucketView]]
    """
    Buckets that the workspace reaches with any S3 client, without credentials.
    """
    limits: WorkspaceLimits
    """
    Limits.
    """
    modules: ModulesView
    """
    What the session may do.
    """
    parentSnapshot: SnapshotSummary | None
    """
    The snapshot it was made from.
    """
    services: NotRequired[list[ServiceView]]
    """
    Commands of the session's configuration that run in each workspace.
    """
    session: SessionId
    """
    The session.
    """
    whenIdle: str
    """
    What is kept and what is lost when an idle container stops.
    """
    workspace: WorkspaceSummary
    """
    The workspace that tools act on.
    """
    workspaceDir: str
    """
    The directory that file paths are relative to.
    """


class CompareWorkspacesOptions(TypedDict):
    """
    Keyword arguments of `compareWorkspaces`.
    """

    base: NotRequired[SnapshotSelector | None]
    """
    Snapshot to compare with. Default: the nearest common snapshot of all workspaces.
    """
    command: NotRequired[CommandLine | None]
    """
    Command to run afterwards in all workspaces at once, e.g. the tests.
    """
    glob: NotRequired[str | None]
    """
    Only paths that match, e.g. *.py.
    """
    limit: NotRequired[int | None]
    """
    Maximum changes per workspace. Default 50.
    """
    timeoutMs: NotRequired[int | None]
    """
    Time limit of command in milliseconds. Default 120000.
    """
    workspaces: NotRequired[list[WorkspaceSelector] | None]
    """
    Workspaces, 2 to 20, by id. Default: all of the session.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class CopyFromSnapshotRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """
    paths: list[str]
    """
    Files and directories under the snapshot's root, 1 to 100.
    """


CreateWorkspaceRequired = TypedDict(
    'CreateWorkspaceRequired',
    {
        'from': SnapshotSelector,
        'kind': RestoreKind,
    },
)


class DiffOptions(TypedDict):
    """
    Keyword arguments of `diff`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    content: NotRequired[bool]
    """
    Compare all contents, even of files with equal size and time.
    """
    context: NotRequired[int | None]
    """
    Lines around each change, default 3.
    """
    from_: NotRequired[TreeSelector | None]
    """
    The older side. Default: the last turn or requested snapshot of the newer side's workspace;
    automatic saves do not count. The answer names it as from.
    """
    glob: NotRequired[str | None]
    """
    Only paths that match, e.g. *.py or src/*.ts.
    """
    includeIgnored: NotRequired[bool]
    """
    List changes in .git and in ignored files (.gitignore) too, instead of counting them.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of changes. Default 200.
    """
    maxBytes: NotRequired[int | None]
    """
    Maximum bytes of all texts, or of the patch. Default 32768.
    """
    offset: NotRequired[int]
    """
    Changes to skip: nextOffset of the previous answer.
    """
    output: NotRequired[DiffOutput]
    """
    How to show changed contents. Default text.
    """
    path: NotRequired[str | None]
    """
    Only this file, or this directory and everything below it.
    """
    to: NotRequired[TreeSelector | None]
    """
    The newer side. Default: the active workspace.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class PromoteOptions(TypedDict):
    """
    Keyword arguments of `promote`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    base: NotRequired[SnapshotSelector | None]
    """
    The snapshot that both came from. Default: the nearest one.
    """
    discardOthers: NotRequired[bool]
    """
    Destroy the session's other branches afterwards.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    includeIgnored: NotRequired[bool]
    """
    Also bring over files that a .gitignore of the other side ignores, and caches such as
    __pycache__. With mode replace, everything is brought over anyway.
    """
    mode: NotRequired[PromoteMode]
    """
    Merge them with changes made here, or replace all files here. Default merge.
    """
    onConflict: NotRequired[ConflictPolicy | None]
    """
    What to do about paths that both sides changed differently. Default: refuse, and list them.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """


PromoteRequired = TypedDict(
    'PromoteRequired',
    {
        'from': TreeSelector
    },
)


class RewindRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot or turn to go back to.
    """


class WorkspaceBranchRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class WorkspaceCompareOptions(TypedDict):
    """
    Keyword arguments of `workspace_compare`.
    """

    base: NotRequired[SnapshotSelector | None]
    """
    Snapshot to compare with. Default: the nearest common snapshot of all workspaces.
    """
    command: NotRequired[CommandLine | None]
    """
    Command to run afterwards in all workspaces at once, e.g. the tests.
    """
    glob: NotRequired[str | None]
    """
    Only paths that match, e.g. *.py.
    """
    limit: NotRequired[int | None]
    """
    Maximum changes per workspace. Default 50.
    """
    timeoutMs: NotRequired[int | None]
    """
    Time limit of command in milliseconds. Default 120000.
    """
    workspaces: NotRequired[list[WorkspaceSelector] | None]
    """
    Workspaces, 2 to 20, by id. Default: all of the session.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceCopyFromSnapshotRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """
    paths: list[str]
    """
    Files and directories under the snapshot's root, 1 to 100.
    """


class WorkspaceDeleteSnapshotRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class WorkspaceDiffOptions(TypedDict):
    """
    Keyword arguments of `workspace_diff`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    content: NotRequired[bool]
    """
    Compare all contents, even of files with equal size and time.
    """
    context: NotRequired[int | None]
    """
    Lines around each change, default 3.
    """
    from_: NotRequired[TreeSelector | None]
    """
    The older side. Default: the last turn or requested snapshot of the newer side's workspace;
    automatic saves do not count. The answer names it as from.
    """
    glob: NotRequired[str | None]
    """
    Only paths that match, e.g. *.py or src/*.ts.
    """
    includeIgnored: NotRequired[bool]
    """
    List changes in .git and in ignored files (.gitignore) too, instead of counting them.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of changes. Default 200.
    """
    maxBytes: NotRequired[int | None]
    """
    Maximum bytes of all texts, or of the patch. Default 32768.
    """
    offset: NotRequired[int]
    """
    Changes to skip: nextOffset of the previous answer.
    """
    output: NotRequired[DiffOutput]
    """
    How to show changed contents. Default text.
    """
    path: NotRequired[str | None]
    """
    Only this file, or this directory and everything below it.
    """
    to: NotRequired[TreeSelector | None]
    """
    The newer side. Default: the active workspace.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGetSnapshotRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class WorkspaceGlobOptions(TypedDict):
    """
    Keyword arguments of `workspace_glob`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    includeIgnored: NotRequired[bool]
    """
    Also find files in .git and files that .gitignore or .ignore names.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of files.
    """
    path: NotRequired[str]
    """
    Directory under the workspace to search. Default: its root.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceGrepOptions(TypedDict):
    """
    Keyword arguments of `workspace_grep`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    context: NotRequired[int]
    """
    Lines to show before and after each match.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    fixed: NotRequired[bool]
    """
    Treat pattern as literal text.
    """
    glob: NotRequired[str | None]
    """
    Only files whose paths match, as in workspace_glob, e.g. *.py.
    """
    ignoreCase: NotRequired[bool]
    """
    Ignore case.
    """
    includeIgnored: NotRequired[bool]
    """
    Also find files in .git and files that .gitignore or .ignore names.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of lines.
    """
    path: NotRequired[str]
    """
    Directory or file under the workspace. Default: its root.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceLsOptions(TypedDict):
    """
    Keyword arguments of `workspace_ls`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    includeHidden: NotRequired[bool]
    """
    Also list names that begin with a dot.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of entries.
    """
    recursive: NotRequired[bool]
    """
    Also list its directories' contents.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


WorkspacePromoteRequired = TypedDict(
    'WorkspacePromoteRequired',
    {
        'from': TreeSelector
    },
)


class WorkspaceReadFileOptions(TypedDict):
    """
    Keyword arguments of `workspace_read_file`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    encoding: NotRequired[Encoding | None]
    """
    Return text or base64. Default: text, if the content is text.
    """
    lineCount: NotRequired[int | None]
    """
    Maximum lines to read. Default: as many as fit.
    """
    maxBytes: NotRequired[int | None]
    """
    Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
    """
    offset: NotRequired[int | None]
    """
    First byte to read, from 0. Not together with startLine or lineCount.
    """
    startLine: NotRequired[int | None]
    """
    First line to read, from 1.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceRestoreRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class WorkspaceRewindOptions(TypedDict):
    """
    Keyword arguments of `workspace_rewind`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    The headSnapshotId from workspace_describe. If the head has changed since then, the call
    fails with PRECONDITION_FAILED and changes nothing.
    """
    ref: NotRequired[SnapshotSelector | None]
    """
    The snapshot: its ref, its id, its name in this session, or a turn. Or set turns.
    """
    turns: NotRequired[int | None]
    """
    Number of turns to go back, instead of ref. Changes since the last turn count as a turn: if
    there are any, 1 undoes only them.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceStatOptions(TypedDict):
    """
    Keyword arguments of `workspace_stat`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """
    idempotency_key: NotRequired[str]
    """
    A repetition under it gets the first answer. Default: a new one.
    """
    operation_id: NotRequired[str]
    """
    Name to `cancel` the call by.
    """
    expected_active: NotRequired[str]
    """
    Only while this workspace, by id, is the active one.
    """


class WorkspaceUpdateSnapshotRequired(TypedDict):
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


class CompareRequest(TypedDict):
    """
    Which workspaces to compare.
    """

    base: NotRequired[SnapshotSelector | None]
    """
    Snapshot to compare with. Default: the nearest common snapshot of all workspaces.
    """
    command: NotRequired[CommandLine | None]
    """
    Command to run afterwards in all workspaces at once, e.g. the tests.
    """
    glob: NotRequired[str | None]
    """
    Only paths that match, e.g. *.py.
    """
    limit: NotRequired[int | None]
    """
    Maximum changes per workspace. Default 50.
    """
    timeoutMs: NotRequired[int | None]
    """
    Time limit of command in milliseconds. Default 120000.
    """
    workspaces: NotRequired[list[WorkspaceSelector] | None]
    """
    Workspaces, 2 to 20, by id. Default: all of the session.
    """


class CopyFromSnapshot(TypedDict):
    """
    What to copy from a snapshot.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    paths: list[str]
    """
    Files and directories under the snapshot's root, 1 to 100.
    """
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """
    to: NotRequired[str]
    """
    Directory of the workspace that receives them; they keep their paths from the snapshot's
    root. Default: the workspace's root.
    """
    workspace: NotRequired[WorkspaceSelector | None]
    """
    A workspace's id. Default: the active one.
    """


CreateWorkspace = TypedDict(
    'CreateWorkspace',
    {
        'allowCrossSession': NotRequired[bool],
        'from': SnapshotSelector,
        'kind': RestoreKind,
        'switch': NotRequired[bool],
    },
)


class DeleteArgs(TypedDict):
    """
    Arguments of `delete`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    force: NotRequired[bool]
    """
    Also delete it if it is pinned or published, or if a workspace that sleeps or is not saved
    automatically would wake from it. That workspace then starts empty.
    """
    purge: NotRequired[bool]
    """
    Remove all its stored bytes. A separate container first makes the layers on it full.
    """
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """


DiffRequest = TypedDict(
    'DiffRequest',
    {
        'allowCrossSession': NotRequired[bool],
        'content': NotRequired[bool],
        'context': NotRequired[int | None],
        'from': NotRequired[TreeSelector | None],
        'glob': NotRequired[str | None],
        'includeIgnored': NotRequired[bool],
        'limit': NotRequired[int | None],
        'maxBytes': NotRequired[int | None],
        'offset': NotRequired[int],
        'output': NotRequired[DiffOutput],
        'path': NotRequired[str | None],
        'to': NotRequired[TreeSelector | None],
    },
)


class FindFilesRequest(TypedDict):
    """
    Which files to find.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    includeIgnored: NotRequired[bool]
    """
    Also find files in .git and files that .gitignore or .ignore names.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of files.
    """
    path: NotRequired[str]
    """
    Directory under the workspace to search. Default: its root.
    """
    pattern: str
    """
    Glob, e.g. *.py or src/*.{ts,tsx}; ** matches any depth.
    """


class FindLinesRequest(TypedDict):
    """
    Which lines to find.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    context: NotRequired[int]
    """
    Lines to show before and after each match.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    fixed: NotRequired[bool]
    """
    Treat pattern as literal text.
    """
    glob: NotRequired[str | None]
    """
    Only files whose paths match, as in workspace_glob, e.g. *.py.
    """
    ignoreCase: NotRequired[bool]
    """
    Ignore case.
    """
    includeIgnored: NotRequired[bool]
    """
    Also find files in .git and files that .gitignore or .ignore names.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of lines.
    """
    path: NotRequired[str]
    """
    Directory or file under the workspace. Default: its root.
    """
    pattern: str
    """
    Regular expression, e.g. fn \\w+_file, or, with fixed, the literal text.
    """


class Lineage(TypedDict):
    """
    The tree of a session's workspaces and snapshots.
    """

    active: WorkspaceRef
    """
    The workspace that tools act on.
    """
    activeWorkspaceId: SandboxId
    """
    Its id.
    """
    nodes: list[LineageNode]
    """
    Depth first: each place follows its parent.
    """
    text: str
    """
    The tree as text, one line per place.
    """
    truncated: bool
    """
    Whether the oldest places are omitted.
    """


class ListFilesRequest(TypedDict):
    """
    A directory to list.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    cursor: NotRequired[str | None]
    """
    nextCursor of the previous answer.
    """
    includeHidden: NotRequired[bool]
    """
    Also list names that begin with a dot.
    """
    limit: NotRequired[int | None]
    """
    Maximum number of entries.
    """
    path: NotRequired[str]
    """
    Directory under the workspace. Default: its root.
    """
    recursive: NotRequired[bool]
    """
    Also list its directories' contents.
    """


class ListedSnapshot(TypedDict):
    """
    A snapshot of a list.
    """

    clampedTimes: NotRequired[int | None]
    """
    How many paths in its archive had a modification time before 1970 or after 2106. An archive
    can't hold such times: most of these paths got the nearest possible one.
    """
    createdAt: str
    """
    RFC 3339.
    """
    description: str | None
    """
    Description, or null.
    """
    dropped: NotRequired[DroppedByImport | None]
    """
    What an import of an archive did not keep. Absent if nothing was lost.
    """
    expiresAt: str
    """
    RFC 3339. A snapshot counts as expired one minute earlier.
    """
    format: NotRequired[ForeignFormat | None]
    """
    Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first.
    """
    git: NotRequired[GitState | None]
    """
    The git repository at the root of its directory, if there was one.
    """
    id: BackupId
    """
    Id.
    """
    kind: SnapshotKind | None
    """
    Kind of archive; null while it is being taken, and for a backup of
    `@cloudflare/sandbox`.
    """
    labels: Labels
    """
    Labels.
    """
    machine: NotRequired[MachinePart | None]
    """
    The machine that was saved with it, if the session persists machines: all differences from
    the image outside its directory.
    """
    name: str | None
    """
    Name, or null.
    """
    parentId: BackupId | None
    """
    The previous snapshot, or null: the workspace's own last one, autosaves
    included, or the one it was made from or rewound to.
    """
    pinned: bool
    """
    Whether it stays until it is unpinned or deleted.
    """
    published: bool
    """
    Whether other sessions may start workspaces from it.
    """
    ref: SnapshotRef
    """
    Its ref.
    """
    restorable: bool
    """
    Whether a restore can be started now.
    """
    retiredAt: NotRequired[str | None]
    """
    When its workspace was retired, in RFC 3339. It is listed because it is that
    workspace's last save.
    """
    savedBy: NotRequired[str | None]
    """
    The call that took it, by the name of the operation or tool, or the rule: `autosave`.
    """
    sha256: str | None
    """
    SHA-256 of the archive, or null if none was recorded.
    """
    sizeBytes: int | None
    """
    Size of the archive in bytes, or null while it is being taken.
    """
    snapshotId: BackupId
    """
    Its id.
    """
    state: ShownState
    """
    State.
    """
    trigger: SnapshotTrigger
    """
    Why it was taken. Default manual.
    """
    turn: NotRequired[Turn | None]
    """
    The last turn that ended with its files, if one did.
    """
    unrestorableBecause: NotRequired[ErrorCode | None]
    """
    The code that a restore would fail with.
    """


class LiveForks(TypedDict):
    """
    The workspaces that a live fork made.
    """

    fromSnapshotId: BackupId
    """
    The snapshot they were made from; an earlier snapshot if no file changed.
    """
    turn: NotRequired[Turn | None]
    """
    The turn that ended with these files.
    """
    woken: NotRequired[Woken | None]
    """
    The snapshots it woke from, if it was asleep.
    """
    workspaces: list[LiveFork]
    """
    One result for each requested workspace.
    """


class MakeArgs(TypedDict):
    """
    Arguments of `restore` and `branch`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    ref: SnapshotSelector
    """
    The snapshot: its ref, its id, or its name in this session.
    """
    switch: NotRequired[bool | None]
    """
    Make the new workspace active; the default for tools.
    """


PoolConfig = TypedDict(
    'PoolConfig',
    {
        'from': SnapshotSelector,
        'size': int,
    },
)


class PreviewList(TypedDict):
    """
    Previews of a session.
    """

    previews: list[PreviewView]
    """
    All valid previews, newest first.
    """


PromoteArgs = TypedDict(
    'PromoteArgs',
    {
        'allowCrossSession': NotRequired[bool],
        'base': NotRequired[SnapshotSelector | None],
        'discardOthers': NotRequired[bool],
        'dryRun': NotRequired[bool],
        'expectedActive': NotRequired[WorkspaceSelector | None],
        'from': TreeSelector,
        'includeIgnored': NotRequired[bool],
        'mode': NotRequired[PromoteMode],
        'onConflict': NotRequired[ConflictPolicy | None],
    },
)


PromoteInput = TypedDict(
    'PromoteInput',
    {
        'allowCrossSession': NotRequired[bool],
        'discardOthers': NotRequired[bool],
        'dryRun': NotRequired[bool],
        'from': TreeSelector,
        'includeIgnored': NotRequired[bool],
        'mode': NotRequired[PromoteMode],
        'onConflict': NotRequired[ConflictPolicy | None],
    },
)


class Promoted(TypedDict):
    """
    Changes that were brought over.
    """

    baseSnapshotId: NotRequired[BackupId | None]
    """
    The snapshot that both came from. Absent: none is common to both, or all files
    were replaced.
    """
    changed: bool
    """
    Whether any file was changed.
    """
    changes: NotRequired[PlannedChanges | None]
    """
    What would change in the files. Only in a dry run.
    """
    conflicts: NotRequired[list[MergeConflict]]
    """
    Undecided conflicts. Only in a dry run: a promotion would be refused.
    """
    counts: ChangeCounts
    """
    Counts of changes by a merge. Line-merged files count as modified.
    """
    decidedConflicts: list[MergeConflict]
    """
    Conflicts that onConflict decided.
    """
    discarded: list[WorkspaceRef]
    """
    Workspaces that were destroyed.
    """
    dryRun: NotRequired[bool]
    """
    A dry run: nothing was changed. The other fields say what a promotion would do now.
    """
    endedProcesses: list[EndedProcess]
    """
    Processes that were ended. Only if all files were replaced.
    """
    fromSnapshotId: NotRequired[BackupId | None]
    """
    The snapshot whose changes these are. For a workspace, the one that saved it. Absent in a
    dry run for a workspace that runs.
    """
    kept: list[str]
    """
    Paths not changed here. Git repositories that both changed, and ignored files in conflict.
    """
    leftOut: NotRequired[list[IgnoredChanges]]
    """
    Changes not brought over: in files that a .gitignore of the other side ignores, or in a
    cache such as __pycache__. includeIgnored brings them over.
    """
    mergedFiles: int
    """
    Files whose lines were merged.
    """
    notCompared: NotRequired[int]
    """
    Number of files beyond the limit of a call, not compared. If the other side changed them,
    those changes were not brought over.
    """
    ref: WorkspaceRef
    """
    Its ref.
    """
    safetyRef: NotRequired[SnapshotRef | None]
    """
    The safety snapshot: the files before the change. Absent if nothing was changed, as in a
    dry run.
    """
    safetySnapshotId: NotRequired[BackupId | None]
    """
    Its id.
    """
    woken: NotRequired[Woken | None]
    """
    The snapshots it woke from, if it was asleep.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class ReadFileRequest(TypedDict):
    """
    A file to read: whole, or a part by bytes or by lines.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    encoding: NotRequired[Encoding | None]
    """
    Return text or base64. Default: text, if the content is text.
    """
    lineCount: NotRequired[int | None]
    """
    Maximum lines to read. Default: as many as fit.
    """
    maxBytes: NotRequired[int | None]
    """
    Maximum bytes to read. Default 262144 for a part; over MCP 32768, at most 524288.
    """
    offset: NotRequired[int | None]
    """
    First byte to read, from 0. Not together with startLine or lineCount.
    """
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """
    startLine: NotRequired[int | None]
    """
    First line to read, from 1.
    """


class Resumed(TypedDict):
    """
    A workspace that runs, with its files.
    """

    woken: NotRequired[Woken | None]
    """
    The snapshots it woke from; absent if it was running.
    """
    workspace: WorkspaceSummary
    """
    Its current state.
    """


class RewindArgs(TypedDict):
    """
    Arguments of `rewind`.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach snapshots of other sessions.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedActive: NotRequired[WorkspaceSelector | None]
    """
    Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    is the active one.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    Act only if this is the workspace's `headSnapshotId`. Otherwise `PRECONDITION_FAILED`;
    `details.head` is the current one.
    """
    ref: SnapshotSelector
    """
    The snapshot or turn to go back to.
    """


class RewindInput(TypedDict):
    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    dryRun: NotRequired[bool]
    """
    Change nothing; return what would change.
    """
    expectedHead: NotRequired[BackupId | None]
    """
    The headSnapshotId from workspace_describe. If the head has changed since then, the call
    fails with PRECONDITION_FAILED and changes nothing.
    """
    ref: NotRequired[SnapshotSelector | None]
    """
    The snapshot: its ref, its id, its name in this session, or a turn. Or set turns.
    """
    turns: NotRequired[int | None]
    """
    Number of turns to go back, instead of ref. Changes since the last turn count as a turn: if
    there are any, 1 undoes only them.
    """


class Rewound(TypedDict):
    """
    A workspace that was rewound.
    """

    changes: NotRequired[PlannedChanges | None]
    """
    What would change in the files. Only in a dry run.
    """
    dryRun: NotRequired[bool]
    """
    A dry run: nothing was changed. The other fields say what a rewind would do now.
    """
    endedBackground: NotRequired[list[ProcessName]]
    """
    Background processes that were ended and not started again, by the names that
    workspace_start gave them. A preview of a server among them shows an old page until it is
    started again.
    """
    endedProcesses: list[EndedProcess]
    """
    Processes that were ended because they used the directory, at most 100.
    """
    fromSnapshotId: BackupId
    """
    The snapshot whose files the workspace now has.
    """
    hint: NotRequired[str | None]
    """
    What to do about ended processes that were not started again.
    """
    machineLost: NotRequired[bool]
    """
    Whether the bucket lost the machine saved with these files: the workspace keeps its current
    machine.
    """
    ref: WorkspaceRef
    """
    Its ref.
    """
    restarted: NotRequired[list[ProcessName]]
    """
    Background processes that were started again: services of the session, and processes started
    with restart.
    """
    safetyRef: NotRequired[SnapshotRef | None]
    """
    The safety snapshot: the files before the change. Absent if nothing was changed, as in a
    dry run.
    """
    safetySnapshotId: NotRequired[BackupId | None]
    """
    Its id.
    """
    turn: NotRequired[Turn | None]
    """
    The turn that ended with these files; if several did, the requested one.
    """
    undone: NotRequired[Undone | None]
    """
    What an undo reverted.
    """
    woken: NotRequired[Woken | None]
    """
    The snapshots it woke from, if it was asleep.
    """
    workspaceId: SandboxId
    """
    Its id.
    """


class SnapshotPage(TypedDict):
    """
    A page of snapshots.
    """

    nextCursor: NotRequired[str | None]
    """
    Cursor of the next page, if any.
    """
    problems: NotRequired[list[ListProblem]]
    """
    Backups with unreadable records (crossing only).
    """
    snapshots: list[ListedSnapshot]
    """
    Snapshots with their refs and data.
    """


class SnapshotView(TypedDict):
    """
    A snapshot.
    """

    ref: SnapshotRef
    """
    Its ref.
    """
    snapshot: SnapshotSummary
    """
    Its data.
    """
    snapshotId: BackupId
    """
    Its id.
    """
    unchanged: NotRequired[bool]
    """
    Nothing had changed, so this is an earlier snapshot. It now has the requested name and other
    fields; nothing was uploaded.
    """
    woken: NotRequired[Woken | None]
    """
    The snapshots it woke from, if it was asleep.
    """


class StatRequest(TypedDict):
    """
    What to look at.
    """

    allowCrossSession: NotRequired[bool]
    """
    Also reach other sessions' snapshots; each such call is recorded.
    """
    at: NotRequired[TreeSelector | None]
    """
    Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    Default: the active workspace.
    """
    path: str
    """
    Path under the workspace, e.g. src/main.py.
    """


WorkspaceConfig = TypedDict(
    'WorkspaceConfig',
    {
        'autosave': NotRequired[bool | Autosave | None],
        'backupR2Binding': NotRequired[str | None],
        'bucketMounts': NotRequired[list[BucketMountConfig] | None],
        'capabilities': NotRequired[Capabilities | None],
        'destroyOnClose': NotRequired[bool | None],
        'enableInternet': NotRequired[bool | None],
        'envVars': NotRequired[dict[str, str]],
        'forceImage': NotRequired[bool | None],
        'from': NotRequired[SnapshotSelector | None],
        'id': NotRequired[SandboxId | None],
        'incremental': NotRequired[bool | None],
        'instanceType': NotRequired[str | None],
        'keepAwake': NotRequired[bool | None],
        'kind': NotRequired[ProviderKind | None],
        'limits': NotRequired[SessionLimits | None],
        'network': NotRequired[NetworkConfig | None],
        'persist': NotRequired[Persist | None],
        'pool': NotRequired[PoolConfig | None],
        'previewPorts': NotRequired[list[PreviewPort] | None],
        'retention': NotRequired[RetentionConfig | None],
        'secrets': NotRequired[dict[str, Secret]],
        'services': NotRequired[list[ServiceConfig] | None],
        'shareAcrossSessions': NotRequired[bool],
        'sleepAfter': NotRequired[SleepAfter | None],
        'snapshotDir': NotRequired[BackupDir | None],
        'tools': NotRequired[ToolSelection | None],
        'workspaceDir': NotRequired[BackupDir | None],
    },
)


WorkspaceConfigAnswer = TypedDict(
    'WorkspaceConfigAnswer',
    {
        'autosave': NotRequired[bool | Autosave | None],
        'backupR2Binding': NotRequired[str | None],
        'bucketMounts': NotRequired[list[BucketMountConfig] | None],
        'capabilities': NotRequired[Capabilities | None],
        'destroyOnClose': NotRequired[bool | None],
        'enableInternet': NotRequired[bool | None],
        'envVars': NotRequired[dict[str, str]],
        'forceImage': NotRequired[bool | None],
        'from': NotRequired[SnapshotSelector | None],
        'id': NotRequired[SandboxId | None],
        'incremental': NotRequired[bool | None],
        'instanceType': NotRequired[str | None],
        'keepAwake': NotRequired[bool | None],
        'kind': NotRequired[ProviderKind | None],
        'limits': NotRequired[SessionLimits | None],
        'network': NotRequired[NetworkConfig | None],
        'persist': NotRequired[Persist | None],
        'pool': NotRequired[PoolConfig | None],
        'previewPorts': NotRequired[list[PreviewPort] | None],
        'retention': NotRequired[RetentionConfig | None],
        'secrets': NotRequired[dict[str, Secret]],
        'services': NotRequired[list[ServiceConfig] | None],
        'shareAcrossSessions': bool,
        'sleepAfter': NotRequired[SleepAfter | None],
        'snapshotDir': NotRequired[BackupDir | None],
        'tools': NotRequired[ToolSelection | None],
        'workspaceDir': NotRequired[BackupDir | None],
    },
)


class OpenSessionOptions(TypedDict):
    """
    Keyword arguments of `openSession`.
    """

    autosave: NotRequired[bool | Autosave | None]
    """
    Whether the host saves workspaces by itself: before it stops an idle container, and
    every `everyMs` while one is in use. Unchanged files are not uploaded. Default true.
    """
    backupR2Binding: NotRequired[str | None]
    """
    Name of the R2 binding for archives. Default `BACKUP_BUCKET`; another one must be
    listed in the variable `BACKUP_BINDINGS`.
    """
    bucketMounts: NotRequired[list[BucketMountConfig] | None]
    """
    Buckets that containers reach, with any S3 client, at `http://r2.internal`. No
    credential is in the container.
    """
    capabilities: NotRequired[Capabilities | None]
    """
    Modules of the session. Default: all. If set, only those that it names: `{"fs": true}` has
    no shell and no snapshots. The first open decides; opening with others is `CONFLICT`.
    """
    destroyOnClose: NotRequired[bool | None]
    """
    Whether `close` destroys the session's containers. Default false.
    """
    enableInternet: NotRequired[bool | None]
    """
    An older form of `network`: true is mode `open`, false is `off`. Set only one of the two.
    """
    envVars: NotRequired[dict[str, str]]
    """
    Environment of every command. Redacted wherever it is shown; `{}` removes all.
    """
    forceImage: NotRequired[bool | None]
    """
    With `machine`: whether a machine is also restored onto another image than it was
    saved on. Default false: `CONFLICT`.
    """
    from_: NotRequired[SnapshotSelector | None]
    """
    The published snapshot of another session that the first workspace begins with: its
    ref or id. The first open claims it and starts nothing; the first call that uses the
    workspace brings its files. It must be of `workspaceDir` or a directory above it.
    With `crossSession`, also a backup of Sandbox SDK 1.0: that call makes a snapshot of it.
    Absent: an empty workspace.
    """
    id: NotRequired[SandboxId | None]
    """
    A sandbox that several sessions share. It begins with `shared-` and needs
    `shareAcrossSessions`.
    """
    incremental: NotRequired[bool | None]
    """
    Whether snapshots that callers take store only what has changed since the last one:
    those of kind `layer`. Automatic snapshots and those of turns may always be layers.
    Default false: `full`, which `@cloudflare/sandbox` 0.12 can restore, too.
    """
    instanceType: NotRequired[str | None]
    """
    Size of the container, e.g. `standard-1`, where the platform lets the object choose.
    """
    keepAwake: NotRequired[bool | None]
    """
    Whether a background process keeps its container running after `sleepAfter`, for up to
    5 h 50 min after the last use. Services don't. Needs `autosave`. Default false.
    """
    kind: NotRequired[ProviderKind | None]
    """
    `cloudflare-sandbox`, for callers that send a provider kind.
    """
    limits: NotRequired[SessionLimits | None]
    """
    How many containers and workspaces the session may have, and how many calls. Beyond
    a rate: `RATE_LIMITED`, with `details.retryAfterMs`.
    """
    network: NotRequired[NetworkConfig | None]
    """
    What containers reach. Default: the Internet.
    """
    persist: NotRequired[Persist | None]
    """
    What a snapshot holds: `workspace`, the default, only its directory; `machine` also all
    differences from the image outside it, such as installed packages.
    """
    pool: NotRequired[PoolConfig | None]
    """
    Like `from`, but takes the first workspace from a warm pool if the pool has a ready
    container with these files. Otherwise opens as `from` does, and fills the pool for later
    sessions. Needs the operator's variable `MAX_POOL_CONTAINERS`.
    """
    previewPorts: NotRequired[list[PreviewPort] | None]
    """
    Ports that previews may reach: servers in the containers, over HTTP and WebSockets.
    Default none. A later open may change them; `[]` removes all.
    """
    retention: NotRequired[RetentionConfig | None]
    """
    Which snapshots the session keeps; the variable `RETENTION` has the defaults.
    """
    secrets: NotRequired[dict[str, Secret]]
    """
    Headers with credentials, by name, that requests get on their way out. Containers never
    have them. A later open may change them; `{}` removes all.
    """
    services: NotRequired[list[ServiceConfig] | None]
    """
    Commands that run in the background of each workspace: started when it is first used,
    restored, branched or forked, after a wake and after a rewind. A service that ends is not
    started again until then. A later open may change the list; those that run go on. `[]`
    removes all.
    """
    shareAcrossSessions: NotRequired[bool]
    """
    Acknowledges that `id` is shared.
    """
    sleepAfter: NotRequired[SleepAfter | None]
    """
    Idle time before a container stops: seconds, or text such as `"10m"`. Default 10
    minutes, at most 6 hours.
    """
    snapshotDir: NotRequired[BackupDir | None]
    """
    Directory that a snapshot captures; `workspaceDir` may lie in it. Default: the
    workspace.
    """
    tools: NotRequired[ToolSelection | None]
    """
    Tools that a model is shown: `core`, the default, for daily work; `all`; or a list of names.
    Tools that are not shown can be called all the same.
    """
    workspaceDir: NotRequired[BackupDir | None]
    """
    Root of the workspace: at or under `/workspace`, `/home` or `/app`, or under `/tmp`
    or `/var/tmp`. Default `/workspace`.
    """
    deadline: NotRequired[float]
    """
    Seconds after which the call is given up. Of a stream: its longest silence.
    """


class SessionView(TypedDict):
    """
    A session as it is shown. Values of `envVars` are hidden.
    """

    active: WorkspaceRef
    """
    The workspace that tools act on.
    """
    activeWorkspaceId: SandboxId
    """
    Its id.
    """
    config: WorkspaceConfig
    """
    The configuration that it was opened with, redacted.
    """
    missing: NotRequired[list[MissingView]]
    """
    Buckets that lack so many listed snapshots that their loss is not recorded.
    """
    openedAt: str
    """
    RFC 3339; the first open.
    """
    session: SessionId
    """
    Its id.
    """
    status: SessionStatus
    """
    `open` or `closed`.
    """
    workspaceDir: str
    """
    The directory that file paths are relative to.
    """
