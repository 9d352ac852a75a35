"""An assignment under way on a virtual clock: what happens where a lane comes to a stop, and when that is.

A lane is not walked step by step: it jumps to the next step at which something is due, and commands that come
meanwhile act on the step that is being run then. What is due, and what commands mean, `hippo.lanes` says, as it does to
real lanes. This module refuses to know what training comes to (`Curve`) and what it costs (`SimulatedWorkload`).
"""

from __future__ import annotations

import functools
import math
import traceback
from collections.abc import Callable, Sequence

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
    LeaseCommand,
    Metrics,
    Point,
)
from hippo.simulation.meter import Work
from hippo.simulation.paths import Segment
from hippo.simulation.states import State
from hippo.simulation.step_times import StepTimes
from hippo.simulation.timeline import SlotTimeline
from hippo.simulation.virtual_world import VirtualWorld
from hippo.training.check_rule import changed_step, checked_step, last_step, stage_at, steps_run_again
from hippo.training.residents import ResidentStates, told

_NOTHING: Metrics = {}


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
    """One assignment in its slot. Lanes are walked one after another.

    Args:
      world: where it runs.
      assignment: what is run.
      worker: where.
      evaluate_every: as in `TrainerSpec`.
      lost_at_s: when the worker will be lost, if anything is still to happen then.
      on_loss: called at that time.
      on_end: called when it is over, unless it is given up before.
    """

    def __init__(
        self,
        world: VirtualWorld,
        assignment: Assignment,
        worker: SimulatedWorker,
        *,
        evaluate_every: int,
        lost_at_s: float,
        on_loss: Callable[[], None],
        on_end: Callable[[AssignmentRun], None],
    ) -> None:
        self.world = world
        self.assignment = assignment
        self.worker = worker
        self.timeline = SlotTimeline(world, worker.number, assignment.lease)
        #: nothing more is to happen: it has ended, or was given up
        self.is_over = False
        #: all lanes, since a command may be for any
        self.commanded = AssignmentProgress(assignment, evaluate_every=evaluate_every)
        self._lost_at_s = lost_at_s
        self._on_loss = on_loss
        self._on_end = on_end
        self._numbers = iter(range(len(assignment.lanes)))
        #: raised whenever what it waits for changes
        self._version = 0
        self._lane: SimulatedLane | None = None

    @property
    def is_out_of_reach(self) -> bool:
        """Whether its slot was lost, and it goes on all the same."""
        return self.timeline.is_out_of_reach

    def begin(self) -> None:
        """Begin the next lane, or end the assignment after the last one."""
        number = next(self._numbers, None)
        if number is None or self.commanded.lanes[number].is_over:
            self._on_end(self)
            return
        self._lane = SimulatedLane(self, number)
        self._lane.begin()

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._lane is not None:
            self._lane.take(command)

    def say(self, events: Sequence[EngineEvent]) -> None:
        """Tell this of its slot, after all that was done before and is not told yet."""
        self.timeline.say(*events)

    def lose(self) -> None:
        """Its worker is gone, or out of reach, and what it has not told with it."""
        if self._lane is not None:
            self.timeline.lose(*self._lane.point)

    def end(self) -> None:
        """Have nothing more happen."""
        self.is_over = True
        # It knows us, and a circle would wait for the garbage collector, which simulations hardly ever let come: 15 us
        # of CPU for each stage.
        self._lane = None

    def wake(self, at_s: float, callback: Callable[[], None]) -> None:
        """Call back at a time, unless something else is asked for first or the worker is lost before."""
        self._version += 1
        if at_s > self._lost_at_s:  # and what it waits for now goes on unseen, if it goes on
            lost_at_s, self._lost_at_s = self._lost_at_s, math.inf
            self.world.clock.call_at(lost_at_s, functools.partial(self._call_back, None, self._on_loss))
        self.world.clock.call_at(at_s, functools.partial(self._call_back, self._version, callback))

    def _call_back(self, version: int | None, callback: Callable[[], None]) -> None:
        if version in (None, self._version) and not self.is_over:
            callback()


