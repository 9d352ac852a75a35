"""The stage tree by itself: what follows what, the longest ways, and that looking changes nothing."""

from __future__ import annotations

import itertools
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hippo.records import AfterStage, AtCheckpoint, Fresh, LeaseId, NodeId, Point, Stage, Underway
from hippo.stages import StageTree


def stage(node: int, start: int, stop: int, base: object = None) -> Stage:
    return Stage(node=NodeId(node), start=start, stop=stop, base=base or Fresh())  # type: ignore[arg-type]


def after(node: int, step: int) -> AfterStage:
    return AfterStage((NodeId(node), step))


def test_followers_come_in_the_order_of_their_points() -> None:
    tree = StageTree([stage(node, 2, 5, after(1, 2)) for node in (9, 3, 5)] + [stage(1, 0, 2)])
    assert [follower.node for follower in tree.followers((NodeId(1), 2))] == [3, 5, 9]
    assert tree.followers((NodeId(1), 3)) == []


def test_a_stage_takes_the_place_of_the_one_that_ends_at_its_point() -> None:
    tree = StageTree([stage(1, 0, 2), stage(2, 2, 5, after(1, 2))])
    tree.put(stage(2, 3, 5, AtCheckpoint(NodeId(2), 3)))
    assert tree.followers((NodeId(1), 2)) == []
    assert (len(tree), tree.num_ready, tree.length((NodeId(1), 2))) == (2, 2, 2.0)


def test_what_a_lease_will_reach_is_known_as_long_as_something_waits_for_it() -> None:
    tree = StageTree([stage(1, 0, 2, Underway(LeaseId(7))), stage(1, 2, 5, Underway(LeaseId(7)))])
    assert tree.underway(LeaseId(7)) == {(1, 2), (1, 5)}
    tree.discard((NodeId(1), 5))
    assert tree.underway(LeaseId(7)) == {(1, 2)}
    assert tree.underway(LeaseId(8)) == frozenset()


def test_trees_are_equal_if_their_stages_are() -> None:
    one, two = StageTree([stage(1, 0, 2), stage(2, 0, 3)]), StageTree([stage(2, 0, 3), stage(1, 0, 2)])
    one.ready(1)
    assert one == two
    two.discard((NodeId(2), 3))
    assert one != two


def test_a_tree_without_stages_takes_no_time_whatever_was_rounded_on_the_way() -> None:
    tree = StageTree([stage(node, 0, 1) for node in (1, 2, 3)], cost=lambda stage: stage.node / 10)
    for node in (1, 2, 3):
        tree.discard(Point(NodeId(node), 1))
    assert tree.seconds == 0.0


def test_what_changed_since_fewer_were_asked_for_is_ready_once_and_as_it_is_now() -> None:
    tree = StageTree([stage(node, 0, steps) for node, steps in ((1, 9), (2, 6), (3, 5), (4, 4), (5, 3))])
    assert [found.node for found in tree.ready(1)] == [1]
    tree.put(stage(6, 4, 9, after(4, 4)))  # which makes a longer way of the fourth
    tree.discard((NodeId(2), 6))
    tree.put(stage(3, 0, 5, Underway(LeaseId(1))))
    assert [found.node for found in tree.ready(9)] == [1, 4, 5]


NODES = 6


class Changing(RuleBasedStateMachine):
    """A tree whose stages come and go while others look, and a recomputation from nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = StageTree()

    @rule(
        node=st.integers(2, NODES),
        parent=st.integers(1, NODES - 1),
        steps=st.integers(1, 5),
        kind=st.sampled_from(["after", "fresh", "kept", "underway"]),
    )
    def put(self, node: int, parent: int, steps: int, kind: str) -> None:
        parent = min(parent, node - 1)  # so that there are no cycles
        base = {
            "after": after(parent, 10 * parent),
            "fresh": Fresh(),
            "kept": AtCheckpoint(NodeId(node), 1),
            "underway": Underway(LeaseId(1)),
        }[kind]
        self.tree.put(stage(node, 10 * node - steps, 10 * node, base))

    @rule(node=st.integers(1, NODES))
    def discard(self, node: int) -> None:
        self.tree.discard((NodeId(node), 10 * node))

    @rule(limit=st.integers(0, 3))
    def look(self, limit: int) -> None:
        self.tree.ready(limit)

    @rule(factor=st.integers(1, 3))
    def recost(self, factor: int) -> None:
        self.tree.recost(lambda stage: float((stage.stop - stage.start) * (factor if stage.node % 2 else 1)))
        self.factor = factor

    def cost(self, found: Stage) -> int:
        return (found.stop - found.start) * (getattr(self, "factor", 1) if found.node % 2 else 1)

    def longest(self, point: Point) -> int:
        found = self.tree.stages[point]
        below = [other for other in self.tree.stages.values() if other.base == AfterStage(point)]
        return self.cost(found) + max((self.longest(other.point) for other in below), default=0)

    @invariant()
    def lengths_are_those_of_a_walk_over_the_tree(self) -> None:
        assert {point: self.tree.length(point) for point in self.tree.stages} == {
            point: self.longest(point) for point in self.tree.stages
        }

    @invariant()
    def a_longest_path_is_as_long_as_is_said_and_ends_at_a_leaf(self) -> None:
        for point in self.tree.stages:
            chain = self.tree.longest_path(point)
            assert sum(map(self.cost, chain)) == self.tree.length(point)
            assert all(later.base == AfterStage(earlier.point) for earlier, later in itertools.pairwise(chain))
            assert self.tree.followers(chain[-1].point) == []

    @invariant()
    def as_many_are_leaves_as_nothing_follows(self) -> None:
        assert self.tree.num_leaves == sum(not self.tree.followers(point) for point in self.tree.stages)

    @invariant()
    def as_many_are_ready_as_can_start(self) -> None:
        ready = list(self.tree.all_ready())
        assert len(ready) == self.tree.num_ready == len(self.tree.ready(99))
        assert all(isinstance(found.base, Fresh | AtCheckpoint) for found in ready)


TestChanging = pytest.mark.slow(Changing.TestCase)
TestChanging.settings = settings(max_examples=80, stateful_step_count=25, deadline=None)


@given(st.integers(0, 2**32))
def test_steps_and_seconds_of_all_stages_are_kept_as_they_come_and_go(seed: int) -> None:
    rng, tree, factor = Random(seed), StageTree(), 1.0
    for _ in range(rng.randint(1, 30)):
        start, node = rng.randrange(4), NodeId(rng.randrange(3))
        if rng.random() < 0.2:
            factor = rng.random()
            tree.recost(lambda one, factor=factor: factor * (one.stop - one.start))  # type: ignore[misc]
        elif rng.random() < 0.3:
            tree.discard((node, start + 1))
        else:
            tree.put(stage(node, start, start + rng.randint(1, 3)))
        steps = sum(one.stop - one.start for one in tree.stages.values())
        assert (tree.num_steps, tree.seconds) == (steps, pytest.approx(factor * steps))
