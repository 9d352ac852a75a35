"""How fast each slot is beside the others, learned from steps of one kind that several of them took.

A slot is known by what it did, never by the name of its device. Speeds are told in coarse classes, and all slots count
as equally fast until some are clearly not: to let work wait for a fast slot because of a slot that was disturbed once
would cost more than it saves.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from hippo.records import SlotId

K = TypeVar("K", bound=Hashable)

#: a slot is known when it took so many steps of one kind, besides the first: that one includes what is imported
_LEAST_STEPS = 3
#: more steps do not make it count for more: what is slow now may have been fast
_MOST_STEPS = 50
#: of a slot that took so many, one in `_EVERY` is looked at: there may be ten thousand slots
_ENOUGH_STEPS = 20
_EVERY = 8
#: classes of speed to each factor of two, so that slots of one class differ by 40 % at most, and 19 % from its middle
_CLASSES = 2
#: rounds in which kinds and slots are told apart
_ROUNDS = 8
#: speeds are looked at anew when by this factor more steps were noted
_GROWTH = 1.2


@dataclass(slots=True)
class _SlotSteps:
    """Steps of one kind in one slot."""

    #: mean of the logarithm of their seconds, without the first
    mean: float = 0.0
    count: int = -1

    def note(self, seconds: float) -> None:
        self.count = min(self.count + 1, _MOST_STEPS)
        if self.count:
            self.mean += (math.log(seconds) - self.mean) / self.count


class SlotSpeeds:
    """Speeds of slots by id."""

    def __init__(self) -> None:
        self._paces: dict[SlotId, dict[Hashable, _SlotSteps]] = {}
        #: slots of which enough is known
        self._known: set[SlotId] = set()
        self._noted, self._looked_at = 0, 0
        self._speeds: dict[SlotId, float] = {}

    def wants(self, slot: SlotId, step: int) -> bool:
        """Tell whether this step of a slot is worth noting."""
        return slot not in self._known or not step % _EVERY

    def note(self, slot: SlotId, kind: Hashable, seconds: float) -> None:
        """Note that a slot took a step.

        Args:
          kind: what decides how long it takes: workload, shape, how many lanes.
          seconds: above 0, or it is not looked at.
        """
        if seconds <= 0.0:
            return
        kinds = self._paces.setdefault(slot, {})
        pace = kinds.get(kind)
        if pace is None:
            pace = kinds[kind] = _SlotSteps()
        pace.note(seconds)
        self._noted += 1
        if pace.count == _ENOUGH_STEPS:
            self._known.add(slot)

    def lose(self, slot: SlotId) -> None:
        """Forget a slot."""
        self._paces.pop(slot, None)
        self._known.discard(slot)
        self._speeds.pop(slot, None)

    @property
    def differ(self) -> bool:
        """Whether some slots are clearly slower than others."""
        if self._noted > _GROWTH * self._looked_at:
            self._looked_at = self._noted
            self._speeds = _classes(self._learned())
        return bool(self._speeds)

    def of(self, slot: SlotId) -> float:
        """Return the steps it takes in the time in which the fastest slot takes one; 1 as long as that is not known.

        Of a slot that is new nothing is known, so it is given what is most urgent.
        """
        return self._speeds.get(slot, 1.0) if self.differ else 1.0

    def _learned(self) -> dict[SlotId, float]:
        """Return the logarithm of each slot's slowness, as far as it is known, beside that of the others.

        A step of kind k takes exp(k's cost + the slot's slowness): least squares in turns, first of one, then of the
        other. Where two slots never took steps of a kind in common, not even by way of others, both count as equal.
        """
        paces = [
            (slot, kind, pace.mean, pace.count)
            for slot, kinds in self._paces.items()
            for kind, pace in kinds.items()
            if pace.count >= _LEAST_STEPS
        ]
        slowness = dict.fromkeys((slot for slot, *_ in paces), 0.0)
        for _ in range(_ROUNDS):
            costs = _means((kind, mean - slowness[slot], count) for slot, kind, mean, count in paces)
            slowness = _means((slot, mean - costs[kind], count) for slot, kind, mean, count in paces)
        return slowness


def _means(values: Iterable[tuple[K, float, int]]) -> dict[K, float]:
    """Return the weighted mean of the values of each key."""
    sums: dict[K, tuple[float, int]] = {}
    for key, value, weight in values:
        total, weights = sums.get(key, (0.0, 0))
        sums[key] = (total + value * weight, weights + weight)
    return {key: total / weights for key, (total, weights) in sums.items()}


def _classes(slowness: dict[SlotId, float]) -> dict[SlotId, float]:
    """Return the speed of each slot, rounded; empty if all are of one class."""
    fastest = min(slowness.values(), default=0.0)
    classes = {slot: round((value - fastest) / math.log(2) * _CLASSES) for slot, value in slowness.items()}
    if not any(classes.values()):
        return {}
    return {slot: 2.0 ** (-number / _CLASSES) for slot, number in classes.items()}
