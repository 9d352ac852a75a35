"""The control loop: an asyncio event loop on a thread of its own that knows when nothing is left to do.

"Quiet" is exact, not a time-out: an event loop asks its selector to wait only when no callback is ready. So that is
where we look, through asyncio's public seam, the selector that a loop is built with. What another thread adds between
the two comes after that look, as if it had been a moment later.

A loop serves one runtime at a time, and several one after the other: a thread and three file descriptors for each of a
thousand studies would be more than most systems allow. A runtime without work gives its loop back.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import selectors
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from hippo.runtime.other_waits import WatchedLoop

T = TypeVar("T")

#: called when no callback is ready; says whether it made any ready
OnQuiet = Callable[[], bool]

#: loops without work that are kept for the next runtime
_MOST_SPARE = 2


class _QuietSelector(selectors.DefaultSelector):
    """The platform's selector, which calls `on_quiet` before it waits."""

    on_quiet: OnQuiet | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.on_quiet is not None and (timeout is None or timeout > 0) and self.on_quiet():
            timeout = 0
        return super().select(timeout)


class ControlThread:
    """Runs coroutines on a background thread, and `on_quiet` whenever all of them wait."""

    def __init__(self, on_quiet: OnQuiet) -> None:
        self._selector = _QuietSelector()
        self._loop = WatchedLoop(self._selector)
        self._selector.on_quiet = on_quiet
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="hippo-control", daemon=True)
        self._thread.start()

    @classmethod
    def take(cls, on_quiet: OnQuiet) -> ControlThread:
        """Return a loop that no runtime uses, or a new one."""
        with _spare_guard:
            if not _spare:
                return cls(on_quiet)
            loop = _spare.pop()
        loop._selector.on_quiet = on_quiet
        return loop

    def give_back(self) -> None:
        """Leave the loop to others; from its own thread, when all is quiet. It ends if there are enough of them."""
        self._selector.on_quiet = None
        with _spare_guard:
            if len(_spare) < _MOST_SPARE:
                _spare.append(self)
                return
        self._loop.call_soon_threadsafe(self._end)  # wakes the wait that comes next

    @property
    def is_here(self) -> bool:
        """Whether the calling thread is the loop's."""
        return threading.current_thread() is self._thread

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop itself."""
        return self._loop

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine from any other thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def hold(self, until: threading.Event) -> None:
        """Run nothing until an event: what is submitted meanwhile, from any thread, begins at one moment, in order."""
        self._loop.call_soon_threadsafe(until.wait)

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


_spare_guard = threading.Lock()
_spare: list[ControlThread] = []


def _forget_parents_loops() -> None:
    global _spare_guard
    _spare_guard = threading.Lock()  # another thread of the parent may have held it
    _spare.clear()


os.register_at_fork(after_in_child=_forget_parents_loops)
