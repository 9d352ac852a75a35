"""What workers say, turned into facts of a plan: the only way in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hippo.errors import ExactnessError, TrainerError
from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    LaneEvent,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.plan import Cause, Node
from hippo.records import Exactness, Failure
from hippo.runtime.leases import RunningLease
from hippo.runtime.requests import Request
from hippo.runtime.study_state import StudyState

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun


#: methods that know nothing of a trial yet: what they raise is no fact of one
_SAME_FOR_ALL = frozenset({"__init__", "train_set", "val_set"})


@dataclass(slots=True)
class Outcome:
    """What a batch of events came to, beyond facts."""

    #: requests that can be answered now
    answerable: list[Request] = field(default_factory=list)
    #: what must stop the studies on this plan
    alarms: list[Exception] = field(default_factory=list)
    #: what users should hear
    warnings: list[str] = field(default_factory=list)
    #: what is equal for every trial of the plan, and ends the calls that use it; nothing is recorded of it
    errors: list[Exception] = field(default_factory=list)


def absorb(run: PlanRun, event: LaneEvent, payer: StudyState | None, outcome: Outcome) -> None:
    """Turn what a worker said into facts, and note what they come to.

    Args:
      run: the plan that the event's lease is of.
      event: what was said.
      payer: the study whose lease it is; None if that ended before.
      outcome: is added to.
    """
    lease = run.running.get(event.lease)
    study = payer.row.study if payer is not None else 0
    if isinstance(event, StageFailed) and lease is not None:
        lease.failed.add(event.lane)
    match event:
        case StepDone():
            _absorb_step(run, event, lease, payer, outcome)
        case Evaluated(node=number, step=step):
            node = run.plan.nodes[number]
            if payer is not None and step not in node.metrics:
                payer.counters.evaluate_seconds += event.seconds
            agrees = run.plan.record_metrics(node, step, event.metrics, event.seconds, study=study)
            _alarm_unless(agrees, run, node, step, "metrics", outcome)
            if lease is not None:
                lease.note_metrics((number, step))
            outcome.answerable += run.take_requests(node, step)
        case CheckpointWritten(node=number, step=step, checkpoint=ref):
            node = run.plan.nodes[number]
            agrees = run.plan.record_state_hash(node, step, ref.state_hash)
            if run.plan.record_checkpoint(node, step, ref, event.seconds, study=study) and payer is not None:
                payer.counters.count_checkpoint(event.seconds)
            _alarm_unless(agrees, run, node, step, "state", outcome)
            if lease is not None:
                lease.note_state((number, step))
        case StateHashed(node=number, step=step):
            node = run.plan.nodes[number]
            _alarm_unless(run.plan.record_state_hash(node, step, event.state_hash), run, node, step, "state", outcome)
            if lease is not None:
                lease.note_state((number, step))
        case CheckpointUnusable(node=number, step=step, key=key):
            if not event.is_expected:
                outcome.warnings.append(
                    f"the checkpoint {key} cannot be used ({event.reason}); its steps are run again"
                )
            run.plan.forget_checkpoint(run.plan.nodes[number], step, key, "corrupt" if event.corrupt else "missing")
        case BoundaryAnswered(node=number, step=step, accepted=False):
            run.plan.mark_passed(event.lease, (number, step))
        case StageFailed(failure=failure, is_resource=True):
            run.lose_for_want(failure, outcome)
        case StageFailed(failure=failure) if failure.method in _SAME_FOR_ALL:
            outcome.errors.append(
                TrainerError(
                    f"{failure.method}() of the trainer raised, so that no trial can begin: {failure.error}\n"
                    f"{failure.traceback}".rstrip()
                )
            )
        case StageFailed(failure=failure):
            fail(run, failure, outcome)
        case ExactnessChecked():
            _absorb_check(run, event, lease, payer, outcome)
        case _:
            pass


def fail(run: PlanRun, failure: Failure, outcome: Outcome) -> None:
    """Record a failure, and note whom it concerns."""
    for _, _, number in run.plan.record_failure(failure):
        request = run.requests[number]
        run.remove_request(request)
        request.failure = failure
        outcome.answerable.append(request)


def _absorb_step(
    run: PlanRun, event: StepDone, lease: RunningLease | None, payer: StudyState | None, outcome: Outcome
) -> None:
    node = run.plan.nodes[event.node]
    if run.plan.is_told_again(node, event.step, event.lease):
        return
    resumed_at = lease.resumed_at(event.lane) if lease is not None else 0
    cause = run.plan.cause_of(node, event.step, resumed_at=resumed_at)
    if cause is Cause.FIRST and lease is not None and lease.is_speculative:
        cause = Cause.SPECULATIVE
    agrees = run.plan.record_step(
        node,
        event.step,
        event.training,
        event.seconds,
        lease=event.lease,
        cause=cause,
        study=payer.row.study if payer is not None else 0,
    )
    if payer is not None:
        payer.counters.count_step(cause, event.seconds)
    if lease is not None:
        lease.note_step(event.lane, (event.node, event.step))
    run.learn_cost(node, event.seconds)
    _alarm_unless(agrees, run, node, event.step, "training metrics", outcome)


def _absorb_check(
    run: PlanRun, event: ExactnessChecked, lease: RunningLease | None, payer: StudyState | None, outcome: Outcome
) -> None:
    if run.plan.exactness is not Exactness.UNCHECKED:
        return  # told before
    run.plan.set_exactness(Exactness.PROVEN if event.proven else Exactness.FAILED)
    if lease is not None and payer is not None:
        stage = next(s for s in lease.assignment.lanes[event.lane].stages if s.start < 2 <= s.stop)
        node = run.plan.nodes[stage.node]
        run.plan.record_check(node, 2, event.seconds, lease=event.lease, study=payer.row.study)
        payer.counters.count_step(Cause.CHECK, event.seconds)
    if not event.proven:
        outcome.alarms.append(
            ExactnessError(
                "step [1, 2) was run again from its checkpoint and gave another state, so results shared between "
                f"trials would be wrong. Different: {event.detail}. Add what is missing to state_dict(), draw "
                "chance only from the global generators, or go on all the same with nondeterminism='warn'."
            )
        )


def _alarm_unless(agrees: bool, run: PlanRun, node: Node, step: int, what: str, outcome: Outcome) -> None:
    if not agrees:
        run.plan.mark_inexact(node)
        outcome.alarms.append(
            ExactnessError(
                f"two runs of one stage disagree in their {what} after step {step} (node {node.id}). The first run "
                "stays the fact. Something that training depends on is neither state nor seeded; "
                "nondeterminism='warn' goes on all the same."
            )
        )
