"""The stage tree as a picture: each node once, thick where many trials share it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.views import TreeLayout, TreeLine, tree_layout
from hippo.visualization.drawing import GREY, ORANGE, metric_of, names_of, need_plotly, styled, those

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

#: pixels of a line that one trial walks, two, four, eight, ...
_WIDTHS = (1.5, 3.0, 5.0, 7.0, 9.0)
_LINE_PX, _LEAST_PX, _MOST_PX = 14, 320, 2_000
#: characters of one line of what is said of a node
_SAID = 90


def plot_stage_tree(
    study: Study | Sequence[Study], *, metric: str | None = None, title: str = "", dark: bool = False
) -> go.Figure:
    """Return the tree of training states that trials share: steps from left to right, a line for each node.

    A line is the thicker the more trials go through it, and its end has the colour of its last metric. Diamonds are
    states that are kept. What is pointed at says what changed there, which trials share it, and its metrics.

    Args:
      study: one, or several, drawn below one another.
      metric: that ends are coloured by; by default the study's (first) objective.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: no trial has anything yet.
    """
    go = need_plotly("plot_stage_tree")
    layouts = [(each, tree_layout(each.tree())) for each in those(study)]
    if not any(layout.lines for _, layout in layouts):
        raise OptionError(f"study {layouts[0][0].name!r} has no trial yet, and so no tree; run it first")
    figure, above = go.Figure(), 0
    for each, layout in layouts:
        for trace in _traces(go, layout, above, metric_of(each, metric), is_first=not above):
            figure.add_trace(trace)
        above += layout.height + 1
    names = names_of([each for each, _ in layouts])
    figure.update_layout(height=min(_MOST_PX, max(_LEAST_PX, 160 + _LINE_PX * above)), hovermode="closest")
    figure.update_xaxes(title="step", zeroline=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    return styled(figure, title=title or f"stage tree of {names}", dark=dark)


def _traces(go: Any, layout: TreeLayout, above: int, metric: str | None, *, is_first: bool) -> list[Any]:
    ways: list[tuple[list[Any], list[Any]]] = [([], []) for _ in _WIDTHS]
    down: tuple[list[Any], list[Any]] = ([], [])
    kept: tuple[list[Any], list[Any]] = ([], [])
    for each in layout.lines:
        thickness = min(len(_WIDTHS) - 1, int(math.log2(max(1, len(each.row.trials)))))
        _append(ways[thickness], (each.start, above + each.line), (each.stop, above + each.line))
        if each.from_line not in (None, each.line):
            _append(down, (each.start, above + each.from_line), (each.start, above + each.line))
        for step in each.row.checkpoints:
            kept[0].append(step)
            kept[1].append(above + each.line)
    traces = [_way(go, down, 1.0, "")]
    for number, (width, way) in enumerate(zip(_WIDTHS, ways, strict=True)):
        if way[0]:
            traces.append(_way(go, way, width, _count(number)))
    traces.append(
        go.Scattergl(
            x=kept[0],
            y=kept[1],
            name="state kept",
            mode="markers",
            marker={"symbol": "diamond", "size": 8, "color": ORANGE, "line": {"width": 1, "color": "white"}},
            hovertemplate="state after step %{x}<extra></extra>",
            showlegend=is_first and bool(kept[0]),
        )
    )
    traces.append(_ends(go, layout.lines, above, metric, is_first=is_first))
    return traces


def _append(way: tuple[list[Any], list[Any]], *points: tuple[Any, Any]) -> None:
    for x, y in (*points, (None, None)):  # nothing in between two ways
        way[0].append(x)
        way[1].append(y)


def _way(go: Any, way: tuple[list[Any], list[Any]], width: float, name: str) -> Any:
    return go.Scattergl(
        x=way[0],
        y=way[1],
        name=name,
        mode="lines",
        line={"color": GREY, "width": width},
        hoverinfo="skip",
        showlegend=False,
    )


def _count(number: int) -> str:
    return f"{2**number} trials or more"


def _ends(go: Any, lines: Sequence[TreeLine], above: int, metric: str | None, *, is_first: bool) -> Any:
    values = [_last(each, metric) for each in lines]
    marker: dict[str, Any] = {"size": 9, "color": GREY}
    if any(value is not None for value in values):
        colours = [math.nan if value is None else value for value in values]
        bar = {"title": {"text": metric}, "thickness": 12}
        marker |= {"color": colours, "colorscale": "Viridis", "showscale": is_first, "colorbar": bar}
    return go.Scattergl(
        x=[each.stop for each in lines],
        y=[above + each.line for each in lines],
        name="node",
        mode="markers",
        marker=marker,
        text=[_said(each) for each in lines],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )


def _last(each: TreeLine, metric: str | None) -> float | None:
    known = [step for step, metrics in each.row.metrics.items() if metric in metrics]
    value = each.row.metrics[max(known)][metric] if known and metric is not None else None
    return value if value is not None and math.isfinite(value) else None


def _said(each: TreeLine) -> str:
    row = each.row
    numbers = ", ".join(map(str, row.trials[:8])) + (", ..." if len(row.trials) > 8 else "")
    parts = [
        f"<b>steps {row.start} to {row.stop}</b>" + (f" ({html.escape(row.member)})" if row.member else ""),
        _cut(row.values),
        f"{'trial' if len(row.trials) == 1 else 'trials'} {numbers}",
    ]
    if row.metrics:
        last = max(row.metrics)
        shown = ", ".join(f"{name} {value:.4g}" for name, value in sorted(row.metrics[last].items()))
        parts.append(f"{_cut(shown)} at {last}")
    return "<br>".join(part for part in parts if part)


def _cut(text: str) -> str:
    """Return a user's text, of which nothing is taken for markup, as short as a picture needs it."""
    return html.escape(text if len(text) <= _SAID else f"{text[:_SAID]}...")
