"""The data of pictures: plain values, from what is known of a study. Who draws them asks here, and computes nothing.

Functions are pure, and do the same for the same study: a plot, a table and a page tell one story. What the plan does
not know is left out. This room refuses to know how anything is drawn.
"""

from hippo.views.best_values import BestPoint, best_values, common_objective
from hippo.views.chosen_curves import CurveChoice, axis_named, chosen_curves
from hippo.views.coordinates import ParallelTrials, ParamAxis, ParamLine, parallel_trials
from hippo.views.curve_places import CurveAxis, by_device_seconds, by_seconds
from hippo.views.curves import NodeCurve, curves, parted, seed_curves, training_curves
from hippo.views.folding import freed_branches
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
from hippo.views.tree_states import NodeStates, StretchState, TreeStretch, tree_states
from hippo.views.trial_filters import FilteredTrials, filter_trials

__all__ = [
    "BestPoint",
    "CurveAxis",
    "CurveChoice",
    "FilteredTrials",
    "FusedSteps",
    "HistoryPoint",
    "KeptKind",
    "NodeCurve",
    "NodeStates",
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
    "StretchState",
    "TreeLayout",
    "TreeLine",
    "TreeStretch",
    "TrialOrigin",
    "TrialSchedule",
    "axis_named",
    "best_values",
    "by_device_seconds",
    "by_seconds",
    "chosen_curves",
    "common_objective",
    "curves",
    "distinct_steps",
    "filter_trials",
    "freed_branches",
    "fused_steps",
    "history",
    "lineage",
    "merge_rates",
    "parallel_trials",
    "pareto",
    "pareto_axes",
    "parted",
    "rungs",
    "savings",
    "schedules",
    "seed_curves",
    "slot_times",
    "slots",
    "storage",
    "thinned",
    "training_curves",
    "tree_layout",
    "tree_states",
]
