"""The stage tree as a picture: each node once, thick where many trials share it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.study.results.remaining import what_remains
from hippo.views import NodeStates, StretchState, TreeLayout, TreeLine, tree_layout, tree_states
from hippo.visualization.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    VERMILION,
    add_scales,
    check_metric,
    metric_of,
    names_of,
    need_plotly,
    scale_of,
    styled,
    those,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study, StudyView

#: pixels of a line that one trial walks, two, four, eight, ...
_WIDTHS = (1.5, 3.0, 5.0, 7.0, 9.0)
_LINE_PX, _LEAST_PX, _MOST_PX = 14, 320, 2_000
#: characters of one line of what is said of a node
_SAID = 90
#: state -> what it is called, its colour, and what tells it without colours: dashes of a line, the symbol of its end
_STATES = {
    StretchState.DONE: ("trained", BLUE, "solid", "circle"),
    StretchState.RUNNING: ("running", GREEN, "solid", "triangle-right"),
    StretchState.WAITING: ("waiting for a slot", "#CC79A7", "dash", "circle-open"),
    StretchState.FAILED: ("failed", VERMILION, "dot", "x"),
    StretchState.DROPPED: ("no longer asked for", GREY, "dot", "square-open"),
}
_COLOURS = ("metric", "state")


def plot_stage_tree(
    study: Study | Sequence[Study],
    *,
    metric: str | None = None,
    colour: str = "metric",
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return the tree of training states that trials share: steps from left to right, a line for each node.

    A line is the thicker the more trials go through it, and its end has the colour of its last metric. Diamonds are
    states that are kept. What is pointed at says what changed there, which trials share it, and its metrics.

    Args:
      study: one, or several, drawn below one another.
      metric: that ends are coloured by, on one scale for all studies; by default the (first) objective of each.
      colour: "metric", or "state": how far each stretch is, and the longest chain that remains as a band.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: no trial has anything yet, or there is no such metric or colour.
    """
    if colour not in _COLOURS:
        raise OptionError(f"colour={colour!r}: a stage tree is coloured by one of {', '.join(map(repr, _COLOURS))}")
    go = need_plotly("plot_stage_tree")
    drawn = [(each, each.read()) for each in those(study)]  # one reading of each: what is told of it fits together
    layouts = [(each, view, tree_layout(view.tree())) for each, view in drawn]
    if not any(layout.lines for _, _, layout in layouts):
        raise OptionError(f"study {layouts[0][0].name!r} has no trial yet, and so no tree; run it first")
    figure, above = go.Figure(), 0
    scales: dict[str, str] = {}
    for each, view, layout in layouts:
        check_metric(each, metric, (name for line in layout.lines for at in line.row.metrics.values() for name in at))
        traces = (
            _traces(go, layout, above, metric_of(each, metric), scales)
            if colour == "metric"
            else _state_traces(go, view, layout, above)
        )
        figure.add_traces(traces)
        above += layout.height + 1
    _name_once(figure)
    add_scales(figure, scales)
    names = names_of([each for each, _ in drawn])
    figure.update_layout(height=min(_MOST_PX, max(_LEAST_PX, 160 + _LINE_PX * above)), hovermode="closest")
    figure.update_xaxes(title="step", zeroline=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    return styled(figure, title=title or f"stage tree of {names}", dark=dark)


def _traces(go: Any, layout: TreeLayout, above: int, metric: str | None, scales: dict[str, str]) -> list[Any]:
    ways: list[tuple[list[Any], list[Any]]] = [([], []) for _ in _WIDTHS]
    for each in layout.lines:
        _append(ways[_thickness(each)], (each.start, above + each.line), (each.stop, above + each.line))
    traces = [_way(go, _down(layout, above), 1.0, "")]
    for number, (width, way) in enumerate(zip(_WIDTHS, ways, strict=True)):
        if way[0]:
            traces.append(_way(go, way, width, _count(number)))
    traces += [_kept(go, layout, above), _ends(go, layout.lines, above, metric, scales)]
    return traces


def _name_once(figure: Any) -> None:
    """Leave each name in the legend once, however many studies have such traces."""
    named: set[str] = set()
    for trace in figure.data:
        trace.showlegend = bool(trace.showlegend) and trace.name not in named
        if trace.showlegend:
            named.add(trace.name)


def _state_traces(go: Any, view: StudyView, layout: TreeLayout, above: int) -> list[Any]:
    """Return the traces of a tree that is coloured by how far it is."""
    left = what_remains(view)
    lines = {(each.row.member, each.row.node): each for each in layout.lines}
    found = tree_states([each.row for each in layout.lines], left)
    band: tuple[list[Any], list[Any]] = ([], [])
    for part in left.longest:
        at = above + lines[part.member, part.node].line
        _append(band, (part.start, at), (part.stop, at))
    longest = {"color": ORANGE, "width": 16}
    traces = [
        go.Scatter(
            x=band[0],
            y=band[1],
            name="longest chain that remains",
            mode="lines",
            line=longest,
            opacity=0.5,
            hoverinfo="skip",
            showlegend=bool(band[0]),
        ),
        _way(go, _down(layout, above), 1.0, ""),
    ]
    for state in StretchState:
        traces += _of_state(go, state, [(lines[each.row.member, each.row.node], each) for each in found], above)
    return [*traces, _kept(go, layout, above)]


def _of_state(go: Any, state: StretchState, nodes: Sequence[tuple[TreeLine, NodeStates]], above: int) -> list[Any]:
    """Return the lines of a state, by their thickness, and the ends that are in it."""
    name, colour, dash, symbol = _STATES[state]
    ways: dict[int, tuple[list[Any], list[Any]]] = {}
    for line, each in nodes:
        for part in each.stretches:
            if part.state is state:
                at = above + line.line
                _append(ways.setdefault(_thickness(line), ([], [])), (part.start, at), (part.stop, at))
    traces = [
        go.Scatter(
            x=way[0],
            y=way[1],
            name=name,
            mode="lines",
            legendgroup=name,
            showlegend=False,
            line={"color": colour, "width": _WIDTHS[thickness], "dash": dash},
            hoverinfo="skip",
        )
        for thickness, way in sorted(ways.items())
    ]
    ends = [line for line, each in nodes if each.end is state]
    if ends:
        traces.append(
            go.Scatter(
                x=[line.stop for line in ends],
                y=[above + line.line for line in ends],
                name=name,
                mode="markers",
                legendgroup=name,
                marker={"size": 10, "color": colour, "symbol": symbol},
                text=[_said(line) for line in ends],
                hovertemplate=f"{name}<br>%{{text}}<extra></extra>",
                showlegend=True,
            )
        )
    return traces


def _thickness(each: TreeLine) -> int:
    return min(len(_WIDTHS) - 1, int(math.log2(max(1, len(each.row.trials)))))


def _down(layout: TreeLayout, above: int) -> tuple[list[Any], list[Any]]:
    """Return the ways down from a node to those that leave it."""
    down: tuple[list[Any], list[Any]] = ([], [])
    for each in layout.lines:
        if each.from_line not in (None, each.line):
            _append(down, (each.start, above + each.from_line), (each.start, above + each.line))
    return down


def _kept(go: Any, layout: TreeLayout, above: int) -> Any:
    kept = [(step, above + each.line) for each in layout.lines for step in each.row.checkpoints]
    return go.Scattergl(
        x=[step for step, _ in kept],
        y=[line for _, line in kept],
        name="state kept",
        mode="markers",
        marker={"symbol": "diamond", "size": 8, "color": ORANGE, "line": {"width": 1, "color": "white"}},
        hovertemplate="state after step %{x}<extra></extra>",
        showlegend=bool(kept),
    )


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


def _ends(go: Any, lines: Sequence[TreeLine], above: int, metric: str | None, scales: dict[str, str]) -> Any:
    values = [_last(each, metric) for each in lines]
    marker: dict[str, Any] = {"size": 9, "color": GREY}
    if any(value is not None for value in values):
        colours = [math.nan if value is None else value for value in values]
        marker |= {"color": colours, "coloraxis": scale_of(metric, scales)}
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
