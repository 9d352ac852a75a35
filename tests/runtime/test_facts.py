"""What workers say becomes facts, whatever they say twice, too late or otherwise than before."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from hippo import MultiStep
from hippo.errors import ExactnessError
from hippo.events import (
    BoundaryAnswered,
    Check,
    CheckpointUnusable,
    ExactnessChecked,
    HparamsUnread,
    StageFailed,
)
from hippo.plan import LeaseEnd, NodeRow, Update
from hippo.records import Exactness, Failure, LeaseId
from hippo.runtime.plans.plan_run import MOST_LOSSES

from .runs import Bench, config, numbers


@pytest.fixture
def bench() -> Bench:
    return Bench()


def begun(bench: Bench, until: int = 4, **options: Any) -> Any:
    """Ask for one trial, give it out, and return its node."""
    request = bench.ask(config(), until, **options)
    bench.give_out(1)
    return request.node


# --- disagreement


def marked(bench: Bench) -> bool:
    changes = bench.run.plan.changes.take()
    return any(isinstance(change, Update) and getattr(change.row, "inexact", False) for change in changes)


@pytest.mark.parametrize(
    ("what", "first", "second"),
    [
        ("training metrics", lambda b, n: b.step(n, 1, slope=1.0), lambda b, n: b.step(n, 1, lease=2, slope=2.0)),
        ("metrics", lambda b, n: b.evaluated(n, 1, 1.0), lambda b, n: b.evaluated(n, 1, 2.0, lease=2)),
        ("state", lambda b, n: b.hashed(n, 1, "a"), lambda b, n: b.hashed(n, 1, "b", lease=2)),
        ("state", lambda b, n: b.hashed(n, 1, "a"), lambda b, n: b.written(n, 1, state_hash="b", lease=2)),
        ("state", lambda b, n: b.written(n, 1, state_hash="a"), lambda b, n: b.hashed(n, 1, "b", lease=2)),
    ],
)
def test_two_runs_that_disagree_sound_an_alarm_and_mark_the_node(
    bench: Bench, what: str, first: Any, second: Any
) -> None:
    node = begun(bench)
    assert first(bench, node.id).alarms == []
    assert not marked(bench)
    (alarm,) = second(bench, node.id).alarms
    assert isinstance(alarm, ExactnessError)
    assert f"disagree in their {what} after step 1 " in str(alarm)
    assert marked(bench)
    with pytest.raises(ExactnessError, match=r"two runs of one stage disagreed.*nondeterminism='warn'"):
        bench.run.require_exact()  # what comes of the second run is no news of the first


def test_two_runs_that_agree_sound_none(bench: Bench) -> None:
    node = begun(bench)
    for lease in (1, 2):
        outcomes = [
            bench.step(node.id, 1, lease=lease, slope=1.0),
            bench.evaluated(node.id, 1, 1.0, lease=lease),
            bench.hashed(node.id, 1, "a", lease=lease),
            bench.written(node.id, 1, state_hash="a", lease=lease),
        ]
        assert [outcome.alarms for outcome in outcomes] == [[]] * 4


# --- told twice, or late


def test_a_step_that_is_told_twice_is_counted_and_learned_once(bench: Bench) -> None:
    node = begun(bench)
    for _ in range(2):
        bench.step(node.id, 1)
    assert bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0).steps_executed == 1
    assert bench.study.counters.train_seconds == 1.0


def test_an_evaluation_and_a_checkpoint_that_are_told_twice_are_paid_once(bench: Bench) -> None:
    node = begun(bench)
    for _ in range(2):
        bench.evaluated(node.id, 1, 1.0)
        bench.written(node.id, 1, key="same")
    assert (bench.study.counters.evaluate_seconds, bench.study.counters.checkpoints) == (1.0, 1)


def test_what_a_lease_says_that_is_not_under_way_any_more_is_a_fact_that_nobody_pays_for(bench: Bench) -> None:
    node = begun(bench)
    bench.end(how=LeaseEnd.LOST)
    bench.step(node.id, 1)
    outcome = bench.evaluated(node.id, 4, 0.5)
    assert node.training[1] == {}
    assert node.metrics[4] == {"loss": 0.5}
    assert numbers(outcome.answerable) == [1]
    assert bench.study.counters.device_seconds == 0.0


def test_metrics_answer_whoever_waits_for_them_the_oldest_first_and_nobody_else(bench: Bench) -> None:
    first, longer = bench.ask(config(), 4), bench.ask(config(), 6)
    second, other = bench.ask(config(), 4), bench.ask(config(0.2), 4)
    bench.give_out(1)
    assert numbers(bench.evaluated(first.node.id, 4, 0.5).answerable) == [first.id, second.id]
    assert sorted(bench.run.waiting.requests) == [longer.id, other.id]


# --- causes


def test_a_step_that_is_run_again_is_counted_with_its_cause(bench: Bench) -> None:
    node = begun(bench)
    bench.steps(node.id, range(1, 4))
    bench.end(how=LeaseEnd.LOST)
    bench.give_out(2)
    bench.steps(node.id, range(1, 5), lease=2)
    counted = bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0)
    assert (counted.steps_executed, counted.repeated_by_cause) == (7, {"lost": 3})


def test_a_step_ahead_of_time_is_speculative_the_first_time_and_repeated_the_second(bench: Bench) -> None:
    node = begun(bench, is_speculative=True)
    bench.steps(node.id, range(1, 3))
    bench.end()
    bench.give_out(2)
    bench.step(node.id, 1, lease=2)
    counted = bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0)
    assert (counted.steps_speculative, counted.repeated_by_cause) == (2, {"not kept": 1})


def test_a_boundary_that_came_too_late_is_why_its_steps_are_run_again(bench: Bench) -> None:
    node = begun(bench, until=6)
    bench.steps(node.id, range(1, 5))
    bench.ask(config(MultiStep(0.1, [3], 0.5)), 5)
    bench.say(BoundaryAnswered(lease=LeaseId(1), lane=0, node=node.id, step=3, accepted=False))
    bench.give_out(2)
    bench.steps(node.id, range(1, 4), lease=2)
    assert bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0).repeated_by_cause == {"late": 3}


def test_a_boundary_that_was_accepted_is_waited_for(bench: Bench) -> None:
    node = begun(bench, until=6)
    bench.steps(node.id, range(1, 3))
    bench.ask(config(MultiStep(0.1, [3], 0.5)), 5)
    bench.say(BoundaryAnswered(lease=LeaseId(1), lane=0, node=node.id, step=3, accepted=True))
    assert bench.run.remaining.tree.num_ready == 0


# --- states that are gone


@pytest.mark.parametrize(("corrupt", "cause"), [(True, "corrupt"), (False, "evicted")])
def test_a_state_that_cannot_be_loaded_is_forgotten_with_a_word_and_made_again(
    bench: Bench, corrupt: bool, cause: str
) -> None:
    node = begun(bench, until=2)
    bench.steps(node.id, range(1, 3))
    bench.written(node.id, 2, key="k")
    bench.end()
    bench.ask(config(), 5)
    bench.give_out(2)
    gone = CheckpointUnusable(
        lease=LeaseId(2), lane=0, node=node.id, step=2, key="k", corrupt=corrupt, reason="flipped"
    )
    assert bench.say(gone).warnings == ["the checkpoint k cannot be used (flipped); its steps are run again"]
    bench.end(2)
    bench.give_out(3)
    bench.steps(node.id, range(1, 3), lease=3)
    assert bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0).repeated_by_cause == {cause: 2}


# --- failures


def failed(bench: Bench, node: Any, step: int) -> list[int]:
    failure = Failure(node=node.id, step=step, method="train", error="no")
    outcome = bench.say(StageFailed(lease=LeaseId(1), lane=0, failure=failure))
    assert {request.failure for request in outcome.answerable} <= {failure}
    return sorted(numbers(outcome.answerable))


def test_a_failure_answers_all_who_wait_for_that_step_or_more_also_below_and_whoever_comes_later(bench: Bench) -> None:
    before, at = bench.ask(config(), 2), bench.ask(config(), 3)
    below = bench.ask(config(MultiStep(0.1, [3], 0.5)), 5)
    earlier_branch = bench.ask(config(MultiStep(0.1, [2], 0.5)), 5)
    bench.give_out(1)
    assert failed(bench, before.node, 3) == [at.id, below.id]
    assert sorted(bench.run.waiting.requests) == [before.id, earlier_branch.id]
    later = bench.request(config(), 3)
    assert bench.run.waiting.add(later)
    assert later.failure is not None
    assert not bench.run.waiting.add(bench.request(config(), 2))


def test_a_stage_that_is_lost_three_times_fails_and_says_so(bench: Bench) -> None:
    request = bench.ask(config(), 4)
    for lease in range(1, MOST_LOSSES + 1):
        assert request.failure is None
        bench.give_out(lease)
        bench.step(request.node.id, 1, lease=lease)
        outcome = bench.end(lease, how=LeaseEnd.LOST)
    assert numbers(outcome.answerable) == [request.id]
    assert request.failure is not None
    assert "died 3 times" in request.failure.error
    assert len(bench.run.remaining.tree) == 0


def test_a_stage_that_came_on_before_it_was_lost_again_has_all_its_attempts_from_there(bench: Bench) -> None:
    request = bench.ask(config(), 9)
    leases = itertools.count(1)

    def is_lost(after: Sequence[int]) -> bool:
        lease = next(leases)
        bench.give_out(lease)
        for step in after:
            bench.step(request.node.id, step, lease=lease)
            bench.written(request.node.id, step, lease=lease)
        bench.end(lease, how=LeaseEnd.LOST)
        return request.failure is not None

    assert [is_lost([step]) for step in range(1, MOST_LOSSES + 2)] == [False] * (MOST_LOSSES + 1)
    assert [is_lost([]) for _ in range(MOST_LOSSES)] == [False] * (MOST_LOSSES - 1) + [True]


def test_want_of_resources_counts_once_for_an_attempt_however_often_it_is_told(bench: Bench) -> None:
    request = bench.ask(config(), 4)
    failure = Failure(node=request.node.id, step=1, method="train", error="MemoryError")
    for lease in range(1, MOST_LOSSES + 1):
        assert request.failure is None
        bench.give_out(lease)
        for _ in range(2):
            bench.say(StageFailed(lease=LeaseId(lease), lane=0, failure=failure, is_resource=True))
        bench.end(lease)
    assert request.failure is not None


def test_work_that_was_done_is_no_loss(bench: Bench) -> None:
    request = bench.ask(config(), 4)
    for lease in range(1, MOST_LOSSES + 2):
        bench.give_out(lease)
        assert bench.end(lease).answerable == []
    assert request.failure is None


# --- the two-step check


def checked(bench: Bench, *, proven: bool) -> list[Exception]:
    (node,) = bench.run.plan.nodes
    event = ExactnessChecked(
        lease=LeaseId(1),
        lane=0,
        which=Check.FIRST_STEPS,
        proven=proven,
        detail="state['x']",
        seconds=1.0,
        steps=((node, 2),),
    )
    return bench.say(event).alarms


@pytest.mark.parametrize(("proven", "verdict"), [(True, Exactness.PROVEN), (False, Exactness.FAILED)])
def test_a_verdict_holds_when_it_is_told_again_and_its_step_counts_apart(
    bench: Bench, proven: bool, verdict: Exactness
) -> None:
    node = begun(bench)
    bench.steps(node.id, range(1, 3))
    assert len(checked(bench, proven=proven)) == (0 if proven else 1)
    assert checked(bench, proven=proven) == []
    assert bench.run.plan.exactness is verdict
    counted = bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0)
    assert (counted.steps_checked, counted.steps_executed, counted.steps_repeated) == (1, 2, 0)


def test_steps_that_were_compared_leave_less_room_for_others(bench: Bench) -> None:
    bench.run.plan.set_exactness(Exactness.PROVEN)
    node = begun(bench)
    bench.steps(node.id, range(1, 3))
    for which in list(Check)[:4]:
        assert bench.run.checks.checks_of(Exactness.PROVEN, first=0, stop=9, is_checking=False).last
        said: dict[str, Any] = {"lease": LeaseId(1), "lane": 0, "which": which, "steps": ((node.id, 1),)}
        bench.say(ExactnessChecked(**said, proven=True, detail="", seconds=1.0))
    assert not bench.run.checks.checks_of(Exactness.PROVEN, first=0, stop=9, is_checking=False).last


def test_a_step_that_is_told_after_its_check_is_the_fact_and_told_again_it_counts_once(bench: Bench) -> None:
    node = begun(bench)
    bench.steps(node.id, [1])
    checked(bench, proven=True)
    bench.steps(node.id, [2])
    bench.steps(node.id, [2])
    assert sorted(node.training) == [1, 2]
    counted = bench.study.counters.statistics([], trial_seconds=0.0, steps_reached=0)
    assert (counted.steps_checked, counted.steps_executed, counted.steps_repeated) == (1, 2, 0)


def test_what_the_trainer_did_not_look_at_is_no_fact_of_the_plan(bench: Bench) -> None:
    begun(bench)
    bench.run.plan.changes.take()
    bench.say(HparamsUnread(lease=LeaseId(1), names=("lr",), read=()))
    assert [change for change in bench.run.plan.changes.take() if isinstance(change.row, NodeRow)] == []
