"""What the page is told of trials against one another: history, hyper-parameters, and which of these matter.

This module refuses to know the web.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

from hippo.dashboard.answers import why_nothing
from hippo.dashboard.plain import plain_number
from hippo.errors import HippoError, OptionError
from hippo.records import Objective, mode_sign
from hippo.study import Study
from hippo.study.results.trial_lines import TrialLine, some_trials, trial_lines
from hippo.views import history, parallel_trials, thinned
from hippo.visualization.importances import param_shares

#: trials whose values are drawn, and lines through hyper-parameters
_MOST_VALUES, _MOST_LINES = 4_000, 500
#: characters of a value that is no number
_LABEL = 40


def history_answer(study: Study) -> dict[str, Any]:
    """Return what trials came to, and the best so far; of very many the ones that show its course.

    Raises:
      OptionError: the study has no metric.
    """
    objective = _objective(study)
    view = study.read()
    points = history(trial_lines(view), objective.metric, objective.mode)
    complete = [(point.trial, point.value) for point in points if point.is_complete]
    others = [(point.trial, point.value) for point in points if not point.is_complete]
    best = [point for before, point in zip([None, *points], points, strict=False) if _is_new_best(before, point)]
    return {
        "metric": objective.metric,
        "of": len(points),
        "nothing": "" if points else why_nothing(view),
        "last": points[-1].trial if points else None,
        "complete": [[trial, plain_number(value)] for trial, value in thinned(complete, _MOST_VALUES)],
        "others": [[trial, plain_number(value)] for trial, value in thinned(others, _MOST_VALUES)],
        "best": [[point.trial, plain_number(point.best)] for point in best if point.best is not None],
    }


def _is_new_best(before: Any, point: Any) -> bool:
    return before is None or before.best != point.best


def parallel_answer(study: Study) -> dict[str, Any]:
    """Return the trials as lines through their hyper-parameters; of very many, the best ones.

    Raises:
      OptionError: the study has no metric.
    """
    objective = _objective(study)
    view = study.read()
    trials = [line for line in trial_lines(view) if objective.metric in line.metrics]
    found = parallel_trials(some_trials(view, _best_of(trials, objective, _MOST_LINES)), objective.metric)
    return {
        "metric": objective.metric,
        "mode": objective.mode,
        "of": len(trials),
        "axes": [
            {
                "name": axis.name,
                "labels": [label if len(label) <= _LABEL else f"{label[:_LABEL]}..." for label in axis.labels],
                "is_log": axis.is_log,
            }
            for axis in found.axes
        ],
        "lines": [{"trial": line.trial, "places": line.places, "value": line.value} for line in found.lines],
    }


def importance_answer(study: Study) -> dict[str, Any]:
    """Return how much each hyper-parameter matters, as Optuna finds; or what is missing for it to be found.

    Raises:
      OptionError: the study has no metric.
    """
    objective = _objective(study)
    try:
        found = param_shares(study)
    except HippoError as error:  # few trials are no mistake of whoever looks
        return {"metric": objective.metric, "importances": [], "judged": 0, "of": 0, "why": str(error)}
    shares = [{"name": name, "share": share} for name, share in found.shares.items()]
    return {"metric": objective.metric, "importances": shares, "judged": found.judged, "of": found.of, "why": ""}


def _best_of(trials: Sequence[TrialLine], objective: Objective, most: int) -> list[int]:
    """Return the numbers of the best trials, the best one first; a value that is no number is none of them.

    What breaks the study's constraints comes after all that keeps them.
    """
    sign, metric = mode_sign(objective.mode), objective.metric
    ranked = [
        (not trial.is_feasible, sign * trial.metrics[metric], trial.number)
        for trial in trials
        if math.isfinite(trial.metrics[metric])
    ]
    return [number for _, _, number in heapq.nsmallest(most, ranked)]


def _objective(study: Study) -> Objective:
    objective = next(iter(study.objectives), None)
    if objective is None:
        raise OptionError(
            f"study {study.name!r} has no metric, so its trials are not compared: create_study(metric=...)"
        )
    return objective
