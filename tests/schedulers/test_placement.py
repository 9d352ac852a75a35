"""Slots of several speeds: who waits, who begins, and what moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from hippo.records import NodeId, Point, Slot, SlotId
from hippo.schedulers import TakenSlot, place, worth_moving

_SPEEDS = st.sampled_from([1.0, 0.7, 0.5, 0.25])
_SECONDS = st.integers(1, 40).map(float)


@dataclass(frozen=True)
class Work:
    """A pick that begins at these states."""

    name: int = 0
    beginnings: tuple[Point | None, ...] = (None,)
    is_bound: bool = False
    tree: int = 0


def slot(name: str, speed: float = 1.0, *held: Point) -> Slot:
    return Slot(id=SlotId(name), resident=frozenset(("w", point) for point in held), speed=speed)


def placed(
    seconds: Sequence[float], slots: Sequence[Slot], *taken: TakenSlot, picks: Sequence[Work] | None = None
) -> list[tuple[str, int]]:
    works = [Work(number) for number in range(len(seconds))] if picks is None else picks
    return [(at.id, work.name) for at, work in place(works, slots, ["w"], seconds=seconds, taken=taken)]


def test_the_longest_goes_to_the_fastest_and_the_shortest_to_the_slowest() -> None:
    slots = [slot("slow", 0.25), slot("fast"), slot("middle", 0.5)]
    assert placed([8, 90, 20], slots) == [("slow", 0), ("fast", 1), ("middle", 2)]


def test_a_chain_waits_for_a_fast_slot_where_it_ends_sooner_and_a_short_one_begins_in_its_place() -> None:
    fast, slow = TakenSlot(1.0, 10.0), [slot("slow", 0.5)]
    assert placed([40], slow, fast) == []  # 10 + 40 < 80
    assert placed([40, 9], slow, fast) == [("slow", 1)]  # 18 < 50 + 9
    assert placed([9], slow, fast) == [("slow", 0)]  # 18 < 19


def test_nobody_waits_who_ends_before_all_is_over() -> None:
    slots, taken, works = [slot("slow", 0.5)], [TakenSlot(1.0, 10.0)], [Work(7)]
    assert not place(works, slots, ["w"], seconds=[40.0], taken=taken, horizon_s=79.0)
    assert place(works, slots, ["w"], seconds=[40.0], taken=taken, horizon_s=80.0) == [(slots[0], works[0])]


def test_who_waits_keeps_its_slot_from_the_others() -> None:
    """Two chains of 40 s: the first waits for the fast slot, where the second would end after 90 s."""
    assert placed([40, 40], [slot("slow", 0.5)], TakenSlot(1.0, 10.0)) == [("slow", 1)]


def test_a_chain_goes_home_unless_it_would_end_later_there() -> None:
    home = Point(NodeId(1), 4)
    begins_there, slots = [Work(7, (home,))], [slot("fast"), slot("home", 0.5, home)]
    assert placed([10], slots, picks=begins_there) == [("fast", 7)]
    assert placed([10], [slot("fast"), slot("home", 1.0, home), slot("slow", 0.5)], picks=begins_there) == [("home", 7)]
    assert placed([10], slots[1:], TakenSlot(1.0, 11.0), picks=begins_there) == [("home", 7)]
    bound = [Work(7, (home,), is_bound=True)]
    assert placed([10], slots, picks=bound) == [("home", 7)]
    assert placed([10], slots[:1], TakenSlot(0.5, 1.0), picks=bound) == []


def test_a_home_that_is_taken_is_nobody_elses() -> None:
    home = Point(NodeId(1), 4)
    slots = [slot("home", 1.0, home), slot("slow", 0.5)]
    picks = [Work(1, (home,)), Work(2), Work(3)]
    assert placed([30, 20, 10], slots, picks=picks) == [("home", 1), ("slow", 2)]


@given(st.lists(_SECONDS, max_size=8), st.integers(1, 5), st.lists(_SECONDS, max_size=5))
def test_equally_fast_slots_are_filled_by_urgency_and_nobody_waits(
    seconds: list[float], num_free: int, taken: list[float]
) -> None:
    slots = [slot(str(number), 0.5) for number in range(num_free)]
    expected = [(str(number), number) for number in range(min(num_free, len(seconds)))]
    assert placed(seconds, slots, *[TakenSlot(0.5, free_in) for free_in in taken]) == expected


@given(
    st.lists(_SECONDS, min_size=1, max_size=8),
    st.lists(_SPEEDS, min_size=1, max_size=5),
    st.lists(st.builds(TakenSlot, _SPEEDS, _SECONDS), max_size=5),
)
def test_what_begins_ends_no_later_than_after_any_wait_and_something_begins_where_nothing_runs(
    seconds: list[float], speeds: list[float], taken: list[TakenSlot]
) -> None:
    slots = [slot(str(number), speed) for number, speed in enumerate(speeds)]
    pairs = placed(seconds, slots, *taken)
    assert len({at for at, _ in pairs}) == len({number for _, number in pairs}) == len(pairs)
    if len({*speeds, *(each.speed for each in taken)}) > 1:
        for at, number in pairs:
            ends_s = seconds[number] / speeds[int(at)]
            if number == seconds.index(max(seconds)):  # nobody chose before it
                assert all(ends_s <= each.free_in_s + seconds[number] / each.speed for each in taken)
                assert all(ends_s <= seconds[number] / speed for speed in speeds)
    if not taken:
        assert pairs, "nothing would ever begin"


# --- what moves


def test_what_would_end_last_moves_to_the_fastest_slot() -> None:
    taken = [TakenSlot(0.5, 60.0, 1.0), TakenSlot(0.5, 80.0, 1.0), TakenSlot(1.0, 90.0, 1.0)]
    assert worth_moving([1.0], taken) == [1]  # 80 > 1 + 40; the third is as fast already
    assert worth_moving([1.0, 1.0, 1.0], taken) == [1, 0]
    assert worth_moving([0.5], taken) == []


def test_what_is_hardly_left_stays() -> None:
    assert worth_moving([1.0], [TakenSlot(0.5, 10.0, 5.0)]) == []
    assert worth_moving([1.0], [TakenSlot(0.5, 11.0, 5.0)]) == [0]
    assert worth_moving([1.0], [TakenSlot(0.5, 1e9)]) == []  # it cannot be moved
    assert TakenSlot(0.5, 1e9).moving_s == math.inf
