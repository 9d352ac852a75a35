"""Trials as lines of a table, and a few of them as users see them: for who looks at fifty thousand again and again.

What a line says stands in the trial's row: no path is walked and no metrics are read for it; and a line is made once,
until its trial changes. This module refuses to know what tables and pictures make of it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from hippo.plan import TrialRow
from hippo.records import TrialState, mode_sign
from hippo.study.results.path_facts import PathFacts
from hippo.study.results.trial_changes import NO_LOOK, changed_since
from hippo.study.results.trials import Trial, view_of

if TYPE_CHECKING:
    from hippo.study.results.study_view import StudyView

_STATES = {state.value: state for state in TrialState}


class TrialLine(NamedTuple):
    """A trial, and what it came to."""

    number: int
    state: TrialState
    #: steps that were answered, those that were asked for, and the call of a tuner that it belongs to
    step: int
    until: int
    call: int
    #: at the last step that was answered: the objective at least, if the study has one alone, and else all of them
    metrics: Mapping[str, float]
    #: whether it keeps the study's constraints
    is_feasible: bool = True
    #: device-seconds of its whole path, whoever paid for them; None: they were not asked for
    seconds: float | None = None

    def value(self, metric: str | None) -> float | None:
        """Return a metric at the last step, None if it has none there."""
        return None if metric is None else self.metrics.get(metric)


class LineCache:
    """The lines of one study's latest look. For any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._forget("")

    def _forget(self, member: str) -> None:
        self._member = member
        self._look = NO_LOOK
        #: by number, and number -> its place there
        self._lines: list[TrialLine] = []
        self._places: dict[int, int] = {}
        #: whose metrics may come though their rows stay
        self._open: set[int] = set()

    def of(self, view: StudyView, member: str, make: Callable[[TrialRow], TrialLine]) -> list[TrialLine]:
        """Return the lines of a member's trials by number; those of an earlier look are made anew.

        Args:
          view: of whose rows.
          member: whose.
          make: makes one, of its row.
        """
        with self._guard:
            if member != self._member or view.look < self._look:
                self._forget(member)
            changed = {number for number, of in changed_since(view, self._look) if of == member}
            if view.look != self._look:
                changed |= self._open
            for number in sorted(changed):
                row = view.rows[number, member]
                self._put(number, make(row))
                (self._open.add if _loss(row) is None else self._open.discard)(number)
            self._look = view.look
            return list(self._lines)

    def _put(self, number: int, line: TrialLine) -> None:
        place = self._places.get(number)
        if place is not None:
            self._lines[place] = line
            return
        if self._lines and self._lines[-1].number > number:  # another process was given the number, and is late
            self._lines.append(line)
            self._lines.sort(key=attrgetter("number"))
            self._places = {each.number: place for place, each in enumerate(self._lines)}
            return
        self._places[number] = len(self._lines)
        self._lines.append(line)


def trial_lines(view: StudyView) -> list[TrialLine]:
    """Return all trials by number, as lines."""
    reader = view._reader
    objective = reader.settings.objective
    if objective is None or not reader.rows_tell:
        return whole_lines(view, with_seconds=False)
    (member,) = reader.shown
    sign, name = mode_sign(objective.mode), objective.metric

    def made(row: TrialRow) -> TrialLine:
        loss = _loss(row)
        metrics = view_of(row, view.facts[member], reader).metrics if loss is None else {name: sign * loss}
        return TrialLine(row.number, _STATES[row.state], row.step, row.until, row.call, metrics)

    return reader.lines.of(view, member, made)


def _loss(row: TrialRow) -> float | None:
    """Return what a row says that its trial came to; None where that is not finite, too."""
    return row.loss if row.loss is not None and math.isfinite(row.loss) else None


def whole_lines(view: StudyView, *, with_seconds: bool) -> list[TrialLine]:
    """Return all trials by number, as lines with all that is known of each: every path is walked.

    Args:
      view: of which trials.
      with_seconds: whether it is to be said what they took.
    """
    has_constraints = bool(view._reader.settings.constraints)
    return [
        TrialLine(
            trial.number,
            trial.state,
            trial.step,
            trial.until,
            trial.call,
            trial.metrics,
            not has_constraints or bool(trial.is_feasible),
            trial.seconds if with_seconds else None,
        )
        for trial in view.trials
    ]


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
    rows = [row for number in numbers if (row := view.rows.get((number, member))) is not None]
    facts = PathFacts(view.caches[member], [row.node for row in rows], view.marks)  # of the others nothing is read
    return [view_of(row, facts, reader) for row in rows]


def trial_way(view: StudyView, number: int, member: str) -> list[tuple[int, int, int]]:
    """Return the nodes through which a trial goes, as (node, start, stop]; none if it never began."""
    row = view.rows.get((number, member))
    facts = view.facts[member]
    return facts.spans(row.node, row.until) if row is not None and facts.is_known(row.node) else []


def trial_ways(view: StudyView, number: int | None) -> dict[tuple[str, int], int]:
    """Return (member, node) -> until which step a trial goes along it, under every member; of None, nothing."""
    members = [] if number is None else view.plans
    return {(member, node): stop for member in members for node, _, stop in trial_way(view, number or 0, member)}
