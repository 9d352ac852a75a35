"""The trials of a study, under each of its members: who is who, how far each is, and the best loss so far.

A trial is (call, config, occurrence), and so is its number: under every member it has the same one, whatever was asked
first, and a re-run finds it by what it is and never by its place. Its rows, one for each member that was asked, differ
in how far they are and what they came to; `joined` makes one of those of all seeds. Rows at several scales are of
models that differ, and are never joined: where one value is told of a study, it is the target's.

Trials of earlier calls stay in the store (`stored_trials`) until their call is taken up again; sums count them all the
same.

This module refuses to know plans: what a trial walks is handed in.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sortedcontainers import SortedList

from hippo.frozen import changed
from hippo.hparams import Config
from hippo.members import TARGET_NAME, at_scale, scale_of
from hippo.plan import Change, ConfigPath, Insert, Node, SearchPlan, TrialRow, Update
from hippo.records import TrialState, may_be_best
from hippo.runtime.studies.ranked_losses import RankedLosses
from hippo.runtime.studies.stored_trials import CallSums, StoredTrials
from hippo.runtime.studies.tally import TrialTally
from hippo.tuners.averaged import Aggregate

#: from what everybody notices to what nobody need act on; a trial that a limit cut off under one seed is not complete
_BY_PROGRESS = [
    TrialState.FAIL.value,
    TrialState.WAITING.value,
    TrialState.RUNNING.value,
    TrialState.PAUSED.value,
    TrialState.PRUNED.value,
    TrialState.COMPLETE.value,
]


@dataclass(slots=True, eq=False)
class MemberTrial:
    """A config on its way through the plan of one member."""

    row: TrialRow
    config: Config
    path: ConfigPath
    #: requests that wait
    waiting: int = 0
    #: whether it was promised nothing: all that it was asked for are extensions. None: it was asked for nothing yet
    is_aside: bool | None = None
    #: the same under every member, whatever becomes of its row
    number: int = field(init=False)

    def __post_init__(self) -> None:
        self.number = self.row.number


@dataclass(slots=True, eq=False)
class MemberTrials:
    """The trials that one member was asked for, by calls that were begun or taken up here.

    Args:
      earlier: returns sums over those of other calls.
    """

    earlier: Callable[[], Mapping[int, CallSums]]
    rows: dict[int, TrialRow] = field(default_factory=dict)
    #: those that this process has asked for
    trials: dict[int, MemberTrial] = field(default_factory=dict)
    best_loss: float | None = None
    #: those of trials that keep the constraints, where only the best ones' states are kept
    losses: RankedLosses = field(default_factory=RankedLosses)
    #: sums over them
    tally: TrialTally = field(init=False)

    def __post_init__(self) -> None:
        self.tally = TrialTally(self.rows, self._end_of, self.earlier)

    def _end_of(self, row: TrialRow) -> Node | None:
        """Return the node in which a trial's path ends; None for one of an earlier process, whose path is not known."""
        trial = self.trials.get(row.number)
        return None if trial is None else trial.path.node_at(row.until)

    def note_loss(self, loss: float) -> None:
        """Remember the best loss."""
        if self.best_loss is None or loss < self.best_loss:
            self.best_loss = loss


