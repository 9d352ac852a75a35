"""What a config promises: its expected improvement, from two densities, over the parameters of good and other trials.

Bergstra et al. 2011, "Algorithms for Hyper-Parameter Optimization", section 4: with l the density of the best share
gamma of the trials and g that of the others, expected improvement is proportional to 1 / (gamma + g/l (1 - gamma)).
Each parameter has densities of its own: Gaussian kernels between its bounds, counts for a choice, and one uniform
observation besides. Parameters that a config has no use for count neither way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from hippo.hparams import Distribution
from hippo.hparams.templates import Choice
from hippo.records import Answer
from hippo.tuners.number_lines import NumberLine, line_of
from hippo.tuners.ranking import order

Params = Mapping[str, Any]

#: a log density
LogDensity = Callable[[Any], float]

#: trials that must be answered before anything can be said
MIN_TRIALS = 10


class HasDistributions(Protocol):
    """Knows what each parameter is drawn from."""

    def distribution(self, name: str) -> Distribution:
        """Return the distribution of a parameter."""


class Improvement:
    """Learns from answers what a config promises. Numbers of one `ExpectedImprovement` compare with no other's."""

    def __init__(self, space: HasDistributions) -> None:
        self._space = space
        #: number of a trial -> its values, and its answer at the largest step
        self._trials: dict[int, tuple[Params, Answer]] = {}
        self._promise: ExpectedImprovement | None = None

    def learn(self, params: Params, answer: Answer) -> None:
        """Take in an answer; of several about a trial, the one at the largest step counts."""
        known = self._trials.get(answer.trial)
        if known is None or known[1].step <= answer.step:
            self._trials[answer.trial] = (params, answer)
            self._promise = None

    @property
    def is_ready(self) -> bool:
        """Whether enough trials were answered."""
        return len(self._trials) >= MIN_TRIALS

    @property
    def promise(self) -> ExpectedImprovement:
        """What the answers so far let one expect."""
        if self._promise is None:
            self._promise = ExpectedImprovement(self._space, self._best_first())
        return self._promise

    def _best_first(self) -> list[Params]:
        """Return the values of all trials: those trained further first, then the better ones; failed ones last."""
        trials = [self._trials[number] for number in sorted(self._trials)]
        ranked: list[Params] = []
        groups = sorted(trials, key=lambda trial: _group(trial[1]))
        for _, group in itertools.groupby(groups, key=lambda trial: _group(trial[1])):
            members = list(group)
            ranked += [members[i][0] for i in order([answer for _, answer in members])]
        return ranked


def _group(answer: Answer) -> tuple[bool, int]:
    return (answer.failure is not None, -answer.step)


class ExpectedImprovement:
    """The two densities, of good trials and of all others, and what they promise of a config.

    Args:
      space: knows each parameter's distribution.
      best_first: the values of the trials, at least one; the best tenth of them, at most 25, are the good ones.
    """

    def __init__(self, space: HasDistributions, best_first: Sequence[Params]) -> None:
        self.best_first = best_first
        self._space = space
        num_good = min(math.ceil(0.1 * len(best_first)), 25)
        self._gamma = num_good / len(best_first)
        self._good, self._others = best_first[:num_good], best_first[num_good:]
        self._densities: dict[str, tuple[LogDensity, LogDensity]] = {}

    def log_of(self, params: Params) -> float:
        """Return the logarithm of a number proportional to the expected improvement."""
        log_ratio = 0.0  # log l(x)/g(x)
        for name in sorted(params):
            good, others = self._density(name)
            log_ratio += good(params[name]) - others(params[name])
        if self._gamma == 1.0:
            return log_ratio
        return -_log_add(math.log(self._gamma), math.log(1 - self._gamma) - log_ratio)

    def _density(self, name: str) -> tuple[LogDensity, LogDensity]:
        if name not in self._densities:
            distribution = self._space.distribution(name)
            good, others = (
                log_density(distribution, [trial[name] for trial in trials if name in trial])
                for trials in (self._good, self._others)
            )
            self._densities[name] = good, others
        return self._densities[name]


def log_density(distribution: Distribution, values: Sequence[Any]) -> LogDensity:
    """Return the log density of a parameter whose trials had these values, against that of its own distribution."""
    line = line_of(distribution)
    if line is not None:
        return _Kernels(line, values).log_at
    assert isinstance(distribution, Choice), "samplers know ranges and choices"
    num_options = len(distribution.options)
    return lambda value: math.log((sum(v == value for v in values) * num_options + 1) / (len(values) + 1))


class _Kernels:
    """Gaussian kernels on a line from 0 to 1, cut off at its ends, and the uniform density as one of them."""

    def __init__(self, line: NumberLine, values: Sequence[float]) -> None:
        self._line = line
        self._values = values

    @cached_property
    def _fitted(self) -> tuple[Any, Any, float]:
        """Return the centres, the share of each kernel that lies within the bounds, and the width."""
        import numpy as np

        centres = np.array([self._line.to_unit(value) for value in self._values])
        count = max(1, len(centres))
        spread = float(centres.std()) if len(centres) > 1 else 1.0
        # Scott's rule; not narrower than what so many trials can resolve, as in Optuna's TPE
        width = min(max(1.06 * spread * count**-0.2, 1 / min(100, count + 1)), 1.0)
        root = width * math.sqrt(2)
        inside = np.array([(math.erf((1 - c) / root) + math.erf(c / root)) / 2 for c in centres.tolist()])
        return centres, inside, width

    def log_at(self, value: float) -> float:
        import numpy as np

        centres, inside, width = self._fitted
        distances = (self._line.to_unit(value) - centres) / width
        kernels = np.exp(-0.5 * distances**2) / (math.sqrt(2 * math.pi) * width * inside)
        return math.log((float(kernels.sum()) + 1) / (len(centres) + 1))


def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))
