"""Whatever lanes are given out and whatever commands come, all who walk them do the same, and keep what they said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.events import BoundaryAnswered, CheckpointWritten, StateHashed
from hippo.records import AddBoundary, Boundary, Keep, Lane
from hippo.testing.lanes import lane

from .drivers import Bare, BareFormation, Came, run_fake, run_formation, run_simulated, run_worker
from .table import NEVER, STOP, Case, add, best, shorten, stage

BOUNDARIES = st.one_of(
    st.builds(Boundary, evaluate=st.booleans(), keep=st.sampled_from([Keep.NOTHING, Keep.RESIDENT, Keep.WRITTEN])),
    st.builds(best, st.sampled_from([None, 0.5, 1.5]), evaluate=st.booleans()),
)


@st.composite
def any_lanes(draw: st.DrawFn) -> tuple[Lane, ...]:
    """Lanes that may share their first node, and have several stages on one."""
    lanes = []
    for number in range(draw(st.integers(1, 3))):
        stops = sorted(draw(st.sets(st.integers(1, 7), min_size=1, max_size=3)))
        nodes = [1, *sorted(draw(st.integers(1, 3)) + 10 * number for _ in stops[1:])]
        starts = [0, *stops[:-1]]
        stages = [stage(*where, draw(BOUNDARIES)) for where in zip(nodes, starts, stops, strict=True)]
        lanes.append(lane(*stages))
    return tuple(lanes)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    lanes = draw(any_lanes())
    numbers = st.integers(0, len(lanes))
    nodes = st.sampled_from(sorted({stage.node for walked in lanes for stage in walked.stages}))
    command = st.one_of(
        st.builds(add, st.integers(1, 8), BOUNDARIES, node=nodes, lane=numbers),
        st.builds(shorten, st.integers(1, 8), node=nodes, lane=numbers),
        st.just(STOP),
    )
    when = st.tuples(st.integers(0, len(lanes) - 1), st.integers(1, 7))
    losses = draw(st.dictionaries(st.tuples(nodes, st.integers(1, 7)), st.sampled_from([0.1, 1.0, None, ValueError()])))
    return Case(
        claim="any",
        lanes=lanes,
        ends=(),
        losses=losses,
        commands=draw(st.dictionaries(when, st.lists(command, max_size=3).map(tuple), max_size=4)),
        evaluate_every=draw(st.sampled_from([1, 2, 3, NEVER])),
        checkpoint_every_s=draw(st.sampled_from([0.0, 10.0, 25.0, 1e9])),
    )


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=150, deadline=None)
def test_all_who_walk_lanes_do_the_same(case: Case) -> None:
    ruled = Came.of(Bare(case).run(), case)
    case = replace(case, ends=ruled.ends)
    assert Came.of(run_fake(case), case) == ruled
    assert Came.of(run_simulated(case), case) == ruled


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=150, deadline=None)
def test_lanes_that_are_walked_as_one_do_what_each_should(case: Case) -> None:
    ruled = Came.of(BareFormation(case).run(), case)
    case = replace(case, ends=ruled.ends)
    assert Came.of(run_formation(case), case) == ruled


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=40, deadline=None)
def test_a_worker_does_the_same(case: Case) -> None:
    case = replace(case, commands=heard_in_time(case))
    assert settled(Came.of(run_worker(case), case)) == settled(Came.of(Bare(case).run(), case))


def heard_in_time(case: Case) -> dict[tuple[int, int], Any]:
    """Leave out what comes in a step whose evaluation fails: a worker hears it in its next lane, if there is one."""
    return {
        (number, step): commands
        for (number, step), commands in case.commands.items()
        if not any(
            has_failed(case, (part.node, step)) for part in case.lanes[number].stages if part.start < step <= part.stop
        )
    }


def settled(came: Came) -> Came:
    """Leave out answers to what came while an evaluation failed.

    A worker hears it after that, and by the rule alone it comes before: either is right, since neither is waited for.
    """
    fails = {lane: int(step) for lane, what, step in map(str.split, came.done) if what == "fails"}
    return replace(came, answers=tuple(each for each in came.answers if each[1] < fails.get(str(each[0]), NEVER)))


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=150, deadline=None)
def test_a_boundary_that_is_said_to_be_done_is_done_unless_its_lane_ends_before(case: Case) -> None:
    events = Bare(case).run()
    kept = {(e.lane, e.node, e.step) for e in events if isinstance(e, CheckpointWritten | StateHashed)}
    ends = Came.of(events, case).ends
    wanted = [c for commands in case.commands.values() for c in commands if wants_a_state(c)]
    for answer in events:
        where = (answer.lane, answer.node, answer.step) if isinstance(answer, BoundaryAnswered) else None
        if where is None or not answer.accepted or answer.step > ends[answer.lane] or has_failed(case, where[1:]):
            continue
        if any((c.lane, c.node, c.step) == where for c in wanted):
            assert where in kept


def wants_a_state(command: Any) -> bool:
    return isinstance(command, AddBoundary) and command.boundary.keep is not Keep.NOTHING


def has_failed(case: Case, point: tuple[int, int]) -> bool:
    return isinstance(case.losses.get(point), Exception)
