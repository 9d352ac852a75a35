"""Population based bandits: as PBT, but a model of past progress chooses the values to go on with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import TunerError
from hippo.hparams import Config, RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_population_names
from hippo.tuners.ask import Ask
from hippo.tuners.exploring import Lineage, is_allowed, mutable_hparams, with_filter
from hippo.tuners.number_lines import NumberLine, line_of
from hippo.tuners.pbt import Perturbation, check_population, population_of
from hippo.tuners.proposals import SpaceLike
from hippo.tuners.time_varying_gp import most_likely_kernel, posterior_deviation, posterior_mean
from hippo.tuners.tuner import Tuner, describe_tuner

if TYPE_CHECKING:
    from numpy.random import Generator

    from hippo.tuners.time_varying_gp import Array

#: improvements are held within so many interquartile ranges of the median
_FAR = 5.0
#: of beta_t = c1 + log(c2 t): the paper's
C1, C2 = 0.2, 0.4
#: points at which the acquisition is compared
CANDIDATES = 512
#: the latest observations that are fitted: older ones have faded. From 100 on OpenBLAS solves with threads, which wait
#: for cores that are busy training: measured, 100 ms instead of 0.1 ms for each of some 50 solutions
WINDOW = 64


@accept_population_names
@dataclass(frozen=True)
class PB2(Tuner):
    """Trains a population as `PBT` does, and chooses what a copy goes on with by a Gaussian process bandit.

    Parker-Holder, Nguyen and Roberts 2020, "Provably Efficient Online Hyperparameter Optimization with
    Population-Based Bandits", Algorithm 2. What is modelled is how much the loss fell in an interval, per step, given
    time and values, by a process that forgets; the next values maximise mean + sqrt(beta) deviation, the deviation
    being what remains after the intervals that other members are training.

    Deviations: the acquisition is maximised over random candidates. Hyper-parameters that are no numbers are
    perturbed, as all are until there is one observation more than there are numbers.

    Args:
      space: a `RandomSearchSpace`, or any collection of configs, whose first ones are taken.
      population: number of members, at least 2.
      interval: steps that a member trains between two explorations.
      max_steps: steps at which a member has come to its end.
      quantile: share of the population that is copied, and that copies; above 0, at most 0.5.
      mutations: name -> distribution of what is explored; None: whatever the space draws.
      synchronous: whether all wait for each other after each interval, so that nothing depends on their order.
      seed: of the first configs, of who is copied, and of the candidates.

    Raises:
      BudgetError, TunerError, UnknownHparamError: as `PBT`; and a TunerError if nothing that changes is a number.
    """

    needs_metric: ClassVar[bool] = True

    space: RandomSearchSpace | Iterable[Mapping[str, Any]]
    population: int
    interval: int
    max_steps: int
    quantile: float = 0.25
    mutations: Mapping[str, Any] | None = None
    synchronous: bool = False
    seed: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            population: int = ...,
            interval: int = ...,
            max_steps: int = ...,
            quantile: float = ...,
            mutations: Mapping[str, Any] | None = ...,
            synchronous: bool = ...,
            seed: int = ...,
            *,
            num_samples: int = ...,
            n_trials: int = ...,
            perturbation_interval: int = ...,
            max_t: int = ...,
            quantile_fraction: float = ...,
            hyperparam_mutations: Mapping[str, Any] | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_population(self, self._explorer)

    def record(self) -> dict[str, Any]:
        return with_filter(describe_tuner(self), self.space)

    async def tune(self, ask: Ask) -> Config:
        return await population_of(self, self._explorer()).train(ask)

    def _explorer(self) -> Bandit:
        mutable = mutable_hparams(self.space, self.mutations)
        lines = {name: line for name in mutable if (line := line_of(mutable[name])) is not None}
        if not lines:
            raise TunerError(f"PB2 models numbers, and none of {list(mutable)} is one; use PBT")
        perturbation = Perturbation(self.space, mutable, factors=(0.8, 1.2), resample_probability=0.25)
        return Bandit(self.space, lines, perturbation, interval=self.interval)


class Bandit:
    """Explores where a time-varying Gaussian process promises the largest improvement.

    Args:
      space: its filter, if it has one, is kept.
      lines: of the hyper-parameters that are modelled, by name.
      perturbation: explores the others, and all as long as too little is known.
      interval: steps to a unit of time.
    """

    def __init__(
        self, space: Any, lines: Mapping[str, NumberLine], perturbation: Perturbation, *, interval: int
    ) -> None:
        self._space = space
        self._lines = lines
        self._perturbation = perturbation
        self._interval = interval
        self._observed: list[tuple[float, list[float], float]] = []  # time, position, improvement per step

    def note(self, before: Answer, after: Answer, config: Config) -> None:
        improvement = (before.loss - after.loss) / (after.step - before.step)  # minus infinity for a failure
        if math.isfinite(before.loss):
            self._observed.append((before.step / self._interval, self._position(config, before.step), improvement))

    def explore(self, lineage: Lineage, at: int, others: Sequence[Config], rng: Generator) -> dict[str, Any]:
        values = self._perturbation.explore(lineage, at, others, rng)
        if len(self._observed) <= len(self._lines):
            return values
        for position in self._by_acquisition(at, others, rng):
            chosen = {name: line.from_unit(u) for (name, line), u in zip(self._lines.items(), position, strict=True)}
            if is_allowed(self._space, lineage, {**values, **chosen}):
                return {**values, **chosen}
        return values

    def _by_acquisition(self, at: int, others: Sequence[Config], rng: Generator) -> Array:
        """Return candidates, the most promising first (eq. 7 with the deviation of eq. 8)."""
        import numpy as np

        observed = self._observed[-WINDOW:]
        t = np.array([time for time, _, _ in observed])
        x = np.array([position for _, position, _ in observed])
        y = _standardised(np.array([improvement for _, _, improvement in observed]))
        kernel = most_likely_kernel(x, t, y)

        candidates = rng.random((CANDIDATES, len(self._lines)))
        now = np.full(CANDIDATES, at / self._interval)
        training = np.array([self._position(other, at) for other in others]).reshape(-1, len(self._lines))
        busy_x, busy_t = np.vstack([x, training]), np.concatenate([t, np.full(len(training), now[0])])
        beta = C1 + max(0.0, math.log(C2 * len(self._observed)))
        deviation = posterior_deviation(kernel, busy_x, busy_t, candidates, now)
        acquisition = posterior_mean(kernel, x, t, y, candidates, now) + math.sqrt(beta) * deviation
        ordered: Array = candidates[np.argsort(-acquisition, kind="stable")]
        return ordered

    def _position(self, config: Config, at: int) -> list[float]:
        """Return the modelled values of a config at a step as positions between 0 and 1."""
        values = [config[name](at) for name in self._lines]
        return [
            line.to_unit(value) if isinstance(value, int | float) else 0.5  # in the middle: nothing is known of it
            for line, value in zip(self._lines.values(), values, strict=True)
        ]


def _standardised(improvements: Array) -> Array:
    """Return improvements with mean 0 and variance 1, held between -2 and 2; infinitely bad ones become -2.

    One that is far from all others, as where a loss has diverged, counts for mean and variance as if it were less far:
    else all others would be one number.
    """
    import numpy as np

    finite = improvements[np.isfinite(improvements)]
    if not len(finite):
        return np.full(len(improvements), -2.0)
    low, middle, high = np.quantile(finite, (0.25, 0.5, 0.75))
    if high > low:
        finite = np.clip(finite, middle - _FAR * (high - low), middle + _FAR * (high - low))
    standardised: Array = np.clip((improvements - finite.mean()) / (finite.std() + 1e-12), -2, 2)
    return standardised
