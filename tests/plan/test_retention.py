"""In which order states go, and what making them anew would take: tables, and a property over random trees."""

from __future__ import annotations

from random import Random

import pytest

from hippo.plan import RankedStates, StateFile, StatesInFiles, Worth, choose, forecast
from hippo.plan.retention import SPARE, Rank
from hippo.records import NodeId, Point


def at(node: int, step: int) -> Point:
    return Point(NodeId(node), step)


#: 1 is a root; 2 and 3 leave it after 4 steps, 4 leaves 2 after 8
TREE: dict[int, tuple[int | None, int]] = {1: (None, 0), 2: (1, 4), 3: (1, 4), 4: (2, 8)}


def held(
    *points: Point, sizes: dict[Point, int] | None = None, seconds: dict[int, float] | None = None
) -> StatesInFiles:
    files = {point: StateFile(f"n{point.node}-s{point.step}", (sizes or {}).get(point, 100)) for point in points}
    return StatesInFiles(TREE, files, seconds or {})


@pytest.mark.parametrize(
    ("point", "files", "gone", "spans"),
    [
        (at(1, 3), (), (), [(1, 0, 3)]),
        (at(4, 10), (), (), [(4, 8, 10), (2, 4, 8), (1, 0, 4)]),
        (at(4, 10), (at(2, 6),), (), [(4, 8, 10), (2, 6, 8)]),
        (at(4, 10), (at(2, 8),), (), [(4, 8, 10)]),
        (at(4, 10), (at(2, 8), at(2, 6)), (at(2, 8),), [(4, 8, 10), (2, 6, 8)]),
        (at(4, 10), (at(4, 10),), (), [(4, 8, 10), (2, 4, 8), (1, 0, 4)]),
        (at(4, 10), (at(4, 9), at(1, 4)), (), [(4, 9, 10)]),
        (at(3, 6), (at(2, 6), at(1, 2)), (), [(3, 4, 6), (1, 2, 4)]),
        (at(3, 6), (at(1, 6),), (), [(3, 4, 6), (1, 0, 4)]),  # beyond where the path leaves the root
    ],
)
def test_a_state_is_made_from_the_nearest_one_on_its_way(
    point: Point, files: tuple[Point, ...], gone: tuple[Point, ...], spans: list[tuple[int, int, int]]
) -> None:
    assert held(*files).steps_to_make(point, gone) == spans


def test_states_on_a_way_are_named_from_its_end() -> None:
    files = held(at(1, 2), at(1, 4), at(1, 6), at(2, 5), at(2, 9), at(4, 10))
    assert list(files.on_way(4, 10)) == [at(4, 10), at(2, 5), at(1, 4), at(1, 2)]
    assert list(files.on_way(2, 5)) == [at(2, 5), at(1, 4), at(1, 2)]
    assert [files.owner(4, step) for step in (1, 4, 5, 8, 9, 12)] == [1, 1, 2, 2, 4, 4]


def test_a_step_that_several_states_need_is_foretold_once() -> None:
    files = held(at(2, 6), at(3, 6), at(1, 2))
    both = [at(2, 6), at(3, 6)]
    assert forecast(files, both, both).steps == 2 + 2 + 2
    assert forecast(files, both[:1], both).steps == 4
    assert forecast(files, both, [*both, at(1, 2)]).steps == 2 + 2 + 4
    assert forecast(files, [], both).steps == 0


def test_seconds_go_by_the_node() -> None:
    files = held(at(2, 6), seconds={1: 3.0, 2: 0.5})
    assert forecast(files, [at(2, 6)], ()).seconds == 4 * 3.0 + 2 * 0.5


ORDER = [
    SPARE,
    Worth(Rank.PASSED),
    Worth(Rank.LAST, -7),
    Worth(Rank.LAST, -1),
    Worth(Rank.LIVE),
    Worth(Rank.BEST, -1),
    Worth(Rank.BEST, 0),
]


def test_states_go_by_rank_and_the_worst_trials_first() -> None:
    points = [at(1, step) for step in range(1, 8)]
    worths = dict(zip(points, reversed(ORDER), strict=True))
    plan = RankedStates(held(*points), worths)
    assert [point for _, point in choose([plan], 10_000)] == points[::-1]
    assert [point for _, point in choose([plan], 201)] == points[:-4:-1]
    assert choose([plan], 0) == []


def test_within_a_rank_the_cheapest_for_its_bytes_goes_first_given_what_has_gone() -> None:
    points = [at(1, 2), at(1, 3), at(1, 10)]
    plan = RankedStates(held(*points), {})
    # 3 from 2 takes one step, 2 takes two; when 3 has gone, 10 takes eight, and 2 still two
    assert [point for _, point in choose([plan], 10_000)] == [at(1, 3), at(1, 2), at(1, 10)]
    large = RankedStates(held(*points, sizes={at(1, 10): 10_000}), {})
    assert choose([large], 1) == [(0, at(1, 10))]


def test_what_work_needs_stays_whatever_its_rank() -> None:
    points = [at(1, 2), at(1, 3)]
    plan = RankedStates(held(*points), {})
    assert choose([plan], 10_000, is_needed=lambda which, point: point == at(1, 3)) == [(0, at(1, 2))]


def test_plans_are_looked_at_together() -> None:
    one = RankedStates(held(at(1, 5)), {at(1, 5): Worth(Rank.LIVE)})
    other = RankedStates(held(at(1, 9)), {})
    assert choose([one, other], 100) == [(1, at(1, 9))]
    assert choose([one, other], 101) == [(1, at(1, 9)), (0, at(1, 5))]


@pytest.mark.parametrize("seed", range(200))
def test_whatever_is_chosen_is_the_least_worth_at_each_moment(seed: int) -> None:
    rng = Random(seed)
    nodes: dict[int, tuple[int | None, int]] = {1: (None, 0)}
    for number in range(2, rng.randint(3, 8)):
        parent = rng.randint(1, number - 1)
        nodes[number] = (parent, nodes[parent][1] + rng.randint(1, 4))
    points = {at(node, start + rng.randint(1, 6)) for node, (_, start) in nodes.items() for _ in range(2)}
    files = StatesInFiles(
        nodes,
        {point: StateFile(str(point), rng.randint(1, 50)) for point in points},
        {node: rng.random() for node in nodes},
    )
    worths = {point: rng.choice(ORDER) for point in points if rng.random() < 0.5}
    plan = RankedStates(files, worths)
    gone: set[Point] = set()
    for _, point in choose([plan], rng.randint(0, 300)):

        def order(one: Point) -> tuple[int, int, float]:
            worth = plan.worth(one)
            seconds = files.seconds_of(files.steps_to_make(one, gone))
            return int(worth.rank), worth.merit, seconds / files.files[one].size_bytes

        assert order(point) == min(order(one) for one in points - gone)
        gone.add(point)
    spans = [span for one in gone for span in files.steps_to_make(one, gone)]
    steps = {(node, step) for node, start, stop in spans for step in range(start, stop)}
    assert forecast(files, gone, gone).steps == len(steps)
