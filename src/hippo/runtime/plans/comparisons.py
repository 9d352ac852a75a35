"""Two runs of one step, or of one state, compared: what follows where they are equal, and where they are not.

A workload whose steps were seen to be equal is proven; one whose steps were not has failed, and the studies that must
stop then are alarmed. It refuses to know how runs are compared: workers do that, and the plan, of what is told twice.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hippo.errors import ExactnessError
from hippo.events import Check, ExactnessChecked
from hippo.plan import Cause, Node
from hippo.records import Exactness
from hippo.runtime.plans.leases import RunningLease, number_of, payer_of
from hippo.runtime.plans.outcomes import Outcome
from hippo.runtime.studies.settings import NondeterminismPolicy
from hippo.runtime.studies.study_state import StudyState

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


def disagree(run: PlanRun, lease: RunningLease | None, node: Node, step: int, what: str, outcome: Outcome) -> None:
    """Take in that two runs of one step disagree in something, which should have been equal."""
    run.plan.facts.mark_inexact(node)
    if not run.is_compared:
        return
    if not run.must_agree(lease):
        _tell_drift(run, f"their {what} after step {step} (node {node.id}).", outcome)
    else:
        if run.plan.exactness is not Exactness.FAILED:  # what comes after the step is a mixture of the two runs
            run.plan.set_exactness(Exactness.FAILED)
        outcome.alarms.append(
            ExactnessError(
                f"two runs of one stage disagree in their {what} after step {step} (node {node.id}). The first run "
                "stays the fact. Something that training depends on is neither state nor seeded; "
                "nondeterminism='warn' goes on all the same."
            )
        )


def absorb_check(run: PlanRun, event: ExactnessChecked, lease: RunningLease | None, outcome: Outcome) -> None:
    """Take in what a worker found that compared two runs, or a state that it loaded with what is recorded of it."""
    payer = payer_of(lease, event.lane)
    if lease is not None:  # else it was lost, and this may be the second time that we hear of it
        if (event.lane, event.which) in lease.compared:
            return
        lease.compared.add((event.lane, event.which))
        _count_check(run, event, payer)
        change = lease.assignment.lanes[event.lane].change
        if event.proven is not None and any(step == change for _, step in event.steps):
            run.checks.has_compared_change = True
    before = run.plan.exactness
    if event.proven:
        if before is Exactness.UNCHECKED and event.which is Check.FIRST_STEPS:
            run.plan.set_exactness(Exactness.PROVEN)
    elif event.proven is None:
        message = f"whether this trainer resumes exactly could not be checked: {event.detail}"
        if run.is_news(message):
            outcome.warnings.append(message)
    elif not run.is_exact:
        _tell_drift(run, event.detail, outcome)
    elif event.which is Check.LOADED_STATE:  # what is recorded may well be right: it is here that something differs
        if lease is not None and (payer is None or _stops(payer)):
            run.checks.look_again(lease.assignment.slot)
        outcome.alarms.append(ExactnessError(_explain(run, event, lease)))
    elif before is not Exactness.FAILED:
        outcome.alarms.append(ExactnessError(_explain(run, event, lease)))
        run.plan.set_exactness(Exactness.FAILED)


def _count_check(run: PlanRun, event: ExactnessChecked, payer: StudyState | None) -> None:
    for number, step in event.steps:
        seconds = event.seconds / len(event.steps)
        run.plan.facts.record_check(run.plan.nodes[number], step, seconds, study=number_of(payer))
        run.checks.note_checked(step)
        if payer is not None:
            payer.counters.count_step(Cause.CHECK, seconds)


def _stops(study: StudyState) -> bool:
    return study.settings.sharing and study.settings.nondeterminism is NondeterminismPolicy.STOP


def _explain(run: PlanRun, event: ExactnessChecked, lease: RunningLease | None) -> str:
    is_shown = lease is not None and lease.assignment.lanes[event.lane].look is not None
    parts = [event.detail]
    if event.which is Check.LOADED_STATE:
        recorded = json.loads(run.plan.row.environment or "{}").get("hash_seed")
        now = run.environment.get("hash_seed")
        if recorded is not None and (recorded != now or now == "random"):
            parts.append(f"PYTHONHASHSEED was {recorded} when this plan began, and is {now} here.")
        parts.append(
            "Nothing was trained from this state. What workers recorded before may not be comparable with each other."
            if is_shown
            else "Nothing was trained from this state."
        )
    else:
        parts.append("So results shared between trials would be wrong.")
    if event.which in (Check.LAST_STEP, Check.CHANGED_VALUES) and run.plan.exactness is Exactness.PROVEN:
        parts.append(
            "The first steps of this trainer had been proven to resume exactly; what differs here begins to matter "
            "later, so results that this plan holds already may be wrong, too."
        )
    parts.append("nondeterminism='warn' goes on all the same.")
    return " ".join(parts)


def _tell_drift(run: PlanRun, what: str, outcome: Outcome) -> None:
    if run.is_news("drift"):
        outcome.warnings.append(
            f"two runs of one step differ, as numerics={run.spec.numerics!r} allows (said once): {what} The first run "
            "stays the fact."
        )
