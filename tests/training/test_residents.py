"""States in memory go in the order in which they were last used."""

from __future__ import annotations

from hippo.records import NodeId, Point
from hippo.training import ResidentStates
from hippo.training.codec import EncodedState


def point(step: int) -> Point:
    return NodeId(0), step


def state(size: int = 10) -> EncodedState:
    return EncodedState(None, size)


def test_the_state_used_longest_ago_goes_first() -> None:
    residents = ResidentStates(budget_bytes=20)
    residents.put("w", point(1), state())
    residents.put("w", point(2), state())
    residents.get("w", point(1))
    assert residents.put("w", point(3), state()) == [("w", point(2))]
    assert residents.keys() == {("w", point(1)), ("w", point(3))}


def test_a_state_put_again_replaces_itself() -> None:
    residents = ResidentStates(budget_bytes=20)
    first, second = state(), state(20)
    residents.put("w", point(1), first)
    assert residents.put("w", point(1), second) == []
    assert residents.get("w", point(1)) is second


def test_a_state_too_large_by_itself_is_not_kept() -> None:
    residents = ResidentStates(budget_bytes=20)
    assert residents.put("w", point(1), state(21)) == [("w", point(1))]
    assert residents.get("w", point(1)) is None


def test_workloads_do_not_mix() -> None:
    residents = ResidentStates()
    residents.put("w", point(1), state())
    assert residents.get("v", point(1)) is None
