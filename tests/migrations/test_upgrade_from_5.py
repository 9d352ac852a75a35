"""A database of schema 5 does not know when leases ended, says so, and writes it down from now on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hippo
from hippo.plan import LeaseRow, StepRow, open_store
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION
from hippo.study import LeaseState
from hippo.views import slots

from .studies import HERE, STUDIES, made_from, make, run_again
from .test_upgrade import tables

SAID = json.loads((HERE / "schema_5.json").read_text())


@pytest.fixture
def upgraded(tmp_path: Path) -> str:
    """Return the URL of a database that was of schema 5."""
    url = made_from(HERE / "schema_5.sql", tmp_path)
    assert schema_version(url) == 5
    assert upgrade(url).after == SCHEMA_VERSION
    return url


def test_it_has_the_tables_of_a_new_one(upgraded: str, tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    open_store(new)
    assert tables(upgraded) == tables(new)


@pytest.mark.parametrize("name", ["plain", "averaged"])
def test_a_script_that_is_run_again_trains_nothing(upgraded: str, name: str) -> None:
    before = len(open_store(upgraded).rows(StepRow))
    assert run_again(name, upgraded) == {**SAID[name], "device_seconds": None}
    assert len(open_store(upgraded).rows(StepRow)) == before


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
