"""From a store's rows back to what is known."""

from __future__ import annotations

from hippo.plan.causes import Cause
from hippo.plan.codec import metrics_from_text, pieces_from_text, pieces_key
from hippo.plan.lease_book import LeaseBook
from hippo.plan.plan_index import PlanIndex
from hippo.plan.rows import CheckpointRow, FailureRow, LeaseRow, MetricsRow, NodeRow, StateRow, StepRow
from hippo.plan.store import Rows
from hippo.records import CheckpointRef, Failure, LeaseId, NodeId


def load_rows(store: Rows, plan: int, index: PlanIndex, leases: LeaseBook) -> tuple[int, list[LeaseRow]]:
    """Fill in what the store knows of a plan.

    Returns:
      How many failures were ever recorded, and the leases that must be ended now, as rows.
    """
    for node in store.rows(NodeRow, plan=plan):
        parent = None if node.parent is None else index.nodes[NodeId(node.parent)]
        pieces = pieces_from_text(node.pieces)
        index.add_node(NodeId(node.node), parent, node.start, pieces, key=pieces_key(pieces), owner=node.owner)
    nodes = index.nodes
    for run in store.rows(StepRow, plan=plan):
        index.add_run(nodes[NodeId(run.node)], run.step, LeaseId(0))
        if run.cause != Cause.CHECK.value:
            index.add_training(nodes[NodeId(run.node)], run.step, metrics_from_text(run.training), run.seconds)
    for evaluation in store.rows(MetricsRow, plan=plan):
        metrics = metrics_from_text(evaluation.metrics)
        index.add_metrics(nodes[NodeId(evaluation.node)], evaluation.step, metrics, evaluation.seconds)
    for state in store.rows(StateRow, plan=plan):
        nodes[NodeId(state.node)].state_hashes[state.step] = state.state_hash
    _load_checkpoints(store, plan, index)
    failures = _load_failures(store, plan, index)
    ended = [row for lease in store.rows(LeaseRow, plan=plan) if (row := leases.restore(lease)) is not None]
    return failures, ended


def _load_checkpoints(store: Rows, plan: int, index: PlanIndex) -> None:
    for row in store.rows(CheckpointRow, plan=plan):
        node = index.nodes[NodeId(row.node)]
        if row.gone:
            index.remove_checkpoint(node, row.step, row.key, row.gone)
        else:
            ref = CheckpointRef(key=row.key, size_bytes=row.size_bytes, sha256=row.sha256, state_hash=row.state_hash)
            index.add_checkpoint(node, row.step, ref)


def _load_failures(store: Rows, plan: int, index: PlanIndex) -> int:
    rows = store.rows(FailureRow, plan=plan)
    for row in rows:
        if not row.voided:
            index.add_failure(
                Failure(
                    node=NodeId(row.node), step=row.step, method=row.method, error=row.error, traceback=row.traceback
                )
            )
    return max((row.number for row in rows), default=0)
