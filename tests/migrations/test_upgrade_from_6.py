"""In a database of schema 6 changes of trials had no numbers; from now on those that come are found by theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

import hippo
from hippo.plan import StudyRow, TrialRow, open_store

from .studies import STUDIES, make
from .upgraded import upgraded_from


@pytest.fixture
def upgraded(tmp_path: Path) -> str:
    """Return the URL of a database that was of schema 6."""
    return upgraded_from(6, tmp_path)


def study_number(url: str) -> int:
    (row,) = open_store(url).rows(StudyRow, name="plain", deleted=False)
    return row.study


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
