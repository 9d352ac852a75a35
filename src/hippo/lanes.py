"""What a lane does where a step ends: one rule for every lane, whoever walks it and whoever watches from afar.

A worker that trains, a simulation on a virtual clock, an engine that only pretends, and the control loop, which hears
of all this in events, hold the same object and ask it the same questions: where is the next stop, what is due here,
does the lane end? What is due is one value at a time (`Due`), so that a driver is a loop: ask, do it, note it, ask
again. Nothing runs here: drivers train, evaluate, copy and write, and time comes in as an argument.

What holds, always:

* A lane moves forward only. A *place* is (number of the stage, step), ordered as the lane walks; a point alone would
  not do, since the nodes of a lane have no order.
* An `AddBoundary` is answered yes if the lane comes to the point and has not passed it, and then it is obeyed: also
  where the lane stands at this moment and has done all else. What was promised is never taken back: two boundaries at
  one point do what either of them asks for.
* The end of a lane only comes nearer. Told to end at a point that lies behind, it ends at the step that it is in.
* Metrics come first, then the copy of the state, then its file. A driver tells metrics once the copy is taken, for a
  state that cannot be copied must not leave an answer behind from which nobody can go on.
* A state is written once in a lane, for the reasons in `LaneProgress.must_write` and for no other. So a checkpoint's
  key is a function of the lease, the lane and the point, and no two are equal.
* A transient state is held, and that is all: it has no hash and no file, and the slot that holds it tells of it. So a
  lane owes nothing at a transient boundary once its metrics are told.
* The control loop's copy takes each command when it is sent, and follows the worker's through its events. So it lags
  behind and is never ahead: what it takes for passed is passed, what it takes for ahead the worker may refuse, and then
  `fold` forgets the promise.

This module refuses to know clocks, trainers, stores, plans, and which lanes walk at the same time.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from hippo.events import (
    BoundaryAnswered,
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    FusionChecked,
    LaneEvent,
    StageFailed,
    StateHashed,
    StepDone,
    StepsDone,
)
from hippo.records import (
    AddBoundary,
    Assignment,
    Boundary,
    Keep,
    Lane,
    LaneStage,
    LeaseCommand,
    Metrics,
    NodeId,
    Point,
    Shorten,
    Stop,
)

#: a place along a lane: number of the stage, then the step; ordered as the lane walks
Place = tuple[int, int]

#: a checkpoint this close to its age is that old: on a virtual clock, sums of floats differ by less
_ROUNDING = 1e-9


class Due(enum.Enum):
    """What a lane has to do next where it stands, in this order."""

    #: take metrics
    EVALUATE = "evaluate"
    #: copy the state, and hold the copy in memory
    HOLD = "hold"
    #: write the state to the checkpoint store
    WRITE = "write"
    #: tell the hash of the copy, which is not written
    HASH = "hash"
    #: train on
    GO_ON = "go on"
    #: end here
    END = "end"


class Route:
    """Where a lane goes and what is wanted on its way, as it was given out and as commands have changed it."""

    __slots__ = ("_added", "_numbers", "_stages", "end", "natural_end")

    def __init__(self, lane: Lane) -> None:
        self._stages = lane.stages
        #: boundaries that commands asked for, joined with what was wanted there before
        self._added: dict[Point, Boundary] = {}
        #: node -> numbers of its stages; made when first needed, since most lanes never hear a command
        self._numbers: dict[NodeId, list[int]] | None = None
        #: where it was meant to end when it was given out
        self.natural_end: Place = (len(lane.stages) - 1, lane.stages[-1].stop)
        #: where it ends: nobody needs what lies beyond
        self.end = self.natural_end

    def __contains__(self, point: object) -> bool:
        """Tell whether anything is wanted at a point."""
        place = self.place(cast(Point, point))
        return place is not None and self.boundary(place) is not None

    def place(self, point: Point) -> Place | None:
        """Return where along the lane a point lies; None if the lane does not come there."""
        if self._numbers is None:
            self._numbers = {}
            for number, stage in enumerate(self._stages):
                self._numbers.setdefault(stage.node, []).append(number)
        node, step = point
        numbers = self._numbers.get(node, ())
        at = bisect_left(numbers, step, key=lambda number: self._stages[number].stop)  # one node may have thousands
        if at == len(numbers):
            return None
        stage = self._stages[numbers[at]]
        is_within = stage.start < step or stage.start == step == stage.stop
        return (numbers[at], step) if is_within else None

    def point(self, place: Place) -> Point:
        """Return the point at a place."""
        number, step = place
        return Point(self._stages[number].node, step)

    def boundary(self, place: Place) -> Boundary | None:
        """Return what is wanted at a place; None: nothing but the step."""
        number, step = place
        stage = self._stages[number]
        if step == stage.start < stage.stop:
            return None  # that state is of the stage before
        added = self._added.get(Point(stage.node, step)) if self._added else None
        if added is not None:
            return added
        return stage.boundary if step == stage.stop else None

    def add(self, place: Place, boundary: Boundary) -> None:
        """Want this at a place, beside all that is wanted there already."""
        known = self.boundary(place)
        self._added[self.point(place)] = boundary if known is None else _both(known, boundary)

    def forget(self, point: Point) -> None:
        """Want at a point only what was wanted there when the lane was given out."""
        self._added.pop(point, None)

    def next_stop(self, stage: int, at_least: int) -> int:
        """Return the first step of a stage, from `at_least` on, at which a boundary is, or the end of the lane."""
        stop = self._stages[stage].stop
        if self.end[0] == stage and at_least <= self.end[1] < stop:
            stop = self.end[1]
        for node, step in self._added:
            if at_least <= step < stop and node == self._stages[stage].node:
                stop = step
        return stop


class LaneProgress:
    """How far one lane is, what is due where it stands, and where it ends.

    Args:
      lane: which.
      evaluate_every: metrics are due whenever this many steps are complete, and at boundaries that ask for them.
      checkpoint_every_s: a checkpoint is due at a step's end when the last one is older.
      number: which lane of its assignment it is.
      prefix: of the keys of its checkpoints.
    """

    __slots__ = (
        "_checkpoint_every_s",
        "_evaluate_every",
        "_has_begun",
        "_is_there",
        "_is_told",
        "_is_unwritable",
        "_is_written",
        "_open_from",
        "_prefix",
        "_stage",
        "_written_s",
        "is_held",
        "is_over",
        "is_stopping",
        "lane",
        "metrics",
        "number",
        "route",
        "step",
    )

    def __init__(
        self, lane: Lane, *, evaluate_every: int, checkpoint_every_s: float, number: int = 0, prefix: str = ""
    ) -> None:
        self.lane = lane
        self.number = number
        self.route = Route(lane)
        #: what an evaluation said where the lane stands, as whoever evaluates notes here; None: there was none
        self.metrics: Metrics | None = None
        #: whether a copy of the state where it stands is held in memory, as a boundary wants
        self.is_held = False
        #: whether all lanes of its lease are to end at their steps' ends
        self.is_stopping = False
        #: whether it has ended, for whatever reason, as whoever ends it notes here
        self.is_over = False
        self._evaluate_every = evaluate_every
        self._checkpoint_every_s = checkpoint_every_s
        self._prefix = prefix
        self._stage = 0
        #: how many steps its state has behind it
        self.step = lane.stages[0].start
        #: the lane stands at (stage, step); before, it has not come anywhere
        self._is_there = False
        #: the first step of the stage at which anything can still be asked for
        self._open_from = self.step
        # Only a file counts: a lane that begins at a state in memory writes that one where a boundary wants it.
        self._is_written = lane.begin is not None and lane.begin.checkpoint is not None
        self._is_unwritable = False
        self._is_told = False
        self._has_begun = False
        self._written_s = 0.0

    # --- where it is

    @property
    def stage(self) -> LaneStage:
        """The stage that it walks."""
        return self.lane.stages[self._stage]

    @property
    def ahead(self) -> LaneStage | None:
        """The first stage of which anything is left to walk; None after the last one."""
        number = self._stage + (self._is_there and self.step == self.stage.stop)
        return self.lane.stages[number] if number < len(self.lane.stages) else None

    @property
    def point(self) -> Point | None:
        """Where it stands; None before it has come anywhere."""
        return Point(self.stage.node, self.step) if self._is_there else None

    @property
    def is_through(self) -> bool:
        """Whether it has come to where it was meant to end when it was given out."""
        return self._is_there and (self._stage, self.step) >= self.route.natural_end

    def ends_by(self, step: int) -> bool:
        """Tell whether it ends when so many steps are behind it, if not before."""
        return self.is_stopping or (self._stage, step) >= self.route.end

    # --- how it moves

    def begin(self, now_s: float) -> None:
        """Begin: from this moment on the state that it began from grows old."""
        self._has_begun = True
        self._written_s = now_s

    def arrive(self, step: int) -> None:
        """Stand after `step` steps, the last of them in `stage`."""
        if step != self.step:
            self.metrics = None
            self._is_written = self._is_unwritable = self.is_held = self._is_told = False
        self.step = self._open_from = step
        self._is_there = True

    def catch_up(self, node: NodeId, step: int) -> bool:
        """Stand at a point, as its driver is said to; return False if that is behind, or not on its way."""
        here = self.lane.stages[self._stage]
        if node == here.node and here.start < step <= here.stop:
            number = self._stage
        elif (place := self.route.place(Point(node, step))) is not None:
            number, _ = place
        else:
            return False
        if (number, step) < (self._stage, self.step):
            return False
        if number > self._stage:
            self._stage = number
            self.is_held = self._is_told = False
        self.arrive(step)
        return True

    def go_on(self) -> None:
        """Leave the place where it stands: nothing is due there any more."""
        if self.step == self.stage.stop:
            self._stage += 1
            self._open_from = self.step
            self.is_held = self._is_told = False  # a stage without steps may want the same state once more

    # --- what is due where it stands

    def due(self, now_s: float) -> Due:
        """Return what is to be done next where it stands, given the moment; after all else, whether it ends there."""
        boundary = self.route.boundary((self._stage, self.step))
        if self.metrics is None:
            is_regular = self.step % self._evaluate_every == 0 and self.lane.stages[self._stage].start < self.step
            if is_regular or (boundary is not None and boundary.evaluate):
                return Due.EVALUATE
        holds = boundary is not None and boundary.keep is not Keep.NOTHING
        if holds and not self.is_held:
            return Due.HOLD
        if not (self._is_written or self._is_unwritable) and self.must_write(now_s):
            return Due.WRITE
        if boundary is not None and boundary.keep > Keep.TRANSIENT and not self._is_told:
            return Due.HASH
        return Due.END if self.ends_by(self.step) else Due.GO_ON

    def must_write(self, now_s: float) -> bool:
        """Tell whether the state where the lane stands is to be written now: the only rule about that.

        It is written if it is in no file yet, and the store did not refuse it, and
        * a boundary wants it in any case, or if its metrics are the best so far;
        * or the lane made it, and ends here before its time: whoever wants the rest after all goes on from here. Not so
          where all that is needed, up to here, is a transient state: the rest goes on from memory;
        * or the lane made it, and what was written last is too old: that much is lost at most.
        """
        if self._is_written or self._is_unwritable:
            return False
        boundary = self.route.boundary((self._stage, self.step))
        if boundary is not None and boundary.is_written(self.metrics):
            return True
        if self.step == self.lane.stages[0].start:
            return False
        is_cut = self.route.end < self.route.natural_end and self.ends_by(self.step)
        is_transient = boundary is not None and boundary.keep is Keep.TRANSIENT
        if self.is_stopping or (is_cut and not is_transient):
            return True
        return now_s - self._written_s >= self._checkpoint_every_s * (1.0 - _ROUNDING)

    @property
    def owes_state(self) -> bool:
        """Whether a boundary here wants its state kept, of which nothing is told yet, and metrics are not awaited."""
        boundary = self.route.boundary((self._stage, self.step)) if self._is_there else None
        if boundary is None or boundary.keep <= Keep.TRANSIENT or self._is_told:
            return False
        return self.metrics is not None or not boundary.evaluate

    @property
    def key(self) -> str:
        """Name of a checkpoint of the state where it stands: no other one, of this lane or another, has it."""
        key = f"{self._prefix}-n{self.stage.node}-s{self.step}"
        return f"{key}-{self.number}" if self.number else key

    def next_stop(self, at_least: int) -> int:
        """Return the first step of its stage, from `at_least` on, at which more than a step may be due."""
        stop = self.route.next_stop(self._stage, at_least)
        regular = -(-at_least // self._evaluate_every) * self._evaluate_every
        return regular if self.stage.start < regular < stop else stop

    @property
    def checkpoint_due_s(self) -> float:
        """When the last checkpoint will be too old, and the next step's end a stop, too."""
        return self._written_s + self._checkpoint_every_s

    # --- what was done

    def did(self, due: Due, now_s: float = 0.0) -> None:
        """Note that the copy is held, or that its hash or its file was told of at this moment."""
        self.is_held = True
        if due is not Due.HOLD:
            self._is_told = True
        if due is Due.WRITE:
            self._is_written = True
            self._written_s = now_s

    def note_unwritable(self, now_s: float) -> None:
        """Note that the store does not take the state; the next one is tried when it is due, not after each step."""
        self._is_unwritable = True
        self._written_s = now_s

    # --- commands

    def note_passed(self, before: int) -> None:
        """Note that steps of the stage before this one are over, though it stands farther back: it jumps."""
        self._open_from = max(self._open_from, before)

    def take(self, command: LeaseCommand) -> bool:
        """Follow a command; return whether what it asks for will be done."""
        if isinstance(command, AddBoundary):
            place, first = self.route.place(Point(command.node, command.step)), (self._stage, self._open_from)
            last = first if self.is_stopping else self.route.end
            if self.is_over or place is None or not first <= place <= last:
                return False
            self.route.add(place, command.boundary)
        elif isinstance(command, Shorten):
            place = self.route.place(Point(command.node, command.step))
            if place is None:
                return False
            self.route.end = min(self.route.end, place)
        else:
            self.is_stopping = True
            self.is_over |= not self._has_begun
        return True


