"""The control loop: the one place where tuners, plans, stage trees, schedulers and engines meet."""

from hippo.runtime.calls import Call
from hippo.runtime.control import Job
from hippo.runtime.runtime import Runtime
from hippo.runtime.settings import KeepPolicy, NanPolicy, NondeterminismPolicy, Progress, Settings, Statistics
from hippo.runtime.study_state import StudyState
from hippo.runtime.traces import history

__all__ = [
    "Call",
    "Job",
    "KeepPolicy",
    "NanPolicy",
    "NondeterminismPolicy",
    "Progress",
    "Runtime",
    "Settings",
    "Statistics",
    "StudyState",
    "history",
]
