"""What each slot did when, as a picture. It draws intervals and refuses to know who decided them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError
from hippo.simulation import Interval, Work

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: kind of work -> colour; training, most of it, is calm, and what costs without bringing anything is not
#: (Okabe and Ito 2008, distinguishable to all)
COLOURS = {
    Work.TRAIN: "#56B4E9",
    Work.CHECK: "#0072B2",
    Work.EVALUATE: "#009E73",
    Work.SAVE: "#F0E442",
    Work.LOAD: "#E69F00",
    Work.START: "#999999",
    Work.WORKER_START: "#555555",
    Work.LOST: "#D55E00",
}
_HOUR_S = 3600.0


def plot_gantt(intervals: Iterable[Interval], *, title: str = "", max_slots: int = 200) -> go.Figure:
    """Return a chart with a row for each slot, and a bar for each interval, coloured by kind of work.

    Args:
      intervals: `Simulation.intervals`.
      title: above the chart.
      max_slots: rows; slots with larger numbers are left out, and the title says so.

    Raises:
      HippoError: plotly is not there, or there is nothing to draw.
    """
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise HippoError("plot_gantt() needs plotly: pip install 'hippo-tune[plotly]'") from None
    known = list(intervals)
    if not known:
        raise HippoError("there are no intervals to draw; simulate with keep_intervals=True")
    drawn = [interval for interval in known if interval.slot < max_slots]
    figure = go.Figure([_bars(go, work, [i for i in drawn if i.work is work]) for work in COLOURS])
    slots = 1 + max(interval.slot for interval in known)
    if slots > max_slots:
        title = f"{title} (the first {max_slots} of {slots} slots)".strip()
    figure.update_layout(
        title=title or None,
        barmode="overlay",
        bargap=0.15,
        height=max(300, 120 + 16 * min(slots, max_slots)),
        xaxis_title="hours",
        yaxis={"title": "slot", "autorange": "reversed", "dtick": max(1, min(slots, max_slots) // 40)},
        template="plotly_white",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )
    return figure


def _bars(go: Any, work: Work, intervals: Sequence[Interval]) -> Any:
    return go.Bar(
        name=work.value,
        orientation="h",
        y=[interval.slot for interval in intervals],
        base=[interval.began_s / _HOUR_S for interval in intervals],
        x=[(interval.ended_s - interval.began_s) / _HOUR_S for interval in intervals],
        marker={"color": COLOURS[work], "line": {"color": "white", "width": 0.5}},
        customdata=[(interval.node, interval.start, interval.stop, interval.lease) for interval in intervals],
        hovertemplate="node %{customdata[0]}, steps %{customdata[1]} to %{customdata[2]}<br>"
        "lease %{customdata[3]}<br>%{base:.3f} h, for %{x:.3f} h",
        visible=True if intervals else "legendonly",
    )
