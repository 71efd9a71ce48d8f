"""The asynchronous client. The synchronous one is made from it: see generate.py."""

from __future__ import annotations

import base64
import time
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, Unpack, cast

import httpx

from . import async_io as io
from .core import (
    Answer, Call, EventDecoder, Nothing, Operation, Options, Request, RunEvent, SnapshotName, WatchEvent, error_from, server_of, snapshot_of,
)
from .errors import NoAnswerError, TimedOutError, UnexpectedAnswerError, error_of
from .generated import operations as op
from .generated import types as t

Page = TypeVar("Page", bound=Mapping[str, object])
Item = TypeVar("Item")
NOTHING: Nothing = {}
# The most of its output that a command answers with, in bytes. By default a tool answers with what a model can take in.
ALL_OUTPUT = 1_048_576
# The most milliseconds that a command is waited for. A tool lets it go on in the background after 45 s.
TO_THE_END = 3_600_000
YEAR = 365 * 24 * 3600.0

# In a session, `list` is its method.
Paths = list[str]
Previews = list[t.PreviewView]
Tokens = list[t.TokenView]
Tools = list[t.ListedTool]


class AsyncPages(Generic[Page, Item]):
    """A list that comes in pages. Iterating it gives the items of all pages, each page requested when it is reached."""

    def __init__(self, get: Callable[[str | None], Awaitable[Page]], items_of: Callable[[Page], list[Item]]) -> None:
        self._get = get
        self._items_of = items_of

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in self._items_of(page):
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """The pages themselves, with the fields that some have beside their items."""
        cursor: str | None = None
        while True:
            page = await self._get(cursor)
            yield page
            cursor = cast(str | None, page.get("nextCursor"))
            if not cursor:
                return

    async def all(self) -> list[Item]:
        """All items."""
        return [item async for item in self]


class AsyncTransport:
    """Sends requests: their retries, time limit and errors."""

    def __init__(self, url: str, token: str, deadline: float, retries: int, client: httpx.AsyncClient | None) -> None:
        self.url = url
        self.headers = {"authorization": f"Bearer {token}"}
        self.deadline = deadline
        self.retries = retries
        self.client = client or httpx.AsyncClient()

    async def answer(self, request: Request[Answer], content: Any = None) -> Answer:
        """Calls an operation that answers JSON."""
        # An iterable can be sent only once.
        call = Call(request, is_repeatable=content is None or isinstance(content, bytes))
        response = await self.send(call, content)
        try:
            return cast(Answer, response.json())
        except ValueError as cause:
            raise UnexpectedAnswerError(call.name, response.status_code, response.text) from cause

    async def stream(self, request: Request[Any]) -> AsyncGenerator[bytes, None]:
        """Calls an operation that answers a stream."""
        call = Call(request, is_repeatable=True)
        response = await self.send(call, None, is_stream=True)
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.TransportError as cause:
            raise NoAnswerError(f"the stream of {call.name}", cause) from cause
        finally:
            await response.aclose()

    async def send(self, call: Call, content: Any, is_stream: bool = False) -> httpx.Response:
        try:
            return await self.attempts(call, content, is_stream)
        except BaseException as error:
            # Of those that are no `Exception`, one cancels the caller's task, and one interrupts the program.
            if call.cancel_path and (isinstance(error, TimedOutError) or not isinstance(error, Exception)):
                # The end of its connection does not end the call.
                address = self.url + call.cancel_path
                await io.uninterrupted(lambda: self.client.post(address, headers=self.headers))
            raise

    async def attempts(self, call: Call, content: Any, is_stream: bool) -> httpx.Response:
        # A socket takes no infinite one.
        deadline = min(YEAR, self.deadline if call.deadline is None else call.deadline)
        ends_at = time.monotonic() + deadline
        while True:
            left = ends_at - time.monotonic()
            if left <= 0:
                raise TimedOutError(call.name, deadline)
            request = self.client.build_request(
                call.method, self.url + call.path, params=call.query, headers={**self.headers, **call.headers}, content=call.body or content, timeout=left
            )
            try:
                response = await self.client.send(request, stream=True)
                if response.is_success and is_stream:
                    return response
                try:
                    await response.aread()
                finally:
                    await response.aclose()
                if response.is_success:
                    return response
                error = error_from(call, response.status_code, response.text)
            except httpx.TimeoutException as cause:
                raise TimedOutError(call.name, deadline) from cause
            except httpx.TransportError as cause:
                error = NoAnswerError(call.name, cause)
                error.__cause__ = cause
            pause = call.pause_before_retry(error, self.retries)
            if pause is None:
                raise error
            await io.sleep(max(0, min(pause, ends_at - time.monotonic())))


