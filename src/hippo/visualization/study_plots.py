"""Curves, schedules, and what sharing was worth, as pictures."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.study.results.trial_lines import trial_ways
from hippo.views import (
    CurveAxis,
    CurveChoice,
    NodeCurve,
    Savings,
    TrialSchedule,
    axis_named,
    chosen_curves,
    distinct_steps,
    parted,
    savings,
    schedules,
)
from hippo.visualization.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SKY,
    VERMILION,
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

_AXES = {
    CurveAxis.STEPS: "step",
    CurveAxis.SECONDS: "seconds since the first work in a slot",
    CurveAxis.DEVICE_SECONDS: "device-seconds of the whole way",
}
_SAID_BY_SECONDS = "after %{x:.4g} s, %{text}<extra></extra>"
_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, GREY)
#: legends of more lines are of no use
_MOST_NAMED = 12


def plot_curves(
    study: Study | Sequence[Study],
    *,
    metric: str | None = None,
    by: str = "steps",
    as_bands: bool = False,
    log_y: bool = False,
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return a metric over steps. What trials share is drawn once; the way of the best trial stands out.

    Args:
      study: one, or several in colours of their own.
      metric: one of `evaluate()`, or "train:" and the name of one of `train()`; by default the (first) objective, if
        it is the same for all studies.
      by: "steps"; "device-seconds" of the whole way; or "seconds" since work began, of what was measured where a lease
        ended: when steps in between were reached is not known.
      as_bands: of a study with several seeds, their average, and a band from the smallest to the largest of them,
        instead of each.
      log_y: a logarithmic axis.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: there is no such metric, or the plan does not know where it lies on this axis; says why.
    """
    go = need_plotly("plot_curves")
    axis = axis_named(by)
    figure, drawn = go.Figure(), those(study)
    shown = metric
    for number, each in enumerate(drawn):
        shown = metric_of(each, metric)
        if shown is None:
            raise OptionError(f"study {each.name!r} has no metric of its own; say which metric is to be drawn")
        if shown != metric_of(drawn[0], metric):
            raise OptionError(
                f"study {each.name!r} optimises {shown}, and study {drawn[0].name!r} {metric_of(drawn[0], metric)}: "
                "such values are not laid over one another; say which metric is to be drawn of each"
            )
        view = each.read()
        try:
            choice = CurveChoice(metric=shown, by=axis, as_bands=as_bands)
            found = chosen_curves(view.tree(), view.trials, choice, leases=view.leases)
        except ValueError as error:
            raise OptionError(f"study {each.name!r}: {error}{why_nothing(view)}") from None
        best = _best(each, shown)
        parts = parted(found, trial_ways(view, best))
        colour = GREY if len(drawn) == 1 else _COLOURS[number % len(_COLOURS)]
        for is_best in (False, True):
            own = [curve for curve, is_on_way in parts if is_on_way is is_best]
            if not own:
                continue
            shade = _strong(colour) if is_best else colour
            if as_bands:
                figure.add_trace(_band(go, own, shade, is_log=log_y))
            name = f"trial {best}, the best" if is_best else "all others"
            figure.add_trace(
                go.Scatter(
                    **_in_one_line(own),
                    name=name if len(drawn) == 1 else f"{html.escape(each.name)}: {name}",
                    mode="lines+markers",
                    line={"color": shade, "width": 3 if is_best else 1.2},
                    marker={"size": 5 if is_best else 3},
                    opacity=1.0 if is_best else 0.6,
                    hovertemplate="%{text}<extra></extra>" if axis is CurveAxis.STEPS else _SAID_BY_SECONDS,
                )
            )
    figure.update_xaxes(title=_AXES[axis], zeroline=False)
    said = html.escape(shown or "")
    figure.update_yaxes(title=said, type="log" if log_y else "linear")
    return styled(figure, title=title or f"{said} of {names_of(drawn)}", dark=dark)


