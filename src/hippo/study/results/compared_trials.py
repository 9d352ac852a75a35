"""Trials with all by which they are weighed against one another: metrics, steps, seconds, constraints.

What a trial's row says is taken from there; only what it does not say is read, for who looks at fifty thousand. This
module refuses to know who is better.
"""

from __future__ import annotations

from collections.abc import Collection

from hippo.study.results.study_view import StudyView
from hippo.study.results.trial_lines import TrialLine, some_trials, trial_lines, whole_lines

#: trials at each end of a study that tell which metrics there are
_TELLING = 50


def compared_trials(view: StudyView, metrics: Collection[str], *, with_seconds: bool) -> list[TrialLine]:
    """Return all trials of a study by number.

    Args:
      view: a reading of it.
      metrics: of which values are wanted.
      with_seconds: whether it is to be said what they took.
    """
    reader = view._reader
    objective = reader.settings.objective
    if reader.rows_tell and objective is not None and not with_seconds and set(metrics) <= {objective.metric}:
        return trial_lines(view)
    return whole_lines(view, with_seconds=with_seconds)


def known_metrics(view: StudyView) -> list[str]:
    """Return the metrics that a study's first and last trials have, its objectives first."""
    objectives = [objective.metric for objective in view._reader.settings.objectives]
    evaluated = [line.number for line in trial_lines(view) if line.metrics]
    telling = some_trials(view, [*evaluated[:_TELLING], *evaluated[_TELLING:][-_TELLING:]])
    others = sorted({name for trial in telling for name in trial.metrics}.difference(objectives))
    return [*objectives, *others]
