"""Trials as lines of a table, and a few of them as users see them: for who looks at fifty thousand again and again.

What a line says stands in the trial's row: no path is walked and no metrics are read for it. This module refuses to
know what tables and pictures make of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from hippo.plan import TrialRow
from hippo.records import TrialState, mode_sign
from hippo.study.reading import StudyView
from hippo.study.trials import Trial, view_of

_STATES = {state.value: state for state in TrialState}
_NO_LINE: tuple[TrialRow | None, TrialLine | None] = (None, None)


class TrialLine(NamedTuple):
    """What a trial's row says of it."""

    number: int
    state: TrialState
    step: int
    until: int
    call: int
    #: the objective at the last step, if the study has one alone; all metrics there, if it has several
    metrics: Mapping[str, float]

    def value(self, metric: str | None) -> float | None:
        """Return a metric at the last step, None if it has none there."""
        return None if metric is None else self.metrics.get(metric)


def trial_lines(view: StudyView) -> list[TrialLine]:
    """Return all trials by number, as lines."""
    reader = view._reader
    objective = reader.settings.objective
    if objective is None or not reader.rows_tell:
        return [
            TrialLine(each.number, each.state, each.step, each.until, each.call, each.metrics) for each in view.trials
        ]
    (member,) = reader.shown
    facts, sign, name, known = view.facts[member], mode_sign(objective.mode), objective.metric, reader.lines
    lines: list[TrialLine] = []
    for row in _rows(view, member):
        of_row, line = known.get(row.number, _NO_LINE)
        if of_row is not row or line is None:
            loss = row.loss if row.loss is not None and math.isfinite(row.loss) else None
            # a row holds a loss only if it is finite
            metrics = view_of(row, facts, reader).metrics if loss is None else {name: sign * loss}
            line = TrialLine(row.number, _STATES[row.state], row.step, row.until, row.call, metrics)
            if loss is not None:  # else metrics may come though the row stays
                known[row.number] = (row, line)
        lines.append(line)
    return lines


def trial_numbers(view: StudyView) -> list[int]:
    """Return the numbers of all trials, ascending."""
    shown = view._reader.shown
    return sorted({number for number, member in view.rows if member in shown})


def some_trials(view: StudyView, numbers: Sequence[int]) -> list[Trial]:
    """Return the trials of these numbers, in their order; those that there are not are left out."""
    reader = view._reader
    if reader.has_several_seeds:
        known = {trial.number: trial for trial in view.trials}
        return [known[number] for number in numbers if number in known]
    (member,) = reader.shown
    facts, rows = view.facts[member], (view.rows.get((number, member)) for number in numbers)
    return [view_of(row, facts, reader) for row in rows if row is not None]


def trial_way(view: StudyView, number: int, member: str) -> list[tuple[int, int, int]]:
    """Return the nodes through which a trial goes, as (node, start, stop]; none if it never began."""
    row = view.rows.get((number, member))
    facts = view.facts[member]
    return facts.spans(row.node, row.until) if row is not None and facts.is_known(row.node) else []


def trial_ways(view: StudyView, number: int | None) -> dict[tuple[str, int], int]:
    """Return (member, node) -> until which step a trial goes along it, under every member; of None, nothing."""
    members = [] if number is None else view.plans
    return {(member, node): stop for member in members for node, _, stop in trial_way(view, number or 0, member)}


def _rows(view: StudyView, member: str) -> Iterable[TrialRow]:
    return sorted((row for row in view.rows.values() if row.member == member), key=attrgetter("number"))
