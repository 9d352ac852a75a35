"""Checkpoints in this process's memory, for the inline engine and for tests. They do not outlive it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import BinaryIO, cast

from hippo.checkpoints.store import (
    AbstractCheckpointStore,
    HashingFile,
    StoredBytes,
    WrittenBytes,
    check_bytes,
    check_key,
    taken,
)
from hippo.errors import MissingCheckpointError


class MemoryCheckpoints(AbstractCheckpointStore):
    """A dictionary of bytes."""

    def __init__(self) -> None:
        self._stored: dict[str, bytes] = {}

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        check_key(key)
        if key in self._stored:
            raise taken(repr(key))
        buffer = io.BytesIO()
        file = HashingFile(buffer)
        writer(cast(BinaryIO, file))
        self._stored[key] = buffer.getvalue()
        return file.written()

    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        data = self._found(key)
        check_bytes(key, data, sha256=sha256, size_bytes=size_bytes)
        return data

    def open(self, key: str) -> BinaryIO:
        return io.BytesIO(self._found(key))

    def has(self, key: str) -> bool:
        return key in self._stored

    def delete(self, key: str) -> None:
        self._stored.pop(key, None)

    def delete_all(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.delete(key)

    def keys(self) -> list[str]:
        return sorted(self._stored)

    def entries(self, prefix: str) -> list[StoredBytes]:
        return [StoredBytes(key, len(data)) for key, data in self._stored.items() if key.startswith(f"{prefix}/")]

    def check_writable(self) -> None:
        pass

    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        return 0  # what is half written is in nobody's dictionary

    def _found(self, key: str) -> bytes:
        try:
            return self._stored[key]
        except KeyError:
            raise MissingCheckpointError(f"there is no checkpoint {key!r} in memory.") from None

    def __repr__(self) -> str:
        return f"MemoryCheckpoints({len(self._stored)} checkpoints)"
