"""The promise of docs/releases.md: a database of each released schema opens, with all that was said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hippo
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION

from .studies import HERE, STUDIES, described, made_from

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
    url = made_from(HERE / f"schema_{version}.sql", tmp_path)
    said = json.loads((HERE / f"schema_{version}.json").read_text())
    assert schema_version(url) == version
    upgrade(url)

    assert schema_version(url) == SCHEMA_VERSION
    for name in STUDIES:
        if (version, name) == (2, "median"):  # it says how seeds are aggregated when its script is run: test_upgrade.py
            continue
        now = json.loads(json.dumps(described(hippo.load_study(name, url))))
        assert now["trials"] == said[name]["trials"], name