class SimulatedLane:
    """One lane of a run: from stop to stop, and what is due there.

    Args:
      run: what it is a part of.
      number: of the lane in its assignment.
    """

    def __init__(self, run: AssignmentRun, number: int) -> None:
        lane = run.assignment.lanes[number]
        self._run = run
        self._number = number
        self._lane = lane
        self._world = run.world
        self._workload = run.world.workload
        self._worker = run.worker
        self._timeline = run.timeline
        self._progress = run.commanded.lanes[number]
        self._step = lane.stages[0].start
        self._checked_step, self._last_step = checked_step(lane), last_step(lane)
        self._changed_step = changed_step(lane)
        #: the stop at which it stands, or which it left last, is not told yet
        self._is_between = False

    @property
    def point(self) -> Point:
        """Where it is: the last stop at which it was."""
        return Point(self._progress.stage.node, self._step)

    # --- the beginning, and the end

    def begin(self) -> None:
        """Have a state to begin from, and go on from there."""
        self._timeline.begin()
        self._progress.begin(self._timeline.clock_s)
        self._world.meter.count("lanes")
        self._world.meter.count("stages", len(self._lane.stages))
        if not self._worker.is_started:
            self._worker.is_started = True
            self._spend(Work.WORKER_START, self._workload.worker_start_s)
        state = self._first_state()
        if state is not None:
            self._state = state
            self._go_on()

    def _first_state(self) -> State | None:
        """Return the state to begin from, and spend what it takes to have it; if there is none, say so."""
        begin, first = self._lane.begin, self._lane.stages[0]
        point = None if begin is None else Point(begin.node, begin.step)
        if point is not None:
            state = self._worker.residents.get(self._run.assignment.states_of, point)
            if state is not None:
                return state
        self._spend(Work.START, self._workload.start_s)
        self._world.meter.count("starts")
        if begin is None or point is None:
            return State(Segment(None, first.start, first.pieces), first.start, self._world.curve.begin())
        self._spend(Work.LOAD, self._workload.load_s)
        self._world.meter.count("loads")
        key = "" if begin.checkpoint is None else begin.checkpoint.key
        state = self._world.checkpoints.get(key)
        if state is None:
            self._refuse(point, key)
            return None
        self._hold(point, state)
        return state

    def _refuse(self, point: Point, key: str) -> None:
        reason = "this simulated world did not write it"
        self._timeline.say(CheckpointUnusable(**self._at(point), key=key, corrupt=False, reason=reason))
        self._progress.is_over = True
        self._is_between = True
        self._run.wake(self._timeline.clock_s, self._end)

    def _end(self) -> None:
        self._timeline.tell(*self.point)
        self._progress.is_over = True
        self._run.begin()

    # --- from stop to stop

    def _go_on(self) -> None:
        """Begin the steps of the current stage that remain."""
        stage, state = self._progress.stage, self._state
        segment = state.segment
        if segment.pieces is not stage.pieces and segment.pieces != stage.pieces:
            segment = Segment(segment, stage.start, stage.pieces)
        began_s, speed = self._timeline.clock_s, self._worker.speed
        self._times = StepTimes(self._workload, segment, self._step, stage.stop, began_s, speed)
        self._aim(min(self._step + 1, stage.stop))

    def _aim(self, at_least: int) -> None:
        """Wake up where the next thing is due, at or after a step."""
        times, target = self._times, self._progress.next_stop(at_least)
        due_s = self._progress.checkpoint_due_s
        if times.ends_at(target) > due_s:
            target = min(target, max(times.step_under_way(due_s), at_least))
        self._run.wake(times.ends_at(target), functools.partial(self._arrive, target))

    def _arrive(self, step: int) -> None:
        """Do at a step's end what is due there."""
        self._timeline.catch_up()
        if step > self._times.start:
            self._walk(self._times, step)
        self._progress.arrive(step)
        self._finish_step()

    def _walk(self, times: StepTimes, stop: int) -> None:
        """Take the steps up to `stop`, which are over by now."""
        lease, lane, node = self._run.assignment.lease, self._number, self._progress.stage.node
        curve = self._world.curve.after(self._state.curve, times.segment, self._step, stop)
        self._timeline.say(
            *[
                StepDone(
                    lease=lease,
                    lane=lane,
                    node=node,
                    step=step,
                    training=_NOTHING,
                    seconds=times.step_seconds(step),
                )
                for step in range(self._step + 1, stop + 1)
            ]
        )
        self._timeline.train(times.began_s, self._step)
        self._state = State(times.segment, stop, curve)
        self._step = stop
        if self._checked_step is not None and stop >= self._checked_step:
            again = steps_run_again(self._lane, self._checked_step)
            self._check(Check.FIRST_STEPS, again)
            self._checked_step = None
        if self._changed_step is not None and stop >= self._changed_step:
            changed = Point(stage_at(self._lane, self._changed_step).node, self._changed_step)
            self._check(Check.CHANGED_VALUES, (changed,))
            self._changed_step = None
        if stop == self._last_step:
            self._check(Check.LAST_STEP, (self.point,))

    def _check(self, which: Check, steps: tuple[Point, ...]) -> None:
        """Pass a comparison, at its cost."""
        lease, seconds = self._run.assignment.lease, self._workload.check_s
        self._spend(Work.CHECK, seconds)
        self._timeline.say(
            ExactnessChecked(
                lease=lease, lane=self._number, which=which, proven=True, detail="", seconds=seconds, steps=steps
            )
        )

    def _finish_step(self) -> None:
        """Do all that is due; when that is over, too, tell of it, and end the lane or go on."""
        try:
            while (due := self._progress.due(self._timeline.clock_s)) not in (Due.GO_ON, Due.END):
                self._carry_out(due)
        except HippoError:
            raise
        except Exception as error:  # the curve is the user's code
            self._fail(error)
            return
        if self._timeline.is_ahead:  # commands may come until then
            self._is_between = True
            self._run.wake(self._timeline.clock_s, self._finish_step)
            return
        self._is_between = False
        if due is Due.END:
            self._end()
            return
        self._timeline.tell(*self.point)
        self._progress.go_on()
        self._go_on()

    # --- at the end of a step

    def _carry_out(self, due: Due) -> None:
        if due is Due.EVALUATE:
            self._evaluate()
        elif due is Due.HOLD:
            self._hold(self.point, self._state)
            self._progress.did(due)
        elif due is Due.WRITE:
            self._write()
        else:
            self._timeline.say(StateHashed(**self._at(self.point), state_hash=self._state.digest))
            self._progress.did(due)

    def _evaluate(self) -> None:
        metrics = self._world.curve.metrics(self._state.curve, self._times.segment, self._step)
        seconds = self._workload.evaluate_s / self._worker.speed
        self._spend(Work.EVALUATE, seconds)
        self._world.meter.count("evaluations")
        self._timeline.say(Evaluated(**self._at(self.point), metrics=metrics, seconds=seconds))
        self._progress.metrics = metrics

    def _write(self) -> None:
        key, digest = self._progress.key, self._state.digest
        self._world.checkpoints[key] = self._state
        self._spend(Work.SAVE, self._workload.save_s)
        self._world.meter.count("saves")
        self._progress.did(Due.WRITE, self._timeline.clock_s)
        ref = CheckpointRef(key=key, size_bytes=self._workload.checkpoint_bytes, sha256=digest, state_hash=digest)
        seconds = self._workload.save_s
        self._timeline.say(CheckpointWritten(**self._at(self.point), checkpoint=ref, seconds=seconds))

    def _hold(self, point: Point, state: State) -> None:
        owner, slot = self._run.assignment.states_of, self._run.assignment.slot
        dropped = self._worker.residents.put(owner, point, state)
        self._timeline.say(*told(slot, added=[(owner, point)], dropped=dropped))

    def _fail(self, error: Exception) -> None:
        node, step = self.point
        failure = Failure(
            node=node,
            step=step,
            method="evaluate",
            error="".join(traceback.format_exception_only(error)).strip(),
            traceback=traceback.format_exc(),
        )
        lease = self._run.assignment.lease
        self._timeline.say(StageFailed(lease=lease, lane=self._number, failure=failure))
        self._end()

    # --- commands

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._is_between:  # what is due at this step is being done
            current = ahead = self._step + 1
        else:
            current = self._times.step_under_way(self._world.elapsed())
            ahead = max(current, min(self._step + 1, self._times.stop))
        self._progress.note_passed(ahead)
        for answer in self._run.commanded.take([command]):
            self._world.soon(answer)
        if self._is_between:
            return
        if self._progress.ends_by(current):
            self._run.wake(self._times.ends_at(current), functools.partial(self._arrive, current))
        else:
            self._aim(ahead)

    # --- saying it

    def _spend(self, work: Work, seconds: float) -> None:
        self._timeline.spend(work, seconds, self._step)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._run.assignment.lease, self._number, point)
