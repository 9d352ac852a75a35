"""The control loop: an asyncio event loop on a thread of its own that knows when nothing is left to do.

"Quiet" is exact, not a time-out: an event loop asks its selector to wait only when no callback is ready. So that is
where we look, through asyncio's public seam, the selector that a loop is built with.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import selectors
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from hippo.runtime.elsewhere import WatchedLoop

T = TypeVar("T")

#: called when no callback is ready; says whether it made any ready
OnQuiet = Callable[[], bool]


class _QuietSelector(selectors.DefaultSelector):
    """The platform's selector, which calls `on_quiet` before it waits."""

    on_quiet: OnQuiet | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.on_quiet is not None and (timeout is None or timeout > 0) and self.on_quiet():
            timeout = 0
        return super().select(timeout)


class ControlLoop:
    """Runs coroutines on a background thread, and `on_quiet` whenever all of them wait."""

    def __init__(self, on_quiet: OnQuiet) -> None:
        self._selector = _QuietSelector()
        self._loop = WatchedLoop(self._selector)
        self._selector.on_quiet = on_quiet
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="hippo-control", daemon=True)
        self._thread.start()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop itself."""
        return self._loop

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine from any other thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def stop(self) -> None:
        """End the loop and its thread; from any other thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join()

    def _end(self) -> None:
        self._is_stopping = True
        self._loop.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            while not self._is_stopping:
                # A tuner that calls sys.exit(): asyncio keeps that for whoever waits for the tuner, as it should, but
                # raises it out of the loop as well. Other calls, and this engine's next one, must go on.
                with contextlib.suppress(SystemExit, KeyboardInterrupt):
                    self._loop.run_forever()
        finally:
            self._end_tasks()
            self._loop.close()

    def _end_tasks(self) -> None:
        self._selector.on_quiet = None
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
