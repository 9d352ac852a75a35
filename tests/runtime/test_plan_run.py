"""A plan at work: who pays, what a lane is told, what is left to do, and what ends early."""

from __future__ import annotations

from typing import Any

import pytest

from hippo import MultiStep
from hippo.errors import EnvironmentChangedError, ExactnessError
from hippo.plan import Cause, LeaseEnd
from hippo.records import (
    AddBoundary,
    Assignment,
    Boundary,
    Exactness,
    Keep,
    Lane,
    LaneStage,
    LeaseId,
    Shorten,
    SlotId,
    Span,
)
from hippo.runtime.plans.environments import compare_environments
from hippo.runtime.plans.leases import LaneAccount, RunningLease
from hippo.runtime.plans.plan_run import MOST_LOSSES
from hippo.runtime.studies.requests import Request

from .runs import Bench, config, numbers


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_lane_walks_the_chain_with_what_is_to_be_done_at_the_end_of_each_stage(bench: Bench) -> None:
    request = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6)
    assignment = bench.give_out(1)
    (lane,) = assignment.lanes
    root = request.node.parent
    assert root is not None
    assert [(s.node, s.start, s.stop, s.boundary.keep) for s in lane.stages] == [
        (root.id, 0, 4, Keep.NOTHING),
        (request.node.id, 4, 6, Keep.WRITTEN),
    ]
    assert [s.pieces for s in lane.stages] == [root.pieces, request.node.pieces]
    assert (assignment.lease, assignment.slot, assignment.workload) == (1, SlotId("a"), "w")


def test_names_of_checkpoints_are_of_one_database_plan_epoch_and_lease(bench: Bench) -> None:
    bench.run.take_over()
    bench.ask(config(), 6)
    assert bench.give_out(3).prefix == f"{bench.store.uuid}/p1/e1-l3"


def test_a_lane_begins_at_the_nearest_state_with_the_values_before_it(bench: Bench) -> None:
    request = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6)
    root = request.node.parent
    assert root is not None
    bench.written(root.id, 4, key="k")
    (lane,) = bench.give_out(1).lanes
    assert lane.begin is not None
    assert lane.begin.checkpoint is not None
    assert (lane.begin.node, lane.begin.step, lane.begin.checkpoint.key) == (root.id, 4, "k")
    assert lane.begin.pieces is root.pieces


def test_what_is_under_way_is_not_given_out_again_until_it_is_lost(bench: Bench) -> None:
    bench.ask(config(), 6)
    bench.give_out(1)
    assert bench.run.remaining.tree.num_ready == 0
    bench.end(1, how=LeaseEnd.LOST)
    assert bench.run.remaining.tree.num_ready == 1


# --- who pays


def test_the_study_of_the_oldest_request_that_the_end_of_a_chain_serves_pays(bench: Bench) -> None:
    later = bench.new_study("later")
    bench.ask(config(), 6, study=later)
    bench.ask(config(), 6)
    bench.ask(config(), 3)  # on the way: does not matter
    bench.give_out(1)
    assert bench.run.running[LeaseId(1)].payer_of(0) is later


def test_where_only_a_state_is_wanted_whoever_wants_it_pays(bench: Bench) -> None:
    wanting = bench.new_study("wanting")
    bench.run.waiting.want_state(wanting, bench.request(config(), 6).node, 6)
    bench.give_out(1)
    assert bench.run.running[LeaseId(1)].payer_of(0) is wanting


# --- what is left


def covered(bench: Bench, lr: Any, until: int) -> int:
    return until - bench.run.remaining.uncovered(config(lr), until, owner="")


