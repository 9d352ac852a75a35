"""What a scheduler is, and what it picks.

A scheduler keeps no memory (DESIGN 5.8): all it needs is in the trees, which contain no work that is under way as
ready. It refuses to know what a stage trains, and where a slot is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hippo.frozen import frozen_tuple
from hippo.records import AtCheckpoint, AtResident, Point, Stage
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
        return tuple([chain.begins_at for chain in self.chains])

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


class AbstractScheduler(Protocol):
    """Picks what to run next."""

    def lanes(self, trees: Sequence[StageTree], *, limit: int) -> list[StageChain]:
        """Return up to `limit` chains of stages that can start now, the most urgent first.

        Chains that are bound to slots do not count toward the limit: the slots that are free may not be theirs. No two
        share a stage, and nothing is changed: asked twice, it says the same.
        """