def _in_one_line(curves: Sequence[NodeCurve]) -> dict[str, list[Any]]:
    """Return the points of curves, and what is said of each, as one trace has them, with a gap behind each curve."""
    places: list[Any] = []
    values: list[Any] = []
    said: list[Any] = []
    for curve in curves:
        trials = ", ".join(map(str, curve.row.trials[:8])) + (", ..." if len(curve.row.trials) > 8 else "")
        told = f"<br>{html.escape(curve.row.values[:90])}<br>trials {trials}"
        places += [*curve.places, None]
        values += [*curve.values, None]
        said += [f"step {step}: {value:.5g}{told}" for step, value in zip(curve.steps, curve.values, strict=True)]
        said += [""]
    return {"x": places, "y": values, "text": said}


def _band(go: Any, curves: Sequence[NodeCurve], colour: str, *, is_log: bool) -> Any:
    """Return an area from the smallest to the largest value of a seed along each curve."""
    x: list[float | None] = []
    y: list[float | None] = []
    for curve in curves:
        points = [
            (place, low, high)
            for place, low, high in zip(curve.places, curve.lows, curve.highs, strict=True)
            if math.isfinite(low) and math.isfinite(high) and (low > 0 or not is_log)
        ]
        x += [*(place for place, _, _ in points), *(place for place, _, _ in reversed(points)), None]
        y += [*(high for _, _, high in points), *(low for _, low, _ in reversed(points)), None]
    return go.Scatter(
        x=x, y=y, fill="toself", fillcolor=colour, opacity=0.2, mode="none", hoverinfo="skip", showlegend=False
    )


def _best(study: Study, metric: str) -> int | None:
    """Return the number of the best trial; None if none is, or if something else is drawn."""
    if len(study.objectives) != 1 or study.objectives[0].metric != metric:
        return None
    try:
        return study.best_trial.number
    except ValueError:
        return None


def _strong(colour: str) -> str:
    return VERMILION if colour == GREY else colour


