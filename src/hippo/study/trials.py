"""A trial as users see it, read from the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hippo.hparams import Config
from hippo.plan import Node, TrialRow
from hippo.records import Constraint, Metrics, Objective, TrialState
from hippo.runtime import Settings, history
from hippo.tuners.ranking import total_violation

if TYPE_CHECKING:
    from hippo.study.study import Study


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One config as its tuner saw it, in Optuna's words. What it says is of the moment at which it was read."""

    number: int
    state: TrialState
    config: Config
    #: steps that were answered: metrics below are those after this many
    step: int
    #: the largest step asked for
    until: int
    #: which call of a tuner it belongs to
    call: int
    #: why it failed; empty otherwise
    error: str
    objectives: tuple[Objective, ...] = field(repr=False)
    constraints: tuple[Constraint, ...] = field(repr=False)
    _node: Node | None = field(repr=False)
    _study: Study = field(repr=False)

    @property
    def params(self) -> Mapping[str, Any]:
        """Name -> value of a constant, or the repr of another sequence."""
        return self.config.params

    @cached_property
    def history(self) -> Mapping[int, Metrics]:
        """Step -> metrics, for every evaluation on the way."""
        return {} if self._node is None else history(self._node, self.step)

    @property
    def metrics(self) -> Metrics:
        """The metrics at the last step; empty while there are none."""
        return self.history.get(self.step, {})

    @property
    def value(self) -> float | None:
        """The study's objective at the last step; None while there is none, or if there are several."""
        return self.values[0] if self.values is not None and len(self.values) == 1 else None

    @cached_property
    def values(self) -> tuple[float, ...] | None:
        """The study's objectives at the last step; None while there are none."""
        metrics = self.metrics
        if not self.objectives or any(objective.metric not in metrics for objective in self.objectives):
            return None
        return tuple(metrics[objective.metric] for objective in self.objectives)

    @cached_property
    def losses(self) -> tuple[float, ...]:
        """The objectives, signs turned so that smaller is better, and what is no number infinite."""
        return tuple(objective.loss(self.metrics) for objective in self.objectives)

    @cached_property
    def violation(self) -> float:
        """By how much the study's constraints are broken, summed; 0 if all are kept."""
        return total_violation([constraint.violation(self.metrics) for constraint in self.constraints])

    @property
    def seconds(self) -> float:
        """Device-seconds of the whole path, whoever paid for them."""
        return 0.0 if self._node is None else self._node.seconds_until(self.step)

    def load_model(self) -> Any:
        """Return the trained model of this trial: the `TorchTrainer`'s model, or another Trainer itself.

        If the state was not kept, its steps are run again, and a warning says so.

        Raises:
          TrialFailedError: no step of it was answered.
        """
        return self._study.load_model(self)

    @property
    def point(self) -> tuple[int, int] | None:
        """Node and step of the last answered state."""
        return None if self._node is None or not self.step else (self._node.owner_of(self.step).id, self.step)


def view_of(row: TrialRow, node: Node | None, study: Study, settings: Settings) -> Trial:
    """Return a row as users see it."""
    return Trial(
        number=row.number,
        state=TrialState(row.state),
        config=Config.from_json(json.loads(row.config)),
        step=row.step,
        until=row.until,
        call=row.call,
        error=row.error,
        objectives=settings.objectives,
        constraints=settings.constraints,
        _node=node,
        _study=study,
    )
