"""Client of Snapshotter: branchable, durable Linux workspaces for AI agents."""

from .asynchronous import AsyncPages, AsyncSession, AsyncSnapshotter
from .core import Operation, RunEvent, WatchEvent
from .errors import NoAnswerError, SnapshotterError, TimedOutError, UnexpectedAnswerError, error_of
from .generated import errors, operations, types
from .generated.errors import *
from .generated.sync import Pages, Session, Snapshotter

__all__ = [
    "AsyncPages", "AsyncSession", "AsyncSnapshotter", "NoAnswerError", "Operation", "Pages", "RunEvent", "Session", "Snapshotter", "SnapshotterError",
    "TimedOutError", "UnexpectedAnswerError", "WatchEvent", "error_of", "operations", "types",
]
__all__ += errors.__all__
__version__ = "0.1.0"
