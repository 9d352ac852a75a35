"""`hippo plot`: a picture of a study, as a file."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.options import generation_option, opened, storage_option
from hippo.clock import SystemClock
from hippo.errors import HippoError

if TYPE_CHECKING:
    import plotly.graph_objects as go

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
)
#: those that draw a metric
_OF_METRICS = ("tree", "curves", "rungs", "branches")
#: what curves go by, values of `hippo.views.CurveAxis`
AXES = ("steps", "seconds", "device-seconds")
#: a page that needs nothing else, and pictures, which plotly has a browser draw
_PAGE, _PICTURES = ".html", (".png", ".svg", ".pdf", ".jpg", ".webp")


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
@click.option("--by", type=click.Choice(AXES), help="What curves go by.  [default: steps]")
@click.option("--bands", is_flag=True, help="Curves: the average over seeds, and how far they spread.")
@click.option("--dark", is_flag=True, help="For a dark page.")
@storage_option
@generation_option
def plot(
    view: str,
    study: str,
    out: Path | None,
    metric: str | None,
    by: str | None,
    bands: bool,
    dark: bool,
    storage: str,
    generation: int | None,
) -> None:
    """Draw a VIEW of STUDY into a file.

    tree: the tree of training states that its trials share. curves: a metric over steps. schedules: hyper-parameters
    over steps. savings: where the steps that it asked for came from. merge-rate: how sharing grew with each trial.
    rungs: who was promoted or stopped where. lineage: which trial each one left, and at which step. slots: what each
    slot did when. storage: what states take in files, by who would miss them. branches: what train() returned on the
    way of one run, and beside it. fusion: what was walked as lanes of one program.
    """
    named = out or Path(f"{re.sub(r'[^-.A-Za-z0-9]+', '_', study)}-{view}{_PAGE}")
    if named.suffix.lower() not in (_PAGE, *_PICTURES):
        raise click.BadParameter(
            f"{str(named)!r} ends in no kind of picture; use {_PAGE}, {', '.join(_PICTURES)}", param_hint="-o"
        )
    if view != "curves" and (by is not None or bands):
        raise click.UsageError(f"--by and --bands say nothing to {view!r}; they are for curves")
    choices = {**({} if by is None else {"by": by}), **({"as_bands": True} if bands else {})}
    figure = _drawn(view, opened(study, storage, generation), metric, dark, choices)
    _write(figure, named)
    click.echo(str(named))


def _drawn(view: str, study: Any, metric: str | None, dark: bool, choices: Mapping[str, Any]) -> go.Figure:
    from hippo import visualization

    if metric is not None and view not in _OF_METRICS:
        raise click.UsageError(f"--metric says nothing to {view!r}; it is for {', '.join(_OF_METRICS)}")
    named = {} if metric is None else {"metric": metric}
    draw: dict[str, Callable[..., go.Figure]] = {
        "tree": visualization.plot_stage_tree,
        "curves": functools.partial(visualization.plot_curves, **choices),
        "schedules": visualization.plot_schedules,
        "savings": visualization.plot_savings,
        "merge-rate": visualization.plot_merge_rate,
        "rungs": visualization.plot_rungs,
        "lineage": visualization.plot_lineage,
        "slots": functools.partial(visualization.plot_slots, now=SystemClock().now()),
        "storage": visualization.plot_storage,
        "branches": visualization.plot_branches,
        "fusion": visualization.plot_fusion,
    }
    return draw[view](study, dark=dark, **named)


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
