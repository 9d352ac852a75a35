"""Which call of a script is which: calls are counted, and one that is repeated after it was stopped goes on."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any

Future = concurrent.futures.Future[Any]


class CallPositions:
    """Counts the calls that were made on one study object, from 0."""

    def __init__(self) -> None:
        self._count = 0
        self._last: tuple[str, Future] | None = None
        self._repeats_last = False

    def start(self, record: str, start: Callable[[int], Future]) -> Future:
        """Start a call at its position: the next one, or, for a cell that is run again, that of the stopped one.

        Args:
          record: identifies the tuner and its arguments.
          start: begins the call, given its position.
        """
        self._count += not self._was_stopped(record)
        future = start(self._count - 1)
        self._last = (record, future)
        return future

    def repeat_last(self) -> None:
        """Let the next call be the last one again, if their records are equal, however that one ended."""
        self._repeats_last = True

    def _was_stopped(self, record: str) -> bool:
        if self._last is None or self._last[0] != record or not self._last[1].done():
            return False
        if self._repeats_last:
            self._repeats_last = False
            return True
        return self._last[1].cancelled() or self._last[1].exception() is not None
