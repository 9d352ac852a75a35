"""ASHA by stopping: each trial goes on as long as it is among the best that came as far."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import rung_steps
from hippo.tuners.extension import train_on
from hippo.tuners.proposals import Space, SpaceLike
from hippo.tuners.pruning import check_pruning, new_trials, record_in_turn
from hippo.tuners.rungs import Rung, best_at_the_top, go_on, make_rungs
from hippo.tuners.tuner import Tuner


@accept_ray_names
@dataclass(frozen=True)
class StoppingASHA(Tuner):
    """Lets a trial go on from a rung if it is among the best 1/`reduction` of those that came there so far.

    The stopping form of ASHA: `AsyncHyperBandScheduler` of Ray Tune, "stopping" in Syne Tune. It never waits and never
    takes a trial up again: early trials meet few rivals and get far, late ones that are as good may not. It reaches
    `max_steps` with its first trial. The best so far of a rung always goes on; what failed does not.

    Args:
      space: a `RandomSearchSpace`, a space that learns, or a collection of configs; a dictionary stands for either.
      min_steps: end of the first rung (Ray Tune: `grace_period`).
      max_steps: end of the last rung (`max_t`); those between are `min_steps` times powers of `reduction`.
      reduction: at least 2 (`reduction_factor`).
      num_trials: how many configs to take; None takes all of a collection.
      seed: of the draws, and of the order of a grid.
      shuffle: take the configs of a collection in an order that `seed` decides; None: those of a `GridSearchSpace`,
        which is sorted, and not those of a list, which is in the order that you gave it.
      ties: see `hippo.tuners.ranking.order`.
      extra_steps: steps that the best trial is trained beyond `max_steps` (Hippo, section 6.1).

    Raises:
      BudgetError: see `hippo.tuners.budgets.rung_steps`; or `num_trials` or `extra_steps` is out of its bounds.
      TunerError: the space has no end and `num_trials` is missing, or `ties` is unknown.
    """

    needs_metric: ClassVar[bool] = True

    space: Space
    min_steps: int
    max_steps: int
    reduction: int = 4
    _: KW_ONLY
    num_trials: int | None = None
    seed: int = 0
    shuffle: bool | None = None
    ties: str = "first"
    extra_steps: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            min_steps: int = ...,
            max_steps: int = ...,
            reduction: int = ...,
            *,
            num_trials: int | None = ...,
            seed: int = ...,
            shuffle: bool | None = ...,
            ties: str = ...,
            extra_steps: int = ...,
            grace_period: int = ...,
            max_t: int = ...,
            reduction_factor: int = ...,
            n_trials: int | None = ...,
            num_samples: int | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        rung_steps(self.min_steps, self.max_steps, self.reduction)
        check_pruning(self, shuffle=self.shuffle)

    def record(self) -> dict[str, Any]:
        return record_in_turn(self)

    async def tune(self, ask: Ask) -> Config:
        trials = new_trials(self, ask)
        rungs = make_rungs(self.min_steps, self.max_steps, self.reduction, ties=self.ties)
        rung_at = {rung.step: rung for rung in rungs}
        above = {rung.step: higher.step for rung, higher in itertools.pairwise(rungs)}
        going_on: deque[Proposal] = deque()

        def propose() -> Proposal | None:
            return going_on.popleft() if going_on else trials.next(until=rungs[0].step, final=is_last(rungs[0].step))

        def is_last(step: int) -> bool:
            return step == self.max_steps and not self.extra_steps

        async for answer in ask.stream(propose):
            trials.tell(answer)
            rung = rung_at[answer.step]
            rung.add(answer)
            if answer.step in above and self._goes_on(answer, rung):
                until = above[answer.step]
                going_on.append(go_on(answer, until=until, final=is_last(until)))
        winner = best_at_the_top(rungs)
        await train_on(ask, winner, self.extra_steps)
        return winner.config

    def _goes_on(self, answer: Answer, rung: Rung) -> bool:
        return answer.failure is None and rung.is_among(answer, max(1, len(rung) // self.reduction))
