"""A database of schema 3 is looked up by digests when it is upgraded, and nothing of it is trained again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.hparams import path
from hippo.plan import NodeRow, PlanRow, TotalsRow, open_store, pieces_from_text
from hippo.plan.codec import node_digest, pieces_key, pieces_to_text
from hippo.plan.migrations import to_4

from ..plan.plans import CONFIGS
from .studies import STUDIES, make
from .upgraded import upgraded_from


@pytest.fixture
def upgraded(tmp_path: Path) -> str:
    """Return the URL of a database that was of schema 3."""
    return upgraded_from(3, tmp_path)


def test_every_node_has_the_digest_that_a_new_one_would_get(upgraded: str) -> None:
    store = open_store(upgraded)
    for plan in store.rows(PlanRow):
        digests = {None: ""}
        for row in store.rows(NodeRow, plan=plan.plan):
            key = pieces_key(pieces_from_text(row.pieces))
            digests[row.node] = node_digest(digests[row.parent], row.owner, row.start, key)  # type: ignore[index]
            assert row.digest == digests[row.node]  # type: ignore[index]
        assert len(set(digests.values())) == len(digests)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("parent", "owner"), [("", ""), ("", "1/3"), ("ab", "")])
def test_a_node_of_any_pieces_has_the_digest_that_a_new_one_would_get(config: Any, parent: str, owner: str) -> None:
    for start, pieces in path(config, 12):
        row = {"pieces": pieces_to_text(pieces), "owner": owner, "start": start}
        assert to_4._digest(parent, row) == node_digest(parent, owner, start, pieces_key(pieces))


def test_a_config_that_is_asked_anew_is_known_and_what_it_cost_is_not_added_up_twice(upgraded: str) -> None:
    options, _ = STUDIES["plain"]
    before = hippo.load_study("plain", upgraded).statistics()
    study = make("plain", upgraded, options)
    study.evaluate({"lr": 0.25}, until=3)
    study.evaluate({"lr": 0.25}, until=2)  # a call of its own
    study.close()
    assert study.statistics().steps_executed == before.steps_executed
    assert open_store(upgraded).rows(TotalsRow) == []  # so few steps are not worth a write
