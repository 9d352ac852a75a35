"""What the page is told in its list of studies. This module refuses to know the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.records import TrialState
from hippo.runtime import Statistics
from hippo.study import Study
from hippo.study.results.study_view import counted_in


def study_answer(study: Study, exactness: Mapping[int, str]) -> dict[str, Any]:
    """Return a line of the list of studies.

    Args:
      study: whose.
      exactness: number of a plan -> whether going on from its states was proven to be exact, value of `Exactness`.
    """
    view = study.read()
    statistics = counted_in(view)  # what each trial alone would have taken is not told here
    return {
        "name": study.name,
        "generation": study.generation,
        "metrics": [{"name": each.metric, "mode": each.mode} for each in study.objectives],
        "trials": dict(statistics.trials),
        "exactness": sorted({exactness[plan] for plan in view.plans.values() if plan in exactness}),
        "lanes": statistics.mean_lanes if statistics.lane_steps_fused else None,
        "steps_asked": statistics.steps_asked,
        "steps_executed": statistics.steps_executed,
        "steps_saved": statistics.steps_saved,
        "device_seconds": statistics.device_seconds,
        "left": _left_answer(study, statistics),
    }


def _left_answer(study: Study, statistics: Statistics) -> dict[str, Any] | None:
    """Return what is left of what was asked for; None where nothing is, or nobody works on it."""
    if not any(statistics.trials.get(state.value) for state in (TrialState.RUNNING, TrialState.WAITING)):
        return None
    left = study.work_left()
    if not left.is_worked_on or not left.stretches:
        return None
    return {
        "steps": left.steps,
        "seconds": left.seconds,
        "slots": left.slots,
        "may_ask_more": left.may_ask_more,
    }
