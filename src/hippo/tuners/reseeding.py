"""A sampler without memory of its own: what it draws depends on the study's trials, a seed and the trial's number.

Samplers of Optuna draw from generators that go on from trial to trial, so that a study that is resumed goes on
differently. Here each call into the sampler is made on a fresh copy, whose generators are seeded for that call.
"""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, QMCSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from hippo.tuners.samplers import SEEDS

#: what a sampler may draw from
Generator = np.random.RandomState | np.random.Generator | random.Random


class ReseededSampler(BaseSampler):
    """Makes any sampler of Optuna resumable: the next proposal follows from the trials in the storage alone.

    What the sampler keeps in the study (the optimizer of CMA-ES, the position of QMC) stays there; what it keeps
    within itself between two calls (a Gaussian process's last kernel parameters) is forgotten.

    Args:
      sampler: is copied before each use, and never changed.
      seed: of all its draws; whatever seed the sampler was made with does not count.
    """

    def __init__(self, sampler: BaseSampler, *, seed: int = 0) -> None:
        self._sampler = copy.deepcopy(sampler)
        self._seed = seed
        #: a trial's number, and the copy that has inferred what it samples from: TPE keeps groups of it within itself
        self._inferred: tuple[int, BaseSampler] | None = None
        #: for another draw at the same number of trials
        self.attempt = 0
        for part in _parts(self._sampler, set()):
            if isinstance(part, QMCSampler):
                part._seed = _hashed(seed, "qmc")  # names the point set, which is one for the whole study
            elif hasattr(part, "_set_rng"):
                part._rng = None  # made anew where it is needed: to copy a generator takes longer than to make one

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        sampler = copy.deepcopy(self._sampler)
        found = sampler.infer_relative_search_space(study, trial)
        self._inferred = (trial.number, sampler)
        return found

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        inferred, self._inferred = self._inferred, None
        if inferred is None or inferred[0] != trial.number:  # of another thread
            sampler = copy.deepcopy(self._sampler)
            sampler.infer_relative_search_space(study, trial)
        else:
            sampler = inferred[1]
        return self._reseeded(sampler, trial, "relative").sample_relative(study, trial, search_space)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        sampler = self._seeded(trial, f"independent/{param_name}")
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        self._seeded(trial, "before").before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        self._seeded(trial, "after").after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Do nothing: trials of parallel workers have numbers of their own."""

    def __str__(self) -> str:
        return f"ReseededSampler({self._sampler}, seed={self._seed})"

    def _seeded(self, trial: FrozenTrial, call: str) -> BaseSampler:
        return self._reseeded(copy.deepcopy(self._sampler), trial, call)

    def _reseeded(self, sampler: BaseSampler, trial: FrozenTrial, call: str) -> BaseSampler:
        for number, rng in enumerate(_generators(sampler)):
            _reseed(rng, _hashed(self._seed, trial.number, self.attempt, call, number))
        return sampler


def _hashed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS


def _reseed(rng: Generator, seed: int) -> None:
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = type(rng.bit_generator)(seed).state
    else:
        rng.seed(seed)


def _generators(sampler: BaseSampler) -> Iterator[Generator]:
    """Yield each generator within a sampler once, in an order that is always the same."""
    for part in _parts(sampler, set()):
        lazily = getattr(part, "rng", None)  # Optuna makes its generators when they are first used
        if isinstance(lazily, np.random.RandomState):
            yield lazily
        for _, value in sorted(vars(part).items()):
            if isinstance(value, Generator) and value is not lazily:
                yield value


def _parts(thing: Any, seen: set[int]) -> Iterator[Any]:
    """Yield an object and the objects that it is made of, depth first, each once."""
    if id(thing) in seen or isinstance(thing, type) or not hasattr(thing, "__dict__") or _is_code(thing):
        return
    seen.add(id(thing))
    yield thing
    for _, value in sorted(vars(thing).items()):
        yield from _parts(value, seen)


def _is_code(thing: Any) -> bool:
    """Tell whether it is a function or a module, which hold no generators of a sampler's own."""
    return hasattr(thing, "__name__") or hasattr(thing, "__func__")