class AsyncInWorkspace:
    """Commands and files: what a session does in its active workspace, and an `AsyncWorkspace` in its own.

    The methods have the names of the tools, without `workspace_`. Of a session, the option `workspace` names another
    workspace by its id; `at`, of the methods that look at files, names a snapshot, a turn or a workspace.
    """

    def __init__(self, transport: AsyncTransport, session: str, workspace: str | None = None) -> None:
        self._transport = transport
        self._session = session
        self._where = {} if workspace is None else {"workspace": workspace}
        self._at = {} if workspace is None else {"at": f"workspace:{workspace}"}

    async def call(self, request: Request[Answer], content: Any = None) -> Answer:
        """Calls an operation of `operations`: `call(operations.workspace_glob({"pattern": "*.py"}, {}))`."""
        return await self._transport.answer(self._here(request), content)

    def _stream(self, request: Request[Any]) -> AsyncGenerator[bytes, None]:
        return self._transport.stream(self._here(request))

    def _here(self, request: Request[Answer]) -> Request[Answer]:
        return replace(request, options={**self._where, **request.options}).at(session=self._session)

    async def _look(self, request: Request[Answer]) -> Answer:
        request = replace(request, options={**self._at, **request.options})
        return await self._transport.answer(request.at(session=self._session))

    # Commands and code

    async def run(self, command: t.CommandLine, **options: Unpack[t.WorkspaceRunOptions]) -> t.ExecResult:
        """Runs a command to its end, unless `waitMs` is set, and collects its output. A nonzero exit is a result, not an error."""
        options.setdefault("maxOutputBytes", ALL_OUTPUT)
        options.setdefault("waitMs", TO_THE_END)
        return await self.call(op.workspace_run({"command": command}, options))

    def run_stream(self, command: t.CommandLine, **options: Unpack[t.RunCommandOptions]) -> AsyncGenerator[RunEvent, None]:
        """Runs a command and yields its output while it runs; the last event is `complete`.

        Closing the iterator ends the command. `contextlib.aclosing` does that at the end of a block.
        """
        return cast(AsyncGenerator[RunEvent, None], self._told(op.run_command({"command": command}, options), "complete", "the command's stream"))

    async def run_code(self, language: t.Language, code: str, **options: Unpack[t.WorkspaceRunCodeOptions]) -> t.RunCodeResult:
        """Runs a piece of code in an interpreter of its own."""
        options.setdefault("maxOutputBytes", ALL_OUTPUT)
        return await self.call(op.workspace_run_code({"language": language, "code": code}, options))

    async def start(self, name: str, command: t.CommandLine, **options: Unpack[t.StartProcessOptions]) -> t.ProcessView2:
        """Starts a command in the background, under a name by which `logs` and `stop` find it."""
        return await self.call(op.start_process({"name": name, "command": command}, options))

    async def processes(self, **options: Unpack[t.ListProcessesOptions]) -> t.ProcessList:
        return await self.call(op.list_processes(NOTHING, options))

    async def logs(self, process: str, **options: Unpack[t.ReadProcessLogOptions]) -> t.ProcessLog:
        """Reads what a background process printed. To follow it, read from `nextOffset` on with `waitMs`."""
        return await self.call(op.read_process_log(NOTHING, options, process=process))

    async def stop(self, process: str, **options: Unpack[t.StopProcessOptions]) -> t.ProcessView2:
        return await self.call(op.stop_process(NOTHING, options, process=process))

    async def create_code_context(self, language: t.Language, **options: Unpack[t.CreateCodeContextOptions]) -> t.CodeContext2:
        """Starts an interpreter that keeps its variables between calls of `run_in_code_context`."""
        return await self.call(op.create_code_context({"language": language}, options))

    async def list_code_contexts(self, **options: Unpack[t.ListCodeContextsOptions]) -> t.CodeContextList:
        return await self.call(op.list_code_contexts(NOTHING, options))

    async def run_in_code_context(self, context: str, code: str, **options: Unpack[t.RunInCodeContextOptions]) -> t.RanInContext:
        return await self.call(op.run_in_code_context({"code": code}, options, context=context))

    async def delete_code_context(self, context: str, **options: Unpack[t.DeleteCodeContextOptions]) -> t.DeletedCodeContext:
        return await self.call(op.delete_code_context(NOTHING, options, context=context))

    # Files

    async def read_file(self, path: str, **options: Unpack[t.WorkspaceReadFileOptions]) -> t.SeenReadFileResult:
        """Reads a file, of at most 2 MiB, or a part of it."""
        return await self._look(op.workspace_read_file({"path": path}, options))

    async def write_file(self, path: str, content: str | bytes, **options: Unpack[t.WorkspaceWriteFileOptions]) -> t.WrittenFile:
        """Writes a file, and the directories above it."""
        if isinstance(content, bytes):
            content = base64.b64encode(content).decode()
            options["encoding"] = "base64"
        return await self.call(op.workspace_write_file({"path": path, "content": content}, options))

    async def edit_file(self, path: str, old_text: str, new_text: str, **options: Unpack[t.WorkspaceEditFileOptions]) -> t.EditedFile:
        """Replaces a text in a file. The text must occur once, unless `replaceAll` is set."""
        return await self.call(op.workspace_edit_file({"path": path, "oldText": old_text, "newText": new_text}, options))

    async def ls(self, path: str = ".", **options: Unpack[t.WorkspaceLsOptions]) -> t.SeenListedFiles:
        """Lists a directory."""
        return await self._look(op.workspace_ls({"path": path}, options))

    async def glob(self, pattern: str, **options: Unpack[t.WorkspaceGlobOptions]) -> t.SeenFoundFileList:
        """Files whose paths match a pattern, such as `src/*.py`."""
        return await self._look(op.workspace_glob({"pattern": pattern}, options))

    async def grep(self, pattern: str, **options: Unpack[t.WorkspaceGrepOptions]) -> t.SeenFoundLineList:
        """Lines that match a regular expression."""
        return await self._look(op.workspace_grep({"pattern": pattern}, options))

    async def stat(self, path: str, **options: Unpack[t.WorkspaceStatOptions]) -> t.SeenStatView:
        return await self._look(op.workspace_stat({"path": path}, options))

    async def mkdir(self, path: str, **options: Unpack[t.WorkspaceMkdirOptions]) -> t.MadeDir:
        """Makes a directory, and those above it."""
        return await self.call(op.workspace_mkdir({"path": path}, options))

    async def rm(self, path: str, **options: Unpack[t.WorkspaceRmOptions]) -> t.Removed:
        """Removes a file, or a directory with `recursive`."""
        return await self.call(op.workspace_rm({"path": path}, options))

    def watch(self, **options: Unpack[t.WatchFilesOptions]) -> AsyncGenerator[WatchEvent, None]:
        """Yields changes of files while it is watched; the first event is `watching`, and the last `ended`, after an hour.

        Closing the iterator ends the watch. `contextlib.aclosing` does that at the end of a block.
        """
        return cast(AsyncGenerator[WatchEvent, None], self._told(op.watch_files(NOTHING, options), "ended", "the watch"))

    async def copy_from_snapshot(self, ref: t.SnapshotSelector, paths: Paths, **options: Unpack[t.CopyFromSnapshotOptions]) -> t.CopiedFiles:
        """Copies files and directories of a snapshot into the workspace, all or none."""
        return await self.call(op.copy_from_snapshot({"ref": ref, "paths": paths}, options))

    async def copy_from_workspace(self, from_: WorkspaceName, paths: Paths, **options: Unpack[t.CopyFromWorkspaceOptions]) -> t.ImportedTar:
        """Copies files and directories of another workspace into this one, all or none."""
        return await self.call(op.copy_from_workspace({"paths": paths}, options, workspace=workspace_of(from_)))

    def export_tar(self, **options: Unpack[t.ExportArchiveOptions]) -> AsyncGenerator[bytes, None]:
        """A directory as a tar archive. A stream that ends is whole."""
        return self._stream(op.export_archive(NOTHING, options))

    async def import_tar(self, archive: bytes | AsyncIterable[bytes], **options: Unpack[t.ImportArchiveOptions]) -> t.ImportedTar:
        """Extracts a tar archive into a directory, all or nothing."""
        return await self.call(op.import_archive(NOTHING, options), archive)

    async def store_part(self, upload: str, part: int, content: bytes, **options: Unpack[t.StorePartOptions]) -> t.StoredPart:
        """Stores a part of an archive that is too large for one request. `upload` is an id of your choice."""
        return await self.call(op.store_part(NOTHING, options, upload=upload, part=part), content)

    async def finish_upload(self, upload: str, parts: int, **options: Unpack[t.FinishUploadOptions]) -> t.ImportedTar:
        """Imports the archive that the parts make up."""
        return await self.call(op.finish_upload({"parts": parts}, options, upload=upload))

    async def abort_upload(self, upload: str, **options: Unpack[t.AbortUploadOptions]) -> t.AbortedUpload:
        return await self.call(op.abort_upload(NOTHING, options, upload=upload))

    # Git checkpoints: commits beside the repository's own history

    async def git_checkpoint(self, name: str, **options: Unpack[t.WorkspaceGitCheckpointOptions]) -> t.TakenGitCheckpoint:
        return await self.call(op.workspace_git_checkpoint({"name": name}, options))

    async def git_checkpoint_list(self, **options: Unpack[t.WorkspaceGitCheckpointListOptions]) -> t.GitCheckpointList:
        return await self.call(op.workspace_git_checkpoint_list(NOTHING, options))

    async def git_checkpoint_restore(self, name: str, **options: Unpack[t.WorkspaceGitCheckpointRestoreOptions]) -> t.RestoredGitCheckpoint:
        return await self.call(op.workspace_git_checkpoint_restore({"name": name}, options))

    async def git_checkpoint_diff(self, name: str, **options: Unpack[t.WorkspaceGitCheckpointDiffOptions]) -> t.GitCheckpointDiff:
        return await self.call(op.workspace_git_checkpoint_diff({"name": name}, options))

    async def git_checkpoint_delete(self, name: str, **options: Unpack[t.WorkspaceGitCheckpointDeleteOptions]) -> t.DeletedGitCheckpoint:
        return await self.call(op.workspace_git_checkpoint_delete({"name": name}, options))

    async def _told(self, request: Request[Any], end: str, name: str) -> AsyncGenerator[dict[str, Any], None]:
        """The events of a stream, whose last event is `end`, or an error."""
        stream = self._stream(request)
        decoder = EventDecoder()
        try:
            async for chunk in stream:
                for event in decoder.decode(chunk):
                    if event["type"] == "error":
                        raise error_of(event["error"])
                    yield event
                    if event["type"] == end:
                        return
        finally:
            await stream.aclose()
        raise NoAnswerError(name, f"it ended without `{end}`")


