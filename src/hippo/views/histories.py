"""How the best value came about: what each trial came to, and the best of all before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple, Protocol

from hippo.records import ComparedTrial, Mode, TrialState, may_be_best, mode_sign


class HistoryTrial(ComparedTrial, Protocol):
    """A trial, and what it came to."""

    @property
    def number(self) -> int:
        """Its number in the study."""

    @property
    def metrics(self) -> Mapping[str, float]:
        """The metrics at its last step; empty while there are none."""

    @property
    def is_feasible(self) -> bool | None:
        """Whether it keeps the study's constraints; None where that is not known."""


class HistoryPoint(NamedTuple):
    """What one trial came to."""

    trial: int
    #: the metric after its last step
    value: float
    #: whether it is complete; others came less far
    is_complete: bool
    #: the best value of the trials up to this one that may be the study's best one, and keep its constraints; None:
    #: there is none yet
    best: float | None


def history(trials: Iterable[HistoryTrial], metric: str, mode: Mode) -> list[HistoryPoint]:
    """Return what the trials came to, by number; those that were never evaluated, or failed, are left out.

    Args:
      trials: of one study.
      metric: which.
      mode: whether a small or a large value is better. NaN is never better.
    """
    sign, points = mode_sign(mode), list[HistoryPoint]()
    failed, complete = TrialState.FAIL, TrialState.COMPLETE  # looked up once, of very many trials
    best: float | None = None
    listed = sorted(trials, key=attrgetter("number"))
    counted = may_be_best((trial.state, trial.step, trial.call) for trial in listed)
    for trial, is_counted in zip(listed, counted, strict=True):
        value = trial.metrics.get(metric)
        if value is None or trial.state is failed:
            continue
        if is_counted and not math.isnan(value) and (best is None or sign * value < sign * best):
            best = best if trial.is_feasible is False else value
        points.append(HistoryPoint(trial.number, value, trial.state is complete, best))
    return points
