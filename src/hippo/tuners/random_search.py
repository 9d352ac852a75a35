"""Random search: configs drawn from distributions, each to the end."""

from __future__ import annotations

from dataclasses import dataclass

from hippo.hparams import RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps
from hippo.tuners.tuner import Tuner


@dataclass(frozen=True)
class RandomSearch(Tuner):
    """Trains configs drawn from a space.

    Bergstra and Bengio 2012, "Random Search for Hyper-Parameter Optimization". Only equal values share a prefix:
    quantised distributions (`quniform`, `choice`) share more than continuous ones.

    Args:
      space: what to draw from.
      num_trials: how many to draw.
      until: steps that each is trained.
      seed: of the draws, which depend on nothing else.

    Raises:
      BudgetError: `num_trials` or `until` is not an integer of at least 1.
    """

    space: RandomSearchSpace
    num_trials: int
    until: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_steps("num_trials", self.num_trials)
        check_steps("until", self.until)

    async def tune(self, ask: Ask) -> list[Answer]:
        import numpy as np

        rng = np.random.default_rng(self.seed)
        configs = [self.space.sample(rng) for _ in range(self.num_trials)]
        return await ask.all(configs, until=self.until, final=True)
