"""Failures taken back: a trial that failed may be tried again, when what failed it was mended.

A failure is a fact of an attempt, and stays in the database as one; it is voided, so that it stops no trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hippo.plan import (
    AbstractPlanStore,
    CallRow,
    CallState,
    Change,
    FailureRow,
    NullListener,
    PlanRow,
    Rows,
    SearchPlan,
    StudyRow,
    TrialRow,
    Update,
    plans_of,
    whoami,
)
from hippo.records import NodeId, TrialState
from hippo.runtime.studies.answers import failed_on_metrics
from hippo.study.plan_locks import locked_plans


def retry_failed(store: AbstractPlanStore, study: StudyRow) -> list[int]:
    """Void every failure on the way of a study's failed trials; return the trials' numbers.

    The plans get a new epoch, so that a process that knows them in memory reads them again.

    Raises:
      PlanLockedError: a process writes to one of the plans.
    """
    with locked_plans(store, study.study):
        changes, retried = _changes(store, study)
        store.commit(changes)
    return sorted({row.number for row in retried})


def _changes(store: AbstractPlanStore, study: StudyRow) -> tuple[list[Change], list[TrialRow]]:
    changes: list[Change] = []
    retried: list[TrialRow] = []
    with store.reading() as rows:
        plans = plans_of(rows, study.study)
        failed = rows.rows(TrialRow, study=study.study, state=TrialState.FAIL.value)
        for plan in sorted(set(plans.values())):
            row = rows.rows(PlanRow, plan=plan)[0]
            voided, again = _retried_on(store, rows, row, [trial for trial in failed if plans[trial.member] == plan])
            changes += voided
            retried += again
        calls = rows.rows(CallRow, study=study.study)
    changes += [
        Update(replace(trial, state=(TrialState.PAUSED if trial.step else TrialState.WAITING).value, error=""))
        for trial in retried
    ]
    unfinished = {trial.call for trial in retried}
    changes += [Update(replace(call, state=CallState.INTERRUPTED)) for call in calls if call.call in unfinished]
    return changes, retried


def _retried_on(
    store: AbstractPlanStore, rows: Rows, row: PlanRow, failed: Sequence[TrialRow]
) -> tuple[list[Change], list[TrialRow]]:
    """Return what voids the failures on the way of failed trials of one plan, and the trials that this concerns."""
    plan = SearchPlan.open(store, row, NullListener())
    plan.nodes.bring(NodeId(trial.node) for trial in failed)
    retried: list[TrialRow] = []
    met: set[tuple[int, int]] = set()
    for trial in failed:
        node = plan.nodes.get(NodeId(trial.node))
        on_the_way = [] if node is None else node.failures_before(trial.until)
        # else another study of this plan has voided what both failed of; a metric that is NaN comes out so again
        if on_the_way or not failed_on_metrics(trial.error):
            retried.append(trial)
            met |= {(failure.node, failure.step) for failure in on_the_way}
    if not retried:
        return [], []
    failures = rows.rows(FailureRow, plan=row.plan, voided=False)
    changes: list[Change] = [Update(replace(f, voided=True)) for f in failures if (f.node, f.step) in met]
    return [*changes, Update(replace(row, epoch=row.epoch + 1, writer=whoami()))], retried
