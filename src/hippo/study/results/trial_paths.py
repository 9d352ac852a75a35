"""What is known along the way of a trial: on one plan, or, with several seeds, on the plan of each.

`TrialPath` reads what is known of one plan; `AveragedPath` says the same of several of them, as averages. A trial asks
either and refuses to know which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from hippo.plan import TrialRow
from hippo.records import Metrics, TrialState
from hippo.study.results.path_facts import PathFacts
from hippo.tuners.averaged import Aggregate, combine_metrics

#: states of trials of which more may be known than was answered
_UNDER_WAY = (TrialState.RUNNING.value, TrialState.FAIL.value)


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

    def seconds_until(self, step: int) -> float:
        """Return the device-seconds of the path up to a step."""

    @property
    def traceback(self) -> str:
        """The traceback of what made the trial fail; empty if it did not, or if nothing was raised."""

    @property
    def point(self) -> tuple[int, int] | None:
        """Node and step of the last answered state."""


@dataclass(frozen=True, eq=False)
class TrialPath:
    """The way of a trial through one plan.

    Args:
      row: the trial under one member.
      facts: what is known of that member's plan, as of the moment at which the row was read.
    """

    row: TrialRow
    facts: PathFacts

    @property
    def has_begun(self) -> bool:
        """Whether anything was asked of it."""
        return self.facts.is_known(self.row.node)

    @property
    def history(self) -> Mapping[int, Metrics]:
        return self.facts.history(self.row.node, self.steps_known) if self.has_begun else {}

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        return self.facts.train_metrics(self.row.node, self.steps_known) if self.has_begun else {}

    @property
    def steps_known(self) -> int:
        row = self.row
        if row.state not in _UNDER_WAY or not self.has_begun:
            return row.step
        return max(row.step, self.facts.steps_reached(row.node, row.until))

    @property
    def metrics(self) -> Metrics:
        row = self.row
        return self.facts.metrics(row.node, row.step) if row.step and self.has_begun else {}

    @property
    def seconds(self) -> float:
        return self.seconds_until(self.steps_known)

    def seconds_until(self, step: int) -> float:
        return self.facts.seconds_until(self.row.node, step) if self.has_begun else 0.0

    @property
    def traceback(self) -> str:
        row = self.row
        if row.state != TrialState.FAIL.value or not self.has_begun:
            return ""
        return self.facts.traceback(row.node, row.until)

    @property
    def point(self) -> tuple[int, int] | None:
        row = self.row
        return (self.facts.owner_of(row.node, row.step), row.step) if row.step and self.has_begun else None


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

    def seconds_until(self, step: int) -> float:
        return sum(path.seconds_until(step) for path in self.paths)

    @property
    def traceback(self) -> str:
        return next((path.traceback for path in self.paths if path.traceback), "")

    @property
    def point(self) -> tuple[int, int] | None:
        return self.paths[0].point
