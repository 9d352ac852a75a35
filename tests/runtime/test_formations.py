"""Plans whose lanes may be walked as one: which go together, who decides how they are walked, and that it stays so."""

from __future__ import annotations

import contextlib
import itertools
import json
from dataclasses import replace
from typing import Any, cast

import pytest

from hippo.events import (
    FusionChecked,
    LanesDiffer,
    LanesLimited,
    RecordingRefused,
    SlotOpened,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.hparams import Sequence as HparamSequence
from hippo.plan import Cause, PlanRow, StepRow
from hippo.records import Assignment, Failure, Fusion, Point, SlotId, Stage
from hippo.runtime.asking.instructions import Fail, Grant, Say, Submit, Warn
from hippo.runtime.plans.formations import bits_depend_on_company
from hippo.runtime.plans.plan_run import MOST_LOSSES

from .turns import SPEC, A, Asker, B, Turns, done, lost, only, rows, trained

FUSED, SOLO = Fusion(is_fused=True), Fusion(is_fused=False, detail="an LSTM does not fuse")


@pytest.fixture
def numerics() -> str:
    return "fused"


def checked(assignment: Assignment, fusion: Fusion) -> FusionChecked:
    return FusionChecked(lease=assignment.lease, fusion=fusion, seconds=1.0)


def decided(turns: Turns, fusion: Fusion, *askers: Asker, **more: Any) -> None:
    """Have it decided how lanes are walked, by a lane that is over."""
    asker = askers[0]
    asker.ask(0.9, **more)
    (first,) = turns.begun()
    turns.settle(checked(first, fusion), *trained(first), done(first))
    assert not turns.run.running


def given(came: Any) -> list[Assignment]:
    return [one.assignment for one in only(Submit, came)]


def learn(turns: Turns, asker: Asker, lanes: int, **more: Any) -> None:
    """Have it learned that so many lanes take as long as one does."""
    asker.ask(0.8, until=3, **more)
    (assignment,) = given(turns.settle())
    seen = [
        replace(each, seconds=1.0 / lanes) if isinstance(each, StepDone) else each
        for each in trained(assignment, until=3, lanes=lanes)
    ]
    turns.settle(*seen, done(assignment))


# --- who decides


def test_until_it_is_decided_how_lanes_of_a_shape_are_walked_one_lease_runs(turns: Turns, asker: Asker) -> None:
    for lr in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        asker.ask(lr)
    (first,) = turns.begun(A, B)
    assert first.fusion is None
    assert len(first.lanes) == 1  # only then it is known how many go together
    both = given(turns.settle(checked(first, FUSED), done(first)))
    assert [each.fusion for each in both] == [FUSED, FUSED]
    assert [len(each.lanes) for each in both] == [3, 3]


def test_each_shape_is_decided_by_itself(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1, batch=8)
    asker.ask(0.1, batch=16)
    first, second = turns.begun(A, B)
    assert (first.fusion, second.fusion) == (None, None)
    assert {len(each.lanes) for each in (first, second)} == {1}


def test_parts_of_an_undecided_shape_wait_for_one_another(turns: Turns, asker: Asker) -> None:
    turns.run.plan.set_fusion_facts(turns.run.plan.fusion_facts.split(["width"]))
    asker.ask(width=0.5)
    asker.ask(width=0.25)
    (first,) = turns.begun(A, B)
    (second,) = given(turns.settle(checked(first, FUSED)))
    assert second.fusion == FUSED  # a verdict holds for all parts of a shape


def test_the_first_verdict_is_the_fact_and_is_written_down(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    (first,) = turns.begun()
    came = turns.settle(checked(first, FUSED))
    (row,) = {each.plan: each for each in rows(came, PlanRow)}.values()
    assert '"is_fused": true' in row.fusion
    turns.settle(checked(first, SOLO))
    assert list(turns.run.plan.fusion_facts.verdicts.values()) == [FUSED]


def test_lanes_that_are_walked_one_by_one_go_out_so_and_users_hear_why_once(turns: Turns, asker: Asker) -> None:
    for lr in (0.1, 0.2, 0.3, 0.4):
        asker.ask(lr)
    (first,) = turns.begun()
    came = turns.settle(checked(first, SOLO), done(first))
    warned = only(Warn, came)
    assert [each.message for each in warned if "one by one" in each.message] == [
        "lanes of m:T are walked one by one, although numerics='fused' allows more: an LSTM does not fuse"
    ]
    (alone,) = given(came)
    for _ in range(4):
        assert len(alone.lanes) == 1
        (alone, *_) = [*given(turns.settle(*trained(alone), done(alone))), alone]
    asker.ask(0.5, batch=2)
    (other,) = given(turns.settle())
    assert other.fusion is None
    assert only(Warn, turns.settle(checked(other, SOLO))) == []


def test_only_a_lane_that_is_walked_alone_compares_what_it_does(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    asker.ask(0.2)
    (first,) = turns.begun()
    assert [lane.is_watched for lane in first.lanes] == [True]
    (second,) = given(turns.settle(checked(first, FUSED), done(first)))
    assert [lane.is_watched for lane in second.lanes] == [False, False]


@pytest.mark.parametrize(
    ("numerics", "fusion", "are_alone"),
    [
        ("exact", None, [True, True]),
        ("fused", None, [True, False]),
        ("fused", FUSED, [False, False]),
        ("fused", SOLO, [True, True]),
    ],
)
def test_a_lane_is_walked_alone_unless_it_may_have_company(
    numerics: str, fusion: Fusion | None, are_alone: list[bool]
) -> None:
    turns = Turns(numerics=numerics)
    with contextlib.closing(turns.used):
        assert [turns.run.formations.is_walked_alone(fusion, lane) for lane in (0, 1)] == are_alone


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ({"decay": 0}, {"decay": 1}, "decay"),
        ({"decay": 1}, {"decay": 0.5}, "decay"),
        ({"decay": -1, "nesterov": True}, {"decay": -1, "nesterov": False}, "nesterov"),
        ({"decay": 0.5}, {"decay": 0.25}, None),
        ({"batch_size": 8}, {"batch_size": 16}, None),
        ({"optimizer": "sgd"}, {"optimizer": "adam"}, None),
        ({"clip": None}, {"clip": 0.5}, None),
        ({"layers": 1, "width": 8}, {"layers": 2, "width": 16}, None),  # neither alone parts these
    ],
)
def test_users_hear_once_of_numbers_that_part_trials(
    turns: Turns, asker: Asker, one: dict[str, Any], other: dict[str, Any], name: str | None
) -> None:
    asker.ask(0.1, **one)
    asker.ask(0.1, **other)
    came = [each for lease in turns.begun(A, B) for each in only(Say, turns.settle(checked(lease, FUSED)))]
    said = [each.message for each in came if "are not walked as one with each other" in each.message]
    assert [f"that differ in {name!r}" in each for each in said] == ([] if name is None else [True])


# --- which go together


def test_names_in_which_lanes_may_not_differ_part_them(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker, width=0.5)
    asker.ask(0.1, width=0.5)
    asker.ask(0.2, width=0.25)
    (mixed,) = given(turns.settle())
    assert len(mixed.lanes) == 2
    turns.settle(LanesDiffer(lease=mixed.lease, names=("width",)))
    assert turns.run.plan.fusion_facts.splitting == ("width",)
    turns.settle(*trained(mixed), *trained(mixed, lane=1), done(mixed))
    for lr in (0.3, 0.4):
        asker.ask(lr, width=0.5)
        asker.ask(lr, width=0.25)
    (apart,) = given(turns.settle())
    assert len({lane.stages[0].pieces["width"] for lane in apart.lanes}) == 1
    assert len(apart.lanes) == 2


def test_no_more_lanes_go_together_than_the_engine_allows() -> None:
    turns = Turns(numerics="fused", max_lanes=2)
    with contextlib.closing(turns.used):
        asker = Asker(turns)
        decided(turns, FUSED, asker)
        for lr in (0.1, 0.2, 0.3):
            asker.ask(lr)
        (first,) = given(turns.settle())
        assert len(first.lanes) == 2


def test_where_one_lane_is_allowed_it_is_walked_as_was_decided() -> None:
    turns = Turns(numerics="fused", max_lanes=1)
    with contextlib.closing(turns.used):
        asker = Asker(turns)
        decided(turns, FUSED, asker)
        asker.ask(0.1)
        asker.ask(0.2)
        (first,) = given(turns.settle())
        assert (len(first.lanes), first.fusion) == (1, FUSED)


def test_no_more_lanes_go_together_than_fit_and_users_hear_of_it(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    for lr in (0.1, 0.2, 0.3, 0.4):
        asker.ask(lr)
    (first,) = given(turns.settle())
    assert len(first.lanes) == 4
    limited = LanesLimited(lease=first.lease, lanes=2, reason="CUDA out of memory")
    (said,) = only(Say, turns.settle(limited))
    assert said.message == "no more than 2 lanes of m:T are walked at once from now on: CUDA out of memory"
    assert only(Say, turns.settle(limited)) == []
    turns.settle(*[each for lane in range(4) for each in trained(first, lane=lane, lanes=4)], done(first))
    for lr in (0.5, 0.6, 0.7, 0.75):
        asker.ask(lr)
    (second,) = given(turns.settle())
    assert len(second.lanes) == 2


def test_in_an_exact_plan_lanes_go_out_one_by_one() -> None:
    turns = Turns()
    with contextlib.closing(turns.used):
        asker = Asker(turns)
        for lr in (0.1, 0.2, 0.3):
            asker.ask(lr)
        assert [(len(each.lanes), each.fusion) for each in turns.begun(A, B)] == [(1, None), (1, None)]


class BatchOfStep(HparamSequence):
    """A batch size that doubles after three steps."""

    def value(self, t: float) -> int:
        return 8 if t < 3 else 16


# --- what streams may pull


def test_streams_fill_the_lanes_of_a_free_slot_before_work_is_given_out(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    asker.is_pulling = asker.has_demand = True
    asker.ask(0.1)
    came = turns.turn()
    assert [one.room for one in only(Grant, came)] == [3]  # four lanes are tried first
    assert only(Submit, came) == []
    asker.ask(0.2)
    asker.has_demand = False
    (both,) = given(turns.settle())
    assert len(both.lanes) == 2


def test_what_streams_pull_is_not_made_up_for_where_it_cannot_start(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    asker.is_pulling = asker.has_demand = True
    asker.ask(0.1)
    assert only(Grant, turns.turn())
    assert len(given(turns.turn())) == 1  # it pulled nothing that could


def test_until_the_first_lanes_are_decided_streams_have_room_in_one_slot(turns: Turns, asker: Asker) -> None:
    asker.is_pulling = asker.has_demand = True
    asker.ask(0.1)
    opened = [SlotOpened(slot=SlotId(name), environment={}) for name in "abcd"]
    assert [one.room for one in only(Grant, turns.turn(*opened))] == [3]
    asker.has_demand = False
    (first,) = given(turns.settle())
    assert first.fusion is None
    asker.has_demand = True
    assert turns.run.formations.room(3, num_ready=0, max_lanes=None) == 0


def test_a_stream_has_no_room_beside_work_of_its_call_that_its_requests_cannot_join(turns: Turns, asker: Asker) -> None:
    """A surrogate's target is not trained ahead of time in a slot for which surrogates wait."""
    decided(turns, FUSED, asker)
    turns.store.add_plan(PlanRow(plan=0, workload="wide", declared="{}", fork=0))
    wide = turns.plans.take(turns.store, 2, replace(SPEC, workload="wide", numerics="fused"))
    wide.users += 1
    asker.runs, asker.pulled_runs, asker.has_demand = (turns.run, wide), (wide,), True
    asker.ask(0.1)
    asker.ask(0.2)
    came = turns.turn()
    assert [len(each.lanes) for each in given(came)] == [2]
    assert only(Grant, came) == []
    assert only(Grant, turns.turn(SlotOpened(slot=B, environment={}))), "a slot for which nothing waits has room"


# --- what goes wrong


def test_all_lanes_that_are_walked_as_one_are_lost_with_their_worker_and_run_again(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    requests = [asker.ask(lr, until=4) for lr in (0.1, 0.2, 0.3, 0.4)]
    (first,) = given(turns.settle())
    assert len(first.lanes) == 4
    before = [each for lane in range(4) for each in trained(first, until=2, lane=lane, lanes=4)[:2]]
    turns.settle(*before)
    (again,) = [one.assignment for one in only(Submit, turns.settle(lost(A), SlotOpened(slot=B, environment={})))]
    assert len(again.lanes) == 4
    turns.settle(*[each for lane in range(4) for each in trained(again, until=4, lane=lane, lanes=4)], done(again))
    assert not any(request.id in turns.run.waiting.requests for request in requests)
    assert asker.study.counters.steps == {Cause.FIRST: 2 + 16, Cause.LOST: 8}


def test_a_lane_that_kills_its_worker_takes_no_other_along_in_its_last_attempt(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    bad, good = asker.ask(0.1), asker.ask(0.2)
    slots = [A, *(SlotId(f"next-{number}") for number in range(MOST_LOSSES))]
    out = turns.settle()
    companies = []
    for number in range(MOST_LOSSES):
        (assignment,) = given(out)[:1]
        companies.append([lane.stages[-1].node for lane in assignment.lanes])
        out = turns.settle(lost(slots[number]), SlotOpened(slot=slots[number + 1], environment={}))
    assert [sorted(company) for company in companies[:2]] == [sorted([bad.node.id, good.node.id])] * 2
    assert len(companies[2]) == 1
    assert turns.run.plan.nodes[companies[2][0]].failures
    other = good if companies[2][0] == bad.node.id else bad
    assert not turns.run.plan.nodes[other.node.id].failures


def test_a_check_that_kills_its_workers_is_given_up_and_fails_no_trial(turns: Turns, asker: Asker) -> None:
    requests = [asker.ask(lr) for lr in (0.1, 0.2)]
    slots = [SlotId(f"slot-{number}") for number in range(MOST_LOSSES + 1)]
    out = turns.begun(slots[0])
    for number in range(MOST_LOSSES):
        (deciding,) = out if number == 0 else given(out)
        assert (deciding.fusion, len(deciding.lanes)) == (None, 1)
        assert not turns.run.plan.fusion_facts.verdicts
        out = turns.settle(lost(slots[number]), SlotOpened(slot=slots[number + 1], environment={}))
    (warned,) = [each.message for each in only(Warn, out) if "one by one" in each.message]
    assert "3 workers died while they found out whether lanes can be walked together, the last one by this" in warned
    (alone,) = given(out)
    assert alone.fusion is not None
    assert not alone.fusion.is_fused
    turns.settle(*trained(alone), done(alone))
    assert not any(turns.run.plan.nodes[request.node.id].failures for request in requests)


def test_a_worker_that_dies_when_it_has_decided_changes_nothing_of_it(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    slots = [SlotId(f"slot-{number}") for number in range(MOST_LOSSES + 1)]
    (deciding,) = turns.begun(slots[0])
    for lost_one, following in itertools.pairwise(slots[:-1]):
        (deciding,) = given(turns.settle(lost(lost_one), SlotOpened(slot=following, environment={})))
    turns.settle(checked(deciding, FUSED))
    came = turns.settle(lost(slots[-2]), SlotOpened(slot=slots[-1], environment={}))
    assert [each.message for each in only(Warn, came) if "one by one" in each.message] == []
    assert [each.fusion for each in given(came)] == [FUSED]


# --- two runs of one step


def hashed_twice(turns: Turns, assignment: Assignment) -> Any:
    where: Any = {"lease": assignment.lease, "lane": 0, "node": assignment.lanes[0].stages[0].node, "step": 2}
    turns.settle(StateHashed(**where, state_hash="one"))
    return turns.settle(StateHashed(**where, state_hash="other"))


ONE_THREAD = {"threads": "1", "device": "Some CPU"}


@pytest.mark.parametrize(
    ("numerics", "fusion", "environment", "is_alarm"),
    [
        ("fused", FUSED, ONE_THREAD, True),
        ("fused", replace(FUSED, keeps_bits=False), ONE_THREAD, False),
        ("fused", FUSED, {**ONE_THREAD, "threads": "2"}, False),
        ("fused", FUSED, {**ONE_THREAD, "device": "NVIDIA H200"}, False),
        ("fused-fast", FUSED, ONE_THREAD, False),
        ("fused", SOLO, {**ONE_THREAD, "threads": "2"}, True),
        ("fused-fast", SOLO, ONE_THREAD, True),
    ],
)
def test_two_runs_of_a_step_must_agree_where_bits_do_not_depend_on_company(
    numerics: str, fusion: Fusion, environment: dict[str, str], is_alarm: bool
) -> None:
    turns = Turns(numerics=numerics)
    with contextlib.closing(turns.used):
        asker = Asker(turns)
        decided(turns, fusion, asker)
        asker.ask()
        (first,) = given(turns.settle())
        turns.run.environment = environment
        came = hashed_twice(turns, first)
        assert bool(only(Fail, came)) is is_alarm
        told = [each.message for each in only(Warn, came) if "two runs of one step differ" in each.message]
        assert bool(told) is not is_alarm


def test_where_a_lane_failed_the_others_may_have_been_walked_alone_from_there(turns: Turns, asker: Asker) -> None:
    decided(turns, FUSED, asker)
    asker.ask(0.1)
    asker.ask(0.2)
    (first,) = given(turns.settle())
    turns.run.environment = ONE_THREAD
    failure = Failure(node=first.lanes[1].stages[0].node, step=1, method="train", error="ValueError: no")
    turns.settle(StageFailed(lease=first.lease, lane=1, failure=failure))
    assert only(Fail, hashed_twice(turns, first)) == []


def test_bits_depend_on_company_unless_it_was_promised_that_they_do_not() -> None:
    assert not bits_depend_on_company("fused", ONE_THREAD)
    assert bits_depend_on_company("fused-fast", ONE_THREAD)
    assert bits_depend_on_company("fused", {})  # an engine that does not say promises nothing


@pytest.mark.parametrize(("device", "most"), [("cpu", 64), ("NVIDIA H200", 256)])
def test_a_gpu_walks_more_lanes_where_nobody_says_how_many(turns: Turns, device: str, most: int) -> None:
    run, shape = turns.run, (("batch_size", "8"),)
    run.plan.set_fusion_facts(run.plan.fusion_facts.decided(shape, replace(FUSED, lanes_at_first=1000)))
    environment = {"threads": "1", "device": device}
    run.plan.set_environment(json.dumps(environment))
    run.check_environment(environment)
    assert run.formations.most_lanes(shape, None) == most
    assert run.formations.most_lanes(shape, 3) == 3


def test_why_nothing_is_recorded_is_said_once(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    (first,) = turns.begun()
    refused = RecordingRefused(lease=first.lease, reason="loss() sets attributes of the trainer")
    said = [each.message for _ in range(2) for each in only(Say, turns.settle(refused))]
    assert said == ["kernels of updates of m:T are launched one by one: loss() sets attributes of the trainer"]


# --- what it costs


def test_what_finding_out_took_is_counted_once_for_the_study_that_asked(turns: Turns, asker: Asker) -> None:
    other = Asker(turns, "other")
    asker.ask(0.1)
    (first,) = turns.begun()
    turns.settle(replace(checked(first, FUSED), seconds=1.5), *trained(first), done(first))
    turns.settle(replace(checked(first, FUSED), seconds=1.5))  # a late word
    other.ask(0.2, batch=8)
    (second,) = given(turns.settle())
    turns.settle(replace(checked(second, SOLO), seconds=0.5), replace(checked(second, SOLO), seconds=0.5))
    for each, seconds in ((asker, 1.5), (other, 0.5)):
        assert each.study.counters.fusion_check_seconds == seconds
        assert turns.run.plan.fusion_facts.check_seconds[each.study.row.study] == seconds
    assert other.study.counters.device_seconds == 0.5


@pytest.mark.parametrize("is_at_once", [True, False])
def test_a_lane_pays_its_share_and_says_in_how_many_lanes_its_steps_were_walked(
    turns: Turns, asker: Asker, *, is_at_once: bool
) -> None:
    decided(turns, FUSED, asker)
    asker.ask(0.1)
    asker.ask(0.2)
    (both,) = given(turns.settle())
    said = [*trained(both, lanes=2), *trained(both, lane=1, lanes=2), done(both)]
    came = turns.settle(*said) if is_at_once else [out for each in said for out in turns.settle(each)]
    assert {row.cause for row in rows(came, StepRow)} == {"first x2"}
    counted = asker.study.statistics()
    assert (counted.lane_steps_fused, counted.fused_seconds) == (4, 4.0)
    assert counted.mean_lanes == pytest.approx(6 / 4)  # two steps of one lane, and two of two


def test_a_stage_is_cut_where_a_value_that_is_no_number_changes_within_it(turns: Turns, asker: Asker) -> None:
    request = asker.ask(0.1, until=6, batch=cast(Any, BatchOfStep()))
    (stage,) = turns.run.remaining.tree.all_ready()
    assert isinstance(stage, Stage)
    shape, until = turns.run.formations.shape_of(stage)
    assert until == 3
    assert turns.run.formations.shape_of(replace(stage, start=3))[0] != shape
    (first,) = turns.begun()
    assert [(each.stop, each.boundary.keep.name) for each in first.lanes[0].stages] == [(3, "WRITTEN")]
    assert turns.run.running[first.lease].payer_of(0) is asker.study
    assert Point(request.node.id, 6) in turns.run.remaining.tree.stages
