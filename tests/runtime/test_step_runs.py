"""What is told in runs of steps comes to what it comes to when it is told step by step, however it is cut."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippo.events import AssignmentDone, Check, Evaluated, ExactnessChecked, StepDone, StepsDone
from hippo.plan import PlanRow, StepRow
from hippo.records import LeaseId, NodeId
from hippo.runtime.asking.instructions import Announce, Input, Instruction, Say, Send, Submit, Tell, Warn, Write
from hippo.runtime.studies.observers import Observer, StudyEvent
from hippo.runtime.timing.costs import StepCosts
from hippo.runtime.turns import intake
from hippo.runtime.turns.step_runs import join_steps

from .turns import A, Asker, B, Turns, rows

LAST = 12


def steps(
    first: int,
    last: int,
    *,
    lease: int = 1,
    node: int = 1,
    seconds: Sequence[float] = (),
    lanes: int = 1,
    **said: float,
) -> list[StepDone]:
    return [
        StepDone(
            lease=LeaseId(lease),
            lane=0,
            node=NodeId(node),
            step=step,
            training={name: value + step for name, value in said.items()},
            seconds=seconds[(step - first) % len(seconds)] if seconds else 1.0,
            lanes=lanes,
        )
        for step in range(first, last + 1)
    ]


def run_of(told: Sequence[StepDone]) -> StepsDone:
    (run,) = join_steps(told)
    assert isinstance(run, StepsDone)
    return run


# --- joining


def test_steps_that_follow_one_another_are_one_run() -> None:
    told = steps(1, 3, loss=0.5)
    run = run_of(told)
    assert (run.first, run.last) == (1, 3)
    assert list(run.one_by_one()) == told


@pytest.mark.parametrize(
    "other",
    [
        steps(5, 5),  # not the next one
        steps(3, 3),  # told again
        steps(4, 4, lease=2),
        steps(4, 4, node=2),
        steps(4, 4, lanes=2),
        [replace(steps(4, 4)[0], lane=1)],
    ],
)
def test_a_run_is_of_one_lane_and_node_and_without_gaps(other: list[StepDone]) -> None:
    assert join_steps([*steps(2, 3), *other]) == [run_of(steps(2, 3)), *other]


def test_nothing_is_moved_past_what_was_said_between() -> None:
    evaluated = Evaluated(lease=LeaseId(1), lane=0, node=NodeId(1), step=2, metrics={}, seconds=1.0)
    assert join_steps([*steps(1, 2), evaluated, *steps(3, 3)]) == [run_of(steps(1, 2)), evaluated, *steps(3, 3)]


# --- however it is cut


class World:
    """Two trials that share six steps, in two slots, a third that waits for a step alone, and one who observes."""

    def __init__(self, *, step_requested: int | None, speculative: bool, others: bool) -> None:
        self.turns = Turns(is_virtual=True)
        self.asker = Asker(self.turns)
        self.asker.study.announcer._identity = "one and the same in all worlds"
        self.heard = contextlib.ExitStack()
        if others:
            self.heard.enter_context(self.asker.study.announcer.heard_by([Listening()]))
        self.asker.ask(until=LAST)
        self.asker.ask(lr=0.2, until=LAST, switched=6)
        self.asker.ask(lr=0.3, until=LAST)
        if step_requested is not None:
            request = self.asker.ask(until=step_requested)
            self.turns.run.waiting.remove(request)
            self.turns.run.waiting.add(replace(request, evaluate=False))
        self.turns.begun(A, B)
        for lease in self.turns.run.running.values():
            lease.accounts[0].is_speculative = speculative

    def tell(self, batches: Sequence[Sequence[Input]]) -> Any:
        """Take a turn for each batch; return all that can be seen of what came of it."""
        came = [[seen(one) for one in self.turns.settle(*batch)] for batch in batches]
        run = self.turns.run
        nodes = {
            number: (
                dict(node.training),
                dict(node.seconds),
                node.seconds.evaluating,
                list(node.runs),
                node.runs.furthest,
                dict(node.lanes),
                node.metrics,
                dict(node.step_requests),
                [run.plan._index.attempts(node, step) for step in range(LAST + 1)],
                node.seconds_until(LAST),
            )
            for number, node in sorted(run.plan.nodes.items())
        }
        going = {
            number: [(lane.point, lane.step, lane.is_over) for lane in lease.lanes]
            for number, lease in sorted(run.running.items())
        }
        costs, speeds, checks = run.remaining.costs, self.turns.coordinator.work.slots.speeds, run.checks
        learned = [costs._sums, costs._all, costs._is_off, costs._learned, costs._used, costs._shared_s, costs._apart_s]
        counted = self.asker.study.counters
        self.heard.close()
        return came, nodes, going, learned, counted, repr(vars(speeds)), vars(checks), dict(run.remaining.tree.stages)


class Listening(Observer):
    """Wants to hear everything."""

    hears_failures_only = False

    def observe(self, event: StudyEvent) -> None:
        raise AssertionError("a turn only says what is to be told")


def seen(one: Instruction) -> Any:
    match one:
        case Write(parts=parts):
            changes = [(type(change).__name__, change.row) for _, part in parts for change in part]
            return [
                (how, replace(row, writer="", created_at=0.0) if isinstance(row, PlanRow) else row)
                for how, row in changes
            ]
        case Tell(delivery=said) | Announce(events=said) | Warn(message=said) | Say(message=said):
            return said
        case Submit(assignment=said) | Send(command=said):
            return replace(said, prefix="", plan="") if isinstance(one, Submit) else said
        case _:
            return type(one).__name__


runs = st.builds(
    lambda first, more, lease, node, seconds, lanes, loss: steps(
        first, min(LAST, first + more), lease=lease, node=node, seconds=seconds, lanes=lanes, **loss
    ),
    st.integers(1, LAST),
    st.integers(0, LAST),
    st.sampled_from([1, 1, 2, 2, 7]),
    st.sampled_from([1, 1, 1, 2, 3]),
    st.lists(st.sampled_from([0.1, 0.7, 1.0, 1e9, 1e-9]), min_size=1, max_size=4),
    st.sampled_from([1, 1, 1, 3]),
    st.sampled_from([{}, {"loss": 0.5}, {"loss": float("nan")}, {"loss": 0.25, "norm": 2.0}]),
)
others = st.one_of(
    st.builds(
        lambda lease, node, step: Evaluated(
            lease=lease, lane=0, node=node, step=step, metrics={"loss": 1.0 / step}, seconds=0.3
        ),
        st.sampled_from([1, 2, 7]),
        st.sampled_from([1, 2, 3]),
        st.sampled_from([1, 3, 6, LAST]),
    ),
    st.builds(
        lambda lease, node, step: ExactnessChecked(
            lease=lease, lane=0, which=Check.FIRST_STEPS, proven=True, detail="", seconds=1.0, steps=((node, step),)
        ),
        st.sampled_from([1, 2]),
        st.sampled_from([1, 2]),
        st.integers(1, LAST),
    ),
    st.builds(lambda lease: AssignmentDone(lease=lease, slot={1: A, 2: B}[lease]), st.sampled_from([1, 2])),
)
#: what is said in each turn: lists of steps, and events
said_in_turns = st.lists(st.lists(st.one_of(runs, runs, others), max_size=5), min_size=1, max_size=4)


@pytest.mark.parametrize("is_lively", [False, True])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), said=said_in_turns, speculative=st.booleans(), requested=st.sampled_from([None, 3, 6]))
def test_runs_come_to_what_their_steps_come_to_however_they_are_cut(
    is_lively: bool, data: st.DataObject, said: Any, speculative: bool, requested: int | None
) -> None:
    def world() -> World:
        return World(step_requested=requested, speculative=speculative, others=is_lively)

    one_by_one = [[each for one in turn for each in (one if isinstance(one, list) else [one])] for turn in said]
    with mock.patch.object(intake, "join_steps", list):
        expected = world().tell(one_by_one)
    cut = [[each for one in turn for each in (pieces(data, one) if isinstance(one, list) else [one])] for turn in said]
    # as text too: metrics that are NaN are equal to nothing, and 1 is equal to 1.0
    assert repr(world().tell(cut)) == repr(expected)


def pieces(data: st.DataObject, told: list[StepDone]) -> Iterator[Input]:
    """Cut a run anywhere."""
    while told:
        number = data.draw(st.integers(1, len(told)))
        yield from join_steps(told[:number]) if data.draw(st.booleans()) else told[:number]
        told = told[number:]


# --- one by one where it must be


def given_to(turns: Turns, asker: Asker) -> None:
    asker.ask(until=LAST)
    turns.begun(A)


def test_a_run_is_taken_at_once(turns: Turns, asker: Asker) -> None:
    given_to(turns, asker)
    with mock.patch.object(intake, "absorb", side_effect=AssertionError("one by one")):
        came = turns.settle(run_of(steps(1, 5, loss=0.5)))
    assert [(row.step, row.attempt, row.cause, row.training) for row in rows(came, StepRow)] == [
        (step, 0, "first", f'{{"loss": {step + 0.5}}}') for step in range(1, 6)
    ]


def test_a_run_that_is_told_again_counts_once(turns: Turns, asker: Asker) -> None:
    given_to(turns, asker)
    turns.settle(run_of(steps(1, 5)))
    assert rows(turns.settle(run_of(steps(1, 5))), StepRow) == []
    assert [row.step for row in rows(turns.settle(run_of(steps(4, 7))), StepRow)] == [6, 7]
    assert [row.step for row in rows(turns.settle(run_of(steps(7, 9))), StepRow)] == [8, 9]
    assert asker.study.counters.steps_executed == 9


@pytest.mark.parametrize(("seconds", "is_off"), [([1.2, 1.3], False), ([0.7, 1.3], True)])
def test_an_estimate_is_off_where_the_mean_was_at_any_step_of_a_run(seconds: list[float], is_off: bool) -> None:
    at_once, one_by_one = StepCosts(), StepCosts()
    at_once.learn_steps(NodeId(1), {}, 0, seconds)
    for each in seconds:
        one_by_one.learn(NodeId(1), {}, 0, each)
    assert at_once.have_moved(stages=1) is one_by_one.have_moved(stages=1) is is_off


def test_a_run_of_a_lease_that_has_ended_is_a_fact_that_nobody_pays_for(turns: Turns, asker: Asker) -> None:
    given_to(turns, asker)
    turns.run.running.clear()
    came = rows(turns.settle(run_of(steps(1, 3))), StepRow)
    assert [(row.step, row.study) for row in came] == [(1, 0), (2, 0), (3, 0)]
    assert asker.study.counters.steps_executed == 0
