"""Runs assignments: walks each lane, and tells in events what came of it.

The engine provides the rest as a `LaneHost`. This module refuses to know where it runs, what a plan is, and whether a
step was worth taking; an exception of the user's code is an event like others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import BinaryIO, Protocol, TypedDict

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.errors import CheckpointError, CorruptCheckpointError, StoreFullError, storable_text
from hippo.events import (
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    HparamsUnread,
    LaneEvent,
    SettingsLeft,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
)
from hippo.records import (
    Assignment,
    Boundary,
    CheckpointRef,
    Command,
    Keep,
    LaneStage,
    LaneStart,
    LeaseId,
    Metrics,
    NodeId,
    Point,
    SlotId,
    TrainerSpec,
)
from hippo.training.checks import LaneChecks, Verdict, compare_loaded_state
from hippo.training.codec import EncodedState, read_state, state_hash, write_state
from hippo.training.environment import numerics, pin_late_torch
from hippo.training.itinerary import Orders
from hippo.training.late_imports import late_imports_noticed
from hippo.training.process_settings import Settings, note_library, settings_kept
from hippo.training.residents import ResidentStates
from hippo.training.same_code import guarded_imports
from hippo.training.streams import forget_seed, seed_library
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers, require_device
from hippo.training.walker import UserCodeFailed, Walker, user_code

#: how long a lane waits for room in a full store before it tries again
ROOM_RETRY_S = 5.0


class LaneHost(Protocol):
    """What an engine lends to the lanes that it runs."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates

    def emit(self, event: LaneEvent | StatesResident) -> None:
        """Pass an event on, in order."""

    def poll(self) -> Sequence[Command]:
        """Return the commands that arrived since the last call; never blocks."""

    def wait(self, seconds: float) -> Sequence[Command]:
        """Return the commands that arrive within so many seconds, as soon as there are any."""


def run_assignment(assignment: Assignment, spec: TrainerSpec, trainers: Trainers, host: LaneHost, slot: SlotId) -> None:
    """Walk every lane of `assignment`, one after another, and emit what happens.

    An exception of the user's code ends its lane, and a state that cannot be written is told; only KeyboardInterrupt,
    SystemExit, and a TrainerError if the trainer does not arrive as it was recorded, leave this function. It does not
    emit `AssignmentDone`: the slot is not ours.
    """
    orders = Orders(assignment.lease, assignment.lanes)
    keys: Counter[str] = Counter()
    with guarded_imports(spec), late_imports_noticed(_prepare_library), numerics(spec.numerics):
        try:
            for number in range(len(assignment.lanes)):
                if not orders.is_stopping:
                    _LaneRun(assignment, number, spec, trainers, host, slot, orders, keys).run()
        finally:
            forget_seed()
    for answer in orders.take(host.poll()):
        host.emit(answer)


def _prepare_library(name: str) -> None:
    """Bring a library that a trainer has just imported to where it would be, had it been there from the start."""
    if name == "torch":
        pin_late_torch()
    note_library(name)
    seed_library(name)


class _Where(TypedDict):
    lease: LeaseId
    lane: int
    node: NodeId
    step: int


