"""PASHA: ASHA that raises its longest budget only while the ranking at its two highest rungs disagrees."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.asha import promote
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import check_steps, rung_steps
from hippo.tuners.extension import train_on
from hippo.tuners.proposals import Space, SpaceLike
from hippo.tuners.pruning import check_pruning, new_trials, record_in_turn
from hippo.tuners.rungs import best_that_stands, count_of, go_on, make_rungs, warn_if_few
from hippo.tuners.tuner import Tuner

#: Bohdal et al. 2023: which percentile of the distances between trials that cross is taken for noise
_PERCENTILE = 90


@accept_ray_names
@dataclass(frozen=True)
class PASHA(Tuner):
    """Promotes as ASHA does, up to a highest rung that begins as the second, and rises while rankings are not settled.

    Bohdal et al. 2023, "PASHA: Efficient HPO and NAS with Progressive Resource Allocation", Alg. 1, with soft ranking:
    the trials of the highest rung are settled if each stands there in the place of one that was about as good as it in
    the rung below. "About as good" is within epsilon, the noise: the 90th percentile of the distances between trials
    whose curves crossed at least twice. With several objectives the first one tells the distance.

    For these curves it asks for metrics between the rungs, after a trial has passed them. Where the study evaluates
    there anyway (`curve_every` a multiple of its `evaluate_every`, by default 1) that trains nothing; elsewhere steps
    run again.

    Args:
      space: a `RandomSearchSpace`, a space that learns, or a collection of configs; a dictionary stands for either.
      min_steps: end of the first rung (the paper's r; Ray Tune: `grace_period`).
      max_steps: where the highest rung may end at last (`max_t`).
      reduction: at least 2 (eta, `reduction_factor`).
      curve_every: steps between the points of the curves; None: `min_steps`.
      num_trials: how many configs to take; None takes all of a collection.
      seed: of the draws, and of the order of a grid.
      shuffle: take the configs of a collection in an order that `seed` decides; None: those of a `GridSearchSpace`,
        which is sorted, and not those of a list, which is in the order that you gave it.
      ties: see `hippo.tuners.ranking.order`.
      extra_steps: steps that the best trial is trained beyond its last (Hippo, section 6.1).

    Raises:
      BudgetError: see `hippo.tuners.budgets.rung_steps`; or another number is out of its bounds.
      TunerError: the space has no end and `num_trials` is missing, or `ties` is unknown.
    """

    needs_metric: ClassVar[bool] = True

    space: Space
    min_steps: int
    max_steps: int
    reduction: int = 3
    _: KW_ONLY
    curve_every: int | None = None
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
            curve_every: int | None = ...,
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
        rungs = rung_steps(self.min_steps, self.max_steps, self.reduction)
        if self.curve_every is not None:
            check_steps("curve_every", self.curve_every)
        check_pruning(self, shuffle=self.shuffle)
        warn_if_few(count_of(self.space, self.num_trials), rungs[:2], self.reduction)

    def record(self) -> dict[str, Any]:
        return record_in_turn(self)

    async def tune(self, ask: Ask) -> Config:
        trials = new_trials(self, ask)
        rungs = make_rungs(self.min_steps, self.max_steps, self.reduction, ties=self.ties)
        rung_at = {rung.step: rung for rung in rungs}
        top = min(1, len(rungs) - 1)  # K_t
        curves: defaultdict[int, dict[int, float]] = defaultdict(dict)  # trial -> step -> loss
        points: deque[Proposal] = deque()
        noise = Noise()
        failed: dict[int, Answer] = {}  # trial -> what failed of it between rungs

        def get_job() -> Proposal | None:
            if points:
                return points.popleft()
            while promoted := promote(rungs[: top + 1], self.reduction):
                answer, rung = promoted
                if answer.trial not in failed:
                    return go_on(answer, until=rung.step, final=is_last(rung.step))
            return trials.next(until=rungs[0].step, final=is_last(rungs[0].step))

        def is_last(step: int) -> bool:
            return step == self.max_steps and not self.extra_steps

        async for answer in ask.stream(get_job):
            curve, at_top = curves[answer.trial], rungs[top].step
            curve[answer.step] = answer.loss
            if answer.step in rung_at:
                trials.tell(answer)
                rung_at[answer.step].add(answer)
            elif answer.failure is not None:
                failed[answer.trial] = answer
            if top == len(rungs) - 1 or at_top not in curve:
                continue
            if answer.step == at_top:
                points += [go_on(answer, until=step) for step in self._curve_steps(at_top) if step not in curve]
            if all(step in curve for step in self._curve_steps(at_top)):
                noise.add([curve[step] for step in self._curve_steps(at_top)])
                if not are_settled(rungs[top].ranking, rungs[top - 1].ranking, noise.epsilon):
                    top += 1
                    noise.forget_curves()
        winner = best_that_stands([failed.values(), *(rung.ranking for rung in reversed(rungs))])
        await train_on(ask, winner, self.extra_steps)
        return winner.config

    def _curve_steps(self, end: int) -> list[int]:
        """Return the steps of the points of a curve up to `end`."""
        every = self.curve_every or self.min_steps
        return [*range(every, end, every), end]


@dataclass(slots=True)
class Noise:
    """How far apart trials may be and still be told apart by noise alone.

    Bohdal et al. 2023, section 4.3: of all pairs in the highest rung whose curves cross at least twice, the 90th
    percentile of their distances there. Where no pair does, the last estimate stays.
    """

    #: the estimate
    epsilon: float = 0.0
    _curves: list[list[float]] = field(default_factory=list)
    _distances: list[float] = field(default_factory=list)

    def add(self, curve: list[float]) -> None:
        """Take in the curve of a trial that came to the highest rung."""
        import numpy as np

        distances = [abs(curve[-1] - other[-1]) for other in self._curves if crossings(curve, other) >= 2]
        self._distances += filter(math.isfinite, distances)
        self._curves.append(curve)
        if self._distances:
            self.epsilon = float(np.percentile(self._distances, _PERCENTILE))

    def forget_curves(self) -> None:
        """Begin with a higher rung: curves that end there count, others do not."""
        self._curves, self._distances = [], []


def crossings(one: Sequence[float], other: Sequence[float]) -> int:
    """Return how often two curves change their order; where they are equal they have none."""
    is_above = [x > y for x, y in zip(one, other, strict=True) if x != y]
    return sum(before != after for before, after in itertools.pairwise(is_above))


def are_settled(top: Sequence[Answer], below: Sequence[Answer], epsilon: float) -> bool:
    """Tell whether each trial of the highest rung stands where, one rung below, one about as good as it stood.

    Args:
      top: the answers of the highest rung, best first.
      below: those of the rung below, best first, of these trials and others.
      epsilon: how far losses may be apart and count as equal.
    """
    there = {answer.trial for answer in top}
    before = [answer for answer in below if answer.trial in there]
    loss_below = {answer.trial: answer.loss for answer in before}
    return all(
        is_near(loss_below[now.trial], then.loss, epsilon if len(before) > 1 else 0.0)
        for now, then in zip(top, before, strict=True)
    )


def is_near(one: float, other: float, epsilon: float) -> bool:
    """Tell whether two losses, infinite ones included, count as equal."""
    return one == other or abs(one - other) <= epsilon
