"""How sharing grew with each trial, and what was walked as lanes of one program, as pictures."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hippo.errors import OptionError
from hippo.views import fused_steps, merge_rates
from hippo.visualization.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    VERMILION,
    names_of,
    need_plotly,
    styled,
    those,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, GREY)


def plot_merge_rate(study: Study | Sequence[Study], *, title: str = "", dark: bool = False) -> go.Figure:
    """Return the merge rate of a study's first trial, first two, and so on: how sharing grew.

    Args:
      study: one, or several; each member of a study has a line.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: no trial has anything yet.
    """
    go = need_plotly("plot_merge_rate")
    drawn, figure = those(study), go.Figure()
    for each in drawn:
        seen = each.read()
        points = merge_rates(seen.tree(), seen.trials)
        for member in dict.fromkeys(point.member for point in points):
            own = [point for point in points if point.member == member]
            named = [part for part in (each.name if len(drawn) > 1 else "", member) if part]
            figure.add_trace(
                go.Scatter(
                    x=list(range(1, len(own) + 1)),
                    y=[point.merge_rate for point in own],
                    name=html.escape(", ".join(named)) or "merge rate",
                    mode="lines+markers" if len(own) < 50 else "lines",
                    line={"color": _COLOURS[len(figure.data) % len(_COLOURS)], "width": 2},
                    customdata=[(point.trial, point.asked, point.distinct) for point in own],
                    hovertemplate="%{y:.3f} with trial %{customdata[0]}<br>"
                    "%{customdata[1]} steps asked for, %{customdata[2]} distinct",
                )
            )
    if not figure.data:
        raise OptionError(f"study {drawn[0].name!r} has no trial yet, and so no merge rate; run it first")
    figure.update_xaxes(title="trials", zeroline=False)
    figure.update_yaxes(title="merge rate", zeroline=False)
    styled(figure, title=title or f"merge rate of {names_of(drawn)}", dark=dark)
    return figure.update_layout(showlegend=len(figure.data) > 1)


def plot_fusion(study: Study | Sequence[Study], *, title: str = "", dark: bool = False) -> go.Figure:
    """Return which steps were walked as lanes of one program, what they took, and how far twins came away.

    Args:
      study: one, or several, below one another.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: in none of the studies were steps walked together.
    """
    go = need_plotly("plot_fusion")
    from plotly.subplots import make_subplots

    drawn = those(study)
    seen = [(each, each.read()) for each in drawn]
    found = [fused_steps(view.statistics(), view.tree()) for _, view in seen]
    if not any(each.together for each in found):
        asked = ", ".join(repr(each.name) for each in drawn)
        raise OptionError(
            f"study {asked} walked no steps together; create_study(..., numerics='fused') allows it to, where its "
            "trainer can"
        )
    names = [html.escape(each.name) for each in drawn]
    labels = [f"{name}<br>{each.mean_lanes:.1f} lanes" for name, each in zip(names, found, strict=True)]
    with_drifts = any(each.drifts for each in found)
    titles = ["steps", "device-seconds", *(["distance of a twin, by the way walked"] if with_drifts else [])]
    figure = make_subplots(rows=len(titles), subplot_titles=titles, vertical_spacing=0.5 / len(titles))
    charts = (
        (1, "steps", (("walked together", SKY, "together"), ("walked alone", GREY, "alone"))),
        (2, "s", (("walked together", SKY, "together_seconds"), ("walked alone", GREY, "alone_seconds"),
                  ("finding out how", ORANGE, "check_seconds"))),
    )  # fmt: skip
    for row, unit, bars in charts:
        for name, colour, field in bars:
            bar = go.Bar(
                name=name,
                legendgroup=name,
                showlegend=row == 1 or field == "check_seconds",
                orientation="h",
                y=labels,
                x=[getattr(each, field) for each in found],
                marker={"color": colour},
                hovertemplate=f"{name}: %{{x:.5g}} {unit}<extra>%{{y}}</extra>",
            )
            figure.add_trace(bar, row=row, col=1)
    for number, (name, each) in enumerate(zip(names, found, strict=True)):
        if each.drifts:
            drifts = go.Scatter(
                name=f"{name}: twins",
                x=[step for step, _ in each.drifts],
                y=[drift for _, drift in each.drifts],
                mode="markers",
                marker={"color": _COLOURS[number % len(_COLOURS)], "size": 8},
                hovertemplate="%{y:.2g} at step %{x}",
            )
            figure.add_trace(drifts, row=3, col=1)
            figure.update_yaxes(type="log", row=3, col=1)
    figure.update_layout(barmode="stack", height=180 + 150 * len(titles) + 40 * len(drawn))
    styled(figure, title=title or f"lanes of {names_of(drawn)}", dark=dark)
    return figure.update_layout(legend={"y": -0.15, "yanchor": "top", "x": 0, "xanchor": "left"})
