"""A worker process that is not there: what it keeps in memory between leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.simulation.states import State
from hippo.training.residents import ResidentStates

if TYPE_CHECKING:
    from hippo.simulation.lanes import AssignmentRun


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