class TrialBook:
    """All trials of one study.

    Args:
      study: its number.
      members: their names.
      stored: those of earlier processes.
      note: takes each change of a row.
    """

    def __init__(
        self, study: int, members: Iterable[str], stored: StoredTrials, note: Callable[[Change], None]
    ) -> None:
        self._study = study
        self._note = note
        self._stored = stored
        #: calls whose trials are here
        self._opened: set[int] = set()
        #: whether one of them was answered with the metrics that the study goes by
        self.has_metrics = False
        self._joined = JoinedTally(self.rows_of, stored.rows_by_call)
        self.members: dict[str, MemberTrials] = {}
        for member in members:
            self.take_in(member)
        self._numbers: dict[tuple[int, str, int], int] = {}
        self._next = stored.num_trials
        #: (call, member) -> numbers
        self._of_call: dict[tuple[int, str], list[int]] = {}

    def _earlier(self, member: str) -> Mapping[int, CallSums]:
        return self._stored.sums(member, but=self._opened)

    def have_metrics(self) -> bool:
        """Whether any trial came to what the study goes by: in this process, or as its plans have recorded."""
        self.has_metrics = self.has_metrics or self._stored.have_metrics()
        return self.has_metrics

    def take_in(self, member: str) -> None:
        """Have a member, which may have come since the study was opened: a scale that a tuner asks at."""
        self.members[member] = MemberTrials(functools.partial(self._earlier, member))
        self._joined.changed |= self._opened  # alone, the members before it were not counted there

    def begin(self, call: int) -> None:
        """Note that a call is new: there is nothing of it to be looked for."""
        self._opened.add(call)

    def _open(self, call: int) -> None:
        """Have the trials of a call here."""
        if call in self._opened:
            return
        self._opened.add(call)
        for known in self.members.values():
            known.tally.leave_out(call)
        for row in self._stored.of_call(call):
            self._numbers[row.call, row.config, row.occurrence] = row.number
            self._enter(row)

    def _enter(self, row: TrialRow) -> None:
        self.members[row.member].rows[row.number] = row
        self._of_call.setdefault((row.call, row.member), []).append(row.number)
        self._count(row)

    def take_up(
        self, call: int, member: str, config: Config, text: str, occurrence: int, path_of: Callable[[int], ConfigPath]
    ) -> MemberTrial:
        """Return the trial (call, config, occurrence) under a member, made if this is the first one hears of it.

        Args:
          call, member, config, occurrence: who it is.
          text: the config, as it is written down.
          path_of: its way through the member's plan, by its number.
        """
        known = self.members[member]
        self._open(call)
        number = self._numbers.setdefault((call, text, occurrence), self._next)
        self._next = max(self._next, number + 1)
        row = known.rows.get(number)
        if row is None:
            row = TrialRow(
                study=self._study, number=number, member=member, call=call, config=text, occurrence=occurrence
            )
            self._enter(row)
            self._note(Insert(row))
        trial = known.trials[number] = MemberTrial(row, config, path_of(number))
        known.tally.note(number)  # its path is another one, if its plan was read anew
        return trial

    def update(self, row: TrialRow) -> None:
        """Give a trial's row other values."""
        number, known = row.number, self.members[row.member]
        if known.rows[number] == row:
            return
        known.rows[number] = row
        self._count(row)
        trial = known.trials.get(number)
        if trial is not None:
            trial.row = row
        self._note(Update(row))

    def rows_of(self, call: int) -> list[TrialRow]:
        """Return the rows of a call's trials, under all members, by number."""
        self._open(call)
        rows = [
            known.rows[number]
            for member, known in self.members.items()
            for number in self._of_call.get((call, member), ())
        ]
        return rows if len(self.members) == 1 else sorted(rows, key=lambda row: row.number)

    def _count(self, row: TrialRow) -> None:
        """Take into account, at the next look, that a row is new or another one."""
        self.members[row.member].tally.note(row.number)
        if len(self.members) > 1:
            self._joined.changed.add(row.call)

    def look(self, plans: Iterable[SearchPlan], aggregate: Aggregate) -> TrialSums:
        """Return sums over all trials as they are now.

        Args:
          plans: on which they are trained now.
          aggregate: what makes one loss of several members'.
        """
        watched = tuple(plans)
        tallies = [known.tally for known in self.members.values()]
        for tally in tallies:
            tally.look(watched)
        if len(tallies) == 1:
            (one,) = tallies
            return TrialSums(
                trials=one.trials,
                states=one.states,
                done=one.done,
                best_loss=one.least_loss,
                steps_asked=one.asked,
                steps_reached=one.steps_reached,
            )
        self._joined.settle(aggregate)
        return TrialSums(
            trials=self._joined.states.total(),
            states=self._joined.states,
            done=self._joined.done,
            best_loss=self._joined.best_loss,
            steps_asked=sum(tally.asked for tally in tallies),
            steps_reached=sum(tally.steps_reached for tally in tallies),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSums:
    """What a look at a study's trials tells; a trial of several seeds counts once, its steps each for itself.

    At another scale it is another model that is trained, and counts as another trial.
    """

    trials: int
    #: trials by state
    states: Counter[str]
    #: how many are answered as far as they were asked, or failed
    done: int
    #: the least loss of the target's trials that may be the best one
    best_loss: float | None
    steps_asked: int
    #: how far the trials are: by steps that others walked with them, too
    steps_reached: int


def joined(rows: Iterable[TrialRow], aggregate: Aggregate) -> list[TrialRow]:
    """Return one row for each trial at each scale: the one it has, or, with several seeds, what theirs come to.

    A trial has failed if it failed under one member; else it is in the state of the member that is least far, answered
    as far as all are: complete only if it is under each. Where all were answered after the same step, its loss is the
    aggregate.
    """
    listed = list(rows)
    if not any(row.member for row in listed):
        return listed
    groups: dict[tuple[int, str], list[TrialRow]] = {}
    for row in listed:
        groups.setdefault((row.number, scale_of(row.member)), []).append(row)
    return [group[0] if len(group) == 1 else _join(group, aggregate) for group in groups.values()]


def _join(rows: Sequence[TrialRow], aggregate: Aggregate) -> TrialRow:
    losses = [row.loss for row in rows if row.loss is not None]
    is_level = len(losses) == len(rows) and len({row.step for row in rows}) == 1
    return changed(
        rows[0],
        member=at_scale("", scale_of(rows[0].member)),
        node=0,
        state=min((row.state for row in rows), key=_BY_PROGRESS.index),
        step=min(row.step for row in rows),
        until=max(row.until for row in rows),
        loss=aggregate(losses) if is_level else None,
        error=next((row.error for row in rows if row.error), ""),
    )


@dataclass(frozen=True, slots=True)
class _CallTally:
    """What is counted of the trials of one call."""

    states: Counter[str]
    done: int
    best_loss: float | None

    @classmethod
    def of(cls, rows: Sequence[TrialRow]) -> _CallTally:
        done = sum(row.step >= row.until or row.state == TrialState.FAIL.value for row in rows)
        of_target = [row for row in rows if scale_of(row.member) == TARGET_NAME]
        counted = may_be_best((TrialState(row.state), row.step, row.call) for row in of_target)
        losses = [row.loss for row, counts in zip(of_target, counted, strict=True) if counts and row.loss is not None]
        return cls(Counter(row.state for row in rows), done, min(losses, default=None))


class JoinedTally:
    """Counts of the trials of several members, call by call: only calls in which something changed are counted again.

    A study may be looked at ten times a second while it runs, and have a call for each of ten thousand evaluations.

    Args:
      rows_of: returns the rows of a call's trials.
      earlier: returns call -> the rows that its trials had when the study was opened. Calls that were taken up since
        have changed, and are counted again.
    """

    def __init__(
        self, rows_of: Callable[[int], Sequence[TrialRow]], earlier: Callable[[], Mapping[int, Sequence[TrialRow]]]
    ) -> None:
        self._rows_of = rows_of
        self._earlier: Callable[[], Mapping[int, Sequence[TrialRow]]] | None = earlier
        self._of_call: dict[int, _CallTally] = {}
        #: calls that are counted again when somebody looks
        self.changed: set[int] = set()
        self._best_losses: SortedList[float] = SortedList()
        #: trials by state
        self.states: Counter[str] = Counter()
        self.done = 0

    @property
    def best_loss(self) -> float | None:
        """The least loss of the trials that may be the best one."""
        return self._best_losses[0] if self._best_losses else None

    def settle(self, aggregate: Aggregate) -> None:
        """Count what changed."""
        if self._earlier is not None:  # the first look
            for call, rows in self._earlier().items():
                self._of_call[call] = tally = _CallTally.of(joined(rows, aggregate))
                self._count(tally, 1)
            self._earlier = None
        for call in self.changed:
            if call in self._of_call:
                self._count(self._of_call[call], -1)
            self._of_call[call] = tally = _CallTally.of(joined(self._rows_of(call), aggregate))
            self._count(tally, 1)
        self.changed.clear()

    def _count(self, tally: _CallTally, sign: int) -> None:
        for state, count in tally.states.items():
            self.states[state] += sign * count
        self.done += sign * tally.done
        if tally.best_loss is not None:
            (self._best_losses.add if sign > 0 else self._best_losses.remove)(tally.best_loss)
