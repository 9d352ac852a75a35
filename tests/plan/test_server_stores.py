"""Databases in servers keep the contract of stores, and are refused when they are not what they should be."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest

from hippo.plan import AbstractPlanStore, open_store
from hippo.testing.servers import DatabaseServer, missing_server, running_server
from hippo.testing.store_contract import PlanStoreContract

pytestmark = pytest.mark.slow
KINDS = ("postgresql", "mysql")
_numbers = itertools.count(1)


def _server(kind: str) -> Iterator[DatabaseServer]:
    if why := missing_server(kind):
        if os.environ.get("HIPPO_TEST_SERVERS") == "1":
            pytest.fail(f"HIPPO_TEST_SERVERS=1, and there is {why}")
        pytest.skip(why)
    with running_server(kind) as server:
        yield server


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    yield from _server(request.param)


@pytest.fixture
def url(server: DatabaseServer) -> str:
    return server.make_database(f"hippo_{next(_numbers)}")


class TestServerStore(PlanStoreContract):
    @pytest.fixture
    def store(self, url: str) -> Iterator[AbstractPlanStore]:
        store = open_store(url)
        yield store
        store.close()
