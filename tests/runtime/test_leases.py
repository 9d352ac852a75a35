"""A lease under way: how far its lanes are, what they were promised, where they may end earlier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hippo.events import (
    BoundaryAnswered,
    CheckpointWritten,
    Evaluated,
    FusionChecked,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.records import (
    AddBoundary,
    Assignment,
    Boundary,
    CheckpointRef,
    Failure,
    Fusion,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    LeaseId,
    NodeId,
    Point,
    Shorten,
    SlotId,
    Span,
    Stage,
    Underway,
)
from hippo.runtime.plans.leases import LaneAccount, RunningLease, stop

from .runs import Bench

A, B, C, D = NodeId(1), NodeId(2), NodeId(3), NodeId(4)
LEASE = LeaseId(1)
REF = CheckpointRef(key="k", size_bytes=1, sha256="", state_hash="s")
WRITTEN = Boundary()
NOTHING = Boundary(evaluate=False, keep=Keep.NOTHING)


def lane(*stages: tuple[NodeId, int, int], begin: int | None = None, boundary: Boundary = WRITTEN) -> Lane:
    walked = tuple(
        LaneStage(node=node, start=start, stop=stop, pieces={}, boundary=boundary) for node, start, stop in stages
    )
    start = None if begin is None else LaneStart(node=stages[0][0], step=begin, checkpoint=REF, pieces={})
    return Lane(begin=start, stages=walked)


def lease(*lanes: Lane) -> RunningLease:
    assignment = Assignment(lease=LEASE, prefix="p", slot=SlotId("a"), workload="w", lanes=lanes)
    study = Bench().study
    return RunningLease(assignment, tuple(LaneAccount(study) for _ in lanes), evaluate_every=10**9)


def fused(*lanes: Lane, is_fused: bool = True) -> RunningLease:
    known = lease(*lanes)
    return RunningLease(replace(known.assignment, fusion=Fusion(is_fused=is_fused)), known.accounts)


def three() -> RunningLease:
    return lease(lane((A, 0, 4), (B, 4, 6), (C, 6, 9)))


def two() -> RunningLease:
    return lease(lane((A, 0, 4)), lane((B, 0, 6), (D, 6, 8)))


def at(point: Point, number: int = 0) -> dict[str, Any]:
    return {"lease": LEASE, "lane": number, "node": point[0], "step": point[1]}


def step(running: RunningLease, point: Point, number: int = 0) -> None:
    running.fold(StepDone(**at(point, number), training={}, seconds=1.0))


def evaluate(running: RunningLease, point: Point, loss: float = 1.0) -> None:
    running.fold(Evaluated(**at(point), metrics={"loss": loss}, seconds=1.0))


def fail(running: RunningLease, number: int) -> None:
    failure = Failure(node=A, step=1, method="train", error="")
    running.fold(StageFailed(lease=LEASE, lane=number, failure=failure))


def promise(running: RunningLease, point: Point, boundary: Boundary) -> AddBoundary | None:
    """Ask the lane that comes there, if that is news to it, and return what it is told."""
    to = running.lane_to(point)
    assert to is not None
    return None if running.keeps_promise(to, point, boundary) else running.add_boundary(to, point, boundary)


def at_risk(running: RunningLease) -> list[Point]:
    return [Point(span.node, span.stop) for span in running.spans_at_risk()]


# --- how far it is


def test_a_lane_resumes_where_its_state_is_or_at_nought() -> None:
    assert lease(lane((A, 3, 6), begin=3)).resumed_at(0) == 3
    assert three().resumed_at(0) == 0


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([], [(A, 4)]),
        ([(A, 3)], [(A, 4)]),
        ([(A, 4)], [(B, 6)]),
        ([(A, 4), (B, 5)], [(B, 6)]),
        ([(B, 5)], [(B, 6)]),  # the end of the first was never told
        ([(B, 6), (B, 5), (A, 3)], [(C, 9)]),  # told twice
        ([(B, 5), (NodeId(9), 6)], [(B, 6)]),
        ([(B, 6)], [(C, 9)]),
        ([(A, 4), (B, 6), (C, 9)], []),
    ],
)
def test_what_is_at_risk_is_the_stage_that_the_lane_is_in(seen: list[Point], expected: list[Point]) -> None:
    running = three()
    for point in seen:
        step(running, point)
    assert at_risk(running) == expected


def test_a_lane_that_waits_for_its_turn_or_has_failed_is_not_at_risk() -> None:
    running = two()
    assert at_risk(running) == [(A, 4)]
    step(running, (A, 1))
    assert at_risk(running) == [(A, 4), (B, 6)]
    fail(running, 0)
    assert at_risk(running) == [(B, 6)]
    step(running, (B, 6), 1)
    assert at_risk(running) == [(D, 8)]


@pytest.mark.parametrize("is_heard_of", [True, False])
def test_a_lane_that_was_told_to_end_is_at_risk_until_it_has(is_heard_of: bool) -> None:
    running = lease(lane((A, 0, 4)))
    if is_heard_of:
        step(running, Point(A, 1))
    stop(running)
    assert at_risk(running) == [(A, 4)]
    assert running.num_going == 1
    assert not running.owes(running.payers[0])


def test_all_lanes_that_are_walked_as_one_are_at_risk() -> None:
    running = fused(lane((A, 0, 4)), lane((B, 0, 6), (D, 6, 8)))
    assert at_risk(running) == [(A, 4), (B, 6)]
    step(running, (A, 4))
    assert at_risk(running) == [(B, 6)]


def test_nothing_is_at_risk_where_it_was_only_decided_how_lanes_are_walked() -> None:
    running = two()
    running.fold(FusionChecked(lease=LEASE, fusion=Fusion(is_fused=True), seconds=1.0))
    assert at_risk(running) == []


def test_lanes_of_which_is_decided_that_they_are_walked_one_by_one_wait_for_their_turn() -> None:
    running = fused(lane((A, 0, 4)), lane((B, 0, 6)), is_fused=False)
    assert at_risk(running) == [(A, 4)]


@pytest.mark.parametrize(("point", "done"), [(None, 0), ((A, 4), 0), ((B, 5), 1), ((B, 6), 2), ((C, 7), 0)])
def test_the_steps_of_a_stage_that_are_behind_a_lane(point: Point | None, done: int) -> None:
    running = three()
    if point is not None:
        step(running, point)
    assert running.steps_done(Stage(node=B, start=4, stop=6, base=Underway(LEASE))) == done


def test_each_lane_has_steps_of_its_own_behind_it() -> None:
    running = two()
    step(running, (A, 3))
    step(running, (B, 2), 1)
    assert running.steps_done(Stage(node=A, start=1, stop=4, base=Underway(LEASE))) == 2
    assert running.steps_done(Stage(node=B, start=0, stop=6, base=Underway(LEASE))) == 2


def test_a_lease_is_at_the_step_of_the_first_lane_that_has_not_ended() -> None:
    running = two()
    assert running.at() == Span(node=A, start=0, stop=1)
    step(running, (A, 4))
    assert running.at() == Span(node=B, start=0, stop=1)
    step(running, (B, 6), 1)
    assert running.at() == Span(node=D, start=6, stop=7)
    step(running, (D, 8), 1)
    assert running.at() == Span(node=D, start=8, stop=9), "all have: the last one is told of"


def test_lanes_that_go_on_are_counted_for_the_study_that_pays_for_each() -> None:
    known, other = two(), Bench().study
    running = RunningLease(known.assignment, (known.accounts[0], LaneAccount(other)), evaluate_every=10**9)
    own = running.payer_of(0)
    assert (running.num_going_of(own), running.num_going_of(other)) == (1, 1)
    step(running, (A, 4))
    assert (running.num_going_of(own), running.num_going_of(other)) == (0, 1)


# --- who waits for it


def test_a_state_is_owed_from_its_metrics_to_its_file_or_its_hash() -> None:
    for told in (
        CheckpointWritten(**at((A, 4)), checkpoint=REF, seconds=1.0),
        StateHashed(**at((A, 4)), state_hash="s"),
    ):
        running = three()
        step(running, (A, 4))
        assert not running.owes(running.payer_of(0))
        evaluate(running, (A, 4))
        assert running.owes(running.payer_of(0))
        assert not running.owes(Bench().study)
        running.fold(told)
        assert not running.owes(running.payer_of(0))


def test_one_lane_that_owes_a_state_is_enough() -> None:
    for number, point in enumerate([(A, 4), (B, 6)]):
        running = two()
        step(running, point, number)
        running.fold(Evaluated(**at(point, number), metrics={"loss": 1.0}, seconds=1.0))
        assert running.owes(running.payer_of(0))


def test_a_lane_that_goes_on_owes_nothing_of_where_it_was() -> None:
    running = three()
    evaluate(running, (A, 4))
    step(running, (B, 5))
    assert not running.owes(running.payer_of(0))


def test_no_state_is_owed_where_none_is_kept() -> None:
    running = lease(lane((A, 0, 4), (B, 4, 6), boundary=NOTHING))
    evaluate(running, (A, 4))
    assert not running.owes(running.payer_of(0))


def test_a_lease_whose_lanes_are_all_through_or_failed_is_waited_for() -> None:
    running = two()
    step(running, (A, 4))
    running.fold(StateHashed(**at((A, 4)), state_hash="s"))
    assert not running.owes(running.payer_of(0))
    fail(running, 1)
    assert running.owes(running.payer_of(0))


# --- promises


@pytest.mark.parametrize(
    ("told", "wanted", "is_kept"),
    [
        (Boundary(evaluate=True, keep=Keep.WRITTEN), Boundary(evaluate=True, keep=Keep.WRITTEN), True),
        (Boundary(evaluate=True, keep=Keep.WRITTEN), Boundary(evaluate=False, keep=Keep.NOTHING), True),
        (Boundary(evaluate=False, keep=Keep.WRITTEN), Boundary(evaluate=True, keep=Keep.WRITTEN), False),
        (Boundary(evaluate=True, keep=Keep.RESIDENT), Boundary(evaluate=True, keep=Keep.WRITTEN), False),
        (Boundary(evaluate=True, keep=Keep.IF_BEST), Boundary(evaluate=False, keep=Keep.RESIDENT), True),
    ],
)
def test_what_was_told_is_told_again_only_if_more_is_wanted(told: Boundary, wanted: Boundary, is_kept: bool) -> None:
    running = three()
    assert promise(running, (A, 2), told) is not None
    assert (promise(running, (A, 2), wanted) is None) is is_kept
    assert promise(running, (A, 3), wanted) is not None


def test_the_ends_of_stages_are_promised_with_what_was_given_out() -> None:
    running = three()
    assert promise(running, (B, 6), Boundary()) is None
    assert [point in running.lanes[0].route for point in ((A, 4), (B, 6), (C, 9), (B, 5))] == [True, True, True, False]


def test_a_command_goes_to_the_lane_that_comes_to_its_point() -> None:
    told = promise(two(), (D, 7), Boundary())
    assert told == AddBoundary(lease=LEASE, lane=1, node=D, step=7, boundary=Boundary())


def test_a_lane_comes_by_where_it_begins_and_all_that_is_on_its_way() -> None:
    running = lease(lane((A, 4, 6), (B, 6, 8), begin=4), lane((C, 0, 2)))
    assert all(map(running.comes_by, [Point(A, 4), Point(A, 6), Point(B, 7), Point(C, 1)]))
    assert not any(map(running.comes_by, [Point(A, 3), Point(B, 4), Point(B, 9), Point(C, 3), Point(D, 4)]))


def test_a_state_is_in_memory_only_where_that_is_all_that_a_lane_was_told() -> None:
    running = lease(lane((A, 0, 4), boundary=Boundary(keep=Keep.TRANSIENT)), lane((B, 0, 6)))
    assert running.holds_only(Point(A, 4))
    assert not any(map(running.holds_only, [Point(A, 2), Point(B, 6), Point(D, 1)]))


def test_of_two_lanes_that_come_by_a_point_the_one_is_asked_that_does_not_end_before() -> None:
    running = lease(lane((A, 0, 4)), lane((A, 0, 9)))
    assert asked(running, (A, 3)) == 0
    running.lanes[0].take(Shorten(lease=LEASE, lane=0, node=A, step=2))
    assert (asked(running, (A, 2)), asked(running, (A, 3))) == (0, 1)
    fail(running, 0)
    assert asked(running, (A, 2)) == 1


def test_a_lane_that_has_failed_is_asked_where_no_other_comes_so_that_it_declines() -> None:
    running = two()
    fail(running, 0)
    assert asked(running, (A, 3)) == 0


def test_where_no_lane_comes_the_worker_is_asked_so_that_it_declines() -> None:
    assert asked(two(), (NodeId(9), 3)) == 0


def asked(running: RunningLease, point: Point) -> int | None:
    to = running.lane_to(point)
    return None if to is None else to.number


def test_a_promise_that_was_declined_is_forgotten() -> None:
    running = three()
    promise(running, (A, 2), Boundary())
    running.fold(BoundaryAnswered(**at((A, 2)), accepted=False))
    assert (A, 2) not in running.lanes[0].route


# --- ending earlier


def ended(running: RunningLease, *needed: Point) -> list[tuple[int, Point]]:
    """Where its lanes are told to end if only these points are needed: (lane, point)."""
    told = running.shorten(frozenset(needed))
    assert all(isinstance(command, Shorten) and command.lease == LEASE for command in told)
    return [(command.lane, (command.node, command.step)) for command in told]


@pytest.mark.parametrize(
    ("needed", "cut"),
    [
        ([(C, 9)], []),
        ([(A, 2), (C, 9)], []),
        ([(C, 8)], [(0, (C, 8))]),
        ([(A, 2), (B, 5)], [(0, (B, 5))]),
        ([(A, 4), (B, 6)], [(0, (B, 6))]),
        ([(A, 2), (A, 3)], [(0, (A, 3))]),
        ([], [(0, (A, 1))]),  # it ends at its next step's end, and leaves its state there
        ([(NodeId(9), 3)], [(0, (A, 1))]),
    ],
)
def test_a_lane_may_end_at_the_last_point_that_somebody_needs(needed: list[Point], cut: object) -> None:
    assert ended(three(), *needed) == cut


def test_each_lane_ends_at_its_own_last_point() -> None:
    assert ended(two(), (A, 4), (B, 3)) == [(1, (B, 3))]
    assert ended(two(), (B, 3)) == [(0, (A, 1)), (1, (B, 3))]


def test_a_lane_that_has_ended_is_told_nothing() -> None:
    running = two()
    fail(running, 0)
    step(running, (D, 8), 1)
    assert ended(running) == []


def test_a_lane_is_told_once_where_to_end_and_again_only_where_that_is_earlier() -> None:
    running = three()
    assert ended(running, (B, 5)) == [(0, (B, 5))]
    assert ended(running, (B, 5)) == []
    assert ended(running, (A, 3)) == [(0, (A, 3))]
    assert ended(running, (C, 9)) == []  # what a worker was told stands


@pytest.mark.parametrize(
    ("point", "is_beyond"), [((A, 4), False), ((B, 5), False), ((B, 6), True), ((C, 7), True), ((NodeId(9), 9), False)]
)
def test_what_lies_beyond_the_end_of_a_shortened_lane_is_asked_of_nobody(point: Point, is_beyond: bool) -> None:
    running = three()
    assert running.lane_to(point) is running.lanes[0]
    ended(running, (B, 5))
    assert (running.lane_to(point) is None) is is_beyond


def test_a_lane_that_only_evaluates_may_end_where_it_stands() -> None:
    assert ended(lease(lane((A, 4, 4), begin=4))) == []
