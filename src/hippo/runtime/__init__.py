"""The control loop: the one place where tuners, plans, stage trees, schedulers and engines meet."""

from hippo.runtime.asking.checking import check_config
from hippo.runtime.control import Asking, Job, MemberPlan
from hippo.runtime.plans.environments import changed_fields
from hippo.runtime.runtime import Runtime
from hippo.runtime.studies.asked_trials import check_known
from hippo.runtime.studies.settings import (
    DEFAULT_BUDGET,
    NanPolicy,
    NondeterminismPolicy,
    Progress,
    Settings,
    Statistics,
)
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.traces import PathTrace, history
from hippo.runtime.studies.trial_book import joined
from hippo.runtime.tuner_ask import TunerAsk

__all__ = [
    "DEFAULT_BUDGET",
    "Asking",
    "Job",
    "MemberPlan",
    "NanPolicy",
    "NondeterminismPolicy",
    "PathTrace",
    "Progress",
    "Runtime",
    "Settings",
    "Statistics",
    "StudyState",
    "TunerAsk",
    "changed_fields",
    "check_config",
    "check_known",
    "history",
    "joined",
]
