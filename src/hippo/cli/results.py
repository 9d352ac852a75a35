"""`hippo studies`, `hippo trials` and `hippo best`: what a database knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hippo.cli.options import format_option, storage_option
from hippo.cli.output import Row, show

if TYPE_CHECKING:
    from hippo import Study
    from hippo.study import Trial


@click.command()
@storage_option
@format_option
def studies(storage: str, form: str) -> None:
    """List the studies of a database."""
    import hippo

    names = hippo.get_all_study_names(storage)
    show([_study_row(hippo.load_study(name, storage=storage)) for name in names], form)


@click.command()
@click.argument("study")
@storage_option
@format_option
def trials(study: str, storage: str, form: str) -> None:
    """List the trials of STUDY."""
    import hippo

    rows = [_trial_row(trial) for trial in hippo.load_study(study, storage=storage).trials]
    show(rows, form, title=study)


@click.command()
@click.argument("study")
@storage_option
@format_option
def best(study: str, storage: str, form: str) -> None:
    """Show the best complete trial of STUDY, with its metrics at the last step.

    With several objectives: the Pareto front.
    """
    import hippo

    loaded = hippo.load_study(study, storage=storage)
    best_ones = loaded.best_trials if loaded.has_several_objectives else [loaded.best_trial]
    show([{**_trial_row(trial), **_metrics(trial)} for trial in best_ones], form, title=study)


def _study_row(study: Study) -> Row:
    statistics = study.statistics()
    return {
        "study": study.name,
        "trials": len(study.trials),
        "steps_asked": statistics.steps_asked,
        "steps_executed": statistics.steps_executed,
        "steps_repeated": statistics.steps_repeated,
        "steps_saved": statistics.steps_saved,
        "device_seconds": statistics.device_seconds,
    }


def _trial_row(trial: Trial) -> Row:
    params = {f"params_{name}": value for name, value in sorted(trial.config.flat_params.items())}
    if len(trial.objectives) > 1:
        values = trial.values or [None] * len(trial.objectives)
        value = {f"value_{o.metric}": each for o, each in zip(trial.objectives, values, strict=True)}
    else:
        value = {"value": trial.value}
    return {"number": trial.number, "state": trial.state.value, **value, **params}


def _metrics(trial: Trial) -> Row:
    return {f"metrics_{name}": value for name, value in sorted(trial.metrics.items())}
