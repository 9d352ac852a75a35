"""A trial as users see it: a row of the store, and what is known on its path, looked up when a user asks for it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hippo.errors import HippoError
from hippo.frozen import computed_once
from hippo.hparams import Config
from hippo.hparams import Sequence as HparamSequence
from hippo.hparams.codec import sequence_from_json
from hippo.plan import TrialRow
from hippo.records import Constraint, Metrics, Objective, TrialState, losses_of
from hippo.runtime import Settings, joined
from hippo.study.results.best import Asked, Numbered
from hippo.study.results.local_views import LocalView
from hippo.study.results.path_facts import PathFacts
from hippo.study.results.trial_paths import AbstractPath, AveragedPath, TrialPath
from hippo.tuners.averaged import AGGREGATES
from hippo.tuners.ranking import total_violation

if TYPE_CHECKING:
    import pandas as pd

    from hippo.study.study import Study


class TrialSource(Protocol):
    """Where trials come from: what all trials of a study have in common."""

    @property
    def study(self) -> Study:
        """Whose trials they are."""

    @property
    def settings(self) -> Settings:
        """The choices that belong to the study."""

    @property
    def sequences(self) -> dict[tuple[int, str], HparamSequence | None]:
        """Of trials by number, hyper-parameters by name that somebody asked for; None: it has none. Grows."""

    def config_of(self, number: int, text: str) -> Config:
        """Return the config of a trial, which never changes."""

    def flat_params_of(self, number: int, text: str) -> Mapping[str, Any]:
        """Return what a table shows of a trial's config."""


#: by value; to call the enumeration takes as long as all else that is done for a trial
_STATES = {state.value: state for state in TrialState}


@dataclass(frozen=True, eq=False, repr=False)
class Trial(LocalView):
    """One config as its tuner saw it, in Optuna's words. What it says is of the moment at which it was read.

    In a study with several seeds, what it says of metrics (`value`, `metrics`, `history`, `train_metrics`, and what
    follows from them) are averages over the seeds, as far as all of them came, and its seconds are added up.
    `replicates` holds the trial of each seed.
    """

    _instead = (
        "it looks up in the study's database what it tells. Send what is needed of it, such as trial.config and "
        "trial.metrics, or study.trials_dataframe(); there, hippo.load_study(NAME, STORAGE).trial(NUMBER) has all of it"
    )

    number: int
    state: TrialState
    #: steps that were answered: metrics below are those after this many
    step: int
    #: the largest step asked for
    until: int
    #: which call of a tuner it belongs to
    call: int
    #: where and why it failed, in a line; empty otherwise
    error: str
    #: the member of the study that it is of, such as "seed 3", or "1/8" for its surrogates at that scale; empty for the
    #: only one. Averages over seeds have that of a study without seeds
    member: str
    _config: str
    _path: AbstractPath
    _source: TrialSource
    #: in a study with several seeds, the trial of each, in their order
    replicates: tuple[Trial, ...] = ()

    @computed_once
    def config(self) -> Config:
        """What it trains with."""
        return self._source.config_of(self.number, self._config)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What the study optimises."""
        return self._source.settings.objectives

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The bounds that good trials of the study keep."""
        return self._source.settings.constraints

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

    @computed_once
    def metrics(self) -> Metrics:
        """The metrics at the last step; empty while there are none."""
        return self._path.metrics

    @property
    def value(self) -> float | None:
        """The study's objective at the last step; None while there is none, or if there are several."""
        return self.values[0] if self.values is not None and len(self.values) == 1 else None

    @computed_once
    def values(self) -> tuple[float, ...] | None:
        """The study's objectives at the last step; None while there are none."""
        metrics = self.metrics
        if not self.objectives or any(objective.metric not in metrics for objective in self.objectives):
            return None
        return tuple(metrics[objective.metric] for objective in self.objectives)

    @computed_once
    def losses(self) -> tuple[float, ...]:
        """The objectives, signs turned so that smaller is better; infinite what is no number, or not there."""
        if self.values is None:  # as tuners are told of what failed
            return (math.inf,) * len(self.objectives)
        return losses_of(self.objectives, self.metrics)

    @computed_once
    def violation(self) -> float:
        """By how much the study's constraints are broken, summed; 0 if all are kept, infinite while nobody knows."""
        metrics = self.metrics
        if any(constraint.metric not in metrics for constraint in self.constraints):
            return math.inf
        return total_violation([constraint.violation(metrics) for constraint in self.constraints])

    @property
    def is_feasible(self) -> bool | None:
        """Whether all of the study's constraints are kept at the last step; None while there are no metrics."""
        return not self.violation if self.metrics else None

    @property
    def seconds(self) -> float:
        """Device-seconds of the whole path, whoever paid for them."""
        return self._path.seconds

    def seconds_until(self, step: int) -> float:
        """Return the device-seconds of the path up to a step, whoever paid for them."""
        return self._path.seconds_until(step)

    def load_model(self, seed: int | None = None) -> Any:
        """Return the trained model of this trial: the `TorchTrainer`'s model, or another Trainer itself.

        If the state was not kept, its steps are run again, and a warning says so.

        Args:
          seed: whose model, in a study with several seeds: there is one for each, and none is the average.

        Raises:
          TrialFailedError: no step of it was answered.
          OptionError: the study has several seeds, and `seed` is none of them.
        """
        return self._source.study.load_model(self, seed)

    def load_state(self, seed: int | None = None) -> Any:
        """Return all that `state_dict()` of the trainer returned at the last step: an EMA, an optimizer.

        The trainer's class is not needed, unless the state was not kept and its steps must be run again.

        Args:
          seed: whose state, in a study with several seeds.

        Raises:
          TrialFailedError: no step of it was answered.
          OptionError: the study has several seeds, and `seed` is none of them.
        """
        return self._source.study.load_state(self, seed)

    @property
    def point(self) -> tuple[int, int] | None:
        """Node and step of the last answered state; with several seeds, on the plan of the first."""
        return self._path.point

    def __repr__(self) -> str:
        parts = ("number", "state", "config", "step", "until", "call", "error")
        return f"Trial({', '.join(f'{name}={getattr(self, name)!r}' for name in parts)})"


