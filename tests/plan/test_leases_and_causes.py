"""Leases: who walks what, what becomes of work that was lost; and what that says of a step that is run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hippo.plan import Cause, LeaseRow, MemoryStore, Node, PlanRow, SearchPlan

from .plans import BRANCH, CONFIGS, PLAN, TRUNK, keep, lend, new_plan, node_at, reopened, run_steps


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    store.add_plan(replace(PLAN, plan=0))
    return store


def ends(store: MemoryStore) -> dict[int, str]:
    return {row.lease: row.ended for row in store.rows(LeaseRow)}


def cause(plan: SearchPlan, step: int, *, resumed_at: int = 0) -> Cause:
    return plan.cause_of(node_at(plan, TRUNK, 9), step, resumed_at=resumed_at)


# --- ends


@pytest.mark.parametrize("how", ["done", "lost", "void"])
def test_a_lease_is_open_until_it_ends_and_how_is_written_down(store: MemoryStore, how: str) -> None:
    plan = new_plan()
    lease = lend(plan, 1, (node_at(plan, TRUNK, 9), 0, 9))
    assert [view.id for view in plan.leases.views()] == [lease]
    plan.leases.close(lease, how)
    assert plan.leases.views() == []
    reopened(plan, store)
    assert ends(store) == {1: how}


def test_a_second_end_changes_nothing(store: MemoryStore) -> None:
    plan = new_plan()
    lease = lend(plan, 1, (node_at(plan, TRUNK, 9), 0, 9))
    plan.leases.close(lease, "done")
    plan.leases.close(lease, "lost")
    reopened(plan, store)
    assert ends(store) == {1: "done"}


def test_whoever_takes_over_begins_a_new_epoch_and_voids_what_is_open(store: MemoryStore) -> None:
    plan = new_plan()
    lend(plan, 1, (node_at(plan, TRUNK, 9), 0, 9))
    plan.take_over("me")
    assert plan.leases.views() == []
    again = reopened(plan, store)
    assert (again.row.epoch, again.row.writer) == (PLAN.epoch + 1, "me")
    assert ends(store) == {1: "void"}
    again.take_over("you")
    reopened(again, store)
    assert store.rows(PlanRow)[0].epoch == PLAN.epoch + 2


def test_leases_of_a_process_that_died_are_void_and_written_down_as_such(store: MemoryStore) -> None:
    plan = new_plan()
    lend(plan, 1, (node_at(plan, TRUNK, 9), 0, 9))
    again = reopened(plan, store)
    assert again.leases.views() == []
    reopened(again, store)
    assert ends(store) == {1: "void"}


def test_lease_numbers_go_on_after_those_of_a_process_that_died(store: MemoryStore) -> None:
    plan = new_plan()
    for number in (3, 7):
        plan.leases.close(lend(plan, number, (node_at(plan, TRUNK, 9), 0, 9)), "done")
    assert plan.leases.last == 7
    again = reopened(plan, store)
    assert again.leases.last == 7
    with pytest.raises(AssertionError, match="not larger than 7"):
        lend(again, 7, (node_at(again, TRUNK, 9), 0, 9))


def test_a_lease_is_recorded_with_its_epoch_its_spans_and_its_slot(store: MemoryStore) -> None:
    plan = new_plan()
    plan.take_over("me")
    lend(plan, 1, (node_at(plan, TRUNK, 9), 2, 9))
    reopened(plan, store)
    (row,) = store.rows(LeaseRow)
    assert (row.epoch, row.spans, row.slot) == (1, "[[1, 2, 9]]", "a")


# --- causes


def trained(plan: SearchPlan) -> Node:
    """Return a node whose steps 1 to 9 were run, and whose states are nowhere."""
    node = node_at(plan, TRUNK, 9)
    run_steps(plan, node, range(1, 10))
    return node


def lost(plan: SearchPlan, node: Node) -> None:
    plan.leases.close(lend(plan, 5, (node, 3, 6)), "lost")


def void(plan: SearchPlan, node: Node) -> None:
    lend(plan, 5, (node, 3, 6))
    plan.take_over("me")


def evicted(plan: SearchPlan, node: Node) -> None:
    keep(plan, node, 6, "k6")
    plan.facts.forget_checkpoint(node, 6, "k6", "evicted")


def missing(plan: SearchPlan, node: Node) -> None:
    keep(plan, node, 6, "k6")
    plan.facts.forget_checkpoint(node, 6, "k6", "missing")


def corrupt(plan: SearchPlan, node: Node) -> None:
    keep(plan, node, 6, "k6")
    plan.facts.forget_checkpoint(node, 6, "k6", "corrupt")


def evicted_and_corrupt(plan: SearchPlan, node: Node) -> None:
    evicted(plan, node)
    keep(plan, node, 7, "k7")
    plan.facts.forget_checkpoint(node, 7, "k7", "corrupt")


def lost_and_evicted(plan: SearchPlan, node: Node) -> None:
    lost(plan, node)
    evicted(plan, node)


def lost_and_corrupt(plan: SearchPlan, node: Node) -> None:
    lost(plan, node)
    corrupt(plan, node)


def passed(plan: SearchPlan, node: Node) -> None:
    plan.leases.mark_passed(lend(plan, 5, (node, 0, 9)), (node.id, 4))


def lost_and_passed(plan: SearchPlan, node: Node) -> None:
    lost(plan, node)
    plan.leases.mark_passed(lend(plan, 6, (node, 0, 9)), (node.id, 4))


def nothing(plan: SearchPlan, node: Node) -> None:
    pass


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        (nothing, Cause.NOT_KEPT),
        (lost, Cause.LOST),
        (void, Cause.LOST),
        (evicted, Cause.EVICTED),
        (missing, Cause.EVICTED),
        (corrupt, Cause.CORRUPT),
        (evicted_and_corrupt, Cause.CORRUPT),
        (lost_and_evicted, Cause.LOST),
        (lost_and_corrupt, Cause.CORRUPT),
        (passed, Cause.LATE),
        (lost_and_passed, Cause.LOST),
    ],
)
def test_a_step_is_run_again_because_of_what_happened_to_its_state(
    store: MemoryStore, happened: Callable[[SearchPlan, Node], None], expected: Cause
) -> None:
    plan = new_plan()
    happened(plan, trained(plan))
    assert cause(plan, 4) is expected
    for lease in plan.leases.views():
        plan.leases.close(lease.id, "done")
    again = cause(reopened(plan, store), 4)
    assert again is (Cause.NOT_KEPT if expected is Cause.LATE else expected)


@pytest.mark.parametrize(
    ("here", "ahead", "expected"),
    [
        (nothing, nothing, Cause.NOT_KEPT),
        (nothing, evicted, Cause.EVICTED),
        (nothing, corrupt, Cause.CORRUPT),
        (evicted, nothing, Cause.EVICTED),
        (evicted, corrupt, Cause.CORRUPT),
        (corrupt, evicted, Cause.CORRUPT),
        (lost, evicted, Cause.LOST),
        (lost_and_evicted, corrupt, Cause.CORRUPT),
    ],
)
def test_what_happened_to_states_further_on_counts_as_what_happened_to_those_of_its_node(
    here: Callable[[SearchPlan, Node], None], ahead: Callable[[SearchPlan, Node], None], expected: Cause
) -> None:
    plan = new_plan()
    node, branch = trained(plan), node_at(plan, BRANCH, 9)
    here(plan, node)
    keep(plan, branch, 6, "b6")
    if ahead is not nothing:
        plan.facts.forget_checkpoint(branch, 6, "b6", ahead.__name__)
    assert plan.cause_of(node, 4, resumed_at=0, ahead=[branch.id]) is expected


def test_a_step_that_nobody_ran_is_run_for_the_first_time_whatever_happened() -> None:
    plan = new_plan()
    lost_and_corrupt(plan, node_at(plan, TRUNK, 9))
    assert cause(plan, 4) is Cause.FIRST


@pytest.mark.parametrize(
    ("step", "expected"), [(3, Cause.NOT_KEPT), (4, Cause.LOST), (6, Cause.LOST), (7, Cause.NOT_KEPT)]
)
def test_only_steps_that_were_under_way_were_lost(step: int, expected: Cause) -> None:
    plan = new_plan()
    lost(plan, trained(plan))
    assert cause(plan, step) is expected


@pytest.mark.parametrize(("resumed_at", "expected"), [(5, Cause.EVICTED), (6, Cause.NOT_KEPT)])
def test_a_state_that_is_gone_explains_only_lanes_that_had_to_begin_below_it(resumed_at: int, expected: Cause) -> None:
    plan = new_plan()
    evicted(plan, trained(plan))
    assert cause(plan, 8, resumed_at=resumed_at) is expected


def test_work_that_was_done_was_not_lost(store: MemoryStore) -> None:
    plan = new_plan()
    plan.leases.close(lend(plan, 5, (trained(plan), 3, 6)), "done")
    assert cause(plan, 4) is Cause.NOT_KEPT
    assert cause(reopened(plan, store), 4) is Cause.NOT_KEPT


def test_a_boundary_was_late_only_where_the_lease_that_passed_it_walks() -> None:
    plan = new_plan()
    node = trained(plan)
    other = node_at(plan, CONFIGS[-1], 9)
    plan.leases.mark_passed(lend(plan, 5, (node, 2, 6), (other, 0, 9)), (node.id, 4))
    lend(plan, 6, (node, 6, 9))
    plan.leases.mark_passed(lend(plan, 7, (other, 0, 9)), (other.id, 4))
    assert [cause(plan, step) for step in (2, 3, 6, 7)] == [Cause.NOT_KEPT, Cause.LATE, Cause.LATE, Cause.NOT_KEPT]
