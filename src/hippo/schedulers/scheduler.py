"""What a scheduler is, and how the chains it picks meet slots.

A scheduler keeps no memory (DESIGN 5.8): all it needs is in the trees, which contain no work that is under way as
ready. It refuses to know what a stage trains, and where a slot is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hippo.frozen import frozen_tuple
from hippo.records import AtCheckpoint, AtResident, Point, Slot, Stage
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
    def is_bound(self) -> bool:
        """Whether it can begin only in a slot that holds its state."""
        return isinstance(self.stages[0].base, AtResident)


class AbstractScheduler(Protocol):
    """Picks what to run next."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[StageChain]:
        """Return up to `limit` chains of stages that can start now, the most urgent first.

        Chains that are bound to slots do not count toward the limit: the slots that are free may not be theirs. No two
        share a stage, and nothing is changed: asked twice, it says the same.
        """


def wanted_states(chains: Sequence[StageChain], workloads: Sequence[str]) -> list[tuple[str, Point] | None]:
    """Return for each chain the workload and point of the state that it begins with; None for a new one."""
    return [None if (at := chain.begins_at) is None else (workloads[chain.tree], at) for chain in chains]


def place(
    chains: Sequence[StageChain], slots: Sequence[Slot], workloads: Sequence[str]
) -> list[tuple[Slot, StageChain]]:
    """Pair chains with free slots: first those whose state is resident in one, then the others, if they may.

    Args:
      chains: the most urgent first; each chooses before the next one.
      slots: the free ones; ties go to the earlier.
      workloads: the key under which slots hold each tree's states.

    Returns:
      The pairs in the order of the chains; chains for which there is no slot are left out.
    """
    free = {slot.id: slot for slot in slots}
    holders: dict[tuple[str, Point], list[Slot]] = {}
    for slot in reversed(slots):
        for resident in slot.resident:
            holders.setdefault(resident, []).append(slot)
    chosen: dict[int, Slot] = {}
    anywhere: list[int] = []
    for number, state in enumerate(wanted_states(chains, workloads)):
        if len(chosen) + len(anywhere) == len(slots):
            break
        candidates = holders.get(state, []) if state is not None else []
        while candidates and candidates[-1].id not in free:
            candidates.pop()
        if candidates:
            chosen[number] = free.pop(candidates.pop().id)
        elif not chains[number].is_bound:
            anywhere.append(number)
    chosen.update(zip(anywhere, free.values(), strict=False))
    return [(chosen[number], chains[number]) for number in sorted(chosen)]
