"""A store that is full is told of once, and once more when it takes states again."""

from __future__ import annotations

from hippo.records import LeaseId
from hippo.runtime.placing.shortage import Shortage

A, B, C = map(LeaseId, (1, 2, 3))


def test_it_is_told_by_the_first_lease_that_waits_and_the_last_one_that_goes_on() -> None:
    shortage = Shortage()
    assert (shortage.begin(A, "the disk is full.") or "").startswith("paused: the disk is full. Running steps wait")
    assert shortage.begin(B, "the disk is full.") is None
    assert shortage.end(C) is None  # which wrote what it had to all along
    assert shortage.end(A) is None
    assert "takes states again" in (shortage.end(B) or "")
    assert shortage.end(B) is None
    assert shortage.begin(A, "again") is not None


def test_a_lease_that_has_ended_waits_no_more() -> None:
    shortage = Shortage()
    shortage.begin(A, "full")
    shortage.begin(B, "full")
    shortage.forget(A)
    assert shortage.end(B) is not None
    assert shortage.end(A) is None
