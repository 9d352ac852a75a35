"""The promise of docs/releases.md: a database of each released schema opens, with all that was said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hippo
from hippo.plan import StepRow, open_store
from hippo.plan.migrations import schema_version
from hippo.plan.tables import SCHEMA_VERSION

from .studies import HERE, STUDIES, described, run_again
from .test_upgrade import tables
from .upgraded import upgraded_from

#: of which databases are kept; 1 was never written by anything that others had
KEPT = sorted(int(path.stem.partition("_")[2]) for path in HERE.glob("schema_*.sql"))


def test_a_database_of_every_schema_is_kept() -> None:
    assert list(range(2, SCHEMA_VERSION)) == [version for version in KEPT if version < SCHEMA_VERSION], (
        "make one by tests/migrations/studies.py, with the last hippo that writes it"
    )
    assert set(KEPT) <= set(range(2, SCHEMA_VERSION + 1))


@pytest.mark.slow
@pytest.mark.parametrize("version", KEPT)
def test_every_study_of_a_kept_database_says_what_it_said(version: int, tmp_path: Path) -> None:
    url = upgraded_from(version, tmp_path)
    said = json.loads((HERE / f"schema_{version}.json").read_text())

    assert schema_version(url) == SCHEMA_VERSION
    for name in STUDIES:
        if (version, name) == (2, "median"):  # it says how seeds are aggregated when its script is run: test_upgrade.py
            continue
        now = json.loads(json.dumps(described(hippo.load_study(name, url))))
        assert now["trials"] == said[name]["trials"], name


#: of schemas from 3 on; what 2 was is in test_upgrade.py
LATER = [version for version in KEPT if version > 2]


@pytest.mark.parametrize("version", LATER)
def test_it_has_the_tables_of_a_new_one(version: int, tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    open_store(new)
    assert tables(upgraded_from(version, tmp_path)) == tables(new)


@pytest.mark.parametrize(
    ("version", "name"), [(3, "private"), *((version, name) for version in LATER for name in ("plain", "averaged"))]
)
def test_a_script_that_is_run_again_trains_nothing(version: int, name: str, tmp_path: Path) -> None:
    url, said = upgraded_from(version, tmp_path), json.loads((HERE / f"schema_{version}.json").read_text())
    before = len(open_store(url).rows(StepRow))
    assert run_again(name, url) == {**said[name], "device_seconds": None}
    assert len(open_store(url).rows(StepRow)) == before
