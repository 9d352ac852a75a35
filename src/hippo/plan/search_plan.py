"""The search plan: everything known of one workload, as nodes that only grow (Hippo, section 3.2).

It turns what happened into facts, keeps them in memory, and writes each down as a row change that its owner commits.
What it says to `PlanListener` is all that the stage tree ever learns. It refuses to know stages, engines and tuners,
and it reads no clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hippo.hparams import Config, Piece
from hippo.plan.causes import Cause
from hippo.plan.codec import metrics_from_text, metrics_to_text, pieces_from_text, pieces_key, pieces_to_text
from hippo.plan.nodes import Node
from hippo.plan.rows import (
    Change,
    CheckpointRow,
    FailureRow,
    Insert,
    LeaseRow,
    MetricsRow,
    NodeRow,
    PlanRow,
    StateRow,
    StepRow,
    Update,
)
from hippo.plan.store import AbstractPlanStore
from hippo.plan.trails import Trail
from hippo.records import (
    CheckpointRef,
    Exactness,
    Failure,
    LeaseId,
    LeaseView,
    Metrics,
    NodeId,
    Point,
    Snapshot,
    Span,
)


class PlanListener(Protocol):
    """Hears of everything that decides what remains to be run."""

    def add_node(self, node: NodeId, parent: NodeId | None, start: int) -> None: ...
    def add_request(self, node: NodeId, step: int) -> None: ...
    def remove_request(self, node: NodeId, step: int) -> None: ...
    def add_state_request(self, node: NodeId, step: int) -> None: ...
    def remove_state_request(self, node: NodeId, step: int) -> None: ...
    def add_metrics(self, node: NodeId, step: int) -> None: ...
    def add_checkpoint(self, node: NodeId, step: int) -> None: ...
    def remove_checkpoint(self, node: NodeId, step: int) -> None: ...
    def open_lease(self, lease: LeaseView) -> None: ...
    def close_lease(self, lease: LeaseId) -> None: ...
    def mark_passed(self, lease: LeaseId, point: Point) -> None: ...


@dataclass(slots=True)
class _Lease:
    view: LeaseView
    row: LeaseRow


class SearchPlan:
    """One plan, in the hands of its one writer.

    Changes gather in `changes` until `take_changes`; whoever takes them makes them durable before acting on them.
    """

    def __init__(self, row: PlanRow, listener: PlanListener) -> None:
        self.row = row
        self.nodes: dict[NodeId, Node] = {}
        self._roots: dict[tuple[str, int, str], Node] = {}
        self._listener = listener
        self._changes: list[Change] = []
        self._leases: dict[LeaseId, _Lease] = {}
        self._last_lease = 0
        self._failures = 0
        self._attempts: dict[Point, int] = {}
        self._gone: dict[Point, str] = {}
        self._lost: dict[NodeId, list[tuple[int, int]]] = {}

    @classmethod
    def load(cls, store: AbstractPlanStore, row: PlanRow, listener: PlanListener) -> SearchPlan:
        """Return the plan as the store knows it. Leases that were never ended are not taken over."""
        plan = cls(row, listener)
        for node_row in store.rows(NodeRow, plan=row.plan):
            plan._restore_node(node_row)
        for step_row in store.rows(StepRow, plan=row.plan):
            plan._restore_step(step_row)
        for metrics_row in store.rows(MetricsRow, plan=row.plan):
            node = plan.nodes[NodeId(metrics_row.node)]
            plan._know_metrics(node, metrics_row.step, metrics_from_text(metrics_row.metrics), metrics_row.seconds)
        for state_row in store.rows(StateRow, plan=row.plan):
            plan.nodes[NodeId(state_row.node)].state_hashes[state_row.step] = state_row.state_hash
        for checkpoint_row in store.rows(CheckpointRow, plan=row.plan):
            plan._restore_checkpoint(checkpoint_row)
        for failure_row in store.rows(FailureRow, plan=row.plan):
            plan._restore_failure(failure_row)
        for lease_row in store.rows(LeaseRow, plan=row.plan):
            plan._restore_lease(lease_row)
        return plan

    def take_changes(self) -> list[Change]:
        """Return the row changes since the last call."""
        taken, self._changes = self._changes, []
        return taken

    # --- the plan itself

    @property
    def exactness(self) -> Exactness:
        """What the two-step check said of the workload."""
        return Exactness(self.row.exactness)

    def set_exactness(self, verdict: Exactness) -> None:
        """Record what the two-step check said."""
        self._update_row(replace(self.row, exactness=verdict.value))

    def take_over(self, writer: str) -> None:
        """Begin a new epoch: every lease of the one before it is void."""
        for lease in list(self._leases):
            self.close_lease(lease, "void")
        self._update_row(replace(self.row, epoch=self.row.epoch + 1, writer=writer))

    def set_environment(self, environment: str) -> None:
        """Record the environment of the first worker, as JSON."""
        self._update_row(replace(self.row, environment=environment))

    def _update_row(self, row: PlanRow) -> None:
        self.row = row
        self._changes.append(Update(row))

    # --- nodes

    def trail(self, config: Config, *, owner: str = "") -> Trail:
        """Return the config's way through the plan; nodes are made as it is walked.

        Args:
          config: what to walk.
          owner: names the trial that shares its root with nobody; empty to share.
        """
        return Trail(config, lambda parent, start, pieces: self._child(parent, start, pieces, owner))

    def _child(self, parent: Node | None, start: int, pieces: Mapping[str, Piece], owner: str) -> Node:
        key = pieces_key(pieces)
        known = self._roots.get((owner, start, key)) if parent is None else parent.children.get((start, key))
        if known is not None:
            return known
        node = Node(NodeId(len(self.nodes) + 1), parent, start, pieces)
        self._add_node(node, key, owner)
        self._changes.append(
            Insert(
                NodeRow(
                    plan=self.row.plan,
                    node=node.id,
                    parent=None if parent is None else parent.id,
                    start=start,
                    pieces=pieces_to_text(pieces),
                    owner=owner if parent is None else "",
                )
            )
        )
        return node

    def _add_node(self, node: Node, key: str, owner: str) -> None:
        self.nodes[node.id] = node
        if node.parent is None:
            self._roots[(owner, node.start, key)] = node
        else:
            node.parent.children[(node.start, key)] = node
        self._listener.add_node(node.id, None if node.parent is None else node.parent.id, node.start)

    # --- requests

    def add_request(self, node: Node, step: int, request: int) -> None:
        """Wait for metrics at a step of a node."""
        node.requests.setdefault(step, set()).add(request)
        self._listener.add_request(node.id, step)

    def remove_request(self, node: Node, step: int, request: int) -> None:
        """Wait no longer: answered, or withdrawn."""
        waiting = node.requests[step]
        waiting.remove(request)
        if not waiting:
            del node.requests[step]
        self._listener.remove_request(node.id, step)

    def add_state_request(self, node: Node, step: int) -> None:
        """Wait for a state that can be loaded."""
        node.state_requests[step] = node.state_requests.get(step, 0) + 1
        self._listener.add_state_request(node.id, step)

    def remove_state_request(self, node: Node, step: int) -> None:
        """Wait for it no longer."""
        node.state_requests[step] -= 1
        if not node.state_requests[step]:
            del node.state_requests[step]
        self._listener.remove_state_request(node.id, step)

    # --- facts

    def record_step(
        self, node: Node, step: int, training: Metrics, seconds: float, *, cause: Cause, study: int
    ) -> bool:
        """Record that a step was trained; return False where it says otherwise than the first run, which stays."""
        attempt = self._attempts.get((node.id, step), 0)
        self._attempts[(node.id, step)] = attempt + 1
        row = StepRow(
            plan=self.row.plan,
            node=node.id,
            step=step,
            attempt=attempt,
            cause=cause.value,
            study=study,
            training=metrics_to_text(training),
            seconds=seconds,
        )
        self._changes.append(Insert(row))
        if step not in node.training:
            node.training[step] = training
            node.seconds[step] = node.seconds.get(step, 0.0) + seconds
        return metrics_to_text(node.training[step]) == row.training

    def record_check(self, node: Node, step: int, seconds: float, *, study: int) -> None:
        """Record that a step was run once more only to prove that the workload resumes exactly."""
        attempt = self._attempts.get((node.id, step), 0)
        self._attempts[(node.id, step)] = attempt + 1
        row = StepRow(
            plan=self.row.plan,
            node=node.id,
            step=step,
            attempt=attempt,
            cause=Cause.CHECK.value,
            study=study,
            training="{}",
            seconds=seconds,
        )
        self._changes.append(Insert(row))

    def record_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float, *, study: int) -> bool:
        """Record an evaluation; return False where known metrics differ from these. The first ones stay."""
        known = node.metrics.get(step)
        if known is not None:
            return metrics_to_text(known) == metrics_to_text(metrics)
        text = metrics_to_text(metrics)
        row = MetricsRow(plan=self.row.plan, node=node.id, step=step, metrics=text, seconds=seconds, study=study)
        self._changes.append(Insert(row))
        self._know_metrics(node, step, metrics, seconds)
        return True

    def record_state_hash(self, node: Node, step: int, state_hash: str) -> bool:
        """Record the hash of a state; return False where another one is known, which then stays."""
        known = node.state_hashes.get(step)
        if known is None:
            node.state_hashes[step] = state_hash
            self._changes.append(Insert(StateRow(plan=self.row.plan, node=node.id, step=step, state_hash=state_hash)))
        return known is None or known == state_hash

    def mark_inexact(self, node: Node) -> None:
        """Record that two runs of a node disagreed."""
        row = NodeRow(plan=self.row.plan, node=node.id, parent=None, start=node.start, pieces="", inexact=True)
        self._changes.append(Update(row))

    def record_checkpoint(self, node: Node, step: int, ref: CheckpointRef, seconds: float, *, study: int) -> None:
        """Record where a state lies. A second file of the same state takes the place of the first."""
        self._changes.append(
            Insert(
                CheckpointRow(
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
            )
        )
        self._know_checkpoint(node, step, ref)

    def forget_checkpoint(self, node: Node, step: int, key: str, reason: str) -> None:
        """Record that a state can no longer be loaded: "corrupt", "missing" or "evicted"."""
        ref = node.checkpoints.get(step)
        if ref is None or ref.key != key:
            return
        del node.checkpoints[step]
        self._gone[(node.id, step)] = reason
        row = CheckpointRow(
            plan=self.row.plan,
            key=key,
            node=node.id,
            step=step,
            size_bytes=ref.size_bytes,
            sha256=ref.sha256,
            state_hash=ref.state_hash,
            seconds=0.0,
            study=0,
            gone=reason,
        )
        self._changes.append(Update(row))
        self._listener.remove_checkpoint(node.id, step)

    def record_failure(self, failure: Failure) -> list[tuple[Node, int, int]]:
        """Record a failure; return the pending requests (node, step, request) that can no longer be met."""
        node = self.nodes[failure.node]
        node.failures.append(failure)
        self._failures += 1
        self._changes.append(
            Insert(
                FailureRow(
                    plan=self.row.plan,
                    number=self._failures,
                    node=failure.node,
                    step=failure.step,
                    method=failure.method,
                    error=failure.error,
                    traceback=failure.traceback,
                )
            )
        )
        return list(_requests_beyond(node, failure.step))

    # --- leases

    @property
    def last_lease(self) -> int:
        """The largest number that a lease of this plan ever had."""
        return self._last_lease

    def open_lease(self, lease: LeaseId, spans: Sequence[Span], *, slot: str, started_at: float) -> None:
        """Mark work as under way, under a lease number that is larger than `last_lease`."""
        self._last_lease = lease
        row = LeaseRow(
            plan=self.row.plan,
            lease=lease,
            epoch=self.row.epoch,
            slot=slot,
            spans=json.dumps([[span.node, span.start, span.stop] for span in spans]),
            started_at=started_at,
        )
        self._changes.append(Insert(row))
        self._leases[lease] = _Lease(LeaseView(id=lease, spans=tuple(spans)), row)
        self._listener.open_lease(self._leases[lease].view)

    def mark_passed(self, lease: LeaseId, point: Point) -> None:
        """Note that a running lease leaves nothing behind at a point."""
        known = self._leases.get(lease)
        if known is not None:
            known.view = replace(known.view, passed=known.view.passed | {point})
            self._listener.mark_passed(lease, point)

    def close_lease(self, lease: LeaseId, how: str) -> None:
        """End a lease: "done", "lost" or "void"."""
        known = self._leases.pop(lease, None)
        if known is None:
            return
        self._changes.append(Update(replace(known.row, ended=how)))
        if how != "done":
            self._note_lost(known.view.spans)
        self._listener.close_lease(lease)

    def leases(self) -> Iterable[LeaseView]:
        """Return the leases that are open."""
        return [lease.view for lease in self._leases.values()]

    # --- what it says

    def cause_of_repeat(self, node: Node, step: int, *, resumed_at: int) -> Cause:
        """Tell why a step that was run before runs again, in a lane that resumed at `resumed_at`."""
        beyond = [(s, why) for (owner, s), why in self._gone.items() if owner == node.id and resumed_at < s]
        if any(why == "corrupt" for _, why in beyond):
            return Cause.CORRUPT
        if any(start < step <= stop for start, stop in self._lost.get(node.id, ())):
            return Cause.LOST
        if beyond:
            return Cause.EVICTED
        return Cause.LATE if self._leases_beyond(node, step) else Cause.NOT_KEPT

    def _leases_beyond(self, node: Node, step: int) -> bool:
        return any(
            span.node == node.id and span.start < step <= span.stop and lease.view.passed
            for lease in self._leases.values()
            for span in lease.view.spans
        )

    @property
    def has_failures(self) -> bool:
        """Whether any failure was ever recorded."""
        return self._failures > 0

    def snapshot(self) -> Snapshot:
        """Return every node that a request or a lease touches, with its ancestors, and the leases."""
        touched: dict[NodeId, Node] = {}
        starts = [node for node in self.nodes.values() if node.requests or node.state_requests]
        starts += [self.nodes[span.node] for lease in self._leases.values() for span in lease.view.spans]
        for start in starts:
            for node in start.lineage():
                if node.id in touched:
                    break
                touched[node.id] = node
        return Snapshot(
            nodes={node_id: node.view() for node_id, node in sorted(touched.items())},
            leases=tuple(lease.view for lease in self._leases.values()),
        )

    # --- loading

    def _restore_node(self, row: NodeRow) -> None:
        parent = None if row.parent is None else self.nodes[NodeId(row.parent)]
        pieces = pieces_from_text(row.pieces)
        self._add_node(Node(NodeId(row.node), parent, row.start, pieces), pieces_key(pieces), row.owner)

    def _restore_step(self, row: StepRow) -> None:
        node = self.nodes[NodeId(row.node)]
        point = (node.id, row.step)
        self._attempts[point] = max(self._attempts.get(point, 0), row.attempt + 1)
        if row.cause != Cause.CHECK.value and row.step not in node.training:
            node.training[row.step] = metrics_from_text(row.training)
            node.seconds[row.step] = node.seconds.get(row.step, 0.0) + row.seconds

    def _restore_checkpoint(self, row: CheckpointRow) -> None:
        if row.gone:
            self._gone[(NodeId(row.node), row.step)] = row.gone
            return
        ref = CheckpointRef(key=row.key, size_bytes=row.size_bytes, sha256=row.sha256, state_hash=row.state_hash)
        self._know_checkpoint(self.nodes[NodeId(row.node)], row.step, ref)

    def _restore_failure(self, row: FailureRow) -> None:
        self._failures = max(self._failures, row.number)
        if not row.voided:
            self.nodes[NodeId(row.node)].failures.append(
                Failure(
                    node=NodeId(row.node), step=row.step, method=row.method, error=row.error, traceback=row.traceback
                )
            )

    def _restore_lease(self, row: LeaseRow) -> None:
        self._last_lease = max(self._last_lease, row.lease)
        if row.ended == "done":
            return
        spans = [Span(node=NodeId(node), start=start, stop=stop) for node, start, stop in json.loads(row.spans)]
        self._note_lost(spans)
        if not row.ended:  # its study was killed; the epoch it belongs to is over
            self._changes.append(Update(replace(row, ended="void")))

    # --- keeping the books

    def _know_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float) -> None:
        node.metrics[step] = metrics
        node.seconds[step] = node.seconds.get(step, 0.0) + seconds
        self._listener.add_metrics(node.id, step)

    def _know_checkpoint(self, node: Node, step: int, ref: CheckpointRef) -> None:
        new = step not in node.checkpoints
        node.checkpoints[step] = ref
        if new:
            self._listener.add_checkpoint(node.id, step)

    def _note_lost(self, spans: Iterable[Span]) -> None:
        for span in spans:
            self._lost.setdefault(span.node, []).append((span.start, span.stop))


def _requests_beyond(node: Node, step: int) -> Iterator[tuple[Node, int, int]]:
    """Yield the pending requests (node, step, request) of all paths through `step` of a node."""
    below = [node]
    while below:
        current = below.pop()
        for until, requests in sorted(current.requests.items()):
            if until >= step:
                yield from ((current, until, request) for request in sorted(requests))
        below += [child for child in current.children.values() if child.start >= step]
