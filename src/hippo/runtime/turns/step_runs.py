"""Runs of steps: what a lane says of many steps at once, or in one breath, becomes facts at once.

A step that is told by itself costs the control loop some 20 us of CPU, most of it for questions whose answers are the
same for a whole run: is it told again, why was it run, who pays, who waits. Here they are asked once. What comes of it
is the same to the last bit, whatever runs the steps are told in; where an answer differs within a run, its steps are
taken one by one. Nothing waits to become part of a run: what is joined has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hippo.events import StepDone, StepsDone
from hippo.plan import Cause
from hippo.runtime.asking.instructions import Input

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


def join_steps(inputs: Sequence[Input]) -> list[Input]:
    """Return inputs in their order, with steps that directly follow one another, of one lane and node, as one run."""
    joined: list[Input] = []
    steps: list[StepDone] = []
    for one in inputs:
        if isinstance(one, StepDone):
            if steps and not _follows(one, steps[-1]):
                joined.append(_as_one(steps))
                steps = []
            steps.append(one)
        else:
            if steps:
                joined.append(_as_one(steps))
                steps = []
            joined.append(one)
    if steps:
        joined.append(_as_one(steps))
    return joined


def _follows(one: StepDone, before: StepDone) -> bool:
    return (
        one.step == before.step + 1
        and one.lease == before.lease
        and one.lane == before.lane
        and one.node == before.node
        and one.lanes == before.lanes
        and one.ranks == before.ranks
    )


def _as_one(steps: Sequence[StepDone]) -> StepDone | StepsDone:
    first = steps[0]
    if len(steps) == 1:
        return first
    return StepsDone(
        lease=first.lease,
        lane=first.lane,
        node=first.node,
        first=first.step,
        last=steps[-1].step,
        training=tuple([step.training for step in steps]),
        seconds=tuple([step.seconds for step in steps]),
        lanes=first.lanes,
        ranks=first.ranks,
    )


def absorb_steps(run: PlanRun, event: StepsDone) -> bool:
    """Turn a run of steps into facts; return False, and change nothing, if its steps are to be taken one by one.

    That is so if its lease has ended, or if any of the steps was ever run, is waited for, or was told before.

    Args:
      run: the plan that the event's lease is of.
      event: what was said.
    """
    lease, node = run.running.get(event.lease), run.plan.nodes[event.node]
    if lease is None or not run.plan.facts.is_new(node, event.first, event.last):
        return False
    lease.fold(event)
    account, lanes = lease.accounts[event.lane], event.lanes
    cause = Cause.SPECULATIVE if account.is_speculative else Cause.FIRST
    run.checks.note_executed(len(event.seconds))
    run.plan.facts.record_new_steps(
        node,
        event.first,
        event.training,
        event.seconds,
        lease=event.lease,
        cause=cause,
        study=account.payer.row.study,
        lanes=lanes,
        ranks=event.ranks,
    )
    account.payer.counters.count_steps(cause, event.seconds, lanes=lanes)
    run.remaining.learn_costs(node, event.seconds, lanes=lanes, width=lease.assignment.width)
    return True
