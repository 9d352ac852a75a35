"""A metric over steps: each node of the tree once, however many trials go through it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hippo.study import TreeRow, Trial
from hippo.views.curve_places import Placing
from hippo.views.walkers import averages_of, replicates_of, walkers

#: step -> a value; with several seeds, also the smallest and the largest of theirs
Values = Mapping[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCurve:
    """What a metric was along one node; it begins at its parent's last value before, if there is one."""

    row: TreeRow
    steps: tuple[int, ...]
    values: tuple[float, ...]
    #: whether the first of them is the parent's
    is_joined: bool
    #: where each is drawn: at its step, or by seconds
    places: tuple[float, ...]
    #: of averages over seeds: the smallest and the largest value of a seed at each step; else empty
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()

    @property
    def points(self) -> list[tuple[float, ...]]:
        """Places with their values; of averages over seeds with the smallest and the largest, too."""
        return list(zip(self.places, self.values, *([self.lows, self.highs] if self.lows else []), strict=True))


def curves(rows: Iterable[TreeRow], metric: str, *, at: Placing | None = None) -> list[NodeCurve]:
    """Return a metric along each node of a tree, parents before children; nodes that have none are left out.

    Args:
      rows: what `Study.tree` returns.
      metric: the name of one that `evaluate()` returns.
      at: places steps, and leaves out those of which it does not know where; None: by steps.

    Raises:
      ValueError: no node has this metric; names those that there are.
    """
    known = list(rows)
    own = {
        (row.member, row.node): {step: (each[metric],) for step, each in sorted(row.metrics.items()) if metric in each}
        for row in known
    }
    names = {name for row in known for metrics in row.metrics.values() for name in metrics}
    return _joined(known, own, metric, names, at)


def training_curves(
    rows: Iterable[TreeRow], trials: Iterable[Trial], metric: str, *, at: Placing | None = None
) -> list[NodeCurve]:
    """Return what `train()` returned along each node of a tree, as `curves` does of what `evaluate()` returns.

    Args:
      rows: what `Study.tree` returns.
      trials: of the same reading; nodes that none of them walks, those of surrogates say, are left out.
      metric: the name of one that `train()` returns.
      at: as for `curves`.

    Raises:
      ValueError: no step has this metric; names those that there are.
    """
    known = list(rows)
    by_node = walkers(known, replicates_of(trials))
    own: dict[tuple[str, int], Values] = {}
    names: set[str] = set()
    for row in known:
        walker = by_node.get((row.member, row.node))
        values: dict[int, tuple[float, ...]] = {}
        if walker is not None:
            for step in range(row.start + 1, row.stop + 1):
                returned = walker.train_metrics.get(step, {})
                names.update(returned)
                if metric in returned:
                    values[step] = (returned[metric],)
        own[row.member, row.node] = values
    return _joined(known, own, metric, names, at)


def seed_curves(
    rows: Iterable[TreeRow],
    trials: Iterable[Trial],
    metric: str,
    *,
    of_training: bool = False,
    at: Placing | None = None,
) -> list[NodeCurve]:
    """Return a metric of a study with several seeds: its average as the study has it, and its smallest and largest.

    Trials are paired as the study pairs them: each step that all seeds of a trial came to counts, and no other. Nodes
    are those of the first seed.

    Args:
      rows: what `Study.tree` returns.
      trials: of the same reading, with their replicates.
      metric: the name of one that `evaluate()` returns.
      of_training: it is one that `train()` returns.
      at: as for `curves`.

    Raises:
      ValueError: no step has this metric under all seeds; names those that there are.
    """
    averages = averages_of(trials)
    members = {member for member, _ in averages}
    known = [row for row in rows if row.member in members]
    by_node = walkers(known, averages)
    own: dict[tuple[str, int], Values] = {}
    names: set[str] = set()
    told: dict[int, tuple[Mapping[int, Mapping[str, float]], Sequence[Mapping[int, Mapping[str, float]]]]] = {}
    for row in known:
        values: dict[int, tuple[float, ...]] = {}
        trial = by_node.get((row.member, row.node))
        if trial is not None:
            if trial.number not in told:
                told[trial.number] = (
                    trial.train_metrics if of_training else trial.history,
                    [each.train_metrics if of_training else each.history for each in trial.replicates],
                )
            average, each_seed = told[trial.number]
            for step in sorted(step for step in average if row.start < step <= row.stop):
                names.update(average[step])
                if metric in average[step]:
                    seeds = [seed[step][metric] for seed in each_seed]
                    values[step] = (average[step][metric], min(seeds), max(seeds))
        own[row.member, row.node] = values
    return _joined(known, own, metric, names, at)


def parted(curves: Iterable[NodeCurve], way: Mapping[tuple[str, int], int]) -> list[tuple[NodeCurve, bool]]:
    """Return curves, each with whether a trial went along it; one that the trial left before its end is two.

    Args:
      curves: of one tree.
      way: (member, node) -> the step until which the trial goes along it, for each on its way.
    """
    found: list[tuple[NodeCurve, bool]] = []
    for curve in curves:
        until = way.get((curve.row.member, curve.row.node), -1)
        count = sum(step <= until for step in curve.steps)
        if count <= curve.is_joined or count == len(curve.steps):
            found.append((curve, count > curve.is_joined))
        else:
            rest = replace(_part(curve, slice(count - 1, None)), is_joined=True)
            found += [(_part(curve, slice(count)), True), (rest, False)]
    return found


def _part(curve: NodeCurve, part: slice) -> NodeCurve:
    columns = ("steps", "values", "places", "lows", "highs")
    return replace(curve, **{name: getattr(curve, name)[part] for name in columns})


def no_such_metric(metric: str, names: Iterable[str]) -> ValueError:
    """Return the error which says that no trial has a metric, and which there are."""
    return ValueError(f"no trial has a metric {metric!r}; there are: {', '.join(sorted(names)) or 'none yet'}")


def _joined(
    rows: Iterable[TreeRow],
    own: Mapping[tuple[str, int], Values],
    metric: str,
    names: Iterable[str],
    at: Placing | None,
) -> list[NodeCurve]:
    """Return the values of each node, behind the last one on the way to it."""
    by_key = {(row.member, row.node): row for row in rows}
    if not any(own.values()):
        raise no_such_metric(metric, names)
    if at is not None:
        own = {
            key: {step: each for step, each in values.items() if at(by_key[key], step) is not None}
            for key, values in own.items()
        }
    found: list[NodeCurve] = []
    for row in by_key.values():
        values = own[row.member, row.node]
        if values:
            before = _last_before(row, own, by_key)
            points = [*([before] if before else []), *values.items()]
            columns = list(zip(*(each for _, each in points), strict=True))
            found.append(
                NodeCurve(
                    row=row,
                    steps=tuple(step for step, _ in points),
                    values=columns[0],
                    is_joined=before is not None,
                    places=tuple(step if at is None else at(row, step) or 0.0 for step, _ in points),
                    lows=columns[1] if len(columns) > 1 else (),
                    highs=columns[2] if len(columns) > 1 else (),
                )
            )
    return found


def _last_before(
    row: TreeRow, own: Mapping[tuple[str, int], Values], by_key: Mapping[tuple[str, int], TreeRow]
) -> tuple[int, tuple[float, ...]] | None:
    """Return the last step and value on the way to a node; None if there is none."""
    while row.parent is not None:
        start = row.start
        row = by_key[row.member, row.parent]
        before = [step for step in own[row.member, row.node] if step <= start]
        if before:
            return before[-1], own[row.member, row.node][before[-1]]
    return None
