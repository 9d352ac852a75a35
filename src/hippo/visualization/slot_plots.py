"""What each slot did when, of a study or of a simulation, as a picture."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.simulation import Simulation
from hippo.study import LeaseState
from hippo.study.results.recorded_results import RecordedResults
from hippo.views import SlotBar, SlotTimes, slots
from hippo.visualization.drawing import GREEN, GREY, SKY, VERMILION, names_of, need_plotly, styled, those
from hippo.visualization.gantt import plot_gantt

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

#: what a bar is called, its colour, and which bars are of the kind; the first that holds
_KINDS: tuple[tuple[str, str, Callable[[SlotBar], bool]], ...] = (
    ("lost with its slot", VERMILION, lambda bar: bar.state is LeaseState.LOST),
    ("running", GREEN, lambda bar: bar.state is LeaseState.RUNNING),
    ("another study's", GREY, lambda bar: not bar.is_own),
    ("this study's", SKY, lambda bar: True),
)
#: how much of a row its bars fill
_HEIGHT = 0.8
#: spans that are named where one points
_MOST_SAID = 6


def plot_slots(
    study: Study | Simulation, *, title: str = "", max_slots: int = 200, dark: bool = False, now: float | None = None
) -> go.Figure:
    """Return what each slot did when: of a study the work that it was given, of a simulation each part of it.

    Lanes that are walked together lie above one another. Of work whose end nobody saw, since its process was killed or
    an older hippo did not write it down, the beginning is marked.

    Args:
      study: a study, or a simulation made with `keep_intervals=True`, which is the default.
      title: above the chart.
      max_slots: rows; further slots are left out, and the title says so.
      dark: for a dark page.
      now: of a study that runs: until when that is drawn, in seconds since the epoch; by default, until the last
        moment that is written down.

    Raises:
      HippoError: plotly is not there, or the simulation kept no intervals.
      OptionError: it is neither, or no slot was given any work.
    """
    if isinstance(study, Simulation):
        figure = plot_gantt(study.intervals, title=title, max_slots=max_slots)
        return figure.update_layout(template="plotly_dark") if dark else figure
    if not isinstance(study, RecordedResults):
        raise OptionError(
            f"plot_slots() draws a study, or what hippo.simulation.simulate() returned, and not {study!r}"
        )
    go = need_plotly("plot_slots")
    drawn = those(study)
    seen = drawn[0].read()
    times = slots(seen.leases(), seen.tree(), now=now)
    if not times.bars:
        raise OptionError(f"study {drawn[0].name!r}: no slot was given any work yet")
    title = title or f"slots of {names_of(drawn)}"
    rows = {use.slot: row for row, use in enumerate(times.slots[:max_slots])}
    if len(times.slots) > max_slots:
        title = f"{title} (the first {max_slots} of {len(times.slots)})"
    return styled(_figure(go, times, rows), title=title, dark=dark)


def _figure(go: Any, times: SlotTimes, rows: dict[str, int]) -> Any:
    unit, unit_s = time_unit(times.span_s)
    shown = [bar for bar in times.bars if bar.slot in rows]
    figure = go.Figure()
    for number, (name, colour, _) in enumerate(_KINDS):
        own = [bar for bar in shown if bar.ended_s is not None and _kind(bar) == number]
        if own:
            figure.add_trace(_drawn(go, own, rows, unit_s, name, colour))
    unknown = [bar for bar in shown if bar.ended_s is None]
    if unknown:
        figure.add_trace(_marked(go, unknown, rows, unit_s))
    figure.update_layout(barmode="overlay", height=max(300, 160 + 28 * len(rows)))
    figure.update_xaxes(title=unit, zeroline=False, range=[0, max(times.span_s, 1e-9) / unit_s * 1.01])
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5], tickvals=list(rows.values()), ticktext=list(map(html.escape, rows))
    )
    return figure


def time_unit(span_s: float) -> tuple[str, float]:
    """Return the unit in which a time is told, and its seconds."""
    units = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0))
    return next(((unit, seconds) for unit, seconds in units if span_s >= 3 * seconds), ("seconds", 1.0))


def _kind(bar: SlotBar) -> int:
    return next(number for number, (_, _, holds) in enumerate(_KINDS) if holds(bar))


def _drawn(go: Any, bars: Sequence[SlotBar], rows: dict[str, int], unit_s: float, name: str, colour: str) -> Any:
    return go.Bar(
        name=name,
        orientation="h",
        y=[rows[bar.slot] + _HEIGHT * ((bar.lane + 0.5) / bar.lanes - 0.5) for bar in bars],
        width=[_HEIGHT / bar.lanes for bar in bars],
        base=[bar.began_s / unit_s for bar in bars],
        x=[((bar.ended_s or 0.0) - bar.began_s) / unit_s for bar in bars],
        marker={"color": colour, "line": {"color": "rgba(255,255,255,0.6)", "width": 0.5}},
        text=[_said(bar) for bar in bars],
        textposition="none",
        hovertemplate="%{text}<br>from %{base:.5g}, for %{x:.5g}<extra></extra>",
    )


def _marked(go: Any, bars: Sequence[SlotBar], rows: dict[str, int], unit_s: float) -> Any:
    return go.Scatter(
        name="began; nobody saw its end",
        mode="markers",
        y=[rows[bar.slot] for bar in bars],
        x=[bar.began_s / unit_s for bar in bars],
        marker={"symbol": "line-ns-open", "size": 12, "color": VERMILION},
        text=[_said(bar) for bar in bars],
        hovertemplate="%{text}<br>from %{x:.5g}<extra></extra>",
    )


def _said(bar: SlotBar) -> str:
    spans = [f"node {span.node}, steps {span.start} to {span.stop}" for span in bar.spans[:_MOST_SAID]]
    more = [f"and {len(bar.spans) - _MOST_SAID} more"] if len(bar.spans) > _MOST_SAID else []
    lane = f", lane {bar.lane + 1} of {bar.lanes}" if bar.lanes > 1 else ""
    gang = f", one of {bar.width} slots" if bar.width > 1 else ""
    of = f" of {html.escape(bar.member)}" if bar.member else ""
    return "<br>".join([f"lease {bar.lease}{of}, {bar.state.value}{lane}{gang}", *spans, *more])
