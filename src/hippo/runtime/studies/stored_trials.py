"""The trials of a study that lie in its store: of calls that nobody has taken up, only sums are ever needed.

A study may have a million trials of earlier calls, and a new call asks for none of them. So nothing of them is read
when the study is opened but how many there are and the best loss; their sums are read at the first look at its
progress; and the trials of a call themselves when it is taken up again. Until then this process changes none of them,
so that nothing which waits to be written concerns them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field

from hippo.plan import AbstractPlanStore, AtMost, Known, MetricsRow, Moment, TrialRow, plans_of
from hippo.plan.codec import metrics_from_text
from hippo.records import TrialState
from hippo.runtime.studies.settings import Settings

_WAITING = (TrialState.PAUSED.value, TrialState.RUNNING.value)
#: states of trials that will never be the best one
_OUT = (TrialState.FAIL.value, TrialState.PRUNED.value)


@dataclass(slots=True)
class CallSums:
    """Sums over the trials of a call, under one member."""

    #: trials by state
    states: Counter[str] = field(default_factory=Counter)
    #: how many are answered as far as they were asked, or failed
    done: int = 0
    #: steps asked for, and answered
    asked: int = 0
    answered: int = 0
    #: the least loss of the complete ones
    least_complete: float | None = None
    #: the largest step at which one waits, at least 1, and the least loss of those that wait there
    furthest: int = 1
    least_waiting: float | None = None

    def add(self, state: str, step: int, until: int, count: int, loss: float | None) -> None:
        """Add trials that are alike; `loss` is the least of them."""
        self.states[state] += count
        self.done += count * (step >= until or state == TrialState.FAIL.value)
        self.asked += count * until
        self.answered += count * step
        if state == TrialState.COMPLETE.value:
            self.least_complete = _least(self.least_complete, loss)
        elif state in _WAITING and step >= self.furthest:
            self.least_waiting = _least(self.least_waiting if step == self.furthest else None, loss)
            self.furthest = step

    @property
    def least(self) -> float | None:
        """The least loss of the trials that may be the best one; see `may_be_best`."""
        return _least(self.least_complete, self.least_waiting)


def _least(one: float | None, other: float | None) -> float | None:
    return min((loss for loss in (one, other) if loss is not None), default=None)


class StoredTrials:
    """The trials that a study had when it was opened.

    Args:
      store: where they are.
      study: its number.
      settings: its choices.
      num_trials: how many there are: they are numbered from 0 on.
    """

    def __init__(self, store: AbstractPlanStore, study: int, settings: Settings, num_trials: int) -> None:
        self.num_trials = num_trials
        self._goes_by = frozenset(settings.goes_by)
        self._store = store
        self._study = study

    def have_metrics(self) -> bool:
        """Whether what the study goes by was ever recorded together on its plans, be it for another study.

        A trial's row does not say it: it may have been answered without an evaluation.
        """
        with self._store.durable() as rows:
            plans = sorted(set(plans_of(rows, self._study).values()))
            texts = (text for plan in plans for (text,) in rows.columns(MetricsRow, ("metrics",), plan=plan))
            return any(self._goes_by <= metrics_from_text(text).keys() for text in texts)

    def losses(self, rows: Moment) -> list[tuple[str, int, int, float, int | None]]:
        """Return member, number, step, loss and call of trials that may be the best; None in place of an ended call."""
        if not self.num_trials:
            return []
        names = ("state", "call", "member", "number", "step", "loss")
        found = rows.columns(TrialRow, names, study=self._study, loss=Known())
        return [
            (member, number, step, loss, None if state == TrialState.COMPLETE.value else call)
            for state, call, member, number, step, loss in found
            if state not in _OUT
        ]

    def of_call(self, call: int) -> list[TrialRow]:
        """Return the rows of a call's trials, under all members."""
        if not self.num_trials:
            return []
        with self._store.durable() as rows:
            return rows.rows(TrialRow, study=self._study, call=call)

    def sums(self, member: str, but: Container[int]) -> dict[int, CallSums]:
        """Return call -> sums over its trials under a member, but for some calls."""
        found: dict[int, CallSums] = {}
        if not self.num_trials:
            return found
        by, made_before = ("call", "state", "step", "until"), AtMost(self.num_trials - 1)
        with self._store.durable() as rows:
            groups = rows.totals(TrialRow, by, "loss", study=self._study, member=member, number=made_before)
        for call, state, step, until, count, _, _, loss in groups:
            if call not in but:
                found.setdefault(call, CallSums()).add(state, step, until, count, loss)
        return found

    def rows_by_call(self) -> dict[int, list[TrialRow]]:
        """Return call -> the rows of its trials under all members, without their configs."""
        found: dict[int, list[TrialRow]] = {}
        if not self.num_trials:
            return found
        names, made_before = ("call", "number", "member", "state", "step", "until", "loss"), AtMost(self.num_trials - 1)
        with self._store.durable() as rows:
            for values in rows.columns(TrialRow, names, study=self._study, number=made_before):
                row = TrialRow(study=self._study, config="", occurrence=0, **dict(zip(names, values, strict=True)))
                found.setdefault(row.call, []).append(row)
        return found
