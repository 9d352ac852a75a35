"""Memory and folder keep the contract; a folder also survives what happens to files."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, MemoryCheckpoints, open_checkpoints
from hippo.errors import CheckpointError, CorruptCheckpointError, StorageError
from hippo.plan.sqlite_file import sqlite_path
from hippo.testing.checkpoint_contract import KEY, CheckpointContract, read, write


class TestMemoryCheckpoints(CheckpointContract):
    @pytest.fixture
    def store(self) -> AbstractCheckpointStore:
        return MemoryCheckpoints()


class TestFolderCheckpoints(CheckpointContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> AbstractCheckpointStore:
        return FolderCheckpoints(tmp_path / "checkpoints")


def test_another_process_reads_what_was_written(tmp_path: Path) -> None:
    written = write(FolderCheckpoints(tmp_path), b"weights")
    assert read(FolderCheckpoints(tmp_path), written) == b"weights"


def test_a_truncated_file_is_corrupt(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    written = write(store, b"weights")
    os.truncate(tmp_path / KEY, 3)
    with pytest.raises(CorruptCheckpointError, match="3 bytes, but 7"):
        read(store, written)


def test_a_flipped_bit_is_corrupt(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    written = write(store, b"weights")
    (tmp_path / KEY).write_bytes(b"veights")
    with pytest.raises(CorruptCheckpointError, match="altered"):
        read(store, written)


def test_a_file_left_half_written_by_a_killed_process_is_nobodys(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    (tmp_path / "3f2a" / "p1").mkdir(parents=True)
    (tmp_path / "3f2a" / "p1" / ".x.part").write_bytes(b"wei")
    written = write(store, b"weights")
    assert (read(store, written), store.keys()) == (b"weights", [KEY])


def test_a_name_appears_only_when_its_bytes_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append("replace"), replace(a, b))[1])
    write(FolderCheckpoints(tmp_path), b"weights", "a")
    assert calls == ["fsync", "replace", "fsync"]


def test_a_folder_that_cannot_be_made_says_so_before_training(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "checkpoints"):
        why = re.escape(f"{folder} cannot be written to ({tmp_path}/file is a file, and no folder). Mend that, or")
        with pytest.raises(CheckpointError, match=why):
            FolderCheckpoints(folder).check_writable()
    with pytest.raises(CheckpointError) as raised:
        write(FolderCheckpoints(tmp_path / "file"), b"weights")
    assert str(raised.value) == (
        f"cannot write checkpoint {tmp_path}/file/{KEY}: {tmp_path}/file is a file, and no folder. Nothing is "
        "forgotten: mend that, and run the script again."
    )


def test_a_read_only_folder_says_so_before_training(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    tmp_path.chmod(0o555)
    with unprivileged():
        with pytest.raises(CheckpointError, match=r"cannot be written to \(Permission denied\)"):
            store.check_writable()
        with pytest.raises(CheckpointError, match="cannot write checkpoint"):
            write(store, b"weights")


@contextmanager
def unprivileged() -> Iterator[None]:
    """Take the powers away from root, who may write everywhere."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_url_or_folder_or_store_opens(tmp_path: Path) -> None:
    store = MemoryCheckpoints()
    assert open_checkpoints(store) is store
    assert isinstance(open_checkpoints("memory://"), MemoryCheckpoints)
    assert repr(open_checkpoints(f"file://{tmp_path}")) == repr(open_checkpoints(tmp_path))


def test_an_unknown_url_is_refused() -> None:
    with pytest.raises(CheckpointError, match="no store for 'ftp' URLs"):
        open_checkpoints("ftp://server/checkpoints")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            "s3:/bucket/prefix",
            "checkpoints='s3:/bucket/prefix' is no URL; write 's3://bucket/prefix', or './s3",
        ),
        (
            "GS:bucket",
            "checkpoints='GS:bucket' is no URL; write 'gs://bucket/prefix', or './GS:bucket' for",
        ),
        (
            "s3://[bucket/prefix",
            "checkpoints='s3://[bucket/prefix' is no URL (Invalid IPv6 URL). Use a folder",
        ),
        ("file://server/states", "a file on another machine cannot be reached. Use a folder, 's3://bucket/prefix'"),
    ],
)
def test_what_is_nearly_a_url_is_refused_and_makes_no_folder(given: str, why: str) -> None:
    with pytest.raises(CheckpointError) as raised:
        open_checkpoints(given)
    assert why in str(raised.value)
    assert repr(open_checkpoints("./s3:bucket")).endswith("/s3:bucket')")


def test_what_killed_processes_left_half_written_is_removed_where_it_was_asked(tmp_path: Path) -> None:
    store = FolderCheckpoints(tmp_path)
    written = write(store, b"weights")
    other = tmp_path / "3f2a" / "p10"
    other.mkdir()
    for part in (tmp_path / "3f2a" / "p1" / ".x.part", other / ".y.part"):
        part.write_bytes(b"wei")
    assert store.remove_unfinished("3f2a/p1") == 3
    assert [path.name for path in tmp_path.rglob("*.part")] == [".y.part"]
    assert read(store, written) == b"weights"
    assert store.remove_unfinished("3f2a/p2") == 0  # there never was such a folder


def test_what_one_lease_left_half_written_is_told_from_what_others_write(tmp_path: Path) -> None:
    store, left = FolderCheckpoints(tmp_path), list[str]()

    def write_and_look(file: BinaryIO) -> None:
        file.write(b"wei")
        left.extend(path.name for path in tmp_path.rglob("*.part"))

    store.write("3f2a/p1/e1-l3-n5-s20", write_and_look)
    of_others = [left[0].replace("-l3-", lease) for lease in ("-l30-", "-l2-")]
    for name in (*left, *of_others):
        (tmp_path / "3f2a" / "p1" / name).write_bytes(b"wei")
    assert store.remove_unfinished("3f2a/p1", "e1-l3-") == 3
    assert sorted(path.name for path in tmp_path.rglob("*.part")) == sorted(of_others)


def test_a_write_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device"):
        write(FolderCheckpoints(tmp_path), b"weights", "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600)])
def test_who_may_read_a_checkpoint_is_what_the_umask_says(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write(FolderCheckpoints(tmp_path), b"weights", "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_folder_within_one_that_is_gone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(CheckpointError, match="current folder, which is gone"):
        open_checkpoints("states")
    with pytest.raises(StorageError, match="current folder, which is gone"):
        sqlite_path("sqlite:///hippo.db")
    assert open_checkpoints(str(tmp_path))
