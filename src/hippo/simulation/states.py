"""Simulated training states: what checkpoints hold, and what workers have in memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from hippo.records import Point
from hippo.simulation.paths import Segment

#: workload and point
ResidentKey = tuple[str, Point]


@dataclass(frozen=True, slots=True)
class State:
    """Where a path is: its last segment, and what the curve carries."""

    segment: Segment
    step: int
    curve: Any

    @property
    def digest(self) -> str:
        """The state's hash: equal for equal states, whatever plan they are in."""
        return f"{self.segment.digest.hex()}-{self.step}"


class Residents:
    """The last few states that a worker made or loaded; the one used longest ago goes first."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._states: OrderedDict[ResidentKey, State] = OrderedDict()

    def get(self, workload: str, point: Point) -> State | None:
        """Return a state, now the one used last, or None."""
        state = self._states.get((workload, point))
        if state is not None:
            self._states.move_to_end((workload, point))
        return state

    def put(self, workload: str, point: Point, state: State) -> list[ResidentKey]:
        """Keep a state, and return the keys of those that had to go (itself, if there is no room at all)."""
        self._states[workload, point] = state
        self._states.move_to_end((workload, point))
        dropped = []
        while len(self._states) > self._room:
            dropped.append(self._states.popitem(last=False)[0])
        return dropped
