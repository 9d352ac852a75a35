"""The median stopping rule: who never was as good as the others were on average is stopped."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sortedcontainers import SortedList

from hippo.errors import BudgetError
from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_aliases
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import check_steps
from hippo.tuners.extension import train_on
from hippo.tuners.proposals import Space, SpaceLike
from hippo.tuners.pruning import check_pruning, new_trials, record_in_turn
from hippo.tuners.rungs import Rung, best_at_the_top, go_on
from hippo.tuners.tuner import Tuner


@accept_aliases(grace_period="min_steps", max_t="max_steps")
@dataclass(frozen=True)
class MedianStopping(Tuner):
    """Stops a trial whose best loss so far is worse than the median of what completed trials had on average by then.

    Golovin et al. 2017, "Google Vizier: A Service for Black-Box Optimization", section 3.2.2. It assumes nothing about
    the shape of curves. Trials are looked at every `interval` steps, and their averages are over these looks. With
    several objectives the first one counts, and constraints stop no trial.

    Args:
      space: a `RandomSearchSpace`, a space that learns, or a collection of configs; a dictionary stands for either.
      min_steps: no trial is looked at before (Ray Tune: `grace_period`).
      max_steps: what a trial that is not stopped is trained (`max_t`).
      interval: steps between looks; None: `min_steps`. Each look is a place where training may halt, with its cost.
      min_trials: how many trials must be complete before any other is stopped.
      num_trials: how many configs to take; None takes all of a collection.
      seed: of the draws, and of the order of a grid.
      shuffle: take the configs of a collection in an order that `seed` decides; None: those of a `GridSearchSpace`,
        which is sorted, and not those of a list, which is in the order that you gave it.
      ties: for the best trial; see `hippo.tuners.ranking.order`.
      extra_steps: steps that the best trial is trained beyond `max_steps` (Hippo, section 6.1).

    Raises:
      BudgetError: a number is out of its bounds, or `min_steps` above `max_steps`.
      TunerError: the space has no end and `num_trials` is missing, or `ties` is unknown.
    """

    needs_metric: ClassVar[bool] = True

    space: Space
    min_steps: int
    max_steps: int
    _: KW_ONLY
    interval: int | None = None
    min_trials: int = 3
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
            *,
            interval: int | None = ...,
            min_trials: int = ...,
            num_trials: int | None = ...,
            seed: int = ...,
            shuffle: bool | None = ...,
            ties: str = ...,
            extra_steps: int = ...,
            grace_period: int = ...,
            max_t: int = ...,
            n_trials: int | None = ...,
            num_samples: int | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_steps("min_steps", self.min_steps)
        check_steps("max_steps", self.max_steps)
        check_steps("min_trials", self.min_trials)
        if self.interval is not None:
            check_steps("interval", self.interval)
        if self.min_steps > self.max_steps:
            raise BudgetError(f"min_steps={self.min_steps} is above max_steps={self.max_steps}; lower min_steps")
        check_pruning(self, shuffle=self.shuffle)

    @property
    def looks(self) -> list[int]:
        """The steps at which trials are looked at; the last one completes them."""
        return [*range(self.min_steps, self.max_steps, self.interval or self.min_steps), self.max_steps]

    def record(self) -> dict[str, Any]:
        return record_in_turn(self)

    async def tune(self, ask: Ask) -> Config:
        trials = new_trials(self, ask)
        looks = self.looks
        after = dict(itertools.pairwise(looks))
        losses: defaultdict[int, list[float]] = defaultdict(list)  # trial -> loss at each look
        averages = {step: RunningMedian() for step in looks}  # of the completed trials
        complete = Rung(self.max_steps, ties=self.ties)
        reached = {step: Rung(step, ties=self.ties) for step in looks[:-1]} | {self.max_steps: complete}
        going_on: deque[Proposal] = deque()

        def propose() -> Proposal | None:
            return going_on.popleft() if going_on else trials.next(until=looks[0], final=is_last(looks[0]))

        def is_last(step: int) -> bool:
            return step == self.max_steps and not self.extra_steps

        async for answer in ask.stream(propose):
            trials.tell(answer)
            curve = losses[answer.trial]
            curve.append(answer.loss)
            reached[answer.step].add(answer)
            if answer.failure is None and answer.step == self.max_steps:
                for step, average in zip(looks, running_averages(curve), strict=True):
                    averages[step].add(average)
            elif not self._is_stopped(answer, curve, averages[answer.step]):
                until = after[answer.step]
                going_on.append(go_on(answer, until=until, final=is_last(until)))
        winner = best_at_the_top(list(reached.values()))
        await train_on(ask, winner, self.extra_steps)
        return winner.config

    def _is_stopped(self, answer: Answer, curve: Sequence[float], others: RunningMedian) -> bool:
        if answer.failure is not None:
            return True
        return len(others) >= self.min_trials and min(curve) > others.median


class RunningMedian:
    """The median of values that come one after another; each look and each value cost a logarithm at most."""

    def __init__(self) -> None:
        self._values: SortedList = SortedList()

    def add(self, value: float) -> None:
        """Take in a value. NaN counts as infinity, the worst: it has no place in an order."""
        self._values.add(math.inf if math.isnan(value) else value)

    @property
    def median(self) -> float:
        """As `statistics.median` has it: the mean of the two in the middle where there is none.

        Raises:
          IndexError: there are no values.
        """
        half, is_odd = divmod(len(self._values), 2)
        return float(self._values[half] if is_odd else (self._values[half - 1] + self._values[half]) / 2)

    def __len__(self) -> int:
        return len(self._values)


def running_averages(values: Sequence[float]) -> list[float]:
    """Return the average of the first one, two, ... values."""
    return [total / count for count, total in enumerate(itertools.accumulate(values), start=1)]
