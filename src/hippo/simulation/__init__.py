"""Studies on virtual slots: the same runtime, scheduler and tuners, with time that stands still during decisions."""

from hippo.simulation.clock import VirtualClock
from hippo.simulation.curves import Curve, Parametric, PowerLaw, RandomWalk
from hippo.simulation.engine import SimulatedEngine
from hippo.simulation.meter import Interval, Work
from hippo.simulation.paths import Segment
from hippo.simulation.replay import Replay, Retrace
from hippo.simulation.results import Simulation
from hippo.simulation.simulate import simulate
from hippo.simulation.workload import SimulatedWorkload

__all__ = [
    "Curve",
    "Interval",
    "Parametric",
    "PowerLaw",
    "RandomWalk",
    "Replay",
    "Retrace",
    "Segment",
    "SimulatedEngine",
    "SimulatedWorkload",
    "Simulation",
    "VirtualClock",
    "Work",
    "simulate",
]
