"""Where a tuner's new configs come from: a collection, draws from distributions, or a sampler that learns.

Tuners that train some configs further than others (ASHA, Hyperband, ...) take any of these as their `space`, so that
every sampler works with every way to prune.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from hippo.errors import TunerError
from hippo.hparams import Config, RandomSearchSpace, as_config
from hippo.records import Answer
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps


class Proposer(Protocol):
    """Proposes configs, and may learn from what became of them. Made anew for each run of a call."""

    def propose(self) -> Config | None:
        """Return the next config, or None if there is none."""

    def tell(self, answer: Answer) -> None:
        """Learn from an answer about a config that was proposed, at whatever step, in the order of their arrival."""


@runtime_checkable
class ProposingSpace(Protocol):
    """A space that brings its own proposer."""

    def start(self, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> Proposer:
        """Return a new proposer.

        Args:
          ask: for a proposer that wants to know the study's objectives, or what is covered already.
          num_trials: how many configs it may propose; None: as many as the space has.
          until: the largest step that a trial may reach: an answer there is a trial's last.
          seed: of its draws.
        """


#: what tuners take as `space`
Space = Iterable[Mapping[str, Any]] | RandomSearchSpace | ProposingSpace


def check_space(space: Any, num_trials: int | None) -> None:
    """Refuse a space from which nobody knows how many configs to take, before anything is trained.

    Raises:
      TunerError: it has no end, and `num_trials` is missing.
      BudgetError: `num_trials` is not an integer of at least 1.
    """
    if num_trials is not None:
        check_steps("num_trials", num_trials)
    elif isinstance(space, RandomSearchSpace | ProposingSpace):
        raise TunerError(f"{type(space).__name__} has no end; say how many configs to take: num_trials=...")


def start_proposing(space: Any, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> Proposer:
    """Return the proposer of any kind of space."""
    if isinstance(space, ProposingSpace):
        return space.start(ask, num_trials=num_trials, until=until, seed=seed)
    return _Draws(_configs(space, num_trials, seed))


def draw_configs(space: Any, num_trials: int | None, seed: int) -> list[Config]:
    """Return the configs of a collection in their order, or draws from distributions, at most `num_trials`."""
    return list(_configs(space, num_trials, seed))


def _configs(space: Any, num_trials: int | None, seed: int) -> Iterator[Config]:
    if isinstance(space, RandomSearchSpace):
        import numpy as np

        rng = np.random.default_rng(seed)
        assert num_trials is not None, "check_space asks for it"
        for _ in range(num_trials):
            yield space.sample(rng)
        return
    for number, config in enumerate(space):
        if number == num_trials:
            return
        yield as_config(config)


class _Draws:
    """Configs that are known beforehand: nothing is learned."""

    def __init__(self, configs: Iterator[Config]) -> None:
        self._configs = configs

    def propose(self) -> Config | None:
        return next(self._configs, None)

    def tell(self, answer: Answer) -> None:
        pass
