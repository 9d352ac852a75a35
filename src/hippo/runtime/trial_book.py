"""The trials of a study, under each of its members: who is who, how far each is, and the best loss so far.

A trial is (call, config, occurrence), and so is its number: under every member it has the same one, whatever was asked
first, and a re-run finds it by what it is and never by its place. Its rows, one for each member that was asked, differ
in how far they are and what they came to; `joined` makes one of them.

This module refuses to know plans: what a trial walks is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from hippo.hparams import Config
from hippo.plan import Change, Insert, Trail, TrialRow, Update
from hippo.records import TrialState
from hippo.tuners.averaged import Aggregate

#: from what everybody notices to what nobody need act on
_BY_PROGRESS = [TrialState.FAIL.value, *(state.value for state in TrialState if state is not TrialState.FAIL)]


@dataclass(slots=True, eq=False)
class Trial:
    """A config on its way through the plan of one member."""

    row: TrialRow
    config: Config
    trail: Trail
    #: requests that wait
    waiting: int = 0

    @property
    def number(self) -> int:
        return self.row.number


@dataclass(slots=True, eq=False)
class MemberTrials:
    """The trials that one member was asked for."""

    rows: dict[int, TrialRow] = field(default_factory=dict)
    #: those that this process has asked for
    trials: dict[int, Trial] = field(default_factory=dict)
    best_loss: float | None = None

    def note_loss(self, loss: float) -> None:
        """Remember the best loss, which decides what is worth keeping."""
        if self.best_loss is None or loss < self.best_loss:
            self.best_loss = loss


class TrialBook:
    """All trials of one study.

    Args:
      study: its number.
      members: their names.
      known: rows of earlier processes.
      note: takes each change of a row.
    """

    def __init__(
        self, study: int, members: Iterable[str], known: Iterable[TrialRow], note: Callable[[Change], None]
    ) -> None:
        self._study = study
        self._note = note
        self.members = {member: MemberTrials() for member in members}
        self._numbers: dict[tuple[int, str, int], int] = {}
        self._of_call: dict[int, list[TrialRow]] = {}  # as they were first: their keys are what counts
        for row in known:
            self._numbers[row.call, row.config, row.occurrence] = row.number
            self._enter(row)

    def _enter(self, row: TrialRow) -> None:
        self.members[row.member].rows[row.number] = row
        self._of_call.setdefault(row.call, []).append(row)

    def take_up(
        self, call: int, member: str, config: Config, text: str, occurrence: int, trail_of: Callable[[int], Trail]
    ) -> Trial:
        """Return the trial (call, config, occurrence) under a member, made if this is the first one hears of it.

        Args:
          call, member, config, occurrence: who it is.
          text: the config, as it is written down.
          trail_of: its way through the member's plan, by its number.
        """
        known = self.members[member]
        number = self._numbers.setdefault((call, text, occurrence), len(self._numbers))
        row = known.rows.get(number)
        if row is None:
            row = TrialRow(
                study=self._study, number=number, member=member, call=call, config=text, occurrence=occurrence
            )
            self._enter(row)
            self._note(Insert(row))
        trial = known.trials[number] = Trial(row, config, trail_of(number))
        return trial

    def update(self, row: TrialRow) -> None:
        """Give a trial's row other values."""
        known = self.members[row.member]
        if known.rows[row.number] == row:
            return
        known.rows[row.number] = row
        if row.number in known.trials:
            known.trials[row.number].row = row
        self._note(Update(row))

    def rows_of(self, call: int) -> list[TrialRow]:
        """Return the rows of a call's trials, under all members."""
        return [self.members[row.member].rows[row.number] for row in self._of_call.get(call, ())]

    def rows(self) -> list[TrialRow]:
        """Return all rows, member after member."""
        return [row for member in self.members.values() for row in member.rows.values()]

    def steps_reached(self) -> int:
        """Return how far all trials are, added up: also those steps that they share and did not ask for themselves."""
        return sum(
            _steps_reached(row, member.trials.get(row.number))
            for member in self.members.values()
            for row in member.rows.values()
        )

    def __len__(self) -> int:
        return len(self._numbers)


def _steps_reached(row: TrialRow, trial: Trial | None) -> int:
    if row.step >= row.until or trial is None:  # of an earlier call, nothing is under way
        return row.step
    return trial.trail.node_at(row.until).steps_reached(row.until)


def joined(rows: Iterable[TrialRow], aggregate: Aggregate) -> list[TrialRow]:
    """Return one row for each trial: the one it has, or, with several members, what theirs come to.

    A trial has failed if it failed under one member; else it is in the state of the member that is least far, answered
    as far as all are. Where all were answered after the same step, its loss is the aggregate.
    """
    listed = list(rows)
    if not any(row.member for row in listed):
        return listed
    groups: dict[int, list[TrialRow]] = {}
    for row in listed:
        groups.setdefault(row.number, []).append(row)
    return [group[0] if len(group) == 1 else _join(group, aggregate) for group in groups.values()]


def _join(rows: Sequence[TrialRow], aggregate: Aggregate) -> TrialRow:
    losses = [row.loss for row in rows if row.loss is not None]
    is_level = len(losses) == len(rows) and len({row.step for row in rows}) == 1
    return replace(
        rows[0],
        member="",
        node=0,
        state=min((row.state for row in rows), key=_BY_PROGRESS.index),
        step=min(row.step for row in rows),
        until=max(row.until for row in rows),
        loss=aggregate(losses) if is_level else None,
        error=next((row.error for row in rows if row.error), ""),
    )
