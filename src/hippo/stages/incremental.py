"""The stage tree kept up to date, event by event: equal to `build_stage_tree` of the same plan at every moment.

It reads the facts of the plan's own nodes and copies none: of a node it keeps what only the tree knows, and only as
long as something is wanted of it or walks it. So a plan of a million nodes costs it what is at work now. Each event
marks the node it touches; marked ones are worked out anew when somebody looks at the tree: a batch of events costs one
visit per touched node. It refuses to know where the events come from.

What keeps it right: the plan changes a node before it says so (`touched`), and `_Demand.base` is what the owner's facts
say at that moment, so that the nodes which begin there are visited exactly when it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hippo.records import AfterStage, Base, Fresh, LeaseId, LeaseView, NodeFacts, NodeId, Point, Stage, Underway
from hippo.stages.needs import LeasedSpan, LocalNeeds, base_at_end, owner_of_start
from hippo.stages.tree import Cost, StageTree, steps_as_cost


@dataclass(slots=True, eq=False)
class _Demand:
    """Nodes whose first stage goes on from one step of another node, and what that stage begins from."""

    base: Base
    nodes: dict[NodeId, NodeFacts] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _TreeNode:
    """What only the tree knows of a node."""

    facts: NodeFacts
    #: the leases that walk it
    spans: tuple[LeasedSpan, ...] = ()
    #: ends of its stages as they stand in the tree
    ends: tuple[int, ...] = ()
    #: step -> who begins there; None: nobody
    demands: dict[int, _Demand] | None = None
    #: the node whose state its first stage begins from
    owner: NodeFacts | None = None


class IncrementalStageTree:
    """A stage tree that follows a plan; it hears of the plan's changes as a `PlanListener` of the plan does."""

    def __init__(self, cost: Cost = steps_as_cost) -> None:
        self._tree = StageTree(cost=cost)
        self._nodes: dict[NodeId, _TreeNode] = {}
        self._leases: dict[LeaseId, Sequence[NodeFacts]] = {}
        self._touched: dict[NodeId, NodeFacts] = {}
        self._underway: dict[Point, None] = {}

    @property
    def tree(self) -> StageTree:
        """The tree after everything it was told."""
        if self._touched:
            self._settle()
        return self._tree

    @property
    def num_nodes(self) -> int:
        """How many nodes it keeps anything of: those of which something is wanted, or that a lease walks."""
        self._settle()
        return len(self._nodes)

    def ends(self, node: NodeId) -> tuple[int, ...]:
        """Return where stages of a node end, ascending."""
        self._settle()
        known = self._nodes.get(node)
        return () if known is None else known.ends

    def is_base(self, point: Point) -> bool:
        """Tell whether a stage that is still to be run begins at the state of a point, if it is there."""
        self._settle()
        number, step = point
        known = self._nodes.get(number)
        if known is None:
            return False
        if known.demands is not None and step in known.demands:
            return True
        return any(self._tree.stages[Point(number, end)].start == step for end in known.ends)

    def take_underway(self) -> list[Stage]:
        """Return the stages under way whose node was touched since the last call: a boundary there may be new."""
        if self._touched:
            self._settle()
        if not self._underway:
            return []
        taken, self._underway = self._underway, {}
        return [stage for point in taken if isinstance((stage := self._tree.stages[point]).base, Underway)]

    def recost(self, cost: Cost) -> None:
        """Take other estimates."""
        self._settle()
        self._tree.recost(cost)

    # --- what it is told

    def touched(self, node: NodeFacts, step: int) -> None:
        """What is known of a node's step, or asked of it, or where its state lies, has changed."""
        self._touched[node.id] = node
        known = self._nodes.get(node.id)
        if known is not None and known.demands and step in known.demands:
            demand = known.demands[step]
            base = base_at_end(node, step)
            if demand.base != base:
                demand.base = base
                self._touched.update(demand.nodes)

    def opened(self, lease: LeaseView, nodes: Sequence[NodeFacts]) -> None:
        """Work began, so that it has passed no boundary; `nodes` are those of its spans, in their order."""
        self._leases[lease.id] = nodes
        for span, node in zip(lease.spans, nodes, strict=True):
            known = self._keep(node)
            known.spans = (*known.spans, LeasedSpan(span.start, span.stop, lease.id))
            self._touched[node.id] = node

    def closed(self, lease: LeaseId) -> None:
        """Work ended, for whatever reason."""
        for node in self._leases.pop(lease):
            known = self._keep(node)
            known.spans = tuple([span for span in known.spans if span.lease != lease])
            self._touched[node.id] = node

    def passed(self, lease: LeaseId, point: Point) -> None:
        """A boundary came too late for a lease."""
        number, step = point
        known = self._nodes.get(number)
        if known is None:
            return
        known.spans = tuple(
            LeasedSpan(span.start, span.stop, span.lease, span.passed | {step}) if span.lease == lease else span
            for span in known.spans
        )
        self._touched[number] = known.facts

    # --- keeping up

    def _keep(self, node: NodeFacts) -> _TreeNode:
        known = self._nodes.get(node.id)
        if known is None:
            known = self._nodes[node.id] = _TreeNode(node)
        return known

    def _settle(self) -> None:
        while self._touched:
            _, node = self._touched.popitem()  # the latest first: children tend to come after their parents
            self._work_out(node)

    def _work_out(self, node: NodeFacts) -> None:
        known = self._nodes.get(node.id)
        demands = () if known is None or known.demands is None else known.demands
        stages, unsettled = LocalNeeds(node, () if known is None else known.spans).stages(demands)
        if known is None:
            if not stages and unsettled is None:  # most often: what it needed is there
                return
            known = self._keep(node)
        if unsettled is None:
            if known.owner is not None:
                self._demand_nothing(known)
        else:
            base = self._demand_start(known)
            stages.insert(0, Stage(node=node.id, start=node.start, stop=unsettled, base=base))
        self._replace_stages(known, stages)
        if not (known.ends or known.spans or known.demands):  # nothing is kept of it that anybody needs
            del self._nodes[node.id]

    def _demand_start(self, known: _TreeNode) -> Base:
        """Make sure that the owner of the node's start knows that its state is needed; return where the node begins."""
        node = known.facts
        owner = known.owner if known.owner is not None else owner_of_start(node)
        if owner is None:
            return Fresh()
        known.owner = owner
        its = self._keep(owner)
        if its.demands is None:
            its.demands = {}
        demand = its.demands.get(node.start)
        if demand is None:
            demand = its.demands[node.start] = _Demand(base_at_end(owner, node.start))
            if isinstance(demand.base, AfterStage):  # else it is there, and makes no difference to the owner
                self._touched[owner.id] = owner
        demand.nodes[node.id] = node
        return demand.base

    def _demand_nothing(self, known: _TreeNode) -> None:
        """Let the owner of the node's start know that its state is not needed any more."""
        owner, known.owner = known.owner, None
        assert owner is not None, "asked only of who demanded something"
        its = self._nodes[owner.id]
        assert its.demands is not None, "who demands is known to the owner"
        start = known.facts.start
        demand = its.demands[start]
        del demand.nodes[known.facts.id]
        if not demand.nodes:
            del its.demands[start]
            self._touched[owner.id] = owner

    def _replace_stages(self, known: _TreeNode, stages: Iterable[Stage]) -> None:
        number = known.facts.id
        ends = []
        for stage in stages:
            ends.append(stage.stop)
            self._tree.put(stage)
            if isinstance(stage.base, Underway):
                self._underway[stage.point] = None
        was, known.ends = known.ends, tuple(ends)
        if was and was != known.ends:
            for gone in set(was).difference(ends):
                point = Point(number, gone)
                self._tree.discard(point)
                self._underway.pop(point, None)
