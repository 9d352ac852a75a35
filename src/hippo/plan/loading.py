"""From a store's rows back to what is known: of a whole plan, or of some of its nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hippo.plan.causes import Cause, StepKind
from hippo.plan.codec import metrics_from_text, pieces_from_text, pieces_key
from hippo.plan.lease_book import LeaseBook
from hippo.plan.plan_index import PlanIndex
from hippo.plan.rows import CheckpointRow, FailureRow, LeaseEnd, LeaseRow, MetricsRow, NodeRow, StateRow, StepRow
from hippo.plan.selecting import Among
from hippo.plan.store import Moment
from hippo.records import CheckpointRef, Failure, LeaseId, NodeId

#: (number, parent, start, pieces, owner) of a node
_Found = tuple[int, int | None, int, str, str]
_OF_A_NODE = ("node", "parent", "start", "pieces", "owner")
#: nodes that are asked for in one statement
_MOST_NODES = 2_000
#: what most steps are counted as: there may be a million
_ALONE = frozenset(cause.value for cause in Cause)


def load_leases(rows: Moment, plan: int, leases: LeaseBook) -> list[LeaseRow]:
    """Take up what the store knows of leases that did not come to their end; return those to be ended now, as rows."""
    leases.last = rows.largest(LeaseRow, "lease", plan=plan) or 0
    # one by one: asked for all three, SQLite would go through all leases in their order
    left = [
        lease for ended in ("", LeaseEnd.LOST, LeaseEnd.VOID) for lease in rows.rows(LeaseRow, plan=plan, ended=ended)
    ]
    return [row for lease in left if (row := leases.restore(lease)) is not None]


def last_failure(rows: Moment, plan: int) -> int:
    """Return how many failures were ever recorded: they are numbered from 1 on."""
    return rows.largest(FailureRow, "number", plan=plan) or 0


def load_all(rows: Moment, plan: int, index: PlanIndex) -> None:
    """Fill in all nodes of a plan, with their facts."""
    _add_nodes(index, rows.columns(NodeRow, _OF_A_NODE, plan=plan))
    _load_facts(rows, plan, index, {})


def load_nodes(rows: Moment, plan: int, index: PlanIndex, numbers: Collection[int]) -> None:
    """Fill in nodes, their ancestors, and the facts of all of them, as far as they are not there yet."""
    listed = sorted(numbers)
    for begin in range(0, len(listed), _MOST_NODES):
        _load_some(rows, plan, index, listed[begin : begin + _MOST_NODES])


def _load_some(rows: Moment, plan: int, index: PlanIndex, numbers: Collection[int]) -> None:
    found: dict[int, _Found] = {}
    missing = {number for number in numbers if number not in index.nodes}
    while missing:
        came = rows.columns(NodeRow, _OF_A_NODE, plan=plan, node=Among(missing))
        found.update((row[0], row) for row in came)
        parents = {row[1] for row in came} - {None}
        missing = {parent for parent in parents if parent not in found and parent not in index.nodes}
    _add_nodes(index, list(found.values()))
    ahead = sorted(found)
    for begin in range(0, len(ahead), _MOST_NODES):  # ancestors may be many more than were asked for
        _load_facts(rows, plan, index, {"node": Among(set(ahead[begin : begin + _MOST_NODES]))})


def _add_nodes(index: PlanIndex, found: Collection[Any]) -> None:
    for number, parent_number, start, text, owner in sorted(found):  # parents have smaller numbers
        parent = None if parent_number is None else index.nodes[NodeId(parent_number)]
        pieces = pieces_from_text(text)
        index.nodes.add(NodeId(number), parent, start, pieces, key=pieces_key(pieces), owner=owner)


def _load_facts(rows: Moment, plan: int, index: PlanIndex, of: Mapping[str, Any]) -> None:
    """Fill in the facts of nodes that are there without any; `of` is the condition that names them."""
    nodes = index.nodes
    run = ("node", "step", "attempt", "cause", "training", "seconds")
    for number, step, _, cause, training, seconds in rows.columns(StepRow, run, order=run[:3], plan=plan, **of):
        node = nodes[number]
        if cause == Cause.CHECK.value:
            index.add_check(node, step)
        else:
            index.add_run(node, step, LeaseId(0), index.attempts(node, step))
            lanes = 1 if cause in _ALONE else StepKind.from_text(cause).lanes
            index.add_training(node, step, metrics_from_text(training), seconds, lanes)
    evaluated = ("node", "step", "metrics", "seconds")
    for number, step, metrics, seconds in rows.columns(MetricsRow, evaluated, order=evaluated[:2], plan=plan, **of):
        index.add_metrics(nodes[number], step, metrics_from_text(metrics), seconds)
    for number, step, state_hash in rows.columns(StateRow, ("node", "step", "state_hash"), plan=plan, **of):
        nodes[number].state_hashes[step] = state_hash
    # As they were inserted: of two files of one state, the older was gone before the newer was written.
    kept = ("node", "step", "gone", "key", "size_bytes", "sha256", "state_hash")
    for number, step, gone, key, size_bytes, sha256, state_hash in rows.columns(CheckpointRow, kept, plan=plan, **of):
        if gone:
            index.remove_checkpoint(nodes[number], step, key, gone)
        else:
            ref = CheckpointRef(key=key, size_bytes=size_bytes, sha256=sha256, state_hash=state_hash)
            index.add_checkpoint(nodes[number], step, ref)
    failed = ("node", "step", "method", "error", "traceback")
    for number, step, method, error, traceback in rows.columns(FailureRow, failed, plan=plan, voided=False, **of):
        index.add_failure(Failure(node=number, step=step, method=method, error=error, traceback=traceback))
