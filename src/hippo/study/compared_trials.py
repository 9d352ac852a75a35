"""Trials with all by which they are weighed against one another: metrics, steps, seconds, constraints.

What a trial's row says is taken from there; only what it does not say is read, for who looks at fifty thousand. This
module refuses to know who is better.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from hippo.records import TrialState
from hippo.study.reading import StudyView
from hippo.study.trial_lines import some_trials, trial_lines

#: trials at each end of a study that tell which metrics there are
_TELLING = 50


class ComparedTrial(NamedTuple):
    """A trial, and what it came to."""

    number: int
    state: TrialState
    #: steps that were answered, and the call of a tuner that it belongs to
    step: int
    call: int
    #: those after its last step that were asked for, among others
    metrics: Mapping[str, float]
    #: device-seconds of its whole path, whoever paid for them; None: they were not asked for
    seconds: float | None
    #: whether it keeps the study's constraints
    is_feasible: bool


def compared_trials(view: StudyView, metrics: Collection[str], *, with_seconds: bool) -> list[ComparedTrial]:
    """Return all trials of a study by number.

    Args:
      view: a reading of it.
      metrics: of which values are wanted.
      with_seconds: whether it is to be said what they took.
    """
    reader = view._reader
    objective, constraints = reader.settings.objective, reader.settings.constraints
    if reader.rows_tell and objective is not None and not with_seconds and set(metrics) <= {objective.metric}:
        return [
            ComparedTrial(line.number, line.state, line.step, line.call, line.metrics, None, True)
            for line in trial_lines(view)
        ]
    return [
        ComparedTrial(
            trial.number,
            trial.state,
            trial.step,
            trial.call,
            trial.metrics,
            trial.seconds if with_seconds else None,
            not constraints or bool(trial.is_feasible),
        )
        for trial in view.trials
    ]


def known_metrics(view: StudyView) -> list[str]:
    """Return the metrics that a study's first and last trials have, its objectives first."""
    objectives = [objective.metric for objective in view._reader.settings.objectives]
    evaluated = [line.number for line in trial_lines(view) if line.metrics]
    telling = some_trials(view, [*evaluated[:_TELLING], *evaluated[_TELLING:][-_TELLING:]])
    others = sorted({name for trial in telling for name in trial.metrics}.difference(objectives))
    return [*objectives, *others]
