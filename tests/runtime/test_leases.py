"""A lease under way: how far it is, what it was promised, where it may end earlier."""

from __future__ import annotations

import pytest

from hippo.records import (
    Assignment,
    Boundary,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    LeaseId,
    NodeId,
    SlotId,
    Stage,
    Underway,
)
from hippo.runtime.leases import RunningLease

from .runs import Bench

A, B, C = NodeId(1), NodeId(2), NodeId(3)


def lease(*stages: tuple[NodeId, int, int], begin: int | None = None) -> RunningLease:
    walked = tuple(
        LaneStage(node=node, start=start, stop=stop, pieces={}, boundary=Boundary()) for node, start, stop in stages
    )
    start = None if begin is None else LaneStart(node=stages[0][0], step=begin, checkpoint=None, pieces={})
    lane = Lane(begin=start, stages=walked)
    assignment = Assignment(lease=LeaseId(1), prefix="p", slot=SlotId("a"), workload="w", lanes=(lane,))
    return RunningLease(assignment, Bench().study)


def three() -> RunningLease:
    return lease((A, 0, 4), (B, 4, 6), (C, 6, 9))


def test_what_was_told_at_the_ends_of_stages_is_promised() -> None:
    assert set(three().promised) == {(A, 4), (B, 6), (C, 9)}


def test_a_lane_resumes_where_its_state_is_or_at_nought() -> None:
    assert lease((A, 3, 6), begin=3).resumed_at(0) == 3
    assert three().resumed_at(0) == 0


@pytest.mark.parametrize(
    ("seen", "at_risk"),
    [
        ([], [(A, 4)]),
        ([(A, 3)], [(A, 4)]),
        ([(A, 4)], [(B, 6)]),
        ([(A, 4), (B, 5)], [(B, 6)]),
        ([(B, 5)], [(B, 6)]),  # the end of the first was never told
        ([(B, 6)], [(C, 9)]),
        ([(A, 4), (B, 6), (C, 9)], []),
    ],
)
def test_what_is_at_risk_is_the_stage_that_the_lane_is_in(
    seen: list[tuple[NodeId, int]], at_risk: list[tuple[NodeId, int]]
) -> None:
    running = three()
    for point in seen:
        running.note_step(0, point)
    assert running.points_at_risk() == at_risk


@pytest.mark.parametrize(
    ("point", "done"), [(None, 0), ((A, 4), 0), ((B, 4), 0), ((B, 5), 1), ((B, 6), 2), ((C, 7), 0)]
)
def test_the_steps_of_a_stage_that_are_behind_a_lane(point: tuple[NodeId, int] | None, done: int) -> None:
    running = three()
    running.point = point
    assert running.steps_done(Stage(node=B, start=4, stop=6, base=Underway(LeaseId(1)))) == done


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
def test_a_promise_is_kept_by_one_that_does_as_much(told: Boundary, wanted: Boundary, is_kept: bool) -> None:
    running = three()
    running.promised[(A, 2)] = told
    assert running.keeps_promise((A, 2), wanted) is is_kept
    assert not running.keeps_promise((A, 3), wanted)


# --- ending earlier


def points(*found: tuple[NodeId, int]) -> frozenset[tuple[NodeId, int]]:
    return frozenset(found)


@pytest.mark.parametrize(
    ("needed", "cut"),
    [
        (points((C, 9)), None),
        (points((A, 2), (C, 9)), None),
        (points((C, 8)), (0, (C, 8))),
        (points((A, 2), (B, 5)), (0, (B, 5))),
        (points((A, 4), (B, 6)), (0, (B, 6))),
        (points((A, 2), (A, 3)), (0, (A, 3))),
        (points(), (0, (A, 1))),  # it ends at its next step's end, and leaves its state there
        (points((NodeId(9), 3)), (0, (A, 1))),
    ],
)
def test_a_lane_may_end_at_the_last_point_that_somebody_needs(needed: frozenset, cut: object) -> None:  # type: ignore[type-arg]
    assert three().cut(needed) == cut


def test_a_lane_is_told_once_where_to_end_and_again_where_that_changes() -> None:
    running = three()
    assert running.cut(points((B, 5))) == (0, (B, 5))
    assert running.cut(points((B, 5))) is None
    assert running.cut(points((A, 3))) == (0, (A, 3))


@pytest.mark.parametrize(
    ("point", "is_beyond"), [((A, 4), False), ((B, 5), False), ((B, 6), True), ((C, 7), True), ((NodeId(9), 9), False)]
)
def test_what_lies_beyond_the_cut_of_a_lane_will_not_be_reached(point: tuple[NodeId, int], is_beyond: bool) -> None:
    running = three()
    assert not running.is_cut_before(point)
    running.cut(points((B, 5)))
    assert running.is_cut_before(point) is is_beyond


def test_a_lane_that_only_evaluates_may_end_where_it_stands() -> None:
    assert lease((A, 4, 4), begin=4).cut(points()) is None
