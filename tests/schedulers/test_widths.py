"""Gangs: who gets how many slots, and for whom it is worth ending what runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from hippo.records import Slot, SlotId
from hippo.schedulers import AtWork, Widening, share_out, worth_breaking_up, worth_widening


def slot(name: str, node: str = "n", speed: float = 1.0, devices: int = 1) -> Slot:
    return Slot(id=SlotId(name), node=node, speed=speed, devices=devices)


def slots(count: int, node: str = "n", speed: float = 1.0) -> list[Slot]:
    return [slot(f"{node}{number}", node, speed) for number in range(count)]


def speedup(used: float) -> Callable[[int], float]:
    return lambda width: 1.0 + used * (width - 1)


def chain(at: Slot, seconds: float, most: int = 8, **more: float | bool) -> Widening:
    return Widening(at, seconds, speedup(0.85), most, **more)  # type: ignore[arg-type]


def widths(chains: Sequence[Widening], free: Sequence[Slot]) -> list[int]:
    return [1 + len(peers) for _, peers in share_out(chains, free)]


def at_work(seconds: float, *held: Slot, most: int = 8, moving_s: float = 0.0, is_ending: bool = False) -> AtWork:
    return AtWork(held, seconds, speedup(0.85), most, moving_s, is_ending)


# --------------------------------------------------------------------------------------------- what begins


def test_one_chain_gets_as_many_slots_as_its_steps_have_parts() -> None:
    first, *free = slots(12)
    assert widths([chain(first, 100.0)], free) == [8]
    assert widths([chain(first, 100.0, most=4)], free) == [4]
    assert widths([chain(first, 100.0, most=1)], free) == [1]


def test_whoever_would_end_last_gets_twice_the_slots_again_and_again() -> None:
    one, two, three, *free = slots(8)
    chains = [chain(one, 10.0), chain(two, 100.0), chain(three, 40.0)]
    assert widths(chains, free) == [2, 4, 2]
    assert widths([chain(one, 100.0), chain(two, 100.0)], [three, *free]) == [4, 4]


def test_a_gang_is_of_one_node_one_speed_and_slots_of_as_many_devices() -> None:
    lead = slot("lead", "a")
    others = [slot("b", "b"), slot("slow", "a", speed=0.5), slot("large", "a", devices=2)]
    assert widths([chain(lead, 100.0)], others) == [1]
    assert share_out([chain(lead, 100.0)], [*others, slot("like", "a")]) == [(lead, (SlotId("like"),))]


def test_a_chain_leads_from_where_it_can_have_most_unless_it_is_bound_or_holds_its_state() -> None:
    lead, far = slot("lead", "a"), slots(4, "b")
    (moved,) = share_out([chain(lead, 100.0)], far)
    assert (moved[0].node, len(moved[1])) == ("b", 3)
    assert share_out([chain(lead, 100.0, is_bound=True)], far) == [(lead, ())]
    gain_s = 100.0 - 100.0 / 3.55
    assert share_out([chain(lead, 100.0, leaving_s=gain_s + 1.0)], far) == [(lead, ())]
    assert share_out([chain(lead, 100.0, leaving_s=gain_s - 1.0)], far)[0][0].node == "b"


def test_chains_that_hold_their_states_keep_their_slots_beside_longer_ones_that_do_not() -> None:
    """The longest comes from another node, and does not take the slot in which another one's state is."""
    home, *free = slots(6, "b")
    shared = share_out([chain(slot("a", "a"), 100.0), chain(home, 50.0, leaving_s=500.0)], free)
    assert shared[0][0].node == "b"
    assert shared[1][0] == home


def test_slots_that_take_longer_to_begin_than_they_save_stay_idle() -> None:
    lead, *free = slots(2)
    saved_s = 100.0 - 100.0 / 1.85
    assert widths([chain(lead, 100.0, start_s=saved_s + 0.1)], free) == [1]
    assert widths([chain(lead, 100.0, start_s=saved_s - 0.1)], free) == [2]


def test_slots_that_are_of_no_use_stay_idle() -> None:
    lead, *free = slots(4)
    assert share_out([Widening(lead, 100.0, speedup(0.0), 8)], free) == [(lead, ())]


@st.composite
def shared_work(draw: st.DrawFn) -> tuple[list[Widening], list[Slot]]:
    nodes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    all_slots = [each for number, size in enumerate(nodes) for each in slots(size, f"n{number}")]
    chosen = draw(st.lists(st.sampled_from(range(len(all_slots))), unique=True, min_size=1))
    chains = [
        Widening(
            all_slots[number],
            float(draw(st.integers(0, 50))),
            speedup(draw(st.sampled_from([0.0, 0.5, 0.85, 1.0]))),
            draw(st.sampled_from([1, 2, 4, 8])),
            float(draw(st.integers(0, 9))),
            float(draw(st.integers(0, 9))),
            draw(st.booleans()),
        )
        for number in chosen
    ]
    return chains, [each for number, each in enumerate(all_slots) if number not in chosen]


