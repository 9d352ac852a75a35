"""What tuners, and users who want a state, await: one future for each number, settled by the shell and by nobody else.

Decisions name who waits by a number and never see a future. So what they return can be compared in a test, and what is
told is told at one place, when what it rests on is durable. A future that was cancelled, or is no longer awaited, is
not known here any more: what is told to it then goes nowhere. This module refuses to know what is waited for.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from hippo.runtime.asking.participants import Delivery


class Futures:
    """The futures of one engine that are awaited."""

    def __init__(self) -> None:
        #: returns a number for a request, or for another wait, larger than any before
        self.next_number: Callable[[], int] = itertools.count(1).__next__
        self._awaited: dict[int, asyncio.Future[Any]] = {}

    def open(self, number: int) -> asyncio.Future[Any]:
        """Return a new future that is told what is delivered to this number."""
        future = self._awaited[number] = asyncio.get_running_loop().create_future()
        return future

    def settle(self, delivery: Delivery) -> None:
        """Tell who waits, unless the wait was cancelled: its tuner was told to end."""
        future = self._awaited.pop(delivery.to, None)
        if future is None or future.done():
            return
        if delivery.error is not None:
            future.set_exception(delivery.error)
        else:
            future.set_result(delivery.value)

    def cancel(self, number: int) -> None:
        """Cancel what is awaited, if it still is."""
        future = self._awaited.pop(number, None)
        if future is not None:
            future.cancel()

    def forget(self, number: int) -> None:
        """Tell this number nothing any more: nobody looks at its future again."""
        self._awaited.pop(number, None)
