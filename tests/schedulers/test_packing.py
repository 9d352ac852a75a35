"""Which lanes go to one slot together, in which order, and how many."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from hippo.schedulers import (
    Claims,
    CriticalPath,
    FairShare,
    LaneCost,
    PackingRules,
    ShapeRule,
    StageBundle,
    StageChain,
    Usage,
    fair_lanes,
    pack,
    place,
    room_in_lanes,
)
from hippo.stages import StageTree

USUAL = LaneCost(0.7, 0.3)


def stage(node: int, start: int, stop: int, base: Base | None = None) -> Stage:
    return Stage(node=NodeId(node), start=start, stop=stop, base=base or Fresh())


def after(node: int, step: int) -> AfterStage:
    return AfterStage(Point(NodeId(node), step))


def rules(
    shapes: Mapping[int, str] | None = None,
    *,
    most: int = 16,
    cost: LaneCost = USUAL,
    most_bundles: int | None = None,
    changes_at: int | None = None,
    **options: Any,
) -> PackingRules:
    """Return rules by which a node's shape is that of its number, or the same for all."""

    def shape_of(of: Stage) -> tuple[str, int]:
        until = of.stop if changes_at is None or not of.start < changes_at < of.stop else changes_at
        return (shapes or {}).get(of.node, "same"), until

    rule = ShapeRule(most_lanes=most, cost=cost, most_bundles=most_bundles)
    return PackingRules(shape_of=shape_of, rule_of=lambda shape: rule, **options)


def packed(
    tree: StageTree, by: PackingRules | None, *, limit: int = 9, slots: int = 1, running: int = 0, **options: Any
) -> list[list[list[int]]]:
    """Return the nodes of each bundle's chains."""
    bundles = pack([tree], [by], limit=limit, num_slots=slots, lanes_running=running, **options)
    return [[[stage.node for stage in chain.stages] for chain in bundle.chains] for bundle in bundles]


# --- what goes together


def test_lanes_of_one_shape_and_step_go_together_the_longest_first() -> None:
    tree = StageTree([stage(1, 0, 5), stage(2, 0, 9), stage(3, 0, 7)])
    assert packed(tree, rules()) == [[[2], [3], [1]]]


def test_lanes_of_another_shape_or_at_another_step_do_not() -> None:
    kept = AtCheckpoint(NodeId(9), 4)
    tree = StageTree([stage(1, 0, 5), stage(2, 0, 4), stage(3, 0, 3), stage(4, 4, 6, kept)])
    assert packed(tree, rules({3: "other"})) == [[[1], [2]], [[3]], [[4]]]


def test_chains_end_where_the_tree_branches_and_where_the_shape_changes() -> None:
    branching = [stage(1, 0, 2), stage(3, 2, 4, after(1, 2)), stage(4, 4, 6, after(3, 4)), stage(5, 4, 7, after(3, 4))]
    changing = [stage(2, 0, 2), stage(6, 2, 9, after(2, 2))]
    assert packed(StageTree(branching + changing), rules({6: "larger"})) == [[[2], [1, 3]]]


def test_a_stage_within_which_the_shape_changes_is_cut_there() -> None:
    (bundle,) = pack([StageTree([stage(1, 0, 9)])], [rules(changes_at=4)], limit=1, num_slots=1, lanes_running=0)
    assert [(each.start, each.stop) for each in bundle.chains[0].stages] == [(0, 4)]


def test_where_lanes_are_walked_one_by_one_a_chain_goes_down_the_longest_way_of_its_shape() -> None:
    tree = StageTree([stage(1, 0, 2), stage(2, 2, 4, after(1, 2)), stage(3, 2, 9, after(1, 2))])
    assert packed(tree, rules(most=1)) == [[[1, 3]]]
    assert packed(tree, rules({3: "other"}, most=1)) == [[[1]]]


