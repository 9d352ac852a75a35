"""Facts: recorded once, never changed, and no matter how often they are told."""

from __future__ import annotations

import math
from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import given

from hippo.plan import (
    CheckpointLoss,
    CheckpointRow,
    FailureRow,
    Insert,
    MetricsRow,
    Node,
    NodeRow,
    SearchPlan,
    StepRow,
    Update,
)
from hippo.plan.plan_index import PlanIndex
from hippo.records import Exactness, Failure, LeaseId

from .plans import BRANCH, CONFIGS, TRUNK, evaluate, keep, lend, new_plan, node_at, ref, run_step

NAN = math.nan


def rows(plan: SearchPlan, kind: type) -> list:  # type: ignore[type-arg]
    return [change.row for change in plan.changes.take() if isinstance(change.row, kind)]


# --- two runs disagree


def test_a_second_run_that_trained_otherwise_is_told_and_the_first_stays_the_fact() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert run_step(plan, node, 1, {"slope": 0.25}, lease=1)
    assert run_step(plan, node, 1, {"slope": 0.25}, lease=2)
    assert not run_step(plan, node, 1, {"slope": 0.5}, lease=3)
    assert node.training[1] == {"slope": 0.25}


def test_a_second_evaluation_that_says_otherwise_is_told_and_the_first_stays_the_fact() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert evaluate(plan, node, 2, {"loss": 0.25})
    assert evaluate(plan, node, 2, {"loss": 0.25})
    assert not evaluate(plan, node, 2, {"loss": 0.5})
    assert node.metrics[2] == {"loss": 0.25}


def test_a_second_state_with_another_hash_is_told_and_the_first_stays_the_fact() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert plan.facts.record_state_hash(node, 2, "abc")
    assert plan.facts.record_state_hash(node, 2, "abc")
    assert not plan.facts.record_state_hash(node, 2, "abd")
    assert node.state_hashes[2] == "abc"


def test_values_are_compared_as_bits_so_nan_agrees_with_nan_and_one_unit_in_the_last_place_does_not() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert evaluate(plan, node, 1, {"loss": NAN})
    assert evaluate(plan, node, 1, {"loss": NAN})
    assert evaluate(plan, node, 2, {"loss": 0.1})
    assert not evaluate(plan, node, 2, {"loss": math.nextafter(0.1, 1.0)})
    assert run_step(plan, node, 1, {"slope": NAN}, lease=1)
    assert run_step(plan, node, 1, {"slope": NAN}, lease=2)
    assert not run_step(plan, node, 1, {"slope": 0.0}, lease=3)


def test_metrics_with_other_names_do_not_agree_though_their_values_do() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    evaluate(plan, node, 1, {"loss": 1.0})
    assert not evaluate(plan, node, 1, {"loss": 1.0, "accuracy": 0.5})


def test_the_fact_is_written_once_and_every_run_of_a_step_with_its_number() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    for lease in (1, 2, 3):
        run_step(plan, node, 1, {"slope": float(lease)}, lease=lease)
        evaluate(plan, node, 1, {"loss": float(lease)})
    changes = plan.changes.take()
    assert [c.row.attempt for c in changes if isinstance(c.row, StepRow)] == [0, 1, 2]
    assert len([c for c in changes if isinstance(c.row, MetricsRow)]) == 1


def test_a_node_whose_runs_disagreed_is_marked_and_nothing_else_of_it_changes() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    plan.facts.mark_inexact(node)
    marks = [change for change in plan.changes.take() if isinstance(change, Update)]
    assert [(mark.row.node, mark.row.inexact) for mark in marks if isinstance(mark.row, NodeRow)] == [(node.id, True)]


# --- what is told twice


def test_what_a_lease_says_twice_is_told_again_and_what_another_lease_says_is_not() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    first, second = lend(plan, 1, (node, 0, 3)), lend(plan, 2, (node, 0, 3))
    assert not plan.facts.is_told_again(node, 1, first)
    run_step(plan, node, 1, lease=first)
    assert plan.facts.is_told_again(node, 1, first)
    assert not plan.facts.is_told_again(node, 2, first)
    assert not plan.facts.is_told_again(node, 1, second)


def test_a_checkpoint_that_is_told_twice_counts_once() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert keep(plan, node, 2, "k1")
    assert not keep(plan, node, 2, "k1")
    assert len(rows(plan, CheckpointRow)) == 1


def test_that_an_older_file_is_gone_says_nothing_of_the_newer_one() -> None:
    plan = new_plan()
    node, index = node_at(plan, TRUNK, 3), PlanIndex(plan.nodes)
    index.add_checkpoint(node, 2, ref("newer"))
    index.remove_checkpoint(node, 2, "older", CheckpointLoss.MISSING)
    assert node.checkpoints[2].key == "newer"
    index.remove_checkpoint(node, 2, "newer", CheckpointLoss.MISSING)
    assert node.checkpoints == {}


def test_a_second_file_of_one_state_takes_the_place_of_the_first() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert keep(plan, node, 2, "k1")
    assert keep(plan, node, 2, "k2")
    assert node.checkpoints == {2: ref("k2")}


def test_a_late_word_that_an_older_file_is_gone_leaves_the_newer_one_alone() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    keep(plan, node, 2, "k1")
    keep(plan, node, 2, "k2")
    plan.facts.forget_checkpoint(node, 2, "k1", "missing")
    assert node.checkpoints == {2: ref("k2")}
    plan.facts.forget_checkpoint(node, 2, "k2", "missing")
    assert node.checkpoints == {}


