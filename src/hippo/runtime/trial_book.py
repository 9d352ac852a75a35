"""The trials of a study, under each of its members: who is who, how far each is, and the best loss so far.

A trial is (call, config, occurrence), and so is its number: under every member it has the same one, whatever was asked
first, and a re-run finds it by what it is and never by its place. Its rows, one for each member that was asked, differ
in how far they are and what they came to; `joined` makes one of them.

This module refuses to know plans: what a trial walks is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sortedcontainers import SortedList

from hippo.hparams import Config
from hippo.plan import Change, Insert, Trail, TrialRow, Update
from hippo.records import TrialState, may_be_best
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
    #: numbers of those that were asked for more than was answered
    under_way: set[int] = field(default_factory=set)
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
        self._tallies = Tallies(self.rows_of)
        #: what was asked of all rows, and answered, added up
        self.steps_asked = 0
        self._steps_answered = 0
        self.members = {member: MemberTrials() for member in members}
        self._numbers: dict[tuple[int, str, int], int] = {}
        #: (call, member) -> numbers
        self._of_call: dict[tuple[int, str], list[int]] = {}
        for row in known:
            self._numbers[row.call, row.config, row.occurrence] = row.number
            self._enter(row)

    def _enter(self, row: TrialRow) -> None:
        self.members[row.member].rows[row.number] = row
        self._of_call.setdefault((row.call, row.member), []).append(row.number)
        self._count(row, row.until, row.step)

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
        before = known.rows[row.number]
        if before == row:
            return
        known.rows[row.number] = row
        self._count(row, row.until - before.until, row.step - before.step)
        if row.number in known.trials:
            known.trials[row.number].row = row
        self._note(Update(row))

    def rows_of(self, call: int) -> list[TrialRow]:
        """Return the rows of a call's trials, under all members, by number."""
        rows = [
            known.rows[number]
            for member, known in self.members.items()
            for number in self._of_call.get((call, member), ())
        ]
        return rows if len(self.members) == 1 else sorted(rows, key=lambda row: row.number)

    def rows(self) -> list[TrialRow]:
        """Return all rows, member after member."""
        return [row for member in self.members.values() for row in member.rows.values()]

    def _count(self, row: TrialRow, asked: int, answered: int) -> None:
        """Take a row into account that was asked for, and answered, so many more steps."""
        self._tallies.changed.add(row.call)
        self.steps_asked += asked
        self._steps_answered += answered
        if row.step < row.until:
            self.members[row.member].under_way.add(row.number)
        else:
            self.members[row.member].under_way.discard(row.number)

    def steps_reached(self) -> int:
        """Return how far all trials are, added up: by steps that others walked with them, too."""
        beyond = 0
        for known in self.members.values():
            for number in known.under_way & known.trials.keys():  # of an earlier process, nothing is under way
                trial = known.trials[number]
                beyond += trial.trail.node_at(trial.row.until).steps_reached(trial.row.until) - trial.row.step
        return self._steps_answered + beyond

    def tally(self, aggregate: Aggregate) -> Tallies:
        """Return the counts of all trials, and the best loss of those that may be the best, as they are now."""
        self._tallies.settle(aggregate)
        return self._tallies


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


@dataclass(frozen=True, slots=True)
class _Tally:
    """What is counted of the trials of one call."""

    trials: int
    done: int
    failed: int
    best_loss: float | None

    @classmethod
    def of(cls, rows: Sequence[TrialRow]) -> _Tally:
        failed = sum(row.state == TrialState.FAIL.value for row in rows)
        done = sum(row.step >= row.until and row.state != TrialState.FAIL.value for row in rows)
        counted = may_be_best((TrialState(row.state), row.step, row.call) for row in rows)
        losses = [row.loss for row, counts in zip(rows, counted, strict=True) if counts and row.loss is not None]
        return cls(len(rows), failed + done, failed, min(losses, default=None))


class Tallies:
    """Counts of a study's trials, call by call: only calls in which something changed are counted again.

    A study may be looked at ten times a second while it runs, and have a call for each of ten thousand evaluations.

    Args:
      rows_of: returns the rows of a call's trials.
    """

    def __init__(self, rows_of: Callable[[int], Sequence[TrialRow]]) -> None:
        self._rows_of = rows_of
        self._of_call: dict[int, _Tally] = {}
        #: calls that are counted again when somebody looks
        self.changed: set[int] = set()
        self._best_losses: SortedList[float] = SortedList()
        self.trials = 0
        self.done = 0
        self.failed = 0

    @property
    def best_loss(self) -> float | None:
        """The least loss of the trials that may be the best one."""
        return self._best_losses[0] if self._best_losses else None

    def settle(self, aggregate: Aggregate) -> None:
        """Count what changed."""
        for call in self.changed:
            if call in self._of_call:
                self._count(self._of_call[call], -1)
            self._of_call[call] = tally = _Tally.of(joined(self._rows_of(call), aggregate))
            self._count(tally, 1)
        self.changed.clear()

    def _count(self, tally: _Tally, sign: int) -> None:
        self.trials += sign * tally.trials
        self.done += sign * tally.done
        self.failed += sign * tally.failed
        if tally.best_loss is not None:
            (self._best_losses.add if sign > 0 else self._best_losses.remove)(tally.best_loss)
