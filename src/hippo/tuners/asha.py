"""ASHA: successive halving without waiting, by promotion."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import TunerError
from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import rung_steps
from hippo.tuners.extension import train_on, training_ahead
from hippo.tuners.proposals import Space, SpaceLike
from hippo.tuners.pruning import check_pruning, new_trials, record_in_turn
from hippo.tuners.rungs import Rung, best_at_the_top, count_of, go_on, make_rungs, warn_if_few
from hippo.tuners.tuner import Tuner


@accept_ray_names
@dataclass(frozen=True)
class ASHA(Tuner):
    """Whenever there is room, promotes a trial that is among the best 1/`reduction` of its rung, else takes a new one.

    Li et al. 2020, "A System for Massively Parallel Hyperparameter Tuning", Alg. 2. No trial is stopped: what is not
    promoted now may be later. What failed is not promoted.

    Args:
      space: a `RandomSearchSpace`, a space that learns, or a collection of configs; a dictionary stands for either.
      min_steps: end of the first rung (the paper's r; Ray Tune: `grace_period`).
      max_steps: end of the last rung (R, `max_t`); those between are `min_steps` times powers of `reduction`.
      reduction: at least 2 (eta, `reduction_factor`).
      num_trials: how many configs to take; None takes all of a collection.
      delay: promote from a rung only when `reduction` trials came there for each one promoted: D-ASHA (Li et al. 2022,
        "Hyper-Tune", section 4.2), which makes fewer promotions that turn out wrong, and leaves promising trials
        waiting longer.
      seed: of the draws, and of the order of a grid.
      shuffle: take the configs of a collection in an order that `seed` decides; None: those of a `GridSearchSpace`,
        which is sorted, and not those of a list, which is in the order that you gave it.
      ties: "first" promotes the earlier of equal trials; "distinct" one of each training state before a second.
      extra_steps: steps that the best trial is trained beyond `max_steps` (Hippo, section 6.1).
      speculate: while slots are idle, train the best trial so far on ahead of time.

    Raises:
      BudgetError: see `hippo.tuners.budgets.rung_steps`; or `num_trials` or `extra_steps` is out of its bounds.
      TunerError: the space has no end and `num_trials` is missing, or an option is unknown.
    """

    needs_metric: ClassVar[bool] = True

    space: Space
    min_steps: int
    max_steps: int
    reduction: int = 4
    _: KW_ONLY
    num_trials: int | None = None
    delay: bool = False
    seed: int = 0
    shuffle: bool | None = None
    ties: str = "first"
    extra_steps: int = 0
    speculate: bool = False

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            min_steps: int = ...,
            max_steps: int = ...,
            reduction: int = ...,
            *,
            num_trials: int | None = ...,
            delay: bool = ...,
            seed: int = ...,
            shuffle: bool | None = ...,
            ties: str = ...,
            extra_steps: int = ...,
            speculate: bool = ...,
            grace_period: int = ...,
            max_t: int = ...,
            reduction_factor: int = ...,
            n_trials: int | None = ...,
            num_samples: int | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        rungs = rung_steps(self.min_steps, self.max_steps, self.reduction)
        check_pruning(self, shuffle=self.shuffle, speculate=self.speculate)
        if not isinstance(self.delay, bool):
            raise TunerError(f"delay must be True or False, not {self.delay!r}")
        warn_if_few(count_of(self.space, self.num_trials), rungs, self.reduction)

    def record(self) -> dict[str, Any]:
        return record_in_turn(self)

    async def tune(self, ask: Ask) -> Config:
        trials = new_trials(self, ask)
        rungs = make_rungs(self.min_steps, self.max_steps, self.reduction, ties=self.ties)
        rung_at = {rung.step: rung for rung in rungs}
        final = not self.extra_steps

        def get_job() -> Proposal | None:  # Alg. 2
            if promoted := promote(rungs, self.reduction, delay=self.delay):
                answer, rung = promoted
                return go_on(answer, until=rung.step, final=final and rung is rungs[-1])
            return trials.next(until=rungs[0].step, final=final and len(rungs) == 1)

        limit = self.max_steps + self.extra_steps
        async with training_ahead(ask, until=limit, chunk=self.min_steps, on=self.speculate) as follow:
            async for answer in ask.stream(get_job):
                trials.tell(answer)
                rung_at[answer.step].add(answer)
                if self.speculate:
                    leader = best_at_the_top(rungs)
                    follow(leader, leader.step)
        winner = best_at_the_top(rungs)
        await train_on(ask, winner, self.extra_steps)
        return winner.config


def promote(rungs: Sequence[Rung], reduction: int, *, delay: bool = False) -> tuple[Answer, Rung] | None:
    """Return a trial that deserves promotion, the highest rung's first, and the rung to which it is promoted.

    Li et al. 2020, Alg. 2, the loop of get_job. Whom it returns counts as promoted.
    """
    for rung, above in reversed(list(itertools.pairwise(rungs))):
        if delay and len(rung) < reduction * (len(rung.promoted) + 1):
            continue
        answer = rung.promote(len(rung) // reduction)
        if answer is not None:
            return answer, above
    return None