def plot_schedules(
    study: Study | Sequence[Study],
    *,
    names: Sequence[str] | None = None,
    trials: Sequence[int] | None = None,
    log_y: bool = False,
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return the values of hyper-parameters over steps, one chart for each; equal ones of several trials once.

    Args:
      study: one, or several.
      names: of hyper-parameters; None: those that change in some trial, or all, if none does.
      trials: their numbers; None: all.
      log_y: logarithmic axes.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: there is no such hyper-parameter, or no such trial.
    """
    need_plotly("plot_schedules")
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    drawn = those(study)
    found: list[tuple[Study, TrialSchedule]] = []
    for each in drawn:
        chosen = each.trials if trials is None else [each.trial(number) for number in trials]
        try:
            found += [(each, schedule) for schedule in schedules(chosen, names)]
        except ValueError as error:
            raise OptionError(f"study {each.name!r}: {error}") from None
    if not found:
        raise OptionError(f"study {drawn[0].name!r} has no trial yet, and so no schedule; run it first")
    charts = list(dict.fromkeys(schedule.name for _, schedule in found))
    figure = make_subplots(
        rows=len(charts),
        shared_xaxes=True,
        vertical_spacing=0.25 / len(charts),
        subplot_titles=[html.escape(name) for name in charts],
    )
    of_chart = dict.fromkeys(charts, 0)
    for each, schedule in found:
        number = of_chart[schedule.name]
        of_chart[schedule.name] += 1
        which = ", ".join(map(str, schedule.trials[:8])) + (", ..." if len(schedule.trials) > 8 else "")
        label = f"trials {which}" if len(schedule.trials) > 1 else f"trial {which}"
        trace = go.Scatter(
            x=schedule.steps,
            y=schedule.values,
            name=html.escape(schedule.written[:60]),
            mode="lines",
            line={"shape": "hv", "color": _COLOURS[number % len(_COLOURS)], "width": 2},
            hovertemplate=f"{html.escape(each.name)}, {label}<br>%{{y}} from step %{{x}}<extra></extra>",
            showlegend=len(found) <= _MOST_NAMED,
        )
        figure.add_trace(trace, row=1 + charts.index(schedule.name), col=1)
    figure.update_xaxes(zeroline=False)
    figure.update_xaxes(title="step", row=len(charts), col=1)
    if log_y:
        figure.update_yaxes(type="log")
    figure.update_layout(height=140 + 240 * len(charts))
    styled(figure, title=title or f"hyper-parameters of {names_of(drawn)}", dark=dark)
    return figure.update_layout(legend={"orientation": "v", "y": 1, "yanchor": "top", "x": 1.02, "xanchor": "left"})


def plot_savings(
    study: Study | Sequence[Study], *, price: float | None = None, title: str = "", dark: bool = False
) -> go.Figure:
    """Return where the steps that trials asked for came from, and what they cost, a bar for each study.

    Above them stand, for each study, the merge rate that its tree predicts, and the one that was seen.

    Args:
      study: one, or several, below one another.
      price: of a device-hour, in your money: then the lower bars are in that. None: in device-seconds.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: nothing was asked for yet, or `price` is none.
    """
    need_plotly("plot_savings")
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    drawn = those(study)
    seen = [each.read() for each in drawn]
    found = [savings(view.statistics(), distinct_steps(view.tree())) for view in seen]
    if not any(each.asked for each in found):
        raise OptionError(f"study {drawn[0].name!r} has asked for nothing yet; run it first")
    names = [f"{html.escape(each.name)}<br>{_rates(own)}" for each, own in zip(drawn, found, strict=True)]
    unit = "device-seconds" if price is None else f"money, at {price:g} a device-hour"
    figure = make_subplots(rows=2, subplot_titles=["steps that trials asked for", unit], vertical_spacing=0.3)
    steps = {
        "run for this study": (BLUE, [each.executed for each in found]),
        "saved: had already, or shared": (GREEN, [max(0, each.saved) for each in found]),
        "not had yet": (GREY, [each.to_come for each in found]),
        "run again": (VERMILION, [sum(each.repeated.values()) for each in found]),
        "run as a check, or ahead of time": ("#F0E442", [each.checked + each.speculative for each in found]),
    }
    for name, (colour, values) in steps.items():
        if any(values):
            figure.add_trace(_bar(go, name, colour, names, values, "%{x} steps"), row=1, col=1)
    if price is None:
        of = "%{x:.4g} s"
        bars = [("device-seconds spent", SKY, "spent", [each.device_seconds for each in found])]
        bars += [("each trial alone would have taken", ORANGE, "alone", [each.trial_seconds for each in found])]
    else:
        of = "%{x:.4g}"
        bars = [("spent", SKY, "spent", [each.price(price).spent for each in found])]
        bars += [("each trial alone would have cost", ORANGE, "alone", [each.price(price).alone for each in found])]
    for name, colour, group, own in bars:
        figure.add_trace(_bar(go, name, colour, names, own, of, group=group), row=2, col=1)
    figure.update_layout(barmode="stack", height=260 + 110 * len(drawn))
    figure.update_yaxes(autorange="reversed")
    styled(figure, title=title or f"what sharing was worth to {names_of(drawn)}", dark=dark)
    below = {"y": -0.2, "yanchor": "top", "x": 0, "xanchor": "left", "traceorder": "normal"}
    return figure.update_layout(legend=below)


def _rates(own: Savings) -> str:
    """Return the merge rates that the tree predicts, and that were seen, as far as they are known."""
    rates = (("predicted", own.predicted_rate), ("seen", own.seen_rate))
    known = ", ".join(f"{name} {rate:.3g}" for name, rate in rates if rate is not None)
    return f"merge rate: {known}" if known else "nothing asked for yet"


def _bar(
    go: Any, name: str, colour: str, names: Sequence[str], values: Sequence[float], said: str, *, group: str = ""
) -> Any:
    return go.Bar(
        name=name,
        orientation="h",
        y=list(names),
        x=list(values),
        marker={"color": colour},
        offsetgroup=group or None,
        hovertemplate=f"{name}: {said}<extra>%{{y}}</extra>",
    )
