"""Trials side by side: each hyper-parameter is an axis, and each trial a line through its values to what it came to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.records import TrialState
from hippo.study import Trial

#: an axis whose largest value is so many times its smallest is logarithmic
_LOGARITHMIC_FROM = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamAxis:
    """A hyper-parameter, as an axis."""

    name: str
    #: the values that lie on it, by place, where not all are numbers: texts, and sequences as they are written
    labels: tuple[str, ...]
    #: of numbers: whether they lie on it by their logarithm
    is_log: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamLine:
    """A trial, as a line."""

    trial: int
    #: for each axis: the number, or the place among the labels; None: the trial has no such hyper-parameter
    places: tuple[float | None, ...]
    #: the metric after its last step
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelTrials:
    """Trials side by side."""

    axes: tuple[ParamAxis, ...]
    #: by number
    lines: tuple[ParamLine, ...]


def parallel_trials(trials: Iterable[Trial], metric: str) -> ParallelTrials:
    """Return the trials as lines through their hyper-parameters; one that has a single value everywhere has no axis.

    Args:
      trials: of one study; those that failed, or whose metric is none, are left out.
      metric: where lines end.
    """
    drawn = [
        trial
        for trial in sorted(trials, key=lambda trial: trial.number)
        if trial.state is not TrialState.FAIL and math.isfinite(trial.metrics.get(metric, math.nan))
    ]
    params = [trial.params for trial in drawn]
    axes: list[ParamAxis] = []
    columns: list[list[float | None]] = []
    for name in sorted({name for each in params for name in each}):
        values = [each.get(name) for each in params]
        if len({(type(value), str(value)) for value in values}) > 1:
            axis = _axis(name, [value for value in values if value is not None])
            axes.append(axis)
            columns.append([_place(axis, value) for value in values])
    lines = [
        ParamLine(trial=trial.number, places=tuple(column[at] for column in columns), value=trial.metrics[metric])
        for at, trial in enumerate(drawn)
    ]
    return ParallelTrials(axes=tuple(axes), lines=tuple(lines))


def _axis(name: str, values: Sequence[Any]) -> ParamAxis:
    if all(_is_number(value) for value in values):
        low, high = min(values), max(values)
        return ParamAxis(name=name, labels=(), is_log=low > 0 and high / low >= _LOGARITHMIC_FROM)
    return ParamAxis(name=name, labels=tuple(dict.fromkeys(sorted(map(_label, values)))), is_log=False)


def _place(axis: ParamAxis, value: Any) -> float | None:
    if value is None:
        return None
    return float(axis.labels.index(_label(value))) if axis.labels else float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _label(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
