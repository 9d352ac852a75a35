"""What tests of turns begin with: a database, a coordinator over it, a shell around that, and one who asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from .turns import Asker, Bench, FailingStore, Turns


@pytest.fixture
def store() -> FailingStore:
    return FailingStore()


@pytest.fixture
def numerics() -> str:
    """Of the plan. A module whose lanes may be walked as one has a fixture of its own."""
    return "exact"


@pytest.fixture
def turns(store: FailingStore, numerics: str) -> Iterator[Turns]:
    turns = Turns(store=store, numerics=numerics)
    with contextlib.closing(turns.used):
        yield turns


@pytest.fixture
def bench(turns: Turns) -> Bench:
    return Bench(turns)


@pytest.fixture
def asker(turns: Turns) -> Asker:
    return Asker(turns)
