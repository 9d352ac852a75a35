"""What states take in files, as a picture."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hippo.errors import OptionError
from hippo.plan import Rank
from hippo.views import storage
from hippo.views.storage import WHY
from hippo.visualization.drawing import BLUE, GREEN, GREY, ORANGE, SKY, need_plotly, styled, those

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

_COLOURS: Mapping[Rank, str] = {
    Rank.SPARE: GREY,
    Rank.PASSED: ORANGE,
    Rank.LAST: SKY,
    Rank.LIVE: BLUE,
    Rank.BEST: GREEN,
}
#: bytes of a megabyte
_MEGABYTE = 1e6


def plot_storage(study: Study | Sequence[Study], *, title: str = "", dark: bool = False) -> go.Figure:
    """Return what the states of studies take in files, by who would miss them, in the order in which they go.

    Studies of one plan have the same states.

    Args:
      study: one, or several.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: no state is kept in a file.
    """
    go = need_plotly("plot_storage")
    drawn, figure = those(study), go.Figure()
    uses = [storage(each.kept_states(), largest=0) for each in drawn]
    if not any(use.kinds for use in uses):
        raise OptionError(f"study {', '.join(repr(each.name) for each in drawn)} keeps no state in a file")
    for rank, why in WHY.items():
        kinds = [next((kind for kind in use.kinds if kind.rank is rank), None) for use in uses]
        if any(kinds):
            figure.add_trace(
                go.Bar(
                    name=why,
                    orientation="h",
                    y=[html.escape(each.name) for each in drawn],
                    x=[0.0 if kind is None else kind.size_bytes / _MEGABYTE for kind in kinds],
                    marker={"color": _COLOURS[rank]},
                    text=["" if kind is None else _said(kind.count, kind.steps, kind.seconds) for kind in kinds],
                    textposition="none",
                    hovertemplate=f"{why}: %{{x:.5g}} MB<br>%{{text}}<extra></extra>",
                )
            )
    figure.update_layout(barmode="stack", height=max(300, 200 + 60 * len(drawn)))
    figure.update_xaxes(title="MB")
    figure.update_yaxes(autorange="reversed", title=None)
    return styled(figure, title=title or "states in files", dark=dark)


def _said(count: int, steps: int, seconds: float) -> str:
    return f"{count} state{'' if count == 1 else 's'}; to make each again: {steps} steps, {seconds:.4g} s"