def test_a_chain_goes_down_whole_where_no_lane_can_ever_have_company() -> None:
    branches = [stage(2, 2, 4, after(1, 2)), stage(3, 2, 9, after(1, 2)), stage(4, 0, 8)]
    tree = StageTree([stage(1, 0, 2), *branches])  # three ways down
    assert packed(tree, rules(), slots=2) == [[[1, 3]], [[4]]]
    assert packed(tree, rules(), slots=2, running=1) == [[[1]], [[4]]]  # a fourth: there may be two for each slot
    assert packed(tree, rules(), slots=1) == [[[1], [4]]]
    assert packed(tree, rules(is_pulled=True), slots=2) == [[[1]], [[4]]]  # whoever pulls will ask for more
    in_a_slot = StageTree([stage(1, 4, 6, AtResident(NodeId(9), 4)), *(stage(n, 6, 9, after(1, 6)) for n in (2, 3))])
    assert packed(in_a_slot, rules(), slots=8) == [[[1]]]  # what waits for one slot has company there


# --- how many


def test_no_more_go_together_than_come_to_each_slot() -> None:
    tree = StageTree([stage(node, 0, 5) for node in range(1, 8)])
    assert [len(bundle) for bundle in packed(tree, rules(), slots=3)] == [2, 2, 2, 1]
    assert [len(bundle) for bundle in packed(tree, rules(), slots=3, running=2, limit=2)] == [3, 3]


def test_no_more_go_together_than_are_worth_it() -> None:
    tree = StageTree([stage(node, 0, 5) for node in range(1, 8)])
    assert [len(bundle) for bundle in packed(tree, rules(most=4))] == [4, 3]


def test_the_longest_way_is_slowed_only_as_far_as_its_slot_would_be_busy_anyway() -> None:
    long_and_short = [stage(1, 0, 100), *(stage(node, 0, 1) for node in range(2, 32))]
    bundles = packed(StageTree(long_and_short), rules(cost=LaneCost(0.0, 1.0)), slots=2, limit=2)
    assert bundles[0] == [[1]]  # two lanes would take it 200, and 130 remain for two slots
    assert len(bundles[1]) == 15
    free = packed(StageTree(long_and_short), rules(cost=LaneCost(1.0, 0.0)), slots=2, limit=1)
    assert len(free[0]) == 15  # lanes that cost nothing slow nobody


def test_who_pulls_does_not_care_for_the_longest_way() -> None:
    tree = StageTree([stage(1, 0, 100), stage(2, 0, 1)])
    assert packed(tree, rules(cost=LaneCost(0.0, 1.0), is_pulled=True)) == [[[1], [2]]]
    assert packed(tree, rules(cost=LaneCost(0.0, 1.0))) == [[[1]], [[2]]]


# --- which comes first


def test_the_group_of_the_longest_way_is_next_or_where_tuners_pull_the_largest() -> None:
    kept = AtCheckpoint(NodeId(9), 4)
    tree = StageTree([stage(1, 0, 5), stage(2, 0, 5), stage(3, 4, 50, kept)])
    assert packed(tree, rules()) == [[[3]], [[1], [2]]]
    assert packed(tree, rules(is_pulled=True)) == [[[1], [2]], [[3]]]
    assert packed(tree, rules(is_pulled=True, most=1)) == [[[3]], [[1]], [[2]]]


def test_what_has_an_end_comes_before_what_is_pulled() -> None:
    pulled, asked = StageTree([stage(1, 0, 50), stage(2, 0, 50)]), StageTree([stage(1, 0, 5)])
    bundles = pack([pulled, asked], [rules(is_pulled=True), rules()], limit=9, num_slots=1, lanes_running=0)
    assert [bundle.tree for bundle in bundles] == [1, 0]


def test_of_an_undecided_shape_one_bundle_begins_and_none_while_it_runs() -> None:
    tree = StageTree([stage(node, 0, 5) for node in range(1, 8)])
    assert [len(bundle) for bundle in packed(tree, rules(most=4, most_bundles=1))] == [4]
    assert packed(tree, rules(most=4, most_bundles=0)) == []
    kept = [stage(node, 4, 9, AtCheckpoint(NodeId(20), 4)) for node in (11, 12)]
    assert len(packed(StageTree([*kept, stage(1, 0, 5)]), rules(most_bundles=1))) == 1  # of whichever step


