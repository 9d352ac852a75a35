"""Which of two results is better: metrics, objectives with their direction, and bounds that must be kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: whether a smaller or a larger value of an objective is better
Mode = Literal["min", "max"]
#: metrics by name, as recorded; a whole number stays one, wherever it was told
Metrics = Mapping[str, int | float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """Which metric counts, in which direction."""

    metric: str
    mode: Mode

    def loss(self, metrics: Metrics) -> float:
        """Return what is to be made small, infinity for NaN; KeyError if the metric is missing."""
        value = metrics[self.metric]
        return math.inf if math.isnan(value) else mode_sign(self.mode) * value


def losses_of(objectives: Sequence[Objective], metrics: Metrics) -> tuple[float, ...]:
    """Return the objectives, signs turned so that smaller is better; KeyError if a metric is missing.

    Of several that are not all numbers each is infinite: what diverged is behind all that did not, and is not the best
    in what it came to nonetheless.
    """
    losses = tuple([objective.loss(metrics) for objective in objectives])
    if len(losses) > 1 and any(math.isnan(metrics[objective.metric]) for objective in objectives):
        return (math.inf,) * len(losses)
    return losses


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A bound that a metric must keep."""

    metric: str
    #: "<=" or ">="
    relation: str
    bound: float

    def violation(self, metrics: Metrics) -> float:
        """Return by how much the bound is broken; not above zero if it is kept; KeyError if the metric is missing."""
        excess = metrics[self.metric] - self.bound
        return excess if self.relation == "<=" else -excess

    def __str__(self) -> str:
        return f"{self.metric} {self.relation} {self.bound!r}"


def mode_sign(mode: str) -> float:
    """Return the factor that turns an objective of this mode into a loss: 1 for "min", -1 for "max"."""
    return -1.0 if mode == "max" else 1.0
