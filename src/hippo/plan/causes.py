"""Why a step was run: the first time, or again (DESIGN 5.6); in how many lanes of one program; by how many ranks."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Cause(enum.Enum):
    """Why a step was run."""

    #: what it is: the one of `Enum` is a function in Python, and sums are kept by it
    __hash__ = object.__hash__

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
_AMONG = " /"


class StepKind(NamedTuple):
    """What a step is counted as: why it was run, in how many lanes that were walked as one, and by how many ranks.

    As text it is the cause alone where there was one lane and one rank, so that rows of such steps are what they always
    were, and sums of steps by this text tell what was fused without another column: "first", "first x16". A step whose
    bits depend on the ranks among which its trainer was divided says them: "first /4".
    """

    cause: Cause
    lanes: int = 1
    ranks: int = 1

    @property
    def text(self) -> str:
        """As rows have it."""
        lanes = "" if self.lanes == 1 else f"{_TIMES}{self.lanes}"
        return f"{self.cause.value}{lanes}" if self.ranks == 1 else f"{self.cause.value}{lanes}{_AMONG}{self.ranks}"

    @classmethod
    def from_text(cls, text: str) -> StepKind:
        """Return what `text` was made of."""
        text, _, ranks = text.partition(_AMONG)
        cause, _, lanes = text.partition(_TIMES)
        return cls(Cause(cause), int(lanes or 1), int(ranks or 1))