def test_speculative_lanes_fill_bundles_and_lead_none_as_long_as_there_are_others() -> None:
    kept = AtCheckpoint(NodeId(9), 4)
    tree = StageTree([stage(1, 0, 5), stage(2, 0, 50), stage(3, 4, 90, kept)])
    by = rules(is_speculative=lambda chain: chain[0].node != 1)
    assert packed(tree, by) == [[[1], [2]], [[3]]]
    assert packed(tree, by, limit=1) == [[[1], [2]]]
    more = [stage(node, 4, 90, AtCheckpoint(NodeId(9), 4)) for node in (4, 5, 6)]
    pulled = rules(is_speculative=lambda chain: chain[0].start == 4, is_pulled=True)
    assert packed(StageTree([stage(1, 0, 5), *more]), pulled) == [[[1]], [[4], [5], [6]]]


# --- lanes that are bound to slots


def test_lanes_whose_states_are_in_different_slots_never_share_a_bundle() -> None:
    where = {1: "a", 2: "b", 3: "a"}
    tree = StageTree([stage(10 + node, 4, 9, AtResident(NodeId(node), 4)) for node in where])
    by = rules(holders=lambda point: frozenset({SlotId(where[point.node])}))
    assert packed(tree, by, limit=0, slots=8) == [[[11], [13]], [[12]]]  # nor do they need a slot that is free
    assert packed(tree, rules(), limit=0) == [[[11]], [[12]], [[13]]]  # nothing known: one state, one slot


def test_a_bundle_goes_where_most_of_its_states_are() -> None:
    def of(node: int, base: Base) -> StageChain:
        return StageChain(0, (stage(node, 4, 9, base),))

    def at(node: int) -> Point:
        return Point(NodeId(node), 4)

    slots = [
        Slot(id=SlotId("a"), resident=frozenset({("w", at(1))})),
        Slot(id=SlotId("b"), resident=frozenset({("w", at(1)), ("w", at(2))})),
    ]
    loose = StageBundle(tuple(of(10 + node, AtCheckpoint(NodeId(node), 4)) for node in (1, 2, 3)))
    bound = StageBundle(tuple(of(10 + node, AtResident(NodeId(node), 4)) for node in (1, 2)))
    assert [slot.id for slot, _ in place([loose], slots, ["w"])] == ["b"]
    assert [slot.id for slot, _ in place([bound], slots, ["w"])] == ["b"]
    assert place([bound], slots[:1], ["w"]) == []


# --- fair shares


def usage(used_s: float = 0.0) -> Usage:
    return Usage(fair_share=FairShare(), used_s=used_s)


def test_the_study_whose_turn_it_is_leads_and_each_pays_for_its_own_lanes() -> None:
    tree = StageTree([stage(1, 0, 50), *(stage(node, 0, 4) for node in range(2, 9))])
    claims = Claims(usages=[usage(), usage(1.0)], studies_at=lambda _, point: [0] if point.node == 1 else [1])
    cheap = rules(most=4, cost=LaneCost(1.0, 0.0), is_pulled=True)
    assert packed(tree, cheap, claims=claims) == [[[1], [2], [3], [4]], [[5], [6], [7], [8]]]
    claims = Claims(usages=[usage(1.0), usage()], studies_at=claims.studies_at)
    assert packed(tree, cheap, claims=claims, limit=1) == [[[2], [1], [3], [4]]]


# --- room


@pytest.mark.parametrize(
    ("free", "most", "ready", "room"), [(2, 16, 0, 32), (2, 16, 30, 2), (1, 4, 9, 0), (0, 16, 0, 0)]
)
def test_there_is_room_for_as_many_lanes_as_fit_beside_those_that_wait(
    free: int, most: int, ready: int, room: int
) -> None:
    assert room_in_lanes(num_free=free, lanes_per_slot=most, num_ready=ready) == room


# --- whatever the tree


@st.composite
def trees(draw: st.DrawFn) -> tuple[StageTree, dict[int, str]]:
    """Any tree: some stages under way, some in files, some bound to slots; and the shapes of its nodes."""
    rng = random.Random(draw(st.integers(0, 10**9)))
    stages: list[Stage] = []
    shapes: dict[int, str] = {}
    for number in range(1, rng.randint(2, 40)):
        parent = rng.choice(stages) if stages and rng.random() < 0.7 else None
        start = 0 if parent is None else parent.stop
        base: Base = Fresh() if parent is None else AfterStage(parent.point)
        if parent is None and rng.random() < 0.5:
            start = rng.choice((2, 4))
            kind = rng.choice((AtCheckpoint, AtResident))
            base = kind(NodeId(100 + rng.randrange(3)), start)
        elif parent is None and rng.random() < 0.2:
            base = Underway(LeaseId(number))
        stages.append(stage(number, start, start + rng.randint(1, 6), base))
        shapes[number] = rng.choice("aab")
    return StageTree(stages), shapes


