"""A config's way through the search plan, walked as far as it was asked for and never twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Protocol

from hippo.hparams import Config, Piece
from hippo.hparams.paths import Walk
from hippo.plan.nodes import Node


class Nodes(Protocol):
    """Where the nodes of a way come from."""

    def child(self, parent: Node | None, start: int, pieces: Mapping[str, Piece], owner: str) -> Node:
        """Return the node of this key, made if it is missing."""


class Trail:
    """The nodes of one config, in order.

    A tuner that asks for one more step each time pays for that step alone, however long the path is by then.
    """

    __slots__ = ("_nodes", "_owner", "_plan", "_starts", "_walk")

    def __init__(self, config: Config, plan: Nodes, owner: str) -> None:
        self._walk = Walk(config)
        self._plan = plan
        self._owner = owner
        self._nodes: list[Node] = []
        self._starts: list[int] = []

    def node_at(self, until: int) -> Node:
        """Return the node to which the state after `until` steps belongs; missing nodes are made."""
        for start, pieces in self._walk.up_to(until):
            parent = self._nodes[-1] if self._nodes else None
            self._nodes.append(self._plan.child(parent, start, pieces, self._owner))
            self._starts.append(start)
        return self._nodes[bisect_left(self._starts, until) - 1]
