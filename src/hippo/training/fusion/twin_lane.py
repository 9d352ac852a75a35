"""A copy of a lane, moved by one unit in the last place of one weight: how fast does the lane part from itself?

Training enlarges a change of a bit, here slowly, there at once: a config whose twin has gone another way cannot be
expected to come to the same twice, as one program and alone; one whose twin stays close can. It refuses to know what
follows from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

#: name -> the weights that are trained, of one lane
Weights = Mapping[str, Tensor]


class Drift(NamedTuple):
    """How far a twin is from its lane."""

    #: since it was moved
    steps: int
    #: the distance, by the way that the lane walked since then; infinity where the twin alone left all numbers
    relative: float


class TwinLane:
    """Watches a lane and its twin, which are equal until the end of their first step.

    There the weight that moved most is moved in the twin: of one that moves, others are known to depend on it.

    Args:
      weights: returns those of the lane with this number as they are, to be looked at and written.
      lane, twin: numbers.
      computed: the type to which weights are rounded where they are used, of whose units it is moved by one: less
        would be rounded away, and the twin be taken for one that stays. None: their own.
    """

    def __init__(
        self, weights: Callable[[int], Weights], lane: int, twin: int, *, computed: torch.dtype | None = None
    ) -> None:
        self._weights = weights
        self._computed = computed
        self.lane, self.twin = lane, twin
        self._begin = self._copied()
        #: None: not moved yet
        self._steps: int | None = None

    def note_step(self) -> None:
        """Take note of a step that both have taken."""
        if self._steps is not None:
            self._steps += 1
        elif found := self._moved_most():
            name, index = found
            _move_by_one_ulp(self._weights(self.twin)[name], index, self._computed)
            self._begin, self._steps = self._copied(), 0

    def drift(self) -> Drift | None:
        """Return how far they are apart; None if nothing can be said: the lane stood still, or left all numbers."""
        if not self._steps:
            return None
        now = self._weights(self.lane)
        walked, apart = _distance(now, self._begin), _distance(self._weights(self.twin), now)
        if not 0 < walked < math.inf:
            return None
        return Drift(self._steps, apart / walked if math.isfinite(apart) else math.inf)

    def _copied(self) -> Weights:
        return {name: each.detach().clone() for name, each in self._weights(self.lane).items()}

    def _moved_most(self) -> tuple[str, int] | None:
        """Return the name of the tensor, and the index, of the weight that moved most; None if none did."""
        most, found = 0.0, None
        for name, each in self._weights(self.lane).items():
            moved = torch.nan_to_num((each.detach() - self._begin[name]).abs().flatten(), 0.0, 0.0, 0.0)
            if moved.numel() and float(moved.max()) > most:
                most, found = float(moved.max()), (name, int(moved.argmax()))
        return found


@torch.no_grad()
def _move_by_one_ulp(tensor: Tensor, index: int, computed: torch.dtype | None) -> None:
    """Move a number of a tensor in place, away from zero, to the next one that another type can hold."""
    place = tuple(int(each) for each in torch.unravel_index(torch.tensor(index), tensor.shape))
    value = tensor[place] if computed is None else tensor[place].to(computed)
    tensor[place] = torch.nextafter(value, torch.copysign(torch.full_like(value, math.inf), value))


def _distance(one: Weights, other: Weights) -> float:
    return math.hypot(*(float((each.detach().double() - other[name].double()).norm()) for name, each in one.items()))
