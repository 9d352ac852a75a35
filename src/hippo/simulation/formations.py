"""Lanes of a simulated assignment that are walked as one program: they stop together, and each does what is due to it.

A step takes a formation as long as `SimulatedWorkload.fused` says, and each lane its share of that. Whatever else a
lane does at a step's end the others wait for. Lanes leave, none joins. What is due, and what commands mean,
`hippo.lanes` says, as it does to real lanes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from hippo.lanes import Due
from hippo.records import LeaseCommand, Point
from hippo.simulation.lane_at_work import LaneAtWork
from hippo.simulation.step_times import StepTimes

if TYPE_CHECKING:
    from hippo.simulation.lanes import AssignmentRun


class SimulatedFormation:
    """The lanes of a run, at one step.

    Args:
      run: what they are a part of.
    """

    def __init__(self, run: AssignmentRun) -> None:
        self._run = run
        self._world = run.world
        self._worker = run.worker
        self._timeline = run.timeline
        lanes = run.commanded.lanes
        assert len({lane.step for lane in lanes}) == 1, "lanes of an assignment begin at one step"
        #: those that have not ended
        self._lanes = [
            LaneAtWork(run.world, run.assignment, lane, run.worker, run.timeline, may_fuse=run.may_fuse)
            for lane in lanes
        ]
        self._step = lanes[0].step
        #: where the first of them stands, or stood when the last one ended
        self._point = self._lanes[0].point
        #: those of them that have come to a stop: all, or, without a step, those that have nothing but to be evaluated
        self._arrived: list[LaneAtWork] = []
        #: the stop at which they stand, or which they left last, is not told yet
        self._is_between = False

    @property
    def point(self) -> Point:
        """Where it is: the last stop at which it was."""
        return self._lanes[0].point if self._lanes else self._point

    # --- the beginning, and the end

    def begin(self) -> None:
        """Have states to begin from, and go on from there."""
        self._timeline.begin()
        self._worker.start(self._timeline, self._world.workload, self._step)
        for lane in self._lanes:
            lane.progress.begin(self._timeline.clock_s)
        self._lanes = [lane for lane in self._lanes if lane.begin()]
        if self._lanes:
            self._go_on()
        else:
            self._is_between = True
            self._run.wake(self._timeline.clock_s, self._end)

    def _end(self) -> None:
        self._timeline.tell(*self.point)
        self._run.finish()

    # --- from stop to stop

    def _go_on(self) -> None:
        """Begin the steps that no lane's stage ends before."""
        workload, number = self._world.workload, len(self._lanes)
        stop = min(lane.progress.stage.stop for lane in self._lanes)
        self._times = StepTimes(
            workload,
            [lane.enter_stage() for lane in self._lanes],
            self._step,
            stop,
            self._timeline.clock_s,
            self._worker.speed,
            slowdown=workload.slowdown(number),
        )
        self._aim(min(self._step + 1, stop))

    def _aim(self, at_least: int) -> None:
        """Wake up where the next thing is due to any lane, at or after a step."""
        times = self._times
        target = min(times.stop, *(lane.progress.next_stop(at_least) for lane in self._lanes))
        due_s = min(lane.progress.checkpoint_due_s for lane in self._lanes)
        target = times.next_stop(target, at_least, due_s=due_s)
        self._run.wake(times.ends_at(target), functools.partial(self._arrive, target))

    def _arrive(self, step: int) -> None:
        """Do at a step's end what is due there."""
        self._timeline.catch_up()
        if step > self._times.start:
            began_at, number = self._step, len(self._lanes)
            for lane in self._lanes:
                lane.walk(self._times, step, lanes=number)
            self._world.meter.count("formation steps", step - began_at)
            self._world.meter.count("lane steps", (step - began_at) * number)
            self._step = step
            self._timeline.train(self._times.began_s, began_at)
            for lane in self._lanes:
                lane.pass_checks()
        self._arrived = [lane for lane in self._lanes if step > self._times.start or lane.progress.stage.stop == step]
        for lane in self._arrived:
            lane.progress.arrive(step)
        self._finish_step()

    def _finish_step(self) -> None:
        """Do all that is due, lane by lane; when that is over, too, tell of it, and go on with those that do."""
        self._point = self.point
        dues = [(lane, lane.finish_step()) for lane in self._arrived]
        self._leave()  # an evaluation may have failed
        if self._timeline.is_ahead:  # commands may come until then
            self._is_between = True
            self._run.wake(self._timeline.clock_s, self._finish_step)
            return
        self._is_between = False
        for lane, due in dues:
            lane.progress.is_over |= due is Due.END
        self._leave()
        if not self._lanes:
            self._end()
            return
        self._timeline.tell(*self._point)
        for lane in self._arrived:
            lane.progress.go_on()
        self._go_on()

    def _leave(self) -> None:
        """Let lanes go that are over."""
        self._lanes = [lane for lane in self._lanes if not lane.progress.is_over]
        self._arrived = [lane for lane in self._arrived if not lane.progress.is_over]

    # --- commands

    def take(self, command: LeaseCommand) -> None:
        """Follow a command, as things stand at this moment."""
        if self._is_between:  # what is due at this step is being done
            current = ahead = self._step + 1
        else:
            current = self._times.step_under_way(self._world.elapsed())
            ahead = max(current, min(self._step + 1, self._times.stop))
        for lane in self._lanes:
            lane.progress.note_passed(ahead)
        self._run.follow(command)
        if self._is_between:
            return
        if any(lane.progress.ends_by(current) for lane in self._lanes):
            self._run.wake(self._times.ends_at(current), functools.partial(self._arrive, current))
        else:
            self._aim(ahead)
