"""One lane under way: what it begins from, and what it does at each step's end, whoever walks it.

What is due at a step's end, and where a lane ends, `hippo.lanes` says; here it is carried out, by whatever stands where
the lane is: a walker of its own, or a formation's place for it. This module refuses to know how lanes are walked, and
with which others.
"""

from __future__ import annotations

import functools
from typing import Protocol

from hippo.events import (
    ChangeUnread,
    Evaluated,
    HparamsUnread,
    LanePoint,
    StageFailed,
    StepDone,
    SurrogateTold,
    at_point,
)
from hippo.lanes import Due, LaneProgress
from hippo.records import Metrics, NodeId, Point
from hippo.training.elastic.here import num_ranks
from hippo.training.unread_changes import UnreadNames, ValueChange
from hippo.training.walking.checks import Verdict
from hippo.training.walking.lane_beginning import LaneBeginning
from hippo.training.walking.lane_setting import LaneSetting
from hippo.training.walking.lane_states import Encodes, LaneStates
from hippo.training.walking.walker import UserCodeFailed


class Looks(Protocol):
    """What knows which values were looked at: of one lane, or of several that are walked as one."""

    step: int
    #: nobody has been told yet
    owes_unread: bool

    @property
    def unread(self) -> UnreadNames:
        """The names in force that nobody ever looked at, and those that somebody did."""


class AtStepEnd(Encodes, Protocol):
    """What stands where a lane is."""

    def evaluate(self, node: NodeId) -> dict[str, float]:
        """Return the metrics there."""

    def take_unread_changes(self) -> list[ValueChange]:
        """Return the changes of values that the trainer has not looked at."""


class LaneRun:
    """One lane under way: how it comes to a state, and what it does at each step's end."""

    def __init__(self, setting: LaneSetting, progress: LaneProgress) -> None:
        self.progress = progress
        self._setting = setting
        self._host = setting.host
        # Nothing in there knows this object: a lane's states are freed when it ends, not when garbage is collected.
        # While it waits for room in a store, answers are not held back: who asked waits for them.
        follow = functools.partial(setting.follow, emit=setting.host.emit)
        bases = setting.trainers.bases(setting.spec)
        self._states = LaneStates(
            setting.assignment, progress, setting.host, slot=setting.slot, follow=follow, bases=bases
        )
        #: how it comes to what it begins from
        self.beginning = LaneBeginning(setting, progress, self._states)
        self._untold: Evaluated | None = None

    # ---------------------------------------------------------------------------------- how it begins and ends

    def begin(self) -> None:
        """Begin: what it began from grows old from now on."""
        self.progress.begin(self._host.clock.elapsed())

    def fail(self, stop: UserCodeFailed) -> None:
        """Tell that the user's code raised, which ends the lane."""
        lease, number = self._setting.assignment.lease, self.progress.number
        self._states.emit(StageFailed(lease=lease, lane=number, failure=stop.failure, is_resource=stop.is_resource))

    def end(self) -> None:
        """End where it stands, when its states are written."""
        self._states.settle()
        self.progress.is_over = True

    def break_off(self) -> None:
        """End at once, whatever it was at."""
        try:
            self._states.end()
        finally:
            self.progress.is_over = True

    # ---------------------------------------------------------------------------------------- on the road

    def leave(self) -> None:
        """Let go of what belongs to where it stands: it is about to train."""
        self._states.leave()

    def note_step(self, point: Point, training: Metrics, seconds: float, *, lanes: int = 1) -> None:
        """Tell of a step that ends at `point`.

        Args:
          training: what `train` returned.
          seconds: its share.
          lanes: how many took the step as one.
        """
        for message in self._setting.trainers.take_remarks(self._setting.spec):
            self._states.emit(SurrogateTold(lease=self._setting.assignment.lease, message=message))
        self._states.emit(
            StepDone(**self._at(point), training=training, seconds=seconds, lanes=lanes, ranks=num_ranks())
        )

    def tell_unread(self, walker: Looks) -> None:
        """Tell, once, of hyper-parameters that nobody has looked at in the first steps, and in their evaluation."""
        if not walker.owes_unread or walker.step == 0:
            return
        walker.owes_unread = False
        names, read = walker.unread
        if names:
            lease = self._setting.assignment.lease
            self._states.emit(HparamsUnread(lease=lease, names=names, read=read, steps=walker.step))

    def evaluate_if_due(self, here: AtStepEnd, point: Point) -> None:
        """Take metrics where they are due; before commands are looked at, since those that come meanwhile are in time.

        Args:
          here: what stands there.
          point: where the lane stands.
        """
        self._states.look_after()
        if self._due() is Due.EVALUATE:
            self._evaluate(here, point)

    def follow(self) -> None:
        """Let commands that have come change what is ahead."""
        self._setting.follow(self._host.poll(), self._states.emit)

    def finish_step(self, here: AtStepEnd, point: Point) -> Due:
        """Do at a step's end all that is still due there, and return whether the lane goes on or ends."""
        while (due := self._due()) is not Due.GO_ON:
            if due is not Due.END:
                self._carry_out(due, here, point)
            elif not self._states.settle():  # else commands may have come, and more may be due
                break
        self._tell_metrics()
        return due

    def tell_verdict(self, verdict: Verdict | None) -> None:
        """Tell what a comparison came to."""
        if verdict is not None:
            self._states.emit(self._setting.said_of(self.progress.number, verdict))

    def _due(self) -> Due:
        return self.progress.due(self._host.clock.elapsed())

    def _carry_out(self, due: Due, here: AtStepEnd, point: Point) -> None:
        if due is Due.EVALUATE:
            self._evaluate(here, point)
            return
        if due is Due.WRITE:  # no boundary asked for this copy, or the metrics were told when it was taken
            self._tell_metrics()
        state = self._states.copied(due, here, point)
        self._tell_metrics()
        self._states.keep(due, point, state)

    def _evaluate(self, here: AtStepEnd, point: Point) -> None:
        started_s = self._host.clock.elapsed()
        metrics = self.progress.metrics = here.evaluate(point.node)
        seconds = self._host.clock.elapsed() - started_s
        self._untold = Evaluated(**self._at(point), metrics=metrics, seconds=seconds)
        for change in here.take_unread_changes():
            self._states.emit(
                ChangeUnread(
                    lease=self._setting.assignment.lease,
                    name=change.name,
                    step=change.step,
                    before=repr(change.before),
                    after=repr(change.after),
                )
            )

    def _tell_metrics(self) -> None:
        """Emit an evaluation, once it is sure that the state it is of can be kept where it must."""
        if self._untold is not None:
            self._states.emit(self._untold)
            self._untold = None

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._setting.assignment.lease, self.progress.number, point)
