"""How the best value came about over what was spent, of several studies that may be laid over one another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hippo.errors import OptionError
from hippo.records import Mode, Objective, may_be_best, mode_sign
from hippo.study.results.trial_costs import TrialCost
from hippo.study.results.trial_lines import TrialLine


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPoint:
    """A trial that was the best one when it had come as far as it has."""

    trial: int
    value: float
    #: what the study had spent by then, on steps and evaluations
    steps: int
    seconds: float


def best_values(
    trials: Iterable[TrialLine], costs: Mapping[int, TrialCost], metric: str, mode: Mode
) -> list[BestPoint]:
    """Return the trials that were the best ones when they had come as far as they have, in the order of that.

    Those are compared that the study's best trial is one of: complete ones, and the furthest of calls that did not end.

    Args:
      trials: of one study; those that break its constraints, and whose value is NaN, are never the best.
      costs: number of each trial -> what had been spent when it had come so far, in the order of that.
      metric: which.
      mode: whether a small or a large value is better.
    """
    sign, points = mode_sign(mode), list[BestPoint]()
    listed = list(trials)
    counted = may_be_best((trial.state, trial.step, trial.call) for trial in listed)
    values = {
        trial.number: trial.metrics.get(metric, math.nan)
        for trial, is_counted in zip(listed, counted, strict=True)
        if is_counted and trial.is_feasible
    }
    for number in costs:
        value = values.get(number, math.nan)
        if not math.isnan(value) and (not points or sign * value < sign * points[-1].value):
            spent = costs[number]
            points.append(BestPoint(trial=number, value=value, steps=spent.steps, seconds=spent.seconds))
    return points


def common_objective(studies: Sequence[tuple[str, Sequence[Objective]]], metric: str | None = None) -> Objective:
    """Return by which objective studies are compared: the one that is asked for, or the first one's first.

    Args:
      studies: the name of each, and what it optimises.
      metric: None: the first objective of the first study.

    Raises:
      OptionError: a study does not optimise it, or optimises it the other way: no value of it says which is better.
    """
    name, objectives = studies[0]
    wanted = next((each for each in objectives if metric in (None, each.metric)), None)
    if wanted is None:
        but = ", so nothing of it is compared: create_study(metric=...)" if metric is None else f", and not {metric!r}"
        raise OptionError(f"study {name!r} optimises {_said(objectives)}{but}")
    for other, own in studies[1:]:
        if wanted not in own:
            raise OptionError(
                f"study {other!r} optimises {_said(own)}, and study {name!r} {_said([wanted])}: such values are not "
                f"laid over one another. Choose studies that optimise {_said([wanted])}"
            )
    return wanted


def _said(objectives: Sequence[Objective]) -> str:
    return ", ".join(f"{each.metric} ({each.mode})" for each in objectives) or "no metric"
