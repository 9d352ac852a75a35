"""A clock that jumps, as clocks of real machines do: when they are set, when a machine slept, when it was restored.

`now` may jump either way. `elapsed` promises never to go back, and keeps that; but a machine that slept may find that
an hour has passed within one step. This module refuses to know when it jumps.
"""

from __future__ import annotations

from collections.abc import Callable

from hippo.clock import Clock


class JumpingClock:
    """Another clock's time, and what it has jumped by.

    Args:
      clock: that clock.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._now_s = 0.0
        self._elapsed_s = 0.0

    def now(self) -> float:
        return self._clock.now() + self._now_s

    def elapsed(self) -> float:
        return self._clock.elapsed() + self._elapsed_s

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        self._clock.call_later(seconds, callback)

    def jump(self, seconds: float) -> None:
        """Jump by so many seconds; where that is back, durations do not notice."""
        self._now_s += seconds
        self._elapsed_s += max(0.0, seconds)
