"""How a case is typed: an expression in a namespace with hippo's names, a toy trainer, and a few files in a folder."""

from __future__ import annotations

import contextlib
import functools
import math
import pathlib
import sqlite3
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import hippo
from hippo.errors import HippoError
from hippo.testing.trainers import ToyTrainer

GRID = [{"lr": 0.1}, {"lr": 0.2}]


def trainer(**members: Any) -> type[ToyTrainer]:
    """Return a toy trainer with some members of its own."""
    return type("Wrong", (ToyTrainer,), members)


def objective(trial: Any) -> Any:
    return trial.suggest_float("x", 0, 1)


def trainable(config: Any) -> dict[str, float]:
    return {"loss": config["x"]}


async def later(self: Any, *_: Any) -> dict[str, float]:
    return {"loss": 1.0}


async def asks_until_zero(self: Any, ask: Any) -> None:
    await ask({"lr": 0.1}, until=0)


async def asks_a_number(self: Any, ask: Any) -> None:
    await ask(3, until=3)


async def asks_a_text(self: Any, ask: Any) -> None:
    await ask.all("abc", until=3)


async def asks_without_until(self: Any, ask: Any) -> None:
    await ask({"lr": 0.1})


async def forgets_to_await(self: Any, ask: Any) -> None:
    ask({"lr": 0.1}, until=3)


async def never_asks(self: Any, ask: Any) -> int:
    return 3


class Names(dict[str, Any]):
    """The namespace of one case; `close` closes the studies that were made in it."""

    def __init__(self, folder: pathlib.Path) -> None:
        public = {name: getattr(hippo, name) for name in hippo.__all__}
        super().__init__(
            public,
            hippo=hippo,
            ToyTrainer=ToyTrainer,
            GRID=GRID,
            DRAWS={"lr": hippo.uniform(0, 1)},
            TUNER=hippo.GridSearch(GRID, until=3),
            WL=hippo.SimulatedWorkload(seconds_per_step=1.0),
            DB=f"sqlite:///{folder}/hippo.db",
            T=folder,
            nan=math.nan,
            inf=math.inf,
            functools=functools,
            numpy=numpy,
            pathlib=pathlib,
            sys=sys,
            trainer=trainer,
            obj=objective,
            rayf=trainable,
            AsyncTrain=later,
            TuneBadUntil=asks_until_zero,
            TuneBadConfig=asks_a_number,
            TuneAllString=asks_a_text,
            TuneNoUntil=asks_without_until,
            TuneForgetsAwait=forgets_to_await,
            TuneNever=never_asks,
            create=self.create,
            run=self.run,
            torun=self.train_blobs,
        )
        self.studies: list[Any] = []

    def create(self, name: Any = "toy", **options: Any) -> hippo.Study:
        """Make a study in memory, in this process, unless the options say otherwise."""
        given = {"trainer": ToyTrainer, "storage": "memory://", "metric": "loss", "mode": "min", **options}
        given.setdefault("engine", hippo.InlineEngine())
        self.studies.append(hippo.create_study(name, **given))
        return self.studies[-1]  # type: ignore[no-any-return]

    def run(self, tuner: Any = None, **options: Any) -> hippo.Study:
        """Run a tuner, by default of one config, on a study of these options."""
        study = self.create(**options)
        study.optimize(tuner if tuner is not None else hippo.GridSearch([{"lr": 0.1}], until=3))
        return study

    def train_blobs(self, config: Any = None, **members: Any) -> hippo.Study:
        """Train a torch trainer that has some members of its own."""
        from hippo.testing.torch_trainers import BlobsTrainer

        own = {name: members[name] for name in ("samples_per_step", "num_workers", "apply_hparams") if name in members}

        def __init__(self: Any) -> None:
            BlobsTrainer.__init__(self, **own)

        cls = type("WrongBlobs", (BlobsTrainer,), {**members, **({"__init__": __init__} if own else {})})
        return self.run(hippo.GridSearch([config or {"lr": 0.1}], until=2), trainer=cls)

    def close(self) -> None:
        """Stop what was begun."""
        for study in self.studies:
            study.close()


@pytest.fixture
def names(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    """Return the names that a case may use, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    names = Names(tmp_path)
    yield names
    names.close()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Return a folder with a database of hippo's, and with files that are none."""
    folder = tmp_path_factory.mktemp("databases")
    study = hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=str(folder / "states"),
        engine=hippo.InlineEngine(),
        metric="loss",
    )
    study.optimize(hippo.GridSearch(GRID, until=3))
    study.close()
    (folder / "text.db").write_text("no database at all, but a text " * 100)
    (folder / "empty.db").write_bytes(b"")
    with contextlib.closing(sqlite3.connect(folder / "hippo.db")) as known:
        known.execute("pragma wal_checkpoint(truncate)")
    whole = (folder / "hippo.db").read_bytes()
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    connection = sqlite3.connect(folder / "other.db")
    connection.execute("create table notes (text)")
    connection.commit()
    connection.close()
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def refuse(names: Names) -> Callable[[str, type[Exception], str], None]:
    """Return what types a case, and looks for an error of hippo's with the right words."""

    def check(typed: str, error: type[Exception], words: str) -> None:
        with pytest.raises(error) as raised:
            eval(typed, names)
        assert isinstance(raised.value, HippoError), f"{type(raised.value)} is none of hippo's errors"
        assert words in str(raised.value)

    return check
