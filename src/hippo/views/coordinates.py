"""Trials side by side: each hyper-parameter is an axis, and each trial a line through its values to what it came to."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.records import TrialState
from hippo.study import Trial

#: an axis whose largest value is so many times its smallest is logarithmic
_LOGARITHMIC_FROM = 100
#: of a trial that has no such hyper-parameter: None is a value
_MISSING: Any = object()


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
        values = [each.get(name, _MISSING) for each in params]
        if len({(type(value), str(value)) for value in values}) > 1:
            axis, places = _laid_out(name, values)
            axes.append(axis)
            columns.append(places)
    lines = [
        ParamLine(trial=trial.number, places=tuple(column[at] for column in columns), value=trial.metrics[metric])
        for at, trial in enumerate(drawn)
    ]
    return ParallelTrials(axes=tuple(axes), lines=tuple(lines))


def _laid_out(name: str, values: Sequence[Any]) -> tuple[ParamAxis, list[float | None]]:
    """Return the axis of a hyper-parameter, and where each of its values lies on it."""
    there = [value for value in values if value is not _MISSING]
    if all(map(_is_number, there)):
        low, high = min(there), max(there)
        axis = ParamAxis(name=name, labels=(), is_log=low > 0 and high / low >= _LOGARITHMIC_FROM)
        return axis, [None if value is _MISSING else float(value) for value in values]
    texts = {value for value in there if isinstance(value, str)}
    quoted = texts & {repr(value) for value in there if not isinstance(value, str)}  # the text "1" beside the number 1
    labels = [value if isinstance(value, str) and value not in quoted else repr(value) for value in values]
    known = sorted({label for label, value in zip(labels, values, strict=True) if value is not _MISSING})
    places = [
        None if value is _MISSING else float(known.index(label)) for label, value in zip(labels, values, strict=True)
    ]
    return ParamAxis(name=name, labels=tuple(known), is_log=False), places


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # no axis has room for others
