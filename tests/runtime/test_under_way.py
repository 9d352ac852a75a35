"""Work that was given out: whose it is, and when it was heard of last."""

from __future__ import annotations

import pytest

from hippo.records import LeaseId, SlotId
from hippo.runtime.placing.under_way import WorkUnderWay

from .runs import Bench

FIRST, SECOND = LeaseId(1), LeaseId(2)


@pytest.fixture
def work() -> WorkUnderWay:
    """Two leases of two plans, in two slots, begun at 0."""
    work = WorkUnderWay()
    for lease in (FIRST, SECOND):
        work.slots.open(SlotId(f"s{lease}"), {})
        work.begin(lease, Bench().run, SlotId(f"s{lease}"), 0.0)
    return work


def test_a_lease_is_silent_since_it_was_heard_of_last(work: WorkUnderWay) -> None:
    work.heard(FIRST, 50.0)
    assert dict(work.stuck.silent(60.0)) == {FIRST: 10.0, SECOND: 60.0}


def test_what_a_lease_says_that_has_said_all_makes_nobody_wait_for_it(work: WorkUnderWay) -> None:
    work.end(FIRST)
    work.fall_silent(FIRST)
    work.heard(FIRST, 50.0)
    assert dict(work.stuck.silent(60.0)) == {SECOND: 60.0}
    assert work.run_of(FIRST) is None


def test_work_of_other_plans_goes_on_when_one_is_forgotten(work: WorkUnderWay) -> None:
    run, other = work.run_of(FIRST), work.run_of(SECOND)
    assert run is not None
    work.forget(run)
    assert [work.run_of(lease) for lease in (FIRST, SECOND)] == [None, other]
