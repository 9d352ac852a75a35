"""What goes where now: from stage trees and free slots to lanes. Stateless and pure."""

from hippo.schedulers.breadth_first import BreadthFirst
from hippo.schedulers.critical_path import CriticalPath
from hippo.schedulers.fair import Claim, Standing, fair_lanes
from hippo.schedulers.scheduler import AbstractScheduler, Chain, place, wanted_states

__all__ = [
    "AbstractScheduler",
    "BreadthFirst",
    "Chain",
    "Claim",
    "CriticalPath",
    "Standing",
    "fair_lanes",
    "place",
    "wanted_states",
]
