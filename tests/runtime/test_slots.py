"""The engine's slots: free or not, and what each holds in its memory."""

from __future__ import annotations

import pytest

from hippo.events import StatesResident
from hippo.records import LeaseId, NodeId, SlotId
from hippo.runtime.placing.slots import SlotTable

A, B, C = (SlotId(name) for name in "zyx")  # ids say nothing of the order of opening
P, Q = (NodeId(1), 4), (NodeId(2), 4)


@pytest.fixture
def slots() -> SlotTable:
    table = SlotTable()
    for slot in (A, B, C):
        table.open(slot, {})
    return table


def holds(slots: SlotTable, slot: SlotId, *added: tuple[NodeId, int], dropped: tuple = (), workload: str = "w") -> None:  # type: ignore[type-arg]
    slots.note_states(StatesResident(slot=slot, workload=workload, added=added, dropped=dropped))


def offered(slots: SlotTable, *wanted: object) -> list[SlotId]:
    return [slot.id for slot in slots.free(wanted)]  # type: ignore[arg-type]


def test_so_many_slots_are_offered_as_there_are_chains_the_first_opened_first(slots: SlotTable) -> None:
    assert offered(slots, None, None) == [A, B]
    assert offered(slots, *[None] * 9) == [A, B, C]
    assert offered(slots) == []


def test_a_slot_that_holds_what_a_chain_begins_with_is_offered_however_late_it_opened(slots: SlotTable) -> None:
    holds(slots, C, P)
    assert offered(slots, ("w", P)) == [A, C]
    assert [slot.resident for slot in slots.free([("w", P)])] == [frozenset(), frozenset({("w", P)})]


def test_of_all_that_a_slot_holds_only_what_is_wanted_is_named(slots: SlotTable) -> None:
    holds(slots, A, P, Q)
    assert [slot.resident for slot in slots.free([("w", P)])] == [frozenset({("w", P)})]


def test_a_state_of_another_workload_is_another_state(slots: SlotTable) -> None:
    holds(slots, C, P, workload="v")
    assert offered(slots, ("w", P)) == [A]


def test_a_slot_has_work_from_take_to_release(slots: SlotTable) -> None:
    slots.take(A, LeaseId(7))
    assert (slots.num_free_of(None), len(slots), slots.leases()) == (2, 3, [(A, 7)])
    assert offered(slots, None) == [B]
    slots.release(A, LeaseId(7))
    assert (slots.num_free_of(None), slots.leases()) == (3, [])
    assert sorted(offered(slots, None, None, None)) == sorted([A, B, C])


def test_a_busy_slot_is_not_offered_though_it_holds_what_is_wanted(slots: SlotTable) -> None:
    holds(slots, C, P)
    slots.take(C, LeaseId(7))
    assert offered(slots, ("w", P)) == [A]


def test_a_lost_slot_names_its_lease_and_is_gone_with_what_it_held(slots: SlotTable) -> None:
    holds(slots, C, P)
    slots.take(C, LeaseId(7))
    assert slots.lose(C) == 7
    assert slots.lose(C) is None
    slots.release(C, LeaseId(7))  # a late word
    holds(slots, C, P)
    assert offered(slots, ("w", P), None, None) == [A, B]
    assert slots.ids() == [A, B]


def test_a_slot_is_not_freed_by_a_lease_that_ended_there_before(slots: SlotTable) -> None:
    for lease in (LeaseId(7), LeaseId(8)):
        slots.take(A, lease)
        slots.release(A, LeaseId(7))
    assert slots.leases() == [(A, 8)]
    assert offered(slots, None, None) == [B, C]


def test_a_slot_that_is_said_to_open_once_more_keeps_its_work_and_what_it_holds(slots: SlotTable) -> None:
    holds(slots, A, P)
    slots.take(A, LeaseId(7))
    slots.open(A, {})
    assert slots.leases() == [(A, 7)]
    slots.release(A, LeaseId(7))
    assert {slot.id: slot.resident for slot in slots.free([("w", P)])}[A] == frozenset({("w", P)})


def test_a_slot_that_was_lost_does_not_open_by_a_word_that_comes_late(slots: SlotTable) -> None:
    slots.lose(A)
    slots.open(A, {})
    assert (slots.ids(), offered(slots, None, None, None)) == ([B, C], [B, C])


def test_a_state_that_left_a_slot_is_nowhere_until_it_comes_back(slots: SlotTable) -> None:
    holds(slots, B, P)
    holds(slots, C, P, Q)
    holds(slots, C, dropped=(P, P))
    assert offered(slots, ("w", P)) == [A, B]
    assert offered(slots, ("w", Q)) == [A, C]
    holds(slots, C, P)
    assert offered(slots, ("w", P)) == [A, B, C]


def test_slots_of_a_gang_are_taken_and_free_together() -> None:
    slots = SlotTable()
    for slot in (A, B, C):
        slots.open(slot, {}, node="n", devices=2)
    slots.take(B, LeaseId(7), [A])
    assert [each.id for each in slots.free(None)] == [C]
    assert (slots.leases(), slots.num_helping) == ([(B, 7)], 1)
    assert slots.retire(A) == LeaseId(7)
    slots.release(B, LeaseId(7))
    assert ([each.id for each in slots.free(None)], slots.num_helping) == ([B, C], 0)
    assert {(each.node, each.devices) for each in slots.free([None])} == {("n", 2)}


def test_the_loss_of_one_slot_of_a_gang_frees_the_others_and_names_their_lease() -> None:
    slots = SlotTable()
    for slot in (A, B, C):
        slots.open(slot, {})
    slots.take(B, LeaseId(7), [A])
    assert slots.lose(A) == LeaseId(7)
    assert ([each.id for each in slots.free(None)], slots.leases(), slots.num_helping) == ([B, C], [], 0)


def test_an_environment_is_known_as_long_as_a_slot_of_it_is_open() -> None:
    slots = SlotTable()
    slots.open(A, {"device": "cpu"})
    slots.open(B, {"device": "cpu"})
    slots.open(C, {"device": "cuda"})
    of_a = slots.kind_of(A)
    slots.lose(A)
    assert list(slots.environments) == [{"device": "cpu"}, {"device": "cuda"}]
    slots.lose(B)
    assert list(slots.environments) == [{"device": "cuda"}]
    assert slots.num_of(of_a) == slots.num_free_of(of_a) == 0


def test_slots_of_one_kind_are_as_fast_as_they_are_together() -> None:
    slots = SlotTable()
    for slot, device, seconds in ((A, "cpu", 4.0), (B, "cpu", 2.0), (C, "cuda", 1.0)):
        slots.open(slot, {"device": device})
        for _ in range(20):
            slots.speeds.note(slot, "net", seconds)
    assert [slots.bare(slot).speed for slot in (A, B, C)] == pytest.approx([0.25, 0.5, 1.0], rel=0.01)
    assert slots.total_speed(slots.kind_of(A)) == pytest.approx(0.75, rel=0.01)
    assert slots.total_speed(slots.kind_of(C)) == pytest.approx(1.0, rel=0.01)
    assert slots.total_speed() == pytest.approx(1.75, rel=0.01)
