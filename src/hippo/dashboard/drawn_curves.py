"""Curves as the page draws them: of very many the way of the best trial, and what most trials share.

It refuses to know the web.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hippo.dashboard.answers import best_of, metric_of, why_nothing
from hippo.dashboard.plain import plain_number
from hippo.errors import OptionError
from hippo.study import Study, Trial
from hippo.study.results.trial_lines import some_trials, trial_numbers, trial_ways
from hippo.study.results.walked_tree import NodeKey, WalkedTree
from hippo.views import CurveAxis, CurveChoice, NodeCurve, axis_named, chosen_curves, parted, thinned
from hippo.views.chosen_curves import TRAINED

#: curves, and points of all of them together
_MOST_CURVES, _MOST_POINTS = 1_000, 20_000
#: nodes in which it is looked what train() returns: it returns the same everywhere, as a rule
_MOST_LOOKED_IN = 12


def curves_answer(
    study: Study, tree: WalkedTree, metric: str | None, *, by: str = CurveAxis.STEPS.value, seeds: str = ""
) -> dict[str, Any]:
    """Return a metric along nodes of the tree.

    Args:
      study: whose.
      tree: its nodes.
      metric: as `CurveChoice` has it; None: the study's first, or the first that there is, which the page can change.
      by: the name of a `CurveAxis`.
      seeds: "each": a curve for each of several seeds; else they are drawn as bands.

    Returns:
      The curves; or none, and `why`, where the plan does not know where on this axis they lie.

    Raises:
      OptionError: there is no such metric, or no such axis.
    """
    usual, axis = metric_of(study), axis_named(by)
    best, view = best_of(study), tree.view
    first = next(iter(some_trials(view, trial_numbers(view)[:1] if best is None else [best])), None)
    own = [each.member for each in first.replicates] if first is not None else []
    as_bands = bool(own) and seeds != "each"
    way = tree.walked_by(set() if best is None else {best})
    nodes = _chosen(tree, way, of=own[0] if as_bands else None)
    rows = tree.rows(nodes)
    names = sorted({name for row in rows for metrics in row.metrics.values() for name in metrics})
    trained = sorted(tree.trained_names([*way[:_MOST_LOOKED_IN], *nodes[:_MOST_LOOKED_IN]]))
    shown = metric or usual or next(iter([*names, *(f"{TRAINED}{name}" for name in trained)]), "")
    told: dict[str, Any] = {
        "metric": shown,
        "usual": usual,
        "metrics": names,
        "trained": [f"{TRAINED}{name}" for name in trained],
        "by": axis.value,
        "seeds": len(own),
        "as_bands": as_bands,
        "best": best,
        "of": len(tree.nodes),
        "why": "",
        "without": [],
        "nothing": "",
        "curves": [],
    }
    if not names and not trained:
        return {**told, "best": None, "of": 0, "nothing": why_nothing(view)}
    choice = CurveChoice(metric=shown, by=axis, as_bands=as_bands)
    walking: list[Trial] = []
    if as_bands or shown.startswith(TRAINED) or axis is CurveAxis.DEVICE_SECONDS:
        walking = some_trials(view, sorted(tree.furthest(nodes)))
        # of surrogates no trial is among the study's own, which tell of their way
        told["without"] = sorted({member for member, _ in tree.nodes} - set(own or (each.member for each in walking)))
    try:
        found = chosen_curves(rows, walking, choice, leases=study.leases)
    except OptionError as error:  # nothing is wrong with the question: it has no answer
        return {**told, "why": str(error)}
    except ValueError as error:
        raise OptionError(f"study {study.name!r}: {error}") from None
    most = max(3, _MOST_POINTS // len(found))
    parts = parted(found, trial_ways(view, best))
    # of a stretch that the best trial leaves, its way and the rest are two: where it leaves nothing ends
    goes_on = [one.row is other.row for (one, _), (other, _) in pairwise(parts)] + [False]
    drawn = [_drawn(curve, is_best, not more, most) for (curve, is_best), more in zip(parts, goes_on, strict=True)]
    return {**told, "curves": drawn}


def _chosen(tree: WalkedTree, way: Sequence[NodeKey], *, of: str | None) -> list[NodeKey]:
    """Return the nodes whose curves are drawn: the way of the best trial, and what most trials share.

    Args:
      tree: all nodes.
      way: of the best trial.
      of: the first seed, where it stands for all: half of the others' would be cut, and none of them is drawn.
    """
    if of is None:
        return tree.in_order({*tree.most_shared(_MOST_CURVES), *way})
    return tree.in_order({*tree.most_shared(_MOST_CURVES, of=of), *(key for key in way if key[0] == of)})


def _drawn(curve: NodeCurve, is_best: bool, ends: bool, most: int) -> dict[str, Any]:
    return {
        "node": curve.row.node,
        "member": curve.row.member,
        "trials": len(curve.row.trials),
        "first": curve.row.trials[0] if curve.row.trials else None,
        "is_best": is_best,
        "ends": ends,
        "step": curve.steps[-1],
        "points": [
            [place, *(plain_number(value) for value in values)] for place, *values in thinned(curve.points, most)
        ],
    }
