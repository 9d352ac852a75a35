"""A config's way through the search plan, walked as far as it was asked for and never twice."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping

from hippo.hparams import Config, Piece, path
from hippo.plan.nodes import Node

#: (parent, start, pieces) -> the node, made if it is missing
Step = Callable[[Node | None, int, Mapping[str, Piece]], Node]


class Trail:
    """The nodes of one config, in order.

    A tuner that asks for one more step each time pays for that step alone, however long the path is by then.
    """

    def __init__(self, config: Config, step: Step) -> None:
        self._ahead: Iterator[tuple[int, Mapping[str, Piece]]] = path(config, sys.maxsize)
        self._step = step
        self._nodes: list[Node] = []
        self._starts: list[int] = []
        self._next: tuple[int, Mapping[str, Piece]] | None = next(self._ahead)

    def node_at(self, until: int) -> Node:
        """Return the node to which the state after `until` steps belongs; missing nodes are made."""
        while self._next is not None and self._next[0] < until:
            start, pieces = self._next
            self._nodes.append(self._step(self._nodes[-1] if self._nodes else None, start, pieces))
            self._starts.append(start)
            self._next = next(self._ahead, None)
        return self._nodes[bisect_left(self._starts, until) - 1]
