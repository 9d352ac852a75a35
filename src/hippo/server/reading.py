"""What a study came to, as JSON: for clients, which have no database."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hippo.server.wire import number_to_json, numbers_to_json
from hippo.study import NoBestTrialError, Study, Trial
from hippo.study.remote_calls import progress_of
from hippo.study.results.trials import config_json


def trials_to_json(study: Study) -> dict[str, Any]:
    """Return a study's trials at one moment, and which of them are best."""
    view = study.read()
    several = study.has_several_objectives
    try:
        best = [trial.number for trial in view.best_trials] if several else [view.best_trial.number]
        why = ""
    except NoBestTrialError as error:
        best, why = [], str(error)
    return {"trials": [_trial_to_json(trial) for trial in view.trials], "best": best, "why_none": why}


def _trial_to_json(trial: Trial) -> dict[str, Any]:
    values = trial.values
    return {
        "number": trial.number,
        "state": trial.state.value,
        "config": config_json(trial),
        "step": trial.step,
        "until": trial.until,
        "call": trial.call,
        "error": trial.error,
        "values": None if values is None else [number_to_json(value) for value in values],
        "metrics": numbers_to_json(trial.metrics),
        "seconds": trial.seconds,
        "last_train_metrics": numbers_to_json(trial.last_train_metrics),
        "history": {str(step): numbers_to_json(metrics) for step, metrics in trial.history.items()},
    }


def progress_to_json(study: Study) -> dict[str, Any]:
    """Return how far a study is."""
    now = progress_of(study)
    return {"progress": None if now is None else numbers_to_json(asdict(now))}


def statistics_to_json(study: Study) -> dict[str, Any]:
    """Return what a study cost."""
    return {"statistics": {name: number_to_json(value) for name, value in asdict(study.statistics()).items()}}
