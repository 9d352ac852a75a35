"""A metric over steps: each node of the tree once, however many trials go through it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hippo.study import TreeRow, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCurve:
    """What a metric was along one node; it begins at its parent's last value before, if there is one."""

    row: TreeRow
    steps: tuple[int, ...]
    values: tuple[float, ...]
    #: whether the first of them is the parent's
    is_joined: bool

    @property
    def points(self) -> list[tuple[int, float]]:
        """Steps with their values."""
        return list(zip(self.steps, self.values, strict=True))


def curves(rows: Iterable[TreeRow], metric: str) -> list[NodeCurve]:
    """Return a metric along each node of a tree, parents before children; nodes that have none are left out.

    Args:
      rows: what `Study.tree` returns.
      metric: the name of one that `evaluate()` returns.

    Raises:
      ValueError: no node has this metric; names those that there are.
    """
    known = list(rows)
    own = {
        (row.member, row.node): {step: each[metric] for step, each in sorted(row.metrics.items()) if metric in each}
        for row in known
    }
    names = {name for row in known for metrics in row.metrics.values() for name in metrics}
    return _joined(known, own, metric, names)


def training_curves(rows: Iterable[TreeRow], trials: Iterable[Trial], metric: str) -> list[NodeCurve]:
    """Return what `train()` returned along each node of a tree, as `curves` does of what `evaluate()` returns.

    Args:
      rows: what `Study.tree` returns.
      trials: of the same reading; nodes that none of them walks, those of surrogates say, are left out.
      metric: the name of one that `train()` returns.

    Raises:
      ValueError: no step has this metric; names those that there are.
    """
    known = list(rows)
    walkers = {(own.member, own.number): own for trial in trials for own in trial.replicates or (trial,)}
    own: dict[tuple[str, int], dict[int, float]] = {}
    names: set[str] = set()
    left = {(row.member, row.parent, number): row.start for row in known for number in row.trials}
    for row in known:
        there = [walkers[row.member, number] for number in row.trials if (row.member, number) in walkers]
        values = own[row.member, row.node] = {}
        if there:
            # who goes on in a child leaves a node before its end: the one that walks it furthest tells of all of it
            furthest = max(there, key=lambda trial: left.get((row.member, row.node, trial.number), trial.until))
            for step in range(row.start + 1, row.stop + 1):
                returned = furthest.train_metrics.get(step, {})
                names.update(returned)
                if metric in returned:
                    values[step] = returned[metric]
    return _joined(known, own, metric, names)


def _joined(
    rows: Iterable[TreeRow], own: Mapping[tuple[str, int], Mapping[int, float]], metric: str, names: Iterable[str]
) -> list[NodeCurve]:
    """Return the values of each node, behind the last one on the way to it."""
    found: list[NodeCurve] = []
    by_key = {(row.member, row.node): row for row in rows}
    for row in by_key.values():
        values = own[row.member, row.node]
        if values:
            before = _last_before(row, own, by_key)
            points = [*([before] if before else []), *values.items()]
            steps, heights = zip(*points, strict=True)
            found.append(NodeCurve(row=row, steps=steps, values=heights, is_joined=before is not None))
    if not found:
        raise ValueError(f"no trial has a metric {metric!r}; there are: {', '.join(sorted(names)) or 'none yet'}")
    return found


def _last_before(
    row: TreeRow, own: Mapping[tuple[str, int], Mapping[int, float]], by_key: Mapping[tuple[str, int], TreeRow]
) -> tuple[int, float] | None:
    """Return the last step and value on the way to a node; None if there is none."""
    while row.parent is not None:
        start = row.start
        row = by_key[row.member, row.parent]
        before = [step for step in own[row.member, row.node] if step <= start]
        if before:
            return before[-1], own[row.member, row.node][before[-1]]
    return None
