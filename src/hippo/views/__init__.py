"""The data of pictures: plain values, from what is known of a study. Who draws them asks here, and computes nothing.

Functions are pure, and do the same for the same study: a plot, a table and a page tell one story. What the plan does
not know is left out. This room refuses to know how anything is drawn.
"""

from hippo.views.best_values import BestPoint, best_values, common_objective
from hippo.views.coordinates import ParallelTrials, ParamAxis, ParamLine, parallel_trials
from hippo.views.curves import NodeCurve, curves, training_curves
from hippo.views.fusing import FusedSteps, fused_steps
from hippo.views.histories import HistoryPoint, history
from hippo.views.lineage import TrialOrigin, lineage
from hippo.views.pareto import ParetoAxis, ParetoPoint, pareto, pareto_axes
from hippo.views.rungs import RungStanding, rungs
from hippo.views.savings import Savings, SavingsPrice, distinct_steps, savings
from hippo.views.schedules import TrialSchedule, schedules
from hippo.views.sharing import SharingPoint, merge_rates
from hippo.views.slots import SlotBar, SlotTimes, SlotUse, slot_times, slots
from hippo.views.storage import KeptKind, StorageUse, storage
from hippo.views.thinning import thinned
from hippo.views.tree_layout import TreeLayout, TreeLine, tree_layout

__all__ = [
    "BestPoint",
    "FusedSteps",
    "HistoryPoint",
    "KeptKind",
    "NodeCurve",
    "ParallelTrials",
    "ParamAxis",
    "ParamLine",
    "ParetoAxis",
    "ParetoPoint",
    "RungStanding",
    "Savings",
    "SavingsPrice",
    "SharingPoint",
    "SlotBar",
    "SlotTimes",
    "SlotUse",
    "StorageUse",
    "TreeLayout",
    "TreeLine",
    "TrialOrigin",
    "TrialSchedule",
    "best_values",
    "common_objective",
    "curves",
    "distinct_steps",
    "fused_steps",
    "history",
    "lineage",
    "merge_rates",
    "parallel_trials",
    "pareto",
    "pareto_axes",
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
