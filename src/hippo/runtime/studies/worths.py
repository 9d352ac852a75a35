"""What the states of a plan are worth: from the rows of the studies that are trained on it.

A study says by its `keep` which last states stay when its trials are over. A call that has not come to its end may ask
for more of any of its trials, whether it runs now or was stopped and is run again; so the last state of such a trial is
missed, unless it was asked for as the last. Of deleted studies nothing is missed, and nothing of a trial that failed in
a study that keeps only the best.

All is read from rows, so that it is the same for the control loop, for another process, and for a plan that nobody has
in memory. It refuses to know which states work needs now.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from hippo.members import is_of_branches, scale_of
from hippo.plan import (
    CallRow,
    CallState,
    MetricsRow,
    Moment,
    Rank,
    RankedStates,
    RequestRow,
    StatesInFiles,
    StudyPlanRow,
    StudyRow,
    TrialRow,
    Worth,
    metrics_from_text,
    plans_of,
)
from hippo.plan.selecting import Among
from hippo.records import Metrics, Point, TrialState, may_be_best
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.trial_book import joined
from hippo.tuners.averaged import AGGREGATES
from hippo.tuners.fronts import Fronts
from hippo.tuners.ranking import total_violation

#: (number of a trial, its losses, by how much it breaks constraints)
RankedTrial = tuple[int, tuple[float, ...], float]


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Who is best among the trials of a study at one scale: others say nothing of them."""

    #: number of each trial that may be the best -> its place among them, 0 for the best
    places: Mapping[int, int]
    #: of how many of the first places the last states are kept; None: of all trials
    top: int | None


@dataclass(slots=True, kw_only=True)
class _RankedStudy:
    """A study: its trials, which of them are over, and how good each is."""

    settings: Settings
    #: scale -> who is best among the trials there
    rankings: Mapping[str, _Ranking]
    #: calls that may ask for more of their trials
    open_calls: set[int]
    #: (trial, member) -> the last step at which it was asked as if for the last time
    last_asked: dict[tuple[int, str], int]
    #: name of each member -> its trials
    of_member: dict[str, list[TrialRow]] = field(default_factory=dict)

    def worth(self, row: TrialRow) -> Worth | None:
        """Return what the last state of a trial is worth; None: nobody would miss it."""
        if row.call in self.open_calls and not self._is_over(row):
            return Worth(Rank.LIVE)
        ranking = self.rankings[scale_of(row.member)]
        place, top = ranking.places.get(row.number), ranking.top
        if place is not None and place < (1 if top is None else top):
            return Worth(Rank.BEST, -place)
        if top is not None:
            return None
        return Worth(Rank.LAST, -len(ranking.places) if place is None else -place)

    def _is_over(self, row: TrialRow) -> bool:
        """Tell whether a trial was asked for the last time, and answered."""
        if row.state == TrialState.FAIL.value:
            return True
        return row.step >= row.until == self.last_asked.get((row.number, row.member))


