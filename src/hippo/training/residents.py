"""Recent training states in a worker's memory, so that a fork there costs a copy and not a file."""

from __future__ import annotations

from collections import OrderedDict

from hippo.records import Point
from hippo.training.codec import EncodedState
from hippo.training.standing import StandingWalker

#: workload and point
ResidentKey = tuple[str, Point]


class ResidentStates:
    """States at rest by workload and point; beyond `budget_bytes` the one used longest ago goes first.

    What goes in and comes out is encoded, hence never aliased by a live trainer.
    """

    def __init__(self, budget_bytes: int = 1 << 30) -> None:
        self._budget = budget_bytes
        self._size = 0
        self._states: OrderedDict[ResidentKey, EncodedState] = OrderedDict()
        #: the walker that the slot's last lane left where it ended
        self.standing = StandingWalker()

    def put(self, workload: str, point: Point, state: EncodedState) -> list[ResidentKey]:
        """Keep `state`, and return the keys of those that had to go for it (itself, if it alone is too large)."""
        self._forget((workload, point))
        self._states[workload, point] = state
        self._size += state.size_bytes
        dropped = []
        while self._size > self._budget:
            oldest = next(iter(self._states))
            self._forget(oldest)
            dropped.append(oldest)
        return dropped

    def get(self, workload: str, point: Point) -> EncodedState | None:
        """Return the state, now the one used last, or None."""
        state = self._states.get((workload, point))
        if state is not None:
            self._states.move_to_end((workload, point))
        return state

    def keys(self) -> frozenset[ResidentKey]:
        """Return what is resident."""
        return frozenset(self._states)

    def _forget(self, key: ResidentKey) -> None:
        state = self._states.pop(key, None)
        if state is not None:
            self._size -= state.size_bytes
