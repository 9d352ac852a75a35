"""How fast a short stretch of training converges: a label and a speed, from its losses alone.

Cui, Ganger, Gibbons 2018, "MLtuner: System Support for Automatic Machine Learning Tuning", section 4.1. This module
refuses to know branches, tuners and where losses come from.

Deviations. Windows take all losses, where the authors' code drops those that do not fill one. Before the windows stands
a starting point, the loss of the state that the stretch began from, as in the authors' code, but not in their paper:
without it, a setting that first blows the loss up and then falls from its own spike is faster than all good ones. Last
losses above ten times the starting point are divergence, too.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hippo.errors import TunerError

#: a last loss above so many starting points is no way to converge (authors' code)
BLOWN_UP = 10.0
#: speeds that have to agree before a search has settled, and how far apart they may be (section 4.3)
AGREEING = 5
TOLERANCE = 0.1


class Label(enum.Enum):
    """What a stretch of training looks like."""

    #: its losses fall by much more than their noise
    CONVERGING = "converging"
    #: one of them is no finite number, or they blew up
    DIVERGED = "diverged"
    #: too noisy, or too short, to tell
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """What a stretch of training comes to."""

    label: Label
    #: by how much the loss falls in a unit of time, noise taken off; never below 0, and 0 for what diverged
    speed: float
    #: first point minus last one: by how much the loss fell; 0 for what diverged
    drop: float
    #: the largest rise from one point to the next, at least 0; 0 for what diverged
    noise: float

    @property
    def is_converging(self) -> bool:
        """Whether it falls by much more than its noise."""
        return self.label is Label.CONVERGING

    @property
    def has_diverged(self) -> bool:
        """Whether nothing can come of it."""
        return self.label is Label.DIVERGED


DIVERGED = Convergence(label=Label.DIVERGED, speed=0.0, drop=0.0, noise=0.0)


def summarize(losses: Sequence[float], duration: float, start: float | None = None, windows: int = 10) -> Convergence:
    """Return label and speed of a stretch of training.

    The losses are averaged in windows of equal size, to which the starting point is added in front, at the moment the
    stretch began. White noise is labelled converging in less than one of 100,000 cases with ten windows.

    Args:
      losses: one for each step, in order; smaller is better.
      duration: of the whole stretch, in any unit of time; steps, say.
      start: the loss before the first step; None: the first window is the first point.
      windows: into which the losses are averaged (the paper's K), at least 2. Of fewer losses each is a point of its
        own, and they are never converging.

    Raises:
      TunerError: there are no losses, or less than 2 windows.
    """
    if not losses or windows < 2:
        raise TunerError(f"{len(losses)} losses in {windows} windows say nothing; give at least 1 and 2")
    if not all(map(math.isfinite, losses)) or _has_blown_up(losses[-1], start):
        return DIVERGED
    count = min(windows, len(losses))
    edges = [i * len(losses) // count for i in range(count + 1)]
    try:
        points = [math.fsum(losses[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
    except OverflowError:
        return DIVERGED
    # a step's loss stands at the step's end, and the starting point one step before the first of them
    moments = [(a + b - 1) / 2 for a, b in itertools.pairwise(edges)]
    if start is not None:
        points, moments = [start, *points], [-1.0, *moments]
    change = points[-1] - points[0]
    noise = max([0.0, *(b - a for a, b in itertools.pairwise(points))])
    if not math.isfinite(change):  # finite points may be too far apart
        return DIVERGED
    took = duration * (moments[-1] - moments[0]) / len(losses)
    speed = max((-change - noise) / took, 0.0) if took else 0.0
    is_converging = len(losses) >= windows and change < 0 and noise < abs(change) / windows
    label = Label.CONVERGING if is_converging else Label.UNSTABLE
    return Convergence(label=label, speed=speed + 0.0, drop=-change + 0.0, noise=noise)  # 0.0 for -0.0


def has_settled(speeds: Iterable[float]) -> bool:
    """Tell whether a search may end: the five best speeds above 0 differ by less than 10 %.

    Those that are 0 count for nothing: settings that diverged are all alike.
    """
    best = sorted((speed for speed in speeds if speed > 0), reverse=True)[:AGREEING]
    return len(best) == AGREEING and 1 - best[-1] / best[0] < TOLERANCE


def _has_blown_up(last: float, start: float | None) -> bool:
    """Tell whether a loss is far above the starting point; of a loss that may be negative nobody knows what is far."""
    return start is not None and start > 0 and last > BLOWN_UP * start
