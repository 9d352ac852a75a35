"""A node of the search plan in memory, with the facts it holds (Hippo, Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hippo.hparams import Piece
from hippo.records import CheckpointRef, Failure, Metrics, NodeId, NodeView


@dataclass(slots=True, eq=False)
class Node:
    """A stretch of steps under the same pieces. It has no end.

    Steps are absolute; everything known after `step` steps with `start < step` belongs here, up to where a child that
    is meant begins.
    """

    id: NodeId
    parent: Node | None
    start: int
    #: the pieces in force, by name
    pieces: Mapping[str, Piece]
    #: (start, pieces) -> child
    children: dict[tuple[int, str], Node] = field(default_factory=dict)
    #: step -> what `train` returned on the way to it
    training: dict[int, Metrics] = field(default_factory=dict)
    #: step -> what `evaluate` returned after it
    metrics: dict[int, Metrics] = field(default_factory=dict)
    #: step -> seconds that training to it and evaluating at it took
    seconds: dict[int, float] = field(default_factory=dict)
    #: step -> where its state lies
    checkpoints: dict[int, CheckpointRef] = field(default_factory=dict)
    #: step -> hash of its state, as first seen
    state_hashes: dict[int, str] = field(default_factory=dict)
    #: failures that count, the earliest step first to matter
    failures: list[Failure] = field(default_factory=list)
    #: step -> requests that wait for metrics there
    requests: dict[int, set[int]] = field(default_factory=dict)
    #: step -> how many wait for the state there
    state_requests: dict[int, int] = field(default_factory=dict)
    _seconds_up_to: dict[int, float] = field(default_factory=dict)

    def lineage(self) -> Iterator[Node]:
        """Yield this node and its ancestors, the root last."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def owner_of(self, step: int) -> Node:
        """Return the node of this path to which the state at `step` belongs."""
        node = self
        while node.parent is not None and step <= node.start:
            node = node.parent
        return node

    def spans(self, until: int) -> list[tuple[Node, int, int]]:
        """Return the path from the root to `until` as (node, start, stop], the root first."""
        spans = []
        stop = until
        for node in self.lineage():
            if node.start < stop:
                spans.append((node, node.start, stop))
                stop = node.start
        return spans[::-1]

    def failure_before(self, until: int) -> Failure | None:
        """Return a failure that keeps a path from reaching `until`, if there is one."""
        for node, _, stop in self.spans(until):
            for failure in node.failures:
                if failure.step <= stop:
                    return failure
        return None

    def seconds_until(self, step: int) -> float:
        """Return the seconds that the path from the root to `step` took, each step counted once."""
        unknown: list[tuple[Node, int]] = []
        node, at = self.owner_of(step), step
        base = 0.0
        while at > 0:
            known = node._seconds_up_to.get(at)
            if known is not None:
                base = known
                break
            unknown.append((node, at))
            at -= 1
            node = node.owner_of(at)
        for owner, at in reversed(unknown):
            base += owner.seconds.get(at, 0.0)
            if at in owner.seconds:
                owner._seconds_up_to[at] = base
        return base

    def view(self) -> NodeView:
        """Return what the stage tree needs of this node."""
        return NodeView(
            id=self.id,
            parent=None if self.parent is None else self.parent.id,
            start=self.start,
            checkpoints=tuple(sorted(self.checkpoints)),
            metrics=tuple(sorted(self.metrics)),
            requests=tuple(sorted(self.requests)),
            states=tuple(sorted(self.state_requests)),
        )

    def __repr__(self) -> str:
        return f"Node({self.id}, start={self.start})"
