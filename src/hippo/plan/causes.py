"""Why a step was run: the first time, or again (DESIGN 5.6); and in how many lanes of one program."""

from __future__ import annotations

import enum
from typing import NamedTuple


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


_TIMES = " x"


class StepKind(NamedTuple):
    """What a step is counted as: why it was run, and in how many lanes that were walked as one.

    As text it is the cause alone where there was one lane, so that rows of such steps are what they always were, and
    sums of steps by this text tell what was fused without another column: "first", "first x16".
    """

    cause: Cause
    lanes: int = 1

    @property
    def text(self) -> str:
        """As rows have it."""
        return self.cause.value if self.lanes == 1 else f"{self.cause.value}{_TIMES}{self.lanes}"

    @classmethod
    def from_text(cls, text: str) -> StepKind:
        """Return what `text` was made of."""
        cause, _, lanes = text.partition(_TIMES)
        return cls(Cause(cause), int(lanes or 1))
