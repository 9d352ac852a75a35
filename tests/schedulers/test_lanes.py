"""Which chains are picked, and in which slots they begin."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hippo.records import (
    AfterStage,
    AtCheckpoint,
    AtResident,
    Base,
    Fresh,
    LeaseId,
    NodeId,
    Point,
    Slot,
    SlotId,
    Stage,
    Underway,
)
from hippo.schedulers import AbstractScheduler, BreadthFirst, CriticalPath, StageChain, place
from hippo.stages import StageTree


def stage(node: int, start: int, stop: int, base: Base | None = None) -> Stage:
    return Stage(node=NodeId(node), start=start, stop=stop, base=base or Fresh())


def after(node: int, step: int) -> AfterStage:
    return AfterStage((NodeId(node), step))


def kept(node: int, step: int) -> AtCheckpoint:
    return AtCheckpoint(NodeId(node), step)


def points(chains: Sequence[StageChain]) -> list[tuple[int, list[Point]]]:
    return [(chain.tree, [stage.point for stage in chain.stages]) for chain in chains]


# --- the critical path


def test_the_chain_that_takes_longest_comes_first_and_goes_down_the_longest_way() -> None:
    tree = StageTree(
        [stage(1, 0, 2), stage(2, 2, 5, after(1, 2)), stage(3, 2, 9, after(1, 2)), stage(4, 0, 8, kept(4, 0))]
    )
    assert points(CriticalPath().lanes([tree], limit=9)) == [(0, [(1, 2), (3, 9)]), (0, [(4, 8)])]


def test_equal_chains_come_by_tree_then_node_then_step() -> None:
    trees = [
        StageTree([stage(2, 0, 5), stage(1, 4, 9, kept(1, 4)), stage(1, 0, 5, kept(1, 0))]),
        StageTree([stage(1, 0, 5)]),
    ]
    assert points(CriticalPath().lanes(trees, limit=9)) == [
        (0, [(1, 5)]),
        (0, [(1, 9)]),
        (0, [(2, 5)]),
        (1, [(1, 5)]),
    ]


def test_of_two_equal_ways_down_the_one_of_the_smaller_node_is_taken() -> None:
    tree = StageTree([stage(1, 0, 2), stage(3, 2, 6, after(1, 2)), stage(2, 2, 6, after(1, 2))])
    assert points(CriticalPath().lanes([tree], limit=1)) == [(0, [(1, 2), (2, 6)])]


def test_no_more_are_picked_than_there_is_room_for_and_asking_changes_nothing() -> None:
    trees = [StageTree([stage(node, 0, node) for node in (1, 2, 3)]) for _ in range(2)]
    once, again = (points(CriticalPath().lanes(trees, limit=4)) for _ in range(2))
    assert once == again == [(0, [(3, 3)]), (1, [(3, 3)]), (0, [(2, 2)]), (1, [(2, 2)])]


@pytest.mark.parametrize("scheduler", [CriticalPath(), BreadthFirst()])
def test_work_that_is_under_way_is_never_picked_nor_what_waits_for_it(scheduler: CriticalPath | BreadthFirst) -> None:
    tree = StageTree([stage(1, 0, 4, Underway(LeaseId(1))), stage(2, 4, 9, after(1, 4)), stage(3, 0, 1)])
    assert points(scheduler.lanes([tree], limit=9)) == [(0, [(3, 1)])]


def test_breadth_first_takes_single_stages_the_earliest_first() -> None:
    trees = [
        StageTree([stage(3, 4, 9, kept(3, 4)), stage(2, 0, 1), stage(4, 1, 3, after(2, 1))]),
        StageTree([stage(1, 0, 9)]),
    ]
    assert points(BreadthFirst().lanes(trees, limit=9)) == [(0, [(2, 1)]), (1, [(1, 9)]), (0, [(3, 9)])]
    assert points(BreadthFirst().lanes(trees, limit=1)) == [(0, [(2, 1)])]


# --- slots


def slot(name: str, *resident: Point, workload: str = "w") -> Slot:
    return Slot(id=SlotId(name), resident=frozenset((workload, point) for point in resident))


def chain(node: int, base: Base | None = None, tree: int = 0) -> StageChain:
    return StageChain(tree, (stage(node, 4, 9, base),))


def placed(
    chains: Sequence[StageChain], slots: Sequence[Slot], workloads: Sequence[str] = ("w",)
) -> list[tuple[str, int]]:
    return [(slot.id, chain.stages[0].node) for slot, chain in place(chains, slots, workloads)]


P, Q = (NodeId(1), 4), (NodeId(2), 4)


def test_a_chain_goes_where_its_state_is_resident() -> None:
    slots = [slot("a"), slot("b", P), slot("c", Q)]
    assert placed([chain(7, kept(2, 4)), chain(8, kept(1, 4))], slots) == [("c", 7), ("b", 8)]


def test_chains_whose_state_is_nowhere_take_what_the_others_leave_the_earlier_slot_first() -> None:
    slots = [slot("a", P), slot("b"), slot("c")]
    assert placed([chain(7), chain(8, kept(1, 4)), chain(9)], slots) == [("b", 7), ("a", 8), ("c", 9)]


def test_of_several_slots_that_hold_a_state_the_earlier_is_taken_and_by_the_more_urgent_chain() -> None:
    slots = [slot("a"), slot("b", P), slot("c", P)]
    chains = [chain(node, kept(1, 4)) for node in (7, 8, 9)]
    assert placed(chains, slots) == [("b", 7), ("c", 8), ("a", 9)]


def test_chains_for_which_there_is_no_slot_are_left_out_and_keep_no_slot_from_the_others() -> None:
    slots = [slot("a", Q)]
    assert placed([chain(7, kept(1, 4)), chain(8, kept(2, 4))], slots) == [("a", 7)]
    assert placed([], slots) == []


def test_an_equal_point_of_another_workload_is_another_state() -> None:
    slots = [slot("a"), slot("b", P, workload="v")]
    assert placed([chain(7, kept(1, 4), tree=0)], slots, ["w", "v"]) == [("a", 7)]
    assert placed([chain(7, kept(1, 4), tree=1)], slots, ["w", "v"]) == [("b", 7)]


# --- chains that are bound to slots


def bound(node: int, step: int) -> AtResident:
    return AtResident(NodeId(node), step)


def holding(name: str, *states: Point) -> Slot:
    return Slot(id=SlotId(name), resident=frozenset(("w", state) for state in states))


def test_a_state_in_memory_only_is_gone_on_from_where_it_is_and_nowhere_else() -> None:
    chains = [StageChain(0, (stage(2, 5, 9, bound(1, 5)),)), StageChain(0, (stage(3, 0, 4),))]
    assert placed(chains, [holding("a"), holding("b", (NodeId(1), 5))]) == [("b", 2), ("a", 3)]
    assert placed(chains, [holding("a")]) == [("a", 3)]


@pytest.mark.parametrize("scheduler", [CriticalPath(), BreadthFirst()])
def test_work_that_waits_for_its_slot_keeps_no_other_slot_idle(scheduler: AbstractScheduler) -> None:
    tree = StageTree([*(stage(node, 1, 9, bound(1, 1)) for node in (2, 3, 4)), stage(5, 6, 7, kept(5, 6))])
    chains = scheduler.lanes([tree], limit=1)
    assert placed(chains, [holding("a")]) == [("a", 5)]
    assert placed(chains, [holding("a", (NodeId(1), 1))]) == [("a", 2)]
    tree.discard((NodeId(2), 9))
    assert tree.num_bound == 2
