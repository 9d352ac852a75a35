"""In a database of schema 6 changes of trials had no numbers; from now on those that come are found by theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hippo
from hippo.plan import StepRow, StudyRow, TrialRow, open_store
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION

from .studies import HERE, STUDIES, made_from, make, run_again
from .test_upgrade import tables

SAID = json.loads((HERE / "schema_6.json").read_text())


@pytest.fixture
def upgraded(tmp_path: Path) -> str:
    """Return the URL of a database that was of schema 6."""
    url = made_from(HERE / "schema_6.sql", tmp_path)
    assert schema_version(url) == 6
    assert upgrade(url).after == SCHEMA_VERSION
    return url


def study_number(url: str) -> int:
    (row,) = open_store(url).rows(StudyRow, name="plain", deleted=False)
    return row.study


def test_it_has_the_tables_of_a_new_one(upgraded: str, tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    open_store(new)
    assert tables(upgraded) == tables(new)


@pytest.mark.parametrize("name", ["plain", "averaged"])
def test_a_script_that_is_run_again_trains_nothing(upgraded: str, name: str) -> None:
    before = len(open_store(upgraded).rows(StepRow))
    assert run_again(name, upgraded) == {**SAID[name], "device_seconds": None}
    assert len(open_store(upgraded).rows(StepRow)) == before


def test_who_looked_after_the_upgrade_hears_of_what_comes(upgraded: str) -> None:
    looking = hippo.load_study("plain", upgraded)
    before = len(looking.trials)
    store = open_store(upgraded)
    with store.reading() as rows:
        known = rows.last_change(TrialRow)
        assert rows.columns(TrialRow, ("number",), changed_after=known) == []

    study = make("plain", upgraded, STUDIES["plain"][0])
    study.evaluate({"lr": 0.25}, until=5)  # a trial that is there went to 3
    study.evaluate({"lr": 0.77}, until=3)
    study.close()
    assert len(looking.trials) > before
    assert max(trial.step for trial in looking.trials if trial.config["lr"] == hippo.Constant(0.77)) == 3
    with store.reading() as rows:
        found = rows.columns(TrialRow, ("number",), changed_after=known, study=study_number(upgraded))
    assert 0 < len(set(found)) < len(looking.trials)
