"""A user's view on a runtime: studies, trials, results."""

from hippo.errors import OptionError
from hippo.study.collecting import Garbage, collect_garbage
from hippo.study.creating import create_study, load_study
from hippo.study.managing import delete_study, get_all_study_names, keep_states, rename_study
from hippo.study.optimizing import optimize
from hippo.study.results.best import NoBestTrialError
from hippo.study.results.kept_states import KeptState, KeptStates
from hippo.study.results.remaining import StretchLeft, WorkLeft
from hippo.study.results.slot_leases import LeaseState, SlotLease
from hippo.study.results.study_view import StudyView, TreeRow
from hippo.study.results.trials import Trial
from hippo.study.study import Study
from hippo.study.telling import end_trials
from hippo.study.watching.callbacks import Callback

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
