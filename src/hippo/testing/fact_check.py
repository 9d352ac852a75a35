"""What must hold of a database after a study has come to its end, whatever happened to it on the way.

It reads rows as any reader would, and says in sentences what is wrong with them. It refuses to know what happened.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

from hippo.checkpoints import AbstractCheckpointStore
from hippo.plan import (
    AbstractPlanStore,
    CallRow,
    Cause,
    CheckpointRow,
    LeaseRow,
    MetricsRow,
    NodeRow,
    RequestRow,
    StateRow,
    StepKind,
    StepRow,
    TrialRow,
)
from hippo.plan.rows import CallState, RequestState
from hippo.records import ENDED_STATES, CheckpointRef
from hippo.testing.faulty_checkpoints import is_whole

_OVER = {state.value for state in ENDED_STATES}


def wrong_facts(
    store: AbstractPlanStore, states: AbstractCheckpointStore, *, damaged: Collection[str] = ()
) -> list[str]:
    """Return what is wrong with the rows of studies that have all come to their ends, a sentence each.

    Args:
      store: the database.
      states: the checkpoints that it speaks of.
      damaged: keys of checkpoints that somebody damaged on purpose, which nobody need have noticed.
    """
    return [
        *_wrong_nodes(store),
        *_wrong_steps(store),
        *_wrong_states(store, states, damaged),
        *_what_has_not_ended(store),
        *_unanswered(store),
    ]


def _wrong_nodes(store: AbstractPlanStore) -> Iterator[str]:
    nodes = {(row.plan, row.node): row for row in store.rows(NodeRow)}
    paths: dict[tuple[int, str], int] = {}
    for (plan, number), row in nodes.items():
        parent = None if row.parent is None else nodes.get((plan, row.parent))
        if row.parent is not None and (parent is None or parent.start >= row.start or row.parent >= number):
            yield f"node {number} of plan {plan} begins at {row.start}, below node {row.parent}: {parent}"
        other = paths.setdefault((plan, row.digest), number)
        if other != number:
            yield f"nodes {other} and {number} of plan {plan} are one path"
        if row.inexact:
            yield f"two runs of node {number} of plan {plan} disagreed"


def _wrong_steps(store: AbstractPlanStore) -> Iterator[str]:
    nodes = {(row.plan, row.node): row for row in store.rows(NodeRow)}
    runs: dict[tuple[int, int, int], list[StepRow]] = defaultdict(list)
    for row in store.rows(StepRow):
        runs[row.plan, row.node, row.step].append(row)
    for (plan, node, step), rows in runs.items():
        where = f"step {step} of node {node} of plan {plan}"
        if (plan, node) not in nodes or nodes[plan, node].start >= step:
            yield f"{where} was run, and is not on that node"
        if sorted(row.attempt for row in rows) != list(range(len(rows))):
            yield f"{where} has the attempts {sorted(row.attempt for row in rows)}"
        causes = [StepKind.from_text(row.cause).cause for row in rows]
        firsts = [cause for cause in causes if cause in (Cause.FIRST, Cause.SPECULATIVE)]
        if len(firsts) != 1:
            yield f"{where} was run for the first time {len(firsts)} times: {[row.cause for row in rows]}"
        said = {row.training for row in rows if row.cause != Cause.CHECK.value}
        if len(said) > 1:
            yield f"{where} said {sorted(said)} in its runs"
    for metrics in store.rows(MetricsRow):
        if (metrics.plan, metrics.node, metrics.step) not in runs:
            yield f"step {metrics.step} of node {metrics.node} of plan {metrics.plan} was evaluated, and never run"


def _wrong_states(store: AbstractPlanStore, states: AbstractCheckpointStore, damaged: Collection[str]) -> Iterator[str]:
    hashes = {(row.plan, row.node, row.step): row.state_hash for row in store.rows(StateRow)}
    for row in store.rows(CheckpointRow):
        if hashes.get((row.plan, row.node, row.step)) != row.state_hash:
            yield f"checkpoint {row.key} holds another state than the one that is recorded there"
        if row.gone or row.key in damaged:
            continue
        ref = CheckpointRef(key=row.key, size_bytes=row.size_bytes, sha256=row.sha256, state_hash=row.state_hash)
        if not is_whole(states, ref):
            yield f"checkpoint {row.key} is recorded, and is not there as it was written"


def _what_has_not_ended(store: AbstractPlanStore) -> Iterator[str]:
    for lease in store.rows(LeaseRow):
        if not lease.ended:
            yield f"lease {lease.lease} of plan {lease.plan} has not ended"
    for call in store.rows(CallRow):
        if call.state != CallState.COMPLETE:
            yield f"call {call.call} of study {call.study} is {call.state}"
    for trial in store.rows(TrialRow):
        if trial.state not in _OVER:
            yield f"trial {trial.number} of study {trial.study} is {trial.state} ({trial.error or 'without an error'})"
    for request in store.rows(RequestRow):
        if request.state == RequestState.PENDING:
            yield f"request {request.request} of study {request.study} is pending"


def _unanswered(store: AbstractPlanStore) -> Iterator[str]:
    """Yield the trials whose rows say that they came further than any metrics, and answers that nobody was given."""
    trials = {(row.study, row.number, row.member): row for row in store.rows(TrialRow)}
    given: Counter[tuple[int, int]] = Counter()
    for row in store.rows(RequestRow):
        trial = trials.get((row.study, row.trial, row.member))
        if trial is None:
            yield f"request {row.request} of study {row.study} is of trial {row.trial}, which there is not"
        elif row.state == RequestState.ANSWERED:
            given[row.study, row.trial] += 1
            if trial.step < row.until:
                yield f"trial {trial.number} was answered at {row.until}, and its row says {trial.step}"
            if row.delivery is None:
                yield f"request {row.request} of study {row.study} is answered, in no delivery"
        if row.uncovered:
            json.loads(row.uncovered)
    for (study, number, _), trial in trials.items():
        if trial.step and not given[study, number]:
            yield f"trial {number} of study {study} came to step {trial.step}, and has no answer"
