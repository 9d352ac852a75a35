"""A coordinate check as a picture: how large each module's output is at each width. It refuses to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hippo.errors import HippoError
from hippo.surrogates import CoordinateCheck, ModuleSlope

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: what stays, and what grows more than is allowed (Okabe and Ito 2008, distinguishable to all)
_CALM, _GROWS = "#56B4E9", "#D55E00"


def plot_coordinate_check(check: CoordinateCheck, *, title: str = "") -> go.Figure:
    """Return a chart for each update: a line for each module, over the width; those that grow too fast stand out.

    Args:
      check: what `hippo.coordinate_check` returned.
      title: above the chart; by default trainer, parametrization and verdict.

    Raises:
      HippoError: plotly is not there.
    """
    try:
        import plotly.graph_objects as go
        from plotly.subplots import make_subplots
    except ImportError:
        raise HippoError("plot_coordinate_check() needs plotly: pip install 'hippo-tune[plotly]'") from None
    updates = sorted({each.update for each in check.slopes})
    figure = make_subplots(
        cols=len(updates), shared_yaxes=True, subplot_titles=[f"after {update} updates" for update in updates]
    )
    for each in check.slopes:
        figure.add_trace(_line(go, check, each, updates[0]), row=1, col=1 + updates.index(each.update))
    verdict = "passed" if check.is_passed else "failed"
    figure.update_layout(
        title=title
        or f"{check.trainer}, {check.parametrization}: {verdict}, steepest slope {check.steepest.slope:.2f}",
        template="plotly_white",
    )
    figure.update_xaxes(type="log", title="width of the target", tickvals=_widths(check), ticktext=_names(check))
    figure.update_yaxes(type="log")
    figure.update_yaxes(title="mean |output|", col=1)
    return figure


def _line(go: Any, check: CoordinateCheck, each: ModuleSlope, first: int) -> Any:
    name = each.module or "the model"
    return go.Scatter(
        name=name,
        legendgroup=name,
        showlegend=each.update == first,
        x=_widths(check),
        y=each.sizes,
        mode="lines+markers",
        line={"color": _GROWS if check.is_too_steep(each) else _CALM},
        hovertemplate=f"{name}, slope {each.slope:.2f}<br>%{{y:.4g}} at %{{x:.4g}} of the width",
    )


def _widths(check: CoordinateCheck) -> list[float]:
    return [1 / scale for scale in check.scales]


def _names(check: CoordinateCheck) -> list[str]:
    return [f"1/{scale}" for scale in check.scales]
