"""What is known along the way of a trial: on one plan, or, with several seeds, on the plan of each.

`TrialPath` reads the nodes of one plan; `AveragedPath` says the same of several of them, as averages. A trial asks
either and refuses to know which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from hippo.plan import Node, TrialRow
from hippo.records import Metrics, TrialState
from hippo.runtime import PathTrace, history
from hippo.tuners.averaged import Aggregate, combine_metrics


class AbstractPath(Protocol):
    """What a trial says of its training."""

    @property
    def history(self) -> Mapping[int, Metrics]:
        """Step -> metrics, for every evaluation on the way; of a trial that runs or failed, as far as it came."""

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        """Step -> what `train()` returned in that step, as far as the trial came."""

    @property
    def steps_known(self) -> int:
        """How far training is known."""

    @property
    def metrics(self) -> Metrics:
        """The metrics at the last step that was answered; empty while there are none."""

    @property
    def seconds(self) -> float:
        """Device-seconds of the whole path."""

    @property
    def traceback(self) -> str:
        """The traceback of what made the trial fail; empty if it did not, or if nothing was raised."""

    @property
    def point(self) -> tuple[int, int] | None:
        """Node and step of the last answered state."""


@dataclass(frozen=True)
class TrialPath:
    """The way of a trial through one plan.

    Args:
      row: the trial under one member.
      node: holds the largest step it was asked for; None if it was asked for none.
    """

    row: TrialRow
    node: Node | None

    @cached_property
    def history(self) -> Mapping[int, Metrics]:
        return {} if self.node is None else history(self.node, self.steps_known)

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        return {} if self.node is None else PathTrace(self.node, self.steps_known)

    @cached_property
    def steps_known(self) -> int:
        row = self.row
        if self.node is None or row.state not in (TrialState.RUNNING.value, TrialState.FAIL.value):
            return row.step
        return max(row.step, self.node.steps_reached(row.until))

    @property
    def metrics(self) -> Metrics:
        if self.node is None or not self.row.step:
            return {}
        return self.node.owner_of(self.row.step).metrics.get(self.row.step, {})

    @property
    def seconds(self) -> float:
        return 0.0 if self.node is None else self.node.seconds_until(self.steps_known)

    @property
    def traceback(self) -> str:
        if self.node is None or self.row.state != TrialState.FAIL.value:
            return ""
        failure = self.node.failure_before(self.row.until)
        return "" if failure is None else failure.traceback

    @property
    def point(self) -> tuple[int, int] | None:
        row = self.row
        return None if self.node is None or not row.step else (self.node.owner_of(row.step).id, row.step)


@dataclass(frozen=True)
class AveragedPath:
    """The ways of a trial under several members, as one: averages where all of them have a value, seconds added up.

    Args:
      paths: one for each member, in their order.
      step: the steps that were answered under every member.
      aggregate: makes one value of the members' values.
    """

    paths: Sequence[AbstractPath]
    step: int
    aggregate: Aggregate

    @cached_property
    def history(self) -> Mapping[int, Metrics]:
        return self._averages([path.history for path in self.paths])

    @cached_property
    def train_metrics(self) -> Mapping[int, Metrics]:
        return self._averages([path.train_metrics for path in self.paths])

    def _averages(self, known: Sequence[Mapping[int, Metrics]]) -> Mapping[int, Metrics]:
        common = [step for step in known[0] if all(step in steps for steps in known)]
        return {step: combine_metrics([steps[step] for steps in known], self.aggregate) for step in common}

    @property
    def steps_known(self) -> int:
        return min(path.steps_known for path in self.paths)

    @property
    def metrics(self) -> Metrics:
        return self.history.get(self.step, {})

    @property
    def seconds(self) -> float:
        return sum(path.seconds for path in self.paths)

    @property
    def traceback(self) -> str:
        return next((path.traceback for path in self.paths if path.traceback), "")

    @property
    def point(self) -> tuple[int, int] | None:
        return self.paths[0].point