class _LaneRun:
    """One lane under way. `_state` and `_metrics` belong to the step at which the walker stands."""

    def __init__(
        self,
        assignment: Assignment,
        number: int,
        spec: TrainerSpec,
        trainers: Trainers,
        host: LaneHost,
        slot: SlotId,
        orders: Orders,
        keys: Counter[str],
    ) -> None:
        self._assignment = assignment
        self._number = number
        self._lane = assignment.lanes[number]
        self._spec = spec
        self._trainers = trainers
        self._host = host
        self._slot = slot
        self._orders = orders
        self._keys = keys
        #: under which name the slot's memory holds states
        self._states_of = assignment.plan or assignment.workload
        self._itinerary = orders.itineraries[number]
        self._written_s = host.clock.elapsed()
        self._checks: LaneChecks | None = None
        self._state: EncodedState | None = None
        self._metrics: Metrics | None = None
        self._untold: Evaluated | None = None
        self._is_written = False
        self._is_unwritable = False

    def run(self) -> None:
        try:
            # Before settings are kept: what a module sets when it is imported stays, for it is imported once. If it
            # cannot be imported, that is no fact about a trial, and leaves this function.
            self._trainers.load(self._spec)
            with settings_kept(lambda changes: self._tell_left("its lane", changes)) as settings:
                if walker := self._begin(settings):
                    with closing(walker):
                        self._walk(walker)
        except UserCodeFailed as stop:
            lease = self._assignment.lease
            self._host.emit(
                StageFailed(lease=lease, lane=self._number, failure=stop.failure, is_resource=stop.is_resource)
            )
        finally:
            self._itinerary.leave()

    # ---------------------------------------------------------------------------------------------- the beginning

    @property
    def _first_goal(self) -> Point:
        """What cannot be made if there is no trainer."""
        first = self._lane.stages[0]
        return (first.node, max(first.stop if first.start == first.stop else first.start + 1, 1))

    def _begin(self, settings: Settings) -> Walker | None:
        begin, first = self._lane.begin, self._lane.stages[0]
        state = None
        if begin is not None:
            state = self._load(begin)
            if state is None:
                return None
            self._state = state
        goal = self._first_goal
        with user_code("__init__", goal):
            pristine = self._pristine()
        require_device(pristine)
        step = begin.step if begin else 0
        self._is_written = begin is not None and begin.checkpoint is not None
        pieces = begin.pieces if begin else first.pieces
        # a lane that begins after step 1 and is checked is compared with one that walks there itself, which says more
        is_compared = begin is not None and begin.metrics is not None and not (self._lane.check and begin.step == 1)
        if is_compared and begin is not None and state is not None:
            verdict = compare_loaded_state(begin, state, pristine, self._host.clock, settings=settings)
            if verdict.proven is False:  # nobody knows what would come of it; who wants it all the same, asks again
                self._tell_verdict(verdict)
                return None
        if self._lane.check or self._lane.audit:
            self._checks = LaneChecks(self._lane, pristine, self._host.clock, begin=state, settings=settings)
        walker = Walker(pristine, step=step, pieces=pieces, state=state, goal=goal)
        if begin is not None and walker.must_start_over:
            walker.close()
            reason = "its trainer can only go on from it where it was made"
            self._say_unusable(begin, reason, is_expected=True)
            return None
        return walker

    def _pristine(self) -> Trainer:
        if self._trainers.has_built(self._spec):
            return self._trainers.pristine(self._spec)
        with settings_kept(lambda changes: self._tell_left("__init__()", changes)):
            return self._trainers.pristine(self._spec)

    def _load(self, begin: LaneStart) -> EncodedState | None:
        """Return the state to begin from, out of memory or the store; if there is none, say so and return None."""
        point = (begin.node, begin.step)
        state = self._host.residents.get(self._states_of, point)
        if state is not None:
            return state
        try:
            state = self._read(begin)
        except CheckpointError as error:
            self._say_unusable(begin, str(error), corrupt=isinstance(error, CorruptCheckpointError))
            return None
        self._keep_resident(point, state)
        return state

    def _say_unusable(self, begin: LaneStart, reason: str, *, corrupt: bool = False, is_expected: bool = False) -> None:
        key = begin.checkpoint.key if begin.checkpoint else ""
        at = self._at((begin.node, begin.step))
        self._host.emit(CheckpointUnusable(**at, key=key, corrupt=corrupt, reason=reason, is_expected=is_expected))

    def _read(self, begin: LaneStart) -> EncodedState:
        ref = begin.checkpoint
        if ref is None:
            raise CheckpointError(f"the state after {begin.step} steps was only in memory, and is not there any more.")
        return read_state(self._host.checkpoints.read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes))

    # ------------------------------------------------------------------------------------------------ on the road

    def _walk(self, walker: Walker) -> None:
        for number, stage in enumerate(self._lane.stages):
            if stage.start == stage.stop and self._finish_step(walker, number, stage):
                return
            for _ in range(walker.step, stage.stop):
                self._train(walker, stage)
                if self._finish_step(walker, number, stage):
                    return

    def _train(self, walker: Walker, stage: LaneStage) -> None:
        self._state, self._metrics, self._is_written, self._is_unwritable = None, None, False, False
        is_first = walker.step == 0
        started_s = self._host.clock.elapsed()
        training = walker.train(stage.node, stage.pieces)
        seconds = self._host.clock.elapsed() - started_s
        self._host.emit(StepDone(**self._at((stage.node, walker.step)), training=training, seconds=seconds))
        unread, read = walker.unread
        if is_first and unread:
            self._host.emit(HparamsUnread(lease=self._assignment.lease, names=unread, read=read))
        if self._checks is not None:
            self._tell_verdict(self._checks.see(walker, stage.node, training))

    def _finish_step(self, walker: Walker, number: int, stage: LaneStage) -> bool:
        """Do at a step's end what is due there, and return whether the lane ends."""
        point = (stage.node, walker.step)
        self._itinerary.arrive(number, walker.step)
        if walker.step % self._spec.evaluate_every == 0 and stage.start != stage.stop:
            self._evaluate(walker, point)
        for answer in self._orders.take(self._host.poll()):
            self._host.emit(answer)
        if self._checks is not None and not self._orders.is_stopping:
            # before anybody hears of the metrics: who gets an answer may end the study, and this lane with it
            self._tell_verdict(self._checks.compare(walker, stage.node, self._metrics))
        boundary = self._itinerary.boundary(point)
        if boundary is not None:
            self._keep(walker, point, boundary)
        self._tell_metrics()
        is_due = self._host.clock.elapsed() - self._written_s >= self._assignment.checkpoint_every_s
        is_cut = self._orders.is_stopping or self._itinerary.is_cut_here
        if (is_due or is_cut) and not (self._is_written or self._is_unwritable):
            state = self._encoded(walker, point)
            if not self._write(point, state):  # whoever wants the rest after all goes on from here
                self._keep_resident(point, state)
        return is_cut or self._itinerary.is_at_end

    # ---------------------------------------------------------------------------------------- at the end of a step

    def _keep(self, walker: Walker, point: Point, boundary: Boundary) -> None:
        if boundary.evaluate and self._metrics is None:
            self._evaluate(walker, point)
        if boundary.keep is Keep.NOTHING:
            return
        state = self._encoded(walker, point)
        self._tell_metrics()
        self._keep_resident(point, state)
        if boundary.keep is Keep.TRANSIENT:
            return
        must_write = boundary.is_written(self._metrics) and not self._is_written
        if not must_write or not self._write(point, state):
            self._host.emit(StateHashed(**self._at(point), state_hash=state_hash(state)))

    def _evaluate(self, walker: Walker, point: Point) -> None:
        started_s = self._host.clock.elapsed()
        self._metrics = walker.evaluate(point[0])
        seconds = self._host.clock.elapsed() - started_s
        self._untold = Evaluated(**self._at(point), metrics=self._metrics, seconds=seconds)

    def _tell_metrics(self) -> None:
        """Emit an evaluation, once it is sure that the state it is of can be kept where it must."""
        if self._untold is not None:
            self._host.emit(self._untold)
            self._untold = None

    def _encoded(self, walker: Walker, point: Point) -> EncodedState:
        if self._state is None:
            self._state = walker.encode(point[0])
        return self._state

    def _write(self, point: Point, state: EncodedState) -> bool:
        """Write a state, or tell that it could not be written; return whether it was."""

        def writer(file: BinaryIO) -> None:
            write_state(state, file)

        key = self._new_key(point)
        started_s = self._host.clock.elapsed()
        while True:
            try:
                written = self._host.checkpoints.write(key, writer)
                break
            except CheckpointError as error:
                self._written_s = self._host.clock.elapsed()  # not again after each step
                is_waiting = isinstance(error, StoreFullError) and not self._orders.is_stopping
                reason = storable_text(str(error))
                self._host.emit(CheckpointFailed(**self._at(point), reason=reason, is_waiting=is_waiting))
                if not is_waiting:
                    self._is_unwritable = True
                    return False
            # Going on would lose what this state is for: branches that begin here would be trained up to it again.
            for answer in self._orders.take(self._host.wait(ROOM_RETRY_S)):
                self._host.emit(answer)
        self._written_s = self._host.clock.elapsed()
        self._is_written = True
        ref = CheckpointRef(key=key, size_bytes=written.size_bytes, sha256=written.sha256, state_hash=state_hash(state))
        seconds = self._written_s - started_s
        self._host.emit(CheckpointWritten(**self._at(point), checkpoint=ref, seconds=seconds))
        return True

    def _new_key(self, point: Point) -> str:
        """Return a name that nothing else under this lease has: two lanes may come by one point."""
        key = f"{self._assignment.prefix}-n{point[0]}-s{point[1]}"
        self._keys[key] += 1
        return key if self._keys[key] == 1 else f"{key}-{self._keys[key]}"

    def _keep_resident(self, point: Point, state: EncodedState) -> None:
        dropped = self._host.residents.put(self._states_of, point, state)
        for name in sorted({self._states_of, *(key[0] for key in dropped)}):
            gone = tuple(key[1] for key in dropped if key[0] == name)
            added = (point,) if name == self._states_of else ()
            self._host.emit(StatesResident(slot=self._slot, workload=name, added=added, dropped=gone))

    def _tell_verdict(self, verdict: Verdict | None) -> None:
        if verdict is None:
            return
        self._host.emit(
            ExactnessChecked(
                lease=self._assignment.lease,
                lane=self._number,
                which=verdict.which,
                proven=verdict.proven,
                detail=verdict.detail,
                seconds=verdict.seconds,
                steps=verdict.steps,
            )
        )

    def _tell_left(self, where: str, changes: list[str]) -> None:
        lease = self._assignment.lease
        self._host.emit(SettingsLeft(lease=lease, lane=self._number, where=where, changes=tuple(changes)))

    def _at(self, point: Point) -> _Where:
        return {"lease": self._assignment.lease, "lane": self._number, "node": point[0], "step": point[1]}
