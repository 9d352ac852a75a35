"""Virtual time: it stands still while anybody decides, and jumps to the next thing that happens."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class VirtualClock:
    """A `hippo.clock.Clock` that moves only when it is told to. Used by one thread, the control loop's.

    What is due at one moment is called in the order in which it was asked for.
    """

    def __init__(self, *, began_at: float = 0.0) -> None:
        """Create it.

        Args:
          began_at: what `now` says at the beginning, in seconds since the epoch.
        """
        self._began_at = began_at
        self._elapsed = 0.0
        self._numbers = itertools.count()
        self._ahead: list[tuple[float, int, Callable[[], None]]] = []

    def now(self) -> float:
        return self._began_at + self._elapsed

    def elapsed(self) -> float:
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        self.call_at(self._elapsed + seconds, callback)

    def call_at(self, elapsed: float, callback: Callable[[], None]) -> None:
        """Call back when the clock reaches a time; at once, but not from within this call, if that has passed."""
        heapq.heappush(self._ahead, (max(elapsed, self._elapsed), next(self._numbers), callback))

    def advance(self) -> bool:
        """Go to the next moment at which anything is due, and call it; return False if nothing is ahead."""
        if not self._ahead:
            return False
        self._elapsed = self._ahead[0][0]
        due = []
        while self._ahead and self._ahead[0][0] == self._elapsed:
            due.append(heapq.heappop(self._ahead)[2])
        for callback in due:
            callback()
        return True
