"""What `check_program` is told, and what it says: plain values, for both ends of its pipe.

They are not defined in the program itself, whose module is `__main__` there and another one here.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from hippo.records import Fusion, TrainerSpec
from hippo.training.inquiry.check_runs import RunOrder, RunReport
from hippo.training.retraining import RetrainOrder, RetrainReport
from hippo.training.walking.fusion_order import FusionOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSetup:
    """What the program is told once."""

    spec: TrainerSpec
    #: intra-op threads of each run
    threads: int
    #: runs at a time
    parallel: int
    #: the command line that a trainer finds
    arguments: tuple[str, ...] = field(default_factory=lambda: tuple(sys.argv))


@dataclass(frozen=True, slots=True)
class EnvironmentOrder:
    """Asks what decides about bits in a process that carries out orders."""

    threads: int


#: why there is no report
Problem = str
#: what is asked of a process, and what it says
Order = RunOrder | RetrainOrder | EnvironmentOrder | FusionOrder
Report = RunReport | RetrainReport | dict[str, str] | Fusion | Problem
