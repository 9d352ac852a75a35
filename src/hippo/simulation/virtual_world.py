"""What everything in a simulation shares: virtual time, the rules, the sums, and the states that were written.

This module refuses to know slots, and what is run there.
"""

from __future__ import annotations

import functools

from hippo.engines.engine import Emit
from hippo.events import EngineEvent
from hippo.simulation.clock import VirtualClock
from hippo.simulation.curves import Curve
from hippo.simulation.meter import Meter
from hippo.simulation.states import State
from hippo.simulation.workload import SimulatedWorkload


class VirtualWorld:
    """A simulation's clock, and what is the same wherever in it one looks.

    Args:
      workload: what training costs.
      curve: what it comes to.
      keep_intervals: keep every interval of work.
    """

    def __init__(self, workload: SimulatedWorkload, curve: Curve, *, keep_intervals: bool) -> None:
        self.workload = workload
        self.curve = curve
        self.clock = VirtualClock()
        self.meter = Meter(keep_intervals=keep_intervals)
        #: checkpoint store: key -> state
        self.checkpoints: dict[str, State] = {}
        #: who hears of events, once there is somebody
        self.listener: Emit | None = None

    def elapsed(self) -> float:
        """Return virtual seconds since the beginning."""
        return self.clock.elapsed()

    def emit(self, event: EngineEvent) -> None:
        """Pass an event on; only when time has moved."""
        if self.listener is not None:
            self.listener(event)

    def soon(self, event: EngineEvent) -> None:
        """Emit an event at this moment, but not from within this call."""
        self.clock.call_later(0.0, functools.partial(self.emit, event))
