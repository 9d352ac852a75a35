"""The search plan: everything known of one workload, as nodes that only grow (Hippo, section 3.2).

It turns what happened into facts, and each fact into a row change that its owner makes durable. It refuses to know
stages, engines and tuners, and it reads no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hippo.frozen import changed
from hippo.hparams import Config, path
from hippo.plan.causes import Cause
from hippo.plan.change_log import ChangeLog
from hippo.plan.codec import pieces_key
from hippo.plan.config_paths import ConfigPath
from hippo.plan.facts import PlanFacts
from hippo.plan.fusion_facts import FusionFacts
from hippo.plan.lease_book import LeaseBook
from hippo.plan.listener import PlanListener
from hippo.plan.loading import last_failure, load_all, load_leases
from hippo.plan.nodes import Node, view_of
from hippo.plan.plan_index import PlanIndex
from hippo.plan.plan_nodes import PlanNodes, Way
from hippo.plan.rows import NodeRow, PlanRow, Update
from hippo.plan.slot_states import SlotStates
from hippo.plan.store import AbstractPlanStore, Moment
from hippo.plan.stored_nodes import StoredNodes
from hippo.plan.totals import PlanTotals
from hippo.records import Exactness, NodeId, NodeView, Snapshot


class SearchPlan:
    """One plan, in the hands of its one writer.

    It holds what the plan is made of, and each part says what happens to it: `nodes` are found and made, `facts`
    recorded, `leases` opened and closed, `residents` come and go with the memory of slots. All of them write down what
    must outlive the process in `changes`; whoever takes these makes them durable before acting on them.
    """

    def __init__(self, row: PlanRow, listener: PlanListener) -> None:
        self.row = row
        #: what the two-step check said of the workload
        self.exactness = Exactness(row.exactness)
        self._listener = listener
        self.changes = ChangeLog()
        self.nodes = PlanNodes(row.plan, self.changes)
        self._index = PlanIndex(self.nodes)
        self.facts = PlanFacts(row.plan, self._index, self.changes, listener)
        self.leases = LeaseBook(row, self.nodes, self.changes, listener)
        self.residents = SlotStates(self.nodes, listener)
        self._fusion_facts: FusionFacts | None = None
        #: what studies had spent on it when it was opened
        self.spent_before = PlanTotals(row.plan, {}, {}, {})

    @classmethod
    def load(cls, rows: Moment, row: PlanRow, listener: PlanListener) -> SearchPlan:
        """Return the plan as a store knew it at one moment, all of it. Leases that were never ended are void."""
        plan = cls(row, listener)
        plan._begin(rows)
        load_all(rows, row.plan, plan._index)
        return plan

    @classmethod
    def open(
        cls, store: AbstractPlanStore, row: PlanRow, listener: PlanListener, *, by_parts: bool | None = None
    ) -> SearchPlan:
        """Return the plan as its store knows it now, for the one who writes to it: the same as `load` gives.

        Args:
          store: where it is.
          row: which.
          listener: hears of its changes.
          by_parts: load nodes when they are touched, and not now; by default where the store is good at that.
        """
        by_parts = store.opens_by_parts if by_parts is None else by_parts
        with store.reading() as rows:
            plan = cls(row, listener) if by_parts else cls.load(rows, row, listener)
            plan.spent_before = PlanTotals.read(rows, row.plan)
            if not by_parts:
                return plan
            plan._begin(rows)
            last = NodeId(rows.largest(NodeRow, "node", plan=row.plan) or 0)
        plan.changes.extend(plan.spent_before.written())  # a writer that was killed left its steps to be added up
        if last:  # else it is new: there is nothing to be looked up, ever
            plan.nodes.look_up_in(StoredNodes(store, row.plan, plan._index, last))
        return plan

    def _begin(self, rows: Moment) -> None:
        self.facts.num_failures = last_failure(rows, self.row.plan)
        self.changes.extend(Update(lease) for lease in load_leases(rows, self.row.plan, self.leases))

    def set_exactness(self, verdict: Exactness) -> None:
        """Record what the two-step check said."""
        self.exactness = verdict
        self._update_row(changed(self.row, exactness=verdict.value))

    @property
    def fusion_facts(self) -> FusionFacts:
        """What was found out about walking its lanes as one."""
        if self._fusion_facts is None:
            self._fusion_facts = FusionFacts.from_text(self.row.fusion)
        return self._fusion_facts

    def set_fusion_facts(self, facts: FusionFacts) -> None:
        """Record what was found out about walking its lanes as one, if that is news."""
        if facts != self.fusion_facts:
            self._fusion_facts = facts
            self._update_row(changed(self.row, fusion=facts.to_text()))

    def set_environment(self, environment: str) -> None:
        """Record the environment of the first worker, as JSON."""
        self._update_row(changed(self.row, environment=environment))

    def take_over(self, writer: str) -> None:
        """Begin a new epoch: every lease of the one before it is void."""
        self._update_row(changed(self.row, epoch=self.row.epoch + 1, writer=writer))
        self.leases.begin_epoch(self.row.epoch)

    def _update_row(self, row: PlanRow) -> None:
        self.row = row
        self.changes.append(Update(row))

    # --- its nodes

    def path(self, config: Config, *, owner: str = "") -> ConfigPath:
        """Return the config's way through the plan; nodes are made as it is walked.

        Args:
          config: what to walk.
          owner: names the trial whose root is not shared; empty to share.
        """
        return ConfigPath(config, self.nodes, owner=owner)

    def known_spans(self, config: Config, until: int, *, owner: str = "") -> Iterator[tuple[Node, int, int]]:
        """Yield the way of a config up to `until` as (node, start, stop], as far as its nodes are there; makes none."""
        node: Node | None = None
        ahead = list(path(config, until))
        self.nodes.expect([Way(None, ahead, owner)])
        stops = [start for start, _ in ahead[1:]] + [until]
        for (start, pieces), stop in zip(ahead, stops, strict=True):
            node = self.nodes.find(node, start, pieces_key(pieces), owner)
            if node is None:
                return
            yield node, start, stop

    # --- requests

    def add_request(self, node: Node, step: int, request: int, *, evaluate: bool = True) -> None:
        """Wait for metrics at a step of a node, or only until the step is trained."""
        node.add_request(step, request, evaluate=evaluate)
        self._listener.touched(node, step)

    def remove_request(self, node: Node, step: int, request: int) -> None:
        """Take a request off its node, since it was answered or withdrawn: no stage is run for it any more."""
        node.remove_request(step, request)
        self._listener.touched(node, step)

    def add_state_request(self, node: Node, step: int) -> None:
        """Have the state at a step made, if need be, and written, until as many calls of `remove_state_request`."""
        node.want_state(step, 1)
        self._listener.touched(node, step)

    def remove_state_request(self, node: Node, step: int) -> None:
        """Take back one `add_state_request`."""
        node.want_state(step, -1)
        self._listener.touched(node, step)

    # --- what it says

    def cause_of(self, node: Node, step: int, *, resumed_at: int, ahead: Iterable[NodeId] = ()) -> Cause:
        """Tell why a step is run now, in a lane that resumed at `resumed_at` and goes on to the nodes `ahead`."""
        if step not in node.training:
            return Cause.FIRST
        # states further on are made anew by these steps, too
        gone = {self._index.why_gone(each, resumed_at) for each in (node, *(self.nodes[number] for number in ahead))}
        if Cause.CORRUPT in gone:
            return Cause.CORRUPT
        if self.leases.was_lost(node, step):
            return Cause.LOST
        if Cause.EVICTED in gone:
            return Cause.EVICTED
        return Cause.LATE if self.leases.has_passed_boundary(node, step) else Cause.NOT_KEPT

    def snapshot(self) -> Snapshot:
        """Return every node that a request or a lease touches, with its ancestors, and the leases."""
        touched: dict[NodeId, Node] = {}
        starts = [node for node in self.nodes.values() if node.requests or node.step_requests or node.state_requests]
        starts += [self.nodes[span.node] for lease in self.leases.views() for span in lease.spans]
        for start in starts:
            for node in start.lineage():
                if node.id in touched:
                    break
                touched[node.id] = node
        views: dict[NodeId, NodeView] = {}
        for node_id, node in sorted(touched.items()):  # parents have smaller numbers
            views[node_id] = view_of(node, None if node.parent is None else views[node.parent.id])
        return Snapshot(nodes=views, leases=tuple(self.leases.views()))
