"""The search plan: everything known of one workload, as nodes that only grow (Hippo, section 3.2).

It turns what happened into facts, and each fact into a row change that its owner makes durable. It refuses to know
stages, engines and tuners, and it reads no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hippo.errors import storable_text
from hippo.hparams import Config, Piece, path
from hippo.plan.causes import Cause
from hippo.plan.codec import metrics_to_text, pieces_key, pieces_to_text
from hippo.plan.config_paths import ConfigPath
from hippo.plan.lease_book import LeaseBook, spans_to_text
from hippo.plan.listener import PlanListener
from hippo.plan.loading import last_failure, load_all, load_leases
from hippo.plan.nodes import Node
from hippo.plan.plan_index import PlanIndex, requests_beyond
from hippo.plan.rows import (
    Change,
    CheckpointLoss,
    CheckpointRow,
    FailureRow,
    Insert,
    LeaseEnd,
    LeaseRow,
    MetricsRow,
    NodeRow,
    PlanRow,
    StateRow,
    StepRow,
    Update,
)
from hippo.plan.store import AbstractPlanStore, Moment
from hippo.plan.stored_nodes import StoredNodes, Way
from hippo.plan.totals import PlanTotals
from hippo.records import (
    CheckpointRef,
    Exactness,
    Failure,
    LeaseId,
    LeaseView,
    Metrics,
    NodeId,
    NodeView,
    Point,
    SlotId,
    Snapshot,
    Span,
)


class SearchPlan:
    """One plan, in the hands of its one writer.

    Row changes gather until `take_changes`; whoever takes them makes them durable before acting on them. A fact once
    recorded stays: where a second run says otherwise, `record_*` returns False and keeps the first. What a lease says
    twice counts once.
    """

    def __init__(self, row: PlanRow, listener: PlanListener) -> None:
        self.row = row
        self._listener = listener
        self._index = PlanIndex()
        #: nodes that are not in memory; None if all are
        self._stored: StoredNodes | None = None
        self._leases = LeaseBook()
        #: the states of this plan in the memory of each slot
        self._residents: dict[SlotId, dict[Point, None]] = {}
        self._changes: list[Change] = []
        self._failures = 0
        #: what studies had spent on it when it was opened
        self.spent_before = PlanTotals(row.plan, {}, {}, {})
        #: steps that were recorded since that was written down
        self.num_recorded = 0
        #: of those who watch: the nodes on which steps were run
        self._moved: list[set[Node]] = []

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
        plan._changes += plan.spent_before.written()  # a writer that was killed left its steps to be added up
        if last:  # else it is new: there is nothing to be looked up, ever
            plan._stored = StoredNodes(store, row.plan, plan._index, last)
            plan._index.look_up_in(plan._stored)
        return plan

    def _begin(self, rows: Moment) -> None:
        self._failures = last_failure(rows, self.row.plan)
        self._changes += [Update(lease) for lease in load_leases(rows, self.row.plan, self._leases)]

    @property
    def has_changes(self) -> bool:
        """Whether there are row changes that `take_changes` would return."""
        return bool(self._changes)

    def take_changes(self) -> list[Change]:
        """Return the row changes since the last call."""
        taken, self._changes = self._changes, []
        return taken

    def put_back(self, changes: Sequence[Change]) -> None:
        """Take changes back that could not be made durable; they come again with the next ones."""
        self._changes[:0] = changes

    # --- the plan itself

    @property
    def nodes(self) -> Mapping[NodeId, Node]:
        """All nodes by number; to iterate goes over those in memory, which are all that anything is asked of."""
        return self._index.nodes

    @property
    def exactness(self) -> Exactness:
        """What the two-step check said of the workload."""
        return Exactness(self.row.exactness)

    def set_exactness(self, verdict: Exactness) -> None:
        """Record what the two-step check said."""
        self._update_row(replace(self.row, exactness=verdict.value))

    def set_environment(self, environment: str) -> None:
        """Record the environment of the first worker, as JSON."""
        self._update_row(replace(self.row, environment=environment))

    def take_over(self, writer: str) -> None:
        """Begin a new epoch: every lease of the one before it is void."""
        for lease in self._leases.views():
            self.close_lease(lease.id, LeaseEnd.VOID)
        self._update_row(replace(self.row, epoch=self.row.epoch + 1, writer=writer))

    def _update_row(self, row: PlanRow) -> None:
        self.row = row
        self._changes.append(Update(row))

    # --- nodes

    def path(self, config: Config, *, owner: str = "") -> ConfigPath:
        """Return the config's way through the plan; nodes are made as it is walked.

        Args:
          config: what to walk.
          owner: names the trial whose root is not shared; empty to share.
        """
        return ConfigPath(config, self, owner=owner)

    def known_spans(self, config: Config, until: int, *, owner: str = "") -> Iterator[tuple[Node, int, int]]:
        """Yield the way of a config up to `until` as (node, start, stop], as far as its nodes are there; makes none."""
        node: Node | None = None
        ahead = list(path(config, until))
        if self.is_in_parts:
            self.expect([Way(None, ahead, owner)])
        stops = [start for start, _ in ahead[1:]] + [until]
        for (start, pieces), stop in zip(ahead, stops, strict=True):
            node = self._index.find(node, start, pieces_key(pieces), owner)
            if node is None:
                return
            yield node, start, stop

    def expect(self, ways: Iterable[Way]) -> None:
        """Bring into memory, together, what there is of ways that are about to be walked."""
        if self._stored is not None:
            self._stored.expect(ways)

    def bring(self, numbers: Iterable[NodeId]) -> None:
        """Bring nodes into memory, together, as far as there are such; 0 names none."""
        if self._stored is not None:
            self._stored.bring_all(numbers)

    @property
    def is_in_parts(self) -> bool:
        """Whether nodes are looked up when they are touched: then it is worth to `expect` many together."""
        return self._stored is not None

    def latest(self, count: int) -> list[Node]:
        """Return the nodes that were made last, the oldest of them first."""
        last = self._index.last
        numbers = [NodeId(number) for number in range(max(1, last - count + 1), last + 1)]
        self.bring(numbers)
        return [self.nodes[number] for number in numbers]

    def child(self, parent: Node | None, start: int, pieces: Mapping[str, Piece], owner: str) -> Node:
        """Return the node of this key, made if it is missing."""
        key = pieces_key(pieces)
        known = self._index.find(parent, start, key, owner)
        if known is not None:
            return known
        number = NodeId(self._index.last + 1)
        node = self._index.add_node(number, parent, start, pieces, key=key, owner=owner)
        row = NodeRow(
            plan=self.row.plan,
            node=node.id,
            parent=None if parent is None else parent.id,
            start=start,
            pieces=pieces_to_text(pieces),
            owner=owner if parent is None else "",
            digest=node.digest,
        )
        self._changes.append(Insert(row))
        return node

    def mark_inexact(self, node: Node) -> None:
        """Record that two runs of a node disagreed."""
        row = NodeRow(plan=self.row.plan, node=node.id, parent=None, start=node.start, pieces="", inexact=True)
        self._changes.append(Update(row))

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

    # --- states in memory, of which nothing is written down

    def note_residents(self, slot: SlotId, *, added: Iterable[Point] = (), dropped: Iterable[Point] = ()) -> None:
        """Note that states came into the memory of a slot, or left it; what needs one that left is run again."""
        held = self._residents.setdefault(slot, {})
        for point in added:
            held[point] = None
            if self.nodes[point.node].add_resident(point.step, slot):
                self._listener.touched(self.nodes[point.node], point.step)
        for point in dropped:
            if held.pop(point, ...) is None and self.nodes[point.node].remove_resident(point.step, slot):
                self._listener.touched(self.nodes[point.node], point.step)

    def lose_slot(self, slot: SlotId) -> None:
        """Note that all states in the memory of a slot are gone with it."""
        self.note_residents(slot, dropped=list(self._residents.get(slot, ())))
        self._residents.pop(slot, None)

    # --- facts

    def record_step(
        self,
        node: Node,
        step: int,
        training: Metrics,
        seconds: float,
        *,
        lease: LeaseId,
        cause: Cause,
        study: int,
    ) -> bool:
        """Record that a step was trained; return False where it says otherwise than the first run."""
        text = metrics_to_text(training)
        self._record_run(node, step, text, seconds, lease=lease, cause=cause, study=study)
        self._index.add_training(node, step, training, seconds)
        if step in node.step_requests:
            self._listener.touched(node, step)
        known = node.training[step]
        return known is training or metrics_to_text(known) == text

    def record_check(self, node: Node, step: int, seconds: float, *, lease: LeaseId, study: int) -> None:
        """Record that a step was run once more only to prove that the workload resumes exactly."""
        self._record_run(node, step, "{}", seconds, lease=lease, cause=Cause.CHECK, study=study)

    def _record_run(
        self, node: Node, step: int, training: str, seconds: float, *, lease: LeaseId, cause: Cause, study: int
    ) -> None:
        row = StepRow(
            plan=self.row.plan,
            node=node.id,
            step=step,
            attempt=self._index.attempts(node, step),
            cause=cause.value,
            study=study,
            training=training,
            seconds=seconds,
        )
        self._changes.append(Insert(row))
        self.num_recorded += 1
        self._index.add_run(node, step, lease)
        for moved in self._moved:
            moved.add(node)

    def watch(self) -> set[Node]:
        """Return a set to which every node is added from now on as a step of it is run; who asked for it empties it."""
        self._moved.append(set())
        return self._moved[-1]

    def is_told_again(self, node: Node, step: int, lease: LeaseId) -> bool:
        """Tell whether a lease that says it ran a step has said so before."""
        return self._index.was_run_by(lease, node, step)

    def record_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float, *, study: int) -> bool:
        """Record an evaluation; return False where known metrics differ from these."""
        text = metrics_to_text(metrics)
        known = node.metrics.get(step)
        if known is not None:
            return metrics_to_text(known) == text
        row = MetricsRow(plan=self.row.plan, node=node.id, step=step, metrics=text, seconds=seconds, study=study)
        self._changes.append(Insert(row))
        self._index.add_metrics(node, step, metrics, seconds)
        if step in node.requests:
            self._listener.touched(node, step)
        return True

    def record_state_hash(self, node: Node, step: int, state_hash: str) -> bool:
        """Record the hash of a state; return False where another one is known."""
        known = node.state_hashes.get(step)
        if known is None:
            node.state_hashes[step] = state_hash
            self._changes.append(Insert(StateRow(plan=self.row.plan, node=node.id, step=step, state_hash=state_hash)))
        return known is None or known == state_hash

    def record_checkpoint(self, node: Node, step: int, ref: CheckpointRef, seconds: float, *, study: int) -> bool:
        """Record where a state lies; return False if that was told before."""
        if self._index.knows_key(ref.key):
            return False
        self._changes.append(Insert(self._checkpoint_row(node, step, ref, seconds=seconds, study=study)))
        self._index.add_checkpoint(node, step, ref)
        self._listener.touched(node, step)  # also where the state was resident: any slot may go on from it now
        return True

    def forget_checkpoint(self, node: Node, step: int, key: str, reason: CheckpointLoss) -> None:
        """Record that a state can no longer be loaded, and why."""
        ref = node.checkpoints.get(step)
        if ref is not None and ref.key == key:
            self._changes.append(Update(replace(self._checkpoint_row(node, step, ref), gone=reason)))
            self._index.remove_checkpoint(node, step, key, reason)
            self._listener.touched(node, step)

    def _checkpoint_row(
        self, node: Node, step: int, ref: CheckpointRef, *, seconds: float = 0.0, study: int = 0
    ) -> CheckpointRow:
        return CheckpointRow(
            plan=self.row.plan,
            key=ref.key,
            node=node.id,
            step=step,
            size_bytes=ref.size_bytes,
            sha256=ref.sha256,
            state_hash=ref.state_hash,
            seconds=seconds,
            study=study,
        )

    @property
    def has_failures(self) -> bool:
        """Whether any failure was ever recorded."""
        return self._failures > 0

    def record_failure(self, failure: Failure) -> list[tuple[Node, int, int]]:
        """Record a failure; return the pending requests (node, step, request) that can no longer be met."""
        self._failures += 1
        row = FailureRow(
            plan=self.row.plan,
            number=self._failures,
            node=failure.node,
            step=failure.step,
            method=failure.method,
            error=storable_text(failure.error),
            traceback=storable_text(failure.traceback),
        )
        self._changes.append(Insert(row))
        self._index.add_failure(failure)
        return list(requests_beyond(self.nodes[failure.node], failure.step))

    # --- leases

    @property
    def last_lease(self) -> int:
        """The largest number that a lease of this plan ever had."""
        return self._leases.last

    def leases(self) -> list[LeaseView]:
        """Return the leases that are open."""
        return self._leases.views()

    def open_lease(self, lease: LeaseId, spans: Sequence[Span], *, slot: str, started_at: float) -> None:
        """Mark work as under way, under a lease number that is larger than `last_lease`."""
        row = LeaseRow(
            plan=self.row.plan,
            lease=lease,
            epoch=self.row.epoch,
            slot=slot,
            spans=spans_to_text(spans),
            started_at=started_at,
        )
        self._changes.append(Insert(row))
        view = self._leases.open(row, spans)
        self._listener.opened(view, [self.nodes[span.node] for span in spans])

    def mark_passed(self, lease: LeaseId, point: Point) -> None:
        """Note that a running lease leaves nothing behind at a point."""
        if self._leases.mark_passed(lease, point):
            self._listener.passed(lease, point)

    def close_lease(self, lease: LeaseId, how: LeaseEnd) -> None:
        """End a lease, and write down how it ended."""
        row = self._leases.close(lease, how)
        if row is not None:
            self._listener.closed(lease)
            self._changes.append(Update(row))

    # --- what it says

    def cause_of(self, node: Node, step: int, *, resumed_at: int) -> Cause:
        """Tell why a step is run now, in a lane that resumed at `resumed_at`."""
        if step not in node.training:
            return Cause.FIRST
        gone = self._index.why_gone(node, resumed_at)
        if gone is Cause.CORRUPT:
            return gone
        if self._leases.was_lost(node, step):
            return Cause.LOST
        if gone is not None:
            return gone
        return Cause.LATE if self._leases.has_passed_boundary(node, step) else Cause.NOT_KEPT

    def snapshot(self) -> Snapshot:
        """Return every node that a request or a lease touches, with its ancestors, and the leases."""
        touched: dict[NodeId, Node] = {}
        starts = [node for node in self.nodes.values() if node.requests or node.step_requests or node.state_requests]
        starts += [self.nodes[span.node] for lease in self.leases() for span in lease.spans]
        for start in starts:
            for node in start.lineage():
                if node.id in touched:
                    break
                touched[node.id] = node
        views: dict[NodeId, NodeView] = {}
        for node_id, node in sorted(touched.items()):  # parents have smaller numbers
            views[node_id] = node.view(None if node.parent is None else views[node.parent.id])
        return Snapshot(nodes=views, leases=tuple(self.leases()))
