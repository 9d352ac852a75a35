"""What workers say, turned into facts of a plan: the only way in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hippo.errors import ExactnessError, MissingCheckpointError, TrainerError, did_you_mean
from hippo.events import (
    BoundaryAnswered,
    ChangeUnread,
    Check,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    FusionChecked,
    HparamsUnread,
    LaneEvent,
    LanesDiffer,
    LanesLimited,
    RecordingRefused,
    SettingsLeft,
    StageFailed,
    StateHashed,
    StepDone,
    SurrogateTold,
    TwinDrifted,
    UpdatesCompiled,
)
from hippo.plan import Cause, CheckpointLoss, Node, Shape
from hippo.records import FUSED, CheckpointRef, Exactness, Failure, Fusion, Point
from hippo.runtime.formations import COMPANY
from hippo.runtime.leases import RunningLease
from hippo.runtime.requests import Request
from hippo.runtime.settings import NondeterminismPolicy
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
    #: states that were written
    written: list[CheckpointRef] = field(default_factory=list)
    #: what must stop the studies on this plan
    alarms: list[Exception] = field(default_factory=list)
    #: what users should hear
    warnings: list[str] = field(default_factory=list)
    #: what they may want to know; nothing is wrong
    news: list[str] = field(default_factory=list)
    #: what is equal for every trial of the plan, and ends the calls that use it; nothing is recorded of it
    errors: list[Exception] = field(default_factory=list)


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
        case Evaluated(node=number, step=step):
            node, payer = run.plan.nodes[number], _payer(lease, event.lane)
            if payer is not None and step not in node.metrics:
                payer.counters.evaluate_seconds += event.seconds
            agrees = run.plan.facts.record_metrics(node, step, event.metrics, event.seconds, study=_number(payer))
            if not agrees:
                _alarm(run, lease, node, step, "metrics", outcome)
            outcome.answerable += run.waiting.take_answered(node, step)
        case CheckpointWritten(node=number, step=step, checkpoint=ref):
            node, payer = run.plan.nodes[number], _payer(lease, event.lane)
            agrees = run.plan.facts.record_state_hash(node, step, ref.state_hash)
            if run.plan.facts.record_checkpoint(node, step, ref, event.seconds, study=_number(payer)):
                outcome.written.append(ref)
                if payer is not None:
                    payer.counters.count_checkpoint(event.seconds)
            if lease is not None:
                run.recorded.note(lease.assignment.slot, Point(number, step))
            if not agrees:
                _alarm(run, lease, node, step, "state", outcome)
        case StateHashed(node=number, step=step):
            node = run.plan.nodes[number]
            agrees = run.plan.facts.record_state_hash(node, step, event.state_hash)
            if not agrees:
                _alarm(run, lease, node, step, "state", outcome)
        case CheckpointUnusable(node=number, step=step, key=key):
            root = run.plan.nodes[number]
            if root.begins_at == step and key in (ref.key for ref in root.checkpoints.values()):
                outcome.errors.append(
                    MissingCheckpointError(
                        f"the state after step {step} at which branches begin is gone: {event.reason.rstrip('.')}. "
                        "Nothing here trains up to it; the same script run again brings it there once more, from the "
                        "path that it is of"
                    )
                )
            elif key and not event.is_expected:  # else it was in memory only, and is not there any more
                outcome.warnings.append(
                    f"the checkpoint {key} cannot be used ({event.reason}); its steps are run again"
                )
            loss = CheckpointLoss.CORRUPT if event.corrupt else CheckpointLoss.MISSING
            run.plan.facts.forget_checkpoint(root, step, key, loss)
        case BoundaryAnswered(node=number, step=step, accepted=False):
            run.plan.leases.mark_passed(event.lease, Point(number, step))
        case StageFailed(failure=failure, is_resource=True):
            run.lose_for_want(failure, outcome)
        case StageFailed(failure=failure) if failure.method in _SAME_FOR_ALL:
            outcome.errors.append(TrainerError(_why_none_begins(failure)))
        case StageFailed(failure=failure):
            fail(run, failure, outcome)
        case ExactnessChecked():
            _absorb_check(run, event, lease, outcome)
        case SettingsLeft():
            _tell_settings(run, event, outcome)
        case HparamsUnread():
            _tell_unread(run, event, outcome)
        case ChangeUnread():
            _tell_unread_change(run, event, outcome)
        case SurrogateTold(message=message):
            if run.is_news(message):
                outcome.warnings.append(message)
        case FusionChecked() | LanesDiffer() | LanesLimited() if lease is not None:
            _absorb_fusion(run, event, lease, outcome)
        case UpdatesCompiled():
            _tell_compiled(run, event, outcome)
        case RecordingRefused(reason=reason):
            if run.is_news(f"not recorded: {reason}"):
                which = run.spec.reference or "this trainer"
                outcome.news.append(f"kernels of updates of {which} are launched one by one: {reason}")
        case TwinDrifted(node=number, drift=drift):
            run.plan.set_fusion_facts(run.plan.fusion_facts.drifted(number, drift))
        case _:
            pass


def fail(run: PlanRun, failure: Failure, outcome: Outcome) -> None:
    """Record a failure, and note whom it concerns."""
    for _, _, number in run.plan.facts.record_failure(failure):
        request = run.waiting.requests[number]
        run.waiting.remove(request)
        request.failure = failure
        outcome.answerable.append(request)


def _payer(lease: RunningLease | None, lane: int) -> StudyState | None:
    """Return the study that pays for what a lane does; None if its lease has ended."""
    return None if lease is None else lease.accounts[lane].payer


def _number(payer: StudyState | None) -> int:
    return 0 if payer is None else payer.row.study


def _absorb_step(run: PlanRun, event: StepDone, lease: RunningLease | None, outcome: Outcome) -> None:
    node, payer = run.plan.nodes[event.node], _payer(lease, event.lane)
    if run.plan.facts.is_told_again(node, event.step, event.lease):
        return
    resumed_at = lease.resumed_at(event.lane) if lease is not None else 0
    ahead = () if lease is None or event.step not in node.training else lease.nodes_ahead(event.lane, node.id)
    cause = run.plan.cause_of(node, event.step, resumed_at=resumed_at, ahead=ahead)
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
        study=_number(payer),
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
        _alarm(run, lease, node, event.step, "training metrics", outcome)


def _absorb_fusion(
    run: PlanRun, event: FusionChecked | LanesDiffer | LanesLimited, lease: RunningLease, outcome: Outcome
) -> None:
    facts, shape = run.plan.fusion_facts, run.formations.shape_of_lease(lease)
    match event:
        case FusionChecked(fusion=fusion):
            if shape not in facts.verdicts:  # else it was said before
                payer = lease.accounts[0].payer
                payer.counters.fusion_check_seconds += event.seconds
                run.plan.set_fusion_facts(facts.checked(_number(payer), event.seconds))
            decide(run, shape, fusion, outcome)
        case LanesDiffer(names=names):
            run.plan.set_fusion_facts(facts.split(names))
            listed_names = ", ".join(map(repr, sorted(names)))
            if run.is_news(f"parted by {listed_names}"):
                outcome.news.append(
                    f"trials of {run.spec.reference or 'this trainer'} that differ in {listed_names} are not walked as "
                    "one with each other: other methods than make_optimizer() look at it, and come to other things"
                )
        case LanesLimited(lanes=lanes, reason=reason):
            limited = facts.limited(shape, lanes)
            if limited != facts:
                run.plan.set_fusion_facts(limited)
                outcome.news.append(
                    f"no more than {limited.most_lanes[shape]} lanes of {run.spec.reference or 'this trainer'} are "
                    f"walked at once from now on: {reason}"
                )


def decide(run: PlanRun, shape: Shape, fusion: Fusion, outcome: Outcome) -> None:
    """Record how lanes of a shape are walked from now on, unless that is known, and tell what users should hear."""
    run.plan.set_fusion_facts(run.plan.fusion_facts.decided(shape, fusion))
    trainer = run.spec.reference or "this trainer"
    if not fusion.is_fused and run.is_news("walked one by one"):
        outcome.warnings.append(
            f"lanes of {trainer} are walked one by one, although numerics={run.spec.numerics!r} allows more: "
            f"{fusion.detail or 'its worker did not say why'}"
        )
    if not fusion.keeps_bits and run.spec.numerics == FUSED and run.is_news(COMPANY):
        outcome.news.append(
            f"numerics='fused', and it was seen in {trainer} that the last bits of a trial's results may depend on "
            "the trials that are walked beside it, whatever is done against that; numerics='fused-fast' says that it "
            "does not matter"
        )


def _tell_compiled(run: PlanRun, event: UpdatesCompiled, outcome: Outcome) -> None:
    which = f"updates of {run.spec.reference or 'this trainer'}"
    if event.refusal and run.is_news(f"not compiled: {event.refusal}"):
        outcome.warnings.append(f"{which} are computed without being compiled: {event.refusal}")
    elif not event.refusal and run.is_news("compiled"):
        outcome.news.append(f"{which} were compiled, in {event.seconds:.0f} s (said once)")


def _absorb_check(run: PlanRun, event: ExactnessChecked, lease: RunningLease | None, outcome: Outcome) -> None:
    payer = _payer(lease, event.lane)
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
        run.plan.facts.record_check(run.plan.nodes[number], step, seconds, study=_number(payer))
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


def _tell_settings(run: PlanRun, event: SettingsLeft, outcome: Outcome) -> None:
    news = [change for change in event.changes if run.is_news(f"{event.where} {change}")]
    if news:
        outcome.warnings.append(
            f"the trainer left settings of the whole process changed after {event.where}: {'; '.join(news)}. They were "
            "set back, so that every trial begins alike. What shall hold in each trial belongs into build()."
        )


def _tell_unread(run: PlanRun, event: HparamsUnread, outcome: Outcome) -> None:
    if [name for name in event.names if run.is_news(_nobody_reads(name))]:
        hints = "".join(did_you_mean(name, event.read) for name in event.names)
        outcome.warnings.append(
            f"the trainer did not look at {sorted(event.names)} in its first step; it read {sorted(event.read)}.{hints}"
        )


def _tell_unread_change(run: PlanRun, event: ChangeUnread, outcome: Outcome) -> None:
    name = event.name
    if run.is_news(_nobody_reads(name)):
        outcome.warnings.append(
            f"{name!r} changed from {event.before} to {event.after} at step {event.step}, and the trainer has not "
            f"looked at it since: setup(), train() and evaluate() left it unread. So it trains on with what it made of "
            f"the old value, and trials that differ in {name!r} later may come out alike. Write setup(self, hp), which "
            f"is called when values change, and apply hp[{name!r}] there if {name!r} is in hp; or read "
            f"self.hp[{name!r}] in train()."
        )


def _nobody_reads(name: str) -> str:
    """Return under what is noted that it was told: whoever heard that a name is never read needs to hear no more."""
    return f"nobody reads {name}"


def _alarm(run: PlanRun, lease: RunningLease | None, node: Node, step: int, what: str, outcome: Outcome) -> None:
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


def _why_none_begins(failure: Failure) -> str:
    """Say why no trial can begin: what is wrong with what a method returned hippo says, and no line of code."""
    refusal = failure.error.removeprefix(f"{TrainerError.__module__}.{TrainerError.__qualname__}: ")
    if refusal != failure.error:
        return f"no trial can begin: {refusal}"
    return (
        f"{failure.method}() of the trainer raised, so that no trial can begin: {failure.error}\n{failure.traceback}"
    ).rstrip()
