"""A database of schema 4 knows nothing of lanes that are walked as one, and goes on as it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hippo.errors import StorageError
from hippo.plan import FusionFacts, NullListener, PlanRow, SearchPlan, open_store
from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION
from hippo.records import Fusion

from .studies import HERE, made_from


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
