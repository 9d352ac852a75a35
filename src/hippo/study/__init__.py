"""A user's view on a runtime: studies, trials, results."""

from hippo.errors import OptionError
from hippo.study.best import NoBestTrialError
from hippo.study.callbacks import Callback
from hippo.study.collecting import Garbage, collect_garbage
from hippo.study.creating import create_study, load_study
from hippo.study.kept_states import KeptState, KeptStates
from hippo.study.managing import delete_study, get_all_study_names, keep_states, rename_study
from hippo.study.optimizing import optimize
from hippo.study.remaining import StretchLeft, WorkLeft
from hippo.study.slot_leases import LeaseState, SlotLease
from hippo.study.study import Study
from hippo.study.study_view import StudyView, TreeRow
from hippo.study.telling import end_trials
from hippo.study.trials import Trial

__all__ = [
    "Callback",
    "Garbage",
    "KeptState",
    "KeptStates",
    "LeaseState",
    "NoBestTrialError",
    "OptionError",
    "SlotLease",
    "StretchLeft",
    "Study",
    "StudyView",
    "TreeRow",
    "Trial",
    "WorkLeft",
    "collect_garbage",
    "create_study",
    "delete_study",
    "end_trials",
    "get_all_study_names",
    "keep_states",
    "load_study",
    "optimize",
    "rename_study",
]
