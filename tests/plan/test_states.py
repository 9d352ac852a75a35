"""Where states are, as a plan knows it: in files, with rows, and in the memory of slots, without any."""

from __future__ import annotations

from hippo.records import NodeId, Point, SlotId

from .plans import TRUNK, keep, new_plan, node_at

A, B = SlotId("a"), SlotId("b")


def test_a_slot_that_is_lost_takes_its_states_with_it_and_no_others() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 9)
    keep(plan, node, 2, "k2")
    plan.residents.note(A, added=[Point(node.id, step) for step in (2, 4, 6)])
    plan.residents.note(B, added=[Point(node.id, 6)])
    plan.residents.lose_slot(A)
    assert list(node.states) == [2, 6]
    assert dict(node.residents) == {6: {B: None}}
    plan.residents.lose_slot(A)
    plan.residents.lose_slot(B)
    assert list(node.states) == [2]


def test_states_of_nodes_that_a_plan_has_not_are_passed_over() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 9)
    plan.residents.note(A, added=[Point(NodeId(10**6), 1), Point(node.id, 4)], dropped=[Point(NodeId(10**6), 2)])
    assert dict(node.residents) == {4: {A: None}}
    plan.residents.lose_slot(A)
    assert dict(node.residents) == {}


def test_states_in_memory_are_not_written_down() -> None:
    plan = new_plan()
    node = node_at(plan, TRUNK, 9)
    plan.changes.take()
    plan.residents.note(A, added=[Point(node.id, 4)], dropped=[Point(node.id, 3)])
    plan.residents.lose_slot(A)
    assert plan.changes.take() == []