def test_a_step_is_covered_if_it_was_trained_or_asked_for_on_the_way(bench: Bench) -> None:
    branch = MultiStep(0.1, [4], 0.5)
    assert covered(bench, 0.1, 9) == 0
    request = bench.ask(config(), 5)
    assert (covered(bench, 0.1, 9), covered(bench, branch, 9), covered(bench, 0.2, 9)) == (5, 4, 0)
    bench.run.waiting.remove(request)
    assert covered(bench, 0.1, 9) == 0
    bench.step(request.node.id, 1)
    bench.step(request.node.id, 2)
    assert (covered(bench, 0.1, 9), covered(bench, branch, 9), covered(bench, 0.1, 1)) == (2, 2, 1)


def test_what_remains_shrinks_with_the_steps_of_running_lanes(bench: Bench) -> None:
    request = bench.ask(config(), 10)
    assert bench.run.remaining.left(bench.run.running)[0] == 10
    bench.give_out(1)
    bench.steps(request.node.id, range(1, 4))
    assert bench.run.remaining.left(bench.run.running) == (7, 7.0)


def test_what_is_known_or_failed_is_answered_at_once_and_not_waited_for(bench: Bench) -> None:
    known = bench.request(config(), 3)
    known.node.metrics[3] = {"loss": 1.0}
    assert bench.run.waiting.add(known)
    assert bench.run.waiting.requests == {}
    assert len(bench.run.remaining.tree) == 0


def test_a_request_that_is_withdrawn_is_not_answered_and_nothing_remains(bench: Bench) -> None:
    request = bench.ask(config(), 3)
    for _ in range(2):
        bench.run.waiting.remove(request)
    assert len(bench.run.remaining.tree) == 0
    assert bench.evaluated(request.node.id, 3, 0.5).answerable == []


# --- what running lanes are told


def test_a_boundary_that_is_new_to_a_running_lane_is_told_once(bench: Bench) -> None:
    request = bench.ask(config(), 6)
    bench.give_out(1)
    assert bench.run.commands() == []
    bench.ask(config(MultiStep(0.1, [3], 0.5)), 5)
    (told,) = bench.run.commands()
    assert isinstance(told, AddBoundary)
    assert (told.lease, told.node, told.step) == (1, request.node.id, 3)
    assert (told.boundary.evaluate, told.boundary.keep) == (False, Keep.WRITTEN)
    bench.ask(config(MultiStep(0.1, [3], 0.7)), 5)
    bench.ask(config(), 5)
    assert [again.step for again in bench.run.commands() if isinstance(again, AddBoundary)] == [5]


def test_a_request_on_the_way_makes_a_running_lane_evaluate_there(bench: Bench) -> None:
    request = bench.ask(config(), 6)
    bench.give_out(1)
    bench.ask(config(), 2)
    (told,) = bench.run.commands()
    assert isinstance(told, AddBoundary)
    assert (told.node, told.step, told.boundary.evaluate) == (request.node.id, 2, True)


def test_work_ahead_of_time_is_not_any_more_once_somebody_needs_it(bench: Bench) -> None:
    request = bench.ask(config(), 6, is_speculative=True)
    bench.give_out(1)
    (account,) = bench.run.running[LeaseId(1)].accounts
    assert account.is_speculative
    bench.step(request.node.id, 1)
    bench.ask(config(), 6)
    bench.run.commands()
    assert not account.is_speculative
    bench.step(request.node.id, 2)
    assert bench.study.counters.steps == {Cause.SPECULATIVE: 1, Cause.FIRST: 1}


def test_a_lane_that_serves_somebody_in_need_is_not_ahead_of_time(bench: Bench) -> None:
    bench.ask(config(), 6, is_speculative=True)
    bench.ask(config(), 6)
    bench.give_out(1)
    assert not bench.run.running[LeaseId(1)].accounts[0].is_speculative


def test_a_lane_ends_where_nobody_waits_for_the_rest_and_is_told_so_once(bench: Bench) -> None:
    long = bench.ask(config(), 6)
    bench.ask(config(), 2)
    bench.give_out(1)
    assert bench.run.shorten() == []
    bench.run.waiting.remove(long)
    assert bench.run.shorten() == [Shorten(lease=LeaseId(1), lane=0, node=long.node.id, step=2)]
    assert bench.run.shorten() == []


