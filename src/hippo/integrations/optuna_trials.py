"""Trials of hippo in Optuna's words.

A study does not tell from which distributions its configs came: other tuners than samplers made some of them. So the
distributions shown are those of the values that occur: from the least to the largest number, logarithmic where all
are positive and span two decades; all that is no number is a category, in the order of appearance: itself, or its text
where Optuna could not hold it or tell it from another one. Texts stand in quotation marks where another value has the
same text: "1" beside 1.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from hippo import records
from hippo.hparams.values import canonical_text
from hippo.integrations.trial_times import TrialTimes
from hippo.study import Study, Trial

#: a paused trial goes on, which only running trials do in Optuna
_STATES = {state: TrialState[state.value] for state in records.TrialState if state is not records.TrialState.PAUSED} | {
    records.TrialState.PAUSED: TrialState.RUNNING
}

#: numbers are shown on a logarithmic scale if the largest is at least this many times the least
_LOG_FROM = 100


def frozen_trials(study: Study, first_id: int) -> list[FrozenTrial]:
    """Return a study's trials by number; their ids count from `first_id`.

    A trial begins when its first step did, whoever asked for that, and is complete when its last one was. Where nobody
    saw that, it begins when the study was made, and lasts its device-seconds.
    """
    trials, times = study.trials, TrialTimes(study)
    distributions = inferred_distributions([trial.config.flat_params for trial in trials])
    made_at = study._opened.row.created_at
    frozen = []
    for trial in trials:
        began_at, ended_at = times.of(trial)
        began_at = made_at if began_at is None else began_at
        ended_at = began_at + trial.seconds if ended_at is None else ended_at
        when = datetime.fromtimestamp(began_at), datetime.fromtimestamp(max(began_at, ended_at))
        frozen.append(_frozen(trial, distributions, when, first_id + trial.number))
    return frozen


def _frozen(
    trial: Trial, distributions: dict[str, BaseDistribution], when: tuple[datetime, datetime], trial_id: int
) -> FrozenTrial:
    params = trial.config.flat_params
    values = None if trial.values is None or any(map(math.isnan, trial.values)) else trial.values
    state = _STATES[trial.state]
    if state is TrialState.COMPLETE and values is None:
        state = TrialState.FAIL  # complete for hippo, which had no objective to read; Optuna wants a value
    return FrozenTrial(
        number=trial.number,
        trial_id=trial_id,
        state=state,
        value=None,
        values=values if state in (TrialState.COMPLETE, TrialState.PRUNED) else None,
        datetime_start=None if state is TrialState.WAITING else when[0],
        datetime_complete=when[1] if state.is_finished() else None,
        params={name: as_optuna_value(distributions[name], value) for name, value in params.items()},
        distributions={name: distributions[name] for name in params},
        user_attrs=_attributes(trial),
        system_attrs=_constraints(trial),
        intermediate_values=_intermediate_values(trial),
    )


def _intermediate_values(trial: Trial) -> dict[int, float]:
    if len(trial.objectives) != 1:
        return {}  # Optuna has them for one objective only
    metric = trial.objectives[0].metric
    return {step: metrics[metric] for step, metrics in sorted(trial.history.items()) if metric in metrics}


def _constraints(trial: Trial) -> dict[str, Any]:
    metrics = trial.metrics
    known = [constraint for constraint in trial.constraints if constraint.metric in metrics]
    violations = [(constraint, constraint.violation(metrics)) for constraint in known]
    # Optuna takes what is no number for feasible
    return {f"constraints:{each}": math.inf if math.isnan(value) else value for each, value in violations}


def _attributes(trial: Trial) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "step": trial.step,
        "until": trial.until,
        "device_seconds": trial.seconds,
        "call": trial.call,
    }
    if trial.error:
        shown |= {"error": trial.error}
    if trial.traceback:
        shown |= {"traceback": trial.traceback}
    shown |= {f"train_{name}": value for name, value in sorted(trial.last_train_metrics.items())}
    return {f"hippo:{name}": value for name, value in shown.items()} | dict(trial.metrics)


def inferred_distributions(params: Sequence[Any]) -> dict[str, BaseDistribution]:
    """Return a distribution for each name that contains all its values."""
    values: dict[str, list[Any]] = {}
    for trial in params:
        for name, value in trial.items():
            values.setdefault(name, []).append(value)
    return {name: _inferred(found) for name, found in sorted(values.items())}


def _inferred(values: Sequence[Any]) -> BaseDistribution:
    if any(isinstance(value, bool) or not isinstance(value, int | float) or _is_huge(value) for value in values):
        different = list({canonical_text(value): value for value in values}.values())
        are_quoted = any(isinstance(value, str) and value.startswith('"') for value in different)
        are_plain = all(
            value is None or (isinstance(value, bool | int | float | str) and not _is_huge(value))
            for value in different
        )
        if are_plain and not are_quoted and len(set(different)) == len(different):  # to Optuna 1, 1.0 and True are one
            return CategoricalDistribution(different)
        texts = list(map(_as_text, different))
        if are_quoted or len(set(texts)) < len(texts):  # 1 and "1" are two values
            texts = list(map(_as_json, different))
        return CategoricalDistribution(texts)
    low, high = min(values), max(values)
    is_log = low > 0 and high / low >= _LOG_FROM
    if all(isinstance(value, int) for value in values):
        return IntDistribution(low, high, log=is_log)
    return FloatDistribution(low, high, log=is_log)


def _is_huge(value: Any) -> bool:
    """Tell whether it is a whole number that no float can hold, which Optuna makes of it."""
    return isinstance(value, int) and (abs(value) > sys.float_info.max or int(float(value)) != value)


def as_optuna_value(distribution: BaseDistribution, value: Any) -> Any:
    """Return a value as its inferred distribution holds it."""
    if isinstance(distribution, CategoricalDistribution):
        if not all(isinstance(choice, str) for choice in distribution.choices):
            return value
        are_quoted = any(str(choice).startswith('"') for choice in distribution.choices)
        return _as_json(value) if are_quoted else _as_text(value)
    return float(value) if isinstance(distribution, FloatDistribution) else value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else _as_json(value)


def _as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
