"""Why a step was run: the first time, or again (DESIGN 5.6)."""

from __future__ import annotations

import enum


class Cause(enum.Enum):
    """Why a step was run."""

    #: it had never been run
    FIRST = "first"
    #: its state was not kept, since no request led further when it was made
    NOT_KEPT = "not kept"
    #: its state was evicted, or its file is missing
    EVICTED = "evicted"
    #: its state no longer had its bytes
    CORRUPT = "corrupt"
    #: its worker or its study was lost before a state was recorded
    LOST = "lost"
    #: its boundary was named when the lane had passed it
    LATE = "late"
    #: ahead of time, while slots were idle: no tuner has asked for it yet; counted apart
    SPECULATIVE = "speculative"
    #: to prove that a workload resumes exactly; counted apart
    CHECK = "check"
