"""What a scheduler is, and how what it picks meets slots.

A scheduler keeps no memory (DESIGN 5.8): all it needs is in the trees, which contain no work that is under way as
ready. It refuses to know what a stage trains, and where a slot is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from hippo.frozen import frozen_tuple
from hippo.records import AtCheckpoint, AtResident, Point, Slot, SlotId, Stage
from hippo.stages import StageTree


@frozen_tuple
class StageChain:
    """Stages that one slot will walk one after the other."""

    #: which of the trees they are of
    tree: int
    stages: tuple[Stage, ...]

    @property
    def begins_at(self) -> Point | None:
        """Where the state is of which it starts; None for a new one."""
        base = self.stages[0].base
        return Point(base.node, base.step) if isinstance(base, AtCheckpoint | AtResident) else None

    @property
    def beginnings(self) -> tuple[Point | None, ...]:
        """`begins_at`."""
        return (self.begins_at,)

    @property
    def is_bound(self) -> bool:
        """Whether it can begin only in a slot that holds its state."""
        return isinstance(self.stages[0].base, AtResident)


@frozen_tuple
class StageBundle:
    """Chains that one slot will walk as lanes of one assignment: of one tree and one shape, beginning at one step."""

    #: at least one, those with the longest way below them first
    chains: tuple[StageChain, ...]

    @property
    def tree(self) -> int:
        """Which of the trees they are of."""
        return self.chains[0].tree

    @property
    def beginnings(self) -> tuple[Point | None, ...]:
        """Where the state is of which each of its chains starts; None for a new one."""
        return tuple(chain.begins_at for chain in self.chains)

    @property
    def is_bound(self) -> bool:
        """Whether it can begin only in a slot that holds its states: all its chains are bound, or none is."""
        return self.chains[0].is_bound


class Pick(Protocol):
    """What is given to one slot: a chain, or a bundle of them."""

    @property
    def tree(self) -> int:
        """Which of the trees it is of."""

    @property
    def beginnings(self) -> tuple[Point | None, ...]:
        """Where the state is of which each of its chains starts; None for a new one."""

    @property
    def is_bound(self) -> bool:
        """Whether it can begin only in a slot that holds them."""


P = TypeVar("P", bound=Pick)


class AbstractScheduler(Protocol):
    """Picks what to run next."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[StageChain]:
        """Return up to `limit` chains of stages that can start now, the most urgent first.

        Chains that are bound to slots do not count toward the limit: the slots that are free may not be theirs. No two
        share a stage, and nothing is changed: asked twice, it says the same.
        """


def wanted_states(picks: Sequence[Pick], workloads: Sequence[str]) -> list[tuple[str, Point] | None]:
    """Return for each chain the workload and point of the state that it begins with; None for a new one."""
    return [None if at is None else (workloads[pick.tree], at) for pick in picks for at in pick.beginnings]


def place(picks: Sequence[P], slots: Sequence[Slot], workloads: Sequence[str]) -> list[tuple[Slot, P]]:
    """Pair picks with free slots: first those whose states are resident in one, then the others, if they may.

    Args:
      picks: the most urgent first; each chooses before the next one, the slot that holds most of its states.
      slots: the free ones; ties go to the earlier.
      workloads: the key under which slots hold each tree's states.

    Returns:
      The pairs in the order of the picks; those for which there is no slot are left out.
    """
    free = {slot.id: slot for slot in slots}
    holders: dict[tuple[str, Point], list[SlotId]] = {}
    for slot in reversed(slots):
        for resident in slot.resident:
            holders.setdefault(resident, []).append(slot.id)
    chosen: dict[int, Slot] = {}
    anywhere: list[int] = []
    for number, pick in enumerate(picks):
        if len(chosen) + len(anywhere) == len(slots):
            break
        states = [(workloads[pick.tree], at) for at in pick.beginnings if at is not None]
        best = _holder(states, holders, free, all_of_them=pick.is_bound)
        if best is not None:
            chosen[number] = free.pop(best)
        elif not pick.is_bound:
            anywhere.append(number)
    chosen.update(zip(anywhere, free.values(), strict=False))
    return [(chosen[number], picks[number]) for number in sorted(chosen)]


def _holder(
    states: Sequence[tuple[str, Point]],
    holders: Mapping[tuple[str, Point], list[SlotId]],
    free: Mapping[SlotId, Slot],
    *,
    all_of_them: bool,
) -> SlotId | None:
    """Return the free slot that holds most of these states, the earliest of several; None: none holds any.

    Args:
      states: as often as they are wanted.
      holders: of each state the slots that hold it, the earliest last; those that are taken are removed from its end.
      free: the slots that are free, the earliest first.
      all_of_them: a slot that holds some and not all is none.
    """
    for state in set(states):
        candidates = holders.get(state, [])
        while candidates and candidates[-1] not in free:
            candidates.pop()
    if len(states) == 1:
        candidates = holders.get(states[0], [])
        return candidates[-1] if candidates else None
    held = Counter(slot for state in states for slot in holders.get(state, ()) if slot in free)
    most = max(held.values(), default=0)
    if not most or (all_of_them and most < len(states)):
        return None
    return next(slot for slot in free if held[slot] == most)
