"""What both clients share and needs no I/O: requests, and what to do about failed ones."""

from __future__ import annotations

import json
import os
import random
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, cast
from urllib.parse import quote

from .errors import NoAnswerError, SnapshotterError, UnexpectedAnswerError, error_of
from .generated.types import CommandLine, ExecResult, SnapshotRef

Required = TypeVar("Required")
Options = TypeVar("Options")
Answer = TypeVar("Answer")

CALL_OPTIONS = {"deadline", "idempotency_key", "operation_id", "expected_active"}

SnapshotName = str | SnapshotRef
"""A snapshot in an address: its id, its name, or its ref."""

ID = re.compile(r"/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$")
"""The end of an address by a snapshot's id."""


class Nothing(TypedDict):
    """No required arguments."""


@dataclass(frozen=True)
class Operation(Generic[Required, Options, Answer]):
    """How an operation is called."""

    method: str
    path: str
    json: bool = False
    """Its arguments are a JSON body; otherwise they are the query."""
    keyed: bool = False
    """It accepts an `Idempotency-Key`."""
    named: bool = False
    """It accepts an `Operation-Id`, and can be cancelled by it."""

    def __call__(self, required: Required, options: Options, **path: str | int) -> Request[Answer]:
        return Request(self, cast(Mapping[str, Any], required), cast(Mapping[str, Any], options), path)


@dataclass(frozen=True)
class Request(Generic[Answer]):
    """An operation with its arguments, and the call's options among them."""

    operation: Operation[Any, Any, Answer]
    required: Mapping[str, Any]
    options: Mapping[str, Any]
    path: Mapping[str, str | int]

    def at(self, **path: str) -> Request[Answer]:
        return replace(self, path={**path, **self.path})


class Start(TypedDict):
    type: Literal["start"]
    timestamp: str
    command: CommandLine


class Output(TypedDict):
    type: Literal["stdout", "stderr"]
    timestamp: str
    data: str


class Complete(TypedDict):
    type: Literal["complete"]
    timestamp: str
    exitCode: int
    result: ExecResult
    """Its output is empty, because the stream has sent it."""


class Watching(TypedDict):
    type: Literal["watching"]
    timestamp: str
    directories: int


class Changed(TypedDict):
    type: Literal["created", "modified", "deleted"]
    timestamp: str
    path: str
    """Relative to the workspace. Bytes that are not UTF-8 are replaced."""
    pathBase64: NotRequired[str]
    """The bytes of `path` in base64, if they are not UTF-8."""
    directory: bool


# `from` is a word of Python.
Renamed = TypedDict(
    "Renamed",
    {
        "type": Literal["renamed"],
        "timestamp": str,
        "path": str,
        "pathBase64": NotRequired[str],
        "directory": bool,
        "from": str,
        "fromBase64": NotRequired[str],
    },
)


class Missed(TypedDict):
    type: Literal["overflow", "ended"]
    timestamp: str


WatchEvent = Watching | Changed | Renamed | Missed
"""An event of a watch."""

RunEvent = Start | Output | Complete
"""An event of a command whose output is streamed."""


