"""`hippo studies`, `hippo trials` and `hippo best`: what a database knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.options import format_option, generation_option, opened, results_of, scale_option, storage_option
from hippo.cli.output import Formula, Row, say, show, table_fits, warnings_as_lines

if TYPE_CHECKING:
    from hippo import Study
    from hippo.study import Trial
    from hippo.study.results.recorded_results import RecordedResults

#: names that a hyper-parameter may have, too
_OTHER_COLUMNS = ("number", "state", "step", "value", "feasible", "seconds", "error")
#: names of columns begin so that are of objectives, of metrics, and of hyper-parameters for programs
_BEGINNINGS = ("value_", "metrics_", "params_")
#: characters of an error in a table; `hippo logs` has all of them
_ERROR_WIDTH = 60


@click.command()
@storage_option
@format_option
def studies(storage: str, form: str) -> None:
    """List the studies of a database.

    steps_saved: steps that trials have reached and that were not run for them. While a study runs, steps still to come
    count as asked, and as nothing else.
    """
    import hippo

    names = hippo.get_all_study_names(storage)
    rows = [_study_row(hippo.load_study(name, storage=storage), form) for name in names]
    show(rows, form, nothing="there is no study yet in this database")


@click.command()
@click.argument("study")
@click.option(
    "--filter", "expression", help="Only those for which this holds, such as 'lr < 0.1 and state == \"COMPLETE\"'."
)
@storage_option
@generation_option
@scale_option
@format_option
def trials(
    study: str, expression: str | None, storage: str, generation: int | None, scale: str | None, form: str
) -> None:
    """List the trials of STUDY: state, value and step, hyper-parameters, device-seconds of the whole path, error."""
    loaded = opened(study, storage, generation, may_be_remote=scale is None)
    listed: Sequence[Trial] = results_of(loaded, scale).trials
    rows = [trial_row(trial, form) for trial in (listed if expression is None else _filtered(listed, expression))]
    errors = {row["number"]: row["error"] for row in rows if row["error"]}
    is_apart = form == "table" and (not errors or not table_fits(rows))
    if is_apart:  # a column of errors takes the room of all the others
        rows = [{name: value for name, value in row.items() if name != "error"} for row in rows]
    nothing, columns = f"study {study!r} has no trial yet" + _of(loaded, scale), _usual_columns(loaded)
    if listed:
        nothing = f"of the {len(listed)} trials of {study!r} the filter shows none"
        columns = [*trial_row(listed[0], form)]
    show(rows, form, title=_title(study, scale), nothing=nothing, columns=columns)
    if is_apart:
        for number, error in errors.items():
            click.echo(f"trial {number} failed in {error}")


@click.command()
@click.argument("study")
@storage_option
@generation_option
@scale_option
@format_option
def best(study: str, storage: str, generation: int | None, scale: str | None, form: str) -> None:
    """Show the best trial of STUDY, with its metrics at the last step.

    Complete trials are compared; of a study that runs, or was stopped, those
    that came furthest. With several objectives: the Pareto front. If no
    trial keeps the study's constraints, a line says so.
    """
    loaded = results_of(opened(study, storage, generation, may_be_remote=scale is None), scale)
    with warnings_as_lines():
        best_ones = loaded.best_trials if loaded.has_several_objectives else [loaded.best_trial]
    rows = [{**trial_row(trial, form, with_error=False), **metrics_of(trial)} for trial in best_ones]
    nothing = f"no trial of study {study!r} keeps its constraints"
    show(rows, form, title=_title(study, scale), nothing=nothing, columns=_usual_columns(loaded)[:-1])


def _usual_columns(study: RecordedResults) -> list[str]:
    """Return the columns of trials of which none is there to say what its hyper-parameters are."""
    several = len(study.objectives) > 1
    values = [f"value_{each.metric}" for each in study.objectives] if several else ["value"]
    return ["number", "state", "step", *values, "seconds", "error"]


def _filtered(trials: Sequence[Trial], expression: str) -> Sequence[Trial]:
    """Return the trials for which an expression holds; of those that it cannot judge a line tells."""
    from hippo.views import filter_trials

    found = filter_trials(trials, expression)
    for why, count in found.unknown.items():
        say(f"left out, since the filter says neither yes nor no: {count} trial{'s' if count > 1 else ''}, {why}")
    return found.trials


def _title(study: str, scale: str | None) -> str:
    return study if scale is None else f"{study} at scale {scale}"


def _of(study: Study, scale: str | None) -> str:
    at = "" if scale is None else f" at scale {scale}"
    if study.generation > 1:
        at += f" in generation {study.generation}; --generation shows earlier ones"
    if scale is None and study.surrogates:
        at += f"; --scale {', '.join(study.surrogates)} shows those of its surrogates"
    return at


def _study_row(study: Study, form: str) -> Row:
    statistics = study.statistics()
    return {
        "study": study.name,
        "generation": study.generation,
        "trials": sum(statistics.trials.values()),
        "failed": statistics.trials.get("FAIL", 0),
        "steps_asked": statistics.steps_asked,
        "steps_executed": statistics.steps_executed,
        "steps_repeated": statistics.steps_repeated,
        "steps_saved": statistics.steps_saved,
        "device_seconds": statistics.device_seconds if form != "table" else round_seconds(statistics.device_seconds),
    }


def trial_row(trial: Trial, form: str, *, with_error: bool = True) -> dict[str, object]:
    """Return what is shown of a trial, by column."""
    if len(trial.objectives) > 1:
        values: Sequence[float | None] = trial.values or [None] * len(trial.objectives)
        value = {f"value_{o.metric}": each for o, each in zip(trial.objectives, values, strict=True)}
    else:
        value = {"value": trial.value}
    row = {
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        **value,
        **({"feasible": trial.is_feasible} if trial.constraints else {}),
        **params_of(trial, form),
        "seconds": trial.seconds if form != "table" else round_seconds(trial.seconds),
    }
    if with_error:
        row["error"] = _in_short(trial.error) if form == "table" else trial.error
    return row


def params_of(trial: Trial, form: str) -> Mapping[str, Any]:
    """Return the hyper-parameters of a trial as columns: "params_lr" for programs, and for people "lr"."""
    from hippo.hparams import Constant

    shown = {}
    for name, value in sorted(trial.config.flat_params.items()):
        is_free = name not in _OTHER_COLUMNS and not name.startswith(_BEGINNINGS)
        column = name if form == "table" and is_free else f"params_{name}"
        # of a conditional one, "opt.momentum", the parts have no sequence of their own: they are constants
        is_value = name not in trial.config or isinstance(trial.config[name], Constant)
        shown[column] = value if is_value else Formula(value)
    return shown


def round_seconds(seconds: float) -> float:
    """Return seconds as people want them: with three significant digits, and from 1000 on whole ones."""
    return float(f"{seconds:.3g}") if seconds < 1000 else float(round(seconds))


def _in_short(error: str) -> str:
    return error if len(error) <= _ERROR_WIDTH else error[: _ERROR_WIDTH - 3] + "..."


def metrics_of(trial: Trial) -> Row:
    """Return a trial's metrics at its last step, by column."""
    return {f"metrics_{name}": value for name, value in sorted(trial.metrics.items())}
