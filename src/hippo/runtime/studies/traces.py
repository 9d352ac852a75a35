"""What training said along a path, and what it took, looked up when its reader asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from hippo.plan import Node
from hippo.records import Metrics

T = TypeVar("T")


class PathTrace(Mapping[int, T]):
    """Step -> what is known of it, for all steps of a path that were trained.

    A path may be tens of thousands of steps long and be answered at each of them, so nothing is copied.

    Args:
      node, until: where the path ends.
      known: says what is known of the steps of a node.
    """

    def __init__(self, node: Node, until: int, known: Callable[[Node], Mapping[int, T]]) -> None:
        self._node = node
        self._until = until
        self._known = known

    def __getitem__(self, step: int) -> T:
        if not 0 < step <= self._until:
            raise KeyError(step)
        return self._known(self._node.owner_of(step))[step]

    def __iter__(self) -> Iterator[int]:
        for node, start, stop in self._node.spans(self._until):
            known = self._known(node)
            yield from (step for step in range(start + 1, stop + 1) if step in known)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def _training_of(node: Node) -> Mapping[int, Metrics]:
    return node.training


def _seconds_of(node: Node) -> Mapping[int, float]:
    return node.seconds


def train_metrics(node: Node, until: int) -> PathTrace[Metrics]:
    """Return step -> what `train` returned on the way to it."""
    return PathTrace(node, until, _training_of)


def step_seconds(node: Node, until: int) -> PathTrace[float]:
    """Return step -> seconds that training to it took."""
    return PathTrace(node, until, _seconds_of)


def history(node: Node, until: int) -> dict[int, Metrics]:
    """Return step -> metrics for every evaluation along a path."""
    return {
        step: node.metrics[step]
        for node, start, stop in node.spans(until)
        for step in sorted(node.metrics)
        if start < step <= stop
    }
