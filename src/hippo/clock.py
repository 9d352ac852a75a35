"""Time as an argument: nobody but this module reads the time.

A `Clock` is given to whatever needs one. The real one is `SystemClock`; a simulator brings its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> float:
        """Return seconds since the epoch, for people and records."""

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back, for durations."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        """Call back when so much time has passed; called on the control loop, which calls back, too."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        return time.time()

    def elapsed(self) -> float:
        return time.perf_counter()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        import asyncio  # who only reads results starts without it

        asyncio.get_running_loop().call_later(seconds, callback)


class ProcessorClock:
    """Measures what the calling thread computes, in CPU seconds: waiting costs nothing, and nor do other threads."""

    def elapsed(self) -> float:
        """Return CPU seconds of this thread."""
        return time.thread_time()
