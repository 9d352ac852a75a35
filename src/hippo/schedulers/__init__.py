"""What goes where now: from stage trees and free slots to lanes. Stateless and pure."""

from hippo.schedulers.breadth_first import BreadthFirst
from hippo.schedulers.critical_path import CriticalPath
from hippo.schedulers.fair import FairShare, Usage, fair_lanes
from hippo.schedulers.scheduler import AbstractScheduler, StageChain, place, wanted_states

__all__ = [
    "AbstractScheduler",
    "BreadthFirst",
    "CriticalPath",
    "FairShare",
    "StageChain",
    "Usage",
    "fair_lanes",
    "place",
    "wanted_states",
]
