"""A worker process that is not there: what it keeps in memory between leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.simulation.meter import Work
from hippo.simulation.states import State
from hippo.training.walking.residents import ResidentStates

if TYPE_CHECKING:
    from hippo.simulation.lanes import AssignmentRun
    from hippo.simulation.timeline import SlotTimeline
    from hippo.simulation.workload import SimulatedWorkload


class SimulatedWorker:
    """A worker process in a slot."""

    def __init__(self, number: int, speed: float, room: int) -> None:
        #: which slot it is in, from 0
        self.number = number
        self._speed = speed
        #: of a step of the workload that it runs: what part of one of its target's
        self.cost = 1.0
        #: those that take part in what it runs
        self.helpers: tuple[SimulatedWorker, ...] = ()
        #: how many times as fast they are together
        self.speedup = 1.0
        self.residents: ResidentStates[State] = ResidentStates(room)
        self.is_started = False
        #: what it runs
        self.run: AssignmentRun | None = None

    @property
    def speed(self) -> float:
        """How many seconds of the target's training it does in one."""
        slowest = min((helper._speed for helper in self.helpers), default=self._speed)
        return min(self._speed, slowest) * self.speedup / self.cost

    def start(self, timeline: SlotTimeline, workload: SimulatedWorkload, step: int) -> None:
        """Begin its process, and those of its helpers, unless they have: that takes a while, before its first work."""
        gang = (self, *self.helpers)
        if not all(worker.is_started for worker in gang):
            for worker in gang:
                worker.is_started = True
            timeline.spend(Work.WORKER_START, workload.worker_start_s, step)
