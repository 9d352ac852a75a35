"""The nodes of one plan: found by their keys, looked up where they are stored, made where there are none.

A plan may be in memory in part only: then each node is here with all its facts and all its ancestors, or not at all,
and one that is asked for comes from where the others are (`stored_nodes`). A node that is made is written down in the
change log as it is made. This module refuses to know how nodes are read back (`loading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hippo.hparams import Piece
from hippo.plan.beginnings import beginning, begun
from hippo.plan.change_log import ChangeLog
from hippo.plan.codec import node_digest, pieces_key, pieces_to_text
from hippo.plan.nodes import Node
from hippo.plan.rows import Insert, NodeRow
from hippo.records import NodeId


@dataclass(frozen=True, slots=True)
class Way:
    """A stretch of a config's path that is about to be asked for."""

    #: the node from which it goes on; None for a root
    parent: Node | None
    #: (start, pieces) of its nodes, in their order
    ahead: Sequence[tuple[int, Mapping[str, Piece]]]
    #: the trial that has the root to itself; empty if it is shared
    owner: str = ""


class NodeSource(Protocol):
    """Where the nodes are that are not in memory; those that are asked for come into it."""

    #: the largest number of a node that may be there: later ones were made in memory, and so were their children
    last: NodeId

    def find(self, digest: str) -> Node | None:
        """Bring a node in and return it; None if there is none."""

    def bring(self, numbers: Iterable[NodeId]) -> None:
        """Bring nodes in, together, as far as there are such and they are not in memory yet."""

    def expect(self, ways: Iterable[Way]) -> None:
        """Bring in, together, what there is of ways that are about to be walked."""

    def note_made(self, digest: str) -> None:
        """A node that was found missing was made."""


class PlanNodes(dict[NodeId, Node]):
    """Nodes by number, and by (parent, start, pieces).

    `[]` brings in one that is not here; to iterate goes over those in memory, which are all that anything is asked of.

    Args:
      plan: whose nodes they are.
      changes: each node that is made is written down there.
    """

    __slots__ = ("_changes", "_plan", "_roots", "begun", "last", "source")

    def __init__(self, plan: int, changes: ChangeLog) -> None:
        super().__init__()
        self._plan = plan
        self._changes = changes
        self._roots: dict[tuple[str, int, str], Node] = {}
        #: where nodes are that are not here; None if all are here
        self.source: NodeSource | None = None
        #: the largest number that a node of the plan has
        self.last = NodeId(0)
        #: those in memory that are states of another plan
        self.begun: list[Node] = []

    def __missing__(self, number: NodeId) -> Node:
        if self.source is not None:
            self.source.bring([number])
        node = self.get(number)
        if node is None:
            raise KeyError(number)
        return node

    def look_up_in(self, source: NodeSource) -> None:
        """From now on look there for what is not here; nodes are numbered on from those that are there."""
        self.source = source
        self.last = source.last

    @property
    def is_in_parts(self) -> bool:
        """Whether nodes are looked up when they are touched: then it is worth to `expect` many together."""
        return self.source is not None

    def expect(self, ways: Iterable[Way]) -> None:
        """Bring into memory, together, what there is of ways that are about to be walked, child by child."""
        if self.source is not None:
            self.source.expect(ways)

    def bring(self, numbers: Iterable[NodeId]) -> None:
        """Bring nodes into memory, together, as far as there are such; 0 names none."""
        if self.source is not None:
            self.source.bring(numbers)

    def latest(self, count: int) -> list[Node]:
        """Return the nodes that were made last, the oldest of them first."""
        numbers = [NodeId(number) for number in range(max(1, self.last - count + 1), self.last + 1)]
        self.bring(numbers)
        return [self[number] for number in numbers]

    def here(self, parent: Node | None, start: int, key: str, owner: str) -> Node | None:
        """Return the node of this key if it is in memory."""
        return self._roots.get((owner, start, key)) if parent is None else parent.children.get((start, key))

    def find(self, parent: Node | None, start: int, key: str, owner: str) -> Node | None:
        """Return the node that goes on from a parent at `start` under pieces of this `pieces_key`, if there is one."""
        known = self.here(parent, start, key, owner)
        source = self.source
        if known is None and source is not None and (parent is None or parent.id <= source.last):
            return source.find(digest_of(parent, start, key, owner))
        return known

    def child(self, parent: Node | None, start: int, pieces: Mapping[str, Piece], owner: str) -> Node:
        """Return the node of this key, made, and written down, if it is missing."""
        key = pieces_key(pieces)
        known = self.find(parent, start, key, owner)
        if known is not None:
            return known
        node = self.add(NodeId(self.last + 1), parent, start, pieces, key=key, owner=owner)
        row = NodeRow(
            plan=self._plan,
            node=node.id,
            parent=None if parent is None else parent.id,
            start=start,
            pieces=pieces_to_text(pieces),
            owner=owner if parent is None else "",
            digest=node.digest,
        )
        self._changes.append(Insert(row))
        return node

    def begin_at(self, step: int, state_hash: str, pieces: Mapping[str, Piece]) -> Node:
        """Return the root that is a state of another plan, made, and written down, if it is missing.

        Args:
          step: after how many steps.
          state_hash: of the state.
          pieces: in force just before.
        """
        return self.child(None, 0, pieces, beginning(step, state_hash))

    def add(
        self, number: NodeId, parent: Node | None, start: int, pieces: Mapping[str, Piece], *, key: str, owner: str
    ) -> Node:
        """Add a node under a number of its own; `key` is the `pieces_key` of its pieces."""
        digest = digest_of(parent, start, key, owner)
        node = self[number] = Node(number, parent, start, pieces, digest)
        if parent is None:
            self._roots[(owner, start, key)] = node
            if owner and (state := begun(owner)):
                node.begins_at = node.runs.furthest = state[0]
                node.seconds.leave_out(node.begins_at)
                self.begun.append(node)
        else:
            parent.children[(start, key)] = node
        if number > self.last:
            self.last = number
            if self.source is not None:
                self.source.note_made(digest)
        return node


def digest_of(parent: Node | None, start: int, key: str, owner: str) -> str:
    """Return the digest of the node that goes on from a parent at `start` under pieces of this `pieces_key`."""
    return node_digest("", owner, start, key) if parent is None else node_digest(parent.digest, "", start, key)