def test_a_late_word_of_a_file_that_is_gone_does_not_bring_it_back() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    keep(plan, node, 2, "k1")
    plan.facts.forget_checkpoint(node, 2, "k1", "corrupt")
    assert not keep(plan, node, 2, "k1")
    assert node.checkpoints == {}


def test_only_the_file_that_is_gone_is_written_down_as_gone_and_once() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    keep(plan, node, 2, "k1")
    plan.changes.take()
    for key in ("k0", "k1", "k1"):
        plan.facts.forget_checkpoint(node, 2, key, "evicted")
    assert [(row.key, row.gone) for row in rows(plan, CheckpointRow)] == [("k1", "evicted")]


# --- failures

asked = st.lists(st.tuples(st.sampled_from(CONFIGS), st.integers(1, 12)), max_size=12)


@given(asked, st.sampled_from(CONFIGS), st.integers(1, 12))
def test_a_failure_answers_exactly_the_requests_that_would_be_refused_if_they_came_later(  # type: ignore[no-untyped-def]
    requests, config, failed_at
) -> None:
    plan = new_plan()
    waiting = [(node_at(plan, config, until), until, number) for number, (config, until) in enumerate(requests)]
    for node, until, number in waiting:
        plan.add_request(node, until, number)
    where = node_at(plan, config, failed_at)
    failure = Failure(node=where.id, step=failed_at, method="train", error="no")
    concerned = plan.facts.record_failure(failure)
    refused = [(node, until, number) for node, until, number in waiting if node.failure_before(until) is not None]
    assert sorted(concerned, key=lambda found: found[2]) == refused


def test_failures_are_numbered_on() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    assert not plan.facts.has_failures
    for step in (3, 2):
        plan.facts.record_failure(Failure(node=node.id, step=step, method="train", error="no"))
    assert plan.facts.has_failures
    assert [row.number for row in rows(plan, FailureRow)] == [1, 2]


# --- requests


def test_a_point_is_asked_for_until_the_last_who_asked_has_gone() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    for number in (1, 2):
        plan.add_request(node, 3, number)
        plan.add_state_request(node, 2)
    plan.remove_request(node, 3, 1)
    plan.remove_state_request(node, 2)
    assert (node.requests, node.state_requests) == ({3: {2}}, {2: 1})
    plan.remove_request(node, 3, 2)
    plan.remove_state_request(node, 2)
    assert (node.requests, node.state_requests) == ({}, {})


def test_a_snapshot_holds_what_is_asked_for_or_under_way_and_all_above_it_and_nothing_else() -> None:
    plan = new_plan()
    tip, other, untouched = (node_at(plan, config, 9) for config in (BRANCH, CONFIGS[6], CONFIGS[7]))
    plan.add_request(tip, 9, 1)
    lend(plan, 1, (other, 0, 9))
    snapshot = plan.snapshot()
    assert set(snapshot.nodes) == {node.id for node in (*tip.lineage(), other)}
    assert untouched.id not in snapshot.nodes
    assert [lease.id for lease in snapshot.leases] == [1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda plan, node: plan.add_request(node, 9, 1),
        lambda plan, node: plan.add_request(node, 9, 1, evaluate=False),
        lambda plan, node: plan.add_state_request(node, 9),
    ],
    ids=["metrics", "the step", "its state"],
)
def test_a_snapshot_holds_whatever_is_asked_for(ask: Callable[[SearchPlan, Node], None]) -> None:
    plan = new_plan()
    ask(plan, node := node_at(plan, TRUNK, 9))
    assert set(plan.snapshot().nodes) == {node.id}


# --- changes


def test_changes_are_taken_once_and_those_put_back_come_first() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    taken = plan.changes.take()
    assert isinstance(taken[0], Insert)
    assert plan.changes.take() == []
    plan.facts.record_state_hash(node, 1, "a")
    plan.changes.put_back(taken)
    assert plan.changes.take()[: len(taken)] == taken


def test_a_verdict_and_an_environment_are_written_and_kept() -> None:
    plan = new_plan()
    assert plan.exactness is Exactness.UNCHECKED
    plan.set_exactness(Exactness.PROVEN)
    plan.set_environment('{"python": "3.11"}')
    assert plan.exactness is Exactness.PROVEN
    last = plan.changes.take()[-1].row
    assert last == plan.row
    assert plan.row.environment == '{"python": "3.11"}'


def test_a_lease_that_says_again_what_others_ran_after_it_is_known_to_say_it_again() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    run_step(plan, node, 1, {"slope": 0.25}, lease=1)
    run_step(plan, node, 1, {"slope": 0.25}, lease=2)
    assert [plan.facts.is_told_again(node, 1, LeaseId(lease)) for lease in (1, 2, 3)] == [True, True, False]
    assert not plan.facts.is_told_again(node, 2, LeaseId(1))


def test_a_check_is_no_run_and_no_progress() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 3)
    plan.facts.record_check(node, 2, 1.0, study=1)
    assert node.runs.furthest == 0
    run_step(plan, node, 2, {"slope": 0.25}, lease=1)
    run_step(plan, node, 2, {"slope": 0.25}, lease=2)
    assert [row.attempt for row in rows(plan, StepRow)] == [0, 1, 2]
