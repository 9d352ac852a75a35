"""What a plan says to the one who decides what remains to be run: the stage tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hippo.plan.nodes import Node
from hippo.records import LeaseId, LeaseView, Point


class PlanListener(Protocol):
    """Hears of everything that the stage tree depends on, in order, each time after the plan has changed.

    What changed it reads from the node itself (`hippo.records.NodeFacts`).
    """

    def touched(self, node: Node, step: int) -> None:
        """What is known of a node's step, or asked of it, or where its state lies, has changed."""

    def opened(self, lease: LeaseView, nodes: Sequence[Node]) -> None:
        """A lease was given out; `nodes` are those of its spans, in their order."""

    def closed(self, lease: LeaseId) -> None:
        """A lease ended: done, lost or void."""

    def passed(self, lease: LeaseId, point: Point) -> None:
        """A lease leaves nothing behind at a boundary that came too late for it."""


class NullListener:
    """Hears what a plan says and does nothing about it: for readers, who give no work out."""

    def touched(self, node: Node, step: int) -> None: ...
    def opened(self, lease: LeaseView, nodes: Sequence[Node]) -> None: ...
    def closed(self, lease: LeaseId) -> None: ...
    def passed(self, lease: LeaseId, point: Point) -> None: ...
