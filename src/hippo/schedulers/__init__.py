"""What goes where now: from stage trees and free slots to lanes. Stateless and pure."""

from hippo.schedulers.breadth_first import BreadthFirst
from hippo.schedulers.critical_path import CriticalPath
from hippo.schedulers.fair import FairShare, Turns, Usage, fair_lanes
from hippo.schedulers.lane_groups import LaneCost, PackingRules, ShapeRule
from hippo.schedulers.packing import Claims, pack, room_in_lanes
from hippo.schedulers.placement import TakenSlot, place, wanted_states, worth_moving
from hippo.schedulers.scheduler import AbstractScheduler, StageBundle, StageChain
from hippo.schedulers.widths import AtWork, Widening, share_out, worth_breaking_up, worth_widening

__all__ = [
    "AbstractScheduler",
    "AtWork",
    "BreadthFirst",
    "Claims",
    "CriticalPath",
    "FairShare",
    "LaneCost",
    "PackingRules",
    "ShapeRule",
    "StageBundle",
    "StageChain",
    "TakenSlot",
    "Turns",
    "Usage",
    "Widening",
    "fair_lanes",
    "pack",
    "place",
    "room_in_lanes",
    "share_out",
    "wanted_states",
    "worth_breaking_up",
    "worth_moving",
    "worth_widening",
]
