"""A study as notebooks show it: a small table, and its tree as text. Every name in it is text, and never markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from hippo.errors import HippoError
from hippo.short_numbers import short_numbers

if TYPE_CHECKING:
    from hippo.study.results.study_view import StudyView, TreeRow

#: nodes of the tree that are shown; of more than these, the first, and how many there are
MOST_NODES = 40
#: characters of what changed at a node
_MOST_VALUES = 80


def as_html(said: str, view: StudyView) -> str:
    """Return a study at a moment as HTML.

    Args:
      said: whose trials they are, for people.
      view: the study.
    """
    rows = view.tree()
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in _table(view).items()
    )
    shown = escape("\n".join(_lines(rows)))
    tree = f"<details open><summary>tree of {len(rows)} nodes</summary><pre>{shown}</pre></details>" if rows else ""
    return f"<div><strong>{escape(said)}</strong><table>{cells}</table>{tree}</div>"


def _table(view: StudyView) -> Mapping[str, str]:
    statistics = view.statistics()
    states = ", ".join(f"{count} {state.lower()}" for state, count in statistics.trials.items())
    return {
        "trials": states or "none yet",
        **_best(view),
        "steps": f"{statistics.steps_asked} asked for, {statistics.steps_executed} run, {statistics.steps_saved} saved",
        "device-seconds": f"{statistics.device_seconds:.4g}; each trial alone {statistics.trial_seconds:.4g}",
    }


def _best(view: StudyView) -> Mapping[str, str]:
    """Return the best trial; nothing, if there is none, or no one."""
    try:
        best = view.best_trial
    except (HippoError, ValueError):
        return {}
    values = ", ".join(f"{name}={value}" for name, value in best.params.items())
    return {"best": f"{best.value:.6g}, trial {best.number}: {short_numbers(values)}"}


def _lines(rows: Sequence[TreeRow]) -> list[str]:
    """Return the tree, a line for each node below its parent, indented."""
    children: dict[tuple[str, int | None], list[TreeRow]] = {}
    for row in rows:
        children.setdefault((row.member, row.parent), []).append(row)
    lines: list[str] = []
    # not recursive: trees of tuners that continue from other trials' states are deep
    todo = [(0, row) for row in reversed(rows) if row.parent is None]
    while todo and len(lines) < MOST_NODES:
        depth, row = todo.pop()
        lines.append("  " * depth + _line(row))
        todo += [(depth + 1, child) for child in reversed(children.get((row.member, row.node), []))]
    if len(rows) > len(lines):
        lines.append(f"... and {len(rows) - len(lines)} more")
    return lines


def _line(row: TreeRow) -> str:
    count = len(row.trials)
    trials = f"{count} trial{'' if count == 1 else 's'}"
    parts = [row.member, row.steps, short_numbers(row.values)[:_MOST_VALUES], trials]
    if row.metrics:
        last = max(row.metrics)
        parts.append(", ".join(f"{name} {value:.4g}" for name, value in sorted(row.metrics[last].items())))
    return "  ".join(part for part in parts if part)