def test_what_lies_beyond_the_end_of_a_shortened_lane_is_no_boundary_of_it(bench: Bench) -> None:
    long = bench.ask(config(), 6)
    bench.ask(config(), 2)
    bench.give_out(1)
    bench.run.waiting.remove(long)
    bench.run.shorten()
    bench.run.commands()
    bench.ask(config(), 4)
    assert bench.run.commands() == []


# --- leases of several lanes


def together(bench: Bench, *requests: Request, lease: int = 1) -> None:
    """Give a lane for each request to one slot, under one lease."""
    stages = [
        LaneStage(node=asked.node.id, start=0, stop=asked.until, pieces={}, boundary=Boundary()) for asked in requests
    ]
    spans = [Span(node=stage.node, start=stage.start, stop=stage.stop) for stage in stages]
    lanes = tuple(Lane(begin=None, stages=(stage,)) for stage in stages)
    assignment = Assignment(lease=LeaseId(lease), prefix="p", slot=SlotId("a"), workload="w", lanes=lanes)
    bench.run.plan.leases.open(LeaseId(lease), spans, slot="a", started_at=0.0)
    bench.run.running[LeaseId(lease)] = RunningLease(assignment, tuple(LaneAccount(bench.study) for _ in lanes))


def test_what_a_lane_must_be_told_is_told_to_the_lane_that_comes_there(bench: Bench) -> None:
    first, second = bench.ask(config(0.1), 6), bench.ask(config(0.2), 6)
    together(bench, first, second)
    assert bench.run.commands() == []
    bench.ask(config(MultiStep(0.2, [3], 0.5)), 5)
    bench.ask(config(0.1), 2)
    told = [command for command in bench.run.commands() if isinstance(command, AddBoundary)]
    assert {(command.lane, command.node, command.step) for command in told} == {
        (0, first.node.id, 2),
        (1, second.node.id, 3),
    }


def test_each_lane_goes_on_the_account_of_the_study_that_its_end_serves(bench: Bench) -> None:
    other = bench.new_study("other")
    first, second = bench.ask(config(0.1), 6), bench.ask(config(0.2), 4, study=other, is_speculative=True)
    assignment = bench.give_out_together()
    assert [lane.stages[-1].point for lane in assignment.lanes] == [(first.node.id, 6), (second.node.id, 4)]
    lease = bench.run.running[LeaseId(1)]
    assert [(each.payer, each.expected_s, each.is_speculative) for each in lease.accounts] == [
        (bench.study, 6.0, False),
        (other, 4.0, True),
    ]
    assert (lease.payers, lease.expected_s(bench.study), lease.expected_s(other)) == ([bench.study, other], 6.0, 4.0)
    bench.step(first.node.id, 1)
    bench.steps(second.node.id, range(1, 5), lane=1)
    bench.evaluated(second.node.id, 4, 0.5, lane=1)
    assert bench.study.counters.steps == {Cause.FIRST: 1}
    assert other.counters.steps == {Cause.SPECULATIVE: 4}
    assert (bench.study.counters.evaluate_seconds, other.counters.evaluate_seconds) == (0.0, 1.0)
    assert (lease.owes(other), lease.owes(bench.study)) == (True, False)


def test_what_several_lanes_walk_is_not_given_out_again_until_they_are_lost(bench: Bench) -> None:
    for lr in (0.1, 0.2, 0.3):
        bench.ask(config(lr), 6)
    bench.give_out_together()
    assert bench.run.remaining.tree.num_ready == 0
    bench.end(1, how=LeaseEnd.LOST)
    assert bench.run.remaining.tree.num_ready == 3


def test_of_lanes_that_are_given_out_together_one_compares(bench: Bench) -> None:
    bench.ask(config(0.1), 6)
    bench.ask(config(0.2), 6)
    assert [lane.is_watched for lane in bench.give_out_together().lanes] == [True, False]


