"""What tests of turns begin with: a database, a coordinator over it, a shell around that, and one who asks."""

from __future__ import annotations

import pytest

from .turns import Asker, Bench, FailingStore, Turns


@pytest.fixture
def store() -> FailingStore:
    return FailingStore()


@pytest.fixture
def turns(store: FailingStore) -> Turns:
    return Turns(store=store)


@pytest.fixture
def bench(turns: Turns) -> Bench:
    return Bench(turns)


@pytest.fixture
def asker(turns: Turns) -> Asker:
    return Asker(turns)
