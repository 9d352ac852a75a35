"""The data of pictures: plain values, from what is known of a study. Who draws them asks here, and computes nothing.

Functions are pure, and do the same for the same study: a plot, a table and a page tell one story. What the plan does
not know is left out. This room refuses to know how anything is drawn.
"""

from hippo.views.coordinates import ParallelTrials, ParamAxis, ParamLine, parallel_trials
from hippo.views.curves import NodeCurve, curves, training_curves
from hippo.views.fusing import FusedSteps, fused_steps
from hippo.views.histories import HistoryPoint, history
from hippo.views.lineage import TrialOrigin, lineage
from hippo.views.rungs import RungStanding, rungs
from hippo.views.savings import Savings, savings
from hippo.views.schedules import TrialSchedule, schedules
from hippo.views.sharing import SharingPoint, merge_rates
from hippo.views.slots import SlotBar, SlotTimes, SlotUse, slot_times, slots
from hippo.views.storage import KeptKind, StorageUse, storage
from hippo.views.thinning import thinned
from hippo.views.tree_layout import TreeLayout, TreeLine, tree_layout
from hippo.views.trial_filters import FilteredTrials, filter_trials

__all__ = [
    "FilteredTrials",
    "FusedSteps",
    "HistoryPoint",
    "KeptKind",
    "NodeCurve",
    "ParallelTrials",
    "ParamAxis",
    "ParamLine",
    "RungStanding",
    "Savings",
    "SharingPoint",
    "SlotBar",
    "SlotTimes",
    "SlotUse",
    "StorageUse",
    "TreeLayout",
    "TreeLine",
    "TrialOrigin",
    "TrialSchedule",
    "curves",
    "filter_trials",
    "fused_steps",
    "history",
    "lineage",
    "merge_rates",
    "parallel_trials",
    "rungs",
    "savings",
    "schedules",
    "slot_times",
    "slots",
    "storage",
    "thinned",
    "training_curves",
    "tree_layout",
]
