"""What a folder of checkpoints owes the disk: nothing half written stays, and new folders are flushed like files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from hippo.checkpoints import FolderCheckpoints
from hippo.errors import CheckpointError, MissingCheckpointError, StoreFullError
from hippo.testing.checkpoint_contract import write


def test_a_write_that_breaks_off_leaves_no_file_of_any_name(tmp_path: Path) -> None:
    def writer(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError("no space left on device")

    with pytest.raises(Exception, match="no space left"):
        FolderCheckpoints(tmp_path).write("p1/a", writer)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_whose_folder_cannot_be_flushed_is_written_again_once_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, full = FolderCheckpoints(tmp_path), [True]
    write(store, b"first", "p1/a")  # the folder is there
    fsync = os.fsync

    def fill(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode) and full:
            full.clear()
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(StoreFullError):
        write(store, b"weights", "p1/b")
    assert store.keys() == ["p1/a"]
    write(store, b"weights", "p1/b")
    assert (tmp_path / "p1/b").read_bytes() == b"weights"


def test_every_folder_that_got_a_new_name_is_flushed_before_the_file_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        flushed.append(Path(os.readlink(f"/proc/self/fd/{handle}")).relative_to(tmp_path).as_posix())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    write(FolderCheckpoints(tmp_path / "states"), b"weights", "u/p1/a")
    folders = [name for name in flushed if not name.endswith(".part")]
    assert set(folders) == {".", "states", "states/u", "states/u/p1"}
    assert folders[-1] == "states/u/p1"


def refusing_folders(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the disk flush files, and say this of folders."""
    fsync = os.fsync

    def refuse(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, os.strerror(number))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_flushes_no_folders_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refusing_folders(monkeypatch, number)
    store = FolderCheckpoints(tmp_path / "states")
    store.check_writable()
    written = write(store, b"weights", "u/p1/a")
    assert store.read("u/p1/a", sha256=written.sha256, size_bytes=written.size_bytes) == b"weights"


def test_a_disk_that_fails_to_flush_a_folder_has_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing_folders(monkeypatch, errno.EIO)
    with pytest.raises(CheckpointError, match="Input/output error"):
        write(FolderCheckpoints(tmp_path), b"weights", "u/p1/a")


def test_what_is_half_written_is_told_without_a_name(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    write(store, b"weights", "u/p1/a")
    (tmp_path / "u" / "p1" / ".ab12.part").write_bytes(b"half")
    assert sorted((entry.key, entry.size_bytes) for entry in store.entries("u/p1")) == [("", 4), ("u/p1/a", 7)]


def test_a_folder_that_is_not_there_cannot_be_looked_at(tmp_path: Path) -> None:
    with pytest.raises(MissingCheckpointError, match="there is no checkpoint folder"):
        list(FolderCheckpoints(tmp_path / "gone").entries("u"))


def test_what_cannot_be_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "u" / "folder" / "within").mkdir(parents=True)
    with pytest.raises(CheckpointError, match="cannot remove checkpoint"):
        FolderCheckpoints(tmp_path).delete("u/folder")


@pytest.mark.parametrize("number", [0, 3, 400])
def test_threads_remove_all_that_they_are_told_to_and_nothing_else(tmp_path: Path, number: int) -> None:
    store = FolderCheckpoints(tmp_path)
    (tmp_path / "u").mkdir()
    keys = [f"u/{each}" for each in range(number)]
    for key in [*keys, "u/kept"]:
        (tmp_path / key).touch()
    store.delete_by_threads([*keys, "u/gone"])
    assert store.keys() == ["u/kept"]


def test_what_threads_cannot_remove_is_told(tmp_path: Path) -> None:
    (tmp_path / "u" / "folder" / "within").mkdir(parents=True)
    with pytest.raises(CheckpointError, match=r"cannot remove checkpoint .*folder"):
        FolderCheckpoints(tmp_path).delete_by_threads([*(f"u/{each}" for each in range(20)), "u/folder"])
