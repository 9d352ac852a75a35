"""Early stopping by milestones, as in Hippo's Figure 11: so many trials to this step, the best of them to the next."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from typing import Any

from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config, RandomSearchSpace, as_config
from hippo.records import Answer, mode_sign
from hippo.saying import warn_caller
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps
from hippo.tuners.metric import ExtractSingleNumber
from hippo.tuners.proposals import ProposingSpace, adopt_space
from hippo.tuners.ranking import best
from hippo.tuners.rungs import best_that_stands
from hippo.tuners.tuner import Tuner


@dataclass(frozen=True)
class Schedule:
    """Milestones: at each, how many trials are trained to it."""

    #: (step, number of trials), steps ascending, numbers not ascending
    milestones: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Check the milestones.

        Raises:
          BudgetError: there is none, a number is below 1, steps do not ascend, or counts do.
        """
        given: Any = self.milestones
        if not isinstance(given, list | tuple) or not given:
            raise BudgetError(f"a schedule needs at least one milestone (step, number of trials), not {given!r}")
        for milestone in given:
            if not isinstance(milestone, list | tuple) or len(milestone) != 2:
                raise BudgetError(f"a milestone is a pair (step, number of trials), not {milestone!r}")
            check_steps("the step of a milestone", milestone[0])
            check_steps("the number of trials of a milestone", milestone[1])
        for (step, count), (next_step, next_count) in itertools.pairwise(self.milestones):
            if next_step <= step:
                raise BudgetError(f"milestones must ascend, and step {next_step} comes after step {step}")
            if next_count > count:
                raise BudgetError(f"{next_count} trials cannot survive to step {next_step}: only {count} reach {step}")

    @classmethod
    def from_milestones(cls, *milestones: tuple[int, int]) -> Schedule:
        """Return the schedule that trains `count` trials until `step`, for each (step, count).

        `Schedule.from_milestones((5, 8), (10, 4))` trains 8 trials to step 5 and the best 4 of them to step 10.

        Raises:
          BudgetError: there is none, a number is below 1, steps do not ascend, or counts do.
        """
        return cls(milestones)


@accept_names
@dataclass(frozen=True)
class EarlyStopTuner(Tuner):
    """Trains the first configs of a space to the first milestone, and at each milestone keeps the best.

    Args:
      schedule: how many go how far; counts above the size of the space are lowered to it, with a warning.
      space: the configs, in the order in which they are taken.
      metric: what decides, `metric.ExtractSingleNumber(name)`.
      mode: "max" if larger is better, else "min".

    Raises:
      TunerError: the space has no end, or an argument is none of these.
    """

    schedule: Schedule
    space: Iterable[Mapping[str, Any]]
    metric: ExtractSingleNumber
    mode: str = "max"

    def __post_init__(self) -> None:
        if not isinstance(self.schedule, Schedule):
            raise TunerError(f"schedule must be Schedule.from_milestones((5, 8), (10, 4)), say, not {self.schedule!r}")
        if not callable(self.metric):
            raise TunerError(f"metric must be hippo.metric.ExtractSingleNumber('loss'), say, not {self.metric!r}")
        adopt_space(self)
        if isinstance(self.space, RandomSearchSpace | ProposingSpace):
            raise TunerError(
                f"EarlyStopTuner takes the first configs of a list or of a grid, and {type(self.space).__name__} has "
                "no end: SuccessiveHalving(space, num_trials=...) draws from it"
            )
        if self.mode not in ("min", "max"):
            raise TunerError(f"mode must be 'min' or 'max', not {self.mode!r}")
        first_count = self.schedule.milestones[0][1]
        if isinstance(self.space, Sized) and len(self.space) < first_count:
            warn_caller(
                f"the schedule begins with {first_count} trials, and the space has {len(self.space)}: all of them are "
                "taken, and later milestones keep no more than that",
            )

    async def tune(self, ask: Ask) -> Config:
        for objective in ask.objectives:
            if objective.metric == getattr(self.metric, "name", None) and objective.mode != self.mode:
                worst = "largest" if self.mode == "max" else "smallest"
                raise TunerError(
                    f"EarlyStopTuner(mode={self.mode!r}) keeps the trials of the {worst} {objective.metric!r}, and the "
                    f"study is for the other way round: say mode={objective.mode!r}"
                )
        first_count = self.schedule.milestones[0][1]
        survivors = [as_config(config) for config in itertools.islice(self.space, first_count)]
        last_step = self.schedule.milestones[-1][0]
        rankings: list[list[Answer]] = []
        for step, count in self.schedule.milestones:
            survivors = survivors[:count]  # best first from the second milestone on
            answers = [self._ranked(answer) for answer in await ask.all(survivors, until=step, final=step == last_step)]
            rankings.append(best(answers, answers, keep=len(answers)))
            survivors = [answer.config for answer in rankings[-1]]
        return best_that_stands(reversed(rankings)).config

    def _ranked(self, answer: Answer) -> Answer:
        """Return the answer with the loss that this tuner goes by, whatever the study's own metric is."""
        if answer.failure is not None:
            return replace(answer, losses=(float("inf"),))
        return replace(answer, losses=(mode_sign(self.mode) * self.metric(answer.metrics),))
