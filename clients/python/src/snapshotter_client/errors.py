"""Errors of calls. `generated.errors` has a subclass for each code that Snapshotter answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .generated.types import ErrorBody, Instruction, Outcome


class SnapshotterError(Exception):
    """What a failed call raises. docs/errors.md says when each code occurs."""

    code: str
    hint: str
    """What to do next. A traceback shows it."""
    status: int | None
    """Status of the answer. None without an answer, and for an error within an answer."""
    retryable: bool
    """The same call may succeed later, unchanged."""
    outcome: Outcome
    """What the failed call left: nothing, its effect, or unknown."""
    details: Mapping[str, Any]
    next: Instruction | None = None
    """The hint as a template, if it names operations."""

    def __init__(
        self, code: str, message: str, *, hint: str, status: int | None = None, retryable: bool, outcome: Outcome, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.add_note(hint)
        self.code, self.hint, self.status = code, hint, status
        self.retryable, self.outcome, self.details = retryable, outcome, details or {}

    @property
    def retry_after(self) -> float | None:
        """When to call again, in seconds, if the answer says so."""
        ms = self.details.get("retryAfterMs")
        return ms / 1000 if isinstance(ms, int | float) else None


class NoAnswerError(SnapshotterError):
    """`NO_ANSWER`: the connection failed or was cut."""

    def __init__(self, request: str, reason: object) -> None:
        hint = "Check the address and the network. Then check the present state: the call may have had its effect."
        super().__init__("NO_ANSWER", f"{request} got no answer: {reason}", hint=hint, retryable=True, outcome="unknown")


class TimedOutError(SnapshotterError):
    """`TIMED_OUT`: the call's deadline has passed."""

    def __init__(self, request: str, deadline: float) -> None:
        hint = "Check the present state, or call again with a longer deadline."
        super().__init__("TIMED_OUT", f"{request} took more than {deadline:g} s", hint=hint, retryable=True, outcome="unknown")


class UnexpectedAnswerError(SnapshotterError):
    """`UNEXPECTED_ANSWER`: something other than Snapshotter answered, such as a proxy."""

    def __init__(self, request: str, status: int, text: str) -> None:
        hint = "Check that the address is Snapshotter's, without a path, and what is between."
        message = f"{request} answered {status}: {text[:200]}"
        super().__init__("UNEXPECTED_ANSWER", message, hint=hint, status=status, retryable=status >= 500, outcome="unknown")


def say(instruction: Instruction) -> str:
    """A hint, with the session's methods where it names operations."""
    from .generated.methods import METHODS

    arguments = instruction.get("arguments") or {}

    def word(found: re.Match[str]) -> str:
        name = found[1]
        if name in arguments:
            return arguments[name]
        if name in METHODS:
            return f"session.{METHODS[name]}()"
        return f'session.call_tool("{name}")' if name.startswith("workspace_") else name

    return re.sub(r"\{(\w+)\}", word, instruction["text"])


def error_of(body: ErrorBody, status: int | None = None, *, for_model: bool = False) -> SnapshotterError:
    """The error of an answer's field: of a fork that was not made, or a recorded call that failed. Its hint names methods
    of `Session`; `for_model`, it names tools."""
    from .generated.errors import ERRORS

    # A newer Worker may have more codes.
    kind = ERRORS.get(body["code"], SnapshotterError)
    instruction = None if for_model else body.get("next")
    hint = say(instruction) if instruction else body.get("hint") or ""
    error = kind(
        body["code"], body["message"], hint=hint, status=status, retryable=body["retryable"], outcome=body["outcome"], details=body.get("details")
    )
    error.next = body.get("next")
    return error
