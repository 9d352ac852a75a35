"""What the page is told of studies, as plain JSON: the data of its views, cut to what a browser can take.

Numbers that are none (NaN, infinity) are null: JSON has no other word. This module refuses to know the web.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from hippo.members import TARGET_NAME, scale_of
from hippo.records import TrialState
from hippo.runtime import Statistics
from hippo.study import LeaseState, Study, Trial, WorkLeft
from hippo.study.remaining import what_remains
from hippo.study.scale_costs import scale_costs
from hippo.study.trial_lines import some_trials, trial_lines, trial_numbers, trial_way
from hippo.study.walked_tree import WalkedTree
from hippo.views import (
    SlotBar,
    StretchState,
    lineage,
    rungs,
    savings,
    schedules,
    slot_times,
    storage,
    tree_layout,
    tree_states,
)
from hippo.views.storage import WHY

#: nodes of a tree, those of which it is said what changed there, and characters of that
_MOST_NODES, _MOST_SAID, _SAID = 10_000, 2_000, 80
#: bars of slots, and spans of one that are named
_MOST_BARS, _MOST_SPANS = 4_000, 4
#: trials whose lineage is shown, and states of which it is said how large they are
_MOST_ORIGINS, _MOST_STATES = 2_000, 100
#: trials whose schedules are shown where nobody chose some
_MOST_CHOSEN = 100
#: steps of one trial of which metrics are told: the last ones
_MOST_STEPS = 1_000
#: what a state is told as: its place among all
_STATES = {state: place for place, state in enumerate(StretchState)}


def study_answer(study: Study, exactness: Mapping[int, str]) -> dict[str, Any]:
    """Return a line of the list of studies.

    Args:
      study: whose.
      exactness: number of a plan -> whether going on from its states was proven to be exact, value of `Exactness`.
    """
    statistics = study.statistics()
    return {
        "name": study.name,
        "generation": study.generation,
        "metrics": [{"name": each.metric, "mode": each.mode} for each in study.objectives],
        "trials": dict(statistics.trials),
        "exactness": sorted({exactness[plan] for plan in study.read().plans.values() if plan in exactness}),
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


def tree_answer(study: Study, tree: WalkedTree, metric: str | None) -> dict[str, Any]:
    """Return the stage tree as columns, an entry for each node; of very many, the ones that most trials share.

    Args:
      study: whose.
      tree: its nodes.
      metric: that the page colours ends by; None: the study's first.
    """
    left = what_remains(tree.view)
    drawn = tree.most_shared(_MOST_NODES)
    if left.longest_trial is not None and len(drawn) < len(tree.nodes):
        drawn = tree.in_order({*drawn, *tree.walked_by({left.longest_trial})})
    rows = tree.rows(drawn)
    layout, states = tree_layout(rows), {(each.row.member, each.row.node): each for each in tree_states(rows, left)}
    metric = metric or metric_of(study)
    lines = layout.lines
    own = [states[each.row.member, each.row.node] for each in lines]
    return {
        "metric": metric,
        "scales": _scales([each.row.member for each in lines]),
        "states": [state.value for state in StretchState],
        "state": [_STATES[each.end] for each in own],
        # of most nodes: one part, in the state of the end
        "parts": [
            None
            if len(each.stretches) == 1 and each.stretches[0].state is each.end
            else [[part.start, part.stop, _STATES[part.state]] for part in each.stretches]
            for each in own
        ],
        "left": _longest_answer(left),
        # a process that is killed writes nothing: whether it is there is looked at each time
        "runs": left.is_worked_on,
        "height": layout.height,
        "width": layout.width,
        "of": len(tree.nodes),
        "node": [each.row.node for each in lines],
        "member": [each.row.member for each in lines],
        "line": [each.line for each in lines],
        "from": [each.from_line for each in lines],
        "start": [each.start for each in lines],
        "stop": [each.stop for each in lines],
        "trials": [len(each.row.trials) for each in lines],
        "first": [each.row.trials[0] if each.row.trials else None for each in lines],
        "kept": [list(each.row.checkpoints) for each in lines],
        "value": [_last(each.row.metrics, metric) for each in lines],
        "said": [_cut(each.row.values) for each in lines] if len(lines) <= _MOST_SAID else None,
    }


def _longest_answer(left: WorkLeft) -> dict[str, Any] | None:
    """Return what is left of what was asked for, and the longest chain of it; None where nothing is."""
    if not left.stretches:
        return None
    return {
        "steps": left.steps,
        "seconds": left.seconds,
        "slots": left.slots,
        "is_worked_on": left.is_worked_on,
        "longest": [[each.member, each.node, each.start, each.stop] for each in left.longest],
        "longest_steps": sum(each.stop - each.start for each in left.longest),
        "longest_seconds": left.longest_seconds,
        "longest_trial": left.longest_trial,
    }


def _scales(members: Iterable[str]) -> list[dict[str, Any]]:
    """Return the scales that are drawn, the target first, with the members of each."""
    found: dict[str, list[str]] = {}
    for member in dict.fromkeys(members):
        found.setdefault(scale_of(member), []).append(member)
    return [
        {"scale": scale, "is_target": scale == TARGET_NAME, "members": own}
        for scale, own in sorted(found.items(), key=lambda item: item[0] != TARGET_NAME)
    ]


def metric_of(study: Study) -> str | None:
    """Return the study's first objective, None if it has none."""
    return next((each.metric for each in study.objectives), None)


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
            "written": _cut(each.written),
            "trials": list(each.trials),
            "points": [[step, _plain(value)] for step, value in zip(each.steps, each.values, strict=True)],
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
        "said": [_cut(origin.changed) for origin in found],
        "parent_said": [_cut(origin.parent_changed) for origin in found],
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


