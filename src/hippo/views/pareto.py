"""Trials by two things of which each is to be good, and those of them that no other one beats in both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hippo.errors import OptionError, did_you_mean
from hippo.records import Mode, Objective, TrialState, may_be_best, mode_sign
from hippo.study.results.trial_lines import TrialLine

#: what a trial took, by the names under which it is asked for: less is better
STEPS, DEVICE_SECONDS = "steps", "device-seconds"
COSTS = (STEPS, DEVICE_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoAxis:
    """One of two things that are weighed."""

    #: a metric, or what a trial took: "steps" or "device-seconds"
    name: str
    #: whether a small or a large value is better
    mode: Mode

    @property
    def is_cost(self) -> bool:
        """Whether it is what a trial took."""
        return self.name in COSTS

    def values(self, trials: Iterable[TrialLine]) -> list[float | None]:
        """Return what trials have of it; None: nothing that can be placed."""
        if self.name == STEPS:
            return [trial.step for trial in trials]
        name = self.name
        found = [trial.seconds if name == DEVICE_SECONDS else trial.metrics.get(name) for trial in trials]
        return [value if value is not None and math.isfinite(value) else None for value in found]


class ParetoPoint(NamedTuple):
    """A trial between two axes."""

    trial: int
    x: float
    y: float
    #: no other trial that may be compared is better in one, and as good in the other
    is_best: bool


def pareto_axes(
    objectives: Sequence[Objective],
    known: Sequence[str],
    metric: str | None = None,
    against: str | None = None,
    modes: Mapping[str, Mode] | None = None,
) -> tuple[ParetoAxis, ParetoAxis]:
    """Return the axes, x and y, along which trials of a study are weighed.

    Args:
      objectives: of the study.
      known: names of the metrics that its trials have.
      metric: goes up. None: the first objective.
      against: goes to the right, a metric, "steps" or "device-seconds". None: the second objective, or the steps.
      modes: name -> whether small or large values are better, for metrics that are no objectives.

    Raises:
      OptionError: there is no such metric, or nobody said which of its values are better.
    """
    names = [objective.metric for objective in objectives]
    if metric is None and not names:
        raise OptionError("the study has no metric of its own; name one that goes up, and one or steps against it")
    up = names[0] if metric is None else metric
    right = next((name for name in names[1:] if name != up), STEPS) if against is None else against
    if up == right:
        raise OptionError(f"{up!r} is weighed against itself; choose another one, or one of {', '.join(COSTS)}")
    own = {objective.metric: objective.mode for objective in objectives}
    return _axis(right, own, known, modes or {}), _axis(up, own, known, modes or {})


def _axis(name: str, own: Mapping[str, Mode], known: Sequence[str], modes: Mapping[str, Mode]) -> ParetoAxis:
    if name in COSTS:
        return ParetoAxis(name=name, mode="min")
    if name not in own and name not in known:
        there = [*dict.fromkeys([*own, *known]), *COSTS]
        raise OptionError(f"no trial has a metric {name!r}; there are: {', '.join(there)}.{did_you_mean(name, there)}")
    mode = own.get(name) or modes.get(name)
    if mode is None:
        raise OptionError(
            f"metric {name!r} is no objective of the study: say whether small (min) or large (max) is better"
        )
    return ParetoAxis(name=name, mode=mode)


def pareto(trials: Iterable[TrialLine], x: ParetoAxis, y: ParetoAxis) -> list[ParetoPoint]:
    """Return the trials that have a number on both axes, by number; those that failed are left out.

    Of two metrics those are compared that may be the best: complete ones, and the furthest of calls that did not end.
    Where one axis is what trials took, all of them are, since whoever came less far took less. A trial that breaks the
    study's constraints is never among the best.
    """
    failed = TrialState.FAIL  # which is compared with nothing
    listed = [trial for trial in trials if trial.state is not failed]
    counted = may_be_best((trial.state, trial.step, trial.call) for trial in listed)
    has_cost, of_x, of_y = x.is_cost or y.is_cost, mode_sign(x.mode), mode_sign(y.mode)
    placed: list[tuple[int, float, float]] = []
    ranked: list[tuple[float, float, int]] = []
    for trial, is_counted, right, up in zip(listed, counted, x.values(listed), y.values(listed), strict=True):
        if right is None or up is None:
            continue
        placed.append((trial.number, right, up))
        if trial.is_feasible and (is_counted or has_cost):
            ranked.append((of_x * right, of_y * up, trial.number))
    best = _front(ranked)
    return [ParetoPoint(number, right, up, number in best) for number, right, up in sorted(placed)]


def _front(ranked: Sequence[tuple[float, float, int]]) -> set[int]:
    """Return the numbers of those that no other one dominates; what is equal in both does not."""
    least_up: dict[float, float] = {}  # of those that are equal in one, only the least can be among the best
    for right, up, _ in ranked:
        if up < least_up.get(right, math.inf):
            least_up[right] = up
    corners, least = dict[float, float](), math.inf
    for right in sorted(least_up):
        if least_up[right] < least:
            least = corners[right] = least_up[right]
    return {number for right, up, number in ranked if corners.get(right) == up}


def mode_in(text: str) -> tuple[str, Mode] | None:
    """Return a metric and which values of it are better, of METRIC=min or METRIC=max; None: it is neither."""
    name, _, mode = text.rpartition("=")
    modes: dict[str, Mode] = {"min": "min", "max": "max"}
    return (name, modes[mode]) if name and mode in modes else None
