"""Learning curves: the metrics of a simulated state as a pure function of seed, path and step.

Equal paths have equal metrics, noise included, whatever the study, the plan, the sharing, the slot and the order; so
two simulations of one tuner that differ in sharing or slots differ in time alone. A curve refuses to know all these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hippo.records import Metrics
from hippo.simulation.paths import Segment, mixed

if TYPE_CHECKING:
    import numpy as np

_GOLDEN = 0x9E3779B97F4A7C15
#: four 16-bit numbers: the mean of their sum, and its standard deviation
_MEAN, _DEVIATION = 4 * 32767.5, 2 * ((65536**2 - 1) / 12) ** 0.5


@runtime_checkable
class Curve(Protocol):
    """What a simulated training run comes to. `state` is whatever a curve carries along a path; it is never changed."""

    def begin(self) -> Any:
        """Return the state of a newly initialised path."""

    def after(self, state: Any, segment: Segment, start: int, stop: int) -> Any:
        """Return the state after the steps (start, stop] of a segment, given the one at `start`.

        Going on from `start` to `stop` by way of any step between comes to the same, bit for bit.
        """

    def metrics(self, state: Any, segment: Segment, step: int) -> Metrics:
        """Return what `evaluate` says after `step` steps, `state` being the one there."""


@dataclass(frozen=True, slots=True)
class RandomWalk:
    """A metric that wanders along the tree of prefixes, by an increment of its own for each step.

    Increments are nearly normal: sums of four uniform numbers (Irwin and Hall 1927), exact in any order of cutting.

    Args:
      seed: of the increments.
      start: the metric after no step.
      drift: mean of the increments; below zero, a loss falls.
      noise: their standard deviation.
      metric: the metric's name.
    """

    seed: int = 0
    start: float = 1.0
    drift: float = -0.005
    noise: float = 0.02
    metric: str = "loss"

    def begin(self) -> float:
        return self.start

    def after(self, state: float, segment: Segment, start: int, stop: int) -> float:
        stream = mixed(segment.number + self.seed * _GOLDEN)
        value = state
        for step in range(start, stop):
            bits = mixed(stream + step * _GOLDEN)
            total = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
            value += self.drift + self.noise * ((total - _MEAN) / _DEVIATION)
        return value

    def metrics(self, state: float, segment: Segment, step: int) -> Metrics:
        return {self.metric: state}


#: (values in force in the last step, steps done, chance of this path and step) -> a metric, or metrics by name
CurveFunction = Callable[[Mapping[str, Any], int, "np.random.Generator"], float | Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Parametric:
    """A curve that a function draws, knowing the values in force in the last step and how many steps were done.

    Args:
      function: `function(values, step, rng)` returns the metric, or several by name. Whatever it draws comes from
        `rng`, a `numpy.random.Generator` that is a function of the seed, the path and the step.
      seed: of the generators.
      metric: the metric's name, where `function` returns a number.
    """

    function: CurveFunction
    seed: int = 0
    metric: str = "loss"

    def begin(self) -> None:
        return None

    def after(self, state: None, segment: Segment, start: int, stop: int) -> None:
        return None

    def metrics(self, state: None, segment: Segment, step: int) -> Metrics:
        import numpy as np

        rng = np.random.default_rng([self.seed, segment.number, step])
        found = self.function(segment.values(max(step - 1, 0)), step, rng)
        if isinstance(found, Mapping):
            return {name: float(value) for name, value in found.items()}
        return {self.metric: float(found)}


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A loss that falls as a power of the steps: floor + scale (1 + step)^-exponent, with noise of each evaluation.

    The form that learning curves are most often fitted with; see Viering and Loog 2023, "The Shape of Learning Curves".

    Args:
      seed: of the noise.
      floor: what it falls towards.
      scale: what is above the floor at the beginning.
      exponent: how fast it falls.
      noise: standard deviation of the noise.
      floor_of: values in force in the last step -> what to add to the floor; None: all configs are alike.
      metric: the metric's name.
    """

    seed: int = 0
    floor: float = 0.1
    scale: float = 0.9
    exponent: float = 0.5
    noise: float = 0.01
    floor_of: Callable[[Mapping[str, Any]], float] | None = None
    metric: str = "loss"

    def begin(self) -> None:
        return None

    def after(self, state: None, segment: Segment, start: int, stop: int) -> None:
        return None

    def metrics(self, state: None, segment: Segment, step: int) -> Metrics:
        above = 0.0 if self.floor_of is None else float(self.floor_of(segment.values(max(step - 1, 0))))
        wander = RandomWalk(self.seed, 0.0, 0.0, self.noise).after(0.0, segment, step, step + 1)
        return {self.metric: self.floor + above + self.scale * (1.0 + step) ** -self.exponent + wander}
