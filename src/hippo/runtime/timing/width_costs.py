"""How many times as fast several slots walk a lane as one does, learned from steps by shape.

Until that is known of a shape, of every slot beside the first a part is taken to be of use: what is lost to talking is
more than nothing, and it takes bad links to lose half.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

#: of each slot beside the first, as long as nothing is known
_USED = 0.7
#: what was learned is never taken for less: a gang that is slower than one slot is no gang for long
_LEAST_USED = 0.0


class WidthCosts(Generic[K]):
    """Of each slot beside the first, the part that is of use: by shape, as a mean over steps."""

    def __init__(self) -> None:
        self._sums: dict[K, tuple[float, int]] = {}

    def learn(self, shape: K, width: int, seconds: float, alone_s: float) -> None:
        """Note a step that several slots took.

        Args:
          shape: what decides how long it takes.
          width: how many slots, at least two.
          seconds: of each of them.
          alone_s: what one of them takes by itself.
        """
        if seconds <= 0.0 or alone_s <= 0.0:
            return
        used = (alone_s / seconds - 1.0) / (width - 1)
        total, count = self._sums.get(shape, (0.0, 0))
        self._sums[shape] = (total + used, count + 1)

    def speedup(self, shape: K, width: int) -> float:
        """Return how many times as fast so many slots are."""
        total, count = self._sums.get(shape, (_USED, 1))
        return 1.0 + max(total / count, _LEAST_USED) * (width - 1)
