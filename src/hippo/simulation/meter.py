"""What slots did in virtual time: sums by kind of work, and, if wanted, every interval of it."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass

from hippo.records import LeaseId, NodeId


class Work(enum.Enum):
    """What a slot is held for."""

    #: what it is: the one of `Enum` is a function in Python, and sums are kept by it
    __hash__ = object.__hash__

    WORKER_START = "worker start"
    START = "start"
    LOAD = "load"
    TRAIN = "train"
    CHECK = "check"
    EVALUATE = "evaluate"
    SAVE = "save"
    #: training, or getting ready for it, that a lost worker took with it
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A slot is held for one kind of work, from `began_s` to `ended_s` in virtual seconds."""

    #: number of the slot, from 0; a worker that takes a lost one's place has its number
    slot: int
    work: Work
    began_s: float
    ended_s: float
    lease: LeaseId
    #: where the lane is, or will begin to train
    node: NodeId
    #: steps before and after
    start: int
    stop: int


class Meter:
    """Adds up what slots did."""

    def __init__(self, *, keep_intervals: bool) -> None:
        self._keeps = keep_intervals
        self.intervals: list[Interval] = []
        self.seconds: dict[Work, float] = dict.fromkeys(Work, 0.0)
        self.counts: Counter[str] = Counter()
        #: when workers were lost
        self.losses_at: list[float] = []
        #: when the last work ended
        self.ended_s = 0.0

    def add(
        self, work: Work, span: tuple[float, float], slot: int, lease: LeaseId, node: NodeId, start: int, stop: int
    ) -> None:
        """Note what a slot did in a span of virtual time; nothing is noted of an empty one."""
        began_s, ended_s = span
        if ended_s <= began_s:
            return
        self.seconds[work] += ended_s - began_s
        self.ended_s = max(self.ended_s, ended_s)
        if self._keeps:
            self.intervals.append(
                Interval(
                    slot=slot,
                    work=work,
                    began_s=began_s,
                    ended_s=ended_s,
                    lease=lease,
                    node=node,
                    start=start,
                    stop=stop,
                )
            )

    @property
    def losses(self) -> int:
        """How many workers were lost until the last work ended; who dies later, with nothing to do, is not missed."""
        return sum(1 for at_s in self.losses_at if at_s <= self.ended_s)

    @property
    def mean_lanes(self) -> float:
        """How many lanes were walked as one, on average over the steps of formations; 1 if there were none."""
        steps = self.counts["formation steps"]
        return self.counts["lane steps"] / steps if steps else 1.0

    def count(self, what: str, number: int = 1) -> None:
        """Count "lanes", "stages", "starts", "loads", "saves", "evaluations", "formation steps" or "lane steps"."""
        self.counts[what] += number