@given(shared_work())
def test_no_slot_is_given_twice_and_every_chain_leads_from_one(work: tuple[list[Widening], list[Slot]]) -> None:
    chains, free = work
    shared = share_out(chains, free)
    given_out = [each for lead, peers in shared for each in (lead.id, *peers)]
    known = {each.id: each for each in (*free, *(one.slot for one in chains))}
    assert len(set(given_out)) == len(given_out)
    assert set(given_out) <= set(known)
    for one, (lead, peers) in zip(chains, shared, strict=True):
        assert all(known[peer].node == lead.node for peer in peers)
        assert (1 + len(peers)).bit_count() == 1
        assert 1 + len(peers) <= one.most
        assert lead == one.slot or not one.is_bound


@given(shared_work())
def test_no_slot_stays_idle_that_would_be_of_use(work: tuple[list[Widening], list[Slot]]) -> None:
    chains, free = work
    shared = share_out(chains, free)
    given_out = {each for lead, peers in shared for each in (lead.id, *peers)}
    left = [each.node for each in (*free, *(one.slot for one in chains)) if each.id not in given_out]
    for one, (lead, peers) in zip(chains, shared, strict=True):
        width = 1 + len(peers)
        saved_s = one.seconds / one.speedup(width) - one.seconds / one.speedup(2 * width)
        may_have_more = 2 * width <= one.most and saved_s > (one.start_s if width == 1 else 0.0) + 1e-9
        assert not may_have_more or left.count(lead.node) < width


# --------------------------------------------------------------------------------------- what is under way


def test_what_ends_last_is_widened_first_if_that_saves_more_than_it_costs() -> None:
    first, second, *free = slots(3)
    working = [at_work(50.0, first), at_work(100.0, second)]
    assert worth_widening(working, free) == [1]
    saved_s = 100.0 - 100.0 / 1.85
    assert worth_widening([at_work(100.0, second, moving_s=saved_s - 1.0)], free) == [0]
    assert worth_widening([at_work(100.0, second, moving_s=saved_s + 1.0)], free) == []


def test_nothing_is_widened_beyond_its_parts_nor_for_fewer_slots_than_it_has() -> None:
    *held, spare = slots(3)
    assert worth_widening([at_work(100.0, *held)], [spare]) == []
    assert worth_widening([at_work(100.0, held[0], most=1)], [spare]) == []


def test_widths_are_powers_of_two_and_what_is_left_of_a_node_is_for_others() -> None:
    first, second, *free = slots(9)
    assert worth_widening([at_work(100.0, first, most=6), at_work(50.0, second)], free) == [0, 1]
    assert widths([chain(first, 100.0, most=6)], free) == [4]


def test_slots_wait_for_what_is_about_to_end_and_will_need_them() -> None:
    ending, other, *free = slots(3)
    told = at_work(100.0, ending, moving_s=math.inf, is_ending=True)
    assert worth_widening([told, at_work(50.0, other)], free) == []
    assert worth_widening([at_work(100.0, ending, moving_s=math.inf), at_work(50.0, other)], free) == [1]


def test_work_is_widened_on_another_node_of_like_slots() -> None:
    lone, far = slot("a", "a"), slots(4, "b")
    assert worth_widening([at_work(100.0, lone)], far) == [0]
    assert worth_widening([at_work(100.0, lone)], slots(4, "b", speed=0.5)) == []


def test_what_leaves_a_node_leaves_its_slots_to_others() -> None:
    """The longest goes to the larger node, and the slot that it leaves widens the other chain there."""
    one, two = slots(2, "a")
    assert worth_widening([at_work(100.0, one), at_work(50.0, two)], slots(4, "b")) == [0, 1]


def test_gangs_are_broken_up_the_widest_first_until_there_are_slots_for_all() -> None:
    all_slots = slots(7)
    pair, four, one = all_slots[:2], all_slots[2:6], all_slots[6:]
    working = [at_work(90.0, *pair), at_work(90.0, *four), at_work(90.0, *one)]
    assert worth_breaking_up(working, 3) == [1]
    assert worth_breaking_up(working, 4) == [1, 0]
    assert worth_breaking_up(working, math.inf) == [1, 0]
    assert worth_breaking_up(working, 0) == []


def test_a_gang_that_is_nearly_done_is_left_alone() -> None:
    pair = slots(2)
    left_s = 10.0 / 1.85
    assert worth_breaking_up([at_work(10.0, *pair, moving_s=left_s + 0.1)], 1) == []
    assert worth_breaking_up([at_work(10.0, *pair, moving_s=left_s - 0.1)], 1) == [0]
