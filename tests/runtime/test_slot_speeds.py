"""How fast slots are, as their steps tell."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.records import SlotId
from hippo.runtime.timing.slot_speeds import SlotSpeeds

A, B, C = map(SlotId, "abc")


def noted(*steps: tuple[SlotId, str, float], times: int = 5) -> SlotSpeeds:
    speeds = SlotSpeeds()
    for _ in range(times):
        for slot, kind, seconds in steps:
            speeds.note(slot, kind, seconds)
    return speeds


def test_a_slot_that_takes_twice_the_seconds_has_half_the_speed() -> None:
    speeds = noted((A, "net", 2.0), (B, "net", 1.0))
    assert speeds.differ
    assert (speeds.of(A), speeds.of(B)) == (0.5, 1.0)


def test_a_slot_of_which_nothing_is_known_counts_as_fast() -> None:
    speeds = noted((A, "net", 4.0), (B, "net", 1.0))
    assert (speeds.of(A), speeds.of(C)) == (0.25, 1.0)


@given(st.lists(st.floats(0.92, 1.09), min_size=2, max_size=40))  # the middle of a class is up to 19 % from its ends
def test_what_differs_by_noise_alone_is_equally_fast(noise: list[float]) -> None:
    speeds = SlotSpeeds()
    for factor, slot in zip(noise, itertools.cycle([A, B])):
        speeds.note(slot, "net", 3.0 * factor)
    assert not speeds.differ
    assert speeds.of(A) == speeds.of(B) == 1.0


def test_the_first_step_of_a_slot_does_not_count() -> None:
    speeds = SlotSpeeds()
    for slot in (A, B):
        for seconds in (60.0 if slot == A else 1.0, 1.0, 1.0, 1.0):
            speeds.note(slot, "net", seconds)
    assert not speeds.differ


def test_a_few_steps_are_not_believed() -> None:
    assert not noted((A, "net", 9.0), (B, "net", 1.0), times=3).differ
    assert noted((A, "net", 9.0), (B, "net", 1.0), times=4).differ


def test_steps_of_other_kinds_are_not_compared() -> None:
    assert not noted((A, "large", 9.0), (B, "small", 1.0)).differ


def test_slots_without_a_kind_in_common_are_compared_by_way_of_others() -> None:
    speeds = noted((A, "large", 8.0), (C, "large", 2.0), (C, "small", 0.2), (B, "small", 0.1), times=30)
    assert [speeds.of(slot) for slot in (A, B, C)] == pytest.approx([0.125, 1.0, 0.5])


def test_a_slot_that_became_fast_again_is_seen_to_be() -> None:
    speeds = noted((A, "net", 4.0), (B, "net", 1.0), times=20)
    assert speeds.of(A) == 0.25
    for _ in range(400):
        speeds.note(A, "net", 1.0)
        speeds.note(B, "net", 1.0)
    assert not speeds.differ


def test_a_slot_that_is_lost_is_forgotten() -> None:
    speeds = noted((A, "net", 4.0), (B, "net", 1.0))
    speeds.note(C, "net", 9.0)
    assert speeds.of(A) == 0.25
    speeds.lose(A)
    assert speeds.of(A) == 1.0


def test_a_few_disturbed_steps_count_for_no_more_than_their_number() -> None:
    speeds = noted((A, "net", 1.0), (B, "net", 1.0), times=40)
    for _ in range(4):
        speeds.note(A, "other", 4.0)
        speeds.note(B, "other", 1.0)
    for slot in (A, B):
        speeds.note(slot, "net", 1.0)
    assert not speeds.differ


def test_steps_that_take_no_time_tell_nothing() -> None:
    assert not noted((A, "net", 0.0), (B, "net", 1.0)).differ


def test_of_a_slot_that_is_known_only_some_steps_are_wanted() -> None:
    speeds = noted((A, "net", 1.0), times=20)
    assert all(speeds.wants(A, step) for step in range(1, 20))
    speeds.note(A, "net", 1.0)
    assert [step for step in range(1, 20) if speeds.wants(A, step)] == [8, 16]
    speeds.lose(A)
    assert speeds.wants(A, 1)
