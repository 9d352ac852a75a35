"""Where a curve of losses over learning rates has its least, and what another rate than the best costs.

Pure: rates are their logarithms to base 2, losses are means over seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: points on each side of the least one through which a parabola is laid: more would mix the slope before the least with
#: the cliff behind it
BESIDE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The least of a curve."""

    #: log2 of the rate there
    rate: float
    #: the least of the curve's points
    loss: float
    #: the least point is the first or the last that was tried, so that the true one may lie beyond
    is_at_edge: bool


def optimum(rates: Sequence[float], losses: Sequence[float]) -> Optimum:
    """Return the least of the parabola through the least point and its neighbours, on a logarithm of losses.

    Args:
      rates: log2 of learning rates, rising.
      losses: above zero; infinite where training diverged.

    Raises:
      ValueError: there is no loss that is a number, or there are not as many losses as rates.
    """
    if len(rates) != len(losses) or not any(map(math.isfinite, losses)):
        raise ValueError(f"{len(rates)} rates and {len(losses)} losses, of which one at least must be a number")
    best = min(range(len(losses)), key=lambda place: (losses[place], place))
    near = [
        place
        for place in range(best - BESIDE, best + BESIDE + 1)
        if 0 <= place < len(losses) and math.isfinite(losses[place])
    ]
    is_at_edge = best in (0, len(losses) - 1)
    rate = float(rates[best])
    if not is_at_edge and len(near) >= 3:
        square, slope, _ = np.polyfit([rates[place] for place in near], [math.log(losses[place]) for place in near], 2)
        if square > 0:
            vertex = -slope / (2 * square)
            rate = float(np.clip(vertex, rates[near[0]], rates[near[-1]]))
    return Optimum(rate=rate, loss=losses[best], is_at_edge=is_at_edge)
