"""What workers say, turned into facts of a plan: the only way in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.errors import MissingCheckpointError, TrainerError
from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    FusionChecked,
    LaneEvent,
    LanesDiffer,
    LanesLimited,
    StageFailed,
    StateHashed,
    StepDone,
    TwinDrifted,
)
from hippo.plan import Cause, CheckpointLoss, Node
from hippo.records import Failure, Point
from hippo.runtime.plans.comparisons import absorb_check, disagree
from hippo.runtime.plans.fusion_verdicts import absorb_fusion
from hippo.runtime.plans.leases import RunningLease, number_of, payer_of
from hippo.runtime.plans.outcomes import Outcome
from hippo.runtime.plans.trainer_news import tell
from hippo.training.failures import refusal_of

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


#: methods that know nothing of a trial yet: what they raise is no fact of one
_SAME_FOR_ALL = frozenset({"__init__", "train_set", "val_set"})


def absorb(run: PlanRun, event: LaneEvent, outcome: Outcome) -> None:
    """Turn what a worker said into facts, and note what they come to.

    Args:
      run: the plan that the event's lease is of.
      event: what was said; if its lease has ended before, nobody pays for it.
      outcome: is added to.
    """
    lease = run.running.get(event.lease)
    if lease is not None:
        lease.fold(event)
    match event:
        case StepDone():
            _absorb_step(run, event, lease, outcome)
        case Evaluated():
            _absorb_evaluation(run, event, lease, outcome)
        case CheckpointWritten():
            _absorb_checkpoint(run, event, lease, outcome)
        case StateHashed():
            _absorb_state_hash(run, event, lease, outcome)
        case CheckpointUnusable():
            _absorb_unusable(run, event, outcome)
        case BoundaryAnswered(node=number, step=step, accepted=False):
            run.plan.leases.mark_passed(event.lease, Point(number, step))
        case StageFailed(failure=failure, is_resource=True):
            run.lose_for_want(event.lease, failure, outcome)
        case StageFailed(failure=failure) if failure.method in _SAME_FOR_ALL:
            outcome.errors.append(TrainerError(_why_none_begins(failure)))
        case StageFailed(failure=failure):
            fail(run, failure, outcome)
        case ExactnessChecked():
            absorb_check(run, event, lease, outcome)
        case FusionChecked() | LanesDiffer() | LanesLimited() if lease is not None:
            absorb_fusion(run, event, lease, outcome)
        case TwinDrifted(node=number, drift=drift):
            run.plan.set_fusion_facts(run.plan.fusion_facts.drifted(number, drift))
        case _:
            tell(run, event, outcome)


def _absorb_step(run: PlanRun, event: StepDone, lease: RunningLease | None, outcome: Outcome) -> None:
    node, payer = run.plan.nodes[event.node], payer_of(lease, event.lane)
    if run.plan.facts.is_told_again(node, event.step, event.lease):
        return
    cause = Cause.FIRST if event.step not in node.training else _cause_of_another(run, event, lease, node)
    if cause is Cause.FIRST:
        run.checks.note_executed()
    if cause is Cause.FIRST and lease is not None and lease.accounts[event.lane].is_speculative:
        cause = Cause.SPECULATIVE
    agrees = run.plan.facts.record_step(
        node,
        event.step,
        event.training,
        event.seconds,
        lease=event.lease,
        cause=cause,
        study=number_of(payer),
        lanes=event.lanes,
        ranks=event.ranks,
    )
    if payer is not None:
        payer.counters.count_step(cause, event.seconds, lanes=event.lanes)
    if event.step in node.step_requests:
        outcome.answerable += run.waiting.take_answered(node, event.step)
    width = 1 if lease is None else lease.assignment.width
    run.remaining.learn_cost(node, event.seconds, width=width, lanes=event.lanes)
    if not agrees:
        disagree(run, lease, node, event.step, "training metrics", outcome)


def _cause_of_another(run: PlanRun, event: StepDone, lease: RunningLease | None, node: Node) -> Cause:
    """Tell why a step is run that was run before."""
    if lease is None:
        return run.plan.cause_of(node, event.step, resumed_at=0)
    ahead = lease.nodes_ahead(event.lane, node.id)
    return run.plan.cause_of(node, event.step, resumed_at=lease.resumed_at(event.lane), ahead=ahead)


def _absorb_evaluation(run: PlanRun, event: Evaluated, lease: RunningLease | None, outcome: Outcome) -> None:
    node, payer = run.plan.nodes[event.node], payer_of(lease, event.lane)
    if payer is not None and event.step not in node.metrics:
        payer.counters.evaluate_seconds += event.seconds
    agrees = run.plan.facts.record_metrics(node, event.step, event.metrics, event.seconds, study=number_of(payer))
    if not agrees:
        disagree(run, lease, node, event.step, "metrics", outcome)
    outcome.answerable += run.waiting.take_answered(node, event.step)


def _absorb_checkpoint(run: PlanRun, event: CheckpointWritten, lease: RunningLease | None, outcome: Outcome) -> None:
    node, payer, ref = run.plan.nodes[event.node], payer_of(lease, event.lane), event.checkpoint
    agrees = run.plan.facts.record_state_hash(node, event.step, ref.state_hash)
    if run.plan.facts.record_checkpoint(node, event.step, ref, event.seconds, study=number_of(payer)):
        outcome.written.append(ref)
        if payer is not None:
            payer.counters.count_checkpoint(event.seconds)
    if lease is not None:
        run.recorded.note(lease.assignment.slot, Point(event.node, event.step))
    if not agrees:
        disagree(run, lease, node, event.step, "state", outcome)


def _absorb_state_hash(run: PlanRun, event: StateHashed, lease: RunningLease | None, outcome: Outcome) -> None:
    node = run.plan.nodes[event.node]
    if not run.plan.facts.record_state_hash(node, event.step, event.state_hash):
        disagree(run, lease, node, event.step, "state", outcome)


def _absorb_unusable(run: PlanRun, event: CheckpointUnusable, outcome: Outcome) -> None:
    """Forget a checkpoint that cannot be used, and tell what its loss costs: steps, or a path's branches."""
    root, step, key = run.plan.nodes[event.node], event.step, event.key
    if root.begins_at == step and key in (ref.key for ref in root.checkpoints.values()):
        outcome.errors.append(
            MissingCheckpointError(
                f"the state after step {step} at which branches begin is gone: {event.reason.rstrip('.')}. "
                "Nothing here trains up to it; the same script run again brings it there once more, from the "
                "path that it is of"
            )
        )
    elif key and not event.is_expected:  # else it was in memory only, and is not there any more
        outcome.warnings.append(f"the checkpoint {key} cannot be used ({event.reason}); its steps are run again")
    loss = CheckpointLoss.CORRUPT if event.corrupt else CheckpointLoss.MISSING
    run.plan.facts.forget_checkpoint(root, step, key, loss)


def fail(run: PlanRun, failure: Failure, outcome: Outcome) -> None:
    """Record a failure, and note whom it concerns."""
    for _, _, number in run.plan.facts.record_failure(failure):
        request = run.waiting.requests[number]
        run.waiting.remove(request)
        request.failure = failure
        outcome.answerable.append(request)


def _why_none_begins(failure: Failure) -> str:
    """Say why no trial can begin: what is wrong with what a method returned hippo says, and no line of code."""
    if refusal := refusal_of(failure):
        return f"no trial can begin: {refusal}"
    return (
        f"{failure.method}() of the trainer raised, so that no trial can begin: {failure.error}\n{failure.traceback}"
    ).rstrip()
