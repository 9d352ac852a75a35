"""What all pictures have in common: plotly, when it is needed, colours, and which studies are meant."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError, OptionError
from hippo.study.results.recorded_results import RecordedResults
from hippo.study.schemes import module_for
from hippo.views.curves import no_such_metric

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study, StudyView

#: distinguishable to all (Okabe and Ito 2008), on white and on black
BLUE, SKY, GREEN, ORANGE, VERMILION, GREY = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#999999"


def need_plotly(plot: str) -> Any:
    """Return plotly's graph objects.

    Raises:
      HippoError: plotly is not there.
    """
    try:
        import plotly.graph_objects
    except ImportError:
        raise HippoError(f"{plot}() needs plotly: pip install 'hippo-tune[plotly]'") from None
    return plotly.graph_objects


def those(study: Study | Sequence[Study]) -> list[Study]:
    """Return the studies that are meant.

    Raises:
      OptionError: there is none among them.
    """
    given: list[Any] = list(study) if isinstance(study, list | tuple) else [study]
    if not given or not all(isinstance(each, RecordedResults) for each in given):
        remote = next((each for each in given if module_for(getattr(each, "storage", None)) is not None), None)
        raise OptionError(
            f"what is drawn is a study, or a list of them, not {study!r}"
            if remote is None
            else f"{remote!r} is drawn on its service's page, at /dashboard/, and by hippo.visualization where the "
            "service's database is, of what hippo.load_study(NAME, DATABASE) returns there"
        )
    return given


def metric_of(study: Study, metric: str | None) -> str | None:
    """Return which metric is drawn: the one that is asked for, or the study's first objective; None: it has none."""
    if metric is not None:
        return metric
    return next((objective.metric for objective in study.objectives), None)


def check_metric(study: Study, metric: str | None, names: Iterable[str]) -> None:
    """Refuse the name of a metric that nothing in a study has, where there are others: it would be drawn as nothing.

    Raises:
      OptionError: says which there are.
    """
    known = set(names)
    if metric is not None and known and metric not in known:
        raise OptionError(f"study {study.name!r}: {no_such_metric(metric, known)}")


def why_nothing(view: StudyView) -> str:
    """Return why nothing is known of a study's trials, as the end of a message; "" if something is."""
    failed = [trial.error for trial in view.trials if trial.error and not trial.history]
    if len(failed) < len(view.trials):
        return ""
    return f". {len(failed)} failed, the first in {failed[0]}" if failed else "; run it first"


def names_of(studies: Sequence[Study]) -> str:
    """Return the names of studies as a picture may show them: nothing in them is taken for markup."""
    return html.escape(", ".join(each.name for each in studies))


def scale_of(metric: str | None, scales: dict[str, str]) -> str:
    """Return the scale of colours of a metric: one in all studies of a picture, so that a colour says one value.

    Args:
      metric: None: whatever trials came to.
      scales: those of the picture so far, by metric.
    """
    return scales.setdefault(metric or "value", f"coloraxis{len(scales) + 1}" if scales else "coloraxis")


def add_scales(figure: go.Figure, scales: Mapping[str, str]) -> None:
    """Show beside a picture what its colours say, metric by metric."""
    for number, (metric, scale) in enumerate(scales.items()):
        bar = {"title": {"text": html.escape(metric)}, "thickness": 12, "x": 1.02 + 0.1 * number}
        figure.update_layout({scale: {"colorscale": "Viridis", "colorbar": bar}})


def styled(figure: go.Figure, *, title: str, dark: bool) -> go.Figure:
    """Return a figure with what all pictures of studies look like."""
    figure.update_layout(
        title={"text": title, "font": {"size": 16}},
        template="plotly_dark" if dark else "plotly_white",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right"},
        hoverlabel={"align": "left"},
        margin={"l": 60, "r": 30, "t": 80, "b": 50},
    )
    return figure
