"""What the page is told of one stretch of a tree: its values, its steps, who paid for them, its states and failures.

Asked for one node at a time, by whoever clicks on it. This module refuses to know the web.
"""

from __future__ import annotations

import json
import keyword
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hippo.dashboard.plain import plain_number
from hippo.errors import OptionError
from hippo.members import TARGET_NAME, scale_of
from hippo.plan import (
    AbstractPlanStore,
    Cause,
    CheckpointRow,
    FailureRow,
    MetricsRow,
    Moment,
    StepKind,
    StepRow,
    StudyRow,
)
from hippo.study import Study, TreeRow
from hippo.study.results.trial_lines import trial_way
from hippo.study.results.walked_tree import WalkedTree

#: steps of which metrics are told, the last ones; trials that are named, the first ones; characters of a traceback
_MOST_STEPS, _MOST_TRIALS, _MOST_TEXT = 1_000, 100, 20_000


def node_answer(study: Study, tree: WalkedTree, store: AbstractPlanStore, node: int, member: str) -> dict[str, Any]:
    """Return all about one node of a study's tree.

    Args:
      study: whose.
      tree: its nodes.
      store: of which rows are read.
      node: which.
      member: whose plan holds it; empty for the only one.

    Raises:
      OptionError: no trial of the study goes through such a node.
    """
    if (member, node) not in tree.nodes:
        of = f" of {member!r}" if member else ""
        raise OptionError(f"no trial of study {study.name!r} goes through a node {node}{of}")
    (row,) = tree.rows([(member, node)])
    plan = tree.view.plans[member]
    pieces = tree.pieces(member, node)
    before = {} if row.parent is None else tree.pieces(member, row.parent)
    with store.reading() as rows:
        steps = rows.columns(StepRow, ("step", "cause", "study", "training", "seconds"), plan=plan, node=node)
        evaluated = rows.columns(MetricsRow, ("step", "study", "metrics", "seconds"), plan=plan, node=node)
        states = rows.columns(CheckpointRow, ("step", "size_bytes", "seconds", "gone"), plan=plan, node=node)
        failed = rows.columns(FailureRow, ("step", "method", "error", "traceback", "voided"), plan=plan, node=node)
        paid = _paid(rows, steps, evaluated)
    slots = Counter(
        lease.slot
        for lease in study.leases()
        if member in lease.members and any(span.node == node for spans in lease.lanes for span in spans)
    )
    return {
        "node": node,
        "member": member,
        "parent": row.parent,
        "start": row.start,
        "stop": row.stop,
        "values": row.values,
        "in_force": [
            {"name": name, "piece": str(piece), "begins_here": before.get(name) != piece}
            for name, piece in pieces.items()
        ],
        "switch": _switch(study, tree, store.url, row, [name for name in pieces if before.get(name) != pieces[name]]),
        "trials": list(row.trials[:_MOST_TRIALS]),
        "num_trials": len(row.trials),
        "steps_run": len(steps),
        "train_seconds": sum(seconds for *_, seconds in steps),
        "evaluate_seconds": sum(seconds for *_, seconds in evaluated),
        "paid": paid,
        "slots": [{"slot": slot, "leases": count} for slot, count in sorted(slots.items())],
        "states": [
            {"step": step, "size_bytes": size, "seconds": seconds, "gone": gone}
            for step, size, seconds, gone in sorted(states)
        ],
        "failures": [
            {"step": step, "method": method, "error": error[:300], "traceback": trace[-_MOST_TEXT:], "taken_back": void}
            for step, method, error, trace, void in failed
        ],
        "history": _history(steps, evaluated),
    }


def _switch(study: Study, tree: WalkedTree, url: str, row: TreeRow, changed: Sequence[str]) -> str | None:
    """Return the line of code that makes a config which leaves a node at its end; None for a surrogate's.

    Args:
      study: whose.
      tree: its nodes.
      url: of the database.
      row: the node.
      changed: hyper-parameters that begin something else there: of those the first stands for what is changed anew.
    """
    if scale_of(row.member) != TARGET_NAME:
        return None  # its trials are not the study's own
    (number,) = tree.furthest([(row.member, row.node)])
    at = next(stop for node, _, stop in trial_way(tree.view, number, row.member) if node == row.node)
    name = next((each for each in [*changed, *study.trial(number).config] if each not in ("self", "at")), None)
    if name is None:
        return None
    change = f"{name}=..." if name.isidentifier() and not keyword.iskeyword(name) else f"**{{{name!r}: ...}}"
    return f"hippo.load_study({study.name!r}, storage={url!r}).trial({number}).config.switch(at={at}, {change})"


def _paid(rows: Moment, steps: Any, evaluated: Any) -> list[dict[str, Any]]:
    """Return for which study steps were run, why, and the seconds that they and evaluating took."""
    names = dict(rows.columns(StudyRow, ("study", "name")))
    counts, seconds = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    for _, cause, study, _, took in steps:
        counts[study, cause] += 1
        seconds[study, cause] += took
    for _, study, _, took in evaluated:
        counts[study, "evaluation"] += 1
        seconds[study, "evaluation"] += took
    return [
        {"study": names.get(study, ""), "cause": cause, "count": count, "seconds": seconds[study, cause]}
        for (study, cause), count in sorted(counts.items())
    ]


def _history(steps: Any, evaluated: Any) -> list[list[Any]]:
    """Return the last steps, each with what `train` returned in it and what it was evaluated to."""
    last = sorted({step for step, *_ in (*steps, *evaluated)})[-_MOST_STEPS:]
    told: dict[int, dict[str, Any]] = {step: {} for step in last}
    for step, cause, _, training, _ in steps:
        if StepKind.from_text(cause).cause is not Cause.CHECK:
            _tell(told, step, "train ", training)
    for step, _, metrics, _ in evaluated:
        _tell(told, step, "", metrics)
    return [[step, metrics] for step, metrics in told.items()]


def _tell(told: Mapping[int, dict[str, Any]], step: int, prefix: str, text: str) -> None:
    if step in told and text:
        for name, value in json.loads(text).items():
            told[step].setdefault(f"{prefix}{name}", plain_number(value))
