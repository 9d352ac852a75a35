"""What shall go wrong, as values: which faults there are, where each comes in, and plans of them drawn from a seed.

A plan says *at which occasion* a fault comes: the fifth event, the second write. So it means the same for a study that
takes a millisecond and for one that takes a minute, and can be printed, shrunk and replayed. This module refuses to
know how a fault is brought about.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class Seam(enum.Enum):
    """Where faults come in."""

    #: an engine says something to the control loop
    EVENT = "event"
    #: the control loop says something to an engine, beside assignments
    COMMAND = "command"
    #: a checkpoint is written, or read
    WRITE = "write"
    READ = "read"
    #: changes are made durable in the plan's store
    COMMIT = "commit"


class FaultKind(enum.Enum):
    """What goes wrong."""

    #: an event comes a second time, later
    DUPLICATE_EVENT = "duplicate event"
    #: all that a slot says is late
    DELAY_EVENTS = "delay events"
    #: two words of one lane come in the other order
    SWAP_EVENTS = "swap events"
    #: the connection to a slot breaks: what it says is lost, and it is told as lost, but its worker trains on
    CUT_SLOT = "cut slot"
    #: the same, and what the worker says of its lanes comes all the same, later
    CUT_SLOT_LATE_WORDS = "cut slot, late words"
    DELAY_COMMANDS = "delay commands"
    DUPLICATE_COMMAND = "duplicate command"
    #: SIGKILL
    KILL_WORKER = "kill worker"
    KILL_LAUNCHER = "kill launcher"
    KILL_STUDY = "kill study"
    KILL_STUDY_BEFORE_COMMIT = "kill study before commit"
    KILL_STUDY_AFTER_COMMIT = "kill study after commit"
    #: SIGKILL of who writes a checkpoint, with half of it written
    KILL_IN_WRITE = "kill in write"
    FAIL_WRITE = "fail write"
    #: no space left, for a while
    FULL_DISK = "full disk"
    SLOW_WRITE = "slow write"
    #: what was written and recorded is damaged later
    TRUNCATE_FILE = "truncate file"
    FLIP_BIT = "flip bit"
    LOSE_FILE = "lose file"
    FAIL_READ = "fail read"
    SLOW_READ = "slow read"
    FAIL_COMMIT = "fail commit"
    SLOW_COMMIT = "slow commit"
    #: the clock of people goes anywhere, and that of durations forward
    CLOCK_JUMP = "clock jump"


SEAM_OF: Mapping[FaultKind, Seam] = {
    FaultKind.DUPLICATE_EVENT: Seam.EVENT,
    FaultKind.DELAY_EVENTS: Seam.EVENT,
    FaultKind.SWAP_EVENTS: Seam.EVENT,
    FaultKind.CUT_SLOT: Seam.EVENT,
    FaultKind.CUT_SLOT_LATE_WORDS: Seam.EVENT,
    FaultKind.KILL_WORKER: Seam.EVENT,
    FaultKind.KILL_LAUNCHER: Seam.EVENT,
    FaultKind.KILL_STUDY: Seam.EVENT,
    FaultKind.CLOCK_JUMP: Seam.EVENT,
    FaultKind.DELAY_COMMANDS: Seam.COMMAND,
    FaultKind.DUPLICATE_COMMAND: Seam.COMMAND,
    FaultKind.KILL_IN_WRITE: Seam.WRITE,
    FaultKind.FAIL_WRITE: Seam.WRITE,
    FaultKind.FULL_DISK: Seam.WRITE,
    FaultKind.SLOW_WRITE: Seam.WRITE,
    FaultKind.TRUNCATE_FILE: Seam.WRITE,
    FaultKind.FLIP_BIT: Seam.WRITE,
    FaultKind.LOSE_FILE: Seam.WRITE,
    FaultKind.FAIL_READ: Seam.READ,
    FaultKind.SLOW_READ: Seam.READ,
    FaultKind.KILL_STUDY_BEFORE_COMMIT: Seam.COMMIT,
    FaultKind.KILL_STUDY_AFTER_COMMIT: Seam.COMMIT,
    FaultKind.FAIL_COMMIT: Seam.COMMIT,
    FaultKind.SLOW_COMMIT: Seam.COMMIT,
}

#: a stage that is lost with its slot three times in one process fails, by design: plans stay below that
LOSSES = frozenset(
    {
        FaultKind.CUT_SLOT,
        FaultKind.CUT_SLOT_LATE_WORDS,
        FaultKind.KILL_WORKER,
        FaultKind.KILL_LAUNCHER,
        FaultKind.KILL_IN_WRITE,
    }
)
MOST_LOSSES_OF_A_PLAN = 2
#: they end the process that the study runs in
KILLS_OF_STUDY = frozenset(
    {FaultKind.KILL_STUDY, FaultKind.KILL_STUDY_BEFORE_COMMIT, FaultKind.KILL_STUDY_AFTER_COMMIT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong."""

    kind: FaultKind
    #: it comes at this occasion at its seam, counted from 1 in each process, or at the next one that it fits
    at: int
    #: how long a delay is, how often a write fails, which byte is damaged
    amount: int = 1

    def __repr__(self) -> str:
        return f"{self.kind.value} at {SEAM_OF[self.kind].value} {self.at}, amount {self.amount}"


FaultPlan = tuple[Fault, ...]


def draw_plan(
    rng: random.Random, kinds: Sequence[FaultKind], *, num_faults: int, occasions: Mapping[Seam, int]
) -> FaultPlan:
    """Draw a plan.

    Args:
      rng: where chance comes from.
      kinds: those that may come, each as often as it stands here.
      num_faults: how many.
      occasions: how many there are at each seam where nothing goes wrong, about; at least 1.
    """
    faults: list[Fault] = []
    while len(faults) < num_faults:
        kind = rng.choice(kinds)
        if kind in LOSSES and sum(fault.kind in LOSSES for fault in faults) >= MOST_LOSSES_OF_A_PLAN:
            kinds = [each for each in kinds if each not in LOSSES]
            continue
        faults.append(Fault(kind=kind, at=rng.randint(1, occasions[SEAM_OF[kind]]), amount=rng.randint(1, 6)))
    return tuple(faults)
