"""Successive halving, synchronous: all to the first rung, the best of them to the next, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hippo.hparams import Config, as_config
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import best, rung_steps
from hippo.tuners.tuner import Tuner


@dataclass(frozen=True)
class SuccessiveHalving(Tuner):
    """Promotes the best 1/`reduction` of the configs from rung to rung; what is promoted goes on from its state.

    Jamieson and Talwalkar 2016, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", in the form
    of Hippo's Table 1. Ties go to the earlier trial; a trial that failed ranks last.

    Args:
      space: a `GridSearchSpace`, or any collection of configs.
      min_steps: end of the first rung.
      max_steps: end of the last rung; those between are `min_steps` times powers of `reduction`.
      reduction: at least 2.

    Raises:
      BudgetError: see `hippo.tuners.budgets.rung_steps`.
    """

    needs_metric: ClassVar[bool] = True

    space: Iterable[Mapping[str, Any]]
    min_steps: int
    max_steps: int
    reduction: int = 4

    def __post_init__(self) -> None:
        rung_steps(self.min_steps, self.max_steps, self.reduction)

    async def tune(self, ask: Ask) -> Config:
        survivors = [as_config(config) for config in self.space]
        for until in rung_steps(self.min_steps, self.max_steps, self.reduction):
            answers = await ask.all(survivors, until=until, final=until == self.max_steps)
            survivors = best(survivors, answers, keep=max(1, len(survivors) // self.reduction))
        return survivors[0]
