"""A database with a study whose names would be markup, if anybody took them for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hippo
from hippo.plan import open_store
from hippo.testing.trainers import ToyTrainer

if TYPE_CHECKING:
    from starlette.testclient import TestClient


class HandClock:
    """A clock that goes when it is told to: while it stands, nothing takes long, and nothing rests."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def elapsed(self) -> float:
        return self.seconds


NAME = "<script>alert(1)</script>/a b"
OWN = "http://127.0.0.1:8411"


@pytest.fixture(scope="session")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("dashboard")
    url = f"sqlite:///{folder}/hippo.db"
    study = hippo.create_study(NAME, trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    drops = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops, "momentum": [0.5, 0.9]}), until=8))
    study.close()
    failing = hippo.create_study("failing", trainer=ToyTrainer, trainer_args={"raise_in": "train", "raise_at": 2,
                                 "raise_if": {"lr": 0.2}}, storage=url, checkpoints=str(folder / "states"),
                                 engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    failing.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4))
    failing.close()
    halving = hippo.create_study("halving", trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                                 engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    rates = [{"lr": 0.01 * rate} for rate in range(1, 5)]
    halving.optimize(hippo.SuccessiveHalving(rates, min_steps=2, max_steps=4, reduction=2))
    halving.close()
    many = hippo.create_study("many", trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                              engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    grid = hippo.GridSearchSpace({"lr": [0.01 * rate for rate in range(1, 9)], "momentum": [0.5, 0.52]})
    many.optimize(hippo.GridSearch(grid, until=3))
    many.close()
    seeded = hippo.create_study("seeded", trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                                engine=hippo.InlineEngine(), metric="loss", mode="min", seeds=[1, 2])  # fmt: skip
    seeded.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops, "momentum": [0.5]}), until=6))
    seeded.close()
    return url


@pytest.fixture(scope="module")
def client(storage: str) -> Iterator[TestClient]:
    """The dashboard of a database; a module that has a fixture `storage` of its own gets that one's."""
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from hippo.dashboard.app import make_dashboard

    store = open_store(storage)
    with TestClient(make_dashboard(store), base_url=OWN) as client:
        yield client
    store.close()
