"""What the page is told of studies, as plain JSON: the data of its views, cut to what a browser can take.

Numbers that are none (NaN, infinity) are null: JSON has no other word. This module refuses to know the web.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hippo.errors import OptionError
from hippo.study import LeaseState, Study, Trial
from hippo.study.scale_costs import scale_costs
from hippo.study.trial_lines import TrialLine, some_trials, trial_lines, trial_numbers, trial_way
from hippo.study.walked_tree import WalkedTree
from hippo.views import SlotBar, curves, lineage, rungs, savings, schedules, slot_times, storage, thinned, tree_layout
from hippo.views.storage import WHY

#: curves, and points of all of them together
_MOST_CURVES, _MOST_POINTS = 1_000, 20_000
#: nodes of a tree, those of which it is said what changed there, and characters of that
_MOST_NODES, _MOST_SAID, _SAID = 10_000, 2_000, 80
#: bars of slots, and spans of one that are named
_MOST_BARS, _MOST_SPANS = 4_000, 4
#: trials whose lineage is shown, and states of which it is said how large they are
_MOST_ORIGINS, _MOST_STATES = 2_000, 100
#: rows of one page of trials
MOST_ROWS = 500
#: trials whose schedules are shown where nobody chose some
_MOST_CHOSEN = 100
#: steps of one trial of which metrics are told: the last ones
_MOST_STEPS = 1_000
#: column -> what trials are ordered by there, given the study's one objective; None: what no line of a trial says
_COLUMNS: Mapping[str, Callable[[TrialLine, str | None], Any] | None] = {
    "number": lambda line, metric: line.number,
    "state": lambda line, metric: line.state.value,
    "step": lambda line, metric: line.step,
    "value": lambda line, metric: plain_number(line.value(metric)),
    "seconds": None,
}


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
    }


def tree_answer(study: Study, tree: WalkedTree, metric: str | None) -> dict[str, Any]:
    """Return the stage tree as columns, an entry for each node; of very many, the ones that most trials share.

    Args:
      study: whose.
      tree: its nodes.
      metric: that the page colours ends by; None: the study's first.
    """
    layout = tree_layout(tree.rows(tree.most_shared(_MOST_NODES)))
    metric = metric or _metric_of(study)
    lines = layout.lines
    return {
        "metric": metric,
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


def curves_answer(study: Study, tree: WalkedTree, metric: str | None) -> dict[str, Any]:
    """Return a metric along nodes of the tree: of very many, the way of the best trial, and what most trials share.

    Args:
      study: whose.
      tree: its nodes.
      metric: None: the study's first.

    Raises:
      OptionError: there is no such metric.
    """
    metric = metric or _metric_of(study)
    if metric is None:
        raise OptionError(f"study {study.name!r} has no metric of its own; choose one")
    best = _best(study)
    chosen = {*tree.most_shared(_MOST_CURVES), *tree.walked_by(set() if best is None else {best})}
    drawn = tree.rows(tree.in_order(chosen))
    names = sorted({name for row in drawn for metrics in row.metrics.values() for name in metrics})
    if not names:
        return {"metric": metric, "metrics": [], "best": None, "of": 0, "curves": []}
    try:
        found = curves(drawn, metric)
    except ValueError as error:
        raise OptionError(f"study {study.name!r}: {error}") from None
    most = max(3, _MOST_POINTS // len(found))
    shown = [
        {
            "node": curve.row.node,
            "trials": len(curve.row.trials),
            "first": curve.row.trials[0] if curve.row.trials else None,
            "is_best": best in curve.row.trials,
            "points": [[step, plain_number(value)] for step, value in thinned(curve.points, most)],
        }
        for curve in found
    ]
    return {"metric": metric, "metrics": names, "best": best, "of": len(tree.nodes), "curves": shown}


def _metric_of(study: Study) -> str | None:
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
        "metric": _metric_of(study),
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


def trials_answer(study: Study, *, offset: int, limit: int, state: str, order: str, text: str) -> dict[str, Any]:
    """Return a page of the table of trials.

    Args:
      study: whose.
      offset: rows before the page.
      limit: its rows, at most `MOST_ROWS`.
      state: only trials of it; empty: all.
      order: a column, with a "-" in front from large to small; trials that have no value there come last.
      text: only trials whose hyper-parameters hold it; empty: all.

    Raises:
      OptionError: there is no such column, or a number is out of bounds.
    """
    if offset < 0 or not 1 <= limit <= MOST_ROWS:
        raise OptionError(f"a page has 1 to {MOST_ROWS} rows and begins at 0 or later, not {limit} from {offset}")
    column, is_falling = order.removeprefix("-"), order.startswith("-")
    if column not in _COLUMNS:
        raise OptionError(f"trials are ordered by one of {', '.join(_COLUMNS)}, not by {column!r}")
    view = study.read()
    metric = study.objectives[0].metric if len(study.objectives) == 1 else None
    lines = [line for line in trial_lines(view) if state in ("", line.state.value)]
    of_column, known = _COLUMNS[column], dict[int, Trial]()
    if text or of_column is None:
        known = {trial.number: trial for trial in view.trials}
    if text:
        lines = [line for line in lines if text in _params(known[line.number])]
    keyed = [
        (known[line.number].seconds if of_column is None else of_column(line, metric), line.number) for line in lines
    ]
    listed = [(key, number) for key, number in keyed if key is not None]
    listed.sort(key=lambda pair: pair[0], reverse=is_falling)
    numbers = [number for _, number in listed] + [number for key, number in keyed if key is None]
    rows = [_trial_row(trial) for trial in some_trials(view, numbers[offset:][:limit])]
    return {"of": len(numbers), "offset": offset, "rows": rows}


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
        **_trial_row(trial),
        "way": [{"member": member, "node": node, "start": start, "stop": stop} for member, (node, start, stop) in way],
        "config": {name: repr(sequence) for name, sequence in trial.config.sequences},
        "values": {name: _written(value) for name, value in trial.config.to_json().items()},
        "until": trial.until,
        "history": history[-_MOST_STEPS:],
        "error": trial.error,
        "traceback": trial.traceback,
    }


def _trial_row(trial: Trial) -> dict[str, Any]:
    return {
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        "value": plain_number(trial.value),
        "seconds": trial.seconds,
        "params": _params(trial)[:500],
        "error": trial.error[:300],
    }


def _params(trial: Trial) -> str:
    return ", ".join(f"{name}={sequence!r}" for name, sequence in trial.config.sequences)


def _best(study: Study) -> int | None:
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
