"""What was read of the nodes of a plan, for whoever looks next: facts are rows that never change.

A cache asks the store only for facts inserted after its mark, and for nodes that it has not seen. Who looks says as of
which mark, and gets what was known then, however late it looks. It refuses to know paths, trials and states.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from hippo.plan import (
    AbstractPlanStore,
    Among,
    AtMost,
    Cause,
    MetricsRow,
    Moment,
    NodeRow,
    StepRow,
    begun,
    metrics_from_text,
)
from hippo.records import Metrics

#: metrics as text, None of a step that was run only to check; and seconds
_Told = tuple[str | None, float]
#: step -> what is known of it
NodeFacts = Mapping[int, _Told]
#: of a step of which nothing is known
NEVER: _Told = (None, 0.0)

#: after so many generations of parents, all nodes of the plan are read: chains of a tuner that forks are long
_MOST_LOOKS_UP = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Up to which rows of each kind a moment goes."""

    steps: int
    metrics: int
    failures: int
    checkpoints: int


@dataclass(frozen=True, slots=True)
class _Known:
    """Facts of one kind, complete for some nodes as of a mark."""

    nodes: Set[int] = frozenset()
    mark: int = 0
    by_node: Mapping[int, NodeFacts] = field(default_factory=dict)


class FactCache:
    """What was read of a plan's nodes, for all who read the same study; it grows with what they ask for.

    Args:
      store: to be read.
      plan: of which the nodes are.
    """

    def __init__(self, store: AbstractPlanStore, plan: int) -> None:
        self.store = store
        self.plan = plan
        self._guard = threading.RLock()
        #: node -> its parent and its start
        self._nodes: dict[int, tuple[int | None, int]] = {}
        #: node -> those that go on from it
        self._following: dict[int, list[int]] = {}
        #: the nodes on all paths that were asked for
        self._walked: Set[int] = frozenset()
        #: of those read that are states of another plan: after how many steps they were taken, and their hashes
        self.states: dict[int, tuple[int, str]] = {}
        self._trained = _Known()
        self._evaluated = _Known()
        self._sums: dict[int, tuple[NodeFacts, NodeFacts, list[float]]] = {}

    def nodes(self, wanted: Iterable[int]) -> Mapping[int, tuple[int | None, int]]:
        """Return node -> (parent, start) of these nodes and all above them, among others; none for a lost one."""
        with self._guard:
            missing = set(wanted).difference(self._nodes)
            if missing:
                with self.store.reading() as rows:
                    self._climb(rows, missing)
            return self._nodes

    def walked_to(self, ends: Set[int]) -> Set[int]:
        """Return all nodes on the paths that end in these, and on those that were asked for before; none lost."""
        with self._guard:
            known, walked = self.nodes(ends), set(self._walked)
            for end in ends - walked:
                node: int | None = end
                while node is not None and node not in walked and node in known:
                    walked.add(node)
                    node = known[node][0]
            self._walked = walked  # those who were given the one before look at it
            return walked

    def _climb(self, rows: Moment, missing: set[int]) -> None:
        looks = 0
        while missing:
            wanted = _these(missing) if looks < _MOST_LOOKS_UP else AtMost(max(missing))  # parents come first
            found = rows.columns(NodeRow, ("node", "parent", "start", "owner"), plan=self.plan, node=wanted)
            for node, parent, start, _ in found:
                if parent is not None and node not in self._nodes:
                    self._following.setdefault(parent, []).append(node)
                self._nodes[node] = (parent, start)
            self.states.update((node, state) for node, _, _, owner in found if owner and (state := begun(owner)))
            missing = {parent for _, parent, _, _ in found if parent is not None}.difference(self._nodes)
            looks += 1

    def with_what_follows(self, nodes: Iterable[int]) -> set[int]:
        """Return nodes and all that go on from them, as far as they were read."""
        with self._guard:
            found, todo = set(nodes), list(nodes)
            while todo:
                following = self._following.get(todo.pop(), ())
                todo += [node for node in following if node not in found]
                found.update(following)
            return found

    def begins_at(self, node: int) -> int:
        """Return after how many steps the state was taken that a root is; 0 of all other nodes."""
        step, _ = self.states.get(node, (0, ""))
        return step

    def trained_from(self, node: int) -> int:
        """Return the step from which on a node that was read is trained: its start, or where its state was taken."""
        return max(self._nodes[node][1], self.begins_at(node))

    def trained(self, nodes: Set[int], mark: int) -> Mapping[int, NodeFacts]:
        """Return node -> step -> what training said and took, complete for these nodes."""
        with self._guard:
            known = self._extended(self._trained, StepRow, nodes, mark)
            self._trained = _later(self._trained, known)
            return known.by_node

    def evaluated(self, nodes: Set[int], mark: int) -> Mapping[int, NodeFacts]:
        """Return node -> step -> what evaluating said and took, complete for these nodes."""
        with self._guard:
            known = self._extended(self._evaluated, MetricsRow, nodes, mark)
            self._evaluated = _later(self._evaluated, known)
            return known.by_node

    def _extended(self, known: _Known, kind: type[StepRow | MetricsRow], nodes: Set[int], mark: int) -> _Known:
        """Return facts as of a mark. Those known before are left as they are: others look at them."""
        if known.mark > mark:
            known = _Known()
        fresh = nodes - known.nodes
        if not fresh and known.mark == mark:
            return known
        by_node = dict(known.by_node)
        copied: dict[int, dict[int, _Told]] = {}
        with self.store.reading() as rows:
            if known.nodes and known.mark < mark:
                found = self._read(rows, kind, upto=mark, after=known.mark)
                _add(by_node, copied, found, known.nodes)
            if fresh:
                # in the order of their key, which is an index; attempts at a step are numbered as they are recorded
                order = ("node", "step") if kind is MetricsRow else ("node", "step", "attempt")
                found = self._read(rows, kind, order=order, upto=mark, node=_these(fresh))
                _add(by_node, copied, found, fresh)
        return _Known(known.nodes | fresh, mark, by_node)

    def _read(self, rows: Moment, kind: type[StepRow | MetricsRow], **where: Any) -> Iterable[_Fact]:
        """Yield facts as (node, step, text, seconds), those of a step in the order in which they were recorded."""
        if kind is MetricsRow:
            return rows.columns(kind, ("node", "step", "metrics", "seconds"), plan=self.plan, **where)
        found = rows.columns(kind, ("node", "step", "training", "seconds", "cause"), plan=self.plan, **where)
        check = Cause.CHECK.value
        return (
            (node, step, None, 0.0) if cause == check else (node, step, text, seconds)
            for node, step, text, seconds, cause in found
        )

    def sums(self, node: int, start: int, trained: NodeFacts, evaluated: NodeFacts) -> list[float]:
        """Return the seconds of a node's steps, summed from its start: nothing, the first, the first two, ..."""
        known = self._sums.get(node)
        if known is None or known[0] is not trained or known[1] is not evaluated:
            known = self._sums[node] = (trained, evaluated, _summed(start, trained, evaluated))
        return known[2]