def slots_answer(study: Study, tree: WalkedTree, now: float) -> dict[str, Any]:
    """Return what each slot did when, as columns, an entry for each bar; of very many, the last ones.

    Args:
      study: whose.
      tree: its nodes.
      now: in seconds since the epoch.
    """
    leases = study.leases()
    times = slot_times(leases, tree.nodes, now=now, most=_MOST_BARS)
    places, bars = {use.slot: place for place, use in enumerate(times.slots)}, times.bars
    return {
        "runs": any(lease.state is LeaseState.RUNNING for lease in leases),
        "began_at": times.began_at,
        "span_s": times.span_s,
        "from_s": min((bar.began_s for bar in bars), default=0.0),
        "unknown": times.unknown,
        "of": times.of,
        "slots": [
            {
                "slot": use.slot,
                "leases": use.leases,
                "lost": use.lost,
                "busy_s": use.busy_s,
                "idle_s": use.idle_s,
                "present_s": use.present_s,
            }
            for use in times.slots
        ],
        "slot": [places[bar.slot] for bar in bars],
        "member": [bar.member for bar in bars],
        "lease": [bar.lease for bar in bars],
        "lane": [bar.lane for bar in bars],
        "lanes": [bar.lanes for bar in bars],
        "width": [bar.width for bar in bars],
        "state": [bar.state.value for bar in bars],
        "kind": [_kind(bar) for bar in bars],
        "began_s": [round(bar.began_s, 4) for bar in bars],
        "ended_s": [None if bar.ended_s is None else round(bar.ended_s, 4) for bar in bars],
        "said": [_walked(bar) for bar in bars],
    }


def _kind(bar: SlotBar) -> int:
    """Return which colour a bar has: 0 what was lost, 1 what runs, 2 another study's, 3 all else."""
    if bar.state is LeaseState.LOST:
        return 0
    if bar.state is LeaseState.RUNNING:
        return 1
    return 3 if bar.is_own else 2


def _walked(bar: SlotBar) -> str:
    spans = [f"node {span.node}, steps {span.start} to {span.stop}" for span in bar.spans[:_MOST_SPANS]]
    return "\n".join(spans) + (f"\nand {len(bar.spans) - _MOST_SPANS} more" if len(bar.spans) > _MOST_SPANS else "")


def trial_answer(study: Study, number: int) -> dict[str, Any]:
    """Return all about one trial.

    Raises:
      OptionError: there is none of this number.
    """
    trial = study.trial(number)
    history = [
        [step, {name: plain_number(value) for name, value in each.items()}] for step, each in trial.history.items()
    ]
    view, own = study.read(), trial.replicates or (trial,)
    way = [(each.member, span) for each in own for span in trial_way(view, each.number, each.member)]
    return {
        **trial_row(trial),
        "way": [{"member": member, "node": node, "start": start, "stop": stop} for member, (node, start, stop) in way],
        "config": {name: repr(sequence) for name, sequence in trial.config.sequences},
        "values": {name: _written(value) for name, value in trial.config.to_json().items()},
        "until": trial.until,
        "history": history[-_MOST_STEPS:],
        "error": trial.error,
        "traceback": trial.traceback,
    }


def trial_row(trial: Trial) -> dict[str, Any]:
    """Return what a table of trials says of one."""
    return {
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        "value": plain_number(trial.value),
        "seconds": trial.seconds,
        "params": params_text(trial)[:500],
        "error": trial.error[:300],
    }


def params_text(trial: Trial) -> str:
    """Return all hyper-parameters of a trial as one text."""
    return ", ".join(f"{name}={sequence!r}" for name, sequence in trial.config.sequences)


def best_of(study: Study) -> int | None:
    """Return the number of the best trial; None while there is none, or if there are several objectives."""
    if len(study.objectives) != 1:
        return None
    try:
        return study.best_trial.number
    except ValueError:
        return None


def _last(metrics: Mapping[int, Mapping[str, float]], metric: str | None) -> float | None:
    steps = [step for step, each in metrics.items() if metric in each]
    return plain_number(metrics[max(steps)][metric]) if steps and metric is not None else None


def plain_number(value: float | None) -> float | None:
    """Return a number as JSON has it: None for NaN and infinity, and where there is none."""
    return value if value is not None and math.isfinite(value) else None


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else repr(value)


def _written(sequence: Mapping[str, Any]) -> Any:
    """Return a sequence of a config's JSON as people write it: a constant is its value."""
    value = sequence["arguments"].get("value") if sequence.get("sequence") == "Constant" else None
    return value if isinstance(value, str | int | float) else sequence


def _cut(text: str) -> str:
    return text if len(text) <= _SAID else f"{text[:_SAID]}..."
