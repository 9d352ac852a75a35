"""What is known of one workload, in memory: nodes, and the facts on them.

What is known only grows, except that a state may no longer be loadable. A plan may be here in part only: then each node
is here with all its facts and all its ancestors, or not at all, and one that is asked for comes from where the others
are (`stored_nodes`). This module refuses to know how anything is written down (`search_plan`), how it is read back
(`loading`), and who hears of it (`listener`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from hippo.hparams import Piece
from hippo.plan.causes import Cause
from hippo.plan.codec import node_digest
from hippo.plan.nodes import Node
from hippo.plan.rows import CheckpointLoss
from hippo.records import CheckpointRef, Failure, LeaseId, Metrics, NodeId, Point


class NodeSource(Protocol):
    """Where the nodes are that are not in memory; those that are asked for come into the index."""

    #: the largest number of a node that may be there: later ones were made in memory, and so were their children
    last: NodeId

    def find(self, digest: str) -> Node | None:
        """Bring a node in and return it; None if there is none."""

    def bring(self, number: NodeId) -> None:
        """Bring a node in, if there is one of this number."""

    def note_made(self, digest: str) -> None:
        """A node that was found missing was made."""


class _Nodes(dict[NodeId, Node]):
    """Nodes by number. `[]` brings in one that is not here; nothing else does: iterating goes over what is here."""

    __slots__ = ("source",)

    def __init__(self) -> None:
        self.source: NodeSource | None = None

    def __missing__(self, number: NodeId) -> Node:
        if self.source is not None:
            self.source.bring(number)
        node = self.get(number)
        if node is None:
            raise KeyError(number)
        return node


class PlanIndex:
    """Nodes by number and by (parent, start, pieces), with their facts."""

    def __init__(self) -> None:
        self.nodes = _Nodes()
        #: the largest number that a node of the plan has
        self.last = NodeId(0)
        self._roots: dict[tuple[str, int, str], Node] = {}
        #: point -> how often a step was run, where that is more than once
        self._repeats: dict[Point, int] = {}
        self._gone: dict[NodeId, dict[int, str]] = {}
        self._keys: set[str] = set()

    # --- nodes

    def look_up_in(self, source: NodeSource) -> None:
        """From now on look there for what is not here."""
        self.nodes.source = source
        self.last = source.last

    def here(self, parent: Node | None, start: int, key: str, owner: str) -> Node | None:
        """Return the node of this key if it is in memory."""
        return self._roots.get((owner, start, key)) if parent is None else parent.children.get((start, key))

    def find(self, parent: Node | None, start: int, key: str, owner: str) -> Node | None:
        """Return the node that goes on from a parent at `start` under pieces of this `pieces_key`, if there is one."""
        known = self.here(parent, start, key, owner)
        source = self.nodes.source
        if known is None and source is not None and (parent is None or parent.id <= source.last):
            return source.find(digest_of(parent, start, key, owner))
        return known

    def add_node(
        self, number: NodeId, parent: Node | None, start: int, pieces: Mapping[str, Piece], *, key: str, owner: str
    ) -> Node:
        """Add a node under a number of its own; `key` is the `pieces_key` of its pieces."""
        digest = digest_of(parent, start, key, owner)
        node = self.nodes[number] = Node(number, parent, start, pieces, digest)
        if parent is None:
            self._roots[(owner, start, key)] = node
        else:
            parent.children[(start, key)] = node
        if number > self.last:
            self.last = number
            if self.nodes.source is not None:
                self.nodes.source.note_made(digest)
        return node

    # --- steps

    def attempts(self, node: Node, step: int) -> int:
        """Return how often a step was run."""
        return self._repeats.get(Point(node.id, step), 1) if node.last_run(step) is not None else 0

    def was_run_by(self, lease: LeaseId, node: Node, step: int) -> bool:
        """Tell whether the latest run of a step was this lease's: a lease runs no step twice, but may say so twice."""
        return node.last_run(step) == lease

    def add_run(self, node: Node, step: int, lease: LeaseId) -> None:
        """Note that a step was run once more."""
        if node.last_run(step) is not None:
            self._repeats[Point(node.id, step)] = self.attempts(node, step) + 1
        node.note_run(step, lease)

    def add_training(self, node: Node, step: int, training: Metrics, seconds: float) -> None:
        """Note what the first run of a step said."""
        if step not in node.training:
            node.training[step] = training
            node.seconds[step] = seconds
            node.note_seconds(step, seconds)

    def add_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float) -> None:
        """Note what the first evaluation after a step said."""
        node.metrics[step] = metrics
        node.add_evaluate_seconds(step, seconds)
        node.note_seconds(step, seconds)

    # --- states

    def knows_key(self, key: str) -> bool:
        """Tell whether a checkpoint of this name was ever there."""
        return key in self._keys

    def add_checkpoint(self, node: Node, step: int, ref: CheckpointRef) -> None:
        """Note where a state lies."""
        self._keys.add(ref.key)
        node.add_checkpoint(step, ref)

    def remove_checkpoint(self, node: Node, step: int, key: str, reason: str) -> None:
        """Note that a state can no longer be loaded from a file, and never will be from one of this name."""
        self._keys.add(key)
        self._gone.setdefault(node.id, {})[step] = reason
        if step in node.checkpoints and node.checkpoints[step].key == key:
            node.remove_checkpoint(step)

    def why_gone(self, node: Node, after: int) -> Cause | None:
        """Return why states of a node beyond a step can no longer be loaded, if there were any."""
        reasons = {reason for step, reason in self._gone.get(node.id, {}).items() if step > after}
        if not reasons:
            return None
        return Cause.CORRUPT if CheckpointLoss.CORRUPT in reasons else Cause.EVICTED

    # --- failures

    def add_failure(self, failure: Failure) -> None:
        """Note that no path gets through a step of a node."""
        node = self.nodes[failure.node]
        node.failures = (*node.failures, failure)


def digest_of(parent: Node | None, start: int, key: str, owner: str) -> str:
    """Return the digest of the node that goes on from a parent at `start` under pieces of this `pieces_key`."""
    return node_digest("", owner, start, key) if parent is None else node_digest(parent.digest, "", start, key)


def requests_beyond(node: Node, step: int) -> Iterator[tuple[Node, int, int]]:
    """Yield the pending requests (node, step, request) of all paths through `step` of a node."""
    below = [node]
    while below:
        current = below.pop()
        for until in sorted({*current.requests, *current.step_requests}):
            if until >= step:
                yield from ((current, until, request) for request in current.asked(until))
        below += [child for child in current.children.values() if child.start >= step]
