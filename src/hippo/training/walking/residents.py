"""Recent training states in a slot's memory, so that a fork there costs a copy and not a file.

One rule for every slot, of whatever engine: which state goes when there is no room, which never goes, and what a slot
says of it. What a state is, and what it weighs, is its own matter: a simulated one has no bytes. This module refuses to
know why a state is pinned or dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from hippo.events import StatesResident
from hippo.records import Drop, Pin, Point, SlotCommand, SlotId

#: `Assignment.states_of` and point
ResidentKey = tuple[str, Point]


class Sized(Protocol):
    """A state at rest."""

    @property
    def size_bytes(self) -> int:
        """How much of the budget it takes."""


StateT = TypeVar("StateT", bound=Sized)


class ResidentStates(Generic[StateT]):
    """States at rest by workload and point; beyond `budget_bytes` the one used longest ago goes first.

    Pinned states count, and stay: together they may take more than the budget, and then nothing else finds room. In a
    worker, what goes in and comes out is encoded, hence never aliased by a live trainer.
    """

    def __init__(self, budget_bytes: int = 1 << 30) -> None:
        self._budget = budget_bytes
        #: what all of them take together
        self.size_bytes = 0
        self._states: OrderedDict[ResidentKey, StateT] = OrderedDict()
        #: also of states that are not here yet
        self._pinned: set[ResidentKey] = set()

    def put(self, workload: str, point: Point, state: StateT) -> list[ResidentKey]:
        """Keep `state`, and return the keys of those that had to go for it (itself, if there is no room for it)."""
        self._forget((workload, point))
        self._states[workload, point] = state
        self.size_bytes += state.size_bytes
        return self._make_room()

    def get(self, workload: str, point: Point) -> StateT | None:
        """Return the state, now the one used last, or None."""
        state = self._states.get((workload, point))
        if state is not None:
            self._states.move_to_end((workload, point))
        return state

    def keys(self) -> frozenset[ResidentKey]:
        """Return what is resident."""
        return frozenset(self._states)

    def follow(self, command: SlotCommand) -> list[StatesResident]:
        """Do what a command asks for, and return what the slot says of it."""
        keys = [(command.workload, point) for point in command.points]
        if isinstance(command, Pin):
            self._pinned.update(keys)
            return []
        if isinstance(command, Drop):
            for key in keys:
                if key not in self._pinned:
                    self._forget(key)
            # What had gone before is told once more: whoever sends this believed that it was here.
            return told(command.slot, dropped=[key for key in keys if key not in self._states])
        self._pinned.difference_update(keys)
        return told(command.slot, dropped=self._make_room())

    def _make_room(self) -> list[ResidentKey]:
        """Forget states until the rest fits, and return their keys."""
        dropped: list[ResidentKey] = []
        while self.size_bytes > self._budget:
            oldest = next((key for key in self._states if key not in self._pinned), None)
            if oldest is None:
                break
            self._forget(oldest)
            dropped.append(oldest)
        return dropped

    def _forget(self, key: ResidentKey) -> None:
        state = self._states.pop(key, None)
        if state is not None:
            self.size_bytes -= state.size_bytes


def told(
    slot: SlotId, *, added: Iterable[ResidentKey] = (), dropped: Iterable[ResidentKey] = ()
) -> list[StatesResident]:
    """Return what a slot says of states that came and went: one event for each plan that they are of."""
    came: dict[str, list[Point]] = {}
    gone: dict[str, list[Point]] = {}
    for workload, point in added:
        came.setdefault(workload, []).append(point)
    for workload, point in dropped:
        gone.setdefault(workload, []).append(point)
    return [
        StatesResident(
            slot=slot, workload=workload, added=tuple(came.get(workload, ())), dropped=tuple(gone.get(workload, ()))
        )
        for workload in sorted({*came, *gone})
    ]