@settings(max_examples=200, deadline=None)
@given(
    drawn=trees(),
    limit=st.integers(0, 6),
    spare=st.integers(0, 3),
    running=st.integers(0, 9),
    most=st.sampled_from([1, 2, 4, 16]),
    per_lane=st.floats(0.0, 1.0),
    is_pulled=st.booleans(),
)
def test_bundles_of_any_tree_keep_all_bounds(
    drawn: tuple[StageTree, dict[int, str]],
    limit: int,
    spare: int,
    running: int,
    most: int,
    per_lane: float,
    is_pulled: bool,
) -> None:
    tree, shapes = drawn
    slots, cost = limit + spare, LaneCost(1.0 - per_lane, per_lane)
    by = rules(shapes, most=most, cost=cost, is_pulled=is_pulled)
    once, again = (pack([tree], [by], limit=limit, num_slots=slots, lanes_running=running) for _ in range(2))
    assert once == again
    taken = [each.point for bundle in once for chain in bundle.chains for each in chain.stages]
    assert len(set(taken)) == len(taken), "no stage is given out twice"
    assert sum(not bundle.is_bound for bundle in once) <= limit
    assert sum(len(bundle.chains) for bundle in once if bundle.is_bound) == tree.num_bound
    per_slot = max(1, (tree.num_ready + running) // max(slots, 1))
    for bundle in once:
        lanes = len(bundle.chains)
        first = [chain.stages[0] for chain in bundle.chains]
        assert {type(each.base) for each in first} <= {Fresh, AtCheckpoint, AtResident}
        assert len({each.start for each in first}) == 1
        assert len({shapes[each.node] for chain in bundle.chains for each in chain.stages}) == 1
        assert lanes <= most
        if bundle.is_bound:
            assert len(set(bundle.chains[0].beginnings) | {chain.begins_at for chain in bundle.chains}) == 1
        else:
            assert lanes <= per_slot
        longest_s = tree.length(first[0].point)
        if lanes > 1 and not (is_pulled or bundle.is_bound):
            assert cost.slowdown(lanes) * longest_s <= max(longest_s, tree.seconds / max(slots, 1))
        ways_down = running + sum(not tree.followers(point) for point in tree.stages)
        if most > 1 and (is_pulled or bundle.is_bound or ways_down >= 2 * max(slots, 1)):
            assert all(len(tree.followers(each.point)) == 1 for chain in bundle.chains for each in chain.stages[:-1])
        else:
            (chain,) = bundle.chains
            assert chain.stages == tree.longest_path(chain.stages[0].point)[: len(chain.stages)]


@settings(max_examples=100, deadline=None)
@given(drawn=trees(), other=trees(), limit=st.integers(0, 6))
def test_without_rules_chains_are_those_of_the_critical_path(
    drawn: tuple[StageTree, Any], other: tuple[StageTree, Any], limit: int
) -> None:
    both = [drawn[0], other[0]]

    def free(chains: Sequence[StageChain]) -> list[StageChain]:
        return [chain for chain in chains if not chain.is_bound][:limit]

    bundles = pack(both, [None, None], limit=limit, num_slots=8, lanes_running=0)
    chains = [chain for bundle in bundles for chain in bundle.chains]
    assert free(chains) == free(CriticalPath().lanes(both, limit=limit))
    usages = [usage(3.0), usage()]

    def studies_at(tree: int, point: Point) -> list[int]:
        return [0] if tree == 0 else [0, 1] if point.node % 2 else [1]

    fair = pack(
        both,
        [None, None],
        limit=limit,
        num_slots=8,
        lanes_running=0,
        claims=Claims(usages=usages, studies_at=studies_at),
    )
    fairly = fair_lanes(both, usages, studies_at, limit=99)
    if not any(chain.is_bound for chain in fairly):
        assert [bundle.chains[0] for bundle in fair] == fairly[:limit]
