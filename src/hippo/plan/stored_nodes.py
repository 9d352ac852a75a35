"""Nodes of a plan that lie in its store, and come into memory when they are touched: each with all that is known of it.

A plan may have millions of nodes, and a request touches a few. So who takes a plan over reads none of them. A node is
looked up when a request's path comes to it, by its digest; by its number, when a worker or a trial's row names it. It
comes with all its facts and all its ancestors, in a handful of statements however many come together: so whoever knows
what will be asked says so (`expect`) before it asks. Nodes that this process made are in memory, and so are all of
their children: of a new plan nothing is ever looked up.

This is right because a plan has one writer, who holds its lock. What it wrote since it took the plan over is of nodes
that it has in memory, so the store's word on all others is as good as it was then, durable or not; and nothing that
came into memory is dropped. It refuses to know what nodes are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hippo.plan.codec import node_digest, pieces_key
from hippo.plan.loading import load_nodes
from hippo.plan.nodes import Node
from hippo.plan.plan_index import PlanIndex
from hippo.plan.plan_nodes import Way
from hippo.plan.rows import NodeRow
from hippo.plan.selecting import Among
from hippo.plan.store import AbstractPlanStore
from hippo.records import NodeId

#: what a statement costs, and a digest in it, in the costs of a node in a list of all (measured on SQLite: 1.5 us)
_STATEMENT, _DIGEST = 100, 4
#: nodes that are read ahead at most, where nodes are asked for one by one in the order in which they were made
_MOST_AHEAD = 512
#: how many nodes may lie between two that are asked for in their order: those of one config come together
_NEXT = 8


class StoredNodes:
    """The nodes that one plan's store holds.

    Args:
      store: where they are.
      plan: whose.
      index: they come into it, with their facts.
      last: the largest number of them.
    """

    def __init__(self, store: AbstractPlanStore, plan: int, index: PlanIndex, last: NodeId) -> None:
        self.last = last
        self._store = store
        self._plan = plan
        self._index = index
        #: digests that are known not to be there, as far as no node was made of them
        self._absent: set[str] = set()
        #: all digests, once so many were looked up that reading the list is cheaper than looking up more
        self._numbers: dict[str, NodeId] | None = None
        self._spent = 0
        #: where reading ahead ended, and of how many nodes
        self._end, self._width = NodeId(0), 1

    def find(self, digest: str) -> Node | None:
        if digest in self._absent:
            return None
        numbers = self._look_up([digest])
        if not numbers:
            return None
        self._bring(self._with_those_ahead(numbers[0]))
        return self._index.nodes[numbers[0]]

    def bring(self, numbers: Iterable[NodeId]) -> None:
        missing = [number for number in numbers if 0 < number <= self.last and number not in self._index.nodes]
        if missing:
            self._bring(missing)

    def note_made(self, digest: str) -> None:
        self._absent.discard(digest)

    def expect(self, ways: Iterable[Way]) -> None:
        digests = {digest for way in ways for digest in self._unknown(way)}
        if digests:
            numbers = self._look_up(digests)
            if numbers:
                self._bring({*numbers, *(self._with_those_ahead(max(numbers)) if len(numbers) < _NEXT else ())})

    def _unknown(self, way: Way) -> Iterable[str]:
        """Yield the digests of a way's nodes from the first on that is neither in memory nor known to be missing."""
        node, digest = way.parent, "" if way.parent is None else way.parent.digest
        is_here = True
        for start, pieces in way.ahead:
            key = pieces_key(pieces)
            owner = "" if digest else way.owner
            if is_here:
                if node is not None and node.id > self.last:
                    return  # made by this process, and so is what follows
                child = self._index.nodes.here(node, start, key, owner)
                if child is not None:
                    node, digest = child, child.digest
                    continue
                is_here = False
            digest = node_digest(digest, owner, start, key)
            if digest in self._absent:
                return
            yield digest

    def _look_up(self, digests: Collection[str]) -> list[NodeId]:
        """Return the numbers of the nodes that there are; note those that there are not."""
        if self._numbers is None:
            self._spent += _STATEMENT + _DIGEST * len(digests)
            if self._spent <= self.last:
                with self._store.durable() as rows:
                    asked = Among(frozenset(digests))
                    found = dict(rows.columns(NodeRow, ("digest", "node"), plan=self._plan, digest=asked))
                self._absent.update(digest for digest in digests if digest not in found)
                return list(found.values())
            with self._store.durable() as rows:
                self._numbers = dict(rows.columns(NodeRow, ("digest", "node"), plan=self._plan))
        self._absent.update(digest for digest in digests if digest not in self._numbers)
        return [self._numbers[digest] for digest in digests if digest in self._numbers]

    def _with_those_ahead(self, number: NodeId) -> Iterable[NodeId]:
        """Return a node and some that were made after it, the more the longer nodes are asked for in that order."""
        is_next = self._end <= number < self._end + _NEXT
        self._width = min(2 * self._width, _MOST_AHEAD) if is_next else 1
        self._end = NodeId(number + self._width)
        return map(NodeId, range(number, min(self._end, self.last + 1)))

    def _bring(self, numbers: Iterable[NodeId]) -> None:
        with self._store.durable() as rows:
            load_nodes(rows, self._plan, self._index, set(numbers))
