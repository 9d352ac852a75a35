"""What tuners did with trials: the rungs at which some were stopped, and the branches of one run."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.records import Metrics
from hippo.study.results.branch_trials import branch_trials
from hippo.views import NodeCurve, RungStanding, rungs, training_curves
from hippo.visualization.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    VERMILION,
    check_metric,
    metric_of,
    names_of,
    need_plotly,
    styled,
    those,
    why_nothing,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

#: field of a `RungStanding` -> what it is called, its colour, and the sign of its trials
_GROUPS = {
    "promoted": ("went on", BLUE, "circle"),
    "complete": ("complete", GREEN, "star"),
    "stopped": ("stopped here", GREY, "circle-open"),
    "waiting": ("running, or waiting", ORANGE, "diamond-open"),
    "failed": ("failed", VERMILION, "x"),
}


#: a study, the rungs of one call of a tuner, and trial -> step -> metrics
_CallRungs = tuple["Study", "list[RungStanding]", "dict[int, dict[int, Metrics]]"]


def plot_rungs(
    study: Study | Sequence[Study],
    *,
    metric: str | None = None,
    log_y: bool = False,
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return who was promoted, stopped or waits at each rung, and with which value: a row for each call of a tuner.

    Args:
      study: one, or several, below one another.
      metric: of the trials at each rung; by default the study's (first) objective.
      log_y: logarithmic axes of values.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: no tuner of these studies stops trials before others, or no trial has this metric.
    """
    go = need_plotly("plot_rungs")
    from plotly.subplots import make_subplots

    drawn = those(study)
    calls = _rungs_by_call(drawn, metric)
    figure = make_subplots(
        rows=len(calls),
        cols=2,
        vertical_spacing=0.3 / len(calls),
        subplot_titles=[
            text
            for each, standings, _ in calls
            for text in (_said(each, standings, drawn), html.escape(metric_of(each, metric) or ""))
        ],
    )
    for row, (each, standings, history) in enumerate(calls, 1):
        of_metric = metric_of(each, metric)
        for group, (name, colour, _) in _GROUPS.items():
            bar = _bar(go, standings, group, name, colour)
            figure.add_trace(bar.update(showlegend=row == 1), row=row, col=1)
            if of_metric is not None:
                figure.add_trace(_values(go, standings, history, group, of_metric), row=row, col=2)
        figure.update_xaxes(title="asked as far as step", type="category", row=row, col=1)
        figure.update_xaxes(
            title="step",
            type="category",
            categoryarray=[str(each.step) for each in standings],
            range=[-0.5, len(standings) - 0.5],  # all of them, in which nothing was evaluated, too
            row=row,
            col=2,
        )
        figure.update_yaxes(title="trials", row=row, col=1)
        figure.update_yaxes(type="log" if log_y else "linear", row=row, col=2)
    figure.update_layout(barmode="stack", height=120 + 300 * len(calls))
    styled(figure, title=title or f"rungs of {names_of(drawn)}", dark=dark)
    return figure.update_layout(legend={"y": -0.25 / len(calls), "yanchor": "top", "x": 0, "xanchor": "left"})


def _rungs_by_call(drawn: Sequence[Study], metric: str | None) -> list[_CallRungs]:
    """Return the rungs of each call of a tuner that had some.

    Raises:
      OptionError: none had, or no trial has this metric.
    """
    calls: list[_CallRungs] = []
    for each in drawn:
        trials = each.trials
        history = {trial.number: dict(trial.history) for trial in trials}
        check_metric(each, metric, (name for known in history.values() for at in known.values() for name in at))
        found = rungs(trials)
        calls += [
            (each, [rung for rung in found if rung.call == call], history)
            for call in dict.fromkeys(rung.call for rung in found)
        ]
    if not calls:
        names = ", ".join(repr(each.name) for each in drawn)
        raise OptionError(
            f"study {names} has no rungs: none of its tuners asked some trials for more steps than others. "
            "SuccessiveHalving, Hyperband, ASHA, PASHA and BOHB do"
        )
    return calls


