"""What a scheduler is, and how the chains it picks meet slots.

A scheduler keeps no memory (DESIGN 5.8): all it needs is in the trees, which contain no work that is under way as
ready. It refuses to know what a stage trains, and where a slot is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hippo.records import AtCheckpoint, Point, Slot, Stage
from hippo.stages import StageTree


@dataclass(frozen=True, slots=True)
class Chain:
    """Stages that one slot will walk one after the other."""

    #: which of the trees they are of
    tree: int
    stages: tuple[Stage, ...]

    @property
    def begins_at(self) -> Point | None:
        """The checkpoint that it starts from; None for a new state."""
        base = self.stages[0].base
        return (base.node, base.step) if isinstance(base, AtCheckpoint) else None


class AbstractScheduler(Protocol):
    """Picks what to run next."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[Chain]:
        """Return up to `limit` chains of stages that can start now, the most urgent first.

        No two share a stage, and nothing is changed: asked twice, it says the same.
        """


def place(chains: Sequence[Chain], slots: Sequence[Slot], workloads: Sequence[str]) -> list[tuple[Slot, Chain]]:
    """Pair chains with free slots, each where the state it starts from is resident, if such a slot is free.

    Args:
      chains: the most urgent first; each gets a slot before the next one chooses.
      slots: the free ones; ties go to the earlier.
      workloads: the key of each tree's workload.
    """
    free = list(slots)
    pairs = []
    for chain in chains:
        if not free:
            break
        begins_at = chain.begins_at
        wanted = None if begins_at is None else (workloads[chain.tree], begins_at)
        slot = next((slot for slot in free if wanted in slot.resident), free[0])
        free.remove(slot)
        pairs.append((slot, chain))
    return pairs
