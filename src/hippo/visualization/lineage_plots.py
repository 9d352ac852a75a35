"""Where each trial comes from, as a picture: a line for each, which leaves that of the trial it shares most with."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError
from hippo.records import TrialState
from hippo.study import Trial
from hippo.views import TrialOrigin, lineage
from hippo.visualization.drawing import (
    GREY,
    add_scales,
    metric_of,
    names_of,
    need_plotly,
    scale_of,
    styled,
    those,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from hippo.study import Study

#: characters of what changed
_SAID = 90
#: state of a trial -> what its end is drawn as
_SYMBOLS = {TrialState.COMPLETE: "circle", TrialState.PRUNED: "circle-open", TrialState.FAIL: "x"}


def plot_lineage(study: Study | Sequence[Study], *, title: str = "", dark: bool = False) -> go.Figure:
    """Return where trials come from: each leaves, at a step, the earlier trial with which it shares most.

    Ends have the colour of the trial's value; where one points, it is said what changed when the trial parted.

    Args:
      study: one, or several below one another.
      title: above the picture.
      dark: for a dark page.

    Raises:
      HippoError: plotly is not there.
      OptionError: there is no trial yet.
    """
    go = need_plotly("plot_lineage")
    drawn, figure, above = those(study), go.Figure(), 0
    scales: dict[str, str] = {}
    for each in drawn:
        seen = each.read()
        trials = {(own.member, own.number): own for trial in seen.trials for own in trial.replicates or (trial,)}
        found = lineage(seen.tree(), seen.trials)
        figure.add_trace(_ways(go, found, above))
        figure.add_trace(_ends(go, found, trials, above, metric_of(each, None), scales))
        above += len(found)
    if not above:
        raise OptionError(f"study {', '.join(repr(each.name) for each in drawn)} has no trial yet")
    add_scales(figure, scales)
    figure.update_xaxes(title="step", zeroline=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    figure.update_layout(height=min(2000, 160 + 18 * above), showlegend=False)
    return styled(figure, title=title or f"lineage of {names_of(drawn)}", dark=dark)


def _ways(go: Any, found: Sequence[TrialOrigin], above: int) -> Any:
    steps: list[Any] = []
    lines: list[Any] = []
    for origin in found:
        if origin.from_line is not None:
            steps.append(origin.fork_step)
            lines.append(above + origin.from_line)
        steps += [origin.fork_step, origin.until, None]  # nothing in between two trials
        lines += [above + origin.line, above + origin.line, None]
    return go.Scattergl(x=steps, y=lines, mode="lines", line={"color": GREY, "width": 1.5}, hoverinfo="skip")


def _ends(
    go: Any,
    found: Sequence[TrialOrigin],
    trials: Mapping[tuple[str, int], Trial],
    above: int,
    metric: str | None,
    scales: dict[str, str],
) -> Any:
    own = [trials[origin.member, origin.trial] for origin in found]
    values = [trial.value if trial.value is not None and math.isfinite(trial.value) else math.nan for trial in own]
    marker: dict[str, Any] = {"size": 9, "color": GREY, "symbol": [_SYMBOLS.get(each.state, "diamond") for each in own]}
    if not all(map(math.isnan, values)):
        marker |= {"color": values, "coloraxis": scale_of(metric, scales)}
    return go.Scattergl(
        x=[origin.until for origin in found],
        y=[above + origin.line for origin in found],
        mode="markers",
        marker=marker,
        text=[_said(origin, trial) for origin, trial in zip(found, own, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )


def _changes(origin: TrialOrigin) -> str:
    """Return what parts a trial from its parent."""
    parent = f"trial {origin.parent} changes {_cut(origin.parent_changed)}" if origin.parent_changed else ""
    return "<br>".join(filter(None, (_cut(origin.changed), parent))) or "it goes on for longer"


def _cut(text: str) -> str:
    return html.escape(text if len(text) <= _SAID else f"{text[:_SAID]}...")


def _said(origin: TrialOrigin, trial: Trial) -> str:
    of = f" ({html.escape(origin.member)})" if origin.member else ""
    parts = [
        f"<b>trial {origin.trial}</b>{of}, {trial.state.value}, asked until step {origin.until}",
        "shares nothing" if origin.parent is None else f"as trial {origin.parent} until step {origin.fork_step}",
        _changes(origin),
        "" if trial.value is None else f"value {trial.value:.5g}",
    ]
    return "<br>".join(part for part in parts if part)
