"""What happened since the last turn of the control loop, and how long the next one may wait for more.

A worker says several things of a step, one after the other, and a turn for each of them costs most of what they cost.
So facts gather for a moment; what a slot waits for does not. This module refuses to know what a turn does.
"""

from __future__ import annotations

from hippo.clock import Clock
from hippo.events import EngineEvent, is_fact
from hippo.runtime.instructions import Input

#: how long facts gather: much less than anybody notices, and as long as a selector can wait at least
GATHER_S = 0.001


class TurnInbox:
    """Keeps what is for the next turn, in the order in which it came."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: list[Input] = []
        #: something waits for the turn
        self._is_pressing = False
        #: when the first came
        self._since_s = 0.0

    def __bool__(self) -> bool:
        return bool(self._kept)

    def take(self, event: EngineEvent) -> None:
        """Keep what an engine has told."""
        if not self._kept:
            self._since_s = self._clock.elapsed()
        self._kept.append(event)
        self._is_pressing = self._is_pressing or not is_fact(event)

    def press(self, one: Input) -> None:
        """Keep something for which the turn is to come at once."""
        self._kept.append(one)
        self._is_pressing = True

    def rest_s(self) -> float:
        """Return for how many seconds the turn may wait; 0 or less: it is due, for tuners if for nothing else."""
        if self._is_pressing or not self._kept:
            return 0.0
        return self._since_s + GATHER_S - self._clock.elapsed()

    def empty(self) -> list[Input]:
        """Return what was kept, and keep it no more."""
        kept, self._kept, self._is_pressing = self._kept, [], False
        return kept
