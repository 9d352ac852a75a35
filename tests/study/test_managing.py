"""What is done to studies as a whole holds no database open."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.errors import StudyExistsError, UnknownStudyError
from hippo.plan import open_store
from hippo.simulation import Replay
from hippo.testing.trainers import ToyTrainer


def open_files_in(folder: Path) -> list[str]:
    """Return the files below a folder that this process holds open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(descriptor))
        except FileNotFoundError:  # the one of this very listing
            continue
    return [name for name in found if name.startswith(str(folder))]


@pytest.fixture
def storage(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study(
        "toy", trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"), metric="loss", mode="min"
    )
    study.evaluate({"lr": 0.1}, until=1)
    study.close()
    del study
    gc.collect()  # a closed one can still be read
    assert not open_files_in(tmp_path)
    return url


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the list of open files is Linux's")
@pytest.mark.parametrize(
    "manage",
    [
        lambda storage: hippo.get_all_study_names(storage),
        lambda storage: hippo.keep_states("toy", "all", storage),
        lambda storage: hippo.rename_study("toy", "other", storage),
        lambda storage: hippo.delete_study("toy", storage),
        lambda storage: hippo.collect_garbage(storage),
        lambda storage: Replay("toy", storage),
    ],
    ids=["names", "keep", "rename", "delete", "collect", "replay"],
)
def test_what_manages_studies_closes_the_database(
    manage: Callable[[str], object], storage: str, tmp_path: Path
) -> None:
    store = open_store(storage)
    assert open_files_in(tmp_path)  # else this test sees nothing
    store.close()
    assert not open_files_in(tmp_path)
    manage(storage)
    assert not open_files_in(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the list of open files is Linux's")
@pytest.mark.parametrize(
    "refused",
    [
        lambda storage: hippo.delete_study("none of this name", storage),
        lambda storage: hippo.load_study("none of this name", storage),
        lambda storage: hippo.load_study("toy", storage, generation=7),
        lambda storage: hippo.create_study("toy", trainer=ToyTrainer, storage=storage, load_if_exists=False),
    ],
    ids=["delete", "load", "generation", "create"],
)
def test_a_refused_one_closes_it_too(refused: Callable[[str], object], storage: str, tmp_path: Path) -> None:
    with pytest.raises((UnknownStudyError, StudyExistsError)):
        refused(storage)
    assert not open_files_in(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the list of open files is Linux's")
def test_a_store_that_was_opened_elsewhere_stays_open_where_a_study_is_refused(storage: str, tmp_path: Path) -> None:
    store = open_store(storage)
    with pytest.raises(UnknownStudyError):
        hippo.load_study("none of this name", store)
    assert open_files_in(tmp_path)
    store.close()


def test_a_study_that_shares_with_nobody_stays_that_under_another_name(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"

    plans = []

    def run(name: str) -> tuple[int, int, int]:
        study = hippo.create_study(
            name, trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"), metric="loss", mode="min",
            sharing=False, engine=hippo.InlineEngine(),
        )  # fmt: skip
        study.evaluate({"lr": 0.1}, until=3)
        study.close()
        plans.append(study.read().plans[""])
        return study.generation, len(study.trials), study.statistics().steps_executed

    assert run("old") == (1, 1, 3)
    hippo.rename_study("old", "new", url)
    assert run("new") == (1, 1, 3)
    assert run("old") == (1, 1, 3)  # another one, of the name that is free again: it trains for itself
    hippo.rename_study("new", "newer", url)
    for name in ("old", "newer"):
        assert run(name) == (1, 1, 3)
    assert plans == [1, 1, 2, 2, 1]
