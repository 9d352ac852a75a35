"""`hippo logs`: all that is known of one trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hippo.cli.options import (
    NumberOrBest,
    TrialNumber,
    format_option,
    generation_option,
    opened,
    scale_option,
    storage_option,
    trial_of,
)
from hippo.cli.output import for_people, show, show_json
from hippo.cli.results import params_of, round_seconds

if TYPE_CHECKING:
    from hippo.study import Trial


@click.command()
@click.argument("study")
@click.argument("trial", type=TrialNumber())
@storage_option
@generation_option
@scale_option
@format_option
def logs(study: str, trial: NumberOrBest, storage: str, generation: int | None, scale: str | None, form: str) -> None:
    """Show one TRIAL of STUDY, by number or as "best": its values, its metrics over steps, and why it failed.

    Columns metrics_* are what evaluate() returned after a step, train_* what train() returned in it. As CSV: the steps
    alone.
    """
    loaded = opened(study, storage, generation)
    found = trial_of(loaded, trial, scale)
    steps = _steps(found)
    if form == "json":
        show_json({**_header(found, study), "steps": steps})
    elif form == "csv":
        show(steps, form)
    else:
        _print(found, study, steps)


def _header(trial: Trial, study: str) -> dict[str, object]:
    return {
        "study": study,
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        "until": trial.until,
        "value": trial.value if len(trial.objectives) < 2 else trial.values,
        **({"feasible": trial.is_feasible} if trial.constraints else {}),
        **params_of(trial, "json"),
        "seconds": trial.seconds,
        "call": trial.call,
        "error": trial.error,
        "traceback": trial.traceback,
    }


def _steps(trial: Trial) -> list[dict[str, object]]:
    trained, evaluated = dict(trial.train_metrics), trial.history
    return [
        {
            "step": step,
            **{f"metrics_{name}": value for name, value in sorted(evaluated.get(step, {}).items())},
            **{f"train_{name}": value for name, value in sorted(trained.get(step, {}).items())},
        }
        for step in sorted({*trained, *evaluated})
    ]


def _print(trial: Trial, study: str, steps: list[dict[str, object]]) -> None:
    said = list(trial.values or ()) if trial.value is None else trial.value
    value = "" if trial.values is None else f", value {for_people(said)}"
    click.echo(f"trial {trial.number} of {study}: {trial.state.value}{value}")
    click.echo(
        f"answered after {trial.step} of {trial.until} steps, {for_people(round_seconds(trial.seconds))} device-seconds"
    )
    if trial.is_feasible is False:
        click.echo(f"breaks {', '.join(str(each) for each in trial.constraints)} by {for_people(trial.violation)}")
    for name, param in params_of(trial, "table").items():
        click.echo(f"  {name.removeprefix('params_')} = {for_people(param)}")
    if steps:
        show(steps, "table")
    if trial.error:
        click.echo(f"failed in {trial.error}")
    if trial.traceback:
        click.echo(f"\n{trial.traceback.rstrip()}")
