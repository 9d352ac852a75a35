"""What every store of checkpoints must keep. Inherit, and give a fixture `store`."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

import pytest

from hippo.checkpoints import AbstractCheckpointStore, WrittenBytes
from hippo.checkpoints.store import take_no_hash
from hippo.errors import CheckpointError, CorruptCheckpointError, MissingCheckpointError

KEY = "3f2a/p1/e1-l3-n5-s20"


def write(store: AbstractCheckpointStore, data: bytes, key: str = KEY) -> WrittenBytes:
    """Write `data` in two parts, as writers do."""

    def writer(file: BinaryIO) -> None:
        file.write(data[:3])
        file.write(memoryview(data[3:]))

    return store.write(key, writer)


def read(store: AbstractCheckpointStore, written: WrittenBytes, key: str = KEY) -> bytes:
    """Read what was written."""
    return store.read(key, sha256=written.sha256, size_bytes=written.size_bytes)


class CheckpointContract:
    """The questions; a subclass's fixture `store` answers."""

    def test_what_was_written_is_read(self, store: AbstractCheckpointStore) -> None:
        assert read(store, write(store, b"weights")) == b"weights"

    def test_size_and_hash_are_those_of_the_bytes(self, store: AbstractCheckpointStore) -> None:
        expected = WrittenBytes(size_bytes=7, sha256=hashlib.sha256(b"weights").hexdigest())
        assert write(store, b"weights") == expected

    def test_a_writer_that_wants_no_hash_gets_none(self, store: AbstractCheckpointStore) -> None:
        def writer(file: BinaryIO) -> None:
            take_no_hash(file)
            file.write(b"weights")

        assert store.write(KEY, writer) == WrittenBytes(size_bytes=7, sha256="")

    def test_what_was_written_is_opened_and_read_from_anywhere(self, store: AbstractCheckpointStore) -> None:
        write(store, b"weights")
        with store.open(KEY) as file:
            file.seek(2)
            part = bytearray(3)
            assert (file.readinto(part), bytes(part), file.read()) == (3, b"igh", b"ts")  # type: ignore[attr-defined]
        with pytest.raises(MissingCheckpointError, match="other"):
            store.open("p1/other")

    def test_keys_are_sorted_names_of_what_is_there(self, store: AbstractCheckpointStore) -> None:
        for key in ("b/2", "a", "b/1"):
            write(store, b"weights", key)
        store.delete("b/1")
        assert list(store.keys()) == ["a", "b/2"]

    def test_a_missing_checkpoint_is_named(self, store: AbstractCheckpointStore) -> None:
        with pytest.raises(CheckpointError, match=KEY):
            store.read(KEY, sha256="", size_bytes=0)

    def test_a_deleted_checkpoint_is_missing_and_deleting_it_again_is_fine(
        self, store: AbstractCheckpointStore
    ) -> None:
        written = write(store, b"weights")
        store.delete(KEY)
        store.delete(KEY)
        with pytest.raises(CheckpointError):
            read(store, written)

    def test_many_are_deleted_together_and_what_is_gone_already_is_fine(self, store: AbstractCheckpointStore) -> None:
        written = write(store, b"weights", "a/kept")
        going = [f"a/{number}" for number in range(30)]
        for key in going:
            write(store, b"weights", key)
        store.delete_all([*going, *(f"b/{number}" for number in range(500))])
        assert list(store.keys()) == ["a/kept"]
        assert read(store, written, "a/kept") == b"weights"

    def test_a_writer_that_raises_leaves_nothing(self, store: AbstractCheckpointStore) -> None:
        def writer(file: BinaryIO) -> None:
            file.write(b"half")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            store.write(KEY, writer)
        assert list(store.keys()) == []

    def test_a_key_is_never_written_twice(self, store: AbstractCheckpointStore) -> None:
        written = write(store, b"weights")
        with pytest.raises(
            CheckpointError, match=r"exists already, and .* never rewritten\. A copy of this database .* checkpoints="
        ):
            write(store, b"others")
        assert read(store, written) == b"weights"

    @pytest.mark.parametrize("key", ["", "/a", "a//b", "../a", "a/.b", "a\\b"])
    def test_a_key_that_leads_elsewhere_is_refused(self, store: AbstractCheckpointStore, key: str) -> None:
        with pytest.raises(CheckpointError, match="relative names"):
            write(store, b"weights", key)

    def test_another_size_or_hash_is_corruption(self, store: AbstractCheckpointStore) -> None:
        written = write(store, b"weights")
        with pytest.raises(CorruptCheckpointError, match="7 bytes, but 8"):
            store.read(KEY, sha256=written.sha256, size_bytes=8)
        with pytest.raises(CorruptCheckpointError, match="altered"):
            store.read(KEY, sha256="0" * 64, size_bytes=7)

    def test_it_can_be_written_to(self, store: AbstractCheckpointStore) -> None:
        store.check_writable()
        assert list(store.keys()) == []

    def test_nothing_that_is_whole_is_removed_as_unfinished(self, store: AbstractCheckpointStore) -> None:
        written = write(store, b"weights")
        assert store.remove_unfinished("3f2a/p1") == 0
        assert read(store, written) == b"weights"

    def test_what_lies_under_a_name_is_told_with_its_size(self, store: AbstractCheckpointStore) -> None:
        for key, data in {"u/p1/a": b"12345", "u/p1/b": b"123456", "u/p11/a": b"1234", "v/p1/a": b"1234"}.items():
            write(store, data, key)
        store.delete("u/p1/b")
        assert [(entry.key, entry.size_bytes) for entry in store.entries("u/p1")] == [("u/p1/a", 5)]
        assert {entry.key for entry in store.entries("u")} == {"u/p1/a", "u/p11/a"}
        assert list(store.entries("w")) == []
