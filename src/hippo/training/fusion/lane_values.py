"""Hyper-parameters of lanes that are walked as one: those in which they differ are for optimizers alone.

It refuses to know who looks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from hippo.hparams import Piece
from hippo.training.fusion.refusals import LanesDifferIn
from hippo.training.values import HparamValues, same_value

Pieces = Mapping[str, Piece]


class LaneValues:
    """The values in force in each lane."""

    def __init__(self, each: Sequence[HparamValues]) -> None:
        self.each = tuple(each)

    @cached_property  # asked at each update
    def differing(self) -> frozenset[str]:
        """The names in which lanes differ, or which some of them do not have."""
        first = self.each[0].raw
        names = {
            name
            for values in self.each[1:]
            for name in first.keys() | values.raw.keys()
            if name not in first or name not in values.raw or not same_value(first[name], values.raw[name])
        }
        return frozenset(names)

    @property
    def missing_somewhere(self) -> frozenset[str]:
        """The names that some lanes have and others have not: whether one is there leaves no trace when looked at."""
        each = [values.raw.keys() for values in self.each]
        return frozenset(set().union(*each).difference(set(each[0]).intersection(*each)))

    def at(self, t: float) -> LaneValues:
        """Return the values at step `t`, which may lie between two steps."""
        return LaneValues([values.at(t) for values in self.each])

    def keep(self, lanes: Sequence[int]) -> LaneValues:
        """Return those of these lanes."""
        return LaneValues([self.each[lane] for lane in lanes])

    def require_common(self, names: Collection[str]) -> None:
        """Refuse lanes that differ in one of these names.

        Raises:
          LanesDifferIn: they do.
        """
        if found := self.differing & set(names):
            raise LanesDifferIn(tuple(sorted(found)))


def values_of(pieces: Sequence[Pieces], step: int, read: set[str], looks: set[str]) -> LaneValues:
    """Return the values in force at `step` in lanes with these pieces.

    Args:
      read: collects the names that are ever looked at.
      looks: collects those that are looked at among these values.
    """

    def of(lane: Pieces) -> HparamValues:
        def at(t: float) -> dict[str, Any]:
            return {name: piece.at(t) for name, piece in lane.items()}

        return HparamValues(at(step), read=read, at=at, step=step).recording(looks)

    return LaneValues([of(lane) for lane in pieces])
