"""Waits of a thread that signals must reach.

Python handles a signal between two instructions of the main thread. One that comes after the last of them, and before
the thread sleeps in a lock, or that the system hands to another thread, is noted and wakes nobody: a Ctrl-C would be
lost for as long as the wait takes. So whoever may wait for long looks up now and then.
"""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable
from typing import Any

#: how often; as late as that may Ctrl-C be
_LOOK_UP_S = 0.5


def wait_until_done(future: concurrent.futures.Future[Any]) -> None:
    """Wait until a future is done, whatever it holds then; a signal's handler may raise out of the wait."""
    while not future.done():
        concurrent.futures.wait([future], _LOOK_UP_S)


def wait_until(changed: threading.Condition, is_so: Callable[[], bool]) -> None:
    """Wait until something is so, which is looked at whenever `changed` is notified, and under its lock."""
    while not changed.wait_for(is_so, _LOOK_UP_S):
        pass
