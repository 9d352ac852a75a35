"""A folder that cannot be read at the moment says so, and only a file that is not there is said to be missing."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.checkpoints.folder_troubles import unreadable
from hippo.errors import (
    CheckpointError,
    MissingCheckpointError,
    StoreFullError,
    StoreRefusalError,
    UnreachableStoreError,
)
from hippo.testing.checkpoint_contract import write
from hippo.testing.trainers import ToyTrainer
from hippo.training.codec import encode
from hippo.training.state_files import read_checkpoint, write_checkpoint
from hippo.training.walking import lane_states

AWAY = [errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN, errno.EMFILE]
REFUSED = [errno.EACCES, errno.EPERM]


class BrokenFile(io.BytesIO):
    """A file that opens, and whose bytes the disk does not give."""

    def read(self, *_: Any) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def failing(number: int) -> Callable[..., BinaryIO]:
    def fail(*_: Any, **__: Any) -> BinaryIO:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (AWAY, UnreachableStoreError),
        (REFUSED, StoreRefusalError),
        ([errno.ENOENT, errno.ENOTDIR, errno.EISDIR], MissingCheckpointError),
    ],
)
def test_errors_are_told_apart_by_whether_the_file_is_lost(numbers: list[int], kind: type[CheckpointError]) -> None:
    for number in numbers:
        error = unreadable("cannot read a", OSError(number, os.strerror(number)))
        assert type(error) is kind
        assert os.strerror(number) in str(error)


@pytest.mark.parametrize("number", [*AWAY, *REFUSED])
def test_a_file_that_cannot_be_opened_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store = FolderCheckpoints(tmp_path)
    write(store, b"weights", "u/p1/a")
    monkeypatch.setattr(Path, "open", failing(number))
    monkeypatch.setattr(Path, "stat", failing(number))
    for ask in (store.open, store.has):
        with pytest.raises((UnreachableStoreError, StoreRefusalError), match=os.strerror(number)):
            ask("u/p1/a")


@pytest.mark.parametrize("number", [*AWAY, *REFUSED])
def test_a_folder_that_cannot_be_listed_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store = FolderCheckpoints(tmp_path)
    write(store, b"weights", "u/p1/a")
    monkeypatch.setattr(os, "scandir", failing(number))
    for ask in (store.keys, lambda: list(store.entries("u/p1"))):
        with pytest.raises((UnreachableStoreError, StoreRefusalError), match=os.strerror(number)):
            ask()


def test_what_lies_below_a_file_is_missing(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    (tmp_path / "u").write_text("a file")
    with pytest.raises(MissingCheckpointError):
        store.open("u/p1")


def test_a_disk_that_does_not_give_the_bytes_loses_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FolderCheckpoints(tmp_path)
    ref = write_checkpoint(store, "u/p1/a", encode({"steps": 1}))
    monkeypatch.setattr(FolderCheckpoints, "open", lambda *_: BrokenFile(b"0" * ref.size_bytes))
    with pytest.raises(UnreachableStoreError, match=r"Input/output error.*remove it"):
        read_checkpoint(store, ref)


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (AWAY, UnreachableStoreError),
        ([errno.ENOSPC, errno.EDQUOT], StoreFullError),
        ([errno.EACCES, errno.EROFS, errno.EEXIST, errno.ENOTDIR, errno.ENOTSUP], CheckpointError),
    ],
)
def test_a_disk_that_takes_no_bytes_is_waited_for_where_that_may_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numbers: list[int], kind: type[CheckpointError]
) -> None:
    for number in numbers:
        monkeypatch.setattr(os, "fsync", failing(number))
        with pytest.raises(CheckpointError, match=os.strerror(number)) as told:
            write(FolderCheckpoints(tmp_path), b"weights", "u/p1/a")
        assert type(told.value) is kind


# ------------------------------------------------------------------------------------------- whole studies

#: trains as root, which may read all files; then as nobody in particular; then as root again
CALL = """
import os, pathlib, sys, tempfile, hippo
from hippo.testing.trainers import ToyTrainer
folder = pathlib.Path(sys.argv[1])

def call(until):
    study = hippo.create_study("toy", trainer=ToyTrainer, storage=f"sqlite:///{folder}/a.db", metric="loss",
        mode="min", checkpoints=f"{folder}/states", keep="all", engine=hippo.InlineEngine())
    try:
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
        return study.statistics().steps_executed, study.statistics().steps_repeated
    finally:
        study.close()

call(1)
print(call(2))
for path in (folder, *folder.rglob("*")):
    path.chmod(0o600 if "-s2" in path.name else 0o777)
for parent in folder.parents:
    if parent == pathlib.Path(tempfile.gettempdir()):
        break
    parent.chmod(0o755)
os.seteuid(65534)
try:
    print(call(4))
except hippo.HippoError as error:
    print(error)
os.seteuid(0)
print(call(4))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes a user without the right to read")
def test_a_study_without_the_right_to_read_its_states_ends_and_goes_on_with_nothing_trained_again(
    tmp_path: Path,
) -> None:
    ended = subprocess.run([sys.executable, "-c", CALL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    first, refused, again = ended.stdout.splitlines()
    assert "Permission denied" in refused
    assert "Nothing is forgotten" in refused
    assert (first, again) == ("(2, 0)", "(4, 0)")


def steps_of(folder: Path, until: int) -> tuple[int, int]:
    """Train one trial in a folder; return how many steps its study executed and repeated so far."""
    study = hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        storage=f"sqlite:///{folder}/a.db",
        checkpoints=str(folder / "states"),
        metric="loss",
        mode="min",
        keep="all",
        engine=hippo.InlineEngine(),
    )
    try:
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
        found = study.statistics()
        return found.steps_executed, found.steps_repeated
    finally:
        study.close()


def test_a_study_waits_for_a_disk_that_is_away_and_trains_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    away, open_file = [errno.ESTALE, errno.EIO, errno.ENOTCONN], Path.open

    def flaky(path: Path, *arguments: Any, **named: Any) -> Any:
        if away and (tmp_path / "states") in path.parents and arguments == ("rb",):
            failing(away.pop())()
        return open_file(path, *arguments, **named)

    steps_of(tmp_path, 2)
    monkeypatch.setattr(lane_states, "ROOM_RETRY_S", 0.01)
    monkeypatch.setattr(Path, "open", flaky)
    assert steps_of(tmp_path, 4) == (4, 0)
    assert away == []
    assert "paused: cannot read checkpoint" in capfd.readouterr().err


def test_a_study_whose_state_is_a_folder_by_now_trains_it_again(tmp_path: Path) -> None:
    steps_of(tmp_path, 2)
    for state in (tmp_path / "states").rglob("*-s2"):
        state.unlink()
        state.mkdir()
    with pytest.warns(UserWarning, match="cannot be used .*Is a directory.*run again"):
        assert steps_of(tmp_path, 4) == (6, 2)
