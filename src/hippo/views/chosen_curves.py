"""Curves as people choose them on a page or in a shell: one metric, one axis, each seed or all of them as a band."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hippo.errors import OptionError
from hippo.study import SlotLease, TreeRow, Trial
from hippo.views.curve_places import WHY_NOT, CurveAxis, Placing, by_device_seconds, by_seconds
from hippo.views.curves import NodeCurve, curves, seed_curves, training_curves
from hippo.views.walkers import averages_of, replicates_of

#: before the name of a metric that `train()` returns, where one of `evaluate()` may stand
TRAINED = "train:"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChoice:
    """What is drawn."""

    #: a name that `evaluate()` returns; or "train:" and one that `train()` returns
    metric: str
    by: CurveAxis = CurveAxis.STEPS
    #: of a study with several seeds: their average, and how far they spread, instead of each
    as_bands: bool = False


def axis_named(name: str) -> CurveAxis:
    """Return the axis of this name.

    Raises:
      OptionError: there is none.
    """
    names = [axis.value for axis in CurveAxis]
    if name not in names:
        raise OptionError(f"curves go by {', '.join(names[:-1])} or {names[-1]}, not by {name[:50]!r}")
    return CurveAxis(name)


def chosen_curves(
    rows: Iterable[TreeRow],
    trials: Sequence[Trial],
    choice: CurveChoice,
    *,
    leases: Callable[[], Iterable[SlotLease]],
) -> list[NodeCurve]:
    """Return the curves of a choice, parents before children.

    Args:
      rows: what `Study.tree` returns.
      trials: of the same reading.
      choice: what is drawn.
      leases: `Study.leases`, which is asked where seconds are wanted.

    Raises:
      ValueError: there is no such metric; names those that there are.
      OptionError: the plan does not know where on this axis anything is, or the study has no seeds; says why.
    """
    known, averages = list(rows), averages_of(trials)
    if choice.as_bands and not averages:
        raise OptionError("this study has no several seeds, and so no band of them: seeds=[...] makes a study that has")
    if choice.as_bands and choice.by is CurveAxis.SECONDS:
        raise OptionError(
            "Each seed was trained at a time of its own, so that their average has none: look at each seed, or by "
            "device-seconds."
        )
    at: Placing | None = None
    if choice.by is CurveAxis.SECONDS:
        at = by_seconds(known, leases())
    elif choice.by is CurveAxis.DEVICE_SECONDS:
        at = by_device_seconds(known, averages if choice.as_bands else replicates_of(trials))
    name, of_training = choice.metric, choice.metric.startswith(TRAINED)
    if of_training and not any(name in metrics for row in known for metrics in row.metrics.values()):
        name = name.removeprefix(TRAINED)
    else:
        of_training = False
    if choice.as_bands:
        found = seed_curves(known, trials, name, of_training=of_training, at=at)
    elif of_training:
        found = training_curves(known, trials, name, at=at)
    else:
        found = curves(known, name, at=at)
    if not found:
        raise OptionError(WHY_NOT[choice.by])
    return found
