"""What differs between the two clients besides `async` and `await`."""

from collections.abc import Awaitable, Callable

import anyio

sleep = anyio.sleep


async def uninterrupted(call: Callable[[], Awaitable[object]]) -> None:
    """Calls even if the task is being cancelled, and ignores a failure."""
    with anyio.CancelScope(shield=True):
        try:
            await call()
        except Exception:
            pass
