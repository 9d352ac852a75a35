"""An assignment under way on a virtual clock: what happens where a lane comes to a stop, and when that is.

A lane is not walked step by step: it jumps to the next step at which something is due, and commands that come
meanwhile act on the step that is being run then. What is due, and what commands mean, `hippo.lanes` says, as it does to
real lanes. This module refuses to know what training comes to (`Curve`) and what it costs (`SimulatedWorkload`).
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Sequence
from typing import Protocol

from hippo.errors import HippoError
from hippo.events import (
    Check,
    CheckpointUnusable,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    ExactnessChecked,
    LanePoint,
    StageFailed,
    StateHashed,
    StepDone,
    at_point,
)
from hippo.lanes import AssignmentProgress, Due
from hippo.records import (
    Assignment,
    CheckpointRef,
    Failure,
    Lane,
    LaneStage,
    LeaseCommand,
    Metrics,
    Point,
)
from hippo.simulation.curves import Curve
from hippo.simulation.meter import Meter, Work
from hippo.simulation.paths import Segment
from hippo.simulation.states import State
from hippo.simulation.step_times import StepTimes
from hippo.simulation.workload import SimulatedWorkload
from hippo.training.check_rule import checked_step, last_step, steps_run_again
from hippo.training.residents import ResidentStates, told

_NOTHING: Metrics = {}


class World(Protocol):
    """What lanes share: the virtual clock, the rules of the simulation, and the checkpoints."""

    workload: SimulatedWorkload
    curve: Curve
    meter: Meter
    #: checkpoint store: key -> state
    checkpoints: dict[str, State]

    def elapsed(self) -> float:
        """Return virtual seconds since the beginning."""

    def emit(self, event: EngineEvent) -> None:
        """Pass an event on; only when time has moved."""

    def wake(self, run: AssignmentRun, at_s: float, callback: Callable[[], None]) -> None:
        """Call back at a time, unless the run asks for something else first or is lost before."""

    def soon(self, event: EngineEvent) -> None:
        """Emit an event at this moment, but not from within this call."""

    def finish(self, run: AssignmentRun) -> None:
        """Take a run that has ended off its slot."""


class SimulatedWorker:
    """A worker process in a slot."""

    def __init__(self, number: int, speed: float, room: int) -> None:
        #: which slot it is in, from 0
        self.number = number
        self.speed = speed
        self.residents: ResidentStates[State] = ResidentStates(room)
        self.is_started = False
        #: what it runs
        self.run: AssignmentRun | None = None


class AssignmentRun:
    """One assignment in its slot. Lanes are walked one after another."""

    def __init__(self, world: World, assignment: Assignment, worker: SimulatedWorker, evaluate_every: int) -> None:
        self.assignment = assignment
        self.worker = worker
        #: raised whenever what it waits for changes
        self.version = 0
        #: its slot was lost, and it goes on all the same
        self.is_out_of_reach = False
        self._world = world
        self._workload = world.workload
        #: all lanes, since a command may be for any
        self._commanded = AssignmentProgress(assignment, evaluate_every=evaluate_every)
        self._lane = -1
        #: the stop at which the lane stands, or which it left last, is not told yet
        self._is_between = False
        #: (work, began, ended, step before) since it last told
        self._spans: list[tuple[Work, float, float, int]] = []
        self._outbox: list[EngineEvent] = []

    # --- one lane after another

    def begin(self) -> None:
        """Begin the next lane, or end the assignment after the last one."""
        self._lane += 1
        lanes = self.assignment.lanes
        if self._lane == len(lanes) or self._commanded.lanes[self._lane].is_over:
            self._world.finish(self)
            return
        lane = lanes[self._lane]
        self._progress = self._commanded.lanes[self._lane]
        self._step = lane.stages[0].start
        self._checked_step, self._last_step = checked_step(lane), last_step(lane)
        self._clock_s = self._told_s = self._world.elapsed()
        self._progress.begin(self._clock_s)
        self._world.meter.count("lanes")
        self._world.meter.count("stages", len(lane.stages))
        if not self.worker.is_started:
            self.worker.is_started = True
            self._spend(Work.WORKER_START, self._workload.worker_start_s)
        state = self._first_state(lane)
        if state is not None:
            self._state = state
            self._go_on()

    def _first_state(self, lane: Lane) -> State | None:
        """Return the state to begin from, and spend what it takes to have it; if there is none, say so."""
        begin = lane.begin
        if begin is None:
            self._start()
            first = lane.stages[0]
            return State(Segment(None, first.start, first.pieces), first.start, self._world.curve.begin())
        point = Point(begin.node, begin.step)
        state = self.worker.residents.get(self.assignment.states_of, point)
        if state is not None:
            return state
        self._start()
        self._spend(Work.LOAD, self._workload.load_s)
        self._world.meter.count("loads")
        key = "" if begin.checkpoint is None else begin.checkpoint.key
        state = self._world.checkpoints.get(key)
        if state is None:
            self._refuse(point, key)
            return None
        self._hold(point, state)
        return state

    def _start(self) -> None:
        self._spend(Work.START, self._workload.start_s)
        self._world.meter.count("starts")

    def _refuse(self, point: Point, key: str) -> None:
        reason = "this simulated world did not write it"
        self._outbox.append(CheckpointUnusable(**self._at(point), key=key, corrupt=False, reason=reason))
        self._progress.is_over = True
        self._is_between = True
        self._world.wake(self, self._clock_s, self._end_lane)

    def _end_lane(self) -> None:
        self._tell()
        self._progress.is_over = True
        self._is_between = False
        self.begin()

    @property
    def _stage(self) -> LaneStage:
        return self._progress.stage

    # --- from stop to stop

    def _go_on(self) -> None:
        """Begin the steps of the current stage that remain."""
        stage, state = self._stage, self._state
        segment = state.segment
        if segment.pieces is not stage.pieces and segment.pieces != stage.pieces:
            segment = Segment(segment, stage.start, stage.pieces)
        self._times = StepTimes(self._workload, segment, self._step, stage.stop, self._clock_s, self.worker.speed)
        self._aim(min(self._step + 1, stage.stop))

    def _aim(self, at_least: int) -> None:
        """Wake up where the next thing is due, at or after a step."""
        times, target = self._times, self._progress.next_stop(at_least)
        due_s = self._progress.checkpoint_due_s
        if times.ends_at(target) > due_s:
            target = min(target, max(times.step_under_way(due_s), at_least))
        self._world.wake(self, times.ends_at(target), functools.partial(self._arrive, target))

    def _arrive(self, step: int) -> None:
        """Do at a step's end what is due there."""
        self._clock_s = self._world.elapsed()
        if step > self._times.start:
            self._walk(self._times, step)
        self._progress.arrive(step)
        self._finish_step()

    def _walk(self, times: StepTimes, stop: int) -> None:
        """Take the steps up to `stop`, which are over by now."""
        lease, lane, node = self.assignment.lease, self._lane, self._stage.node
        curve = self._world.curve.after(self._state.curve, times.segment, self._step, stop)
        for step in range(self._step + 1, stop + 1):
            seconds = times.step_seconds(step)
            self._outbox.append(
                StepDone(lease=lease, lane=lane, node=node, step=step, training=_NOTHING, seconds=seconds)
            )
        self._spans.append((Work.TRAIN, times.began_s, self._clock_s, self._step))
        self._state = State(times.segment, stop, curve)
        self._step = stop
        if self._checked_step is not None and stop >= self._checked_step:
            again = steps_run_again(self.assignment.lanes[self._lane], self._checked_step)
            self._check(Check.FIRST_STEPS, again)
            self._checked_step = None
        if stop == self._last_step:
            self._check(Check.LAST_STEP, (Point(self._stage.node, stop),))

    def _check(self, which: Check, steps: tuple[Point, ...]) -> None:
        """Pass a comparison, at its cost."""
        lease, seconds = self.assignment.lease, self._workload.check_s
        self._spend(Work.CHECK, seconds)
        self._outbox.append(
            ExactnessChecked(
                lease=lease, lane=self._lane, which=which, proven=True, detail="", seconds=seconds, steps=steps
            )
        )

    def _finish_step(self) -> None:
        """Do all that is due; when that is over, too, tell of it, and end the lane or go on."""
        try:
            while (due := self._progress.due(self._clock_s)) not in (Due.GO_ON, Due.END):
                self._carry_out(due)
        except HippoError:
            raise
        except Exception as error:  # the curve is the user's code
            self._fail(error)
            return
        if self._clock_s > self._world.elapsed():  # commands may come until then
            self._is_between = True
            self._world.wake(self, self._clock_s, self._finish_step)
            return
        self._is_between = False
        if due is Due.END:
            self._end_lane()
            return
        self._tell()
        self._progress.go_on()
        self._go_on()

    # --- at the end of a step

    def _carry_out(self, due: Due) -> None:
        if due is Due.EVALUATE:
            self._evaluate()
        elif due is Due.HOLD:
            self._hold(self._point, self._state)
            self._progress.did(due)
        elif due is Due.WRITE:
            self._write()
        else:
            self._outbox.append(StateHashed(**self._at(self._point), state_hash=self._state.digest))
            self._progress.did(due)

    @property
    def _point(self) -> Point:
        return Point(self._stage.node, self._step)

    def _evaluate(self) -> None:
        metrics = self._world.curve.metrics(self._state.curve, self._times.segment, self._step)
        seconds = self._workload.evaluate_s / self.worker.speed
        self._spend(Work.EVALUATE, seconds)
        self._world.meter.count("evaluations")
        self._outbox.append(Evaluated(**self._at(self._point), metrics=metrics, seconds=seconds))
        self._progress.metrics = metrics

    def _write(self) -> None:
        key, digest = self._progress.key, self._state.digest
        self._world.checkpoints[key] = self._state
        self._spend(Work.SAVE, self._workload.save_s)
        self._world.meter.count("saves")
        self._progress.did(Due.WRITE, self._clock_s)
        ref = CheckpointRef(key=key, size_bytes=self._workload.checkpoint_bytes, sha256=digest, state_hash=digest)
        written = CheckpointWritten(**self._at(self._point), checkpoint=ref, seconds=self._workload.save_s)
        self._outbox.append(written)

    def _hold(self, point: Point, state: State) -> None:
        owner, slot = self.assignment.states_of, self.assignment.slot
        dropped = self.worker.residents.put(owner, point, state)
        self._outbox += told(slot, added=[(owner, point)], dropped=dropped)

    def _fail(self, error: Exception) -> None:
        node, step = self._point
        failure = Failure(
            node=node,
            step=step,
            method="evaluate",
            error="".join(traceback.format_exception_only(error)).strip(),
            traceback=traceback.format_exc(),
        )
        self._outbox.append(StageFailed(lease=self.assignment.lease, lane=self._lane, failure=failure))
        self._end_lane()

    # --- commands and losses

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._is_between:  # what is due at this step is being done
            current = ahead = self._step + 1
        else:
            current = self._times.step_under_way(self._world.elapsed())
            ahead = max(current, min(self._step + 1, self._times.stop))
        self._progress.note_passed(ahead)
        for answer in self._commanded.take([command]):
            self._world.soon(answer)
        if self._is_between:
            return
        if self._progress.ends_by(current):
            self._world.wake(self, self._times.ends_at(current), functools.partial(self._arrive, current))
        else:
            self._aim(ahead)

    def say(self, events: Sequence[EngineEvent]) -> None:
        """Tell this of its slot, after all that was done before and is not told yet."""
        self._outbox += events

    def lose(self) -> None:
        """Its worker is gone, or out of reach, and what it has not told with it."""
        ahead, outbox = self._spans, self._outbox
        self._spans, self._outbox = [(Work.LOST, self._told_s, self._world.elapsed(), self._step)], []
        self._tell()
        self._spans, self._outbox = ahead, outbox

    # --- telling and counting

    def _spend(self, work: Work, seconds: float) -> None:
        self._spans.append((work, self._clock_s, self._clock_s + seconds, self._step))
        self._clock_s += seconds

    def _tell(self) -> None:
        """Count what was done by now, and say what came of it."""
        now_s, slot, lease = self._world.elapsed(), self.worker.number, self.assignment.lease
        node = self._stage.node
        for work, began_s, ended_s, start in () if self.is_out_of_reach else self._spans:
            stop = self._step if work is Work.TRAIN else start
            self._world.meter.add(work, (began_s, min(ended_s, now_s)), slot, lease, node, start, stop)
        self._spans.clear()
        self._told_s = now_s
        said, self._outbox = self._outbox, []
        for event in said:
            self._world.emit(event)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self.assignment.lease, self._lane, point)
