"""One lane of a simulated assignment: its state, what it says, and what it does where anything is due.

When that is, and who walks beside it, its driver knows: `lanes` of a lane by itself, `formations` of several. This
module refuses to know what training comes to (`Curve`) and what it costs (`SimulatedWorkload`).
"""

from __future__ import annotations

import traceback

from hippo.errors import HippoError
from hippo.events import (
    Check,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    LanePoint,
    StageFailed,
    StateHashed,
    StepsDone,
    at_point,
)
from hippo.lanes import Due, LaneProgress
from hippo.records import Assignment, CheckpointRef, Failure, Metrics, Point
from hippo.simulation.meter import Work
from hippo.simulation.paths import Segment
from hippo.simulation.states import State
from hippo.simulation.step_times import StepTimes
from hippo.simulation.timeline import SlotTimeline
from hippo.simulation.virtual_world import VirtualWorld
from hippo.simulation.workers import SimulatedWorker
from hippo.training.walking.check_rule import changed_step, checked_step, last_step, stage_at, steps_run_again
from hippo.training.walking.residents import told

_NOTHING: Metrics = {}


class LaneAtWork:
    """One lane of a run.

    Args:
      world: where it runs.
      assignment: of which.
      progress: how far it is.
      worker: where.
      timeline: of the run.
      may_fuse: its workload's numerics allow lanes to be walked as one.
    """

    def __init__(
        self,
        world: VirtualWorld,
        assignment: Assignment,
        progress: LaneProgress,
        worker: SimulatedWorker,
        timeline: SlotTimeline,
        *,
        may_fuse: bool,
    ) -> None:
        lane = progress.lane
        self.progress = progress
        self.step = lane.stages[0].start
        self._lane = lane
        self._world = world
        self._workload = world.workload
        self._assignment = assignment
        self._worker = worker
        self._timeline = timeline
        self._may_fuse = may_fuse
        self._checked_step, self._last_step = checked_step(lane), last_step(lane)
        self._changed_step = changed_step(lane)

    @property
    def point(self) -> Point:
        """Where it is: the last stop at which it was."""
        return Point(self.progress.stage.node, self.step)

    # --- the beginning

    def begin(self) -> bool:
        """Have a state to begin from, and spend what it takes to have it; if there is none, say so, and be over."""
        self._world.meter.count("lanes")
        self._world.meter.count("stages", len(self._lane.stages))
        if self._assignment.peers:
            self._spend(Work.START, self._workload.shard_start_s)
        begin, first = self._lane.begin, self._lane.stages[0]
        point = None if begin is None else Point(begin.node, begin.step)
        if point is not None:
            state = self._worker.residents.get(self._assignment.states_of, point)
            if state is not None:
                self._state = state
                return True
        self._spend(Work.START, self._workload.start_s)
        self._world.meter.count("starts")
        if begin is None or point is None:
            self._state = State(Segment(None, first.start, first.pieces), first.start, self._world.curve.begin())
            return True
        self._spend(Work.LOAD, self._workload.load_s)
        self._world.meter.count("loads")
        key = "" if begin.checkpoint is None else begin.checkpoint.key
        state = self._world.checkpoints.get(key)
        if state is None:
            reason = "this simulated world did not write it"
            self._timeline.say(CheckpointUnusable(**self._at(point), key=key, corrupt=False, reason=reason))
            self.progress.is_over = True
            return False
        self._hold(point, state)
        self._state = state
        return True

    # --- steps

    def enter_stage(self) -> Segment:
        """Begin the steps of the current stage that remain; return their segment of the path."""
        stage, segment = self.progress.stage, self._state.segment
        if segment.pieces is not stage.pieces and segment.pieces != stage.pieces:
            segment = Segment(segment, stage.start, stage.pieces)
        self._segment = segment
        return segment

    def walk(self, times: StepTimes, stop: int, *, lanes: int = 1) -> None:
        """Take the steps up to `stop`, which are over by now, as one of so many lanes."""
        lease, number, node = self._assignment.lease, self.progress.number, self.progress.stage.node
        curve = self._world.curve.after(self._state.curve, self._segment, self.step, stop)
        if stop > self.step:
            width = self._assignment.width  # what is told are device-seconds of a lane
            seconds = tuple([each * width / lanes for each in times.seconds_of(self.step, stop)])
            self._timeline.say(
                StepsDone(
                    lease=lease,
                    lane=number,
                    node=node,
                    first=self.step + 1,
                    last=stop,
                    training=(_NOTHING,) * len(seconds),
                    seconds=seconds,
                    lanes=lanes,
                )
            )
        self._state = State(self._segment, stop, curve)
        self.step = stop

    def pass_checks(self) -> None:
        """Pass the comparisons that are due by now, at their cost."""
        if self._checked_step is not None and self.step >= self._checked_step:
            self.pass_first_check()
        if self._changed_step is not None and self.step >= self._changed_step:
            changed = Point(stage_at(self._lane, self._changed_step).node, self._changed_step)
            self._check(Check.CHANGED_VALUES, (changed,))
            self._changed_step = None
        if self.step == self._last_step:
            self._check(Check.LAST_STEP, (self.point,))

    def pass_first_check(self) -> None:
        """Pass the comparison of its first steps, if there is one, at its cost; it was walked up to there."""
        if self._checked_step is not None:
            again = steps_run_again(self._lane, self._checked_step, may_fuse=self._may_fuse)
            self._check(Check.FIRST_STEPS, again)
            self._checked_step = None

    def _check(self, which: Check, steps: tuple[Point, ...]) -> None:
        lease, seconds = self._assignment.lease, self._workload.check_s
        self._spend(Work.CHECK, seconds)
        self._timeline.say(
            ExactnessChecked(
                lease=lease,
                lane=self.progress.number,
                which=which,
                proven=True,
                detail="",
                seconds=seconds,
                steps=steps,
            )
        )

    # --- at the end of a step

    def finish_step(self) -> Due:
        """Do all that is due where it stands, ahead of the clock; return whether it goes on or ends.

        An exception of the curve, which is the user's code, fails it: it ends, and says so.
        """
        try:
            while (due := self.progress.due(self._timeline.clock_s)) not in (Due.GO_ON, Due.END):
                self._carry_out(due)
        except HippoError:
            raise
        except Exception as error:
            self._fail(error)
            return Due.END
        return due

    def _carry_out(self, due: Due) -> None:
        if due is Due.EVALUATE:
            self._evaluate()
        elif due is Due.HOLD:
            self._hold(self.point, self._state)
            self.progress.did(due)
        elif due is Due.WRITE:
            self._write()
        else:
            self._timeline.say(StateHashed(**self._at(self.point), state_hash=self._state.digest))
            self.progress.did(due)

    def _evaluate(self) -> None:
        metrics = self._world.curve.metrics(self._state.curve, self._segment, self.step)
        seconds = self._workload.evaluate_s / self._worker.speed
        self._spend(Work.EVALUATE, seconds)
        self._world.meter.count("evaluations")
        self._timeline.say(Evaluated(**self._at(self.point), metrics=metrics, seconds=seconds * self._assignment.width))
        self.progress.metrics = metrics

    def _write(self) -> None:
        key, digest = self.progress.key, self._state.digest
        self._world.checkpoints[key] = self._state
        self._spend(Work.SAVE, self._workload.save_s)
        self._world.meter.count("saves")
        self.progress.did(Due.WRITE, self._timeline.clock_s)
        ref = CheckpointRef(key=key, size_bytes=self._workload.checkpoint_bytes, sha256=digest, state_hash=digest)
        seconds = self._workload.save_s
        self._timeline.say(CheckpointWritten(**self._at(self.point), checkpoint=ref, seconds=seconds))

    def _hold(self, point: Point, state: State) -> None:
        owner, slot = self._assignment.states_of, self._assignment.slot
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
        self._timeline.say(StageFailed(lease=self._assignment.lease, lane=self.progress.number, failure=failure))
        self.progress.is_over = True

    # --- saying it

    def _spend(self, work: Work, seconds: float) -> None:
        self._timeline.spend(work, seconds, self.step)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self.progress.number, point)
