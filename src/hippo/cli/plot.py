"""`hippo plot`: a picture of a study, as a file."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.options import generation_option, opened, price_option, storage_option
from hippo.cli.output import warnings_as_lines
from hippo.clock import SystemClock
from hippo.errors import HippoError
from hippo.study.watching.file_names import told_apart

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.records import Mode

VIEWS = (
    "tree",
    "curves",
    "schedules",
    "savings",
    "merge-rate",
    "rungs",
    "lineage",
    "slots",
    "storage",
    "branches",
    "fusion",
    "pareto",
    "best-values",
)
#: those that draw a metric
_OF_METRICS = ("tree", "curves", "rungs", "branches", "pareto", "best-values")
#: characters of a study's name in that of a file: names of files may take 255 bytes, and a character up to four
_MOST_OF_NAME = 50
#: what curves go by, values of `hippo.views.CurveAxis`
AXES = ("steps", "seconds", "device-seconds")
#: argument of what draws -> the views whose option it is
_ONLY_FOR = {
    "metric": _OF_METRICS,
    "colour": ("tree",),
    "by": ("curves",),
    "as_bands": ("curves",),
    "against": ("pareto",),
    "modes": ("pareto",),
    "beside": ("best-values",),
    "over": ("best-values",),
    "price": ("savings",),
}
#: what the ends of a tree are coloured by
COLOURS = ("metric", "state")
#: a page that needs nothing else, and pictures, which plotly has a browser draw
_PAGE, _PICTURES = ".html", (".png", ".svg", ".pdf", ".jpg", ".webp")


def _modes(context: click.Context, option: click.Parameter, given: Iterable[str]) -> dict[str, Mode]:
    """Return metric -> min or max, as options say it."""
    from hippo.views.pareto import mode_in

    modes: dict[str, Mode] = {}
    for each in given:
        found = mode_in(each)
        if found is None:
            raise click.BadParameter(f"{each!r} is not METRIC=min or METRIC=max")
        modes[found[0]] = found[1]
    return modes


@click.command()
@click.argument("view", type=click.Choice(VIEWS))
@click.argument("study")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"File; its ending says the kind: {_PAGE} (the default), or {', '.join(_PICTURES)}, which need "
    "`pip install kaleido` and a browser.",
)
@click.option(
    "--metric",
    help="Which metric to show; for curves also train:NAME, of train().  "
    "[default: the study's; for branches: loss, of train()]",
)
@click.option(
    "--colour",
    type=click.Choice(COLOURS),
    help="tree: by the last metric, or by the state of each stretch, with the longest chain that remains.  "
    "[default: metric]",
)
@click.option("--by", type=click.Choice(AXES), help="What curves go by.  [default: steps]")
@click.option("--bands", "as_bands", is_flag=True, help="Curves: the average over seeds, and how far they spread.")
@click.option("--against", help="pareto: a metric, steps or device-seconds.  [default: the second objective, or steps]")
@click.option(
    "--mode",
    "modes",
    multiple=True,
    callback=_modes,
    metavar="METRIC=min|max",
    help="pareto: of a metric that is no objective.",
)
@click.option(
    "--beside", multiple=True, metavar="STUDY", help="best-values: another study of this database; repeatable."
)
@click.option("--over", type=click.Choice(["steps", "device-seconds"]), help="best-values: what goes to the right.")
@price_option
@click.option("--dark", is_flag=True, help="For a dark page.")
@storage_option
@generation_option
@click.pass_context
def plot(
    context: click.Context,
    /,
    view: str,
    study: str,
    out: Path | None,
    dark: bool,
    storage: str,
    generation: int | None,
    **given: Any,
) -> None:
    """Draw a VIEW of STUDY into a file.

    tree: the tree of training states that its trials share. curves: a metric over steps. schedules: hyper-parameters
    over steps. savings: where the steps that it asked for came from. merge-rate: how sharing grew with each trial.
    rungs: who was promoted or stopped where. lineage: which trial each one left, and at which step. slots: what each
    slot did when. storage: what states take in files, by who would miss them. branches: what train() returned on the
    way of one run, and beside it. fusion: what was walked as lanes of one program. pareto: trials by two things, and
    which no other one beats in both. best-values: the best value over what was spent, of one study or several.
    """
    named = out or Path(f"{_file_name(study)}-{view}{_PAGE}")
    if named.suffix.lower() not in (_PAGE, *_PICTURES):
        raise click.BadParameter(
            f"{str(named)!r} ends in no kind of picture; use {_PAGE}, {', '.join(_PICTURES)}", param_hint="-o"
        )
    chosen = {name: value for name, value in given.items() if _is_given(value)}
    options = {option.name: option.opts[0] for option in context.command.params}
    for name in chosen:
        if view not in _ONLY_FOR[name]:
            raise click.UsageError(f"{options[name]} says nothing to {view!r}; it is for {', '.join(_ONLY_FOR[name])}")
    others = [opened(each, storage) for each in chosen.pop("beside", ())]
    own = opened(study, storage, generation)
    with warnings_as_lines():
        figure = _draws()[view]([own, *others] if others else own, dark=dark, **chosen)
    _write(figure, named)
    click.echo(str(named))


def _file_name(study: str) -> str:
    """Return a study's name as that of a file: another one for each study, letters of any alphabet kept."""
    return told_apart(re.sub(r"[^-.\w]+", "_", study)[:_MOST_OF_NAME], study)


def _is_given(value: Any) -> bool:
    """Tell whether an option was given: a price of nothing is one."""
    return value is not None and value is not False and value != () and value != {}


def _draws() -> dict[str, Callable[..., go.Figure]]:
    """Return view -> what draws it."""
    from hippo import visualization

    return {
        "tree": visualization.plot_stage_tree,
        "curves": visualization.plot_curves,
        "schedules": visualization.plot_schedules,
        "savings": visualization.plot_savings,
        "merge-rate": visualization.plot_merge_rate,
        "rungs": visualization.plot_rungs,
        "lineage": visualization.plot_lineage,
        "slots": functools.partial(visualization.plot_slots, now=SystemClock().now()),
        "storage": visualization.plot_storage,
        "branches": visualization.plot_branches,
        "fusion": visualization.plot_fusion,
        "pareto": visualization.plot_pareto_front,
        "best-values": visualization.plot_best_values,
    }


def _write(figure: go.Figure, out: Path) -> None:
    try:
        if out.suffix.lower() == _PAGE:
            figure.write_html(out, include_plotlyjs=True)  # all of it: a page that works without a network
        else:
            figure.write_image(out, width=1100, scale=2)
    except OSError as error:
        raise HippoError(f"cannot write {out}: {error.strerror or error}") from None
    except (ImportError, ValueError, RuntimeError) as error:  # plotly's, of kaleido or of its browser
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise HippoError(
            f"a {out.suffix} needs kaleido and Chrome or Chromium: pip install kaleido ({first}). "
            f"{out.with_suffix(_PAGE)} needs neither."
        ) from None
