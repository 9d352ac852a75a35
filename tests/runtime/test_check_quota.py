"""Which lanes are compared: enough to notice a trainer that does not resume exactly, at a price that is never felt."""

from __future__ import annotations

import pytest

from hippo.records import Exactness, SlotId
from hippo.runtime.plans.check_quota import CheckQuota, Checks


def asked(quota: CheckQuota, exactness: Exactness = Exactness.PROVEN, **lane: object) -> Checks:
    return quota.checks_of(exactness, **{"first": 0, "stop": 10, "is_checking": False, **lane})  # type: ignore[arg-type]


def test_the_first_lane_of_a_workload_is_compared_at_its_beginning_and_a_proven_one_at_its_end() -> None:
    assert asked(CheckQuota(), Exactness.UNCHECKED) == Checks(first=True)
    assert asked(CheckQuota()) == Checks(last=True)


@pytest.mark.parametrize(
    ("quota", "exactness", "lane"),
    [
        (CheckQuota(), Exactness.PROVEN, {"is_checking": True}),
        (CheckQuota(), Exactness.UNCHECKED, {"is_checking": True}),
        (CheckQuota(), Exactness.FAILED, {}),
        (CheckQuota(is_wanted=False), Exactness.UNCHECKED, {}),
        (CheckQuota(), Exactness.UNCHECKED, {"stop": 1}),
        (CheckQuota(executed=1, checked=1), Exactness.UNCHECKED, {"stop": 1}),
        (CheckQuota(executed=1), Exactness.PROVEN, {"stop": 1}),
        (CheckQuota(), Exactness.PROVEN, {"first": 9}),
    ],
    ids=[
        "beside another",
        "beside another, unchecked",
        "failed",
        "not wanted",
        "a first step, which nothing came before",
        "a first step, after another comparison",
        "a first step, proven",
        "one step",
    ],
)
def test_nothing_is_compared_where_that_says_nothing_or_another_lane_does(
    quota: CheckQuota, exactness: Exactness, lane: dict[str, object]
) -> None:
    assert asked(quota, exactness, **lane) == Checks()


def test_a_first_step_alone_is_compared_where_another_lane_may_have_left_something_behind() -> None:
    quota = CheckQuota(executed=1)
    assert asked(quota, Exactness.UNCHECKED, stop=1) == Checks(last=True)
    quota.note_checked(1)
    assert asked(quota, Exactness.UNCHECKED, stop=3) == Checks(first=True)  # what resumes exactly is not known yet


@pytest.mark.parametrize(
    ("executed", "checked", "is_left"), [(0, 3, True), (0, 4, False), (249, 4, False), (250, 4, True), (250, 5, False)]
)
def test_checks_take_four_steps_or_two_percent_of_what_was_executed(executed: int, checked: int, is_left: bool) -> None:
    assert asked(CheckQuota(executed=executed, checked=checked)).last is is_left


def test_what_is_executed_makes_room_for_checks_and_what_is_checked_takes_it() -> None:
    quota = CheckQuota(executed=249, checked=4)
    quota.note_executed()
    assert asked(quota).last
    quota.note_checked(1)
    assert not asked(quota).last


def test_last_steps_are_compared_at_doubling_distances() -> None:
    quota = CheckQuota(executed=10_000, checked=2, furthest=10)
    assert [asked(quota, stop=stop).last for stop in (19, 20)] == [False, True]
    quota.note_checked(20)
    assert [asked(quota, stop=stop).last for stop in (39, 40)] == [False, True]
    quota.note_checked(7)
    assert not asked(quota, stop=39).last


def test_a_workload_whose_first_comparison_said_nothing_is_compared_again_while_there_is_room() -> None:
    assert [asked(CheckQuota(checked=n), Exactness.UNCHECKED).first for n in (1, 2)] == [True, False]


def test_one_change_of_values_is_compared_since_a_plan_was_opened() -> None:
    quota = CheckQuota(executed=10_000)
    assert asked(quota, changes=True).change
    assert asked(quota, Exactness.UNCHECKED, changes=True).change
    assert not asked(quota).change
    quota.has_compared_change = True
    assert not asked(quota, changes=True).change


def test_a_slot_is_shown_one_state_and_another_if_that_did_not_pass() -> None:
    quota, slot = CheckQuota(), SlotId("a")
    assert quota.needs_look(slot)
    quota.note_look(slot)
    assert not quota.needs_look(slot)
    assert quota.needs_look(SlotId("b"))
    quota.look_again(slot)
    assert quota.needs_look(slot)
