"""The coordinate check: whether what flows through a network depends on its width, told by numbers taken elsewhere.

Yang et al. 2022, "Tensor Programs V", appendix D.1: under a right parametrization the mean size of each module's output
stays as it is when the network gets wider, also after a few updates. This module refuses to know networks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: steepest growth that passes: with twelve seeds right parametrizations came to 0.16, but for one in 24, the standard
#: one to more in 9 of 10
MOST_GROWTH = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSlope:
    """How the size of one module's output grows with the width, after some updates."""

    #: its name in the model
    module: str
    #: updates that were made before
    update: int
    #: mean absolute value of its output at each width, mean over seeds; in the order of `CoordinateCheck.scales`
    sizes: tuple[float, ...]
    #: of log2(size) against log2(width): 0 stays, 1 doubles with the width; infinite if a wider one diverged
    slope: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateCheck:
    """What a coordinate check came to."""

    #: name of the trainer's class
    trainer: str
    parametrization: str
    #: so many times narrower than the target, the narrowest first
    scales: tuple[int, ...]
    num_seeds: int
    num_updates: int
    #: what the learning rate was multiplied by, so that a few updates are seen
    rate_factor: float
    #: of each module, before the first update and after each of them
    slopes: tuple[ModuleSlope, ...]

    @property
    def steepest(self) -> ModuleSlope:
        """The module whose output grows fastest with the width."""
        return max(self.slopes, key=lambda each: each.slope)

    @property
    def is_passed(self) -> bool:
        """Whether nothing grows with the width; that something shrinks passes."""
        return not self.is_too_steep(self.steepest)

    def is_too_steep(self, each: ModuleSlope) -> bool:
        """Whether one module's output grows with the width more than it may."""
        return each.slope > MOST_GROWTH

    def __str__(self) -> str:
        """Return it in a few lines: verdict, module to blame, what to do."""
        steepest, widths = self.steepest, ", ".join(f"1/{scale}" for scale in self.scales)
        head = (
            f"{self.trainer}: coordinate check {'passed' if self.is_passed else 'FAILED'} at {widths} of the target "
            f"({self.parametrization}, {self.num_updates} updates, {self.num_seeds} seeds, rate x {self.rate_factor:g})"
        )
        module = steepest.module or "the model"
        line = f"  steepest: {module} after {steepest.update} updates, slope {steepest.slope:.2f}"
        if self.is_passed:
            return f"{head}\n{line} (at most {MOST_GROWTH:.2f})"
        return (
            f"{head}\n{line}, above {MOST_GROWTH:.2f}: its output grows with the width, so the best learning rate will "
            "not be the target's. See docs/surrogates.md for what to look at."
        )


def log_slope(scales: Sequence[int], sizes: Sequence[float]) -> float:
    """Return the least-squares slope of log2(size) against log2(width).

    Args:
      scales: so many times narrower than one and the same target.
      sizes: at each of them. One that is not finite grew without bounds, and the slope is infinite; where all are 0,
        there is nothing that grows.

    Raises:
      ValueError: there is but one width.
    """
    if len(set(scales)) < 2:
        raise ValueError(f"a slope needs two widths or more, not {scales!r}")
    if not all(map(math.isfinite, sizes)):
        return math.inf
    if not any(sizes):
        return 0.0
    least = min(size for size in sizes if size) * 2.0**-20  # a zero is very small
    xs = [-math.log2(scale) for scale in scales]
    ys = [math.log2(max(size, least)) for size in sizes]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return covariance / sum((x - x_mean) ** 2 for x in xs)
