"""One table of lanes, and everyone who walks them, or follows them from afar, answers it alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hippo.events import BoundaryAnswered, CheckpointWritten, StepDone
from hippo.lanes import AssignmentProgress, Due, LaneProgress
from hippo.records import Boundary, Keep, LeaseId, NodeId, Point, Stop

from .drivers import (
    Bare,
    Came,
    assignment_of,
    lanes_of,
    run_fake,
    run_formation,
    run_simulated,
    run_worker,
    sent,
    written_in,
)
from .table import TABLE, Case, add, one, stage

ROWS = pytest.mark.parametrize("case", TABLE, ids=lambda case: case.claim)
DRIVERS = pytest.mark.parametrize(
    "run",
    [
        pytest.param(lambda case: Bare(case).run(), id="rule"),
        pytest.param(run_worker, id="worker"),
        pytest.param(run_simulated, id="simulated"),
        pytest.param(run_fake, id="fake"),
        pytest.param(lambda case: (run_formation if len(case.lanes) == 1 else run_simulated)(case), id="formation"),
    ],
)
Run = Callable[[Case], list[Any]]


def expected(case: Case) -> Came:
    return Came(case.done, case.ends, tuple(sorted(case.answers)))


@ROWS
@DRIVERS
def test_every_driver_does_what_the_table_says(case: Case, run: Run) -> None:
    events = run(case)
    assert Came.of(events, case) == expected(case)


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (Keep.NOTHING, [Due.EVALUATE, Due.END]),
        (Keep.TRANSIENT, [Due.EVALUATE, Due.HOLD, Due.END]),
        (Keep.RESIDENT, [Due.EVALUATE, Due.HOLD, Due.HASH, Due.END]),
        (Keep.WRITTEN, [Due.EVALUATE, Due.HOLD, Due.WRITE, Due.END]),
    ],
)
def test_what_is_due_at_a_boundary_comes_in_order_and_nothing_else_does(keep: Keep, expected: list[Due]) -> None:
    (lane,) = one(stage(1, 0, 2, Boundary(keep=keep)))
    progress = LaneProgress(lane, evaluate_every=9, checkpoint_every_s=1e9)
    progress.begin(0.0)
    progress.arrive(2)
    asked: list[Due] = []
    while Due.END not in asked:
        asked.append(due := progress.due(0.0))
        if due is Due.EVALUATE:
            progress.metrics = {"loss": 1.0}
        elif due is not Due.END:
            progress.did(due)
    assert asked == expected


def is_silent(case: Case) -> bool:
    """Whether nothing is told, so that nothing is known from afar."""
    return not case.done and all(end == lane.stages[0].start for lane, end in zip(case.lanes, case.ends, strict=True))


@DRIVERS
def test_no_two_checkpoints_have_one_key(run: Run) -> None:
    for case in [case for case in TABLE if len(case.lanes) > 1]:
        keys = [event.checkpoint.key for event in run(case) if isinstance(event, CheckpointWritten)]
        assert len(set(keys)) == len(keys), case.claim


def test_commands_to_other_leases_are_not_ours() -> None:
    case = Case(claim="", lanes=one(stage(1, 0, 5)), ends=(5,))
    progress = AssignmentProgress(assignment_of(case, case.lanes), evaluate_every=1)
    assert progress.take([replace(add(2), lease=LeaseId(7)), Stop(lease=LeaseId(7))]) == []
    assert promises(progress.lanes[0])[NodeId(1), 2] is None
    assert not progress.lanes[0].is_stopping


# --- from afar


@ROWS
@DRIVERS
def test_whoever_follows_the_events_comes_to_the_same_progress(case: Case, run: Run) -> None:
    events = run(case)
    if is_silent(case):
        return
    walked = Bare(case)
    walked.run()
    assert list(map(standing, followed(case, events).lanes)) == list(map(standing, walked.progress.lanes))


def followed(case: Case, events: list[Any]) -> AssignmentProgress:
    """The progress of one who sends the commands, and hears of the rest."""
    progress = AssignmentProgress(assignment_of(case, lanes_of(case, written_in(events))), evaluate_every=1)
    # a simulation answers at once, and tells of a step when it is over
    for event in sorted(events, key=lambda event: isinstance(event, BoundaryAnswered)):
        if isinstance(event, StepDone):  # commands are sent before the end of the step that is under way is known
            progress.take(command for command in sent(case, event.lane, event.step) if not isinstance(command, Stop))
        progress.fold(event)
    return progress


def standing(progress: LaneProgress) -> tuple[object, ...]:
    route = progress.route
    return (progress.point, progress.metrics, progress.owes_state, progress.is_through, route.end, promises(progress))


def promises(progress: LaneProgress) -> dict[Point, Boundary | None]:
    return {
        (stage.node, step): progress.route.boundary((number, step))
        for number, stage in enumerate(progress.lane.stages)
        for step in range(stage.start, stage.stop + 1)
    }
