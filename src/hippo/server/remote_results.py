"""What a study of a service came to, as its users read it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from hippo.errors import OptionError
from hippo.hparams import Config
from hippo.records import Constraint, Metrics, Objective, TrialState
from hippo.runtime import Settings, Statistics
from hippo.server.wire import number_from_json, numbers_from_json
from hippo.study import Study, Trial
from hippo.study.results.best import NoBestTrialError, trial_numbered
from hippo.study.results.best_trial_values import BestTrialValues
from hippo.study.results.trials import dataframe_of, table_of, value_columns
from hippo.tuners.ranking import total_violation

if TYPE_CHECKING:
    import pandas as pd


class FailureSource:
    """Looks up the tracebacks of trials at their service, when somebody wants to see them: each takes kilobytes.

    Trials are copied and sent to other processes, where nothing leads to the service.

    Args:
      ask: returns that of a trial.
    """

    def __init__(self, ask: Callable[[int], str] | None) -> None:
        self._ask = ask

    def traceback_of(self, trial: int) -> str:
        """Return the traceback of a trial.

        Raises:
          OptionError: this is of a copy.
        """
        if self._ask is None:
            raise OptionError(f"a copy of a trial cannot ask the service: study.trial({trial}).traceback does")
        return self._ask(trial)

    def __getstate__(self) -> dict[str, None]:
        return {"_ask": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTrial:
    """A trial of a study of a service, as it was when it was read."""

    number: int
    state: TrialState
    config: Config
    #: steps that were answered: metrics are those after this many
    step: int
    #: the largest step asked for
    until: int
    #: which call of a tuner it belongs to
    call: int
    #: where and why it failed, in a line; empty otherwise
    error: str
    #: the study's objectives at the last step; None while there are none
    values: tuple[float, ...] | None
    metrics: Metrics
    #: what train() returned in the last step known; empty if it returned nothing
    last_train_metrics: Metrics
    #: device-seconds of the whole path, whoever paid for them
    seconds: float
    #: step -> metrics, for every evaluation on the way
    history: Mapping[int, Metrics]
    _settings: Settings
    _tracebacks: FailureSource = field(repr=False, compare=False)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What the study optimises."""
        return self._settings.objectives

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The bounds that good trials of the study keep."""
        return self._settings.constraints

    @property
    def is_feasible(self) -> bool | None:
        """Whether all of the study's constraints are kept at the last step; None while there are no metrics."""
        if not self.metrics:
            return None
        return not total_violation([constraint.violation(self.metrics) for constraint in self.constraints])

    @property
    def traceback(self) -> str:
        """The traceback of what made it fail; empty if it did not, or if nothing was raised."""
        return self._tracebacks.traceback_of(self.number) if self.error else ""

    @property
    def value(self) -> float | None:
        """The study's objective at the last step; None while there is none, or if there are several."""
        return self.values[0] if self.values is not None and len(self.values) == 1 else None

    @property
    def params(self) -> Mapping[str, Any]:
        """Name -> value of a constant, or the repr of another sequence."""
        return self.config.params

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise _missing(self, Trial, name, "a trial")


class RemoteResults(BestTrialValues):
    """The results of a study, as they are whenever one looks."""

    @abstractmethod
    def _told(self, what: str) -> dict[str, Any]:
        """Return what the service tells of the study: its "trials", a trial's traceback, or its "statistics"."""

    @property
    @abstractmethod
    def _settings(self) -> Settings:
        """Of the study."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise _missing(self, Study, name, "a study")

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What the study optimises."""
        return self._settings.objectives

    @property
    def has_several_objectives(self) -> bool:
        """Whether trials are better or worse in more than one way."""
        return len(self.objectives) > 1

    def _read(self) -> tuple[list[RemoteTrial], list[int], str]:
        told = self._told("trials")
        tracebacks = FailureSource(self._traceback_of)
        trials = [_trial_from_json(trial, self._settings, tracebacks) for trial in told["trials"]]
        return trials, told["best"], told["why_none"]

    @property
    def trials(self) -> list[RemoteTrial]:
        """All trials, by number."""
        return self._read()[0]

    def trial(self, number: int) -> RemoteTrial:
        """Return the trial of this number.

        Raises:
          OptionError: there is none; the message says which there are.
        """
        return trial_numbered(number, self.trials, "the study")

    def _traceback_of(self, number: int) -> str:
        text: str = self._told(f"trials/{number}/traceback")["traceback"]
        return text

    @property
    def best_trials(self) -> list[RemoteTrial]:
        """The best trial, or, with several objectives, the Pareto front.

        Raises:
          ValueError: no trial is complete, or the study has no metric.
        """
        trials, best, why = self._read()
        if why:
            raise NoBestTrialError(why)
        return [trial for trial in trials if trial.number in best]

    @property
    def best_trial(self) -> RemoteTrial:
        """The complete trial with the best value; see `Study.best_trial`.

        Raises:
          ValueError: no trial is complete, or the study has no metric or several of them.
        """
        if self.has_several_objectives:
            raise NoBestTrialError("the study has several objectives; best_trials is their Pareto front")
        return self.best_trials[0]

    def trials_dataframe(self) -> pd.DataFrame:
        """Return the trials as a table, with the columns of `Study.trials_dataframe`.

        Raises:
          HippoError: pandas is not installed.
        """
        columns = table_of(self.trials, value_columns(self.objectives), lambda trial: trial.config.flat_params)
        return dataframe_of(columns)

    def statistics(self) -> Statistics:
        """Return what the study asked for, and what it cost."""
        return Statistics(**numbers_from_json(self._told("statistics")["statistics"]))


def _trial_from_json(data: Mapping[str, Any], settings: Settings, tracebacks: FailureSource) -> RemoteTrial:
    values = data["values"]
    return RemoteTrial(
        number=data["number"],
        state=TrialState(data["state"]),
        config=Config.from_json(data["config"]),
        step=data["step"],
        until=data["until"],
        call=data["call"],
        error=data["error"],
        values=None if values is None else tuple(map(number_from_json, values)),
        metrics=numbers_from_json(data["metrics"]),
        last_train_metrics=numbers_from_json(data.get("last_train_metrics", {})),  # an older service tells none
        seconds=data["seconds"],
        history={int(step): numbers_from_json(metrics) for step, metrics in data["history"].items()},
        _settings=settings,
        _tracebacks=tracebacks,
    )


def _missing(given: object, local: type, name: str, said: str) -> AttributeError:
    """Return what is raised for an attribute that there is not: what only `local` has is said to be elsewhere."""
    if name.startswith("_") or not hasattr(local, name):
        return AttributeError(f"{type(given).__name__!r} object has no attribute {name!r}")
    return AttributeError(
        f"{said} of a service has no {name} here: it needs the service's database, or the states. Where these are, "
        "hippo.load_study(NAME, DATABASE) has it; much of it is on the service's page, at /dashboard/"
    )
