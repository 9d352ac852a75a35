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
from hippo.errors import CheckpointError, CorruptCheckpointError
from hippo.events import (
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    HparamsUnread,
    LaneEvent,
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
from hippo.training.codec import EncodedState, read_state, state_hash, write_state
from hippo.training.failures import plain_text
from hippo.training.itinerary import Orders
from hippo.training.residents import ResidentStates
from hippo.training.same_code import guarded_imports
from hippo.training.trainers import Trainers, require_device
from hippo.training.two_step_check import TwoStepCheck
from hippo.training.walker import UserCodeFailed, Walker, user_code


class LaneHost(Protocol):
    """What an engine lends to the lanes that it runs."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates

    def emit(self, event: LaneEvent | StatesResident) -> None:
        """Pass an event on, in order."""

    def poll(self) -> Sequence[Command]:
        """Return the commands that arrived since the last call; never blocks."""


def run_assignment(assignment: Assignment, spec: TrainerSpec, trainers: Trainers, host: LaneHost, slot: SlotId) -> None:
    """Walk every lane of `assignment`, one after another, and emit what happens.

    An exception of the user's code ends its lane, and a state that cannot be written is told; only KeyboardInterrupt,
    SystemExit, and a TrainerError if the trainer does not arrive as it was recorded, leave this function. It does not
    emit `AssignmentDone`: the slot is not ours.
    """
    orders = Orders(assignment.lease, assignment.lanes)
    keys: Counter[str] = Counter()
    with guarded_imports(spec):
        for number in range(len(assignment.lanes)):
            if not orders.is_stopping:
                _LaneRun(assignment, number, spec, trainers, host, slot, orders, keys).run()
    for answer in orders.take(host.poll()):
        host.emit(answer)


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
        self._itinerary = orders.itineraries[number]
        self._written_s = host.clock.elapsed()
        self._check: TwoStepCheck | None = None
        self._state: EncodedState | None = None
        self._metrics: Metrics | None = None
        self._untold: Evaluated | None = None
        self._is_written = False
        self._is_unwritable = False

    def run(self) -> None:
        try:
            if walker := self._begin():
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

    def _begin(self) -> Walker | None:
        begin, first = self._lane.begin, self._lane.stages[0]
        state = None
        if begin is not None:
            state = self._load(begin)
            if state is None:
                return None
            self._state = state
        goal = (first.node, max(first.stop if first.start == first.stop else first.start + 1, 1))
        self._trainers.load(self._spec)
        with user_code("__init__", goal):
            pristine = self._trainers.pristine(self._spec)
        require_device(pristine)
        step = begin.step if begin else 0
        self._is_written = begin is not None and begin.checkpoint is not None
        pieces = begin.pieces if begin else first.pieces
        if self._lane.check and step <= 1:
            self._check = TwoStepCheck(pristine, self._host.clock, begin=state, pieces=pieces)
        return Walker(pristine, step=step, pieces=pieces, state=state, goal=goal)

    def _load(self, begin: LaneStart) -> EncodedState | None:
        """Return the state to begin from, out of memory or the store; if there is none, say so and return None."""
        point = (begin.node, begin.step)
        state = self._host.residents.get(self._assignment.workload, point)
        if state is not None:
            return state
        try:
            state = self._read(begin)
        except CheckpointError as error:
            key = begin.checkpoint.key if begin.checkpoint else ""
            corrupt = isinstance(error, CorruptCheckpointError)
            self._host.emit(CheckpointUnusable(**self._at(point), key=key, corrupt=corrupt, reason=str(error)))
            return None
        self._keep_resident(point, state)
        return state

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
        if self._check and (verdict := self._check.see(walker, stage, training)):
            self._host.emit(
                ExactnessChecked(
                    lease=self._assignment.lease,
                    lane=self._number,
                    proven=verdict.proven,
                    detail=verdict.detail,
                    seconds=verdict.seconds,
                )
            )

    def _finish_step(self, walker: Walker, number: int, stage: LaneStage) -> bool:
        """Do at a step's end what is due there, and return whether the lane ends."""
        point = (stage.node, walker.step)
        self._itinerary.arrive(number, walker.step)
        if walker.step % self._spec.evaluate_every == 0 and stage.start != stage.stop:
            self._evaluate(walker, point)
        for answer in self._orders.take(self._host.poll()):
            self._host.emit(answer)
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
        try:
            written = self._host.checkpoints.write(key, writer)
        except CheckpointError as error:
            self._written_s = self._host.clock.elapsed()  # not again after each step
            self._is_unwritable = True
            self._host.emit(CheckpointFailed(**self._at(point), reason=plain_text(str(error))))
            return False
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
        workload = self._assignment.workload
        dropped = self._host.residents.put(workload, point, state)
        for name in sorted({workload, *(key[0] for key in dropped)}):
            gone = tuple(key[1] for key in dropped if key[0] == name)
            added = (point,) if name == workload else ()
            self._host.emit(StatesResident(slot=self._slot, workload=name, added=added, dropped=gone))

    def _at(self, point: Point) -> _Where:
        return {"lease": self._assignment.lease, "lane": self._number, "node": point[0], "step": point[1]}
