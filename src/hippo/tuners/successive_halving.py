"""Successive halving, synchronous: all to the first rung, the best of them to the next, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import rung_steps
from hippo.tuners.extension import Follow, train_on, training_ahead
from hippo.tuners.proposals import Space, SpaceLike, start_proposing
from hippo.tuners.pruning import check_pruning
from hippo.tuners.ranking import best
from hippo.tuners.rungs import NewTrials, best_that_stands, fill_rung, go_on, learns, no_configs
from hippo.tuners.tuner import Tuner


@accept_ray_names
@dataclass(frozen=True)
class SuccessiveHalving(Tuner):
    """Promotes the best 1/`reduction` of the configs from rung to rung; what is promoted goes on from its state.

    Jamieson and Talwalkar 2016, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", in the form
    of Hippo's Table 1: at least one is promoted, however few there are. What failed is not.

    Args:
      space: a `GridSearchSpace`, a `RandomSearchSpace`, or any collection of configs; a dictionary stands for either.
      min_steps: end of the first rung (Ray Tune: `grace_period`).
      max_steps: end of the last rung (`max_t`); those between are `min_steps` times powers of `reduction`.
      reduction: at least 2 (`reduction_factor`).
      num_trials: how many configs to take; None takes all of a collection.
      seed: of the draws.
      ties: "first" promotes the earlier of equal trials; "distinct" one of each training state before a second.
      extra_steps: steps that the best trial is trained beyond `max_steps` (Hippo, section 6.1).
      speculate: while slots are idle, train the best trial so far on ahead of time.

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
            seed: int = ...,
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
        rung_steps(self.min_steps, self.max_steps, self.reduction)
        check_pruning(self, speculate=self.speculate)

    async def tune(self, ask: Ask) -> Config:
        trials = NewTrials(
            start_proposing(self.space, ask, num_trials=self.num_trials, until=self.max_steps, seed=self.seed)
        )
        steps = rung_steps(self.min_steps, self.max_steps, self.reduction)
        limit = self.max_steps + self.extra_steps
        async with training_ahead(ask, until=limit, chunk=self.min_steps, on=self.speculate) as follow:
            final = len(steps) == 1 and not self.extra_steps
            late = learns(self.space)
            answers = await fill_rung(ask, trials, until=steps[0], final=final, late=late)
            keep = [max(1, len(answers) // self.reduction**rung) for rung in range(1, len(steps))]
            rungs = list(zip(steps[1:], keep, strict=True))
            winner = await halve(
                ask, answers, rungs, trials=trials, ties=self.ties, final=not self.extra_steps, follow=follow
            )
        await train_on(ask, winner, self.extra_steps)
        return winner.config


async def halve(
    ask: Ask,
    answers: Sequence[Answer],
    rungs: Sequence[tuple[int, int]],
    *,
    trials: NewTrials,
    ties: str,
    final: bool,
    follow: Follow | None = None,
) -> Answer:
    """Promote the best trials from rung to rung, and return the best answer of the last rung that is not of failures.

    Args:
      ask: what answers.
      answers: those of the first rung.
      rungs: the others: (where it ends, how many are promoted to it).
      trials: told of every answer.
      ties: see `hippo.tuners.ranking.order`.
      final: whether no trial goes on from the last rung.
      follow: told who is ahead at the end of each rung.

    Raises:
      SpaceError: there are no trials.
    """
    if not answers:
        raise no_configs()
    rankings = [best(answers, answers, keep=len(answers), ties=ties)]
    for until, keep in rungs:
        survivors = [answer for answer in rankings[-1][:keep] if answer.failure is None]
        if not survivors:
            break
        if follow is not None:
            follow(survivors[0], until)
        is_last = until == rungs[-1][0]
        answers = await ask.together([go_on(answer, until=until, final=final and is_last) for answer in survivors])
        for answer in answers:
            trials.tell(answer)
        rankings.append(best(answers, answers, keep=len(answers), ties=ties))
    return best_that_stands(reversed(rankings))