class AsyncWorkspace(AsyncInWorkspace):
    """One workspace of a session, such as a fork. Its methods act in it, whichever workspace is active."""

    def __init__(self, transport: AsyncTransport, session: str, id: str) -> None:
        super().__init__(transport, session, id)
        self.id = id


WorkspaceName = str | t.WorkspaceRef | AsyncWorkspace
"""A workspace: its id, its ref, or what `fork` and `workspace` return."""


class AsyncForks(t.LiveForks):
    """What a fork answers, with handles."""

    forks: "list[AsyncWorkspace]"
    """Those that were made. `workspaces` also has the error of each that was not."""


class AsyncSession(AsyncInWorkspace):
    """One session. Required arguments are positional; optional ones are keywords, with the names of the HTTP API.

    Each call also takes `deadline`, and where the API has them `idempotency_key`, `operation_id` and `expected_active`.
    """

    def __init__(self, transport: AsyncTransport, name: str) -> None:
        super().__init__(transport, name)
        self.name = name

    def workspace(self, id: str) -> AsyncWorkspace:
        """One of its workspaces, by id. This makes no call."""
        return AsyncWorkspace(self._transport, self.name, id)

    @property
    def mcp_url(self) -> str:
        """The address of the session's MCP server."""
        return f"{self._transport.url}/v1/sessions/{self.name}/mcp"

    # The session

    async def open(self, **options: Unpack[t.OpenSessionOptions]) -> t.SessionView:
        """Opens the session. Opening it again with an equal configuration does nothing."""
        return await self.call(op.open_session(NOTHING, options))

    async def describe(self, **options: Unpack[t.DescribeSessionOptions]) -> t.SessionView:
        return await self.call(op.describe_session(NOTHING, options))

    async def close(self, **options: Unpack[t.CloseSessionOptions]) -> t.SessionView:
        """Closes the session. Its snapshots are kept."""
        return await self.call(op.close_session(NOTHING, options))

    async def delete_session(self, **options: Unpack[t.DeleteSessionOptions]) -> t.DeletedSession:
        """Deletes the session with all that it has, snapshots too. Needs `force`."""
        return await self.call(op.delete_session(NOTHING, options))

    async def usage(self, **options: Unpack[t.GetUsageOptions]) -> t.SessionUsage:
        return await self.call(op.get_usage(NOTHING, options))

    def events(self, **options: Unpack[t.ListEventsOptions]) -> AsyncPages[t.EventPage, t.EventView]:
        """The session's events, newest first."""
        return AsyncPages(lambda cursor: self.call(op.list_events(NOTHING, _at(options, cursor))), lambda page: page["events"])

    def commands(self, **options: Unpack[t.ListCommandsOptions]) -> AsyncPages[t.CommandPage, t.CommandRecord]:
        """The commands and the code that ran last, newest first, each with the end of what it printed."""
        return AsyncPages(lambda cursor: self.call(op.list_commands(NOTHING, _at(options, cursor))), lambda page: page["commands"])

    async def rebuild(self, **options: Unpack[t.RebuildCatalogueOptions]) -> t.Rebuilt:
        """Puts snapshots back into the catalogue, one page of backups for each call, after the session lost its storage."""
        return await self.call(op.rebuild_catalogue(NOTHING, options))

    # Tools

    async def tools(self, **options: Unpack[t.ListToolsOptions]) -> Tools:
        """The tools that the token may use, in the form that a model takes."""
        return (await self.call(op.list_tools(NOTHING, options)))["tools"]

    async def call_tool(self, name: str, input: Mapping[str, Any] | None = None, **options: Unpack[t.WorkspaceDescribeOptions]) -> dict[str, Any]:
        """Calls a tool by its name, as a model does. `call` has types."""
        tool: Operation[Mapping[str, Any], t.WorkspaceDescribeOptions, dict[str, Any]] = Operation(
            "POST", "/v1/sessions/{session}/tools/{tool}", json=True, keyed=True, named=True
        )
        return await self.call(tool(input or {}, options, tool=name))

    # Snapshots

    async def snapshot(self, **options: Unpack[t.TakeSnapshotOptions]) -> t.SnapshotView:
        """Saves the active workspace. Answers once R2 holds the snapshot."""
        return await self.call(op.take_snapshot(NOTHING, options))

    async def import_snapshot(self, archive: bytes | AsyncIterable[bytes], **options: Unpack[t.ImportSnapshotOptions]) -> t.SnapshotView:
        """Makes a snapshot of an archive: tar, plain or compressed with gzip or zstd, or a layer of an OCI image."""
        return await self.call(op.import_snapshot(NOTHING, options), archive)

    async def import_backup(self, **options: Unpack[t.ImportBackupOptions]) -> t.SnapshotView:
        """Makes a snapshot of an archive in the bucket, such as a backup of the Sandbox SDK 1.0."""
        return await self.call(op.import_backup(NOTHING, options))

    def export_snapshot(self, snapshot: SnapshotName, **options: Unpack[t.ExportSnapshotOptions]) -> AsyncGenerator[bytes, None]:
        """The files of a snapshot as a tar archive compressed with zstd, as the Sandbox SDK 1.0 keeps its backups."""
        return self._stream(op.export_snapshot(NOTHING, options, snapshot=snapshot_of(snapshot)))

    async def export_backup(self, snapshot: SnapshotName, **options: Unpack[t.ExportBackupOptions]) -> t.SdkBackupRecord:
        """Stores a snapshot in the bucket as a backup of the Sandbox SDK 1.0. Returns the record by which the SDK restores it."""
        return await self.call(op.export_backup(NOTHING, options, snapshot=snapshot_of(snapshot)))

    def list(self, **options: Unpack[t.ListSnapshotsOptions]) -> AsyncPages[t.SnapshotPage, t.ListedSnapshot]:
        """The session's snapshots, newest first."""
        return AsyncPages(lambda cursor: self.call(op.list_snapshots(NOTHING, _at(options, cursor))), lambda page: page["snapshots"])

    async def get(self, snapshot: SnapshotName, **options: Unpack[t.GetSnapshotOptions]) -> t.SnapshotView:
        return await self.call(op.get_snapshot(NOTHING, options, snapshot=snapshot_of(snapshot)))

    async def update(self, snapshot: SnapshotName, **options: Unpack[t.UpdateSnapshotOptions]) -> t.SnapshotView:
        """Renames, describes, labels, pins or publishes a snapshot, or changes its expiry."""
        return await self.call(op.update_snapshot(NOTHING, options, snapshot=snapshot_of(snapshot)))

    async def delete(self, snapshot: SnapshotName, **options: Unpack[t.DeleteSnapshotOptions]) -> t.Deleted:
        """Deletes a snapshot. Workspaces that were made from it stay."""
        return await self.call(op.delete_snapshot(NOTHING, options, snapshot=snapshot_of(snapshot)))

    async def flatten(self, snapshot: SnapshotName, **options: Unpack[t.FlattenSnapshotOptions]) -> t.SnapshotView:
        """Gives a layer an archive of its whole tree."""
        return await self.call(op.flatten_snapshot(NOTHING, options, snapshot=snapshot_of(snapshot)))

    def snapshot_events(self, snapshot: SnapshotName, **options: Unpack[t.ListSnapshotEventsOptions]) -> AsyncPages[t.EventPage, t.EventView]:
        path = {"snapshot": snapshot_of(snapshot)}
        return AsyncPages(lambda cursor: self.call(op.list_snapshot_events(NOTHING, _at(options, cursor), **path)), lambda page: page["events"])

    def workspace_events(self, workspace: WorkspaceName, **options: Unpack[t.ListWorkspaceEventsOptions]) -> AsyncPages[t.EventPage, t.EventView]:
        path = {"workspace": workspace_of(workspace)}
        return AsyncPages(lambda cursor: self.call(op.list_workspace_events(NOTHING, _at(options, cursor), **path)), lambda page: page["events"])

    async def plan_retention(self, **options: Unpack[t.PlanRetentionOptions]) -> t.RetentionReport:
        """What the retention policy would delete now."""
        return await self.call(op.plan_retention(NOTHING, options))

    async def retain(self, **options: Unpack[t.RetainOptions]) -> t.RetentionReport:
        """Applies the retention policy now."""
        return await self.call(op.retain(NOTHING, options))

    # Files of a snapshot, read without a container

    def list_files(self, snapshot: SnapshotName, **options: Unpack[t.ListSnapshotFilesOptions]) -> AsyncPages[t.ListedFiles, t.ListedEntry]:
        path = {"snapshot": snapshot_of(snapshot)}
        return AsyncPages(lambda cursor: self.call(op.list_snapshot_files(NOTHING, _at(options, cursor), **path)), lambda page: page["entries"])

    async def stat_file(self, snapshot: SnapshotName, **options: Unpack[t.StatSnapshotFileOptions]) -> t.StatView:
        return await self.call(op.stat_snapshot_file(NOTHING, options, snapshot=snapshot_of(snapshot)))

    def stream_file(self, snapshot: SnapshotName, path: str, **options: Unpack[t.DownloadSnapshotFileOptions]) -> AsyncGenerator[bytes, None]:
        """The content of a file of a snapshot."""
        return self._stream(op.download_snapshot_file({"path": path}, options, snapshot=snapshot_of(snapshot)))

    def search_snapshot(self, snapshot: SnapshotName, pattern: str, **options: Unpack[t.SearchSnapshotOptions]) -> AsyncPages[t.SearchedSnapshot, t.FoundLine]:
        """Lines of a snapshot's files that match a regular expression."""
        path = {"snapshot": snapshot_of(snapshot)}
        return AsyncPages(lambda cursor: self.call(op.search_snapshot({"pattern": pattern}, _at(options, cursor), **path)), lambda page: page["lines"])

    # Going back, and several workspaces

    async def restore(self, from_: t.SnapshotSelector, **options: Unpack[t.CreateWorkspaceOptions]) -> t.MadeWorkspace:
        """Makes a workspace from a snapshot. The active workspace stays active, unless `switch` is true."""
        return await self.call(op.create_workspace({"from": from_, "kind": "restored"}, options))

    async def branch(self, from_: t.SnapshotSelector, **options: Unpack[t.CreateWorkspaceOptions]) -> t.MadeWorkspace:
        """As `restore`; the workspace is recorded as an experiment."""
        return await self.call(op.create_workspace({"from": from_, "kind": "branch"}, options))

    async def fork(self, **options: Unpack[t.ForkWorkspaceOptions]) -> AsyncForks:
        """Makes workspaces with the files that the active one has now. `forks` of the answer are handles to work in them."""
        answer = await self.call(op.fork_workspace(NOTHING, options))
        # mypy doesn't know which of the two has a ref.
        made = cast(list[Mapping[str, Any]], answer["workspaces"])
        forks = [self.workspace(one["workspaceId"]) for one in made if "ref" in one]
        return {**answer, "forks": forks}

    async def rewind(self, ref: t.SnapshotSelector, **options: Unpack[t.RewindOptions]) -> t.Rewound:
        """Puts the active workspace back to a snapshot or the end of a turn, in place, after a safety snapshot."""
        return await self.call(op.rewind({"ref": ref}, options))

    async def undo(self, turns: int = 1, /, **options: Unpack[t.UndoOptions]) -> t.Rewound:
        """Puts the active workspace back by turns, in place, after a safety snapshot. What has changed since the last turn
        counts as one: the first undo goes back to that turn's end, or else to the turn before it."""
        return await self.call(op.undo({}, {"turns": turns, **options}))

    async def save_turn(self, **options: Unpack[t.SaveTurnOptions]) -> t.SnapshotView:
        """Records that a turn of the conversation has ended, with the files that it ended with."""
        return await self.call(op.save_turn(NOTHING, options))

    def timeline(self, **options: Unpack[t.ListTurnsOptions]) -> AsyncPages[t.Timeline, t.TurnView]:
        """The turns, newest first, each with what it changed."""
        return AsyncPages(lambda cursor: self.call(op.list_turns(NOTHING, _at(options, cursor))), lambda page: page["turns"])

    async def lineage(self, **options: Unpack[t.GetLineageOptions]) -> t.Lineage:
        """The tree of workspaces and snapshots."""
        return await self.call(op.get_lineage(NOTHING, options))

    async def diff(self, **options: Unpack[t.DiffOptions]) -> t.TreeDiff:
        """What differs between two snapshots or workspaces; by default what the active workspace
        has changed since its last turn or snapshot."""
        return await self.call(op.diff(NOTHING, options))

    async def compare(self, **options: Unpack[t.CompareWorkspacesOptions]) -> t.Comparison:
        """Compares workspaces, and how a command ends in each."""
        return await self.call(op.compare_workspaces(NOTHING, options))

    async def script(self, code: str, **options: Unpack[t.RunScriptOptions]) -> t.ScriptResult:
        """Runs JavaScript beside the session, without a container."""
        return await self.call(op.run_script({"code": code}, options))

    async def promote(self, from_: t.TreeSelector | AsyncWorkspace, **options: Unpack[t.PromoteOptions]) -> t.Promoted:
        """Brings the changes of another workspace, or of a snapshot, into the active workspace."""
        return await self.call(op.promote({"from": {"workspace": from_.id} if isinstance(from_, AsyncWorkspace) else from_}, options))

    async def workspaces(self, **options: Unpack[t.ListWorkspacesOptions]) -> t.WorkspaceList:
        return await self.call(op.list_workspaces(NOTHING, options))

    async def active_workspace(self, **options: Unpack[t.GetActiveWorkspaceOptions]) -> t.WorkspaceRef:
        return (await self.call(op.get_active_workspace(NOTHING, options)))["ref"]

    async def switch(self, ref: t.WorkspaceSelector | AsyncWorkspace, **options: Unpack[t.SetActiveWorkspaceOptions]) -> t.WorkspaceRef:
        """Makes another workspace the active one."""
        return (await self.call(op.set_active_workspace({"ref": ref.id if isinstance(ref, AsyncWorkspace) else ref}, options)))["ref"]

    async def start_fresh(self, **options: Unpack[t.StartFreshOptions]) -> t.WorkspaceRef:
        """Gives the active workspace, whose container has stopped, a new and empty one."""
        return (await self.call(op.start_fresh(NOTHING, options)))["ref"]

    async def pause(self, workspace: WorkspaceName, **options: Unpack[t.PauseWorkspaceOptions]) -> t.Paused:
        """Saves a workspace and releases its container, until `resume`."""
        return await self.call(op.pause_workspace(NOTHING, options, workspace=workspace_of(workspace)))

    async def resume(self, workspace: WorkspaceName, **options: Unpack[t.ResumeWorkspaceOptions]) -> t.Resumed:
        return await self.call(op.resume_workspace(NOTHING, options, workspace=workspace_of(workspace)))

    async def destroy_workspace(self, workspace: WorkspaceName, **options: Unpack[t.DestroyWorkspaceOptions]) -> t.DestroyedWorkspace:
        """Destroys a workspace that is not active. Unsaved changes are lost."""
        return await self.call(op.destroy_workspace(NOTHING, options, workspace=workspace_of(workspace)))

    async def destroy_container(self, workspace: WorkspaceName, **options: Unpack[t.DestroyContainerOptions]) -> t.Destroyed:
        """Destroys the container of any workspace. Unsaved changes are lost."""
        return await self.call(op.destroy_container(NOTHING, options, workspace=workspace_of(workspace)))

    # Recorded calls

    def operations(self, **options: Unpack[t.ListOperationsOptions]) -> AsyncPages[t.OperationPage, t.OperationView]:
        return AsyncPages(lambda cursor: self.call(op.list_operations(NOTHING, _at(options, cursor))), lambda page: page["operations"])

    async def operation(self, operation: str, **options: Unpack[t.GetOperationOptions]) -> t.OperationView:
        return await self.call(op.get_operation(NOTHING, options, operation=operation))

    async def cancel(self, operation: str, **options: Unpack[t.CancelOperationOptions]) -> t.Cancelled:
        """Asks a running call to end before its next step, and ends a command that it runs."""
        return await self.call(op.cancel_operation(NOTHING, options, operation=operation))

    # Previews

    async def share_preview(self, port: int, **options: Unpack[t.SharePreviewOptions]) -> t.SharedPreview:
        """Makes a link to a server of a workspace, for anyone who has it."""
        return await self.call(op.share_preview({"port": port}, options))

    async def previews(self, **options: Unpack[t.ListPreviewsOptions]) -> Previews:
        return (await self.call(op.list_previews(NOTHING, options)))["previews"]

    async def revoke_preview(self, preview: str, **options: Unpack[t.RevokePreviewOptions]) -> t.Revoked:
        return await self.call(op.revoke_preview(NOTHING, options, preview=preview))

    async def create_ticket(self, path: str, **options: Unpack[t.CreateTicketOptions]) -> t.CreatedTicket:
        """Makes a ticket for one WebSocket of a page at this path of the session, as `/ports/8000/ws`."""
        return await self.call(op.create_ticket({"path": path}, options))

    # Session tokens, for the operator

    async def create_token(self, scopes: t.Scopes, **options: Unpack[t.CreateTokenOptions]) -> t.CreatedToken:
        return await self.call(op.create_token({"scopes": scopes}, options))

    async def tokens(self, **options: Unpack[t.ListTokensOptions]) -> Tokens:
        return (await self.call(op.list_tokens(NOTHING, options)))["tokens"]

    async def revoke_token(self, token: str, **options: Unpack[t.RevokeTokenOptions]) -> t.Revoked:
        return await self.call(op.revoke_token(NOTHING, options, token=token))


