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
    is_running: bool = True
    #: the next one of that record is this one again
    goes_on: bool = False

    def note_end(self, future: Future) -> None:
        self.is_running = False
        self.goes_on = future.cancelled() or future.exception() is not None


class CallPositions:
    """Counts the calls that were made on one study object, from 0."""

    def __init__(self) -> None:
        self._count = 0
        self._latest: dict[str, _LastCall] = {}

    def start(self, record: str, start: Callable[[int], Future]) -> Future:
        """Start a call at its position: the next one, or, for a cell that is run again, that of the stopped one.

        Args:
          record: identifies the tuner and its arguments.
          start: begins the call, given its position.
        """
        latest = self._latest.get(record)
        if latest is not None and latest.goes_on:
            position = latest.position
        else:
            position, self._count = self._count, self._count + 1
        future = start(position)
        latest = self._latest[record] = _LastCall(position)
        future.add_done_callback(latest.note_end)
        return future

    def repeat(self) -> None:
        """Let each call that has ended be gone on with by the next one of its record, however it ended."""
        for latest in self._latest.values():
            latest.goes_on |= not latest.is_running