def test_each_lane_ends_where_nobody_waits_for_its_rest(bench: Bench) -> None:
    first, second = bench.ask(config(0.1), 6), bench.ask(config(0.2), 6)
    together(bench, first, second)
    bench.ask(config(0.2), 4)
    bench.run.waiting.remove(second)
    assert bench.run.shorten() == [Shorten(lease=LeaseId(1), lane=1, node=second.node.id, step=4)]
    assert bench.run.shorten() == []


def test_what_remains_shrinks_with_the_steps_of_each_lane(bench: Bench) -> None:
    first, second = bench.ask(config(0.1), 6), bench.ask(config(0.2), 4)
    together(bench, first, second)
    bench.step(first.node.id, 1)
    bench.step(second.node.id, 1, lane=1)
    bench.step(second.node.id, 2, lane=1)
    assert bench.run.remaining.left(bench.run.running)[0] == 5 + 2


def test_of_a_lost_lease_only_the_lanes_that_were_being_walked_have_lost_something(bench: Bench) -> None:
    requests = [bench.ask(config(rate), 6) for rate in (0.1, 0.2)]
    for lease in range(1, MOST_LOSSES + 1):
        together(bench, *requests, lease=lease)
        outcome = bench.end(lease, how=LeaseEnd.LOST)
    assert numbers(outcome.answerable) == [requests[0].id]


# --- costs


def test_seconds_of_steps_that_were_recorded_are_learned_when_a_plan_is_opened(bench: Bench) -> None:
    slow, fast = (bench.request(config(bs=bs), 4) for bs in (64, 32))
    for request, seconds in ((slow, 8.0), (fast, 2.0)):
        bench.run.plan.facts.record_step(request.node, 1, {}, seconds, lease=LeaseId(1), cause=Cause.FIRST, study=1)
    bench.store.commit(bench.run.plan.changes.take())
    again = Bench()
    again.run = type(bench.run)(bench.store, bench.row, bench.run.spec, bench.run._clock)
    again.ask(config(bs=64), 4)
    assert again.run.remaining.left(again.run.running)[1] == 32.0


# --- verdicts and environments


def test_only_one_lane_at_a_time_checks_and_none_after_the_verdict(bench: Bench) -> None:
    for lr in (0.1, 0.2, 0.3):
        bench.ask(config(lr), 4)
    assert [bench.give_out(lease).lanes[0].check for lease in (1, 2)] == [True, False]
    bench.run.plan.set_exactness(Exactness.PROVEN)
    bench.end(1)
    assert not bench.give_out(3).lanes[0].check


def test_a_workload_that_failed_its_check_is_refused(bench: Bench) -> None:
    bench.run.require_exact()
    bench.run.plan.set_exactness(Exactness.PROVEN)
    bench.run.require_exact()
    bench.run.plan.set_exactness(Exactness.FAILED)
    with pytest.raises(ExactnessError, match="m:T failed a check before"):
        bench.run.require_exact()


@pytest.mark.parametrize(
    ("now", "message"),
    [
        ({"torch": "2.6", "threads": "2"}, "threads was '1' and is '2'"),
        ({"torch": "2.6"}, "threads was '1' and is None"),
        ({"torch": "2.6", "threads": "1", "cuda": "12"}, "cuda was None and is '12'"),
    ],
)
def test_an_environment_with_any_other_field_is_another_one(now: dict[str, str], message: str) -> None:
    recorded = {"torch": "2.6", "threads": "1"}
    compare_environments(recorded, dict(recorded))
    with pytest.raises(EnvironmentChangedError, match=message):
        compare_environments(recorded, now)


def test_the_first_environment_is_recorded_and_the_next_compared(bench: Bench) -> None:
    bench.run.check_environment({"threads": "1"})
    bench.run.check_environment({"threads": "1"})
    with pytest.raises(EnvironmentChangedError):
        bench.run.check_environment({"threads": "2"})
    assert bench.run.plan.row.environment == '{"threads": "1"}'
