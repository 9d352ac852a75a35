"""Failures taken back: a trial that failed may be tried again, when what failed it was mended.

A failure is a fact of an attempt, and stays in the database as one; it is voided, so that it concerns nobody any more.
"""

from __future__ import annotations

from dataclasses import replace

from hippo.plan import (
    AbstractPlanStore,
    CallRow,
    Change,
    FailureRow,
    NullListener,
    PlanRow,
    SearchPlan,
    StudyRow,
    TrialRow,
    Update,
    whoami,
)
from hippo.records import NodeId, TrialState


def retry_failed(store: AbstractPlanStore, study: StudyRow) -> list[int]:
    """Void every failure on the way of a study's failed trials; return the trials' numbers.

    The plan gets a new epoch, so that whoever knows it in memory reads it again.

    Raises:
      PlanLockedError: somebody writes to the plan.
    """
    lock = store.lock(study.plan)
    lock.acquire()
    try:
        changes, numbers = _changes(store, study)
        store.commit(changes)
    finally:
        lock.release()
    return numbers


def _changes(store: AbstractPlanStore, study: StudyRow) -> tuple[list[Change], list[int]]:
    with store.reading() as rows:
        plan_row = rows.rows(PlanRow, plan=study.plan)[0]
        plan = SearchPlan.load(rows, plan_row, NullListener())
        failed = rows.rows(TrialRow, study=study.study, state=TrialState.FAIL.value)
        failures = rows.rows(FailureRow, plan=study.plan, voided=False)
        calls = rows.rows(CallRow, study=study.study)
    changes: list[Change] = []
    retried: list[TrialRow] = []
    met: set[tuple[int, int]] = set()
    for trial in failed:
        node = plan.nodes.get(NodeId(trial.node))
        on_the_way = [] if node is None else node.failures_before(trial.until)
        if on_the_way:
            retried.append(trial)
            met |= {(failure.node, failure.step) for failure in on_the_way}
    changes += [Update(replace(row, voided=True)) for row in failures if (row.node, row.step) in met]
    changes += [
        Update(replace(trial, state=(TrialState.PAUSED if trial.step else TrialState.WAITING).value, error=""))
        for trial in retried
    ]
    unfinished = {trial.call for trial in retried}
    changes += [Update(replace(call, state="interrupted")) for call in calls if call.call in unfinished]
    if retried:
        changes.append(Update(replace(plan_row, epoch=plan_row.epoch + 1, writer=whoami())))
    return changes, [trial.number for trial in retried]
