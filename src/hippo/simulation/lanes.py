"""An assignment under way on a virtual clock: what happens where a lane comes to a stop, and when that is.

A lane is not walked step by step: it jumps to the next step at which something is due, and commands that come
meanwhile act on the step that is being run then. What is due, and what commands mean, `hippo.lanes` says, as it does to
real lanes. This module refuses to know what training comes to (`Curve`) and what it costs (`SimulatedWorkload`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from hippo.events import EngineEvent, FusionChecked
from hippo.lanes import AssignmentProgress, Due
from hippo.records import Assignment, LeaseCommand, Point
from hippo.simulation.formations import SimulatedFormation
from hippo.simulation.lane_at_work import LaneAtWork
from hippo.simulation.meter import Work
from hippo.simulation.step_times import StepTimes
from hippo.simulation.timeline import SlotTimeline
from hippo.simulation.virtual_world import VirtualWorld
from hippo.simulation.workers import SimulatedWorker


class AssignmentRun:
    """One assignment in its slot. Lanes are walked one after another, or as one.

    Args:
      world: where it runs.
      assignment: what is run.
      worker: where.
      evaluate_every: as in `TrainerSpec`.
      may_fuse: whether its workload's numerics allow lanes to be walked as one.
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
        may_fuse: bool,
        lost_at_s: float,
        on_loss: Callable[[], None],
        on_end: Callable[[AssignmentRun], None],
    ) -> None:
        self.world = world
        self.assignment = assignment
        self.worker = worker
        gang = (worker, *worker.helpers)
        self.timeline = SlotTimeline(world, [each.number for each in gang], assignment.lease)
        #: nothing more is to happen: it has ended, or was given up
        self.is_over = False
        self.may_fuse = may_fuse
        #: all lanes, since a command may be for any
        self.commanded = AssignmentProgress(assignment, evaluate_every=evaluate_every)
        self._lost_at_s = lost_at_s
        self._on_loss = on_loss
        self._on_end = on_end
        self._numbers = iter(range(len(assignment.lanes)))
        #: raised whenever what it waits for changes
        self._version = 0
        #: who walks what is walked now
        self._driver: SimulatedLane | SimulatedFormation | None = None

    @property
    def is_out_of_reach(self) -> bool:
        """Whether its slot was lost, and it goes on all the same."""
        return self.timeline.is_out_of_reach

    def begin(self) -> None:
        """Begin its lanes; or decide how lanes of their shape are walked, and leave them."""
        if self.assignment.fusion is None and self.may_fuse:
            self._decide()
        elif self.assignment.fusion is None or not self.assignment.fusion.is_fused:
            self.begin_next()
        elif any(lane.is_over for lane in self.commanded.lanes):  # they were stopped before they began
            self.finish()
        else:
            self._driver = SimulatedFormation(self)
            self._driver.begin()

    def _decide(self) -> None:
        """Find out whether its lanes are walked as one, and say so; none is walked, so that none promises anything.

        What the first of them is to compare is compared by then: lanes of one program are not.
        """
        self.commanded.leave()
        workload, first = self.world.workload, self.commanded.lanes[0]
        fusion = workload.fusion
        self.timeline.begin()
        self.worker.start(self.timeline, workload, first.step)
        LaneAtWork(self.world, self.assignment, first, self.worker, self.timeline, may_fuse=True).pass_first_check()
        self.timeline.spend(Work.CHECK, workload.check_s, first.step)
        said = FusionChecked(lease=self.assignment.lease, fusion=fusion, seconds=workload.check_s)
        self.timeline.say(said)
        self.wake(self.timeline.clock_s, self._end_decided)

    def _end_decided(self) -> None:
        """End: lanes are packed by what is known now."""
        self.timeline.tell(*self._point)
        self.finish()

    def begin_next(self) -> None:
        """Begin the next lane, or end the assignment after the last one."""
        number = next(self._numbers, None)
        if number is None or self.commanded.lanes[number].is_over:
            self.finish()
            return
        self._driver = SimulatedLane(self, number)
        self._driver.begin()

    def finish(self) -> None:
        """End: there is nothing more to walk."""
        self._on_end(self)

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._driver is not None:
            self._driver.take(command)
        else:
            self.follow(command)

    def follow(self, command: LeaseCommand) -> None:
        """Let a command change what is ahead of its lane, and answer it."""
        for answer in self.commanded.take([command]):
            self.world.soon(answer)

    @property
    def _point(self) -> Point:
        """Where it is: the last stop at which it was."""
        if self._driver is not None:
            return self._driver.point
        first = self.commanded.lanes[0]
        return Point(first.stage.node, first.step)

    def say(self, events: Sequence[EngineEvent]) -> None:
        """Tell this of its slot, after all that was done before and is not told yet."""
        self.timeline.say(*events)

    def lose(self) -> None:
        """Its worker is gone, or out of reach, and what it has not told with it."""
        self.timeline.lose(*self._point)

    def end(self) -> None:
        """Have nothing more happen."""
        self.is_over = True
        # It knows us, and a circle would wait for the garbage collector, which simulations hardly ever let come: 15 us
        # of CPU for each stage.
        self._driver = None

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
    """One lane of a run that is walked by itself: from stop to stop.

    Args:
      run: what it is a part of.
      number: of the lane in its assignment.
    """

    def __init__(self, run: AssignmentRun, number: int) -> None:
        self._run = run
        self._world = run.world
        self._worker = run.worker
        self._timeline = run.timeline
        self._progress = run.commanded.lanes[number]
        self._work = LaneAtWork(
            run.world, run.assignment, self._progress, run.worker, run.timeline, may_fuse=run.may_fuse
        )
        #: the stop at which it stands, or which it left last, is not told yet
        self._is_between = False

    @property
    def point(self) -> Point:
        """Where it is: the last stop at which it was."""
        return self._work.point

    # --- the beginning, and the end

    def begin(self) -> None:
        """Have a state to begin from, and go on from there."""
        self._timeline.begin()
        self._progress.begin(self._timeline.clock_s)
        self._worker.start(self._timeline, self._world.workload, self._work.step)
        if self._work.begin():
            self._go_on()
        else:
            self._is_between = True
            self._run.wake(self._timeline.clock_s, self._end)

    def _end(self) -> None:
        self._timeline.tell(*self.point)
        self._progress.is_over = True
        self._run.begin_next()

    # --- from stop to stop

    def _go_on(self) -> None:
        """Begin the steps of the current stage that remain."""
        segment, stop = self._work.enter_stage(), self._progress.stage.stop
        began_s, speed = self._timeline.clock_s, self._worker.speed
        self._times = StepTimes(self._world.workload, [segment], self._work.step, stop, began_s, speed)
        self._aim(min(self._work.step + 1, stop))

    def _aim(self, at_least: int) -> None:
        """Wake up where the next thing is due, at or after a step."""
        times, progress = self._times, self._progress
        target = times.next_stop(progress.next_stop(at_least), at_least, due_s=progress.checkpoint_due_s)
        self._run.wake(times.ends_at(target), functools.partial(self._arrive, target))

    def _arrive(self, step: int) -> None:
        """Do at a step's end what is due there."""
        self._timeline.catch_up()
        if step > self._times.start:
            began_at = self._work.step
            self._work.walk(self._times, step)
            self._timeline.train(self._times.began_s, began_at)
            self._work.pass_checks()
        self._progress.arrive(step)
        self._finish_step()

    def _finish_step(self) -> None:
        """Do all that is due; when that is over, too, tell of it, and end the lane or go on."""
        due = self._work.finish_step()
        if self._progress.is_over:
            self._end()
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

    # --- commands

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._is_between:  # what is due at this step is being done
            current = ahead = self._work.step + 1
        else:
            current = self._times.step_under_way(self._world.elapsed())
            if current == self._times.start > self._progress.lane.stages[0].start:
                current += 1  # the state that it stands at is the stage's before, and was passed
            ahead = max(current, min(self._work.step + 1, self._times.stop))
        self._progress.note_passed(ahead)
        self._run.follow(command)
        if self._is_between:
            return
        if self._progress.ends_by(current):
            self._run.wake(self._times.ends_at(current), functools.partial(self._arrive, current))
        else:
            self._aim(ahead)
