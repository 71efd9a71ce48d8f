"""Checks of the Python client, which clients.test.ts runs against a Worker. Fails by an exception."""

import asyncio
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing, contextmanager
from typing import TypeVar

import anyio
import httpx

from snapshotter_client import (
    AsyncSnapshotter, ConflictError, ForbiddenError, InvalidArgumentError, NoAnswerError, NotConfiguredError, NotFoundError, SnapshotNotOwnedError, Snapshotter,
    SnapshotterError, TimedOutError, UnauthenticatedError, UnexpectedAnswerError, WorkspaceNotOwnedError, operations, types,
)

T = TypeVar("T")
URL, TOKEN, PROXIED = os.environ["SNAPSHOTTER_URL"], os.environ["SNAPSHOTTER_TOKEN"], os.environ["PROXIED"]


class Caught:
    error: SnapshotterError


@contextmanager
def fails(kind: type[SnapshotterError]) -> Iterator[Caught]:
    caught = Caught()
    try:
        yield caught
    except kind as error:
        assert type(error) is kind and error.hint, repr(error)
        caught.error = error
    else:
        raise AssertionError(f"{kind.__name__} expected")


def cut_next() -> None:
    httpx.put(f"{PROXIED}/cuts")


def commands_and_snapshots(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py")
    active = session.open(envVars={"GREETING": "hello"})["active"]
    # A line separator that is no line's end in an event.
    events = list(session.run_stream('printf "$GREETING\\u2028" | tee said; echo oops >&2; exit 3'))
    assert sorted(event["data"] for event in events if event["type"] == "stdout" or event["type"] == "stderr") == ["hello\u2028", "oops\n"]
    assert events[0]["type"] == "start"
    assert events[-1]["type"] == "complete" and events[-1]["exitCode"] == 3

    one = session.snapshot(name="one", labels={"tests": "pass"})["snapshot"]
    session.write_file("bytes", b"\x00\xff\x80")
    assert session.read_file("bytes")["content"] == "AP+A"
    session.snapshot(name="two")
    assert [change["path"] for change in session.diff(from_={"snapshot": "one"})["changes"]] == ["bytes"]
    listed = session.list(limit=1)
    assert [snapshot["name"] for snapshot in listed.all()] == ["two", "one"]
    assert [len(page["snapshots"]) for page in listed.pages()] == [1, 1]
    assert [snapshot["id"] for snapshot in session.list(labels=["tests=pass"])] == [one["id"]]
    assert session.rewind("one", expectedActive=active)["fromSnapshotId"] == one["id"]
    with fails(NotFoundError):
        session.read_file("bytes")
    assert b"".join(session.stream_file("one", "said")).decode() == "hello\u2028"
    assert session.call(operations.workspace_glob({"pattern": "sa*"}, {})) == session.glob("sa*")
    assert session.glob("sa*")["files"][0]["path"] == "said"
    assert [found["path"] for found in session.search_snapshot("one", "hello")] == ["said"]
    assert session.call_tool("workspace_stat", {"path": "said"})["type"] == "file"


def forks(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py-forks")
    session.open()
    session.mkdir("src")
    session.write_file("src/one.txt", "one\n")
    session.edit_file("src/one.txt", "one", "two")
    assert [entry["path"] for entry in session.ls("src")["entries"]] == ["src/one.txt"]
    assert session.ls() != session.ls("src")
    assert [found["text"] for found in session.grep("tw.")["lines"]] == ["two"]
    assert session.stat("src/one.txt")["sizeBytes"] == 4
    assert session.run_code("python", "1 + 1")["value"] == 2
    forks = session.fork(count=2)["forks"]
    for number, fork in enumerate(forks):
        fork.write_file("attempt", str(number))
    assert [fork.run("cat attempt src/one.txt")["stdout"] for fork in forks] == ["0two\n", "1two\n"]
    assert [event["data"] for event in forks[0].run_stream("cat attempt") if event["type"] == "stdout"] == ["0"]
    with fails(NotFoundError):
        session.read_file("attempt")
    assert session.read_file("attempt", at=f"workspace:{forks[1].id}")["content"] == "1"
    forks[1].start("waits", "sleep 60")
    assert [process["name"] for process in session.workspace(forks[1].id).processes()["processes"]] == ["waits"]
    forks[1].stop("waits")
    session.promote(forks[1], discardOthers=True)
    assert session.read_file("attempt")["content"] == "1"
    session.save_turn()
    session.rm("src", recursive=True)
    for undone in [session.undo(1, dryRun=True)["undone"], session.undo()["undone"]]:
        assert undone and undone["unsaved"]
    assert session.read_file("src/one.txt")["content"] == "two\n"
    session.close()


def the_environment() -> None:
    # Those of the environment are used above.
    with Snapshotter() as known:
        assert known.health()["status"] == "ok"
    for arguments, problem in [(("http://127.0.0.1:1",), "no token for http://127.0.0.1:1"), (("snapshotter.example.com",), "as https:")]:
        try:
            Snapshotter(*arguments)
        except ValueError as error:
            assert problem in str(error), error
        else:
            raise AssertionError(problem)


def archives(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py")
    session.run("mkdir -p tree && seq 100000 > tree/numbers")
    assert session.import_tar(session.export_tar(path="tree"), path="again")["files"] == 1
    session.import_tar(b"".join(session.export_tar(path="again")), path="third")
    assert session.run("cmp tree/numbers third/numbers")["success"]


def code(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py-code")
    session.open(capabilities={"fs": True, "snapshot": True, "code": {"stateful": True}, "script": {"maxDurationMs": 60_000}})
    assert session.script("await workspace.write_file({ path: 'said', content: 'by a script' }); return [1]")["value"] == [1]
    assert "Error: bad" in str(session.script("throw new Error('bad')").get("error"))
    with fails(TimedOutError):
        session.script("await new Promise(() => {})", deadline=2)

    context = session.create_code_context("python", memoryMib=512)["context"]
    assert session.run_in_code_context(context, "said = open('said').read()")["success"]
    with fails(TimedOutError):
        session.run_in_code_context(context, "import time; time.sleep(100)", deadline=3)
    # The client has cancelled it, and the variables stay.
    ran = until(lambda: unless_in_conflict(lambda: session.run_in_code_context(context, "said")), "the context is free")
    assert ran["value"] == "by a script"
    assert [(one["context"], one["memoryMib"]) for one in session.list_code_contexts()["contexts"]] == [(context, 512)]
    assert session.delete_code_context(context)["deleted"]
    with fails(NotFoundError):
        session.run_in_code_context(context, "1")
    assert session.list_code_contexts()["contexts"] == []


def archives_of_snapshots(snapshotter: Snapshotter) -> str:
    """Returns the id of a snapshot with a file."""
    session = snapshotter.session("py-archives")
    session.open(capabilities={"fs": True, "snapshot": {"crossSession": True}})
    session.write_file("file", "content")
    one = session.snapshot(name="one")["snapshot"]
    archive = b"".join(session.export_snapshot("one"))
    sha256 = hashlib.sha256(archive).hexdigest()
    imported = session.import_snapshot(archive, name="bytes", sha256=sha256)["snapshot"]
    assert (imported["trigger"], imported["kind"]) == ("import", "full")
    session.import_snapshot(session.export_snapshot("bytes"), name="stream")
    record = session.export_backup("one", allowCrossSession=True)
    assert (record["sha256"], record["size"], record["format"]) == (sha256, len(archive), "tar+zstd/1")
    session.import_backup(id=record["id"], name="backup", allowCrossSession=True)
    for name in ["bytes", "stream", "backup"]:
        assert b"".join(session.stream_file(name, "file")) == b"content", name
    return one["id"]


def pools(snapshotter: Snapshotter, template: str) -> None:
    snapshotter.session("py-archives").update(template, published=True)
    session = snapshotter.session("py-pool")
    session.open(pool={"from": template, "size": 1})
    pool = until(lambda: next((pool for pool in snapshotter.pools()["pools"] if pool["ready"] == 1), None), "the pool is full")
    assert (pool["snapshotId"], pool["size"], snapshotter.pools()["limit"]) == (template, 1, 1)
    assert session.read_file("file")["content"] == "content"
    assert snapshotter.destroy_pool(pool["id"])["destroyed"] == 1
    assert snapshotter.pools()["pools"] == []


def until(probe: Callable[[], T | None], what: str) -> T:
    ends_at = time.monotonic() + 60
    while (found := probe()) is None:
        assert time.monotonic() < ends_at, f"never: {what}"
        time.sleep(0.2)
    return found


def unless_in_conflict(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except ConflictError:
        return None


def errors(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py")
    with fails(ConflictError) as taken:
        session.snapshot(name="one")
    assert (taken.error.code, taken.error.status, taken.error.outcome, taken.error.retryable) == ("CONFLICT", 409, "none", False)
    assert taken.error.hint in taken.error.__notes__
    with fails(WorkspaceNotOwnedError) as other:
        session.switch("not-mine")
    assert other.error.hint == "list this session's workspaces with session.workspaces()"
    assert other.error.next == {"text": "list this session's workspaces with {listWorkspaces}"}
    with fails(WorkspaceNotOwnedError) as tool:
        session.call_tool("workspace_switch", {"ref": "not-mine"})
    assert tool.error.hint == "list this session's workspaces with workspace_list_workspaces"
    with fails(SnapshotNotOwnedError):
        session.get("00000000-0000-4000-8000-000000000000")
    # An address would drop this name: it must not delete something else.
    with fails(InvalidArgumentError):
        session.delete("..")
    with Snapshotter(URL, "wrong") as stranger, fails(UnauthenticatedError):
        stranger.session("py").describe()
    with Snapshotter("http://127.0.0.1:1", TOKEN, retries=1) as lost, fails(NoAnswerError):
        lost.session("py").describe()
    statuses = iter([502, 502, 404])
    pages = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(next(statuses), text="<html>")))
    with Snapshotter(URL, TOKEN, client=pages) as strange, fails(UnexpectedAnswerError) as page:
        strange.session("py").describe()
    assert page.error.status == 404
    try:
        Snapshotter("snapshotter.example.com", TOKEN)
    except ValueError as error:
        assert "as https:" in str(error)
    else:
        raise AssertionError("an address without a scheme")
    assert session.describe(deadline=float("inf"))["session"] == "py"
    with fails(TimedOutError):
        session.run("sleep 125", deadline=8)
    wait_until_gone(session.run, "sleep 125")
    with fails(NotConfiguredError):
        session.share_preview(80)
    assert session.previews() == []
    assert session.create_ticket("/terminal")["ticket"].startswith("stk1.")
    assert session.revoke_preview("0" * 26)["revoked"]
    created = session.create_token(["read"])
    with Snapshotter(URL, created["token"]) as reader:
        assert reader.session("py").describe()["session"] == "py"
        with fails(ForbiddenError) as refused:
            reader.session("py").run("true")
        assert refused.error.details["missingScope"] == "write"
        session.revoke_token(created["id"])
        with fails(UnauthenticatedError):
            reader.session("py").describe()


def lost_answers() -> None:
    with Snapshotter(PROXIED, TOKEN) as snapshotter:
        session = snapshotter.session("py")
        cut_next()
        assert session.run("sleep 1; echo ran >> runs; cat runs")["stdout"] == "ran\n"
        cut_next()
        snapshot = session.snapshot(name="once")["snapshot"]
        assert [found["id"] for found in session.list(name="once")] == [snapshot["id"]]
        cut_next()
        edited = session.update(snapshot["id"], name="edited", labels={"lost": "answer"})["snapshot"]
        assert (edited["name"], edited["labels"]) == ("edited", {"lost": "answer"})
        # By a name that it no longer has, a repetition would not find it.
        cut_next()
        with fails(NoAnswerError):
            session.update("edited", name="again")
        cut_next()
        with fails(NoAnswerError) as lost:
            session.start("lost", "sleep 1")
        assert lost.error.outcome == "unknown"


def lost_deletes() -> None:
    """A repetition by name could delete a second snapshot."""
    for snapshot, sent in [("latest", 1), ("00000000-0000-4000-8000-000000000000", 2)]:
        requests: list[httpx.Request] = []

        def lose(request: httpx.Request, requests: list[httpx.Request] = requests) -> httpx.Response:
            requests.append(request)
            if len(requests) == 1:
                raise httpx.ReadError("cut")
            return httpx.Response(200, json={"deleted": True})

        with Snapshotter(URL, TOKEN, client=httpx.Client(transport=httpx.MockTransport(lose))) as losing:
            if sent == 1:
                with fails(NoAnswerError):
                    losing.session("py").delete(snapshot)
            else:
                losing.session("py").delete(snapshot)
        assert [request.method for request in requests] == ["DELETE"] * sent, snapshot


def closed_streams(snapshotter: Snapshotter) -> None:
    session = snapshotter.session("py")
    with closing(session.run_stream("sleep 126")) as events:
        assert next(events)["type"] == "start"
    wait_until_gone(session.run, "sleep 126")


def wait_until_gone(run: Callable[[str], types.ExecResult], command: str) -> None:
    """By a pattern that its own command line does not match."""
    ends_at = time.monotonic() + 30
    while run(f"pgrep -f '[s]{command[1:]}'")["success"]:
        assert time.monotonic() < ends_at, f"{command} runs on"
        time.sleep(0.2)


async def asynchronous() -> None:
    async with AsyncSnapshotter(URL, TOKEN) as snapshotter:
        session = snapshotter.session("py-async")
        await session.open()
        outputs = await asyncio.gather(*(session.run(f"echo {number}") for number in range(4)))
        assert [output["stdout"] for output in outputs] == ["0\n", "1\n", "2\n", "3\n"]
        twice = [session.run("sleep 1; date +%N", idempotency_key="twice") for _ in range(2)]
        first, second = await asyncio.gather(*twice)
        assert first == second
        async with aclosing(session.run_stream("seq 3; sleep 127")) as events:
            async for event in events:
                if event["type"] == "stdout":
                    break
        try:
            async with asyncio.timeout(3):
                await session.run(["sleep", "128"])
        except TimeoutError:
            pass
        with anyio.fail_after(30):
            while (await session.run("pgrep -f '[s]leep 12[78]'"))["success"]:
                await anyio.sleep(0.2)
        await session.write_file("file", "content")
        await session.snapshot(name="one")
        assert [snapshot["name"] async for snapshot in session.list()] == ["one"]
        await session.import_tar(session.export_tar(), path="copy")
        assert (await session.read_file("copy/file"))["content"] == "content"
        await session.import_snapshot(session.export_snapshot("one"), name="again")
        assert b"".join([chunk async for chunk in session.stream_file("again", "file")]) == b"content"
        assert "py-async" in [found["session"] async for found in snapshotter.sessions()]
        assert "snapshotter_sessions " in await snapshotter.metrics()
        async with aclosing(session.watch()) as events:
            assert (await anext(events))["type"] == "watching"
        with fails(ConflictError):
            await session.snapshot(name="one")


with Snapshotter(URL, TOKEN) as connected:
    commands_and_snapshots(connected)
    forks(connected)
    the_environment()
    archives(connected)
    code(connected)
    pools(connected, archives_of_snapshots(connected))
    errors(connected)
    lost_answers()
    lost_deletes()
    closed_streams(connected)
asyncio.run(asynchronous())
