"""A block of a tuner that ends when its time, or its money, is spent: `Ask.limited`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from hippo.tuners.ask import LimitReached


class Limit:
    """Ends the block of code that it is around when `is_reached` says so, as `asyncio.timeout` does."""

    def __init__(self, is_reached: Callable[[], bool]) -> None:
        self._is_reached = is_reached
        self._task: asyncio.Task[object] | None = None
        self._was_reached = False

    def end_if_reached(self) -> bool:
        """End the block if it is time to; return whether it was."""
        if self._task is None or self._was_reached or not self._is_reached():
            return False
        self._was_reached = True
        self._task.cancel()
        return True

    @asynccontextmanager
    async def block(self) -> AsyncIterator[None]:
        """The block.

        Raises:
          LimitReached: it was ended.
        """
        self._task = asyncio.current_task()
        assert self._task is not None, "a tuner runs in a task"
        already_cancelling = self._task.cancelling()
        try:
            yield
        except asyncio.CancelledError:
            if self._was_reached and self._task.uncancel() <= already_cancelling:
                raise LimitReached from None
            raise
        finally:
            self._task = None
