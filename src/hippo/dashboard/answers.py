"""What the page is told of a study, as plain JSON: the data of its views, cut to what a browser can take.

This module refuses to know the web.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hippo.dashboard.plain import cut, plain_number, plain_value
from hippo.records import TrialState
from hippo.study import Study
from hippo.study.results.scale_costs import scale_costs
from hippo.study.results.study_view import StudyView
from hippo.study.results.trial_lines import some_trials, trial_lines, trial_numbers
from hippo.study.results.walked_tree import WalkedTree
from hippo.views import lineage, rungs, savings, schedules, storage
from hippo.views.storage import WHY

#: trials whose lineage is shown, and states of which it is said how large they are
_MOST_ORIGINS, _MOST_STATES = 2_000, 100
#: trials whose schedules are shown where nobody chose some
_MOST_CHOSEN = 100


def metric_of(study: Study) -> str | None:
    """Return the study's first objective, None if it has none."""
    return next((each.metric for each in study.objectives), None)


def why_nothing(view: StudyView) -> str:
    """Return why nothing of a study was evaluated: what its trials failed of; "" if none did."""
    lines = trial_lines(view)
    failed = [line.number for line in lines if line.state is TrialState.FAIL]
    if not failed:
        return ""
    (first,) = some_trials(view, failed[:1])
    which = "its only trial" if len(lines) == 1 else f"{len(failed)} of {len(lines)} trials"
    return f"Nothing was evaluated: {which} failed, trial {first.number} in {cut(first.error.partition(chr(10))[0])}"


def schedules_answer(study: Study, trials: Iterable[int] | None) -> dict[str, Any]:
    """Return hyper-parameters over steps; without a choice, those of the first trials.

    Raises:
      OptionError: there is no such trial.
    """
    view = study.read()
    every = trial_numbers(view)
    chosen = some_trials(view, every[:_MOST_CHOSEN]) if trials is None else [study.trial(each) for each in trials]
    shown = [
        {
            "name": each.name,
            "written": cut(each.written),
            "trials": list(each.trials),
            "points": [[step, plain_value(value)] for step, value in zip(each.steps, each.values, strict=True)],
        }
        for each in schedules(chosen)
    ]
    return {"schedules": shown, "trials": len(chosen), "of": len(every)}


def savings_answer(study: Study, tree: WalkedTree, price: float | None) -> dict[str, Any]:
    """Return where the steps that trials asked for came from, and what its tree predicted of that.

    Args:
      study: whose.
      tree: its nodes.
      price: of a device-hour; None: nothing is told in money.

    Raises:
      OptionError: it is no price.
    """
    found = savings(tree.view.statistics(), tree.distinct_steps)
    money = None if price is None else found.price(price)
    return {
        "asked": found.asked,
        "executed": found.executed,
        "saved": found.saved,
        "to_come": found.to_come,
        "repeated": dict(found.repeated),
        "checked": found.checked,
        "speculative": found.speculative,
        "device_seconds": found.device_seconds,
        "trial_seconds": found.trial_seconds,
        "distinct": found.distinct,
        "predicted_rate": found.predicted_rate,
        "seen_rate": found.seen_rate,
        "scales": [
            {"scale": each.scale, "trials": each.trials, "steps": each.steps, "seconds": each.seconds}
            for each in scale_costs(tree.view)
        ],
        "money": None
        if money is None
        else {"per_hour": money.per_hour, "spent": money.spent, "alone": money.alone, "saved": money.saved},
    }


def rungs_answer(study: Study) -> dict[str, Any]:
    """Return how many trials went on, ended or wait at each step to which a tuner asked, call by call."""
    return {
        "rungs": [
            {
                "call": each.call,
                "step": each.step,
                "asked": each.asked,
                "went on": len(each.promoted),
                "complete": len(each.complete),
                "stopped here": len(each.stopped),
                "running, or waiting": len(each.waiting),
                "failed": len(each.failed),
            }
            for each in rungs(trial_lines(study.read()))
        ]
    }


def lineage_answer(study: Study, tree: WalkedTree) -> dict[str, Any]:
    """Return where trials come from, as columns, an entry for each; of very many, the first, with all they left.

    Args:
      study: whose.
      tree: its nodes.
    """
    view = tree.view
    numbers = trial_numbers(view)
    # a trial leaves one with a smaller number, so that the first ones are complete
    first = some_trials(view, numbers[:_MOST_ORIGINS])
    found = lineage(tree.rows(tree.walked_by({trial.number for trial in first})), first)
    own = {(each.member, each.number): each for trial in first for each in trial.replicates or (trial,)}
    shown = [own[origin.member, origin.trial] for origin in found]
    return {
        "metric": metric_of(study),
        "height": len(found),
        "width": max((origin.until for origin in found), default=0),
        "of": len(numbers),
        "trials": len(first),
        "trial": [origin.trial for origin in found],
        "member": [origin.member for origin in found],
        "parent": [origin.parent for origin in found],
        "line": [origin.line for origin in found],
        "from": [origin.from_line for origin in found],
        "start": [origin.fork_step for origin in found],
        "stop": [origin.until for origin in found],
        "state": [trial.state.value for trial in shown],
        "value": [plain_number(trial.value) for trial in shown],
        "said": [cut(origin.changed) for origin in found],
        "parent_said": [cut(origin.parent_changed) for origin in found],
    }


def storage_answer(study: Study) -> dict[str, Any]:
    """Return what states take in files, by who would miss them."""
    use = storage(study.kept_states(), largest=_MOST_STATES)
    return {
        "size_bytes": use.size_bytes,
        "spare_bytes": use.spare_bytes,
        "budget": use.budget,
        "gone": [{"why": why, "count": count, "size_bytes": size} for why, (count, size) in sorted(use.gone.items())],
        "kinds": [
            {
                "why": kind.why,
                "rank": kind.rank.value,
                "count": kind.count,
                "size_bytes": kind.size_bytes,
                "steps": kind.steps,
                "seconds": kind.seconds,
            }
            for kind in use.kinds
        ],
        "largest": [
            {
                "member": state.members[0],
                "node": state.node,
                "step": state.step,
                "size_bytes": state.size_bytes,
                "why": WHY[state.rank],
                "steps": state.steps,
                "seconds": state.seconds,
            }
            for state in use.largest
        ],
    }


def best_of(study: Study) -> int | None:
    """Return the number of the best trial; None while there is none, or if there are several objectives."""
    if len(study.objectives) != 1:
        return None
    try:
        return study.best_trial.number
    except ValueError:
        return None
