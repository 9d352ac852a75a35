"""A trial as users see it, read from the store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hippo.hparams import Config
from hippo.plan import Node, TrialRow
from hippo.records import Constraint, Metrics, Objective, TrialState
from hippo.runtime import PathTrace, Settings, history
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
    #: where and why it failed, in a line; empty otherwise
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
        """Step -> metrics, for every evaluation on the way; of a trial that runs or failed, as far as it came."""
        return {} if self._node is None else history(self._node, self._steps_known)

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        """Step -> what `train()` returned in that step, as far as the trial came; looked up when it is read."""
        return {} if self._node is None else PathTrace(self._node, self._steps_known)

    @property
    def last_train_metrics(self) -> Metrics:
        """What `train()` returned in the last step known; empty if it returned nothing."""
        return self.train_metrics.get(self._steps_known, {})

    @cached_property
    def _steps_known(self) -> int:
        if self._node is None or self.state not in (TrialState.RUNNING, TrialState.FAIL):
            return self.step
        return max(self.step, self._node.steps_reached(self.until))

    @property
    def traceback(self) -> str:
        """The traceback of what made it fail; empty if it did not, or if nothing was raised."""
        if self._node is None or self.state is not TrialState.FAIL:
            return ""
        failure = self._node.failure_before(self.until)
        return "" if failure is None else failure.traceback

    @property
    def metrics(self) -> Metrics:
        """The metrics at the last step; empty while there are none."""
        if self._node is None or not self.step:
            return {}
        return self._node.owner_of(self.step).metrics.get(self.step, {})

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
        return 0.0 if self._node is None else self._node.seconds_until(self._steps_known)

    def load_model(self) -> Any:
        """Return the trained model of this trial: the `TorchTrainer`'s model, or another Trainer itself.

        If the state was not kept, its steps are run again, and a warning says so.

        Raises:
          TrialFailedError: no step of it was answered.
        """
        return self._study.load_model(self)

    def load_state(self) -> Any:
        """Return all that `state_dict()` of the trainer returned at the last step: an EMA, an optimizer.

        The trainer's class is not needed, unless the state was not kept and its steps must be run again.

        Raises:
          TrialFailedError: no step of it was answered.
        """
        return self._study.load_state(self)

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


#: of columns of which there is one for each hyper-parameter, metric and metric of training
PREFIXES = ("params_", "metrics_", "train_")


def trial_row(trial: Trial, values: Sequence[str]) -> dict[str, Any]:
    """Return a trial as a row of a table, exact.

    Args:
      trial: which.
      values: the names of the columns of its objectives.
    """
    known = trial.values if trial.values is not None else (None,) * len(values)
    return {
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        **dict(zip(values, known, strict=True)),
        **{f"params_{name}": value for name, value in sorted(trial.config.flat_params.items())},
        "seconds": trial.seconds,
        "call": trial.call,
        "error": trial.error,
        **{f"metrics_{name}": value for name, value in sorted(trial.metrics.items())},
        **{f"train_{name}": value for name, value in sorted(trial.last_train_metrics.items())},
    }
