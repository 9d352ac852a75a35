"""A database of schema 5 does not know when leases ended, says so, and writes it down from now on."""

from __future__ import annotations

from pathlib import Path

import pytest

import hippo
from hippo.plan import LeaseRow, open_store
from hippo.study import LeaseState
from hippo.views import slots

from .studies import STUDIES, make
from .upgraded import upgraded_from


@pytest.fixture
def upgraded(tmp_path: Path) -> str:
    """Return the URL of a database that was of schema 5."""
    return upgraded_from(5, tmp_path)


def test_ends_that_nobody_wrote_down_are_unknown_and_those_to_come_are_known(upgraded: str) -> None:
    old = hippo.load_study("plain", upgraded)
    before = old.leases()
    assert {(lease.state, lease.ended_at) for lease in before} == {(LeaseState.DONE, None)}
    times = slots(before, old.tree())
    assert times.unknown == len(times.bars) == len(before)
    assert [use.busy_s for use in times.slots] == [0.0]
    assert any(row.lanes is None for row in open_store(upgraded).rows(LeaseRow))

    study = make("plain", upgraded, STUDIES["plain"][0])
    study.evaluate({"lr": 0.77}, until=3)
    study.close()
    (new,) = [lease for lease in hippo.load_study("plain", upgraded).leases() if lease.ended_at is not None]
    assert (new.lease, new.ended_at >= new.began_at) == (before[-1].lease + 1, True)
