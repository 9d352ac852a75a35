"""What the page is told of trials by two things at once, and of several studies over what they spent.

This module refuses to know the web.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hippo.dashboard.plain import plain_number
from hippo.errors import OptionError
from hippo.records import Mode, Objective
from hippo.study import Study
from hippo.study.results.compared_trials import compared_trials, known_metrics
from hippo.study.results.trial_costs import TrialCosts
from hippo.views import ParetoPoint, best_values, common_objective, pareto, pareto_axes
from hippo.views.pareto import DEVICE_SECONDS

_SMALL: Mode = "min"
#: points of a front, and of all other trials, that are drawn
_MOST_BEST, _MOST_OTHERS = 1_000, 4_000
#: points of one study's best values: the last ones are the best
_MOST_POINTS = 1_000
#: studies that are laid over one another, and those whose names are offered
MOST_STUDIES, _MOST_NAMES = 8, 1_000


def pareto_answer(study: Study, metric: str | None, against: str | None, modes: Mapping[str, Mode]) -> dict[str, Any]:
    """Return the trials by two things, and which of them no other one beats; of very many a part.

    Args:
      study: whose.
      metric: goes up; None: the first objective.
      against: goes to the right, a metric or what trials took; None: the second objective, or the steps.
      modes: name -> which values are better, of metrics that are no objectives; small ones where nobody says: the
        page shows what is taken for better, and asks.

    Raises:
      OptionError: there is no such metric.
    """
    view = study.read()
    known = known_metrics(view)
    asked: dict[str, Mode] = {**dict.fromkeys(known, _SMALL), **modes}
    x, y = pareto_axes(study.objectives, known, metric, against, asked)
    metrics = [axis.name for axis in (x, y) if not axis.is_cost]
    found = pareto(compared_trials(view, metrics, with_seconds=DEVICE_SECONDS in (x.name, y.name)), x, y)
    best = sorted((point for point in found if point.is_best), key=lambda point: (point.x, point.y))
    others = [point for point in found if not point.is_best]
    return {
        "x": {"name": x.name, "mode": x.mode},
        "y": {"name": y.name, "mode": y.mode},
        "metrics": known,
        "objectives": [each.metric for each in study.objectives],
        "of": len(found),
        "of_best": len(best),
        "best": [[point.trial, point.x, point.y] for point in _evenly(best, _MOST_BEST)],
        "others": [[point.trial, point.x, point.y] for point in _evenly(others, _MOST_OTHERS)],
    }


def _evenly(points: Sequence[ParetoPoint], most: int) -> list[ParetoPoint]:
    """Return at most so many points, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(at * (len(points) - 1) / (most - 1))] for at in range(most)]


def best_answer(study: Study, costs: TrialCosts, metric: str | None) -> dict[str, Any]:
    """Return a study's best value over what it spent, and what it came to.

    Args:
      study: whose.
      costs: what it spent, kept from reading to reading.
      metric: None: the first objective.

    Raises:
      OptionError: it is none of the study's objectives.
    """
    view = study.read()
    objective = common_objective([(study.name, study.objectives)], metric)
    costs.take(view)
    trials = compared_trials(view, [objective.metric], with_seconds=False)
    points = best_values(trials, costs.of_trials(), objective.metric, objective.mode)
    statistics, total = view.statistics(), costs.total
    return {
        "name": study.name,
        "trials": len(trials),
        "complete": statistics.trials.get("COMPLETE", 0),
        "steps_executed": statistics.steps_executed,
        "steps_saved": statistics.steps_saved,
        "device_seconds": statistics.device_seconds,
        "best": plain_number(points[-1].value) if points else None,
        "best_trial": points[-1].trial if points else None,
        "points": [[each.trial, plain_number(each.value), each.steps, each.seconds] for each in points[-_MOST_POINTS:]],
        "until": [total.steps, total.seconds],
    }


def together_answer(objective: Objective, answers: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """Return what is told of studies that are laid over one another.

    Args:
      objective: what all of them optimise.
      answers: what `best_answer` said of each.
      names: of all studies that there are.
    """
    return {
        "metric": objective.metric,
        "mode": objective.mode,
        "names": list(names)[:_MOST_NAMES],
        "of_names": len(names),
        "studies": list(answers),
    }


def check_several(names: Sequence[str]) -> None:
    """Refuse to lay too many studies over one another, and one over itself.

    Raises:
      OptionError: they are.
    """
    if len(set(names)) < len(names):
        raise OptionError(f"a study is laid over others once: {', '.join(names)}"[:500])
    if len(names) > MOST_STUDIES:
        raise OptionError(f"{MOST_STUDIES} studies are told apart in one picture at most, not {len(names)}")
