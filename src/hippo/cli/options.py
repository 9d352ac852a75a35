"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import click

from hippo.cli.output import FORMATS, warnings_as_lines
from hippo.errors import OptionError

if TYPE_CHECKING:
    from hippo import Study
    from hippo.study import Trial
    from hippo.study.results.recorded_results import RecordedResults

    TrialNumberType = click.ParamType[int | Literal["best"]]
else:
    TrialNumberType = click.ParamType  # which takes a type since click 8.4

storage_option = click.option(
    "--storage",
    default="sqlite:///hippo.db",
    show_default=True,
    envvar="HIPPO_STORAGE",  # what stands in a command is seen by all users of a machine, and a URL may hold a password
    show_envvar=True,
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


scale_option = click.option(
    "--scale",
    help="Of a study with surrogates: those at this scale, as in --scale 1/8.  [default: the target itself]",
)


def _finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value!r} is no price of a device-hour", ctx, param)
    return value


price_option = click.option(
    "--price",
    type=click.FloatRange(min=0),
    callback=_finite,
    help="Of a device-hour, in your money: then savings are told in it, too.",
)


#: how a trial is named
NumberOrBest = int | Literal["best"]


class TrialNumber(TrialNumberType):
    """The number of a trial, or "best"."""

    name = "trial"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NumberOrBest:
        if value == "best":
            return "best"  # and not None, which click before 8.3 took for an argument that is missing
        try:
            number = int(value)
        except ValueError:
            number = -1
        if number < 0:
            self.fail(f"{value!r} is neither a trial's number, as `hippo trials` shows it, nor 'best'", param, ctx)
        return number


def opened(name: str, storage: str, generation: int | None = None, *, may_be_remote: bool = False) -> Study:
    """Return the study that a command is about.

    Args:
      name, storage, generation: as `hippo.load_study` takes them.
      may_be_remote: the command asks for nothing that a study of a service lacks.

    Raises:
      OptionError: the study is at a service, and the command needs its database.
    """
    import hippo

    if not may_be_remote:
        check_storage(storage)
    return hippo.load_study(name, storage=storage, generation=generation)


def check_storage(storage: str) -> None:
    """Refuse the URL of a service, for commands that need a database.

    Raises:
      OptionError: it is one.
    """
    from hippo.study.schemes import module_for

    if module_for(storage) is not None:
        raise OptionError(
            f"{click.get_current_context().command_path} needs the database that a service keeps its studies in: run "
            "it there, with --storage as `hippo serve` has it, beside the service or not. With the service's URL go "
            "`hippo studies`, `hippo trials`, `hippo best` and `hippo retry`; in a browser its page shows the rest, "
            f"unless it runs with --no-dashboard: {_page_of(storage)}"
        )


def _page_of(service: str) -> str:
    """Return where the page of a service is, without a token: one signs in there."""
    scheme, _, rest = service.partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}/dashboard/"


def results_of(study: Study, scale: str | None) -> RecordedResults:
    """Return what a study came to; with a scale, what its surrogates there did, or branches by where they begin."""
    from hippo.members import is_of_branches

    if scale is not None and is_of_branches(scale):
        return study._branches_at(scale)
    return study if scale is None else study.surrogates[scale]


def trial_of(study: Study, number: NumberOrBest, scale: str | None = None) -> Trial:
    """Return a trial by number, or the best one, of the surrogates at a scale if one is given."""
    results = results_of(study, scale)
    if number == "best":
        if results.has_several_objectives:
            from hippo.runtime.studies.shell_lines import command

            at = () if scale is None else ("--scale", scale)
            listed = command("best", study.name, *at, storage=study.storage)
            front = ", ".join(str(trial.number) for trial in results.best_trials)
            raise click.UsageError(
                f"study {study.name!r} has several objectives, and so no trial that is best in all of them; name one "
                f"of its Pareto front by number: {front or 'no trial keeps the constraints'} ({listed})"
            )
        with warnings_as_lines():
            return results.best_trial
    try:
        return results.trial(number)
    except OptionError as error:
        raise click.BadParameter(str(error)) from None
