"""A database of schema 4 knows nothing of lanes that are walked as one, and goes on as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hippo.errors import StorageError
from hippo.plan import FusionFacts, NullListener, PlanRow, SearchPlan, StepRow, open_store
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION
from hippo.records import Fusion

from .studies import HERE, made_from, run_again
from .test_upgrade import tables

SAID = json.loads((HERE / "schema_4.json").read_text())


@pytest.fixture
def old(tmp_path: Path) -> str:
    """Return the URL of a database of schema 4."""
    return made_from(HERE / "schema_4.sql", tmp_path)


@pytest.fixture
def upgraded(old: str) -> str:
    assert schema_version(old) == 4
    assert upgrade(old).after == SCHEMA_VERSION
    return old


def test_it_is_refused_by_a_message_that_names_the_command(old: str) -> None:
    with pytest.raises(StorageError, match=re.escape(f"`hippo db upgrade --storage {old}`")):
        open_store(old)


def test_it_has_the_tables_of_a_new_one(upgraded: str, tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    open_store(new)
    assert tables(upgraded) == tables(new)


@pytest.mark.parametrize("name", ["plain", "averaged"])
def test_a_script_that_is_run_again_trains_nothing(upgraded: str, name: str) -> None:
    before = len(open_store(upgraded).rows(StepRow))
    assert run_again(name, upgraded) == {**SAID[name], "device_seconds": None}
    assert len(open_store(upgraded).rows(StepRow)) == before


def test_its_plans_take_up_how_lanes_are_walked(upgraded: str) -> None:
    store = open_store(upgraded)
    row = store.rows(PlanRow)[0]
    plan = SearchPlan.open(store, row, NullListener())
    assert plan.fusion_facts == FusionFacts()
    known = FusionFacts().decided((("batch", "8"),), Fusion(is_fused=True))
    plan.set_fusion_facts(known)
    store.commit(plan.changes.take())
    (again,) = store.rows(PlanRow, plan=row.plan)
    assert SearchPlan.open(store, again, NullListener()).fusion_facts == known
