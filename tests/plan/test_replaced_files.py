"""A database's file that is taken away, or another one put in its place, while somebody uses it."""

from __future__ import annotations

import os
import shutil
import traceback
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import StorageError
from hippo.plan import StudyRow, open_store
from hippo.testing.trainers import ToyTrainer

CONFIGS = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]


def make(url: str, folder: Path, name: str = "toy", **options: Any) -> hippo.Study:
    options = {"engine": hippo.InlineEngine(), "checkpoints": str(folder / "states"), **options}
    return hippo.create_study(name, trainer=ToyTrainer, storage=url, metric="loss", mode="min", **options)


def take_away(file: Path, how: str) -> None:
    if how == "removed":
        file.unlink()
        return
    other = file.with_name("backup.db")
    make(f"sqlite:///{other}", file.parent, "kept").close()
    open_store(f"sqlite:///{other}").close()
    os.replace(other, file)


class TakenAway(hippo.Callback):
    """Takes the file away when the second trial has been answered."""

    def __init__(self, file: Path, how: str) -> None:
        self.file = file
        self.how = how

    def on_answered(self, event: Any) -> None:
        if event.trial == 1 and self.how:
            how, self.how = self.how, ""
            take_away(self.file, how)


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_study_ends_and_says_so(tmp_path: Path, how: str) -> None:
    url, file = f"sqlite:///{tmp_path}/hippo.db", tmp_path / "hippo.db"
    study = make(url, tmp_path)
    study.optimize(hippo.GridSearch(CONFIGS, until=2))
    take_away(file, how)
    with pytest.raises(StorageError, match=rf"hippo\.db' was {how}.* while it was in use"):
        study.optimize(hippo.GridSearch(CONFIGS, until=4))
    with pytest.raises(StorageError, match=rf"was {how}"):
        _ = study.trials
    if how == "removed":
        assert not file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_call_that_is_under_way_ends_and_says_so(tmp_path: Path, how: str) -> None:
    url, file = f"sqlite:///{tmp_path}/hippo.db", tmp_path / "hippo.db"
    given = {"trainer_args": {"sleep_s": 0.05}, "engine": hippo.LocalEngine(workers=1)}
    study = make(url, tmp_path, callbacks=[TakenAway(file, how)], **given)
    with pytest.raises(StorageError, match=rf"hippo\.db' was {how}") as raised:
        study.optimize(hippo.GridSearch([{"lr": 0.1 * number} for number in range(1, 9)], until=20))
    assert "".join(traceback.format_exception(raised.value)).count("Traceback") == 1  # none of ours above it


def test_the_same_file_put_back_is_gone_on_with(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/hippo.db", tmp_path / "hippo.db"
    store = open_store(url)
    make(url, tmp_path).close()
    names = [row.name for row in store.rows(StudyRow)]
    before = store.changes()
    file.rename(tmp_path / "elsewhere.db")
    for look in (lambda: store.rows(StudyRow), store.changes):
        with pytest.raises(StorageError, match="was removed"):
            look()
    (tmp_path / "elsewhere.db").rename(file)
    assert [row.name for row in store.rows(StudyRow)] == names == ["toy"]
    assert store.changes() == before


def test_a_copy_that_is_put_in_its_place_is_another_file(tmp_path: Path) -> None:
    url, file = f"sqlite:///{tmp_path}/hippo.db", tmp_path / "hippo.db"
    store = open_store(url)
    shutil.copy(file, tmp_path / "copy.db")
    os.replace(tmp_path / "copy.db", file)
    with pytest.raises(StorageError, match="was replaced by another one") as raised:
        store.rows(StudyRow)
    assert "move them away" in str(raised.value)
    assert "hippo.db-wal and hippo.db-shm" in str(raised.value)
    (tmp_path / "hippo.db-wal").unlink()
    (tmp_path / "hippo.db-shm").unlink()
    with pytest.raises(StorageError) as raised:
        store.rows(StudyRow)
    assert "move" not in str(raised.value)
