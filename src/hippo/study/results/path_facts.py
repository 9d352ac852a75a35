"""What is known along the paths of a study's trials, read as columns: no plan is built, and no other study's nodes are.

It is what was known at one moment: a reading taken before a thousand further steps does not know of them. This module
refuses to know trials and states, and how facts are kept between two looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

from hippo.plan import Among, FailureRow, metrics_from_text
from hippo.records import Metrics
from hippo.study.results.fact_cache import NEVER, NOTHING, FactCache, Marks, NodeFacts, metrics_until


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
        return metrics_until(self._evaluated.get(node, NOTHING), until)

    def metrics(self, node: int, step: int) -> Metrics:
        """Return the metrics of a path after a step; empty if it was not evaluated there."""
        text, _ = self._evaluated.get(self.owner_of(node, step), NOTHING).get(step, NEVER)
        return {} if text is None else metrics_from_text(text)

    def history(self, node: int, until: int) -> dict[int, Metrics]:
        """Return step -> metrics for every evaluation along a path."""
        history = {}
        for owner, start, stop in self.spans(node, until):
            evaluated = self._evaluated.get(owner, NOTHING)
            for step in sorted(evaluated):
                text = evaluated[step][0] if start < step <= stop else None
                if text is not None:
                    history[step] = metrics_from_text(text)
        return history

    def train_metrics(self, node: int, until: int) -> Mapping[int, Metrics]:
        """Return step -> what `train` returned, for every step of a path that is known; looked up when it is read."""
        return PathTrainMetrics(self, node, until)

    def trained_at(self, node: int, step: int) -> str | None:
        """Return what `train` returned in a step of a path, as text; None if that step was not trained."""
        return self._trained.get(self.owner_of(node, step), NOTHING).get(step, NEVER)[0]

    def trained_steps(self, node: int, until: int) -> Iterator[int]:
        """Yield the steps of a path that were trained."""
        for owner, start, stop in self.spans(node, until):
            trained = self._trained.get(owner, NOTHING)
            yield from (step for step in range(start + 1, stop + 1) if trained.get(step, NEVER)[0] is not None)

    def steps_reached(self, node: int, until: int) -> int:
        """Return how many steps of a path to `until` were ever trained, whoever asked for them."""
        for owner, start, stop in self.spans(node, until):
            furthest = max(self._trained.get(owner, NOTHING), default=self._cache.begins_at(owner))
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
        trained, evaluated = self._trained.get(node, NOTHING), self._evaluated.get(node, NOTHING)
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
    firsts = [sorted(known.get(node, NOTHING).items()) for node in nodes]
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
