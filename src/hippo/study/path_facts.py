"""What is known along the paths of a study's trials, read as columns: no plan is built, and no other study's nodes are.

Facts are rows that never change, so a cache keeps them and asks the store only for those inserted after its mark, and
for nodes that it has not seen. Who looks says as of which mark, and gets what was known then, however late it looks:
a reading taken before a thousand further steps does not know of them. This module refuses to know trials and states.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hippo.plan import (
    AbstractPlanStore,
    Among,
    AtMost,
    Cause,
    FailureRow,
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
_NEVER: _Told = (None, 0.0)

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
_NOTHING: NodeFacts = {}


def _add(
    by_node: dict[int, NodeFacts], copied: dict[int, dict[int, _Told]], facts: Iterable[_Fact], nodes: Set[int]
) -> None:
    """Add facts of some nodes to what is known; the first that is not only a check holds."""
    last, own = None, None
    for node, step, text, seconds in facts:
        if node != last:  # facts of one node come one after the other, as a rule
            last, own = node, copied.get(node) if node in nodes else None
            if own is None and node in nodes:
                own = copied[node] = dict(by_node.get(node, _NOTHING))
                by_node[node] = own
        if own is None:
            continue
        known = own.get(step)
        if known is None or known[0] is None:
            own[step] = (text, seconds)


def evaluations_among(cache: FactCache, stops: Mapping[int, int], marks: Marks) -> dict[int, NodeMetrics]:
    """Return what `PathFacts.evaluations_of` says of some nodes up to a step of each, without reading of the others."""
    known = cache.evaluated(frozenset(stops), marks.metrics)
    return {node: _metrics_until(known.get(node, _NOTHING), until) for node, until in stops.items()}


def _metrics_until(evaluated: NodeFacts, until: int) -> NodeMetrics:
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
        total += trained.get(step, _NEVER)[1] + evaluated.get(step, _NEVER)[1]
        sums.append(total)
    return sums


class PathFacts:
    """What was known at one moment along the paths to some nodes; each kind of fact is read when it is first needed.

    Args:
      cache: where facts are kept between readings.
      ends: the nodes in which the paths end.
      marks: the moment.
    """

    def __init__(self, cache: FactCache, ends: Iterable[int], marks: Marks) -> None:
        self._cache = cache
        self._ends = frozenset(ends)
        self._marks = marks
        #: node -> seconds of its path up to its start
        self._before: dict[int, float] = {}

    @cached_property
    def _nodes(self) -> Mapping[int, tuple[int | None, int]]:
        return self._cache.nodes(self._ends)

    @cached_property
    def nodes(self) -> Set[int]:
        """The nodes of all paths, among others."""
        return self._cache.walked_to(self._ends)

    @cached_property
    def _trained(self) -> Mapping[int, NodeFacts]:
        return self._cache.trained(self.nodes, self._marks.steps)

    @cached_property
    def _evaluated(self) -> Mapping[int, NodeFacts]:
        return self._cache.evaluated(self.nodes, self._marks.metrics)

    def is_known(self, node: int) -> bool:
        """Tell whether the plan has a node: simulations forget theirs, and a trial that never began has none."""
        return node in self._nodes

    # --- paths

    def owner_of(self, node: int, step: int) -> int:
        """Return the node of a path to which the state at `step` belongs."""
        parent, start = self._nodes[node]
        while parent is not None and step <= start:
            node = parent
            parent, start = self._nodes[node]
        return node

    def spans(self, node: int, until: int) -> list[tuple[int, int, int]]:
        """Return a path from its root to `until` as (node, start, stop], the root first."""
        spans, stop = [], until
        following: int | None = node
        while following is not None:
            parent, start = self._nodes[following]
            if start < stop:
                spans.append((following, start, stop))
                stop = start
            following = parent
        return spans[::-1]

    def begin_of(self, node: int) -> tuple[int | None, int]:
        """Return the node that a node continues, None for a root, and the step at which it does."""
        return self._nodes[node]

    # --- what is known on them

    def evaluations_of(self, node: int, until: int) -> Mapping[int, Metrics]:
        """Return step -> metrics for every evaluation of a node up to a step."""
        return _metrics_until(self._evaluated.get(node, _NOTHING), until)

    def metrics(self, node: int, step: int) -> Metrics:
        """Return the metrics of a path after a step; empty if it was not evaluated there."""
        text, _ = self._evaluated.get(self.owner_of(node, step), _NOTHING).get(step, _NEVER)
        return {} if text is None else metrics_from_text(text)

    def history(self, node: int, until: int) -> dict[int, Metrics]:
        """Return step -> metrics for every evaluation along a path."""
        return {
            step: metrics
            for owner, start, stop in self.spans(node, until)
            for step, metrics in self.evaluations_of(owner, stop).items()
            if step > start
        }

    def train_metrics(self, node: int, until: int) -> Mapping[int, Metrics]:
        """Return step -> what `train` returned, for every step of a path that is known; looked up when it is read."""
        return PathTrainMetrics(self, node, until)

    def trained_at(self, node: int, step: int) -> str | None:
        """Return what `train` returned in a step of a path, as text; None if that step was not trained."""
        return self._trained.get(self.owner_of(node, step), _NOTHING).get(step, _NEVER)[0]

    def trained_steps(self, node: int, until: int) -> Iterator[int]:
        """Yield the steps of a path that were trained."""
        for owner, start, stop in self.spans(node, until):
            trained = self._trained.get(owner, _NOTHING)
            yield from (step for step in range(start + 1, stop + 1) if trained.get(step, _NEVER)[0] is not None)

    def steps_reached(self, node: int, until: int) -> int:
        """Return how many steps of a path to `until` were ever trained, whoever asked for them."""
        for owner, start, stop in self.spans(node, until):
            furthest = max(self._trained.get(owner, _NOTHING), default=self._cache.begins_at(owner))
            if furthest < stop:
                return max(start, furthest)
        return until

    def seconds_until(self, node: int, step: int) -> float:
        """Return the seconds that a path took up to a step, each of its steps counted once."""
        owner = self.owner_of(node, step)
        return self._seconds_before(owner) + self._own_seconds(owner, step)

    def _seconds_before(self, node: int) -> float:
        """Return the seconds of a path up to where a node begins. Many trials share what is above them."""
        below = []
        while node not in self._before:
            parent, start = self._nodes[node]
            if parent is None:
                self._before[node] = 0.0
            else:
                below.append(node)
                node = self.owner_of(parent, start)
        for following in reversed(below):
            self._before[following] = self._before[node] + self._own_seconds(node, self._nodes[following][1])
            node = following
        return self._before[node]

    def _own_seconds(self, node: int, step: int) -> float:
        start = self._nodes[node][1]
        trained, evaluated = self._trained.get(node, _NOTHING), self._evaluated.get(node, _NOTHING)
        sums = self._cache.sums(node, start, trained, evaluated)
        return sums[max(0, min(step - start, len(sums) - 1))]

    def traceback(self, node: int, until: int) -> str:
        """Return the traceback of what keeps a path from reaching `until`; empty if nothing does, or nothing raised.

        A reading of before it was taken back still tells of a failure, the latest if there were several.
        """
        stops = {owner: stop for owner, _, stop in self.spans(node, until)}
        names = ("node", "step", "traceback", "voided")
        with self._cache.store.reading() as rows:
            found = rows.columns(FailureRow, names, plan=self._cache.plan, node=Among(stops), upto=self._marks.failures)
        met = [failure for failure in found if failure[1] <= stops[failure[0]]]
        places = {owner: place for place, owner in enumerate(stops)}
        counted = sorted((failure for failure in met if not failure[3]), key=lambda failure: places[failure[0]])
        return str(counted[0][2] if counted else met[-1][2] if met else "")


def with_what_follows(facts: PathFacts, nodes: Set[int]) -> set[int]:
    """Return nodes and all that go on from them, those of these paths among others."""
    known = facts._nodes  # read before it is asked what follows
    return {node for node in facts._cache.with_what_follows(nodes) if node in known}


def names_trained_in(facts: PathFacts, nodes: Set[int]) -> set[str]:
    """Return the names of what `train` returned in the first step known of some nodes; no others are read."""
    known = facts._cache.trained(frozenset(nodes), facts._marks.steps)
    firsts = [sorted(known.get(node, _NOTHING).items()) for node in nodes]
    texts = [next((text for _, (text, _) in steps if text is not None), None) for steps in firsts]
    return {name for text in texts if text is not None for name in metrics_from_text(text)}


class PathTrainMetrics(Mapping[int, Metrics]):
    """Step -> what `train` returned in it, along a path that may be tens of thousands of steps long."""

    def __init__(self, facts: PathFacts, node: int, until: int) -> None:
        self._facts = facts
        self._node = node
        self._until = until

    def __getitem__(self, step: int) -> Metrics:
        text = self._facts.trained_at(self._node, step) if 0 < step <= self._until else None
        if text is None:
            raise KeyError(step)
        return metrics_from_text(text)

    def __iter__(self) -> Iterator[int]:
        return self._facts.trained_steps(self._node, self._until)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))