class AssignmentProgress:
    """The lanes of an assignment: which commands are for which of them, and what events say of them.

    Args:
      assignment: under one lease.
      evaluate_every: the workload's.
    """

    def __init__(self, assignment: Assignment, *, evaluate_every: int) -> None:
        self._lease = assignment.lease
        self.lanes = tuple(
            [
                LaneProgress(
                    lane,
                    evaluate_every=evaluate_every,
                    checkpoint_every_s=assignment.checkpoint_every_s,
                    number=number,
                    prefix=assignment.prefix,
                )
                for number, lane in enumerate(assignment.lanes)
            ]
        )

    def take(self, commands: Iterable[LeaseCommand]) -> list[BoundaryAnswered]:
        """Follow commands to this lease, and return the answers that they want; those to other leases are not ours."""
        answers = []
        for command in commands:
            if command.lease != self._lease:
                continue
            if isinstance(command, Stop):
                for lane in self.lanes:
                    lane.take(command)
                continue
            will_do = 0 <= command.lane < len(self.lanes) and self.lanes[command.lane].take(command)
            if isinstance(command, AddBoundary):
                answers.append(
                    BoundaryAnswered(
                        lease=command.lease, lane=command.lane, node=command.node, step=command.step, accepted=will_do
                    )
                )
        return answers

    def leave(self) -> None:
        """End all lanes where they are: it is decided how lanes of their shape are walked, and they are packed anew."""
        for lane in self.lanes:
            lane.is_over = True

    def fold(self, event: LaneEvent) -> None:
        """Follow, from afar, the lane that says this; what it said before, or says of elsewhere, changes nothing."""
        match event:
            case StepDone(lane=number, node=node, step=step):
                self.lanes[number].catch_up(node, step)
            case StepsDone(lane=number, node=node, first=first, last=last):
                # where it came to last is where it stands, unless it is not on its way: then as far as it is
                if not self.lanes[number].catch_up(node, last):
                    for step in range(first, last):
                        self.lanes[number].catch_up(node, step)
            case Evaluated(lane=number, node=node, step=step, metrics=metrics):
                if self.lanes[number].catch_up(node, step):
                    self.lanes[number].metrics = metrics
            case CheckpointWritten(lane=number, node=node, step=step):
                if self.lanes[number].catch_up(node, step):
                    self.lanes[number].did(Due.WRITE)
            case StateHashed(lane=number, node=node, step=step):
                if self.lanes[number].catch_up(node, step):
                    self.lanes[number].did(Due.HASH)
            case CheckpointFailed(lane=number, node=node, step=step, is_waiting=False):
                if self.lanes[number].catch_up(node, step):
                    self.lanes[number].note_unwritable(0.0)
            case BoundaryAnswered(lane=number, node=node, step=step, accepted=False):
                if 0 <= number < len(self.lanes):
                    self.lanes[number].route.forget(Point(node, step))
            case StageFailed(lane=number) | CheckpointUnusable(lane=number):
                self.lanes[number].is_over = True
            case FusionChecked():
                self.leave()


def _both(one: Boundary, other: Boundary) -> Boundary:
    """Return the boundary that does what either asks for."""
    more = max(one, other, key=lambda boundary: boundary.keep)
    return replace(more, evaluate=one.evaluate or other.evaluate)