class WorthReader:
    """Reads what states are worth, at one moment of a database.

    Args:
      rows: the moment.
      there: the names of the states that are there; None: all that rows name.
    """

    def __init__(self, rows: Moment, *, there: Container[str] | None = None) -> None:
        self._rows = rows
        self._there = there
        self._studies: dict[int, _RankedStudy | None] = {}
        self._of_plan: dict[int, StatesInFiles] = {}

    def read(self, plan: int) -> RankedStates:
        """Return the files of a plan, and what their states are worth."""
        held = self._in_files(plan)
        worths: dict[Point, Worth] = {}
        for member in self._rows.rows(StudyPlanRow, plan=plan) if held.files else ():
            if member.study not in self._studies:
                self._studies[member.study] = self._judge(member.study)
            study = self._studies[member.study]
            if study is not None:
                # what branches left is of no use to anybody, and where they begin is a state of their path
                is_kept = not is_of_branches(scale_of(member.member))
                for row in study.of_member.get(member.member, ()) if is_kept else ():
                    _weigh(row, study, held, worths)
        return RankedStates(held, worths)

    def _judge(self, number: int) -> _RankedStudy | None:
        """Return a study with the places of its trials; None for one that is deleted, or was never remembered."""
        (row,) = self._rows.rows(StudyRow, study=number)
        kept = json.loads(row.settings)
        if row.deleted or not kept:
            return None
        settings = Settings.from_text(kept["settings"])
        names = ("number", "member", "call", "node", "until", "step", "state", "loss")
        trials = [
            TrialRow(study=number, config="", occurrence=0, **dict(zip(names, values, strict=True)))
            for values in self._rows.columns(TrialRow, names, study=number)
        ]
        calls = self._rows.columns(CallRow, ("call", "state"), study=number)
        open_calls = {call for call, state in calls if state != CallState.COMPLETE.value}
        by_scale: dict[str, list[TrialRow]] = {}
        for trial in trials:
            by_scale.setdefault(scale_of(trial.member), []).append(trial)
        judged = _RankedStudy(
            settings=settings,
            rankings={scale: self._ranking(number, settings, own) for scale, own in by_scale.items()},
            open_calls=open_calls,
            last_asked=self._last_asked(number) if open_calls else {},
        )
        for trial in trials:
            judged.of_member.setdefault(trial.member, []).append(trial)
        return judged

    def _last_asked(self, study: int) -> dict[tuple[int, str], int]:
        found: dict[tuple[int, str], int] = {}
        asked = self._rows.columns(RequestRow, ("trial", "member", "until"), study=study, final=True)
        for trial, member, until in asked:
            found[trial, member] = max(until, found.get((trial, member), 0))
        return found

    # --- who is best

    def _ranking(self, study: int, settings: Settings, trials: Sequence[TrialRow]) -> _Ranking:
        """Return who is best among trials at one scale."""
        rows = joined(trials, AGGREGATES[settings.aggregate])
        counted = may_be_best((TrialState(row.state), row.step, row.call) for row in rows)
        compared = [row for row, counts in zip(rows, counted, strict=True) if counts]
        if settings.objective is not None and not settings.constraints:
            judged: list[RankedTrial] = [(row.number, (row.loss,), 0.0) for row in compared if row.loss is not None]
        else:
            members = {row.member for row in trials}
            judged = self._judge_metrics(study, settings, members, compared) if settings.objectives else []
        ranked, size_of_front = _best_first(judged)
        places = {number: place for place, number in enumerate(ranked)}
        # the best of several objectives are all those than which none is better
        return _Ranking(places, size_of_front if settings.keep.top == 1 else settings.keep.top)

    def _judge_metrics(
        self, study: int, settings: Settings, members: Container[str], compared: Sequence[TrialRow]
    ) -> list[RankedTrial]:
        """Return how good trials are by what they were evaluated to, under all these members together."""
        aggregate = AGGREGATES[settings.aggregate]
        names = settings.goes_by
        judged: list[RankedTrial] = []
        for number, found in self._metrics(study, members, compared).items():
            if not all(name in each and not math.isnan(each[name]) for name in names for each in found):
                continue
            joint = {name: aggregate([each[name] for each in found]) for name in names}
            losses = tuple(objective.loss(joint) for objective in settings.objectives)
            broken = total_violation([constraint.violation(joint) for constraint in settings.constraints])
            judged.append((number, losses, broken))
        return judged

    def _metrics(self, study: int, members: Container[str], compared: Sequence[TrialRow]) -> dict[int, list[Metrics]]:
        """Return number -> the metrics after the trial's last step, under each of these members."""
        steps = {row.number: row.step for row in compared}
        found: dict[int, list[Metrics]] = {}
        for member, plan in plans_of(self._rows, study).items():
            if member not in members:
                continue
            nodes = self._in_files(plan)
            ends = self._rows.columns(TrialRow, ("number", "node"), study=study, member=member)
            at = {number: nodes.owner(node, steps[number]) for number, node in ends if number in steps}
            columns, evaluated = ("node", "step", "metrics"), Among(set(at.values()))
            known = {
                (node, step): text
                for node, step, text in self._rows.columns(MetricsRow, columns, plan=plan, node=evaluated)
            }
            for number, node in at.items():
                if (node, steps[number]) in known:
                    found.setdefault(number, []).append(metrics_from_text(known[node, steps[number]]))
        return found

    def _in_files(self, plan: int) -> StatesInFiles:
        if plan not in self._of_plan:
            self._of_plan[plan] = StatesInFiles.read(self._rows, plan, there=self._there)
        return self._of_plan[plan]


def _weigh(row: TrialRow, study: _RankedStudy, held: StatesInFiles, worths: dict[Point, Worth]) -> None:
    """Say of the states on a trial's way what they are worth to its study."""
    worth = study.worth(row)
    keeps_passed = study.settings.keep.keeps_passed
    for point in held.on_way(row.node, row.until) if worth is not None or keeps_passed else ():
        if worth is not None:
            worths[point] = max(worth, worths.get(point, worth))
        if not keeps_passed:
            return
        worth = Worth(Rank.PASSED)


def _best_first(judged: Sequence[RankedTrial]) -> tuple[list[int], int]:
    """Return the numbers of trials, the best first, and how many trials none is better than."""
    kept = sorted((losses, number) for number, losses, broken in judged if not broken)
    broken_least_first = sorted((broken, losses, number) for number, losses, broken in judged if broken)
    behind = [number for _, _, number in broken_least_first]
    if not kept or len(kept[0][0]) == 1:
        return [*(number for _, number in kept), *behind], 1
    fronts = Fronts()
    for losses, number in kept:
        fronts.add(losses, number)
    return [*fronts.ranked(), *behind], len(fronts.reach(1)[0].ages)