def _these(nodes: Set[int]) -> Among | AtMost:
    """Return a condition that holds for nodes, and for not many others.

    Nodes are numbered as they come into a plan, so that a study that made most of them takes all up to its last one.
    """
    last = max(nodes)
    return AtMost(last) if last <= 2 * len(nodes) else Among(nodes)


def _later(kept: _Known, known: _Known) -> _Known:
    """Return what is to be kept: what an old moment asked for is complete only up to there."""
    return known if known.mark >= kept.mark else kept


#: node, step, metrics as text, seconds
_Fact = tuple[int, int, str | None, float]
#: of a node of which nothing is known
NOTHING: NodeFacts = {}


def _add(
    by_node: dict[int, NodeFacts], copied: dict[int, dict[int, _Told]], facts: Iterable[_Fact], nodes: Set[int]
) -> None:
    """Add facts of some nodes to what is known; the first that is not only a check holds."""
    last, own = None, None
    for node, step, text, seconds in facts:
        if node != last:  # facts of one node come one after the other, as a rule
            last, own = node, copied.get(node) if node in nodes else None
            if own is None and node in nodes:
                own = copied[node] = dict(by_node.get(node, NOTHING))
                by_node[node] = own
        if own is None:
            continue
        known = own.get(step)
        if known is None or known[0] is None:
            own[step] = (text, seconds)


def evaluations_among(cache: FactCache, stops: Mapping[int, int], marks: Marks) -> dict[int, NodeMetrics]:
    """Return what `PathFacts.evaluations_of` says of some nodes up to a step of each, without reading of the others."""
    known = cache.evaluated(frozenset(stops), marks.metrics)
    return {node: metrics_until(known.get(node, NOTHING), until) for node, until in stops.items()}


def metrics_until(evaluated: NodeFacts, until: int) -> NodeMetrics:
    texts = ((step, evaluated[step][0]) for step in sorted(evaluated) if step <= until)
    return NodeMetrics({step: text for step, text in texts if text is not None})


class NodeMetrics(Mapping[int, Metrics]):
    """Step -> metrics of a node, in order; each is read from its text when somebody asks for it.

    A picture of ten thousand nodes wants the last ones, and whether there are some.
    """

    __slots__ = ("_known", "_texts")

    def __init__(self, texts: dict[int, str]) -> None:
        self._texts = texts
        self._known: dict[int, Metrics] = {}

    def __getitem__(self, step: int) -> Metrics:
        known = self._known.get(step)
        if known is None:
            known = self._known[step] = metrics_from_text(self._texts[step])
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        return repr(dict(self))


def _summed(start: int, trained: NodeFacts, evaluated: NodeFacts) -> list[float]:
    total, sums = 0.0, [0.0]
    last = max(max(trained, default=start), max(evaluated, default=start))
    for step in range(start + 1, last + 1):
        total += trained.get(step, NEVER)[1] + evaluated.get(step, NEVER)[1]
        sums.append(total)
    return sums
