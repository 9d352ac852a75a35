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
from hippo.runtime import Settings, joined
from hippo.study.trial_paths import AbstractPath, AveragedPath, TrialPath
from hippo.tuners.averaged import AGGREGATES
from hippo.tuners.ranking import total_violation

if TYPE_CHECKING:
    from hippo.study.study import Study


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One config as its tuner saw it, in Optuna's words. What it says is of the moment at which it was read.

    In a study with several seeds, what it says of metrics (`value`, `metrics`, `history`, `train_metrics`, and what
    follows from them) are averages over the seeds, as far as all of them came, and its seconds are added up.
    `replicates` holds the trial of each seed.
    """

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
    #: the member of the study that it is of, such as "seed 3"; empty for the only one, and for averages
    member: str = field(default="", repr=False)
    #: in a study with several seeds, the trial of each, in their order
    replicates: tuple[Trial, ...] = field(default=(), repr=False)
    _path: AbstractPath = field(repr=False)
    _study: Study = field(repr=False)

    @property
    def params(self) -> Mapping[str, Any]:
        """Name -> value of a constant, or the repr of another sequence."""
        return self.config.params

    @property
    def history(self) -> Mapping[int, Metrics]:
        """Step -> metrics, for every evaluation on the way; of a trial that runs or failed, as far as it came."""
        return self._path.history

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        """Step -> what `train()` returned in that step, as far as the trial came; looked up when it is read."""
        return self._path.train_metrics

    @property
    def last_train_metrics(self) -> Metrics:
        """What `train()` returned in the last step known; empty if it returned nothing."""
        return self.train_metrics.get(self._path.steps_known, {})

    @property
    def traceback(self) -> str:
        """The traceback of what made it fail; empty if it did not, or if nothing was raised."""
        return self._path.traceback

    @property
    def metrics(self) -> Metrics:
        """The metrics at the last step; empty while there are none."""
        return self._path.metrics

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
        return self._path.seconds

    def load_model(self, seed: int | None = None) -> Any:
        """Return the trained model of this trial: the `TorchTrainer`'s model, or another Trainer itself.

        If the state was not kept, its steps are run again, and a warning says so.

        Args:
          seed: whose model, in a study with several seeds: there is one for each, and none is the average.

        Raises:
          TrialFailedError: no step of it was answered.
          OptionError: the study has several seeds, and `seed` is none of them.
        """
        return self._study.load_model(self, seed)

    def load_state(self, seed: int | None = None) -> Any:
        """Return all that `state_dict()` of the trainer returned at the last step: an EMA, an optimizer.

        The trainer's class is not needed, unless the state was not kept and its steps must be run again.

        Args:
          seed: whose state, in a study with several seeds.

        Raises:
          TrialFailedError: no step of it was answered.
          OptionError: the study has several seeds, and `seed` is none of them.
        """
        return self._study.load_state(self, seed)

    @property
    def point(self) -> tuple[int, int] | None:
        """Node and step of the last answered state; with several seeds, on the plan of the first."""
        return self._path.point


def view_of(row: TrialRow, node: Node | None, study: Study, settings: Settings) -> Trial:
    """Return a row as users see it."""
    return _view(row, TrialPath(row, node), study, settings)


def view_of_several(replicates: Sequence[tuple[TrialRow, Node | None]], study: Study, settings: Settings) -> Trial:
    """Return the rows of one trial, one for each seed, as users see them."""
    aggregate = AGGREGATES[settings.aggregate]
    (row,) = joined([row for row, _ in replicates], aggregate)
    views = tuple(view_of(own, node, study, settings) for own, node in replicates)
    path = AveragedPath([view._path for view in views], row.step, aggregate)
    return _view(row, path, study, settings, views)


def _view(
    row: TrialRow, path: AbstractPath, study: Study, settings: Settings, replicates: tuple[Trial, ...] = ()
) -> Trial:
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
        member=row.member,
        replicates=replicates,
        _path=path,
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
