"""What a study had spent when each of its trials had come as far as it has, in steps and in device-seconds.

Facts are kept in the order in which they were recorded, and say for which study they were run. So a trial stands where
the last step or evaluation on its way was recorded that its study paid for; one that had all of its way from other
studies stands at the beginning. An evaluation stands behind the step that it is of. Steps that are run again are paid
for, and move nobody: they may come long after a trial that had them from another study. States that were written, and
finding out how lanes are walked, have no place among the steps, and are not counted. This module refuses to know what
a trial came to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from hippo.collector import collector_paused
from hippo.plan import Among, Cause, MetricsRow, StepKind, StepRow, TrialRow
from hippo.records import TrialState
from hippo.study.results.path_facts import PathFacts
from hippo.study.results.study_view import StudyView
from hippo.study.results.trial_changes import NO_LOOK, TrialKey, changed_since

#: steps that are not among those that a study executed for its trials
_ASIDE = (Cause.CHECK, Cause.SPECULATIVE)
#: of steps that were never run before
_FIRST = (Cause.FIRST, Cause.SPECULATIVE)
#: states of trials one of which is the best: complete ones and, of calls that did not end, the furthest
_COMPLETE, *_ON_THEIR_WAY = (state.value for state in (TrialState.COMPLETE, TrialState.PAUSED, TrialState.RUNNING))


class TrialCost(NamedTuple):
    """What a study had spent at one moment."""

    steps: int
    #: of steps and evaluations
    seconds: float


class CostOrder(Mapping[int, TrialCost]):
    """What a study had spent when trials had come as far as they have, by their numbers, in the order of that.

    Args:
      spent: returns what had been spent, of a place among the study's steps.
      places: number of each trial -> where it stands among them.
    """

    def __init__(self, spent: Callable[[int], TrialCost], places: Mapping[int, int]) -> None:
        self._spent = spent
        self._places = places

    def __getitem__(self, number: int) -> TrialCost:
        return self._spent(self._places[number])

    def __iter__(self) -> Iterator[int]:
        return (number for _, number in sorted((place, number) for number, place in self._places.items()))

    def __len__(self) -> int:
        return len(self._places)


class TrialCosts:
    """What one study spent, in the order in which it did. It takes later and later views, on one thread."""

    def __init__(self) -> None:
        self._view: StudyView | None = None
        self._forget([])

    def _forget(self, plans: list[int]) -> None:
        self._plans = plans
        self._steps_mark = self._metrics_mark = 0
        #: steps and seconds after the first, the first two, ... steps that were recorded for the study
        self._steps, self._seconds = [0], [0.0]
        #: (plan, node) -> its steps that the study paid for, ascending, and which of all of these they were
        self._own: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
        #: of each evaluation, behind how many steps it stands, and the seconds of all up to it
        self._behind, self._evaluated = [0], [0.0]
        #: (plan, node, step) -> behind how many steps an evaluation of the study's stands
        self._evaluations: dict[tuple[int, int, int], int] = {}
        #: trials that may be the best -> behind how many steps they stand, up to this look
        self._places: dict[TrialKey, int] = {}
        self._look = NO_LOOK

    def take(self, view: StudyView) -> None:
        """Learn what changed since the last view."""
        if view is self._view:
            return
        plans, marks = sorted(set(view.plans.values())), view.marks
        if plans != self._plans or marks.steps < self._steps_mark or marks.metrics < self._metrics_mark:
            self._forget(plans)
        reader = view._reader
        own: dict[str, Any] = {"plan": Among(plans), "study": reader._row.study}
        kinds: dict[str, Cause] = {}
        with collector_paused(), reader.store.reading() as rows:
            for plan, node, step, cause, seconds in rows.columns(
                StepRow, ("plan", "node", "step", "cause", "seconds"), after=self._steps_mark, upto=marks.steps, **own
            ):
                kind = kinds.get(cause)
                if kind is None:
                    kind = kinds[cause] = StepKind.from_text(cause).cause
                self._count_step(plan, node, step, kind, seconds)
            for plan, node, step, seconds in rows.columns(
                MetricsRow, ("plan", "node", "step", "seconds"), after=self._metrics_mark, upto=marks.metrics, **own
            ):
                self._count_evaluation(plan, node, step, seconds)
        self._steps_mark, self._metrics_mark, self._view = marks.steps, marks.metrics, view

    def _count_step(self, plan: int, node: int, step: int, cause: Cause, seconds: float) -> None:
        self._steps.append(self._steps[-1] + (cause not in _ASIDE))
        self._seconds.append(self._seconds[-1] + seconds)
        if cause not in _FIRST:
            return
        steps, places = self._own.setdefault((plan, node), ([], []))
        at = bisect_right(steps, step)
        steps.insert(at, step)
        places.insert(at, len(self._steps) - 1)

    def _count_evaluation(self, plan: int, node: int, step: int, seconds: float) -> None:
        behind = max(self._behind[-1], self._place_in(plan, node, step))
        self._behind.append(behind)
        self._evaluated.append(self._evaluated[-1] + seconds)
        self._evaluations.setdefault((plan, node, step), behind)

    def _place_in(self, plan: int, node: int, stop: int) -> int:
        """Return behind how many steps the last one of a node up to `stop` stands; 0: the study paid for none."""
        steps, places = self._own.get((plan, node), ((), ()))
        at = bisect_right(steps, stop)
        return places[at - 1] if at else 0

    # --- trials

    def of_trials(self) -> CostOrder:
        """Return what had been spent when each trial that may be the best had come so far; of seeds, the last one."""
        view, found = self._taken, dict[int, int]()
        shown = set(view._reader.shown)
        with collector_paused():
            for key in changed_since(view, self._look):
                row = view.rows[key]
                self._places.pop(key, None)  # it goes on, or has failed since
                if row.state == _COMPLETE or (row.step and row.state in _ON_THEIR_WAY):
                    self._places[key] = self._place(view.plans[row.member], row, view.facts[row.member])
            self._look = view.look
            for (number, member), place in self._places.items():
                if member in shown and place >= found.get(number, 0):
                    found[number] = place
            return CostOrder(self._spent, found)

    def _place(self, plan: int, row: TrialRow, facts: PathFacts) -> int:
        if not facts.is_known(row.node):
            return 0
        evaluated = self._evaluations.get((plan, facts.owner_of(row.node, row.step), row.step), 0)
        for node, _, stop in reversed(facts.spans(row.node, row.step)):  # along a way, later steps are run later
            place = self._place_in(plan, node, stop)
            if place:
                return max(place, evaluated)
        return evaluated

    @property
    def total(self) -> TrialCost:
        """What has been spent by now."""
        return self._spent(len(self._steps) - 1)

    def _spent(self, place: int) -> TrialCost:
        evaluated = self._evaluated[bisect_right(self._behind, place) - 1]
        return TrialCost(self._steps[place], self._seconds[place] + evaluated)

    @property
    def _taken(self) -> StudyView:
        assert self._view is not None, "it was given a view first"
        return self._view
