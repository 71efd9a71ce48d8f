"""What differs between the two clients besides `async` and `await`."""

import time
from collections.abc import Callable

sleep = time.sleep


def uninterrupted(call: Callable[[], object]) -> None:
    """Calls, and ignores a failure."""
    try:
        call()
    except Exception:
        pass