class Call:
    """A request as it is sent, and its repetitions."""

    def __init__(self, request: Request[Any], is_repeatable: bool) -> None:
        operation, options, path = request.operation, request.options, request.path
        self.method = operation.method
        self.path = "/".join(segment(part[1:-1], path[part[1:-1]]) if part.startswith("{") else part for part in operation.path.split("/"))
        self.name = f"{self.method} {self.path}"
        # Its caller chooses the tool, as a model does.
        self.is_for_model = "tool" in path
        self.deadline: float | None = options.get("deadline")
        self.headers: dict[str, str] = {}
        self.operation_id: str | None = options.get("operation_id")
        if operation.keyed:
            self.headers["idempotency-key"] = options.get("idempotency_key") or str(uuid.uuid4())
        # Named, a call can be cancelled. A repetition without a key could meet the name in use, so reads and deletes have none.
        if operation.named and operation.method == "POST" and self.operation_id is None:
            self.operation_id = str(uuid.uuid4())
        self.cancel_path: str | None = None
        if self.operation_id is not None:
            self.headers["operation-id"] = self.operation_id
            self.cancel_path = f"{'/'.join(self.path.split('/')[:4])}/operations/{self.operation_id}/cancel"
        if "expected_active" in options:
            self.headers["if-match"] = f'"{options["expected_active"]}"'
        arguments = {name.rstrip("_"): value for name, value in {**request.required, **options}.items() if name not in CALL_OPTIONS}
        self.query: dict[str, Any] = {}
        self.body: bytes | None = None
        if operation.json:
            self.headers["content-type"] = "application/json"
            self.body = json.dumps(arguments).encode()
        else:
            self.query = {name: value for name, value in arguments.items() if value is not None}
        self.is_repetition = "idempotency_key" in options
        # After an edit or a delete, a name may mean another snapshot, or none.
        is_change = self.method in {"PATCH", "DELETE"} and operation.path.endswith("/snapshots/{snapshot}")
        is_same = ID.search(self.path) is not None if is_change else self.method != "POST"
        self.is_safe = operation.keyed or (is_repeatable and is_same)
        self.failures = 0

    def pause_before_retry(self, error: SnapshotterError, retries: int) -> float | None:
        """Seconds to wait before the call is repeated, or None if the error is final."""
        # The first request under this key still runs: the one whose answer was lost, or that of another process.
        if (self.failures > 0 or self.is_repetition) and error.code == "CONFLICT" and error.retry_after is not None:
            return error.retry_after
        was_lost = isinstance(error, NoAnswerError) or (isinstance(error, UnexpectedAnswerError) and error.retryable)
        if not was_lost or not self.is_safe or self.failures >= retries:
            return None
        self.failures += 1
        return float(min(5, 0.1 * 2**self.failures)) * random.uniform(0.5, 1)


def segment(part: str, value: str | int) -> str:
    text = str(value)
    # An address would lose these segments, and name something else.
    if text in {"", ".", ".."}:
        message = f"{part} can't be {text!r} in an address"
        raise error_of({"code": "INVALID_ARGUMENT", "message": message, "hint": "Name it by its id.", "retryable": False, "outcome": "none"})
    return quote(text, safe="")


def error_from(call: Call, status: int, text: str) -> SnapshotterError:
    """The error that an answer's text describes."""
    try:
        return error_of(json.loads(text)["error"], status, for_model=call.is_for_model)
    except (ValueError, KeyError, TypeError):
        return UnexpectedAnswerError(call.name, status, text)


class EventDecoder:
    """Finds the JSON of each event in a stream of Server-Sent Events."""

    def __init__(self) -> None:
        self.rest = b""

    def decode(self, chunk: bytes) -> list[Any]:
        *events, self.rest = (self.rest + chunk).split(b"\n\n")
        datas = [b"".join(line[len(b"data:") :] for line in event.split(b"\n") if line.startswith(b"data:")) for event in events]
        return [json.loads(data) for data in datas if data]


def snapshot_of(snapshot: SnapshotName) -> str:
    return snapshot if isinstance(snapshot, str) else snapshot["ref"]["backup"]["id"]


def server_of(url: str | None, token: str | None) -> tuple[str, str]:
    """The address and the token: those given, or those of the environment."""
    known = os.environ.get("SNAPSHOTTER_URL", "").rstrip("/")
    address = url.rstrip("/") if url is not None else known
    if not address:
        raise ValueError("no url: set SNAPSHOTTER_URL and SNAPSHOTTER_TOKEN, as `make dev` prints them, or give url and token")
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"url is {address!r}; it is the deployment's address, as https://snapshotter.example.com")
    if token is None and known in {"", address}:
        # The environment's token belongs to the environment's address.
        token = os.environ.get("SNAPSHOTTER_TOKEN")
    if not token:
        raise ValueError(f"no token for {address}: set SNAPSHOTTER_TOKEN, or give token")
    return address, token
