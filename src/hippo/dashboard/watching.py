"""When a database changes, by asking it: whoever writes there knows nothing of who reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hippo.errors import HippoError

#: how often it is asked: what a study wrote is seen within a second
LOOK_S = 0.5


class ChangeWatcher:
    """Counts changes of a database, and wakes those who wait for the next. Everything but `changes` runs on one loop.

    It asks only while somebody waits.

    Args:
      changes: returns what is equal for as long as nothing is committed; on a thread.
      look_s: how often it is asked.
    """

    def __init__(self, changes: Callable[[], object], *, look_s: float = LOOK_S) -> None:
        self._changes = changes
        self._look_s = look_s
        self._seen: object = None
        #: how often it was seen to change; names the present state
        self.number = 0
        self._look = asyncio.Lock()

    async def next_after(self, number: int, *, timeout_s: float) -> int:
        """Return the number of the present state, as soon as it is not this one any more, or when time is over.

        A number of another process is not this one's: a browser that comes back hears at once.
        """
        deadline = asyncio.get_running_loop().time() + timeout_s
        while True:
            await self._ask()
            if self.number != number or asyncio.get_running_loop().time() >= deadline:
                return self.number
            await asyncio.sleep(self._look_s)

    async def _ask(self) -> None:
        async with self._look:  # several browsers are one question
            try:
                seen = await asyncio.to_thread(self._changes)
            except HippoError as error:  # that it cannot be read is a change: whoever asks for a view is told why
                seen = str(error)
            if seen != self._seen:
                self._seen = seen
                self.number += 1