def _said(study: Study, standings: Sequence[RungStanding], drawn: Sequence[Study]) -> str:
    call = f"call {standings[0].call}: trials by rung"
    return call if len(drawn) == 1 else f"{html.escape(study.name)}, {call}"


def _bar(go: Any, standings: Sequence[RungStanding], group: str, name: str, colour: str) -> Any:
    numbers = [getattr(standing, group) for standing in standings]
    return go.Bar(
        name=name,
        legendgroup=group,
        x=[str(standing.step) for standing in standings],
        y=[len(own) for own in numbers],
        text=[len(own) or "" for own in numbers],
        textangle=0,
        marker={"color": colour},
        customdata=[", ".join(map(str, own[:8])) + (", ..." if len(own) > 8 else "") for own in numbers],
        hovertemplate=f"%{{y}} {name} at step %{{x}}<br>trials %{{customdata}}<extra></extra>",
    )


def _values(
    go: Any, standings: Sequence[RungStanding], history: dict[int, dict[int, Metrics]], group: str, metric: str
) -> Any:
    points = [
        (str(standing.step), history[number][standing.step][metric], number)
        for standing in standings
        for number in getattr(standing, group)
        if metric in history[number].get(standing.step, {})
    ]
    name, colour, symbol = _GROUPS[group]
    return go.Scatter(
        name=name,
        legendgroup=group,
        showlegend=False,
        x=[step for step, _, _ in points],
        y=[value for _, value, _ in points],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.5, "color": colour}},
        customdata=[number for _, _, number in points],
        hovertemplate=f"trial %{{customdata}}, {name}<br>%{{y:.5g}} at step %{{x}}<extra></extra>",
    )


def plot_branches(
    study: Study | Sequence[Study],
    *,
    metric: str = "loss",
    log_y: bool = False,
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return what `train()` returned over steps: the way that was taken to the end, and the branches that left it.

    Made for MLTuner, which compares branches by their training loss; other tuners' trees are drawn as well.

    Args:
      study: one, or several in colours of their own.
      metric: a name that `train()` returns.
      log_y: a logarithmic axis.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: `train()` returned no such metric.
    """
    go = need_plotly("plot_branches")
    drawn, figure = those(study), go.Figure()
    for number, each in enumerate(drawn):
        seen = each.read()
        try:
            found = training_curves(seen.tree(), [*seen.trials, *branch_trials(seen)], metric)
        except ValueError as error:
            raise OptionError(f"study {each.name!r}: of what train() returned, {error}{why_nothing(seen)}") from None
        furthest = max(seen.trials, key=lambda trial: (trial.step, -trial.number))
        # a branch in a plan of its own has the number of the way that goes on along it
        taken = {furthest.member, *(each.member for each in furthest.replicates)}
        calm, strong = ((GREY, VERMILION), (SKY, BLUE), (ORANGE, GREEN))[number % 3]
        for is_taken, name, colour in ((False, "branches", calm), (True, f"trial {furthest.number}", strong)):
            ways = [
                curve
                for curve in found
                if (curve.row.member in taken and furthest.number in curve.row.trials) is is_taken
            ]
            if ways:
                shown = name if len(drawn) == 1 else f"{html.escape(each.name)}: {name}"
                figure.add_trace(_way(go, ways, shown, colour, width=3 if is_taken else 1.2))
    figure.update_xaxes(title="step", zeroline=False)
    figure.update_yaxes(title=html.escape(metric), type="log" if log_y else "linear")
    return styled(figure, title=title or f"branches of {names_of(drawn)}", dark=dark)


def _way(go: Any, curves: Sequence[NodeCurve], name: str, colour: str, *, width: float) -> Any:
    steps: list[Any] = []
    values: list[Any] = []
    said: list[str] = []
    for curve in curves:
        steps += [*curve.steps, None]  # nothing in between two nodes
        values += [*curve.values, None]
        said += [html.escape(curve.row.values[:90])] * (len(curve.steps) + 1)
    return go.Scattergl(
        x=steps,
        y=values,
        name=name,
        mode="lines",
        line={"color": colour, "width": width},
        text=said,
        hovertemplate="step %{x}: %{y:.5g}<br>%{text}<extra></extra>",
    )
