"""The stage tree kept up to date, event by event: equal to `build_stage_tree` of the same plan at every moment.

Each event marks the nodes it touches; the marked ones are worked out anew when somebody looks at the tree. So a batch
of events costs one visit per touched node. It refuses to know where the events come from.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from hippo.records import AfterStage, AtCheckpoint, Base, Fresh, LeaseId, LeaseView, NodeId, Point, Stage, Underway
from hippo.stages.needs import LocalNeeds, Stretch
from hippo.stages.tree import Cost, StageTree, steps_as_cost


@dataclass(slots=True)
class _Node:
    id: NodeId
    start: int
    #: to which node the state at `start` belongs; None: newly initialised
    owner: _Node | None
    checkpoints: list[int] = field(default_factory=list)
    metrics: dict[int, None] = field(default_factory=dict)
    requests: dict[int, int] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    stretches: list[Stretch] = field(default_factory=list)
    #: step -> nodes that begin there
    children: dict[int, list[_Node]] = field(default_factory=dict)
    #: step -> how many of these need the state there
    demanded: dict[int, int] = field(default_factory=dict)
    #: ends of its stages as they stand in the tree
    ends: tuple[int, ...] = ()
    #: whether it needs the state at its start from its owner
    demands: bool = False

    def needs(self) -> LocalNeeds:
        return LocalNeeds(self.id, self.start, self.checkpoints, self.stretches)


class IncrementalStageTree:
    """A stage tree that follows a plan. Every method but `tree` tells it of one event."""

    def __init__(self, cost: Cost = steps_as_cost) -> None:
        self._tree = StageTree(cost=cost)
        self._nodes: dict[NodeId, _Node] = {}
        self._leases: dict[LeaseId, list[Point]] = {}
        self._touched: dict[NodeId, _Node] = {}
        self._underway: dict[Point, None] = {}

    @property
    def tree(self) -> StageTree:
        """The tree after everything it was told."""
        self._settle()
        return self._tree

    def ends(self, node: NodeId) -> tuple[int, ...]:
        """Return where stages of a node end, ascending."""
        self._settle()
        return self._nodes[node].ends

    def take_underway(self) -> list[Stage]:
        """Return the stages under way whose node was touched since the last call: a boundary there may be new."""
        self._settle()
        taken, self._underway = self._underway, {}
        return [stage for point in taken if isinstance((stage := self._tree.stages[point]).base, Underway)]

    # --- events

    def add_node(self, node: NodeId, parent: NodeId | None, start: int) -> None:
        """A node came into the plan; its parent came before it."""
        owner = None if parent is None else self._nodes[parent]
        while owner is not None and owner.start == start:
            owner = owner.owner
        added = self._nodes[node] = _Node(node, start, owner)
        if owner is not None:
            owner.children.setdefault(start, []).append(added)

    def add_request(self, node: NodeId, step: int) -> None:
        """Metrics were asked for."""
        self._increase(self._touch(node).requests, step)

    def remove_request(self, node: NodeId, step: int) -> None:
        """One request for these metrics was answered or withdrawn."""
        self._decrease(self._touch(node).requests, step)

    def add_state_request(self, node: NodeId, step: int) -> None:
        """A state was asked for."""
        self._increase(self._touch(node).states, step)

    def remove_state_request(self, node: NodeId, step: int) -> None:
        """One request for this state was answered or withdrawn."""
        self._decrease(self._touch(node).states, step)

    def add_metrics(self, node: NodeId, step: int) -> None:
        """Metrics became known."""
        known = self._nodes[node]
        known.metrics[step] = None
        if step in known.requests:
            self._touched[node] = known

    def add_checkpoint(self, node: NodeId, step: int) -> None:
        """A state became loadable."""
        owner = self._touch(node)
        if not owner.needs().has_state(step):
            insort(owner.checkpoints, step)
        self._touch_children(owner, step)

    def remove_checkpoint(self, node: NodeId, step: int) -> None:
        """A state is no longer loadable."""
        owner = self._touch(node)
        del owner.checkpoints[bisect_left(owner.checkpoints, step)]
        self._touch_children(owner, step)

    def open_lease(self, lease: LeaseView) -> None:
        """Work began."""
        self._leases[lease.id] = [(span.node, span.start) for span in lease.spans]
        for span in lease.spans:
            passed = {step for node, step in lease.passed if node == span.node}
            self._touch(span.node).stretches.append(Stretch(span.start, span.stop, lease.id, passed))

    def close_lease(self, lease: LeaseId) -> None:
        """Work ended, for whatever reason."""
        for node, _ in self._leases.pop(lease):
            touched = self._touch(node)
            touched.stretches = [stretch for stretch in touched.stretches if stretch.lease != lease]

    def mark_passed(self, lease: LeaseId, point: Point) -> None:
        """A boundary came too late for a lease."""
        node = self._touch(point[0])
        node.stretches = [
            replace(stretch, passed=stretch.passed | {point[1]}) if stretch.lease == lease else stretch
            for stretch in node.stretches
        ]

    def recost(self, cost: Cost) -> None:
        """Estimates changed."""
        self._settle()
        self._tree.recost(cost)

    # --- keeping up

    def _touch(self, node: NodeId) -> _Node:
        touched = self._touched[node] = self._nodes[node]
        return touched

    def _touch_children(self, owner: _Node, step: int) -> None:
        for child in owner.children.get(step, ()):
            if child.ends:
                self._touched[child.id] = child

    @staticmethod
    def _increase(counter: dict[int, int], step: int) -> int:
        counter[step] = counter.get(step, 0) + 1
        return counter[step]

    @staticmethod
    def _decrease(counter: dict[int, int], step: int) -> None:
        counter[step] -= 1
        if counter[step] <= 0:
            del counter[step]
            if not counter:
                counter.clear()  # lets go of its memory, too: there may be a million nodes

    def _settle(self) -> None:
        while self._touched:
            _, node = self._touched.popitem()  # the latest first: children tend to come after their parents
            self._work_out(node)

    def _work_out(self, node: _Node) -> None:
        metrics = [step for step in node.requests if step not in node.metrics]
        if not (metrics or node.states or node.demanded):  # most often: what it needed is there
            self._replace_stages(node, ())
            self._demand(node, False)
            return
        stages, unsettled = node.needs().stages(metrics=metrics, states={*node.states, *node.demanded})
        if unsettled is not None:
            first = Stage(node=node.id, start=unsettled.start, stop=unsettled.stop, base=self._base_at_start(node))
            stages.insert(0, first)
        self._replace_stages(node, stages)
        self._demand(node, unsettled is not None)

    def _demand(self, node: _Node, demands: bool) -> None:
        """Tell the owner of the node's start, if it makes a difference to it."""
        owner = node.owner
        if owner is None or node.demands == demands:
            return
        node.demands = demands
        if demands:
            changed = self._increase(owner.demanded, node.start) == 1
        else:
            self._decrease(owner.demanded, node.start)
            changed = node.start not in owner.demanded
        if changed:
            self._touched[owner.id] = owner

    def _replace_stages(self, node: _Node, stages: Iterable[Stage]) -> None:
        ends = []
        for stage in stages:
            ends.append(stage.stop)
            self._tree.put(stage)
            if isinstance(stage.base, Underway):
                self._underway[stage.point] = None
        for gone in set(node.ends).difference(ends):
            self._tree.discard((node.id, gone))
            self._underway.pop((node.id, gone), None)
        node.ends = tuple(ends)

    @staticmethod
    def _base_at_start(node: _Node) -> Base:
        if node.owner is None:
            return Fresh()
        if node.owner.needs().has_state(node.start):
            return AtCheckpoint(node.owner.id, node.start)
        return AfterStage((node.owner.id, node.start))
