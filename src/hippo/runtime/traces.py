"""What training said along a path, looked up when its reader asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hippo.plan import Node
from hippo.records import Metrics


class PathTrace(Mapping[int, Metrics]):
    """Step -> what `train` returned on the way to it, for all steps of a path that are known.

    A path may be tens of thousands of steps long and be answered at each of them, so nothing is copied.
    """

    def __init__(self, node: Node, until: int) -> None:
        self._node = node
        self._until = until

    def __getitem__(self, step: int) -> Metrics:
        if not 0 < step <= self._until:
            raise KeyError(step)
        return self._node.owner_of(step).training[step]

    def __iter__(self) -> Iterator[int]:
        for node, start, stop in self._node.spans(self._until):
            yield from (step for step in range(start + 1, stop + 1) if step in node.training)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def history(node: Node, until: int) -> dict[int, Metrics]:
    """Return step -> metrics for every evaluation along a path."""
    return {
        step: node.metrics[step]
        for node, start, stop in node.spans(until)
        for step in sorted(node.metrics)
        if start < step <= stop
    }
