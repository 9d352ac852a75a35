"""Which call of a script is which: calls are counted, and one that is repeated after it was stopped goes on."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Future = concurrent.futures.Future[Any]


@dataclass(slots=True)
class _LastCall:
    """The last call of one record."""

    position: int
    #: while it runs; what it returned then, a script of thousands of calls has no use for here
    future: Future | None
    #: the next one of that record is this one again
    goes_on: bool = False
    #: `study.stop()` has ended it, though it returned
    was_stopped: bool = False

    def look(self) -> None:
        """See whether it has ended: who waits for a future goes on before its callbacks are called."""
        future = self.future
        if future is not None and future.done():
            self.goes_on = self.was_stopped or future.cancelled() or future.exception() is not None
            self.future = None


class CallPositions:
    """Counts the calls that were made on one study object, from 0."""

    def __init__(self) -> None:
        self._count = 0
        self._last: dict[str, _LastCall] = {}

    def start(self, record: str, start: Callable[[int], Future]) -> Future:
        """Start a call at its position: the next one, or, for a cell that is run again, that of the stopped one.

        Args:
          record: identifies the tuner and its arguments.
          start: begins the call, given its position.
        """
        last = self._last.get(record)
        if last is not None:
            last.look()
        if last is not None and last.goes_on:
            position = last.position
        else:
            position, self._count = self._count, self._count + 1
        future = start(position)
        last = self._last[record] = _LastCall(position, future)
        future.add_done_callback(lambda _: last.look())
        return future

    def note_stopped(self, position: int) -> None:
        """Let the call at this position, which is about to return, be gone on with by the next one of its record."""
        for last in list(self._last.values()):  # another thread may begin one
            last.was_stopped |= last.position == position

    def repeat(self) -> None:
        """Let each call that has ended be gone on with by the next one of its record, however it ended."""
        for last in self._last.values():
            last.look()
            last.goes_on |= last.future is None
