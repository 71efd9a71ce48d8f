"""Client of Snapshotter: branchable, durable Linux workspaces for AI agents."""

from .asynchronous import AsyncForks, AsyncPages, AsyncSession, AsyncSnapshotter, AsyncWorkspace
from .core import Operation, RunEvent, WatchEvent
from .errors import NoAnswerError, SnapshotterError, TimedOutError, UnexpectedAnswerError, error_of
from .generated import errors, operations, types
from .generated.errors import *
from .generated.sync import Forks, Pages, Session, Snapshotter, Workspace

__all__ = [
    "AsyncForks", "AsyncPages", "AsyncSession", "AsyncSnapshotter", "AsyncWorkspace", "Forks", "NoAnswerError", "Operation", "Pages", "RunEvent",
    "Session", "Snapshotter", "SnapshotterError", "TimedOutError", "UnexpectedAnswerError", "WatchEvent", "Workspace", "error_of", "operations", "types",
]
__all__ += errors.__all__
__version__ = "0.1.0"
