"""What a gang's workers are told, in one order for all of them, and what they tell.

This module refuses to know how it gets there.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hippo.ps.rules import RuleValues
from hippo.ps.staleness import UpdateOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyBranch:
    """Each shard copies its part of one slot of the pool into another one: a fork."""

    source: int
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunClocks:
    """All workers train one branch for some clocks. They begin together, and the step is over when all are done."""

    #: where in the pool the branch lies
    slot: int
    #: clocks that its path has behind it
    start: int
    clocks: int
    staleness: int
    order: UpdateOrder
    rule_values: RuleValues
    #: name -> value of every hyper-parameter in force
    values: Mapping[str, Any]
    #: attributes that the trainer has otherwise by now than its workers
    changed: frozenset[str] = frozenset()
    #: settings of the process that the trainer's code has changed since its workers began: name -> value
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stop(self) -> int:
        """The clock after the last one."""
        return self.start + self.clocks


Operation = CopyBranch | RunClocks


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchDone:
    """A worker's shard has its copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksDone:
    """A worker has done all clocks that it was told to."""

    #: of each clock, summed over samples
    losses: tuple[float, ...]
    samples: tuple[int, ...]
    #: of each clock: by how many clocks the oldest update was late that its reads lacked
    ages: tuple[int, ...]
    #: hyper-parameters that `gradients` looked at
    read: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksAborted:
    """A worker has stopped, since another one failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClocksFailed:
    """The user's code raised in a worker."""

    error: BaseException
    traceback: str


Report = BranchDone | ClocksDone | ClocksAborted | ClocksFailed


def pickled_report(report: Report) -> bytes:
    """Return a report as bytes that can be read again, whatever the user's code raised."""
    try:
        message = pickle.dumps(report)
        pickle.loads(message)  # errors of users may be pickled and not be read
    except Exception:
        if not isinstance(report, ClocksFailed):
            raise
        kind = type(report.error)
        error = RuntimeError(f"{kind.__module__}.{kind.__qualname__}: {report.error}")
        message = pickle.dumps(ClocksFailed(error=error, traceback=report.traceback))
    return message
