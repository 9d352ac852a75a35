"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hippo.cli.output import FORMATS, warnings_as_lines

if TYPE_CHECKING:
    from hippo import Study
    from hippo.study import Trial

storage_option = click.option(
    "--storage",
    default="sqlite:///hippo.db",
    show_default=True,
    help="Database of the studies: any SQLAlchemy URL.",
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="What the rows are printed as.",
)

generation_option = click.option(
    "--generation",
    type=click.IntRange(min=1),
    help="An earlier generation of the study: before its code, arguments or data changed.  [default: the latest]",
)


class TrialNumber(click.ParamType[int | None]):
    """The number of a trial, or "best"."""

    name = "trial"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value == "best":
            return None
        try:
            number = int(value)
        except ValueError:
            number = -1
        if number < 0:
            self.fail(f"{value!r} is neither a trial's number, as `hippo trials` shows it, nor 'best'", param, ctx)
        return number


def opened(name: str, storage: str, generation: int | None = None) -> Study:
    """Return the study that a command is about."""
    import hippo

    return hippo.load_study(name, storage=storage, generation=generation)


def trial_of(study: Study, number: int | None) -> Trial:
    """Return a trial by number; None: the best one."""
    if number is None:
        if study.has_several_objectives:
            from hippo.runtime.shell_lines import command

            listed = command("best", study.name, storage=study.storage)
            front = ", ".join(str(trial.number) for trial in study.best_trials)
            raise click.UsageError(
                f"study {study.name!r} has several objectives, and so no trial that is best in all of them; name one "
                f"of its Pareto front by number: {front or 'no trial keeps the constraints'} ({listed})"
            )
        with warnings_as_lines():
            return study.best_trial
    trials = study.trials
    if number >= len(trials):
        known = f"its trials are 0 to {len(trials) - 1}" if trials else "it has no trial yet"
        raise click.BadParameter(f"study {study.name!r} has no trial {number}; {known}")
    return trials[number]