def view_of(row: TrialRow, facts: PathFacts, source: TrialSource) -> Trial:
    """Return a row as users see it."""
    return _view(row, TrialPath(row, facts), source)


def view_of_several(replicates: Sequence[TrialRow], facts: Mapping[str, PathFacts], source: TrialSource) -> Trial:
    """Return the rows of one trial, one for each seed, as users see them."""
    aggregate = AGGREGATES[source.settings.aggregate]
    (row,) = joined(replicates, aggregate)
    views = tuple(view_of(own, facts[own.member], source) for own in replicates)
    return _view(row, AveragedPath([view._path for view in views], row.step, aggregate), source, views)


def _view(row: TrialRow, path: AbstractPath, source: TrialSource, replicates: tuple[Trial, ...] = ()) -> Trial:
    state = _STATES[row.state]
    return Trial(
        row.number, state, row.step, row.until, row.call, row.error, row.member, row.config, path, source, replicates
    )


def flat_params(trial: Trial) -> Mapping[str, Any]:
    """Return what a table shows of a trial's config: `Config.flat_params`, without a config being built for it."""
    return trial._source.flat_params_of(trial.number, trial._config)


def config_json(trial: Trial) -> dict[str, Any]:
    """Return what `Config.to_json` would of a trial's config, without a config being built for it."""
    config: dict[str, Any] = json.loads(trial._config)
    return config


def sequence_in(trial: Trial, name: str) -> HparamSequence | None:
    """Return a hyper-parameter of a trial, without a config being built for it; None if it has none of this name."""
    known, key = trial._source.sequences, (trial.number, name)
    if key not in known:
        written = config_json(trial).get(name)
        known[key] = None if written is None else sequence_from_json(written)
    return known[key]


def value_columns(objectives: Sequence[Objective]) -> list[str]:
    """Return the names of the columns of objectives."""
    return ["value"] if len(objectives) < 2 else [f"values_{place}" for place in range(len(objectives))]


class TableTrial(Numbered, Asked, Protocol):
    """A trial with all that a table shows of it, but for its hyper-parameters."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The bounds that good trials of the study keep."""

    @property
    def is_feasible(self) -> bool | None:
        """Whether it keeps them; None while there are no metrics."""

    @property
    def seconds(self) -> float:
        """Device-seconds of the whole path, whoever paid for them."""

    @property
    def error(self) -> str:
        """Where and why it failed, in a line; empty otherwise."""

    @property
    def metrics(self) -> Metrics:
        """What was evaluated at the last step."""

    @property
    def last_train_metrics(self) -> Metrics:
        """What `train()` returned in the last step known."""


T = TypeVar("T", bound=TableTrial)


def table_of(
    trials: Sequence[T], values: Sequence[str], params_of: Callable[[T], Mapping[str, Any]]
) -> dict[str, list[Any]]:
    """Return trials as columns, exact: name -> a value for each of them, NaN where it has nothing of that name.

    Args:
      trials: which.
      values: the names of the columns of their objectives.
      params_of: returns what is shown of a trial's config, as `flat_params` does.
    """
    known = [trial.values or (None,) * len(values) for trial in trials]
    return {
        "number": [trial.number for trial in trials],
        "state": [trial.state.value for trial in trials],
        **{name: [each[place] for each in known] for place, name in enumerate(values)},
        **({"feasible": [trial.is_feasible for trial in trials]} if trials and trials[0].constraints else {}),
        **_columns("params_", [params_of(trial) for trial in trials]),
        "step": [trial.step for trial in trials],
        "seconds": [trial.seconds for trial in trials],
        "call": [trial.call for trial in trials],
        "error": [trial.error for trial in trials],
        **_columns("metrics_", [trial.metrics for trial in trials]),
        **_columns("train_", [trial.last_train_metrics for trial in trials]),
    }


def _columns(prefix: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return a column for each name that occurs, by name."""
    names = sorted({name for row in rows for name in row})
    return {f"{prefix}{name}": [row.get(name, math.nan) for row in rows] for name in names}


def dataframe_of(table: Mapping[str, list[Any]]) -> pd.DataFrame:
    """Return a table as a frame of pandas.

    Raises:
      HippoError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise HippoError("trials_dataframe() needs pandas: pip install 'hippo-tune[pandas]'") from None
    exact = {name: pd.Series(values, dtype=object) for name, values in table.items() if _would_be_rounded(values)}
    return pd.DataFrame({**table, **exact})


def _would_be_rounded(values: Sequence[Any]) -> bool:
    """Whether there are whole numbers among floats, NaN for one, that no float holds: pandas would make all floats."""
    kinds = {type(value) for value in values}
    return {int, float} <= kinds and any(type(value) is int and abs(value) > 2**53 for value in values)
