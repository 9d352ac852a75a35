"""Trials by two things of which each is to be good, and studies over what they spent, as pictures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from hippo.errors import OptionError
from hippo.records import Mode
from hippo.runtime.studies.warnings import warn_caller
from hippo.study.results.compared_trials import compared_trials, known_metrics
from hippo.study.results.trial_costs import TrialCosts
from hippo.views import ParetoAxis, best_values, common_objective, pareto, pareto_axes
from hippo.views.pareto import DEVICE_SECONDS
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
    why_nothing,
)
from hippo.visualization.optuna_plots import drawn_by_optuna

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY, GREY)


def plot_pareto_front(
    study: Study,
    *,
    metric: str | None = None,
    against: str | None = None,
    modes: Mapping[str, Mode] | None = None,
    title: str = "",
    dark: bool = False,
    **options: Any,
) -> go.Figure:
    """Return the trials by two things, those marked that no other one beats in both.

    Of a study with several objectives it is Optuna's picture, where that is installed, unless somebody says what goes
    where: `metric` up, `against` to the right, which may be what trials took.

    Args:
      study: one.
      metric: goes up; None: the study's first objective.
      against: goes to the right: a metric, "steps" or "device-seconds". None: the steps.
      modes: name -> "min" or "max", for metrics that are no objectives of the study.
      title: above the picture.
      dark: for a dark page.
      options: Optuna's, for its picture.

    Raises:
      HippoError: plotly is not there, or Optuna, whose options are given.
      OptionError: there is no such metric, nobody said which of its values are better, or no trial has both.
      ValueError: Optuna has nothing to draw, says why.
    """
    go = need_plotly("plot_pareto_front")
    given = those(study)
    if len(given) > 1:
        raise OptionError(f"plot_pareto_front() draws one study, not {len(given)}")
    (own,) = given
    is_said = metric is not None or against is not None or bool(modes)
    if not is_said and (options or (len(own.objectives) > 1 and find_spec("optuna") is not None)):
        figure = drawn_by_optuna("plot_pareto_front", own, dark, options)
        return figure.update_layout(title=title) if title else figure
    if options:
        raise OptionError(f"{', '.join(options)} is Optuna's, and says nothing where metric= or against= is given")
    view = own.read()
    x, y = pareto_axes(own.objectives, known_metrics(view), metric, against, modes)
    metrics = [axis.name for axis in (x, y) if not axis.is_cost]
    points = pareto(compared_trials(view, metrics, with_seconds=DEVICE_SECONDS in (x.name, y.name)), x, y)
    if not points:
        which = f"no trial of study {own.name!r} has a number for both {y.name} and {x.name}"
        raise OptionError(which + why_nothing(view))
    figure = go.Figure()
    best = sorted((point for point in points if point.is_best), key=lambda point: (point.x, point.y))
    for name, shown, colour, mode in (
        ("all others", [point for point in points if not point.is_best], GREY, "markers"),
        ("no other one beats them in both", best, VERMILION, "lines+markers"),
    ):
        if shown:
            figure.add_trace(
                go.Scatter(
                    name=name,
                    x=[point.x for point in shown],
                    y=[point.y for point in shown],
                    customdata=[point.trial for point in shown],
                    mode=mode,
                    marker={"color": colour, "size": 9 if mode != "markers" else 6},
                    # between two of them nothing is known: the line goes by what either of them has
                    line={"color": colour, "width": 1.5, "dash": "dot", "shape": "hv" if x.mode == "min" else "vh"},
                    hovertemplate=f"trial %{{customdata}}<br>{html.escape(y.name)} %{{y:.5g}}"
                    f"<br>{html.escape(x.name)} %{{x:.5g}}<extra></extra>",
                )
            )
    figure.update_xaxes(title=_titled(x), zeroline=False)
    figure.update_yaxes(title=_titled(y), zeroline=False)
    shown_title = title or f"{html.escape(y.name)} against {html.escape(x.name)} of {names_of(given)}"
    return styled(figure, title=shown_title, dark=dark)


def _titled(axis: ParetoAxis) -> str:
    return f"{html.escape(axis.name)} ({'less' if axis.mode == 'min' else 'more'} is better)"


def plot_best_values(
    study: Study | Sequence[Study],
    *,
    over: Literal["steps", "device-seconds"] = "steps",
    metric: str | None = None,
    title: str = "",
    dark: bool = False,
) -> go.Figure:
    """Return the best value over what was spent, a line for each study.

    Trials are compared as for `Study.best_trial`: complete ones and, of a call that did not end, the furthest.
    A trial counts from the last step or evaluation on its way that its study paid for; one that had all of it from
    other studies counts from the beginning.

    Args:
      study: one, or several that optimise the same metric in the same direction.
      over: the steps that a study executed, or the device-seconds of its steps and evaluations.
      metric: None: the first objective.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: the studies optimise something else, or no trial is complete.
    """
    go = need_plotly("plot_best_values")
    if over not in ("steps", "device-seconds"):
        raise OptionError(f"over={over!r} is neither 'steps' nor 'device-seconds'")
    drawn, figure, missing = those(study), go.Figure(), dict[str, str]()
    objective = common_objective([(each.name, each.objectives) for each in drawn], metric)
    for number, each in enumerate(drawn):
        view, costs = each.read(), TrialCosts()
        costs.take(view)
        trials = compared_trials(view, [objective.metric], with_seconds=False)
        points = best_values(trials, costs.of_trials(), objective.metric, objective.mode)
        if not points:
            missing[each.name] = why_nothing(view)
        else:
            total = costs.total
            spent = [point.steps if over == "steps" else point.seconds for point in points]
            figure.add_trace(
                go.Scatter(
                    name=html.escape(each.name),
                    x=[*spent, total.steps if over == "steps" else total.seconds],
                    y=[*(point.value for point in points), points[-1].value],
                    customdata=[*(point.trial for point in points), points[-1].trial],
                    mode="lines+markers",
                    marker={"size": 5},
                    line={"shape": "hv", "color": _COLOURS[number % len(_COLOURS)], "width": 2},
                    hovertemplate=f"{html.escape(each.name)}: trial %{{customdata}}, %{{y:.5g}}<extra></extra>",
                )
            )
    if not figure.data:
        raise OptionError(
            f"no trial of study {drawn[0].name!r} is complete, with a number for {objective.metric} and all "
            f"constraints kept, so there is no best one{missing[drawn[0].name]}"
        )
    for name, why in missing.items():
        warn_caller(
            f"study {name!r} is not in the picture: none of its trials is complete, with a number for "
            f"{objective.metric} and all constraints kept{why}"
        )
    spent_on = "steps executed" if over == "steps" else "device-seconds of steps and evaluations"
    figure.update_xaxes(title=spent_on, zeroline=False, rangemode="tozero")
    figure.update_yaxes(title=f"best {html.escape(objective.metric)} ({objective.mode})", zeroline=False)
    styled(figure, title=title or f"best {html.escape(objective.metric)} of {names_of(drawn)}", dark=dark)
    return figure.update_layout(showlegend=True)
