"""Fair shares: who gets the next slot when several studies want it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hippo.records import AfterStage, Fresh, NodeId, Point, Stage
from hippo.schedulers import FairShare, Usage, fair_lanes
from hippo.stages import StageTree


def tree(*lengths: int) -> StageTree:
    """Return a tree of single stages: node 1, 2, ... of these lengths."""
    return StageTree(
        Stage(node=NodeId(number), start=0, stop=length, base=Fresh()) for number, length in enumerate(lengths, 1)
    )


def picked(
    trees: Sequence[StageTree], usages: Sequence[Usage], owners: Mapping[tuple[int, Point], Sequence[int]], limit: int
) -> list[tuple[int, int]]:
    """Return (tree, node) of the chains' first stages."""
    chains = fair_lanes(trees, usages, lambda index, point: owners.get((index, point), ()), limit=limit)
    return [(chain.tree, chain.stages[0].node) for chain in chains]


def usage(used_s: float = 0.0, *, priority: int = 0, share: float = 1.0) -> Usage:
    return Usage(fair_share=FairShare(priority=priority, share=share), used_s=used_s)


ONE_EACH = {
    **{(0, (NodeId(n), 9)): [0] for n in (1, 2, 3, 4)},
    **{(1, (NodeId(n), 3)): [1] for n in (1, 2, 3, 4, 5, 6)},
}
TREES = [tree(9, 9, 9, 9), tree(3, 3, 3, 3, 3, 3)]


def test_equal_shares_split_device_seconds_and_not_slots() -> None:
    chains = picked(TREES, [usage(), usage()], ONE_EACH, limit=8)
    assert [tree for tree, _ in chains] == [0, 1, 1, 1, 0, 1, 1, 1]  # 9 + 9 seconds against 6 times 3


def test_what_was_used_before_counts() -> None:
    chains = picked(TREES, [usage(9.0), usage(0.0)], ONE_EACH, limit=4)
    assert [tree for tree, _ in chains] == [1, 1, 1, 0]


def test_a_share_twice_as_large_gets_twice_the_seconds() -> None:
    chains = picked(TREES, [usage(share=2.0), usage()], ONE_EACH, limit=6)
    assert [tree for tree, _ in chains] == [0, 1, 1, 0, 1, 0]  # 3 chains of 9 and 3 of 3


def test_a_higher_priority_goes_first_and_the_other_gets_what_is_left() -> None:
    chains = picked(TREES, [usage(), usage(100.0, priority=1)], ONE_EACH, limit=8)
    assert [tree for tree, _ in chains] == [1] * 6 + [0, 0]


def test_work_that_two_studies_wait_for_is_given_out_once() -> None:
    shared = {(0, (NodeId(n), 9)): [0, 1] for n in (1, 2)}
    assert picked([tree(9, 9)], [usage(), usage()], shared, limit=5) == [(0, 1), (0, 2)]


def test_a_claim_below_a_shared_beginning_makes_it_urgent() -> None:
    stages = StageTree(
        [
            Stage(node=NodeId(1), start=0, stop=2, base=Fresh()),
            Stage(node=NodeId(2), start=2, stop=9, base=AfterStage((NodeId(1), 2))),
            Stage(node=NodeId(3), start=0, stop=99, base=Fresh()),
        ]
    )
    owners = {(0, (NodeId(2), 9)): [1], (0, (NodeId(3), 99)): [0]}
    assert picked([stages], [usage(), usage(priority=1)], owners, limit=1) == [(0, 1)]


def owned(owner: str, used_s: float = 0.0, *, share: float = 1.0) -> Usage:
    return Usage(fair_share=FairShare(share=share, owner=owner), used_s=used_s)


def test_all_studies_of_an_owner_have_one_part_together() -> None:
    three = [tree(*[3] * 12), tree(*[3] * 12), tree(*[3] * 12)]
    owners = {(study, (NodeId(n), 3)): [study] for study in range(3) for n in range(1, 13)}
    chains = picked(three, [owned("ada"), owned("bob"), owned("bob")], owners, limit=12)
    given = [study for study, _ in chains]
    assert [given.count(study) for study in range(3)] == [6, 3, 3]


def test_among_an_owners_studies_who_has_had_least_comes_first() -> None:
    two = [tree(3, 3, 3), tree(3, 3, 3)]
    owners = {(study, (NodeId(n), 3)): [study] for study in range(2) for n in (1, 2, 3)}
    assert [study for study, _ in picked(two, [owned("ada", 6.0), owned("ada", 0.0)], owners, limit=3)] == [1, 1, 0]


def test_what_one_study_of_an_owner_used_counts_for_the_others() -> None:
    two = [tree(3, 3, 3), tree(3, 3, 3), tree(3)]
    owners = {(study, (NodeId(n), 3)): [study] for study in range(3) for n in (1, 2, 3)}
    usages = [owned("ada"), owned("bob"), owned("ada", 6.0)]
    assert [study for study, _ in picked(two, usages, owners, limit=3)] == [1, 1, 0]