class AsyncSnapshotter:
    """A deployment of Snapshotter. Its own methods are the operator's, across sessions, except `about` and `health`."""

    def __init__(
        self, url: str | None = None, token: str | None = None, *, deadline: float = 600, retries: int = 3, client: httpx.AsyncClient | None = None
    ) -> None:
        """`token` is the operator's or a session's. `deadline` is the time limit of each call in seconds, retries included.

        Without `url` and `token`, it takes those of the environment: SNAPSHOTTER_URL and SNAPSHOTTER_TOKEN. `retries` is how often a call is repeated after a network failure, if that is safe.
        """
        self._transport = AsyncTransport(*server_of(url, token), deadline, retries, client)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.client.aclose()

    def session(self, name: str) -> AsyncSession:
        """A session by its name. This makes no call: `open` does."""
        return AsyncSession(self._transport, name)

    async def about(self, **options: Unpack[t.AboutOptions]) -> t.About:
        return await self._transport.answer(op.about(NOTHING, options))

    async def health(self, **options: Unpack[t.HealthOptions]) -> t.Health:
        """Whether the Worker is configured."""
        return await self._transport.answer(op.health(NOTHING, options))

    def sessions(self, **options: Unpack[t.ListSessionsOptions]) -> AsyncPages[t.SessionList, t.ListedSession]:
        """Every session that was ever opened."""
        return AsyncPages(lambda cursor: self._transport.answer(op.list_sessions(NOTHING, _at(options, cursor))), lambda page: page["sessions"])

    def workspaces(self, **options: Unpack[t.ListAllWorkspacesOptions]) -> AsyncPages[t.WorkspacePage, t.SessionWorkspace]:
        return AsyncPages(lambda cursor: self._transport.answer(op.list_all_workspaces(NOTHING, _at(options, cursor))), lambda page: page["workspaces"])

    async def pools(self, **options: Unpack[t.ListPoolsOptions]) -> t.PoolList:
        """The warm pools, and how many containers are ready in each."""
        return await self._transport.answer(op.list_pools(NOTHING, options))

    async def destroy_pool(self, pool: str, **options: Unpack[t.DestroyPoolOptions]) -> t.DestroyedPool:
        """Destroys a warm pool and its containers, without those that sessions have taken."""
        return await self._transport.answer(op.destroy_pool(NOTHING, options, pool=pool))

    def usage(self, **options: Unpack[t.ListUsageOptions]) -> AsyncPages[t.UsagePage, t.SessionUsage]:
        """What each session keeps. Each page has the total of its sessions."""
        return AsyncPages(lambda cursor: self._transport.answer(op.list_usage(NOTHING, _at(options, cursor))), lambda page: page["sessions"])

    def events(self, **options: Unpack[t.ListOperatorEventsOptions]) -> AsyncPages[t.OperatorEventPage, t.EventView]:
        """The operator's events, which belong to no session."""
        return AsyncPages(lambda cursor: self._transport.answer(op.list_operator_events(NOTHING, _at(options, cursor))), lambda page: page["events"])

    async def metrics(self, **options: Unpack[t.GetMetricsOptions]) -> str:
        """What was counted, in the text format that Prometheus reads."""
        return b"".join([chunk async for chunk in self._transport.stream(op.get_metrics(NOTHING, options))]).decode()

    async def prune(self, rule: t.PruneRule, **options: Unpack[t.PruneOptions]) -> t.PrunePage:
        """Deletes backups by a rule, one page for each call: call it with `nextCursor` until there is none."""
        return await self._transport.answer(op.prune({"rule": rule}, options))

    async def rebuild(self, **options: Unpack[t.RebuildAllOptions]) -> t.RebuildPage:
        """Rebuilds the catalogues of sessions that lost their storage, one page for each call."""
        return await self._transport.answer(op.rebuild_all(NOTHING, options))


def workspace_of(workspace: WorkspaceName) -> str:
    if isinstance(workspace, str):
        return workspace
    return workspace.id if isinstance(workspace, AsyncWorkspace) else workspace["ref"]["id"]


def _at(options: Options, cursor: str | None) -> Options:
    """The options for the page at a cursor."""
    return options if cursor is None else cast(Options, {**cast(Mapping[str, Any], options), "cursor": cursor})
