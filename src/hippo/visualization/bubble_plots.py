"""What guests did in the bubbles of a large job's ranks, as a picture: Hu et al. 2023, "Hydro", Figure 15, in kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hippo.errors import OptionError
from hippo.visualization.drawing import BLUE, GREY, ORANGE, SKY, need_plotly, styled

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.engines.bubble_report import BubbleReport, BubbleSpan

_LARGE, _EMPTY, _GUEST, _LATE = "the large job", "empty bubble", "guest", "the large job waits for the guest"
_COLOURS = {_LARGE: GREY, _EMPTY: SKY, _GUEST: BLUE, _LATE: ORANGE}


def plot_bubbles(
    report: BubbleReport | Mapping[int, BubbleReport], *, title: str = "", dark: bool = False
) -> go.Figure:
    """Return the newest steps of a large job that had a guest: what each rank computed, waited for, and let it compute.

    Args:
      report: what `squeezed.report()` returned; or those of several ranks, by rank.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: there is no step with a guest yet.
    """
    go = need_plotly("plot_bubbles")
    reports = dict(report) if isinstance(report, Mapping) else {0: report}
    bars = [(rank, *bar) for rank in sorted(reports) for bar in _bars(reports[rank])]
    if not bars:
        raise OptionError(
            "no step had a guest yet: the first steps, and those after it stopped, are the large job's alone"
        )
    figure = go.Figure()
    for what, colour in _COLOURS.items():
        of_kind = [(rank, begin, end) for rank, kind, begin, end in bars if kind == what]
        if of_kind:
            figure.add_trace(
                go.Bar(
                    name=what,
                    orientation="h",
                    y=[f"rank {rank}" for rank, _, _ in of_kind],
                    base=[1000 * begin for _, begin, _ in of_kind],
                    x=[1000 * (end - begin) for _, begin, end in of_kind],
                    marker={"color": colour, "line": {"width": 0}},
                    hovertemplate=f"{what}: %{{x:.4g}} ms from %{{base:.4g}} ms on<extra></extra>",
                )
            )
    figure.update_layout(barmode="overlay", bargap=0.3, height=max(260, 160 + 60 * len(reports)))
    figure.update_xaxes(title="ms")
    figure.update_yaxes(autorange="reversed", title=None)
    filled = sum(each.filled_s for each in reports.values()) / max(
        1e-9, sum(each.waited_s for each in reports.values())
    )
    return styled(figure, title=title or f"{100 * filled:.0f} % of bubble time filled", dark=dark)


def _bars(report: BubbleReport) -> Iterator[tuple[str, float, float]]:
    """Yield (what, begin, end) in seconds from the beginning of the first step that is drawn, without empty ones."""
    steps: dict[int, list[BubbleSpan]] = {}
    for span in report.trace:
        steps.setdefault(span.step, []).append(span)
    origin_s = 0.0
    for _, spans in sorted(steps.items()):
        at_s, lasted_s = 0.0, max(report.with_guest_s or 0.0, spans[-1].ended_s)
        for span in spans:
            yield from _bar(_LARGE, origin_s + at_s, origin_s + span.began_s)
            yield from _bar(_EMPTY, origin_s + span.began_s, origin_s + span.arrived_s)
            for begin, end in span.filled:  # over the bubble, and what was late over that
                yield from _bar(_GUEST, origin_s + begin, origin_s + min(end, span.arrived_s))
            yield from _bar(_LATE, origin_s + span.arrived_s, origin_s + span.ended_s)
            at_s = span.ended_s
        yield from _bar(_LARGE, origin_s + at_s, origin_s + lasted_s)
        origin_s += lasted_s


def _bar(what: str, begin: float, end: float) -> Iterator[tuple[str, float, float]]:
    if end > begin:
        yield what, begin, end
